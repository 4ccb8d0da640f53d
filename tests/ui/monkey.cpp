// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/monkey_actions.h"

namespace prism::ui::test {

class Monkey : public WindowTest {};

TEST_F(Monkey, RandomActionsAndUndoLeadBack)
{
    auto window = smallWindow();
    window->workspace().bridge().setSamples(200);
    EXPECT_TRUE(monkey(*window, 150, 7));
    settle(*window);
}

} // namespace prism::ui::test
