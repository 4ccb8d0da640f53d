// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/platform/startup.h"

#include <csignal>

#include <fcntl.h>
#include <unistd.h>

namespace prism {

void prepareProcess()
{
    signal(SIGXFSZ, SIG_IGN);
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (fcntl(descriptor, F_GETFD) >= 0)
            continue;
        const int opened = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
        if (opened >= 0 && opened != descriptor) { // only where a lower one could not be taken
            dup2(opened, descriptor);
            close(opened);
        }
    }
}

} // namespace prism
