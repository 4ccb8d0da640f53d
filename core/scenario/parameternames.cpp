// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/parameternames.h"

#include "core/base/text.h"

#include <algorithm>
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

/// By the whole id, or by its last part where the name has no section ("num_layer"); empty where nothing is near.
std::string nearestId(std::string_view name)
{
    std::vector<std::string> ids, tails;
    for (const Parameter& p : parameters()) {
        ids.push_back(p.id);
        tails.push_back(p.id.substr(p.id.rfind('.') + 1));
    }
    if (name.find('.') == std::string_view::npos)
        if (const std::string tail = nearestName(name, tails); !tail.empty())
            return ids[static_cast<std::size_t>(std::find(tails.begin(), tails.end(), tail) - tails.begin())];
    return nearestName(name, ids);
}

} // namespace

const Parameter* parameterByName(std::string_view name)
{
    static const Index kShort = shortNames(), kLast = lastParts();
    if (const Parameter* p = findParameter(name))
        return p;
    const std::string wanted = lowered(name);
    for (const Parameter* p : {findParameter(wanted), in(kShort, wanted), in(kLast, wanted)})
        if (p != nullptr)
            return p;
    return nullptr;
}

const std::string& briefName(const Parameter& parameter)
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
        return {.path = std::string(name),
                .message = "this parameter is gone",
                .found = std::string(name),
                .accepted = std::string(older->now)};
    const std::string nearest = nearestId(name);
    return {.path = std::string(name.substr(0, 120)),
            .message = nearest.empty() ? "there is no such parameter" : "there is no such parameter; did you mean \"" + nearest + "\"?",
            .found = std::string(name.substr(0, 120)),
            .accepted = "an id or a short name of the parameter table"};
}

} // namespace prism
