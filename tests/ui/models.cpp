#include "tests/ui/window_fixture.h"
#include "ui/distribution/distributionmodel.h"
#include "ui/model/scenariotablemodel.h"

#include <QAbstractItemModelTester>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui::test {

TEST(Models, KeepTheRulesOfItemModelsThroughEveryChange)
{
    Workspace workspace;
    workspace.bridge().setSamples(500);
    ScenarioTableModel table(workspace);
    ChangesCache cache;
    DistributionModel distribution(cache, nullptr);
    QObject::connect(&workspace, &Workspace::contextChanged, &distribution, [&] { distribution.setContext(workspace.context(), 1.0, false); });
    QAbstractItemModelTester first(&table, QAbstractItemModelTester::FailureReportingMode::Fatal);
    QAbstractItemModelTester second(&distribution, QAbstractItemModelTester::FailureReportingMode::Fatal);
    StudyModel& study = workspace.study();
    study.reset(smallStudy(), 1);
    const auto work = [] { QTest::qWait(20); };
    work();
    study.duplicate(2);
    work();
    study.move(1, 2);
    work();
    study.setArchived(2, true);
    work();
    study.undoStack()->undo();
    work();
    table.setData(table.index(0, ScenarioTableModel::nameColumn), u"other"_s);
    table.setData(table.index(0, ScenarioTableModel::visibleColumn), Qt::Unchecked, Qt::CheckStateRole);
    work();
    EXPECT_EQ(table.rowCount(), 3);
    while (study.undoStack()->canUndo())
        study.undoStack()->undo();
    work();
    EXPECT_EQ(table.rowCount(), 2);
}

TEST(Bridge, FiftyEditsAtOnceStartAtMostTwoComputations)
{
    Workspace workspace;
    workspace.bridge().setSamples(500);
    workspace.study().reset(smallStudy(), 1);
    const auto idle = [&] {
        for (int quiet = 0; quiet < 3;) {
            QTest::qWait(10);
            quiet = workspace.bridge().isBusy() ? 0 : quiet + 1;
        }
    };
    idle();
    const int before = workspace.bridge().jobsStarted();
    for (int i = 0; i < 50; ++i) {
        EXPECT_TRUE(workspace.study().setParameter(1, "training.global_batch_size", std::to_string(32 + 16 * i)).empty());
        QTest::qWait(2);
    }
    idle();
    EXPECT_LE(workspace.bridge().jobsStarted() - before, 2);
    const ScenarioResult& result = workspace.bridge().result(1);
    ASSERT_TRUE(result.shown);
    EXPECT_FALSE(result.stale());
    EXPECT_EQ(result.shown->scenario.training.globalBatchSize, 32 + 16 * 49);
}

TEST(Bridge, UndoShowsAKnownResultWithoutComputing)
{
    Workspace workspace;
    workspace.bridge().setSamples(500);
    workspace.study().reset(smallStudy(), 1);
    const auto idle = [&] {
        for (int quiet = 0; quiet < 3;) {
            QTest::qWait(10);
            quiet = workspace.bridge().isBusy() ? 0 : quiet + 1;
        }
    };
    idle();
    const SnapshotPtr before = workspace.bridge().result(1).shown;
    ASSERT_TRUE(before);
    EXPECT_TRUE(workspace.study().setParameter(1, "training.global_batch_size", "64").empty());
    idle();
    EXPECT_NE(workspace.bridge().result(1).shown, before);
    const int jobs = workspace.bridge().jobsStarted();
    workspace.study().undoStack()->undo();
    EXPECT_EQ(workspace.bridge().result(1).shown, before);
    EXPECT_FALSE(workspace.bridge().result(1).stale());
    EXPECT_EQ(workspace.bridge().jobsStarted(), jobs);
}

TEST(Bridge, AnInvalidInputKeepsTheLastValidResult)
{
    Workspace workspace;
    workspace.bridge().setSamples(500);
    workspace.study().reset(smallStudy(), 1);
    const auto idle = [&] {
        for (int quiet = 0; quiet < 3;) {
            QTest::qWait(10);
            quiet = workspace.bridge().isBusy() ? 0 : quiet + 1;
        }
    };
    idle();
    const SnapshotPtr before = workspace.bridge().result(1).shown;
    EXPECT_TRUE(workspace.study().setParameter(1, "parallelism.tensor_model_parallel_size", "3").empty());
    idle();
    const ScenarioResult& result = workspace.bridge().result(1);
    EXPECT_TRUE(result.invalid);
    EXPECT_EQ(result.shown, before);
    EXPECT_TRUE(hasErrors(result.diagnostics));
}

} // namespace prism::ui::test
