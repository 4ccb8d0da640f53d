// SPDX-License-Identifier: GPL-3.0-or-later
// A program as the fast simulator sees it: which sums of kernels meet in which maximum, and how often.
#pragma once

#include "core/step/stepgraph.h"

#include <vector>

namespace prism {

/// `count` kernels of one class and one mean.
struct OpTerm {
    int kernelClass = 0;
    double meanSeconds = 0.0, hiddenSeconds = 0.0;
    int count = 1;
    bool routed = false; ///< follows the routing of its lockstep member
    bool operator==(const OpTerm&) const = default;
};

/// The kernels between two meetings of a group's ranks. Order inside does not matter: the ranks' sums meet.
using SegmentTerms = std::vector<OpTerm>;

struct SegmentUse {
    int segment = 0, count = 1;
    bool operator==(const SegmentUse&) const = default;
};

/// What the groups of a cell do between two meetings of the whole cell; `count` equal sections of a program.
struct Section {
    std::vector<SegmentUse> segments;
    std::vector<OpTerm> groupCollectives; ///< one draw per group
    std::vector<OpTerm> cellCollectives;  ///< after the groups met
    int count = 1;
};

struct ProgramShape {
    std::vector<SegmentTerms> segments; ///< distinct ones
    std::vector<Section> sections;      ///< distinct ones
};

/// Whether cells hold several lockstep members (inLockstep), each with a routing of its own that varies.
[[nodiscard]] bool routesByMember(const StepGraph& graph);

/// Order among segments and among sections is lost on purpose: a chunk is their sum. With one group per cell every
/// collective is one of the cell and the whole program is one section.
[[nodiscard]] ProgramShape programShape(const StepGraph& graph, const Program& program);

} // namespace prism
