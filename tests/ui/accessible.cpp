// SPDX-License-Identifier: GPL-3.0-or-later
// What a screen reader reads: a name and a role for every control of every page and dialog, a key for every command that people use
// often, and each chart's table as text.
#include "tests/ui/window_fixture.h"
#include "ui/newjob/newscenariodialog.h"
#include "ui/plot/plotbase.h"
#include "ui/window/actions.h"
#include "ui/window/applydialog.h"
#include "ui/window/presetsdialog.h"

#include <QAbstractButton>
#include <QAbstractScrollArea>
#include <QAccessible>
#include <QComboBox>
#include <QDialog>
#include <QFocusEvent>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui::test {

class Accessible : public WindowTest {
protected:
    static bool insideOther(const QWidget* widget)
    {
        return qobject_cast<const QComboBox*>(widget->parentWidget()) || qobject_cast<const QAbstractScrollArea*>(widget->parentWidget());
    }
    /// Every control below a widget that takes the keyboard has a name and a role that says what it is.
    static int checkControls(QWidget& root, const std::string& where)
    {
        int checked = 0;
        for (QWidget* widget : root.findChildren<QWidget*>()) {
            if (!(widget->focusPolicy() & Qt::TabFocus) || !widget->isVisibleTo(&root) || insideOther(widget))
                continue;
            const QAccessibleInterface* reader = QAccessible::queryAccessibleInterface(widget);
            if (!reader)
                continue;
            ++checked;
            const std::string what = where + ": " + widget->metaObject()->className() + " " + widget->objectName().toStdString();
            EXPECT_FALSE(reader->text(QAccessible::Name).isEmpty()) << what;
            EXPECT_NE(reader->role(), QAccessible::NoRole) << what;
        }
        return checked;
    }
};

TEST_F(Accessible, EveryControlOfEveryPageHasANameAndARole)
{
    auto window = smallWindow();
    for (Page* page : window->pages().pages()) {
        window->pages().showPage(page->id());
        settlePage(*window);
        EXPECT_GT(checkControls(*page, page->id().toStdString()), 0);
        if (QWidget* tools = page->tools())
            checkControls(*tools, page->id().toStdString() + " tools");
    }
    checkControls(*window, "window");
}

TEST_F(Accessible, EveryControlOfTheDialogsHasANameAndARole)
{
    auto window = smallWindow();
    auto* fresh = new NewScenarioDialog(window->workspace(), theme, window.get());
    auto* apply = new ApplyDialog(window->workspace(), theme, u"training.global_batch_size"_s, window.get());
    auto* presets = new PresetsDialog(window->workspace(), theme, UserPresets(folder.filePath(u"presets"_s)), window.get());
    for (QDialog* dialog : std::initializer_list<QDialog*>{fresh, apply, presets}) {
        dialog->open();
        QApplication::processEvents();
        EXPECT_GT(checkControls(*dialog, dialog->objectName().toStdString()), 2);
        dialog->reject();
    }
    settle(*window);
}

TEST_F(Accessible, EveryChartIsReadAsATable)
{
    auto window = smallWindow();
    int charts = 0;
    for (Page* page : window->pages().pages()) {
        window->pages().showPage(page->id());
        settlePage(*window);
        for (PlotBase* chart : page->findChildren<PlotBase*>()) {
            if (!chart->isVisibleTo(page) || chart->asTable().rows.isEmpty())
                continue;
            ++charts;
            const QString text = chart->tableText();
            EXPECT_FALSE(text.isEmpty());
            EXPECT_LE(text.count(u'\n'), PlotBase::kMaxReadRows);
            chart->setFocusItem(-1);
            QFocusEvent focus(QEvent::FocusIn);
            QApplication::sendEvent(chart, &focus);
            EXPECT_TRUE(chart->accessibleDescription().contains(text)) << page->id().toStdString() << chart->objectName().toStdString();
        }
    }
    EXPECT_GT(charts, 6);
}

TEST_F(Accessible, WhatPeopleUseOftenHasAKey)
{
    auto window = smallWindow();
    for (const char* id :
         {"file.new",         "file.open",     "file.report",        "file.exportPage", "edit.undo",     "edit.redo",
          "edit.find",        "edit.copyPage", "scenario.duplicate", "scenario.rename", "scenario.pin",  "scenario.differences",
          "scenario.applyTo", "tools.palette", "tools.goal",         "view.table",      "view.nextPane", "view.presentation",
          "help.page",        "help.keys"}) {
        const QAction* action = window->actions().get(QString::fromLatin1(id));
        ASSERT_NE(action, nullptr) << id;
        EXPECT_FALSE(action->shortcut().isEmpty()) << id;
    }
    for (const Page* page : window->pages().pages())
        EXPECT_FALSE(window->actions().get(u"view.page."_s + page->id())->shortcut().isEmpty()) << page->id().toStdString();
}

} // namespace prism::ui::test
