// SPDX-License-Identifier: GPL-3.0-or-later
// Ranks of causes at several percentiles, from a table made by hand.
#include "ui/pages/slopes.h"

#include <gtest/gtest.h>

namespace prism::ui::test {

using namespace Qt::StringLiterals;

namespace {

SensitivityRow rowOf(const char* id, double p50, double p95, double p99)
{
    SensitivityRow row;
    row.id = id;
    row.varies = true;
    row.spreadRemoved.p50.value = -p50;
    row.spreadRemoved.p95.value = -p95 / 2;
    row.spreadDoubled.p95.value = p95;
    row.spreadDoubled.p99.value = p99;
    return row;
}

TEST(Slopes, RanksFollowTheChangesAtEveryPercentile)
{
    SensitivityTable table;
    table.rows = {rowOf("steady", 0.30, 0.20, 0.10), rowOf("tail", 0.01, 0.40, 0.90), rowOf("middle", 0.10, 0.30, 0.20)};
    SensitivityRow noiseFree = rowOf("still", 9, 9, 9);
    noiseFree.varies = false;
    table.rows.push_back(noiseFree);
    const SlopeData data = slopesOf(table, 2);
    ASSERT_EQ(data.rows.size(), 3U) << "what does not vary has no rank";
    EXPECT_EQ(data.rows.front().id, u"tail"_s) << "by p95";
    const auto ranks = [&](std::size_t row) {
        return std::vector<int>{data.rows[row].cells[0].rank, data.rows[row].cells[1].rank, data.rows[row].cells[2].rank};
    };
    EXPECT_EQ(ranks(0), (std::vector<int>{3, 1, 1}));
    EXPECT_EQ(ranks(1), (std::vector<int>{2, 2, 2}));
    EXPECT_EQ(ranks(2), (std::vector<int>{1, 3, 3}));
    EXPECT_DOUBLE_EQ(data.rows[2].cells[0].change, -0.30) << "the larger of removed and doubled, with its sign";
    EXPECT_EQ(data.series, 2);
}

} // namespace
} // namespace prism::ui::test
