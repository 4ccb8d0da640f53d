// SPDX-License-Identifier: GPL-3.0-or-later
// A small study that holds something of everything, and whole files in memory.
#pragma once

#include "core/study/study.h"

#include <string>

namespace prism::study_test {

/// Scenarios, revisions (one with a long section), undo steps, view state, imports and results in a new file.
void makeSampleStudy(const std::string& path);
[[nodiscard]] std::string readAll(const std::string& path);
void writeAll(const std::string& path, const std::string& bytes);

} // namespace prism::study_test
