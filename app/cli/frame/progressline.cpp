// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/frame/progressline.h"

#include "core/base/platform/terminal.h"
#include "core/base/printable.h"
#include "core/base/timeunits.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace prism::cli {

namespace {

constexpr double kSilentSeconds = 2.0, kSecondsBetween = 0.1;

std::string restText(double seconds)
{
    return seconds < 100                       ? fmt::format("{:.0f} s", std::ceil(seconds))
           : seconds < 100 * kSecondsPerMinute ? fmt::format("{:.0f} min", std::ceil(seconds / kSecondsPerMinute))
                                               : fmt::format("{:.1f} h", seconds / kSecondsPerHour);
}

} // namespace

std::string progressText(double fraction, double elapsedSeconds, std::string_view what, int columns)
{
    fraction = std::clamp(fraction, 0.0, 1.0);
    std::string text = fmt::format("{:.0f} %", 100 * fraction);
    if (fraction > 0 && fraction < 1)
        text += ", about " + restText(elapsedSeconds * (1 - fraction) / fraction) + " left";
    return printable(text + ": " + std::string(what), static_cast<std::size_t>(std::max(columns - 4, 1)));
}

ProgressLine::ProgressLine(bool requested) : m_requested(requested && isTerminal(StandardStream::error)) {}

ProgressLine::~ProgressLine()
{
    clear();
}

void ProgressLine::show(double fraction, std::string_view what)
{
    const Clock::time_point now = Clock::now();
    const double elapsed = std::chrono::duration<double>(now - m_start).count();
    if (!m_requested || elapsed < kSilentSeconds || (m_shown && std::chrono::duration<double>(now - m_last).count() < kSecondsBetween))
        return;
    std::fputs(("\r\x1b[K" + progressText(fraction, elapsed, what, terminalColumns(StandardStream::error))).c_str(), stderr);
    std::fflush(stderr);
    m_shown = true;
    m_last = now;
}

void ProgressLine::clear()
{
    if (m_shown)
        std::fputs("\r\x1b[K", stderr);
    m_shown = false;
}

} // namespace prism::cli
