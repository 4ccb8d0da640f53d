// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/parameternames.h"

#include "core/base/diagnostictext.h"
#include "core/base/text.h"

#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace prism {

namespace {

/// Words that are neither an id nor a short name on a label.
constexpr std::pair<const char*, const char*> kWords[] = {{"schedule", "parallelism.pipeline_schedule"},
                                                          {"recompute", "training.recompute_granularity"},
                                                          {"gpus", "cluster.num_gpus"},
                                                          {"gpu", "cluster.gpu.preset"},
                                                          {"mbs", "training.micro_batch_size"},
                                                          {"gbs", "training.global_batch_size"}};

using Index = std::unordered_map<std::string, const Parameter*>;

/// A name that two parameters have belongs to neither.
void add(Index& index, const std::string& name, const Parameter& p)
{
    const auto [at, isNew] = index.emplace(name, &p);
    if (!isNew && at->second != &p)
        at->second = nullptr;
}

void addWithSection(Index& index, const std::string& name, const Parameter& p)
{
    add(index, name, p);
    add(index, p.id.substr(0, p.id.find('.') + 1) + name, p);
}

Index shortNames()
{
    Index index;
    for (const Parameter& p : parameters())
        if (!p.shortName.empty())
            addWithSection(index, lowered(p.shortName), p);
    for (const auto& [word, id] : kWords)
        addWithSection(index, word, *findParameter(id));
    return index;
}

Index lastParts()
{
    Index index;
    for (const Parameter& p : parameters())
        add(index, p.id.substr(p.id.rfind('.') + 1), p);
    return index;
}

const Parameter* in(const Index& index, const std::string& name)
{
    const auto at = index.find(name);
    return at == index.end() ? nullptr : at->second;
}

const Index& shortIndex()
{
    static const Index kShort = shortNames();
    return kShort;
}

const Index& lastPartIndex()
{
    static const Index kLast = lastParts();
    return kLast;
}

/// By id and by every other name that has a section, or, where the name has none, by last parts and short names; empty where none is near.
std::string nearestId(std::string_view name)
{
    const bool hasSection = name.find('.') != std::string_view::npos;
    std::map<std::string, std::string> idOfName; // sorted: of equally near names the same one each time
    for (const Index* index : {&lastPartIndex(), &shortIndex()})
        for (const auto& [other, parameter] : *index)
            if (parameter != nullptr && (other.find('.') != std::string::npos) == hasSection)
                idOfName.emplace(other, parameter->id);
    std::vector<std::string> names;
    for (const Parameter& p : parameters())
        if (hasSection)
            names.push_back(p.id);
    for (const auto& [other, id] : idOfName)
        names.push_back(other);
    const std::string nearest = nearestName(name, names);
    const auto at = idOfName.find(nearest);
    return at == idOfName.end() ? nearest : at->second;
}

} // namespace

const Parameter* parameterByName(std::string_view name)
{
    if (const Parameter* p = findParameter(name))
        return p;
    const std::string requested = lowered(name);
    for (const Parameter* p : {findParameter(requested), in(shortIndex(), requested), in(lastPartIndex(), requested)})
        if (p != nullptr)
            return p;
    return nullptr;
}

const std::string& shortLabel(const Parameter& parameter)
{
    return parameter.shortName.empty() ? parameter.label : parameter.shortName;
}

std::string fullName(const Parameter& parameter)
{
    return parameter.shortName.empty() ? parameter.label : parameter.label + " (" + parameter.shortName + ")";
}

Diagnostic unknownParameter(std::string_view name)
{
    if (const OlderId* older = olderId(name))
        return errorAt(std::string(name), "this parameter is gone", std::string(name), std::string(older->now));
    const std::string nearest = nearestId(name);
    return errorAt(std::string(name.substr(0, 120)),
                   nearest.empty() ? "there is no such parameter" : "there is no such parameter; did you mean \"" + nearest + "\"?",
                   std::string(name.substr(0, 120)), "an id or a short name of the parameter table");
}

} // namespace prism
