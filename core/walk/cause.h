// Why a piece of the critical path takes as long as it does.
#pragma once

#include <string_view>

namespace prism {

/// Why time lies on the critical path. `mean` is the noise-free duration; the others are what each factor added
/// (or saved) on top of it along the path.
enum class Cause { computeMean, communicationMean, spatial, temporal, data, regime, rare, slowSpot };
inline constexpr int kCauses = 8;
[[nodiscard]] std::string_view causeName(Cause cause);

} // namespace prism
