// SPDX-License-Identifier: GPL-3.0-or-later
// Benchmark tables as files: comma-separated, optionally gzip-compressed; bounded, every error with its line.
#pragma once

#include "core/base/result.h"
#include "core/base/textfile.h"
#include "core/measured/operatorrows.h"

#include <functional>
#include <string>
#include <vector>

namespace prism {

/// Columns: system, nccl_version, op, dtype, num_gpus, bytes, latency_us, busbw_GBps. The link of a system that sources.h lacks stays 0.
[[nodiscard]] Result<std::vector<BusRow>> readBusTable(const std::string& path);

/// False where a row cannot be read.
using EachRow = std::function<bool(const std::vector<std::string>&)>;
/// Calls `use` for each data row of a table with exactly `columns` cells; the first errors (kMaxTableErrors), each at `path`:line.
[[nodiscard]] Diagnostics forEachRow(const std::string& text, const std::string& path, std::size_t columns, const EachRow& use);

/// A number above 0 and below 1e18 at the start of `text`.
[[nodiscard]] bool positive(const std::string& text, double& value);

} // namespace prism
