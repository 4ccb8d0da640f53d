// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/platform/terminal.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include <sys/ioctl.h>
#include <unistd.h>

namespace prism {
namespace {

int descriptorOf(StandardStream stream)
{
    return stream == StandardStream::output ? STDOUT_FILENO : STDERR_FILENO;
}

} // namespace

bool isTerminal(StandardStream stream)
{
    return isatty(descriptorOf(stream)) == 1;
}

int terminalColumns(StandardStream stream)
{
    constexpr int kUsual = 80, kMin = 40, kMax = 400;
    winsize size{};
    if (ioctl(descriptorOf(stream), TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return kUsual;
    return std::clamp<int>(size.ws_col, kMin, kMax);
}

bool wantsColour(StandardStream stream)
{
    const char* refused = std::getenv("NO_COLOR");
    const char* kind = std::getenv("TERM");
    return isTerminal(stream) && (refused == nullptr || *refused == '\0') && kind != nullptr && std::string_view(kind) != "dumb";
}

} // namespace prism
