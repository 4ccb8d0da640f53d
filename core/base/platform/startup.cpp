// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/platform/startup.h"

#include <algorithm>
#include <csignal>

#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

namespace prism {
namespace {

constexpr rlim_t kEnoughStack = rlim_t{8} << 20; ///< bytes; the usual default of the system

rlim_t stackLimit()
{
    rlimit limit{};
    return getrlimit(RLIMIT_STACK, &limit) == 0 ? limit.rlim_cur : RLIM_INFINITY;
}

/// The limit of a calling shell (ulimit -s) holds for the main thread, and glibc takes it for the stack of every other one.
void raiseStack()
{
    rlimit limit{};
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= kEnoughStack)
        return;
    limit.rlim_cur = std::min(kEnoughStack, limit.rlim_max);
    (void)setrlimit(RLIMIT_STACK, &limit);
    pthread_attr_t attributes;
    if (pthread_getattr_default_np(&attributes) != 0)
        return;
    if (pthread_attr_setstacksize(&attributes, kEnoughStack) == 0)
        (void)pthread_setattr_default_np(&attributes);
    pthread_attr_destroy(&attributes);
}

} // namespace

void prepareProcess()
{
    signal(SIGXFSZ, SIG_IGN);
    raiseStack();
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

int withEnoughStack(const std::function<int()>& body)
{
    if (stackLimit() >= kEnoughStack)
        return body();
    struct Call {
        const std::function<int()>& body;
        int code = 0;
    } call{body};
    const auto run = [](void* given) -> void* {
        auto* c = static_cast<Call*>(given);
        c->code = c->body();
        return nullptr;
    };
    pthread_t thread{};
    if (pthread_create(&thread, nullptr, run, &call) != 0) // with the default's stack
        return body();
    pthread_join(thread, nullptr);
    return call.code;
}

} // namespace prism
