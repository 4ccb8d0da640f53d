// SPDX-License-Identifier: GPL-3.0-or-later
// Reads a scenario file: version, name, note and the sections with the presets that they start from.
#pragma once

#include "core/scenario/sectionreader.h"

namespace prism {

/// The whole file. A section's key `preset` (for the cluster also `gpu`, `fabric`) loads a preset first; its other keys override it.
void readScenario(const nlohmann::json& object, SectionReading& reading);

} // namespace prism
