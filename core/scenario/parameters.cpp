#include "core/scenario/parameters.h"

#include "core/base/text.h"
#include "core/scenario/parametercheck.h"
#include "core/scenario/parametertable.h"
#include "core/scenario/presets.h"
#include "core/scenario/quantity.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <unordered_map>

namespace prism {
namespace {

std::vector<Parameter> makeTable()
{
    std::vector<Parameter> t;
    table::addModel(t);
    table::addCluster(t);
    table::addParallelism(t);
    table::addTraining(t);
    table::addVariability(t);
    return t;
}

const std::vector<Parameter>& parameterTable()
{
    static const std::vector<Parameter> kTable = makeTable();
    return kTable;
}

/// Entries under an older id: files and options that use it are read, nothing writes or lists it.
const std::vector<Parameter>& olderParameters()
{
    static const std::vector<Parameter> kOlder = [] {
        Parameter p;
        p.id = "training.flash_attention";
        p.group = "training";
        p.label = "Flash attention";
        p.type = ParameterType::boolean;
        p.help = "Older form of training.attention_backend: false = unfused.";
        p.get = [](const Scenario& s) -> ParameterValue { return s.training.fusedAttention(); };
        p.set = [](Scenario& s, const ParameterValue& v) {
            if (std::get<bool>(v) != s.training.fusedAttention())
                s.training.attentionBackend = std::get<bool>(v) ? TrainingConfig{}.attentionBackend : "unfused";
        };
        p.defaultValue = p.get(Scenario{});
        return std::vector<Parameter>{p};
    }();
    return kOlder;
}

std::vector<std::string> parameterIds()
{
    std::vector<std::string> ids;
    for (const Parameter& p : parameterTable())
        ids.push_back(p.id);
    return ids;
}

/// The nearest id: by the whole path, or by the last part or short name alone ("tp", "num_layer").
std::string nearestParameter(std::string_view id)
{
    const std::string wanted = lowered(id);
    for (const Parameter& p : parameterTable())
        if (lowered(p.shortName) == wanted && !wanted.empty())
            return p.id;
    std::vector<std::string> tails;
    for (const Parameter& p : parameterTable())
        tails.push_back(p.id.substr(p.id.rfind('.') + 1));
    if (id.find('.') == std::string_view::npos) {
        const std::string tail = nearestName(id, tails);
        for (const Parameter& p : parameterTable())
            if (!tail.empty() && p.id.ends_with("." + tail))
                return p.id;
    }
    return nearestName(id, parameterIds());
}

Diagnostic rejected(const Parameter& parameter, std::string_view text, std::string message)
{
    return {.path = parameter.id,
            .message = parameter.label + ": " + std::move(message),
            .found = std::string(text.substr(0, 80)),
            .accepted = acceptedText(parameter)};
}

/// Counts that people give in powers of two ("16k GPUs", "128k tokens of context").
bool countsInPowersOfTwo(const Parameter& parameter)
{
    return parameter.type == ParameterType::integer && (parameter.unit == "tokens" || parameter.unit == "GPUs");
}

Result<ParameterValue> numberFromText(const Parameter& p, std::string_view text)
{
    const Result<double> number = quantityFromText(text, p.unit, countsInPowersOfTwo(p));
    if (!number) {
        Diagnostic error = rejected(p, text, number.errors().front().message);
        error.accepted += " (" + number.errors().front().accepted + ")";
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
    return std::nullopt;
}

} // namespace

std::span<const Parameter> parameters()
{
    return parameterTable();
}

const Parameter* findParameter(std::string_view id)
{
    static const auto kIndex = [] {
        std::unordered_map<std::string_view, const Parameter*> index;
        for (const Parameter& p : parameterTable())
            index.emplace(p.id, &p);
        for (const Parameter& p : olderParameters())
            index.emplace(p.id, &p);
        return index;
    }();
    const auto it = kIndex.find(id);
    return it == kIndex.end() ? nullptr : it->second;
}

Result<Scenario> setParameter(const Scenario& scenario, std::string_view id, std::string_view text)
{
    const Parameter* p = findParameter(trimmed(id));
    if (p == nullptr) {
        const std::string nearest = nearestParameter(trimmed(id));
        return Diagnostic{.path = std::string(id.substr(0, 120)),
                          .message = "there is no such parameter",
                          .found = std::string(id.substr(0, 120)),
                          .accepted = nearest.empty() ? "an id of the parameter table" : "did you mean " + nearest + "?"};
    }
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
    for (const Parameter& p : parameterTable())
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

std::string valueText(const ParameterValue& value)
{
    if (const auto* i = std::get_if<std::int64_t>(&value))
        return std::to_string(*i);
    if (const auto* d = std::get_if<double>(&value))
        return numberText(*d);
    if (const auto* b = std::get_if<bool>(&value))
        return *b ? "true" : "false";
    return std::get<std::string>(value);
}

std::string valueJson(const ParameterValue& value)
{
    if (const auto* s = std::get_if<std::string>(&value))
        return nlohmann::json(*s).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    return valueText(value);
}

std::string acceptedText(const Parameter& p)
{
    const std::string unit = p.unit.empty() ? "" : " " + p.unit;
    switch (p.type) {
    case ParameterType::integer:
        return "an integer from " + numberText(p.minimum) + " to " + numberText(p.maximum) + unit;
    case ParameterType::real:
        return "a number from " + numberText(p.minimum) + " to " + numberText(p.maximum) + unit;
    case ParameterType::boolean:
        return "true or false";
    case ParameterType::choice: {
        std::vector<std::string> names = p.choices;
        std::erase(names, "");
        return "one of: " + joined(names, ", ");
    }
    case ParameterType::text:
        break;
    }
    return "text of at most 200 characters";
}

std::optional<Diagnostic> rangeError(const Parameter& p, const ParameterValue& value)
{
    // Called for every parameter of every prediction: texts only where something is wrong.
    const auto* text = std::get_if<std::string>(&value);
    const bool whole = std::holds_alternative<std::int64_t>(value);
    double number = 0;
    if (text != nullptr) {
        if (p.type == ParameterType::text ? text->size() <= 200 : std::find(p.choices.begin(), p.choices.end(), *text) != p.choices.end())
            return std::nullopt;
    } else {
        if (std::holds_alternative<bool>(value))
            return std::nullopt;
        number = whole ? static_cast<double>(std::get<std::int64_t>(value)) : std::get<double>(value);
        if (std::isfinite(number) && number >= p.minimum && number <= p.maximum)
            return std::nullopt;
    }
    Diagnostic error{
        .path = p.id, .message = p.label + " is out of range", .found = valueText(value).substr(0, 80), .accepted = acceptedText(p)};
    if (text != nullptr) {
        if (p.type == ParameterType::text)
            return error;
        error.message = p.label + ": \"" + text->substr(0, 80) + "\" is not known";
        if (const std::string nearest = nearestName(*text, p.choices); !nearest.empty()) {
            error.message += "; did you mean \"" + nearest + "\"?";
            error.fixPath = p.id;
            error.fixValue = valueJson(nearest);
        }
        return error;
    }
    if (!std::isfinite(number))
        error.message = p.label + " is not a finite number";
    else if (number < p.minimum) {
        error.fixPath = p.id;
        error.fixValue = numberText(p.minimum);
    }
    return error;
}

Diagnostic unknownName(std::string path, std::string_view what, std::string_view name, std::span<const std::string> known)
{
    const std::string nearest = nearestName(name, known);
    Diagnostic error{.path = std::move(path), .found = std::string(name.substr(0, 80))};
    error.message = "unknown " + std::string(what) + " \"" + std::string(name.substr(0, 80)) + "\"";
    if (!nearest.empty())
        error.message += "; did you mean \"" + nearest + "\"?";
    error.accepted = "one of: " + joined(known, ", ");
    return error;
}

bool isLabel(const Parameter& p)
{
    return p.id.ends_with(".preset") || p.id == "cluster.fabric" || p.id.ends_with(".name");
}

} // namespace prism
