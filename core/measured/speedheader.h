// SPDX-License-Identifier: GPL-3.0-or-later
// The header line of a speed table: columns of the node, the GPU and the speed, and its unit.
#pragma once

#include "core/base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace prism {

enum class SpeedUnit { relative, tflops, seconds };
enum class SpeedColumn { ignored, node, gpu, value };

/// A parsed header line.
struct SpeedHeader {
    std::vector<SpeedColumn> columns;
    SpeedUnit unit = SpeedUnit::relative;
    double toBase = 1;     ///< multiplies a cell to get TFLOP/s, seconds, or the relative speed
    std::string valueName; ///< as the file spells it
    std::vector<std::string> ignored;
    [[nodiscard]] bool hasGpu() const;
};

/// Errors (path empty): not exactly one node and one value column, several GPU columns.
[[nodiscard]] Result<SpeedHeader> readSpeedHeader(const std::vector<std::string>& cells);

} // namespace prism
