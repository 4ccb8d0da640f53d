// SPDX-License-Identifier: GPL-3.0-or-later
// The closed form that coverage tests compare intervals with, tested against the reference, which draws every kernel.
#include "core/sim/knownanswer.h"

#include "core/sim/coverage.h"
#include "core/sim/simulate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace prism::test {
namespace {

TEST(KnownAnswer, IsTheDistributionOfTheReference)
{
    constexpr int kSteps = 20'000;
    for (const bool rare : {false, true})
        for (const int replicas : {1, 8}) {
            const StepGraph graph = smallJob(replicas, rare);
            const KnownAnswer known(graph);
            SimOptions options;
            options.numSamples = kSteps;
            options.numWithinSamples = -1;
            std::vector<double> sorted = simulateReference(graph, options).acrossSeconds;
            std::sort(sorted.begin(), sorted.end());
            double mean = 0.0, square = 0.0, largest = 0.0;
            for (std::size_t i = 0; i < sorted.size(); ++i) {
                mean += sorted[i] / kSteps;
                square += sorted[i] * sorted[i] / kSteps;
                largest = std::max(largest, std::abs(known.below(sorted[i]) - (static_cast<double>(i) + 0.5) / kSteps));
            }
            EXPECT_LT(largest, 1.95 / std::sqrt(kSteps)) << replicas << rare; // Kolmogorov: one in a thousand
            EXPECT_NEAR(known.mean(), mean, 4.0 * std::sqrt((square - mean * mean) / kSteps)) << replicas << rare;
            for (const double p : {0.5, 0.99})
                EXPECT_NEAR(known.below(known.quantile(p)), p, 1e-6);
        }
}

/// Steps beyond what plain ones reach are those with an event, but for the few that an event of the shortest kernel leaves below.
TEST(KnownAnswer, IncludesRareEventsOfThousandsOfReplicas)
{
    const KnownAnswer plain(smallJob(4096, false)), rare(smallJob(4096, true));
    const double withEvent = -std::expm1(-0.3), above = 1.0 - rare.below(plain.quantile(1.0 - 1e-6));
    EXPECT_LT(above, withEvent);
    EXPECT_GT(above, 0.9 * withEvent);
}

} // namespace
} // namespace prism::test
