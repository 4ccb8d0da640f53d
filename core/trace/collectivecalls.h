// SPDX-License-Identifier: GPL-3.0-or-later
// Collective kernels of several ranks put together call by call.
#pragma once

#include "core/trace/kinetorank.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace prism {

/// Calls that are the same but for their turn: one operation of one group with one size.
struct CollectiveKey {
    std::string group, operation; ///< the group "not named" where the trace has no name
    std::int64_t size = 0, bytes = 0;
    std::string dtype;
    auto operator<=>(const CollectiveKey&) const = default;
    /// "allreduce of 8 ranks, 4096 bytes": its pool, the same for all groups of a size.
    [[nodiscard]] std::string signature() const;
};

/// Kernels of one call by rank, ascending; a rank that has none is not there, so that all calls together are as large as the kernels.
using CollectiveCall = std::vector<std::pair<std::size_t, const KinetoKernel*>>;
using CollectiveCalls = std::vector<CollectiveCall>;

/// The k-th call of a rank belongs to the k-th of the others, unless their recordings began at different calls: then a rank's calls are
/// moved by up to 64 places against those of the rank with the most, to where the differences of their ends vary least and less than half
/// as much as unmoved (a difference of clocks does not matter). Of ranks with several recordings those that begin with the same profiled
/// step belong together. A send and its receive are one call of two ranks. `ranks` must outlive the result. O(n log n + 64 n).
[[nodiscard]] std::map<CollectiveKey, CollectiveCalls> collectiveCalls(const std::vector<KinetoRank>& ranks);

/// "NAME, grid G x B, stream S": the pool of a kernel that is not a collective.
[[nodiscard]] std::string kernelSignature(const KinetoRank& rank, const KinetoKernel& kernel);
/// The pool of every kernel, collectives included. O(n log n).
[[nodiscard]] std::map<const KinetoKernel*, std::string> kernelSignatures(const std::vector<KinetoRank>& ranks);

} // namespace prism
