// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/platform/display.h"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace prism {

bool hasDisplay()
{
#ifdef __APPLE__
    return true;
#else
    constexpr std::array<const char*, 2> kNames = {"DISPLAY", "WAYLAND_DISPLAY"};
    return std::any_of(kNames.begin(), kNames.end(), [](const char* name) {
        const char* value = std::getenv(name);
        return value != nullptr && *value != '\0';
    });
#endif
}

} // namespace prism
