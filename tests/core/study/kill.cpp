// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/support_kill.h"

#include <gtest/gtest.h>

namespace prism {
namespace {

TEST(StudyKill, EveryAcknowledgedEditSurvives25Kills)
{
    study_test::killWriters(25, 1);
}

} // namespace
} // namespace prism
