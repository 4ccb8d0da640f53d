// SPDX-License-Identifier: GPL-3.0-or-later
// Instruction sets of the engine's kernels, to measure and compare them one by one.
#pragma once

#include <hwy/highway.h>

#include <cstdint>
#include <string>
#include <vector>

namespace prism {

/// One that the kernels were made for and that this processor has.
struct LaneTarget {
    std::int64_t id = 0;
    std::string name;
};
/// The best one first.
[[nodiscard]] inline std::vector<LaneTarget> laneTargets()
{
    std::vector<LaneTarget> out;
    for (const std::int64_t target : hwy::SupportedAndGeneratedTargets())
        out.push_back({target, hwy::TargetName(target)});
    return out;
}

/// Chooses one while no sweep runs; 0 = the best one again.
inline void useLaneTarget(std::int64_t target)
{
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

} // namespace prism
