// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers as people type them: "0.9 TB/s", "15%", "1e3", "16k", "3 ms".
#pragma once

#include "core/base/result.h"

#include <string>
#include <string_view>

namespace prism {

/// Reads a number with an optional unit and converts it to `unit` ("GB/s", "us", "s", "days", "bytes", "GiB", "MiB", "TFLOP/s",
/// "MHz", "tokens", "x", "" ...). Dimensionless numbers accept "%". Counts accept k, M, B/G, T; `binaryK` makes k 1024 (16k GPUs are
/// 16,384). Rates in bits ("400 Gb/s") become bytes. Errors say which units are known; of a range
/// ("40 to 60 GB/s") they say that it is one, with its middle as the fix, and of a decimal comma ("1,5") with the point as the fix.
[[nodiscard]] Result<double> quantityFromText(std::string_view text, std::string_view unit, bool binaryK);

} // namespace prism
