// SPDX-License-Identifier: GPL-3.0-or-later
// Records of a search: shards that are merged, and a search that was stopped, give the bytes of one run.
#include "core/explore/explore.h"

#include "core/scenario/presets.h"

#include <gtest/gtest.h>

namespace prism {
namespace {

/// A space of three parts with planned schedules among them.
ExploreQuery query()
{
    ExploreQuery q;
    for (const char* axis : {"tp=1,2,4,8", "pp=1,2,4", "schedule=1f1b,zb-v,zb-h1", "vpp=1,2", "zero=1,2,3", "mbs=1,2,4,8"})
        q.space.axes.push_back(*searchAxis(axis));
    q.keep = 3;
    q.mostSampled = 30;
    return q;
}

Scenario base()
{
    return *setParameter(*scenarioPreset("llama2-7b-8-a100"), "cluster.num_gpus", "16");
}

struct Kept {
    Result<Exploration> exploration;
    std::string text;
};

Kept searched(const ExploreQuery& q, const ExploreRecords& known = {})
{
    Evaluator evaluator;
    std::string text;
    Result<Exploration> e = explore(evaluator, base(), q, {}, {known, [&text](const std::string& t) { text = t; }});
    return {std::move(e), std::move(text)};
}

/// Without what differs from run to run.
std::string withoutTimes(Exploration e)
{
    e.elapsedSeconds = e.deterministicSeconds = 0;
    return toJson(e);
}

TEST(ExploreRecords, ShardsMergeToTheBytesOfOneRun)
{
    const Kept whole = searched(query());
    ASSERT_TRUE(whole.exploration.ok());
    ASSERT_GE(whole.exploration->points, 3 * kPointsPerPart);
    std::vector<ExploreRecords> shards;
    for (int i = 1; i <= 3; ++i) {
        ExploreQuery q = query();
        q.shard = {i, 3};
        const Kept part = searched(q);
        ASSERT_TRUE(part.exploration.ok()) << i;
        shards.push_back(*recordsFromText(part.text, "shard"));
    }
    Evaluator evaluator;
    std::string text;
    const Result<Exploration> merged = mergedExploration(evaluator, shards, {}, [&text](const std::string& t) { text = t; });
    ASSERT_TRUE(merged.ok());
    EXPECT_EQ(text, whole.text);
    EXPECT_EQ(withoutTimes(*merged), withoutTimes(*whole.exploration));
}

TEST(ExploreRecords, AStoppedSearchGoesOnToTheSameBytes)
{
    const Kept whole = searched(query());
    ASSERT_TRUE(whole.exploration.ok());
    for (const double share : {0.05, 0.4, 0.8, 1.0}) { // cut in the middle of a line, as a killed writer may leave it
        const std::string half = whole.text.substr(0, static_cast<std::size_t>(share * static_cast<double>(whole.text.size())));
        const Result<ExploreRecords> known = recordsFromText(half, "half");
        ASSERT_TRUE(known.ok()) << share;
        EXPECT_EQ(searched(query(), *known).text, whole.text) << share;
    }
}

TEST(ExploreRecords, WhatIsNoRecordIsSaidLineByLine)
{
    const std::string text = searched(query()).text;
    const Result<ExploreRecords> wrong = recordsFromText(text + "nonsense\n{\"part\": -1}\n[]\n{\"row\": -4}\n", "file");
    ASSERT_FALSE(wrong.ok());
    EXPECT_EQ(wrong.errors().size(), 4U);
    EXPECT_TRUE(wrong.errors().front().path.starts_with("file:"));
    ExploreRecords one = *recordsFromText(text, "file"), other = one;
    one.shard = {1, 2};
    other.shard = {1, 2};
    EXPECT_FALSE(joined({one, other}).ok()); // twice
    EXPECT_FALSE(joined({one}).ok());        // one missing
    other.shard = {2, 2};
    EXPECT_TRUE(joined({one, other}).ok());
    other.complete = false;
    EXPECT_FALSE(joined({one, other}).ok());
    EXPECT_FALSE(joined({}).ok());
    EXPECT_FALSE(recordsHead("{}").ok());
    EXPECT_FALSE(recordsHead("no JSON").ok());
}

} // namespace
} // namespace prism
