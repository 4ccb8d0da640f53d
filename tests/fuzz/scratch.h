// SPDX-License-Identifier: GPL-3.0-or-later
// A folder of this process for readers that take files; removed at the end.
#pragma once

#include <string>

namespace prism::fuzz {

[[nodiscard]] std::string scratchFile(const std::string& name);

} // namespace prism::fuzz
