// SPDX-License-Identifier: GPL-3.0-or-later
// The window at other sizes of the interface: everything follows, nothing is cut.
#include "tests/ui/window_fixture.h"
#include "ui/editor/configeditor.h"
#include "ui/plot/plotbase.h"
#include "ui/theme/segmented.h"
#include "ui/window/headlinestrip.h"
#include "ui/window/pagehost.h"
#include "ui/window/scenariopanel.h"

#include <QPushButton>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui::test {

class UiScale : public WindowTest {};

TEST_F(UiScale, NothingIsCutWhereTheWindowHasNoRoomForIt)
{
    auto window = smallWindow();
    window->resize(1440, 900);
    window->theme().setUiScale(1.5);
    for (Page* page : window->pages().pages()) {
        SCOPED_TRACE(page->id().toStdString());
        window->pages().showPage(page->id());
        settlePage(*window);
        for (const SegmentedControl* tool : window->findChildren<SegmentedControl*>())
            if (tool->isVisible()) {
                EXPECT_GE(tool->width(), tool->sizeHint().width());
                const QPoint right = tool->mapTo(page->tools(), QPoint(tool->width(), 0));
                EXPECT_LE(right.x(), page->tools()->width());
            }
        for (const PlotBase* chart : page->findChildren<PlotBase*>())
            if (chart->isVisible()) {
                EXPECT_GE(chart->height(), chart->minimumSizeHint().height()) << chart->chartText().title.toStdString();
            }
    }
    window->pages().showPage(u"distribution"_s);
    settle(*window);
    const QTableView& table = window->scenarios().table();
    const QFontMetrics metrics(theme.font(Type::smallStrong));
    for (const int column : {ScenarioTableModel::rangeColumn, ScenarioTableModel::p95Column, ScenarioTableModel::changeColumn})
        for (int row = 0; row < table.model()->rowCount(); ++row) {
            const QString text = table.model()->index(row, column).data().toString();
            EXPECT_GE(table.columnWidth(column), metrics.horizontalAdvance(text)) << text.toStdString();
        }
}

TEST_F(UiScale, AWindowKeepsTheOneItStartsWith)
{
    Theme theme;
    theme.setUiScale(1.25);
    MainWindow window(theme);
    EXPECT_DOUBLE_EQ(theme.uiScale(), 1.25);
    window.resetLayout();
    EXPECT_DOUBLE_EQ(theme.uiScale(), 1);
}

TEST_F(UiScale, ItChangesWhileTheWindowRuns)
{
    auto window = smallWindow();
    const int row = window->headline().height();
    const int fieldBefore = window->editor().row(u"parallelism.tensor_model_parallel_size"_s)->field()->width();
    for (const double scale : {1.5, 0.8, 1.0}) {
        window->theme().setUiScale(scale);
        settle(*window);
        EXPECT_NEAR(window->headline().height(), row * scale, 2);
        for (const QAbstractButton* button : window->findChildren<QPushButton*>()) // no text is cut
            if (button->isVisible() && !button->text().isEmpty()) {
                EXPECT_GE(button->width(), button->fontMetrics().horizontalAdvance(QString(button->text()).remove(u'&')))
                    << button->text().toStdString() << " at " << scale;
            }
        if (const QString shots = qEnvironmentVariable("PRISM_GALLERY"); !shots.isEmpty())
            window->grab().save(u"%1/scaled-%2.png"_s.arg(shots).arg(scale));
    }
    EXPECT_EQ(window->editor().row(u"parallelism.tensor_model_parallel_size"_s)->field()->width(), fieldBefore)
        << "there and back changes nothing";
}

} // namespace prism::ui::test
