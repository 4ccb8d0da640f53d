// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/studytypes.h"

#include <ctime>

namespace prism {

std::string StudyHolder::text() const
{
    std::string text = program + " on " + host + " (process " + std::to_string(pid) + ")";
    const std::time_t seconds = sinceMs / 1000;
    std::tm utc{};
    char when[32];
    if (sinceMs > 0 && gmtime_r(&seconds, &utc) && std::strftime(when, sizeof when, "%Y-%m-%d %H:%M UTC", &utc) > 0)
        text += std::string(" since ") + when;
    return text;
}

} // namespace prism
