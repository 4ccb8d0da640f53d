// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/parameters.h"

#include "core/base/diagnostictext.h"
#include "core/base/text.h"
#include "core/scenario/parametercheck.h"
#include "core/scenario/parameternames.h"
#include "core/scenario/sectionpresets.h"
#include "core/scenario/quantity.h"

#include <algorithm>
#include <cmath>

namespace prism {
namespace {

Diagnostic rejected(const Parameter& parameter, std::string_view text, std::string message)
{
    return errorAt(parameter.id, parameter.label + ": " + std::move(message), std::string(text.substr(0, 80)), acceptedText(parameter));
}

/// Counts that people give in powers of two ("16k GPUs", "128k tokens of context", a batch of "4k sequences").
bool countsInPowersOfTwo(const Parameter& parameter)
{
    return parameter.type == ParameterType::integer
           && (parameter.unit == "tokens" || parameter.unit == "GPUs" || parameter.unit == "sequences");
}

Result<ParameterValue> numberFromText(const Parameter& p, std::string_view text)
{
    const Result<double> number = quantityFromText(text, p.unit, countsInPowersOfTwo(p));
    if (!number) {
        Diagnostic error = rejected(p, text, number.errors().front().message);
        const Diagnostic& found = number.errors().front();
        error.accepted += " (" + found.accepted + ")";
        if (!found.fixValue.empty()) {
            error.fixPath = p.id;
            error.fixValue = found.fixValue;
        }
        return error;
    }
    if (p.type == ParameterType::real)
        return ParameterValue(*number);
    if (const auto exact = integerFromText(text))
        return ParameterValue(*exact);
    if (*number != std::floor(*number) || std::abs(*number) > 9007199254740992.0)
        return rejected(p, text, "this is not a whole number");
    return ParameterValue(static_cast<std::int64_t>(*number));
}

Result<ParameterValue> valueFromText(const Parameter& p, std::string_view text)
{
    const std::string word = lowered(text);
    switch (p.type) {
    case ParameterType::integer:
    case ParameterType::real:
        return numberFromText(p, text);
    case ParameterType::boolean:
        if (word == "true" || word == "1" || word == "yes" || word == "on")
            return ParameterValue(true);
        if (word == "false" || word == "0" || word == "no" || word == "off")
            return ParameterValue(false);
        return rejected(p, text, "this is neither true nor false");
    case ParameterType::choice:
    case ParameterType::text:
        break;
    }
    return ParameterValue(std::string(text));
}

/// Loads a whole preset when the parameter names one.
template <class Loaded, class Assign>
Result<Scenario> withPreset(const Scenario& scenario, const Result<Loaded>& loaded, Assign assign)
{
    if (!loaded)
        return loaded.errors();
    Scenario changed = scenario;
    assign(changed, *loaded);
    return changed;
}

std::optional<Result<Scenario>> loadPreset(const Scenario& s, const Parameter& p, const std::string& name)
{
    if (name.empty())
        return std::nullopt;
    if (p.id == "model.preset")
        return withPreset(s, modelPreset(name), [](Scenario& c, const ModelConfig& m) { c.model = m; });
    if (p.id == "cluster.gpu.preset")
        return withPreset(s, gpuPreset(name), [](Scenario& c, const GpuSpec& g) { c.cluster.gpu = g; });
    if (p.id == "cluster.fabric")
        return withPreset(s, fabricPreset(name, s.cluster), [](Scenario& c, const ClusterConfig& f) { c.cluster = f; });
    if (p.id == "variability.preset") {
        return withPreset(s, variabilityPreset(name), [](Scenario& c, const VariabilityConfig& v) {
            const std::vector<SlowEntry> slow = c.variability.slow;
            c.variability = v;
            c.variability.slow = slow;
        });
    }
    if (p.id == "job.preset") {
        return withPreset(s, jobPreset(name), [](Scenario& c, const JobConfig& j) {
            const std::string start = c.job.startDate;
            const double deadline = c.job.deadlineDays;
            c.job = j;
            c.job.startDate = start;
            c.job.deadlineDays = deadline;
        });
    }
    return std::nullopt;
}

} // namespace

Result<Scenario> setParameter(const Scenario& scenario, std::string_view id, std::string_view text)
{
    const Parameter* p = parameterByName(trimmed(id));
    if (p == nullptr)
        return unknownParameter(trimmed(id));
    text = trimmed(text);
    if (text.size() >= 2 && text.front() == '"' && text.back() == '"' && p->type != ParameterType::text)
        text = text.substr(1, text.size() - 2); // fixes are JSON text
    const Result<ParameterValue> value = valueFromText(*p, text);
    if (!value)
        return value.errors();
    if (auto error = rangeError(*p, *value))
        return *error;
    if (p->type == ParameterType::choice)
        if (auto loaded = loadPreset(scenario, *p, std::get<std::string>(*value)))
            return *loaded;
    Scenario changed = scenario;
    p->set(changed, *value);
    return changed;
}

std::vector<const Parameter*> differences(const Scenario& a, const Scenario& b)
{
    std::vector<const Parameter*> different;
    for (const Parameter& p : parameters())
        if (p.get(a) != p.get(b))
            different.push_back(&p);
    return different;
}

std::string parameterText(const Parameter& parameter, const Scenario& scenario)
{
    const ParameterValue value = parameter.get(scenario);
    if (const double* number = std::get_if<double>(&value); number != nullptr && parameter.isPercent) {
        const double percent = std::round(*number * 1e14) / 1e12;
        if (percent / 100 == *number)
            return numberText(percent) + "%";
    }
    return valueText(value);
}

} // namespace prism
