// SPDX-License-Identifier: GPL-3.0-or-later
// Correlated series and errors that samples share.
#include "core/stats/moments.h"
#include "core/stats/random.h"
#include "core/stats/sharederror.h"

#include <gtest/gtest.h>

#include <vector>

namespace prism::test {
namespace {

TEST(CorrelationTime, OfAnAutoregressiveSeries)
{
    std::vector<double> x, white;
    double z = 0.0;
    for (std::uint64_t t = 0; t < 40'000; ++t) {
        const double fresh = uniform(1, stream(2), t) - 0.5;
        white.push_back(fresh);
        x.push_back(z = 0.35 * z + fresh);
    }
    EXPECT_NEAR(correlationTime(x), 1.35 / 0.65, 0.15);
    EXPECT_NEAR(correlationTime(white), 1.0, 0.05);
    EXPECT_EQ(correlationTime({1.0, 1.0, 1.0}), 1.0);
}

TEST(SharedErrors, TogetherKeepTheDegreesOfTheOneThatCounts)
{
    const SharedError::Part many{3.0, 0.0}, few{4.0, 8.0};
    EXPECT_DOUBLE_EQ(together(many, few).stdErr, 5.0);
    EXPECT_DOUBLE_EQ(together(many, few).degrees, 25.0 * 25.0 / (256.0 / 8.0));
    EXPECT_DOUBLE_EQ(together({0.0, 0.0}, few).degrees, 8.0);
    EXPECT_DOUBLE_EQ(together(many, many).degrees, 0.0);
}

} // namespace
} // namespace prism::test
