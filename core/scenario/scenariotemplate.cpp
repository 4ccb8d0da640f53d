// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/scenariotemplate.h"

#include "core/base/jsontext.h"
#include "core/base/text.h"
#include "core/scenario/parametercheck.h"
#include "core/scenario/parameternames.h"
#include "core/scenario/parametertable.h"

#include <nlohmann/json.hpp>

namespace prism {
namespace {

using nlohmann::ordered_json;

/// One key of the file. A leaf has a value; an object has children.
struct Entry {
    std::string key, value;
    const Parameter* parameter = nullptr;
    bool active = false; ///< is in the file, not in a comment
    std::vector<Entry> children;

    Entry& child(const std::string& name)
    {
        for (Entry& c : children)
            if (c.key == name)
                return c;
        children.push_back({.key = name});
        return children.back();
    }
};

Entry& placeOf(Entry& root, const std::string& id)
{
    Entry* place = &root;
    for (const std::string& key : split(id, '.'))
        place = &place->child(key);
    return *place;
}

/// All values of the scenario's file, and the objects around them.
void takeFile(Entry& entry, const ordered_json& object)
{
    for (const auto& [key, value] : object.items()) {
        Entry& child = entry.child(key);
        child.active = true;
        if (value.is_object())
            takeFile(child, value);
        else
            child.value = value.dump();
    }
}

/// Where the section may be named by its preset alone in the file, it is an object here: its preset is one more key.
void takeParameters(Entry& root, const Scenario& scenario, bool everything)
{
    for (const Parameter& p : parameters()) {
        Entry& entry = placeOf(root, p.id);
        entry.parameter = &p;
        if (entry.value.empty() && entry.children.empty())
            entry.value = valueJson(p.get(scenario));
        if (!everything && !p.basic && !entry.active)
            entry.key.clear();
    }
}

std::string wrapped(const std::string& text, const std::string& indent)
{
    constexpr std::size_t kColumns = 110;
    std::string out, line;
    for (const std::string& word : split(text, ' ')) {
        if (!line.empty() && indent.size() + line.size() + word.size() + 4 > kColumns) {
            out += indent + "// " + line + "\n";
            line.clear();
        }
        line += (line.empty() ? "" : " ") + word;
    }
    return out + indent + "// " + line + "\n";
}

std::string comment(const Parameter& p, const std::string& indent)
{
    std::string text = fullName(p);
    if (!p.unit.empty() && !isLabel(p))
        text += ", " + p.unit;
    text += ": " + p.help;
    if (p.type != ParameterType::choice || p.choices.size() <= 8) // long lists: prism-cli presets list
        text += " Accepted: " + acceptedText(p) + ".";
    return wrapped(text, indent);
}

std::string entries(const Entry& object, const std::string& indent);

std::string entryText(const Entry& e, const std::string& indent, bool last)
{
    const std::string name = "\"" + e.key + "\": ";
    if (!e.children.empty())
        return indent + name + "{\n" + entries(e, indent + "  ") + indent + "}" + (last ? "" : ",") + "\n";
    return (e.parameter != nullptr ? comment(*e.parameter, indent) : "") + indent + (e.active ? "" : "// ") + name + e.value
           + (last && e.active ? "" : ",") + "\n";
}

std::string entries(const Entry& object, const std::string& indent)
{
    const Entry* last = nullptr;
    for (const Entry& e : object.children)
        if (e.active || !e.children.empty())
            last = &e;
    std::string text;
    for (const Entry& e : object.children)
        if (!e.key.empty())
            text += entryText(e, indent, &e == last);
    return text;
}

/// Drops objects of which nothing is shown.
void prune(Entry& entry)
{
    for (Entry& c : entry.children)
        prune(c);
    std::erase_if(entry.children, [](const Entry& c) { return c.key.empty() || (c.value.empty() && c.children.empty() && !c.active); });
}

} // namespace

std::string commentedScenario(const Scenario& scenario, bool everything)
{
    Entry root;
    if (const Result<ordered_json> file = parseOrderedJson(toJson(scenario)); file.ok())
        takeFile(root, *file);
    takeParameters(root, scenario, everything);
    prune(root);
    return "// A scenario of PRISM Explorer. Comments like these are read over; a program that rewrites the file omits them.\n"
           "// What is commented out has the value shown, from a preset or by default. prism-cli check FILE says what is wrong.\n{\n"
           + entries(root, "  ") + "}\n";
}

} // namespace prism
