// SPDX-License-Identifier: GPL-3.0-or-later
// Between window and engine: latest wins, known results come back without computing, wrong input keeps the last valid result.
#include "tests/ui/studies.h"
#include "ui/workspace/workspace.h"

#include <QElapsedTimer>
#include <QTest>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui::test {

class BridgeTest : public ::testing::Test {
protected:
    BridgeTest()
    {
        bridge().setSamples(500);
        workspace.study().reset(smallStudy(), 1);
        idle();
    }
    EngineBridge& bridge() { return workspace.bridge(); }
    const ScenarioResult& result() { return bridge().result(1); }
    void edit(const char* parameter, const std::string& text) { EXPECT_TRUE(workspace.study().setParameter(1, parameter, text).empty()); }
    void idle()
    {
        for (int quiet = 0; quiet < 3;) {
            QTest::qWait(10);
            quiet = bridge().isBusy() ? 0 : quiet + 1;
        }
    }

    Workspace workspace;
};

TEST_F(BridgeTest, FiftyEditsInATenthOfASecondStartAtMostTwoComputations)
{
    const int before = bridge().jobsStarted();
    QElapsedTimer clock, gap;
    clock.start();
    int pauses = 0; // a busy machine stretches the burst and breaks it: each part is a separate start
    for (int i = 0; i < 50; ++i) {
        gap.start();
        edit("training.global_batch_size", std::to_string(32 + 16 * i));
        QTest::qWait(2);
        pauses += gap.elapsed() >= kBurstMs ? 1 : 0;
    }
    const int stretched = static_cast<int>(clock.elapsed() / kBurstSpacingMs); // 0 on an idle machine
    idle();
    EXPECT_LE(bridge().jobsStarted() - before, 2 + stretched + pauses);
    ASSERT_TRUE(result().shown);
    EXPECT_FALSE(result().stale());
    EXPECT_EQ(result().shown->scenario.training.globalBatchSize, 32 + 16 * 49);
}

TEST_F(BridgeTest, AnEditStartsAtOnceAndReplacesTheRunningJob)
{
    bridge().setSamples(1'000'000); // long enough to be still running at the next edit
    workspace.recompute();
    ASSERT_TRUE(bridge().isBusy());
    const int before = bridge().jobsStarted();
    for (int i = 1; i <= 3; ++i) {
        QTest::qWait(40);
        ASSERT_TRUE(bridge().isBusy());
        edit("training.global_batch_size", std::to_string(32 + 16 * i));
        EXPECT_EQ(bridge().jobsStarted(), before + i) << "no pause is waited for";
    }
    bridge().setSamples(500);
    workspace.recompute();
    idle();
    ASSERT_TRUE(result().shown);
    EXPECT_EQ(result().shown->scenario.training.globalBatchSize, 80);
    EXPECT_EQ(result().shown->across.samples, 500);
}

TEST_F(BridgeTest, CancelStopsTheJobAndKeepsWhatIsShown)
{
    bridge().setSamples(1'000'000);
    const SnapshotPtr before = result().shown;
    edit("training.global_batch_size", "64");
    ASSERT_TRUE(bridge().isBusy());
    bridge().cancel();
    idle();
    EXPECT_TRUE(result().cancelled);
    EXPECT_TRUE(result().stale()) << "what is shown does not answer the present input";
    ASSERT_TRUE(result().shown);
    EXPECT_LT(result().shown->across.samples, 1'000'000U);
    bridge().setSamples(500);
    workspace.recompute();
    idle();
    EXPECT_FALSE(result().stale());
    EXPECT_NE(result().shown, before);
}

TEST_F(BridgeTest, SamplingStopsWhenP95IsKnownToTheRequestedShare)
{
    const double requested = result().shown->across.ciP95 / result().shown->across.p95 / 2; // four times the 500 steps that are known
    bridge().setPrecision(requested);
    workspace.recompute();
    idle();
    const DistributionSummary& found = result().shown->across;
    EXPECT_LE(found.ciP95, requested * found.p95);
    EXPECT_GT(found.samples, 1'000U);
    EXPECT_LT(found.samples, 20'000U);
    EXPECT_EQ(workspace.context().precision, requested);
    bridge().setPrecision(0.5);
    workspace.recompute();
    idle();
    EXPECT_EQ(result().shown->across.samples, 500U) << "the first steps answer it";
    bridge().setSamples(600);
    workspace.recompute();
    idle();
    EXPECT_EQ(result().shown->across.samples, 600U);
    EXPECT_EQ(workspace.context().precision, 0);
}

TEST_F(BridgeTest, UndoShowsAKnownResultWithoutComputing)
{
    const SnapshotPtr before = result().shown;
    ASSERT_TRUE(before);
    edit("training.global_batch_size", "64");
    idle();
    EXPECT_NE(result().shown, before);
    const int jobs = bridge().jobsStarted();
    workspace.study().undoStack()->undo();
    EXPECT_EQ(result().shown, before);
    EXPECT_FALSE(result().stale());
    EXPECT_EQ(bridge().jobsStarted(), jobs);
}

TEST_F(BridgeTest, AnInvalidInputKeepsTheLastValidResultAlsoWhenItIsKnown)
{
    const SnapshotPtr before = result().shown;
    for (int round = 0; round < 2; ++round) { // the second time from memory
        edit("parallelism.tensor_model_parallel_size", "3");
        idle();
        EXPECT_TRUE(result().invalid);
        EXPECT_EQ(result().shown, before);
        EXPECT_TRUE(hasErrors(result().diagnostics));
        workspace.study().undoStack()->undo();
        idle();
        EXPECT_FALSE(result().invalid);
        EXPECT_EQ(result().shown, before);
    }
}

/// Scenarios of two studies have the same numbers.
TEST_F(BridgeTest, TheLastValidResultOfAnotherStudyIsNotShown)
{
    const SnapshotPtr known = result().shown;
    StudyState other = smallStudy();
    Scenario invalid = *other.entries[0].scenario;
    invalid.parallelism.tensorModelParallelSize = 3;
    other.entries[0].scenario = std::make_shared<const Scenario>(std::move(invalid));
    workspace.open(other, 1);
    idle();
    EXPECT_TRUE(result().invalid);
    EXPECT_FALSE(result().shown);
    const int jobs = bridge().jobsStarted();
    workspace.open(smallStudy(), 1);
    EXPECT_EQ(result().shown, known) << "a finished result is kept by the hash of its input";
    EXPECT_EQ(bridge().jobsStarted(), jobs);
    workspace.study().reset(other, 1); // a stored step of the same study
    idle();
    EXPECT_TRUE(result().invalid);
    EXPECT_EQ(result().shown, known);
}

} // namespace prism::ui::test
