// SPDX-License-Identifier: GPL-3.0-or-later
// The parameter table as a help page.
#pragma once

#include <string>

namespace prism {

/// Markdown with every parameter: id, name on screen, unit, what is accepted, default, help. resources/help/parameters.md is
/// this text; a test keeps it so.
[[nodiscard]] std::string parameterPage();

} // namespace prism
