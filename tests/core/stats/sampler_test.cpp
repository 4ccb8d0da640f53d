// SPDX-License-Identifier: GPL-3.0-or-later
// The drawing table against the exact quantile function.
#include "core/stats/sampler.h"

#include "core/stats/quantile.h"
#include "core/stats/random.h"

#include <gtest/gtest.h>

#include <cmath>

namespace prism {
namespace {

TEST(FactorSampler, FollowsTheQuantileFunction)
{
    for (const Family family : {Family::normal, Family::lognormal, Family::gamma, Family::weibull})
        for (const double cv : {5e-4, 0.03, 0.5}) {
            const Distribution d{family, cv};
            const FactorSampler sampler(d);
            const QuantileFunction quantile(d);
            for (std::uint64_t i = 0; i < 20'000; ++i) {
                const double u = uniform(7, stream(1), i);
                const double exact = quantile(u);
                ASSERT_NEAR(sampler.base(u), exact, 1e-7 * (exact + cv)) << familyName(family) << " cv " << cv << " u " << u;
            }
            for (const double u : {0x1.0p-54, 1e-12, 1e-6, 1 - 1e-6, 1 - 1e-12, 1 - 0x1.0p-53})
                EXPECT_NEAR(sampler.base(u), quantile(u), 1e-6 * (quantile(u) + cv)) << familyName(family) << " " << u;
        }
}

TEST(FactorSampler, ReadsPoolsAndRareEvents)
{
    Distribution d = empiricalDistribution({1, 2, 3, 6});
    d.rareProbability = 0.25;
    d.rareMultiplier = 10.0;
    const FactorSampler sampler(d);
    EXPECT_DOUBLE_EQ(sampler.draw(0.3, 0.9), 2.0 / 3.0);
    EXPECT_DOUBLE_EQ(sampler.draw(0.9999, 0.1), 20.0);
    EXPECT_FALSE(sampler.isDeterministic());
    EXPECT_TRUE(FactorSampler(Distribution{}).isDeterministic());
    EXPECT_EQ(FactorSampler(Distribution{}).base(0.2), 1.0);
}

} // namespace
} // namespace prism
