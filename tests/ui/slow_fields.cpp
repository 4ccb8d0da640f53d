// SPDX-License-Identifier: GPL-3.0-or-later
// The long walk of fields.cpp: ten thousand steps.
#include "tests/ui/fields_walk.h"

namespace prism::ui::test {

TEST(Fields, ShowWhatModelAndFileHoldAfterTenThousandSteps)
{
    FieldsWalk walk(2);
    for (int i = 0; i < 10'000 && !::testing::Test::HasFailure(); ++i) {
        walk.step();
        walk.expectOneValue(i);
        if (i % 100 == 99)
            walk.expectSameInASecondWindow(i);
    }
}

} // namespace prism::ui::test
