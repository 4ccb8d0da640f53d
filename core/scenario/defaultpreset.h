// SPDX-License-Identifier: GPL-3.0-or-later
// The default preset of each kind, for scenarios that name none, as the library's files state.
#pragma once

#include <string>
#include <string_view>

namespace prism {

/// The first preset of a kind whose file lists the type of a GPU ("a100") in "stands_in", else the first with "stands_in": true; empty
/// where none has. Any thread.
[[nodiscard]] std::string defaultPreset(std::string_view kind, const std::string& gpuType = {});

} // namespace prism
