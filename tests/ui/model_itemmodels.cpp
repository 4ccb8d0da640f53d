// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/studies.h"
#include <QTest>
#include "ui/workspace/distributionmodel.h"
#include "ui/workspace/scenariotablemodel.h"

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
    QObject::connect(&workspace, &Workspace::contextChanged, &distribution, [&] {
        distribution.setContext(workspace.context(), {0.5, 1.0}, false);
    });
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

} // namespace prism::ui::test
