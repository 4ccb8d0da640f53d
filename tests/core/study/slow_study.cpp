// SPDX-License-Identifier: GPL-3.0-or-later
// The long forms: 200 kills and 1,000 mutated files.
#include "core/study/support_kill.h"
#include "core/study/support_mutate.h"

#include <gtest/gtest.h>

namespace prism {
namespace {

TEST(StudySlow, EveryAcknowledgedEditSurvives200Kills)
{
    study_test::killWriters(200, 2);
}
TEST(StudySlow, NoneOf1000MutatedFilesCrashesOrHangs)
{
    study_test::mutateStudies(1000, 8);
}

} // namespace
} // namespace prism
