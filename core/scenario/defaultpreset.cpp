// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/sectionpresets.h"

#include "core/base/jsontext.h"
#include "core/scenario/presetlibrary.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace prism {

std::string defaultPreset(std::string_view kind, const std::string& gpuType)
{
    std::string general;
    for (const std::string& name : presetNames(kind)) {
        const Result<std::string> text = presetText(kind, name);
        const Result<nlohmann::json> file = text.ok() ? parseJson(*text) : Result<nlohmann::json>(text.errors());
        const nlohmann::json standsIn = file.ok() ? file->value("stands_in", nlohmann::json(false)) : nlohmann::json(false);
        if (standsIn == true && general.empty())
            general = name;
        if (standsIn.is_array() && std::find(standsIn.begin(), standsIn.end(), gpuType) != standsIn.end())
            return name;
    }
    return general;
}

} // namespace prism
