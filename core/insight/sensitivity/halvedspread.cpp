// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/sensitivity/sensitivity.h"
#include "core/scenario/parametertable.h"

namespace prism {

Result<Scenario> withHalvedSpread(const Scenario& scenario, const SensitivityRow& row)
{
    Scenario halved = scenario;
    const auto half = [](double factor) { return 1 + (factor - 1) / 2; };
    if (row.kind == InputKind::slowPlaces)
        for (SlowEntry& entry : halved.variability.slow) {
            entry.computeFactor = half(entry.computeFactor);
            entry.linkFactor = half(entry.linkFactor);
        }
    const std::string id = parameterOf(row);
    constexpr std::string_view kSpread = ".cv";
    std::vector<std::string> ids{id};
    if (id.ends_with(kSpread))
        ids.push_back(id.substr(0, id.size() - kSpread.size()) + ".rare_probability");
    for (const std::string& each : ids) {
        const Parameter* p = findParameter(each);
        const ParameterValue now = p ? p->get(scenario) : ParameterValue();
        if (const double* value = p ? std::get_if<double>(&now) : nullptr)
            p->set(halved, *value / 2);
    }
    if (halved.hash() == scenario.hash())
        return Diagnostic{.message = "No parameter decides the spread of " + (row.label.empty() ? row.id : row.label) + "."};
    return halved;
}

} // namespace prism
