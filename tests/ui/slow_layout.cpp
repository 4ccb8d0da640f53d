// SPDX-License-Identifier: GPL-3.0-or-later
// Every page, dialog and mode at every promised size, in English and with labels as long as German ones.
#include "tests/ui/layout_fixture.h"

namespace prism::ui::test {

namespace {

/// The sizes that are promised: a laptop projector, a laptop, and screens of twice the resolution.
constexpr WindowSize kSizes[] = {{1024, 700, 1, true},   {1024, 700, 1.25, false}, {1024, 768, 1, true}, {1440, 900, 1, true},
                                 {1440, 900, 1.5, true}, {2048, 1400, 2, true},    {2560, 1440, 2, true}};

} // namespace

class SlowLayout : public LayoutTest {
protected:
    void lookAtEverything()
    {
        auto window = crowdedWindow();
        for (const WindowSize& size : kSizes) {
            setSize(*window, size);
            lookAtPages(*window, true);
            lookAtTables(*window);
            lookAtDialogs(*window);
            present(*window);
        }
        EXPECT_EQ(defects.count(), 0) << defects.text();
    }
};

TEST_F(SlowLayout, NothingIsCutAtAnySize)
{
    lookAtEverything();
}

TEST_F(SlowLayout, NothingIsCutWithLabelsAsLongAsGermanOnes)
{
    LongerWords longer;
    QCoreApplication::installTranslator(&longer);
    lookAtEverything();
    QCoreApplication::removeTranslator(&longer);
}

TEST_F(SlowLayout, NothingIsCutOnTheSmallestWindow)
{
    auto window = crowdedWindow();
    setSize(*window, {1024, 700, 1, true});
    lookAtPages(*window, true);
    lookAtDialogs(*window);
    setSize(*window, {1440, 900, 1.5, true});
    lookAtPages(*window, false);
    EXPECT_EQ(defects.count(), 0) << defects.text();
}

} // namespace prism::ui::test
