// SPDX-License-Identifier: GPL-3.0-or-later
// A file of the preset library read into a scenario, once.
#pragma once

#include "core/scenario/sectionreader.h"

#include <string>
#include <string_view>

namespace prism {

/// The preset of a kind read by `read` into a fresh scenario. Kept by kind and name: presets are immutable, and reading JSON again for each
/// edit would cost. Any thread. Errors: no such preset, or errors in its file.
[[nodiscard]] Result<Scenario> cachedPreset(const std::string& kind, std::string_view name,
                                            void (*read)(const nlohmann::json&, SectionReading&));

} // namespace prism
