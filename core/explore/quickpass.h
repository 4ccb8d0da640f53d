// SPDX-License-Identifier: GPL-3.0-or-later
// The deterministic pass of a search: valid configurations, those that fit, and their noise-free step, part by part.
#pragma once

#include "core/cost/quickstep.h"
#include "core/explore/query.h"

#include <cstdint>
#include <string>
#include <vector>

namespace prism {

inline constexpr std::int64_t kPointsPerPart = 256;

/// A configuration that is valid and, by a lower bound at least, fits into memory.
struct QuickPoint {
    std::int64_t index = 0; ///< in the space
    double noiseFreeSeconds = 0, peakGib = 0, capacityGib = 0, tokensPerStep = 0;
    bool bound = false; ///< seconds and memory are lower bounds (QuickStep)
};

/// Why configurations were omitted.
struct ReasonCount {
    std::string reason;
    std::int64_t count = 0; ///< that it holds for
    std::int64_t alone = 0; ///< that have no other reason
    std::int64_t first = 0; ///< index of the first one
};

/// One configuration that was omitted, with all reasons.
struct RejectedPoint {
    std::int64_t index = 0;
    std::vector<std::string> reasons;
};

/// kPointsPerPart configurations in sequence.
struct QuickPart {
    std::int64_t points = 0, valid = 0;
    std::vector<QuickPoint> fitting;
    std::vector<ReasonCount> reasons;    ///< by text
    std::vector<RejectedPoint> rejected; ///< where the query lists them
};

inline constexpr const char* kDoesNotFit = "memory: does not fit";

/// Adds `other` to counts by reason.
void addReasons(std::vector<ReasonCount>& to, const std::vector<ReasonCount>& other);

/// Inputs of a part; all outlive it.
struct QuickInputs {
    const ExploreQuery& query;
    const SearchPoints& points;
    const PointMaker& maker;
};
/// Costs part `part` of the points. One thread per coster; the result does not depend on what it costed before.
[[nodiscard]] QuickPart quickPart(const QuickInputs& inputs, QuickCoster& coster, std::int64_t part);

} // namespace prism
