// SPDX-License-Identifier: GPL-3.0-or-later
// One line on the terminal for anything that takes longer than two seconds: how far it is, and how long the rest takes.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace prism::cli {

/// Writes to standard error when that is a terminal, and clears the line at the end. One thread.
class ProgressLine final {
public:
    explicit ProgressLine(bool requested);
    ~ProgressLine();
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    /// `fraction` in [0, 1] is done; the remaining time is estimated in proportion to the time so far.
    void show(double fraction, std::string_view what);
    void clear();

private:
    using Clock = std::chrono::steady_clock;
    bool m_requested, m_shown = false;
    Clock::time_point m_start = Clock::now(), m_last;
};

/// The line's text: "43 %, about 12 s left: spread of gemm", cut to the columns.
[[nodiscard]] std::string progressText(double fraction, double elapsedSeconds, std::string_view what, int columns);

} // namespace prism::cli
