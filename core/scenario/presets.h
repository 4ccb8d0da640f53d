// SPDX-License-Identifier: GPL-3.0-or-later
// Presets by name: whole scenarios here; for sections and the library see the headers below.
#pragma once

#include "core/scenario/presetlibrary.h"
#include "core/scenario/sectionpresets.h"

namespace prism {

/// A scenario of the library, read and checked. Any thread.
[[nodiscard]] Result<Scenario> scenarioPreset(std::string_view name);

} // namespace prism
