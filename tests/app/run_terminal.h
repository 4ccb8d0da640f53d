// SPDX-License-Identifier: GPL-3.0-or-later
// Runs prism-cli on a pseudo-terminal and collects what a person would see.
#pragma once

#include <cstdlib>
#include <string>

#include <fcntl.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

namespace prism::test {

/// Whether this system gives pseudo-terminals; a bare root without /dev/pts does not.
inline bool hasTerminals()
{
    const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    if (terminal >= 0)
        close(terminal);
    return terminal >= 0;
}

/// Everything that the program writes to its terminal of 100 columns; `arguments` is a shell command line after the program's name.
inline std::string runOnTerminal(const std::string& arguments, const std::string& environment = "")
{
    winsize size{.ws_row = 40, .ws_col = 100, .ws_xpixel = 0, .ws_ypixel = 0};
    int terminal = -1;
    const pid_t child = forkpty(&terminal, nullptr, nullptr, &size);
    if (child == 0) {
        const std::string command = "TERM=xterm " + environment + " \"" PRISM_CLI "\" " + arguments;
        execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
        _exit(127);
    }
    std::string seen;
    char bytes[4096];
    for (ssize_t n = 0; (n = read(terminal, bytes, sizeof bytes)) > 0;) // ends with EIO when the program leaves
        seen.append(bytes, static_cast<std::size_t>(n));
    int status = 0;
    waitpid(child, &status, 0);
    close(terminal);
    return seen;
}

} // namespace prism::test
