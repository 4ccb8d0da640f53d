// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/platform/background.h"

#ifdef __linux__
#include <sys/resource.h>
#include <unistd.h>
#endif

namespace prism {

void giveWayToForeground()
{
#ifdef __linux__
    // On Linux the nice value is the thread's own, and new threads take over their maker's (setpriority(2)). At 5 it has a third of the
    // share of a thread at 0 (sched_prio_to_weight of the kernel: 335 of 1024), and one of those that wakes runs at once.
    constexpr int kNice = 5;
    if (const auto self = static_cast<id_t>(gettid()); getpriority(PRIO_PROCESS, self) < kNice)
        (void)setpriority(PRIO_PROCESS, self, kNice);
#endif
}

} // namespace prism
