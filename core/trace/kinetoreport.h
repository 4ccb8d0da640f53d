// SPDX-License-Identifier: GPL-3.0-or-later
// Joint report on the traces of several ranks: matched collectives, host gaps, pools of durations.
#pragma once

#include "core/trace/collectivecalls.h"
#include "core/trace/kineto.h"
#include "core/trace/pools.h"

#include <optional>

namespace prism {

/// The k-th call of a collective in a group, on every rank of the group whose trace is there.
struct CollectiveGroup {
    std::string name;      ///< process group and operation, or "not named" where the trace has no name
    std::string operation; ///< "allreduce", ...
    std::string dtype;
    std::int64_t groupSize = 0, bytes = 0; ///< 0 = not recorded
    int ranksSeen = 0;                     ///< ranks with a trace
    int calls = 0, matched = 0;            ///< kernels, and those whose call is on all of these ranks
    double medianSeconds = 0;              ///< as recorded, with waiting
    /// Transfer time: from the last arriver to the own end where all ranks of the group are there; with one end only the lower part of
    /// an Otsu split of the durations, where they fall in two parts at all.
    double transferSeconds = 0, waitingSeconds = 0; ///< medians; waiting is the rest of the mean
    std::string split;                              ///< how the two were separated
};

struct RankReport {
    int rank = 0;
    double clockOffsetSeconds = 0; ///< taken off before ranks are compared
    std::uint64_t kernels = 0, collectives = 0, describedCollectives = 0;
    int streams = 0;
    std::vector<double> stepSeconds; ///< ProfilerStep windows
    double busySeconds = 0, spanSeconds = 0;
    double hostGapSeconds = 0; ///< idle because the next kernel was launched only after the GPU had run dry
    std::uint64_t hostGaps = 0;
    double longestHostGapSeconds = 0;
};

struct KinetoReport {
    std::vector<RankReport> ranks;
    std::vector<CollectiveGroup> groups;
    std::uint64_t collectiveKernels = 0, matchedKernels = 0;
    std::vector<std::string> unmatched; ///< the first fifty
    std::vector<DurationPool> pools;    ///< by total time, longest first
    Diagnostics notes;
};

/// Difference of each rank's clock, microseconds: median of its ends against the calls' median end, as a collective ends on all its ranks
/// at once; 0 below 50 us. [ranks]
[[nodiscard]] std::vector<double> clockOffsets(const std::map<CollectiveKey, CollectiveCalls>& calls, std::size_t ranks);

/// Ranks in any order (joinedWindows puts several recordings of one together). Pure; any thread. O(n log n).
[[nodiscard]] KinetoReport kinetoReport(const std::vector<KinetoRank>& ranks);

/// Threshold that splits positive values in two parts with the largest variance between them, of their logarithms (N. Otsu, IEEE Trans.
/// SMC 9, 1979, doi:10.1109/TSMC.1979.4310076); nothing where the upper part's mean is not twice the lower's or there are fewer than 8.
[[nodiscard]] std::optional<double> otsuSplit(std::vector<double> values);

} // namespace prism
