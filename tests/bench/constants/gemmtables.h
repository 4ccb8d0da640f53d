// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of matrix products that the shipped constants are fitted to.
#pragma once

#include "core/base/result.h"
#include "core/measured/operatorrows.h"

#include <string>
#include <vector>

namespace prism {

/// Columns: system, collector, dtype, m, n, k, latency_us, tflops. What is not among the ProductSources of sources.h is left aside.
[[nodiscard]] Result<std::vector<GemmRow>> readGemmTable(const std::string& path);

/// Matrix products of a SimuMax system file, repeated up to the power limit as in training; none where sources.h lacks the system.
[[nodiscard]] Result<std::vector<GemmRow>> readSustainedGemms(const std::string& path);

} // namespace prism
