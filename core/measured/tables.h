// Benchmark tables as files: comma-separated, optionally gzip-compressed; bounded, every error with its line.
#pragma once

#include "core/base/result.h"
#include "core/measured/operatorrows.h"

#include <string>
#include <string_view>
#include <vector>

namespace prism {

/// A whole file, decompressed when it is gzip; at most `limitBytes` of content.
[[nodiscard]] Result<std::string> readTextFile(const std::string& path, std::size_t limitBytes = std::size_t{256} << 20);
/// Columns: system, nccl_version, op, dtype, num_gpus, bytes, latency_us, busbw_GBps.
[[nodiscard]] Result<std::vector<BusRow>> readBusTable(const std::string& path);
/// Columns: system, collector, dtype, m, n, k, latency_us, tflops.
[[nodiscard]] Result<std::vector<GemmRow>> readGemmTable(const std::string& path);

/// Takes the first line off `text`, without its line feed; empty where nothing is left.
[[nodiscard]] std::string_view nextLine(std::string_view& text);

/// A number above 0 and below 1e18 at the start of `text`.
[[nodiscard]] bool positive(const std::string& text, double& value);

/// Splits one comma-separated line; quotes protect commas.
[[nodiscard]] std::vector<std::string> csvFields(std::string_view line);

/// The header and the lines of a table whose columns have the wanted values, each "COLUMN=VALUE". Errors: columns that are not there.
[[nodiscard]] Result<std::string> selectedRows(std::string_view table, const std::vector<std::string>& wanted);

/// Matrix products of SimuMax's B200 system file: repeated long enough to reach the power limit, as in training.
[[nodiscard]] Result<std::vector<GemmRow>> readSustainedGemms(const std::string& path);

} // namespace prism
