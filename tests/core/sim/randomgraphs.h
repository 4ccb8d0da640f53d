// SPDX-License-Identifier: GPL-3.0-or-later
// Random step graphs from the whole vocabulary, small enough for the reference.
#pragma once

#include "core/sim/battery.h"

#include <cstdint>

namespace prism::test {

/// The graph of a number, always the same; valid. Each cause and each kind of communication is in some and missing in others.
[[nodiscard]] BatteryCase randomCase(std::uint64_t number);

} // namespace prism::test
