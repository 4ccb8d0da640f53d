// SPDX-License-Identifier: GPL-3.0-or-later
// Runs another program and measures it: what it prints, how long it takes, how much memory it holds. POSIX.
#pragma once

#include <cstddef>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace prism {

struct ChildCommand {
    std::vector<std::string> words;                 ///< the program, found through PATH, and its arguments; no shell reads them
    double timeoutSeconds = 120;                    ///< then the program is ended
    std::size_t outputBytes = std::size_t{1} << 20; ///< what it prints beyond this is dropped
    std::stop_token stop = {};                      ///< requested: the program is ended
};

struct ChildRun {
    int exitCode = -1;  ///< 128 + signal where a signal ended it
    std::string output; ///< its standard output; standard error goes nowhere, standard input is empty
    double wallSeconds = 0, cpuSeconds = 0, peakMib = 0;
};

/// Nothing where the program cannot be started. Waits for its end. Any thread.
[[nodiscard]] std::optional<ChildRun> runChild(const ChildCommand& command);

} // namespace prism
