// SPDX-License-Identifier: GPL-3.0-or-later
// The ranked causes of Sensitivity: half of a spread as a scenario.
#include "tests/ui/window_fixture.h"
#include "ui/pages/sensitivitypage.h"

#include <QPushButton>

namespace prism::ui::test {

using namespace Qt::StringLiterals;

class RankedCauses : public WindowTest {};

TEST_F(RankedCauses, TryHalfAddsAScenarioWithHalfOfThatSpread)
{
    auto window = smallWindow();
    window->pages().showPage(u"sensitivity"_s);
    settlePage(*window);
    auto* page = static_cast<SensitivityPage*>(window->pages().current());
    const auto& rows = page->tornado().data().rows;
    const auto row = std::ranges::find(rows, u"spatial"_s, &TornadoRow::id);
    ASSERT_NE(row, rows.end());
    const QString name = row->label;
    StudyModel& study = window->workspace().study();
    const Scenario before = *study.current()->scenario;
    bool pressed = false;
    for (QPushButton* button : page->tornado().findChildren<QPushButton*>())
        if (button->accessibleName() == u"Try half: %1"_s.arg(name)) {
            EXPECT_TRUE(button->isVisible() && page->tornado().rect().contains(button->geometry()));
            button->click();
            pressed = true;
            break;
        }
    ASSERT_TRUE(pressed);
    const Scenario& made = *study.current()->scenario;
    EXPECT_DOUBLE_EQ(made.variability.spatial.cv, before.variability.spatial.cv / 2);
    EXPECT_EQ(made.variability.gemm, before.variability.gemm) << "nothing else";
    EXPECT_EQ(made.name, before.name + ", half of " + name.toStdString());
    settlePage(*window);
    EXPECT_LT(shown(*window, study.currentId())->across.p95, shown(*window, 1)->across.p95);
    study.undoStack()->undo();
    EXPECT_EQ(study.state().entries.size(), 2U);
}

} // namespace prism::ui::test
