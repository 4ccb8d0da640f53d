// SPDX-License-Identifier: GPL-3.0-or-later
// vTrain's table of single-node steps (MICRO 2024, data/ground_truth_single.csv) as published rows.
#pragma once

#include "core/base/result.h"

#include <string>
#include <string_view>

namespace prism {

/// Whether `text` is such a table, by its header line.
[[nodiscard]] bool isStepTable(std::string_view text);

/// The table as a document of the format prism-validation-1. Columns in this order: GPUs, global batch, micro batch, hidden size, attention
/// heads, layers, sequence length, tensor, data and pipeline parallel sizes, iteration time in ms; at most 20,000 rows; every
/// line that does not have them is an error with its number. What the table does not contain is listed in the rows' notes.
[[nodiscard]] Result<std::string> stepTableAsJson(std::string_view csv);

} // namespace prism
