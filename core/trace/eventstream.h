// SPDX-License-Identifier: GPL-3.0-or-later
// The elements of a long JSON array one window at a time, however large or broken the file is.
#pragma once

#include "core/trace/bytesource.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace prism {

/// What became of the array.
struct EventStreamEnd {
    std::uint64_t broken = 0; ///< elements that were skipped
    bool foundArray = false, closedArray = false;
    std::string header, trailer; ///< text before and after the array, at most 4 MiB each
};

/// Reads `{..., "traceEvents": [ {...}, {...} ], ...}` or `[ {...}, ... ]` and passes on runs of whole elements, "[{...},{...}]" with at
/// least 64 readable bytes behind it. `use` returns how many elements it could read; where that is not all, the next one counts as broken
/// and reading resumes after it at the next "}, {". One thread; a window of 2 MiB that grows by 4 MiB for one element at most; 2,000
/// fresh starts behind lost quotes or braces.
[[nodiscard]] EventStreamEnd readEventStream(ByteSource& source,
                                             const std::function<std::size_t(std::string_view array, std::size_t elements)>& use);

} // namespace prism
