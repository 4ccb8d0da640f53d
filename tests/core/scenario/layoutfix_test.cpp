// SPDX-License-Identifier: GPL-3.0-or-later
// The combined fix: known answers, what it never touches, and what it does where the first layout is not accepted.
#include "core/scenario/layoutfix.h"

#include "core/scenario/parameters.h"

#include <gtest/gtest.h>

#include <array>

namespace prism {
namespace {

/// 64 layers, 64 heads, on 512 GPUs: TP 8, PP 4, DP 16.
Scenario fitting()
{
    Scenario s;
    s.model.numLayers = 64;
    s.model.numAttentionHeads = s.model.numQueryGroups = 64;
    s.cluster.numGpus = 512;
    s.parallelism.tensorModelParallelSize = 8;
    s.parallelism.pipelineModelParallelSize = 4;
    s.training.globalBatchSize = 512;
    return s;
}

std::vector<std::string> idsOf(const LayoutFix& fix)
{
    std::vector<std::string> ids;
    for (const LayoutChange& change : fix.changes)
        ids.push_back(change.id);
    return ids;
}

TEST(LayoutFix, LeavesWhatFits)
{
    const auto fix = layoutFix(fitting());
    ASSERT_TRUE(fix);
    EXPECT_TRUE(fix->changes.empty());
    EXPECT_EQ(fix->scenario, fitting());
}

TEST(LayoutFix, OffersAsManyLayoutsAsItMay)
{
    for (const int limit : {1, 2, 5}) {
        int offered = -1; // the scenario itself comes first
        EXPECT_FALSE(layoutFix(
            fitting(), [&](const Scenario&) { return ++offered < 0; }, limit));
        EXPECT_EQ(offered, limit);
    }
}

TEST(LayoutFix, GivesUpInheritedFlagsBeforeItTouchesSizes)
{
    Scenario s = fitting();
    s.parallelism.accountForEmbeddingInPipelineSplit = s.parallelism.accountForLossInPipelineSplit = true; // 66 on 4 stages
    ASSERT_TRUE(hasErrors(check(s)));
    const auto fix = layoutFix(s);
    ASSERT_TRUE(fix);
    EXPECT_EQ(idsOf(*fix), (std::vector<std::string>{"parallelism.account_for_embedding_in_pipeline_split",
                                                     "parallelism.account_for_loss_in_pipeline_split"}));
    EXPECT_FALSE(hasErrors(check(fix->scenario)));
}

/// TP 1, PP 1 on 8 GPUs with micro-batches of 2: passes of 16 sequences.
TEST(LayoutFix, ABatchBecomesTheNearestMultipleOfAPass)
{
    for (const auto& [batch, fixed] : {std::pair{40, 48}, {39, 32}, {23, 16}, {24, 32}, {3, 16}, {17, 16}}) {
        Scenario s;
        s.cluster.numGpus = 8;
        s.parallelism = {};
        s.training.microBatchSize = 2;
        s.training.globalBatchSize = batch;
        ASSERT_TRUE(hasErrors(check(s))) << batch;
        const auto fix = layoutFix(s);
        ASSERT_TRUE(fix) << batch;
        EXPECT_EQ(fix->scenario.training.globalBatchSize, fixed) << batch;
        ASSERT_EQ(fix->changes.size(), 1U) << batch;
    }
}

/// The costs of the search: a doubled pipeline (1) comes before a doubled tensor group (1.1).
TEST(LayoutFix, CheaperChangesAreOfferedFirst)
{
    std::vector<std::array<int, 2>> offered;
    Scenario s;
    s.cluster.numGpus = 8;
    s.parallelism = {};
    s.training.globalBatchSize = 64;
    s.model.numLayers = 8;
    s.model.numAttentionHeads = s.model.numQueryGroups = 8;
    (void)layoutFix(
        s,
        [&](const Scenario& x) {
            if (x.parallelism.virtualPipelineModelParallelSize == 1)
                offered.push_back({x.parallelism.tensorModelParallelSize, x.parallelism.pipelineModelParallelSize});
            return false;
        },
        1000);
    const std::vector<std::array<int, 2>> known{{1, 1}, {1, 1}, {1, 2}, {2, 1}, {1, 4}, {2, 2}, {4, 1}, {1, 8}, {2, 4}, {4, 2}, {8, 1}};
    EXPECT_EQ(offered, known) << "log2 tp x 1.1 + log2 pp x 1; the present layout is seen before the search and in it";
}

/// 15 layers and the embedding on 2 stages: giving up that split costs 0.2 in addition to the other changes.
TEST(LayoutFix, AnUnevenSplitIsGivenUpForAFifthOfADoubling)
{
    std::vector<std::array<int, 3>> offered;
    Scenario s;
    s.cluster.numGpus = 8;
    s.parallelism = {};
    s.parallelism.pipelineModelParallelSize = 2;
    s.parallelism.accountForEmbeddingInPipelineSplit = true;
    s.training.globalBatchSize = 64;
    s.model.numLayers = 15;
    s.model.numAttentionHeads = s.model.numQueryGroups = 8;
    (void)layoutFix(
        s,
        [&](const Scenario& x) {
            const ParallelismConfig& p = x.parallelism;
            offered.push_back({p.tensorModelParallelSize, p.pipelineModelParallelSize, p.accountForEmbeddingInPipelineSplit ? 0 : 1});
            return false;
        },
        1000);
    const std::vector<std::array<int, 3>> known{{1, 2, 0}, {1, 2, 0}, {1, 1, 0}, {2, 2, 0}, {1, 1, 1}, {2, 1, 0},
                                                {4, 2, 0}, {2, 1, 1}, {4, 1, 0}, {4, 1, 1}, {8, 1, 0}, {8, 1, 1}};
    EXPECT_EQ(offered, known) << "0 0 1 1.1 1.2 2.1 2.2 2.3 3.2 3.4 4.3 4.5";
}

TEST(LayoutFix, ContextAndExpertGroupsShrinkToDivisors)
{
    Scenario s;
    s.cluster.numGpus = 48;
    s.parallelism = {};
    s.parallelism.contextParallelSize = 4;
    s.parallelism.expertModelParallelSize = 12;
    s.model.seqLength = 2 * 4608;
    s.model.numExperts = 12;
    s.model.moeRouterTopk = 1;
    s.model.moeFfnHiddenSize = 768;
    s.training.globalBatchSize = 48;
    std::vector<int> context, experts;
    (void)layoutFix(
        s,
        [&](const Scenario& x) {
            if (const ParallelismConfig& p = x.parallelism; p.tensorModelParallelSize == 1 && p.pipelineModelParallelSize == 1) {
                if (p.expertModelParallelSize == 12)
                    context.push_back(p.contextParallelSize);
                if (p.contextParallelSize == 4)
                    experts.push_back(p.expertModelParallelSize);
            }
            return false;
        },
        100'000);
    EXPECT_EQ(context, std::vector<int>({4, 4, 2, 1}));
    EXPECT_EQ(experts, std::vector<int>({12, 12, 6, 4, 3, 2, 1}));
}

TEST(LayoutFix, RepairsSeveralErrorsAtOnce)
{
    Scenario s = fitting();
    s.parallelism.pipelineModelParallelSize = 3; // divides neither the layers nor the GPUs
    s.training.globalBatchSize = 500;            // no multiple of DP 16
    const auto fix = layoutFix(s);
    ASSERT_TRUE(fix);
    EXPECT_FALSE(hasErrors(check(fix->scenario)));
    EXPECT_EQ(fix->scenario.parallelism.pipelineModelParallelSize, 4); // nearer to 3 than 2 is, by ratio
    EXPECT_EQ(fix->scenario.training.globalBatchSize, 496);            // 31 x 16, nearer than 512
    EXPECT_EQ(fix->scenario.model, s.model);
    EXPECT_EQ(fix->scenario.cluster, s.cluster);
}

TEST(LayoutFix, ContextAndVirtualStagesThatDoNotFitAreChanged)
{
    Scenario s = fitting();
    s.parallelism.contextParallelSize = 3;
    const auto context = layoutFix(s);
    ASSERT_TRUE(context);
    EXPECT_NE(context->scenario.parallelism.contextParallelSize, 3);
    EXPECT_EQ(context->scenario.parallelism.tensorModelParallelSize, s.parallelism.tensorModelParallelSize);
    EXPECT_FALSE(hasErrors(check(context->scenario)));
    s = fitting();
    s.parallelism.pipelineSchedule = "interleaved";
    s.parallelism.virtualPipelineModelParallelSize = 7;
    const auto virtualStages = layoutFix(s);
    ASSERT_TRUE(virtualStages);
    EXPECT_NE(virtualStages->scenario.parallelism.virtualPipelineModelParallelSize, 7);
    EXPECT_EQ(virtualStages->scenario.parallelism.pipelineModelParallelSize, s.parallelism.pipelineModelParallelSize);
}

TEST(LayoutFix, GoesOnUntilTheLayoutIsAccepted)
{
    int shown = 0;
    const auto wide = [&](const Scenario& s) {
        ++shown;
        return s.parallelism.pipelineModelParallelSize >= 16;
    };
    const auto fix = layoutFix(fitting(), wide, 1000);
    ASSERT_TRUE(fix);
    EXPECT_EQ(fix->scenario.parallelism.pipelineModelParallelSize, 16);
    EXPECT_EQ(fix->scenario.parallelism.tensorModelParallelSize, 8) << "only what is needed changes";
    EXPECT_GT(shown, 1);
    shown = 0;
    const auto none = [&](const Scenario&) {
        ++shown;
        return false;
    };
    EXPECT_FALSE(layoutFix(fitting(), none, 5));
    EXPECT_EQ(shown, 1 + 5); // the scenario as it is, then five others
}

TEST(LayoutFix, AlwaysGivesAValidScenarioOfTheSameModelAndGpus)
{
    const int sizes[] = {1, 2, 3, 5, 6, 7, 8, 12, 16};
    for (const int tp : sizes)
        for (const int pp : sizes)
            for (const int vpp : {1, 2, 3}) {
                Scenario s = fitting();
                s.parallelism.tensorModelParallelSize = tp;
                s.parallelism.pipelineModelParallelSize = pp;
                s.parallelism.virtualPipelineModelParallelSize = vpp;
                const auto fix = layoutFix(s);
                ASSERT_TRUE(fix) << tp << ' ' << pp << ' ' << vpp;
                EXPECT_FALSE(hasErrors(check(fix->scenario))) << tp << ' ' << pp << ' ' << vpp;
                EXPECT_EQ(fix->scenario.model, s.model);
                EXPECT_EQ(fix->scenario.cluster, s.cluster);
                EXPECT_EQ(fix->changes.empty(), !hasErrors(check(s)));
            }
}

} // namespace
} // namespace prism
