// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/monkey_actions.h"

namespace prism::ui::test {

class SlowMonkey : public WindowTest {};

TEST_F(SlowMonkey, TenThousandRandomActionsAndUndoLeadBack)
{
    auto window = smallWindow();
    window->workspace().bridge().setSamples(200);
    for (unsigned seed = 1; seed <= 20; ++seed) // undo keeps 1,000 steps: twenty runs of 500 actions
        EXPECT_TRUE(monkey(*window, 500, seed)) << "seed " << seed;
    settle(*window);
}

} // namespace prism::ui::test
