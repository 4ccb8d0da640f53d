// SPDX-License-Identifier: GPL-3.0-or-later
// The tabs of the pages at every width: none is cut, the current one is seen, and what is not seen is in the menu.
#include "ui/window/pagetabs.h"

#include <QMenu>
#include <QTest>
#include <QToolButton>

#include <gtest/gtest.h>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui::test {

class Tabs : public ::testing::Test {
protected:
    Tabs()
    {
        for (const char* page : {"Distribution", "Sensitivity", "Placement", "Pipeline", "Scale", "Explore", "Moves", "Job"})
            tabs.addTab(QString::fromLatin1(page));
    }
    void setWidth(int width)
    {
        tabs.resize(width, 36);
        tabs.show();
        QTest::qWait(1);
    }
    [[nodiscard]] QStringList seen() const
    {
        QStringList labels;
        for (int i = 0; i < tabs.count(); ++i)
            if (tabs.isTabVisible(i))
                labels << tabs.tabText(i);
        return labels;
    }
    [[nodiscard]] QToolButton* more() const
    {
        for (auto* button : tabs.findChildren<QToolButton*>()) // Qt's own scroll buttons have no menu
            if (button->menu())
                return button;
        return nullptr;
    }
    [[nodiscard]] QStringList inMenu() const
    {
        QStringList labels;
        for (const QAction* action : more()->isHidden() ? QList<QAction*>() : more()->menu()->actions())
            labels << action->text();
        return labels;
    }

    Theme theme;
    PageTabs tabs{theme};
};

TEST_F(Tabs, MoveTogetherBeforeAnyIsOmitted)
{
    setWidth(1200);
    const int wide = tabs.tabRect(1).width();
    EXPECT_EQ(seen().size(), tabs.count());
    EXPECT_TRUE(inMenu().isEmpty());
    setWidth(tabs.sizeHint().width() - 40);
    EXPECT_EQ(seen().size(), tabs.count());
    EXPECT_LT(tabs.tabRect(1).width(), wide);
    setWidth(1200);
    EXPECT_EQ(tabs.tabRect(1).width(), wide) << "there and back";
}

TEST_F(Tabs, WhatDoesNotFitIsInTheMenu)
{
    for (int width = 120; width <= 800; width += 20)
        for (const int current : {0, 4, 7}) {
            SCOPED_TRACE(testing::Message() << width << " px, page " << current);
            tabs.setCurrentIndex(current);
            setWidth(width);
            EXPECT_TRUE(seen().contains(tabs.tabText(current)));
            EXPECT_EQ(seen().size() + inMenu().size(), tabs.count());
            for (int i = 0; i < tabs.count(); ++i) {
                const bool cut = tabs.isTabVisible(i) && tabs.tabRect(i).right() > width;
                EXPECT_FALSE(cut && seen().size() > 1) << tabs.tabText(i).toStdString();
            }
        }
}

TEST_F(Tabs, AMenuEntryShowsItsPage)
{
    tabs.setCurrentIndex(0);
    setWidth(260);
    ASSERT_TRUE(inMenu().contains(u"Job"_s));
    more()->menu()->actions().back()->trigger();
    EXPECT_EQ(tabs.tabText(tabs.currentIndex()), u"Job"_s);
    EXPECT_TRUE(seen().contains(u"Job"_s));
}

} // namespace prism::ui::test
