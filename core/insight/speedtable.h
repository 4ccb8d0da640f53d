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
    double relativeSpeed = 1;          ///< > 1 is faster; absolute units: over the median of the table
    int line = 0;                      ///< in the file, from 1
};

enum class SpeedUnit { relative, tflops, seconds };

struct SpeedTable {
    std::vector<std::string> hosts;    ///< distinct nodes in order of first appearance, or by index where nodes are numbers 0..n-1
    std::vector<SpeedRow> rows;
    SpeedUnit unit = SpeedUnit::relative;
    double referenceValue = 0;         ///< what relative speed 1 stands for: 1, or the median in TFLOP/s or seconds
    Diagnostics notes;                 ///< what was understood: columns used and ignored, the unit, the reference
};

/// Reads a speed table. Columns by header name: node | host | hostname | node_id | node_name; gpu | device | local_rank | gpu_id |
/// gpu_index (optional); one of relative_speed | speed | speed_percent | tflops | gflops | pflops | time_s | time_ms | time_us and
/// their spellings (tflop/s, seconds, ms). Separators: comma, semicolon or tab; lines that start with # are comments.
/// Errors, all at once (at most 200, then a count), path "name:line": no header, unknown or several value columns, missing or
/// repeated (node, gpu), zero, negative or non-finite values, units inside cells that disagree with the header, more than
/// 1,000,000 rows, lines longer than 4,096 bytes. Nothing is guessed: an ambiguous header is an error that names the choices.
[[nodiscard]] Result<SpeedTable> readSpeedTable(std::string_view csv, std::string_view name = "speeds.csv");

} // namespace prism
