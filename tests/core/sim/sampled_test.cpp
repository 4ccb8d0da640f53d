// SPDX-License-Identifier: GPL-3.0-or-later
// What a step's conditions make of its replicas' excesses.
#include "core/sim/step/sampled.h"

#include "core/stats/random.h"

#include <gtest/gtest.h>

namespace prism {
namespace {

constexpr std::size_t kSteps = 400, kCopies = 20;

/// Regimes between 0.9 and 1.1, and replicas whose excess, between 1.9 and 2.1 on its own, follows them in so large a share.
Sampled following(double share, std::vector<double>& regime)
{
    Sampled out;
    out.location.assign(kSteps, 10.0);
    for (std::size_t j = 0; j < kSteps; ++j)
        regime.push_back(0.9 + 0.2 * static_cast<double>(j) / (kSteps - 1));
    for (std::size_t i = 0; i < kSteps * kCopies; ++i) {
        const double own = 1.9 + 0.2 * uniform(1, stream(1), i);
        out.excess.push_back(own * (1.0 + share * (regime[i % kSteps] - 1.0)));
        out.weight.push_back(0.5 + uniform(1, stream(2), i));
    }
    return out;
}

TEST(Sampled, AnExcessFollowsTheRegimeAsFarAsItsReplicasSay)
{
    for (const double share : {0.0, 0.5, 1.0}) {
        std::vector<double> regime;
        Sampled sampled = following(share, regime);
        scaleByRegime(sampled, regime);
        ASSERT_EQ(sampled.scale.size(), kSteps);
        EXPECT_NEAR(sampled.scale.back() - sampled.scale.front(), 0.2 * share, 0.01) << share; // chance: 0.001
        EXPECT_NEAR(sampled.secondsAt(sampled.excessAt(13.0, 7), 7), 13.0, 1e-12);
    }
}

TEST(Sampled, StaysAsItIsWhereTheRegimeIsConstant)
{
    std::vector<double> regime;
    Sampled sampled = following(1.0, regime);
    const std::vector<double> before = sampled.excess;
    scaleByRegime(sampled, std::vector<double>(kSteps, 1.0));
    EXPECT_TRUE(sampled.scale.empty());
    EXPECT_EQ(sampled.excess, before);
    EXPECT_EQ(sampled.secondsAt(2.0, 3), 12.0);
}

} // namespace
} // namespace prism
