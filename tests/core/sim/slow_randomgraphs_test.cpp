// SPDX-License-Identifier: GPL-3.0-or-later
// 200 random graphs against the reference.
#include "core/sim/randomgraphs.h"

#include <gtest/gtest.h>

#include <cstdio>

namespace prism::test {
namespace {

class SlowRandomGraphs : public testing::TestWithParam<int> {};

TEST_P(SlowRandomGraphs, FastAgreesWithReference)
{
    const Agreement a = agreement(randomCase(static_cast<std::uint64_t>(GetParam())), 8'000, 16'000);
    std::puts(agreementTable({a}).c_str());
    EXPECT_FALSE(a.fails());
}

INSTANTIATE_TEST_SUITE_P(Seeds, SlowRandomGraphs, testing::Range(100, 300));

} // namespace
} // namespace prism::test
