// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/support_mutate.h"

#include <gtest/gtest.h>

namespace prism {
namespace {

TEST(StudyMutations, NoneOf100CrashesOrHangs)
{
    study_test::mutateStudies(100, 7);
}

} // namespace
} // namespace prism
