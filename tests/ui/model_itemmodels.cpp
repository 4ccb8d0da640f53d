// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/studies.h"
#include <QTest>
#include "ui/workspace/scenariotablemodel.h"

#include <QAbstractItemModelTester>

#include <set>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui::test {

/// A workspace with the table of its scenarios.
struct Tables {
    explicit Tables(int samples) { workspace.bridge().setSamples(samples); }
    Workspace workspace;
    ChangesCache cache;
    ScenarioTableModel table{workspace, cache};
};

TEST(Models, KeepTheRulesOfItemModelsThroughEveryChange)
{
    Tables tables(500);
    auto& [workspace, cache, table] = tables;
    QAbstractItemModelTester first(&table, QAbstractItemModelTester::FailureReportingMode::Fatal);
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
    table.setData(table.index(0, ScenarioTableModel::sampleColumn), Qt::Unchecked, Qt::CheckStateRole);
    work();
    EXPECT_EQ(table.rowCount(), 3);
    while (study.undoStack()->canUndo())
        study.undoStack()->undo();
    work();
    EXPECT_EQ(table.rowCount(), 2);
}

TEST(Models, ListTheRowsThatAnEditChangesAndNoOthers)
{
    constexpr int kScenarios = 12, kEdited = 7;
    Tables tables(200);
    auto& [workspace, cache, table] = tables;
    StudyModel& study = workspace.study();
    study.reset(smallStudy(), 1);
    while (study.state().entries.size() < kScenarios)
        study.duplicate(1);
    const auto work = [&] { EXPECT_TRUE(QTest::qWaitFor([&] { return !workspace.bridge().isBusy(); }) && (QTest::qWait(20), true)); };
    work();
    std::set<int> reported;
    QObject::connect(&table, &QAbstractItemModel::dataChanged, &workspace, [&reported](const QModelIndex& first, const QModelIndex& last) {
        for (int row = first.row(); row <= last.row(); ++row)
            reported.insert(row);
    });
    const int id = table.idAt(kEdited);
    EXPECT_TRUE(study.setParameter(id, "variability.spatial.cv", "0.021").empty()); // within the scale of the others
    work();
    EXPECT_EQ(reported, std::set<int>{kEdited});
    reported.clear();
    study.setBaseline(id); // every row is compared with it
    work();
    EXPECT_EQ(reported.size(), static_cast<std::size_t>(kScenarios));
    study.rename(study.state().baselineId, u"parent"_s);
    const int child = study.duplicate(id);
    work();
    reported.clear();
    study.setParameter(id, "variability.spatial.cv", "0.018");
    work();
    EXPECT_TRUE(reported.contains(table.rowOf(child))) << "its note says what differs from its parent";
}

} // namespace prism::ui::test
