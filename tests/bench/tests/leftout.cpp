// SPDX-License-Identifier: GPL-3.0-or-later
// Sources that are omitted: how the loss counts them.
#include "bench/constants/leftout.h"

#include <gtest/gtest.h>

#include <cmath>
#include <deque>

namespace prism {
namespace {

/// A source of n rows weighs n / (n + 3.5): a hundred rows count four times as much as one, not a hundred times.
TEST(Omitted, ALongSourceOutweighsAShortOneLittle)
{
    std::deque<PublishedRow> published;
    std::vector<FitRow> rows;
    std::vector<double> errors;
    const auto add = [&](const char* source, double error) {
        PublishedRow row;
        row.source = source;
        row.tier = "A";
        published.push_back(std::move(row));
        rows.push_back({&published.back(), 1});
        errors.push_back(error);
    };
    for (int i = 0; i < 100; ++i)
        add("many", i % 2 == 0 ? 0.01 : -0.01);
    add("one", 0.01);
    EXPECT_NEAR(SourceLoss(rows).of(errors), 0.01, 1e-12);
    EXPECT_NEAR(SourceLoss(rows, "many").of(errors), 0.01, 1e-12);
    errors.back() = 0.012;
    const double many = 100 / 103.5, one = 1 / 4.5;
    EXPECT_NEAR(SourceLoss(rows).of(errors), (many * 0.01 + one * 0.012) / (many + one), 1e-12);
    errors.back() = std::nan("");
    EXPECT_NEAR(SourceLoss(rows).of(errors), 0.01, 1e-12);
}

} // namespace
} // namespace prism
