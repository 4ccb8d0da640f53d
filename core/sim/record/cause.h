// SPDX-License-Identifier: GPL-3.0-or-later
// Why a piece of the critical path takes as long as it does.
#pragma once

#include <string_view>

namespace prism {

/// Why time lies on the critical path. `mean` is the noise-free duration; the others are what each factor added
/// (or saved) on top of it along the path. Jitter and stalls delay whole steps: they have rows of their own among classes and stages.
enum class Cause { computeMean, communicationMean, spatial, temporal, data, routing, regime, rare, slowSpot, jitter, stall };
inline constexpr int kCauses = 11;
[[nodiscard]] std::string_view causeName(Cause cause);

} // namespace prism
