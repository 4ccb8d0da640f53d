// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/presets.h"

#include "core/scenario/sectionreader.h"

namespace prism {

Result<Scenario> scenarioPreset(std::string_view name)
{
    Result<Scenario> scenario = cachedPreset("scenario", name, readScenario);
    if (scenario.ok() && hasErrors(check(*scenario)))
        return check(*scenario);
    return scenario;
}

} // namespace prism
