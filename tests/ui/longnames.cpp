// SPDX-License-Identifier: GPL-3.0-or-later
// Long names of scenarios keep the words that differ, the answer ends where it is cut off by none, and marks are written on the chart.
#include "tests/ui/paintedtext.h"
#include "tests/ui/window_fixture.h"
#include "ui/distribution/distributionpage.h"
#include "ui/window/headlinestrip.h"
#include "ui/window/scenariopanel.h"

namespace prism::ui::test {

using namespace Qt::StringLiterals;

class LongNames : public WindowTest {
protected:
    static QString named(int number) { return u"Seven billion parameters on one node, configuration %1 with a long name"_s.arg(number); }
    std::unique_ptr<MainWindow> longWindow()
    {
        auto window = smallWindow();
        StudyModel& study = window->workspace().study();
        study.rename(1, named(1));
        study.rename(2, named(12));
        settle(*window);
        return window;
    }
};

TEST_F(LongNames, TheTableShowsWhatDiffers)
{
    auto window = longWindow();
    QStringList texts;
    for (const PaintedText& text : paintedTexts(window->scenarios().table()))
        texts << text.text;
    const auto has = [&](const QString& part) {
        return std::any_of(texts.begin(), texts.end(), [&](const QString& t) { return t.contains(part); });
    };
    EXPECT_TRUE(has(u"…1…"_s) && has(u"…12…"_s)) << texts.join(u" | "_s).toStdString();
}

TEST_F(LongNames, TheAnswerIsWholeAtTheSmallestSize)
{
    auto window = longWindow();
    theme.setUiScale(1.25);
    window->resize(1280, 720);
    settle(*window);
    auto* strip = window->findChild<HeadlineStrip*>();
    ASSERT_NE(strip, nullptr);
    const QString answer = strip->answer();
    ASSERT_TRUE(answer.contains(named(1))) << "the whole name is in the tip: " << answer.toStdString();
    const QString end = answer.section(u' ', -2);
    bool found = false;
    for (const PaintedText& text : paintedTexts(*strip))
        found = found || (QString(text.text).replace(QChar::Nbsp, u' ').trimmed().endsWith(end) && text.rect.bottom() <= theme.px(50));
    EXPECT_TRUE(found) << end.toStdString();
    theme.setUiScale(1);
}

TEST_F(LongNames, AMarkIsWrittenNextToItsLine)
{
    auto window = smallWindow();
    const double seconds = shown(*window, 1)->across.p25;
    window->workspace().study().setMarks({{seconds, "the contract"}, {seconds / 10, "not on the axis"}});
    settle(*window);
    (void)window->grab();
    const CdfChart& chart = static_cast<DistributionPage*>(window->pages().page(u"distribution"_s))->chart();
    QList<PaintedLabel> marks;
    for (const PaintedLabel& label : chart.labels())
        if (label.scenario < 0)
            marks << label;
    ASSERT_EQ(marks.size(), 1);
    EXPECT_EQ(marks[0].text, u"the contract"_s);
    EXPECT_FALSE(marks[0].place.rect.isNull());
    for (const PaintedLabel& label : chart.labels())
        EXPECT_FALSE(label.scenario >= 0 && label.place.rect.intersects(marks[0].place.rect)) << label.text.toStdString();
}

} // namespace prism::ui::test
