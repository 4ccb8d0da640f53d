// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/platform/process.h"

#include <gtest/gtest.h>

#include <thread>

#ifdef __linux__
#include <sys/resource.h>
#include <unistd.h>

namespace prism {

namespace {

int niceOfThisThread()
{
    return getpriority(PRIO_PROCESS, static_cast<id_t>(gettid()));
}

} // namespace

TEST(Background, GivesWayWithItsThreadsAndLeavesTheOthers)
{
    const int before = niceOfThisThread();
    int own = before, started = before;
    std::thread([&] {
        giveWayToForeground();
        own = niceOfThisThread();
        std::thread([&] { started = niceOfThisThread(); }).join();
    }).join();
    EXPECT_GE(own, 5);
    EXPECT_EQ(started, own);
    EXPECT_EQ(niceOfThisThread(), before);
}

} // namespace prism
#endif
