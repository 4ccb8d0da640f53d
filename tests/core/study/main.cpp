// SPDX-License-Identifier: GPL-3.0-or-later
// test_study is its own helper of a salvage, as the programs are.
#include "core/study/study.h"

#include <gtest/gtest.h>

int main(int argc, char** argv)
{
    if (const std::optional<int> code = prism::salvageHelper(argc, argv))
        return *code;
    testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
