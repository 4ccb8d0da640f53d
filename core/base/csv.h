// Comma-separated values, RFC 4180: what the folder form of a study is written in. Internal to core/study.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace prism {

/// One line with its end; fields with commas, quotes or line breaks are quoted.
[[nodiscard]] std::string csvLine(const std::vector<std::string>& fields);
/// Rows of fields; line breaks inside quotes belong to the field. Never fails: what is not CSV gives odd fields.
[[nodiscard]] std::vector<std::vector<std::string>> parseCsv(std::string_view text);

} // namespace prism
