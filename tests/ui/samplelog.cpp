// SPDX-License-Identifier: GPL-3.0-or-later
// The drop zone of Validate: its sample log is read like a log of a real job.
#include "tests/ui/window_fixture.h"
#include "ui/pages/dropzone.h"
#include "ui/validate/validatepage.h"

#include <QLabel>
#include <QPushButton>

namespace prism::ui::test {

using namespace Qt::StringLiterals;

class SampleLog : public WindowTest {};

TEST_F(SampleLog, AgreesWithItsScenario)
{
    auto window = smallWindow();
    window->pages().showPage(u"validate"_s);
    settlePage(*window);
    auto* page = static_cast<ValidatePage*>(window->pages().current());
    auto* drop = page->findChild<DropZone*>();
    ASSERT_TRUE(drop->isVisible() && drop->sample().isVisible());
    drop->sample().click();
    settlePage(*window);
    ASSERT_NE(page->held(), nullptr);
    EXPECT_FALSE(drop->isVisible());
    EXPECT_TRUE(page->curves().isVisible());
    EXPECT_NEAR(static_cast<double>(page->held()->comparison.steps), 1900, 60);
    EXPECT_TRUE(page->recognised().text().startsWith(u"Sample log, made from the scenario"_s)) << "it says that it was not recorded";
    const QList<Judged> rows = judgements(*page->held());
    ASSERT_FALSE(rows.isEmpty());
    EXPECT_TRUE(rows.front().verdict == Judged::Verdict::right || rows.front().verdict == Judged::Verdict::within);
}

} // namespace prism::ui::test
