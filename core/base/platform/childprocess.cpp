// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/platform/childprocess.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace prism {
namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start)
{
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Starts the program with its output into `writeEnd`; -1 where that fails.
pid_t start(const ChildCommand& command, int writeEnd)
{
    std::vector<char*> words;
    for (const std::string& word : command.words)
        words.push_back(const_cast<char*>(word.c_str())); // posix_spawnp does not write to them
    words.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, writeEnd, STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t child = -1;
    const int problem = posix_spawnp(&child, words.front(), &actions, nullptr, words.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    return problem == 0 ? child : -1;
}

/// Reads until the program closes its output, or the time is over.
std::string readAll(const ChildCommand& command, int readEnd, Clock::time_point begin)
{
    std::string text;
    std::array<char, 4096> part{};
    for (;;) {
        constexpr int kPollMs = 50;
        pollfd ready{readEnd, POLLIN, 0};
        if (command.stop.stop_requested() || secondsSince(begin) >= command.timeoutSeconds)
            break;
        if (poll(&ready, 1, kPollMs) <= 0)
            continue;
        const ssize_t got = read(readEnd, part.data(), part.size());
        if (got <= 0)
            break;
        text.append(part.data(), std::min(static_cast<std::size_t>(got), command.outputBytes - text.size()));
    }
    return text;
}

/// Waits for the end of the program, which it brings about when the time is over; in small steps, because POSIX waits for a child without
/// end.
rusage waitFor(pid_t child, double secondsLeft, int& exitCode)
{
    const Clock::time_point begin = Clock::now();
    constexpr auto kPause = std::chrono::milliseconds(1);
    int status = 0;
    rusage usage{};
    bool ended = false;
    for (pid_t got = 0; got != child;) {
        got = wait4(child, &status, ended ? 0 : WNOHANG, &usage);
        if (got < 0 && errno != EINTR)
            break;
        if (got == 0 && secondsSince(begin) >= secondsLeft) {
            kill(child, SIGKILL);
            ended = true;
        } else if (got == 0) {
            std::this_thread::sleep_for(kPause);
        }
    }
    exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return usage;
}

double seconds(const timeval& t)
{
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
}

} // namespace

std::optional<ChildRun> runChild(const ChildCommand& command)
{
    std::array<int, 2> ends{};
    if (command.words.empty() || pipe2(ends.data(), O_CLOEXEC) != 0)
        return std::nullopt;
    const Clock::time_point begin = Clock::now();
    const pid_t child = start(command, ends[1]);
    close(ends[1]);
    ChildRun run;
    if (child > 0)
        run.output = readAll(command, ends[0], begin);
    close(ends[0]);
    if (child <= 0)
        return std::nullopt;
    const double left = command.stop.stop_requested() ? 0 : command.timeoutSeconds - secondsSince(begin);
    const rusage usage = waitFor(child, left, run.exitCode);
    run.wallSeconds = secondsSince(begin);
    run.cpuSeconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
    run.peakMib = static_cast<double>(usage.ru_maxrss) / 1024.0; // getrusage(2): KiB
    return run;
}

} // namespace prism
