// SPDX-License-Identifier: GPL-3.0-or-later
// Structure-aware mutation: changes that keep a file parseable, so that they reach the code behind the parser.
#pragma once

#include <random>
#include <string>

namespace prism::fuzz {

/// Changes one page (cell pointers, overflow chains, headers) or one row (values, duplicates, triggers, views) of a SQLite file.
/// Bytes that are not a SQLite file are returned unchanged. Same bytes and same state of `random`: same result.
[[nodiscard]] std::string mutateStudy(std::string bytes, std::mt19937_64& random);

/// Changes one value, key or element of a JSON document. Text that is not JSON is returned unchanged.
[[nodiscard]] std::string mutateJson(std::string text, std::mt19937_64& random);

} // namespace prism::fuzz
