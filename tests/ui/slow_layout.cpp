// SPDX-License-Identifier: GPL-3.0-or-later
// Every page, dialog and mode at every promised size, in English and with labels as long as German ones.
#include "tests/ui/layout_fixture.h"

namespace prism::ui::test {

namespace {

/// The sizes that are promised: a laptop projector, a laptop, and screens of twice the resolution.
constexpr WindowSize kSizes[] = {{1024, 700, 1, true}, {1024, 700, 1.25, false}, {1024, 768, 1, true},  {1120, 720, 1, true},
                                 {1440, 900, 1, true}, {1440, 900, 1.5, true},   {2048, 1400, 2, true}, {2560, 1440, 2, true}};

/// "1024x700At125", the scale in percent: as the name of a test.
std::string nameOf(const ::testing::TestParamInfo<WindowSize>& info)
{
    constexpr double kPercent = 100;
    return std::to_string(info.param.width) + "x" + std::to_string(info.param.height) + "At"
           + std::to_string(static_cast<int>(info.param.scale * kPercent));
}

} // namespace

class SlowLayout : public LayoutTest, public ::testing::WithParamInterface<WindowSize> {
protected:
    void lookAtEverything()
    {
        auto window = crowdedWindow();
        setSize(*window, GetParam());
        lookAtPages(*window, true);
        lookAtTables(*window);
        lookAtDialogs(*window);
        present(*window);
        EXPECT_EQ(defects.count(), 0) << defects.text();
    }
};

TEST_P(SlowLayout, NothingIsCut)
{
    lookAtEverything();
}

TEST_P(SlowLayout, NothingIsCutWithLabelsAsLongAsGermanOnes)
{
    LongerWords longer;
    QCoreApplication::installTranslator(&longer);
    lookAtEverything();
    QCoreApplication::removeTranslator(&longer);
}

INSTANTIATE_TEST_SUITE_P(Sizes, SlowLayout, ::testing::ValuesIn(kSizes), nameOf);

using SlowLayoutOnes = LayoutTest;

TEST_F(SlowLayoutOnes, NothingIsCutOnTheSmallestWindow)
{
    auto window = crowdedWindow();
    setSize(*window, {1024, 700, 1, true});
    lookAtPages(*window, true);
    lookAtDialogs(*window);
    setSize(*window, {1440, 900, 1.5, true});
    lookAtPages(*window, false);
    EXPECT_EQ(defects.count(), 0) << defects.text();
}

TEST_F(SlowLayoutOnes, APresentationShowsEachMainChartWhole)
{
    for (const auto& [crowded, size] :
         {std::pair{true, WindowSize{1440, 900}}, {false, {1440, 900}}, {true, {1120, 720}}, {false, {1024, 700}}}) {
        auto window = crowded ? crowdedWindow() : smallWindow();
        setSize(*window, size);
        window->setPresentation(true);
        int charts = 0;
        for (Page* page : window->pages().pages()) {
            window->pages().showPage(page->id());
            settlePage(*window);
            QTest::qWait(20);
            const QWidget* chart = page->mainChart();
            if (!chart)
                continue;
            ++charts;
            EXPECT_EQ(chart->visibleRegion().boundingRect(), chart->rect())
                << page->id().toStdString() << " of a crowded window: " << crowded << ", " << size.width << " x " << size.height;
        }
        EXPECT_GE(charts, 8);
        window->setPresentation(false);
    }
}

} // namespace prism::ui::test
