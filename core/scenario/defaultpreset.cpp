// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/defaultpreset.h"

#include "core/base/jsontext.h"
#include "core/scenario/presetlibrary.h"

#include <nlohmann/json.hpp>

namespace prism {

std::string defaultPreset(std::string_view kind)
{
    for (const std::string& name : presetNames(kind)) {
        const Result<std::string> text = presetText(kind, name);
        const Result<nlohmann::json> file = text.ok() ? parseJson(*text) : Result<nlohmann::json>(text.errors());
        if (file.ok() && file->value("stands_in", nlohmann::json(false)) == true)
            return name;
    }
    return {};
}

} // namespace prism
