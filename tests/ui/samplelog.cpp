// SPDX-License-Identifier: GPL-3.0-or-later
// The drop zone of Validate: its sample log is read like a log of a real job.
#include "tests/ui/window_fixture.h"
#include "ui/pages/dropzone.h"
#include "ui/validate/validatepage.h"

#include <QLabel>
#include <QPushButton>
#include <QScrollBar>
#include <QTableWidget>

#include <algorithm>

namespace prism::ui::test {

using namespace Qt::StringLiterals;

class SampleLog : public WindowTest {
protected:
    /// Tables that scroll by themselves inside a page that scrolls.
    static int scrollBarsInside(const Page& page)
    {
        const auto* around = qobject_cast<QAbstractScrollArea*>(page.parentWidget()->parentWidget());
        EXPECT_NE(around, nullptr);
        if (around->verticalScrollBar()->maximum() == 0)
            return 0;
        const QList<QTableWidget*> tables = page.findChildren<QTableWidget*>();
        return static_cast<int>(std::count_if(tables.begin(), tables.end(), [](const QTableWidget* table) {
            return table->isVisible() && table->verticalScrollBar()->maximum() > 0;
        }));
    }
};

TEST_F(SampleLog, AgreesWithItsScenario)
{
    auto window = smallWindow();
    window->pages().showPage(u"validate"_s);
    settlePage(*window);
    auto* page = static_cast<ValidatePage*>(window->pages().current());
    auto* drop = page->findChild<DropZone*>();
    ASSERT_TRUE(drop->isVisible() && drop->sample().isVisible());
    const auto offers = [&] {
        int enabled = 0;
        for (const QPushButton* button : window->pages().findChildren<QPushButton*>())
            enabled += (button->accessibleName() == u"Copy" || button->accessibleName() == u"Export") && button->isEnabled();
        return enabled;
    };
    EXPECT_EQ(offers(), 0) << "there is nothing to copy";
    drop->sample().click();
    settlePage(*window);
    EXPECT_EQ(offers(), 2);
    ASSERT_NE(page->held(), nullptr);
    EXPECT_FALSE(drop->isVisible());
    EXPECT_TRUE(page->curves().isVisible());
    EXPECT_NEAR(static_cast<double>(page->held()->comparison.steps), 1900, 60);
    EXPECT_TRUE(page->recognised().text().startsWith(u"Sample log, made from the scenario"_s)) << "it says that it was not recorded";
    const QList<Judged> rows = judgements(*page->held());
    ASSERT_FALSE(rows.isEmpty());
    EXPECT_TRUE(rows.front().verdict == Judged::Verdict::right || rows.front().verdict == Judged::Verdict::within);
    EXPECT_EQ(scrollBarsInside(*page), 0);
    EXPECT_EQ(page->table().verticalScrollBar()->maximum(), 0) << "every verdict is in view";
    window->pages().showPage(u"traces"_s);
    settlePage(*window);
    Page* trace = window->pages().current();
    trace->findChild<DropZone*>()->sample().click();
    settlePage(*window);
    EXPECT_TRUE(trace->answer().contains(u"slow"_s)) << trace->answer().toStdString();
    EXPECT_EQ(scrollBarsInside(*trace), 0);
}

} // namespace prism::ui::test
