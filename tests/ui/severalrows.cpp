// SPDX-License-Identifier: GPL-3.0-or-later
// Several selected rows of the scenario table, and the way from a part of the breakdown to its what-if.
#include "tests/ui/window_fixture.h"
#include "ui/pages/pipelinepage.h"
#include "ui/window/actions.h"
#include "ui/window/scenariopanel.h"

namespace prism::ui::test {

using namespace Qt::StringLiterals;

class SeveralRows : public WindowTest {
protected:
    static void select(MainWindow& window, int row, QItemSelectionModel::SelectionFlags how)
    {
        QTableView& table = window.scenarios().table();
        table.setFocus();
        table.selectionModel()->setCurrentIndex(table.model()->index(row, 1), how | QItemSelectionModel::Rows);
    }
};

TEST_F(SeveralRows, AreArchivedAndHiddenTogether)
{
    auto window = smallWindow();
    StudyModel& study = window->workspace().study();
    study.duplicate(1);
    study.duplicate(1);
    settle(*window);
    const auto* model = static_cast<ScenarioTableModel*>(window->scenarios().table().model());
    ASSERT_EQ(model->rowCount(), 4);
    const std::vector<int> ids{model->idAt(0), model->idAt(1), model->idAt(2), model->idAt(3)};
    select(*window, 1, QItemSelectionModel::ClearAndSelect);
    select(*window, 3, QItemSelectionModel::Select);
    EXPECT_EQ(study.currentId(), ids[3]);
    EXPECT_EQ(window->scenarios().selectedIds(), (std::vector{ids[1], ids[3]}));
    QTest::keyClick(&window->scenarios().table(), Qt::Key_Space);
    EXPECT_TRUE(study.entry(ids[0])->visible && !study.entry(ids[1])->visible && !study.entry(ids[3])->visible);
    window->actions().get(u"scenario.showOnly"_s)->trigger();
    for (const int id : ids)
        EXPECT_EQ(study.entry(id)->visible, id == ids[1] || id == ids[3]);
    const int steps = study.undoStack()->index();
    window->actions().get(u"scenario.archive"_s)->trigger();
    EXPECT_EQ(study.undoStack()->index(), steps + 1);
    EXPECT_TRUE(study.entry(ids[1])->archived && study.entry(ids[3])->archived && !study.entry(ids[2])->archived);
    study.undoStack()->undo();
    EXPECT_FALSE(study.entry(ids[1])->archived || study.entry(ids[3])->archived);
    study.setCurrent(ids[2]); // from another view: it alone is meant
    EXPECT_EQ(window->scenarios().selectedIds(), std::vector{ids[2]});
}

TEST_F(SeveralRows, OneIsDraggedAtATime)
{
    auto window = smallWindow();
    QAbstractItemModel& model = *window->scenarios().table().model();
    const std::unique_ptr<QMimeData> one(model.mimeData({model.index(1, 0), model.index(1, 1)}));
    EXPECT_NE(one, nullptr);
    EXPECT_EQ(model.mimeData({model.index(0, 0), model.index(1, 0)}), nullptr);
}

TEST_F(SeveralRows, APartOfTheBreakdownLeadsToItsWhatIf)
{
    auto window = smallWindow();
    window->pages().showPage(u"pipeline"_s);
    settlePage(*window);
    auto& page = *static_cast<PipelinePage*>(window->pages().page(u"pipeline"_s));
    ASSERT_GT(page.breakdown().itemCount(), page.breakdown().partCount()) << "a bar for stages";
    Q_EMIT page.breakdown().itemPicked(page.breakdown().partCount()); // compute of the first stages
    EXPECT_EQ(window->pages().current()->id(), u"sensitivity"_s);
    const Picked picked = window->workspace().context().selection->picked();
    EXPECT_TRUE(picked.kernelClass.startsWith(u"gemm."_s)) << picked.kernelClass.toStdString();
    EXPECT_EQ(picked.stage, 0);
    window->pages().showPage(u"pipeline"_s);
    Q_EMIT page.variance().itemPicked(0);
    EXPECT_EQ(window->workspace().context().selection->picked().kernelClass, u"spatial"_s);
    EXPECT_EQ(window->pages().current()->id(), u"sensitivity"_s);
}

} // namespace prism::ui::test
