// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/studies.h"
#include <QTest>
#include "ui/workspace/distributionmodel.h"
#include "ui/workspace/scenariotablemodel.h"

#include <QAbstractItemModelTester>

#include <set>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui::test {

/// A workspace with both tables of its scenarios.
struct Tables {
    explicit Tables(int samples)
    {
        workspace.bridge().setSamples(samples);
        QObject::connect(&workspace, &Workspace::contextChanged, &distribution, [this] {
            distribution.setContext(workspace.context(), {0.5, 1.0}, false);
        });
    }
    Workspace workspace;
    ScenarioTableModel table{workspace};
    ChangesCache cache;
    DistributionModel distribution{cache, nullptr};
};

TEST(Models, KeepTheRulesOfItemModelsThroughEveryChange)
{
    Tables tables(500);
    auto& [workspace, table, cache, distribution] = tables;
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

TEST(Models, TellTheRowsThatAnEditChangesAndNoOthers)
{
    constexpr int kScenarios = 12, kEdited = 7;
    Tables tables(200);
    auto& [workspace, table, cache, distribution] = tables;
    StudyModel& study = workspace.study();
    study.reset(smallStudy(), 1);
    while (study.state().entries.size() < kScenarios)
        study.duplicate(1);
    const auto work = [&] { EXPECT_TRUE(QTest::qWaitFor([&] { return !workspace.bridge().isBusy(); }) && (QTest::qWait(20), true)); };
    work();
    std::set<int> told[2];
    const auto keep = [&told](int which) {
        return [&told, which](const QModelIndex& first, const QModelIndex& last) {
            for (int row = first.row(); row <= last.row(); ++row)
                told[which].insert(row);
        };
    };
    QObject::connect(&table, &QAbstractItemModel::dataChanged, &workspace, keep(0));
    QObject::connect(&distribution, &QAbstractItemModel::dataChanged, &workspace, keep(1));
    const int id = table.idAt(kEdited);
    EXPECT_TRUE(study.setParameter(id, "variability.spatial.cv", "0.017").empty());
    work();
    for (const std::set<int>& rows : told)
        EXPECT_EQ(rows, std::set<int>{kEdited});
    for (std::set<int>& rows : told)
        rows.clear();
    study.setBaseline(id); // every row is compared with it, and two pins moved
    work();
    EXPECT_EQ(told[0].size(), 2U);
    EXPECT_EQ(told[1].size(), static_cast<std::size_t>(kScenarios));
    told[0].clear();
    study.rename(study.state().baselineId, u"parent"_s);
    const int child = study.duplicate(id);
    work();
    told[0].clear();
    study.setParameter(id, "variability.spatial.cv", "0.018");
    work();
    EXPECT_TRUE(told[0].contains(table.rowOf(child))) << "its note says what differs from its parent";
}

} // namespace prism::ui::test
