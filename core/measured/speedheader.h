// The header line of a speed table: which column names the node, the GPU and the speed, and in which unit.
#pragma once

#include "core/base/result.h"
#include "core/measured/speedunit.h"

#include <string>
#include <string_view>
#include <vector>

namespace prism {

enum class SpeedColumn { ignored, node, gpu, value };

/// What a header line says.
struct SpeedHeader {
    char separator = ',';
    std::vector<SpeedColumn> columns;
    SpeedUnit unit = SpeedUnit::relative;
    double toBase = 1;     ///< multiplies a cell to get TFLOP/s, seconds, or the relative speed
    std::string valueName; ///< as the file spells it
    std::vector<std::string> ignored;
    [[nodiscard]] bool hasGpu() const;
};

/// Errors (path empty): not exactly one node and one value column, several GPU columns. The separator is the first of tab, semicolon and
/// comma that the line has.
[[nodiscard]] Result<SpeedHeader> readSpeedHeader(std::string_view line);

/// Cells of one line, trimmed; a cell in double quotes may hold the separator and "" for a quote. False where a quote is not closed.
[[nodiscard]] bool splitCells(std::string_view line, char separator, std::vector<std::string>& cells);

} // namespace prism
