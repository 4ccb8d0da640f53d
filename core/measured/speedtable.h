// SPDX-License-Identifier: GPL-3.0-or-later
// Measured node speeds as exported by infrastructure teams: CSV of node, GPU and TFLOP/s or relative speed.
#pragma once

#include "core/base/result.h"
#include "core/measured/speedheader.h"

#include <string>
#include <string_view>
#include <vector>

namespace prism {

/// One measured GPU (or whole node when gpu < 0).
struct SpeedRow {
    int node = 0; ///< index into SpeedTable::hosts
    int gpu = -1;
    double relativeSpeed = 1; ///< > 1 is faster; absolute units: over the median of the table
    int line = 0;             ///< in the file, from 1
};

struct SpeedTable {
    std::vector<std::string> hosts; ///< distinct nodes in order of first appearance, or by number where nodes are 0..n-1 or 1..n
    std::vector<SpeedRow> rows;
    SpeedUnit unit = SpeedUnit::relative;
    double referenceValue = 0; ///< the value of relative speed 1: 1, or the median in TFLOP/s or seconds
    Diagnostics notes;         ///< what was recognised: columns used and ignored, the unit, the reference
};

/// Reads a speed table. Columns by header name, regardless of case, spaces and brackets: node | host | hostname | node_id | server ...;
/// gpu | device | local_rank ... (optional); one of relative_speed | speed | speed_percent | tflops | gflops | pflops | time_s | time_ms |
/// time_us or a quantity with its unit ("GEMM TFLOP/s", "step time [ms]"). Separators: comma, semicolon or tab; lines that start with #
/// are comments; cells may be quoted; a UTF-8 mark and CR LF are recognised.
/// Errors, all at once (at most 200, then a count), path "name:line": no header, unknown or several value columns, missing or
/// repeated (node, gpu), numbered nodes with gaps, zero, negative or non-finite values, decimal commas, units inside cells that disagree
/// with the header, values or a whole column that cannot be in the header's unit, more than 1,000,000 rows, lines longer than 4,096
/// bytes. Nothing is guessed: an ambiguous header is an error that names the choices.
[[nodiscard]] Result<SpeedTable> readSpeedTable(std::string_view csv, std::string_view name = "speeds.csv");

} // namespace prism
