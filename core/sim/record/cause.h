// SPDX-License-Identifier: GPL-3.0-or-later
// Causes of the duration of a piece of the critical path.
#pragma once

#include <string_view>

namespace prism {

/// Causes of time on the critical path. `mean` is the noise-free duration; the others are what each factor added
/// (or saved) on top of it along the path. Jitter and stalls delay whole steps: they have separate rows among classes and stages.
enum class Cause { computeMean, communicationMean, spatial, temporal, data, routing, regime, rare, slowSpot, jitter, stall };
inline constexpr int kCauses = 11;
[[nodiscard]] std::string_view causeName(Cause cause);

} // namespace prism
