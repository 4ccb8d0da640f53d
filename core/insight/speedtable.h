// Measured node speeds as infrastructure teams keep them: CSV of node, GPU and TFLOP/s or relative speed.
#pragma once

#include "core/base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace prism {

/// One measured GPU (or whole node when gpu < 0).
struct SpeedRow {
    int node = 0;                      ///< index into SpeedTable::hosts
    int gpu = -1;
    double relativeSpeed = 1;          ///< measured over the median of the table; > 1 is faster
    int line = 0;                      ///< in the file, from 1
};

enum class SpeedUnit { relative, tflops, seconds };

struct SpeedTable {
    std::vector<std::string> hosts;    ///< distinct nodes in order of first appearance, or by index where nodes are numbers 0..n-1
    std::vector<SpeedRow> rows;
    SpeedUnit unit = SpeedUnit::relative;
    double referenceValue = 0;         ///< what relative speed 1 stands for, in `unit` (the table's median)
    Diagnostics notes;                 ///< what was understood: columns used and ignored, the unit, the reference
};

/// Reads a speed table. Columns by header name: node | host | hostname | node_id; gpu | device | local_rank | gpu_id (optional);
/// tflops | tflop/s | relative_speed | speed | time_s | seconds | ms (one of them). Separators: comma, semicolon or tab.
/// Errors, all at once (at most 200, then a count), path "name:line": no header, unknown or several value columns, missing or
/// repeated (node, gpu), zero, negative or non-finite values, units inside cells that disagree with the header, more than
/// 1,000,000 rows, lines longer than 4,096 bytes. Nothing is guessed: an ambiguous header is an error that names the choices.
[[nodiscard]] Result<SpeedTable> readSpeedTable(std::string_view csv, std::string_view name = "speeds.csv");

} // namespace prism
