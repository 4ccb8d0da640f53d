// SPDX-License-Identifier: GPL-3.0-or-later
// Options that take numbers as people write them: "9.5 s", "20%", "1k", "15T". The texts are those of the parameter table.
#pragma once

#include "core/base/result.h"

#include <CLI/CLI.hpp>

#include <string>

namespace prism::cli {

/// The option takes a number with an optional unit and stores it in `unit` (see quantityFromText): "s", "days", "GiB", "bytes", "tokens".
CLI::Option* inUnit(CLI::Option* option, const std::string& unit);
/// A share or probability: 0.05 or 5%.
CLI::Option* asShare(CLI::Option* option);
/// A whole number: 20k, 1.5M, 16,384.
CLI::Option* asCount(CLI::Option* option);
/// A number of GPUs: 1k is 1,024, as in the parameter table.
CLI::Option* asGpuCount(CLI::Option* option);
/// Slowdown factor: 1.2, 1.2x, or 20% (20 % slower, so 1.2).
CLI::Option* asSlowness(CLI::Option* option);

/// Options of this command and of those below it that take a whole number as it is (a seed, an index) read decimal digits and nothing else:
/// no sign where a number has none, no octal or hexadecimal, no number that would be cut to fit.
void requirePlainNumbers(CLI::App& command);

/// The number behind asSlowness.
[[nodiscard]] Result<double> slownessFromText(std::string_view text);

} // namespace prism::cli
