// SPDX-License-Identifier: GPL-3.0-or-later
// Seeds that the program writes itself: files of the present format, small ones.
#pragma once

#include <string>
#include <vector>

namespace prism::fuzz {

[[nodiscard]] std::vector<std::string> writtenScenarios();
[[nodiscard]] std::vector<std::string> writtenGraphs();
[[nodiscard]] std::vector<std::string> writtenCalibrations();
[[nodiscard]] std::vector<std::string> writtenStudies();
[[nodiscard]] std::vector<std::string> writtenRecords();

} // namespace prism::fuzz
