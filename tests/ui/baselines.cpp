// SPDX-License-Identifier: GPL-3.0-or-later
// What differs from the baseline, and what is called so.
#include "tests/ui/window_fixture.h"
#include "ui/plot/tornado.h"
#include "ui/window/actions.h"
#include "ui/window/headlinestrip.h"
#include "ui/workspace/headline.h"

#include <QDialog>
#include <QPushButton>
#include <QTableWidget>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui::test {

class Baselines : public WindowTest {
protected:
    static QString differenceText(MainWindow& window)
    {
        for (const QPushButton* button : window.editor().findChildren<QPushButton*>())
            if (button->text().contains(u"aseline"_s))
                return button->text();
        return {};
    }
};

TEST_F(Baselines, ASlowNodeIsADifferenceThatCanBeCopiedOver)
{
    auto window = smallWindow();
    StudyModel& study = window->workspace().study();
    study.setCurrent(2); // base with a slow node
    settle(*window);
    EXPECT_EQ(differenceText(*window), u"1 differs from baseline"_s);
    window->actions().get(u"scenario.differences"_s)->trigger();
    auto* dialog = window->findChild<QDialog*>(u"differencesDialog"_s);
    ASSERT_NE(dialog, nullptr);
    auto& table = *dialog->findChild<QTableWidget*>();
    ASSERT_EQ(table.rowCount(), 1);
    EXPECT_EQ(table.item(0, 0)->text(), u"Variability: slow"_s);
    EXPECT_EQ(table.item(0, 1)->text(), u"node 3, compute factor 1.15, link factor 1.0"_s);
    EXPECT_EQ(table.item(0, 2)->text(), u"none"_s);
    static_cast<QPushButton*>(table.cellWidget(0, 3))->click();
    EXPECT_TRUE(study.current()->scenario->variability.slow.empty());
    settle(*window);
    EXPECT_EQ(differenceText(*window), u"Same as baseline"_s);
    EXPECT_EQ(study.current()->scenario->hash(), study.baseline()->scenario->hash());
    study.undoStack()->undo();
    settle(*window);
    const QList<HeadlineCell>& cells = window->findChild<HeadlineStrip*>()->cells();
    const auto slowdown = std::find_if(cells.begin(), cells.end(), [](const HeadlineCell& c) { return c.key == u"slowdown_p50"; });
    ASSERT_NE(slowdown, cells.end());
    EXPECT_EQ(slowdown->deltaRole, Role::textSecondary) << "less over a slower noise-free step is not a gain";
}

TEST_F(Baselines, OnlyAPinnedScenarioIsCalledOne)
{
    auto window = smallWindow();
    StudyModel& study = window->workspace().study();
    StudyState state = smallStudy();
    state.baselineId = -1;
    study.reset(state, 1);
    settle(*window);
    EXPECT_EQ(differenceText(*window), u"No baseline is pinned"_s);
    for (const QWidget* widget : window->findChildren<QWidget*>())
        EXPECT_FALSE(widget->accessibleDescription().contains(u"Baseline of this study"_s));
    const int added = study.duplicate(1);
    EXPECT_EQ(study.state().baselineId, -1) << "the new one was not pinned";
    study.setBaseline(added);
    settle(*window);
    EXPECT_EQ(differenceText(*window), u"Baseline"_s);
    window->pages().showPage(u"sensitivity"_s);
    study.setCurrent(2);
    settlePage(*window);
    const auto& tornado = *window->findChild<TornadoChart*>();
    EXPECT_TRUE(tornado.data().baseline.startsWith(u"p95 now "_s)) << tornado.data().baseline.toStdString();
}

} // namespace prism::ui::test
