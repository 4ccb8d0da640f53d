// SPDX-License-Identifier: GPL-3.0-or-later
// A program as few numbers: what a cell's chunk execution takes, given the speeds of its GPUs.
#pragma once

#include "core/stats/moments.h"
#include "core/step/stepgraph.h"

#include <vector>

namespace prism {

/// Moments of the maximum of two independent normal quantities (Clark 1961, doi:10.1287/opre.9.2.145, eq. 2-4).
[[nodiscard]] Moments maximumOf(const Moments& a, const Moments& b);

/// Compute kernels between two collectives: rank r takes base + sensitive * (G_r - 1) seconds with a temporal variance.
struct SegmentSums {
    double count = 1;            ///< executions per chunk
    double baseSeconds = 0;      ///< sum of the means
    double sensitiveSeconds = 0; ///< sum of mean times spatial sensitivity
    double variance = 0;         ///< of the sum, seconds^2, without rare events
};

/// Segments that a cell runs between two points at which all its ranks meet.
struct SectionSums {
    double count = 1;
    std::vector<SegmentSums> segments;
};

/// Compute kernels of one class in a chunk.
struct ComputeSums {
    int kernelClass = 0;
    double count = 0, seconds = 0, sensitiveSeconds = 0, variance = 0;
};

/// Collectives of one class, mean and hidden part in a chunk.
struct CollectiveSums {
    int kernelClass = 0;
    double count = 0, meanSeconds = 0, hiddenSeconds = 0;
};

struct ProgramModel {
    std::vector<SectionSums> sections;
    std::vector<ComputeSums> compute;
    std::vector<CollectiveSums> collectives;
    double computeSeconds = 0, collectiveSeconds = 0; ///< noise-free; collectives with what is exposed only
};

/// Blocks of more than 64 repeats are modelled by 64 of them and scaled.
[[nodiscard]] ProgramModel programModel(const StepGraph& graph, const Program& program);

/// Compute time of one execution: sum over sections of the maximum over groups of the sum over segments of the maximum over
/// ranks. `speed` holds G of each rank (mean 1, larger is slower), group after group.
[[nodiscard]] Moments computeMoments(const ProgramModel& program, const double* speed, int groupRanks, int groupsPerCell);

} // namespace prism
