// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/scenariodifferences.h"

#include "core/base/jsontext.h"
#include "core/scenario/parameternames.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace prism {
namespace {

using nlohmann::ordered_json;

/// The values of a scenario that no parameter holds, by section and name.
std::map<std::string, ordered_json> listsOf(const Scenario& scenario)
{
    std::map<std::string, ordered_json> lists;
    const ordered_json root = parseOrderedJson(toJson(scenario)).value();
    for (const auto& [section, values] : root.items()) {
        if (!values.is_object())
            continue;
        for (const auto& [name, value] : values.items()) {
            const std::string path = section + "." + name;
            ordered_json rest = value; // of a spread the measured values alone: the others are parameters
            if (value.is_object())
                for (const auto& [key, inner] : value.items())
                    if (findParameter(path + "." + key) != nullptr)
                        rest.erase(key);
            if (value.is_structured() && !rest.empty())
                lists[path] = rest;
        }
    }
    return lists;
}

/// "node 3, compute factor 1.15": keys and values of the first items.
std::string listText(const ordered_json& list)
{
    constexpr std::size_t kNamed = 3, kLongest = 60;
    std::string text;
    std::size_t count = 0;
    for (const auto& [key, item] : list.items()) {
        if (++count > kNamed)
            continue;
        ordered_json given = item;
        for (const auto& [name, value] : item.is_object() ? item.items() : list.items())
            if (item.is_object() && value.is_number() && value < 0) // "rank": -1, none
                given.erase(name);
        std::string one = (list.is_object() ? key + ": " : "") + given.dump();
        std::erase_if(one, [](char c) { return c == '{' || c == '}' || c == '"'; });
        for (const auto& [from, to] : {std::pair{'_', ' '}, {':', ' '}})
            std::replace(one.begin(), one.end(), from, to);
        for (std::size_t at = 0; (at = one.find(',', at)) != std::string::npos; at += 2)
            one.replace(at, 1, ", ");
        text += (count == 1 ? "" : "; ") + (one.size() > kLongest ? one.substr(0, kLongest) + "…" : one);
    }
    return count == 0 ? "none" : count > kNamed ? fmt::format("{}; {} more", text, count - kNamed) : text;
}

} // namespace

std::vector<Difference> allDifferences(const Scenario& a, const Scenario& b)
{
    std::vector<Difference> different;
    if (a.hash() == b.hash())
        return different;
    for (const Parameter* p : differences(a, b))
        different.push_back({p, p->id, fullName(*p), parameterText(*p, a), parameterText(*p, b)});
    std::map<std::string, std::pair<ordered_json, ordered_json>> both;
    for (const auto& [path, list] : listsOf(a))
        both[path].first = list;
    for (const auto& [path, list] : listsOf(b))
        both[path].second = list;
    for (const auto& [path, lists] : both) {
        std::string label = path; // "Variability: slow"
        label.front() = static_cast<char>(std::toupper(label.front()));
        label.replace(label.find('.'), 1, ": ");
        std::replace(label.begin(), label.end(), '_', ' ');
        if (lists.first != lists.second)
            different.push_back({nullptr, path, label, listText(lists.first), listText(lists.second)});
    }
    return different;
}

Result<Scenario> withValueOf(const Scenario& to, const Scenario& from, const Difference& difference)
{
    if (difference.parameter != nullptr)
        return setParameter(to, difference.path, parameterText(*difference.parameter, from));
    ordered_json root = parseOrderedJson(toJson(to)).value();
    const ordered_json other = parseOrderedJson(toJson(from)).value();
    const std::size_t dot = difference.path.find('.');
    const std::string section = difference.path.substr(0, dot), name = difference.path.substr(dot + 1);
    if (other.contains(section) && other[section].contains(name))
        root[section][name] = other[section][name];
    else
        root[section].erase(name);
    return draftFromJson(root.dump());
}

} // namespace prism
