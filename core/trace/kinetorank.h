// SPDX-License-Identifier: GPL-3.0-or-later
// One rank of a profiler trace: its GPU activities, its collectives and the profiled steps.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace prism {

/// What a trace records about one collective. Empty and 0 where it does not.
struct KinetoCollective {
    std::string name;  ///< "allreduce", "_allgather_base", "broadcast"
    std::string group; ///< the process group's name
    std::string ranks; ///< the group's ranks as text, "[0, 1]"
    std::string dtype;
    std::int64_t groupSize = 0, inElements = 0, outElements = 0;
    std::int64_t peer = -1; ///< the rank at the other end of a send or receive, of all ranks; -1 = not recorded
};

/// One GPU activity; times in microseconds on the trace's clock.
struct KinetoKernel {
    double start = 0, duration = 0;
    double launch = -1;     ///< begin of the call that launched it, or -1
    std::uint32_t name = 0; ///< index into KinetoRank::names
    std::int32_t stream = 0, device = 0;
    std::int32_t process = -1; ///< under which the trace lists it: the device again, but for files into which several ranks were merged
    std::int64_t correlation = -1, externalId = -1;
    std::uint32_t grid = 0, block = 0; ///< numbers of blocks and of threads in a block; 0 = not recorded
    std::int32_t collective = -1;      ///< index into KinetoRank::collectives, -1 = none recorded
    bool isCollective = false;         ///< by its name (isCollectiveKernel) or by the trace's own fields
    bool isCopy = false;               ///< a copy or a fill of memory

    [[nodiscard]] double end() const { return start + duration; }
};

struct KinetoStep {
    std::string name; ///< "ProfilerStep#4"
    double start = 0, duration = 0;
};

/// A recording that was put together with others of its rank.
struct KinetoWindow {
    std::size_t first = 0; ///< its first kernel
    std::string step;      ///< its first profiled step; empty = none
};

/// One rank: kernels by start.
struct KinetoRank {
    std::string path;
    int rank = 0, worldSize = 0;
    bool isNamed = false;              ///< the file names its rank
    std::vector<KinetoWindow> windows; ///< ascending; empty = one recording
    std::vector<std::string> names;
    std::vector<KinetoKernel> kernels;
    std::vector<KinetoCollective> collectives;
    std::vector<KinetoStep> steps;
    std::uint64_t events = 0; ///< in the file, of all kinds
    Diagnostics notes;        ///< what was dropped, counted
};

} // namespace prism
