// SPDX-License-Identifier: GPL-3.0-or-later
// Factories of the entries of the parameter table: one per type, each with an accessor of the field.
#pragma once

#include "core/scenario/parameter.h"

#include <type_traits>

namespace prism::table {

/// Name and meaning of an entry, common to all types.
struct Entry {
    std::string id, label, shortName, unit, help;
};

template <class Access>
Parameter field(Entry entry, ParameterType type, Access access)
{
    using Member = std::remove_cvref_t<decltype(access(std::declval<Scenario&>()))>;
    using Stored = std::conditional_t<std::is_same_v<Member, bool>, bool,
                                      std::conditional_t<std::is_integral_v<Member>, std::int64_t,
                                                         std::conditional_t<std::is_floating_point_v<Member>, double, std::string>>>;
    Parameter p;
    p.group = entry.id.substr(0, entry.id.find('.'));
    p.id = std::move(entry.id);
    p.label = std::move(entry.label);
    p.shortName = std::move(entry.shortName);
    p.unit = std::move(entry.unit);
    p.help = std::move(entry.help);
    p.type = type;
    p.get = [access](const Scenario& s) -> ParameterValue { return static_cast<Stored>(access(s)); };
    p.set = [access](Scenario& s, const ParameterValue& v) { access(s) = static_cast<Member>(std::get<Stored>(v)); };
    p.defaultValue = p.get(Scenario{});
    return p;
}

template <class Access>
Parameter integer(Entry entry, double minimum, double maximum, Access access)
{
    Parameter p = field(std::move(entry), ParameterType::integer, access);
    p.minimum = minimum;
    p.maximum = maximum;
    return p;
}

template <class Access>
Parameter real(Entry entry, double minimum, double maximum, Access access)
{
    Parameter p = field(std::move(entry), ParameterType::real, access);
    p.minimum = minimum;
    p.maximum = maximum;
    return p;
}

template <class Access>
Parameter boolean(Entry entry, Access access)
{
    return field(std::move(entry), ParameterType::boolean, access);
}

template <class Access>
Parameter choice(Entry entry, std::vector<std::string> choices, Access access)
{
    Parameter p = field(std::move(entry), ParameterType::choice, access);
    p.choices = std::move(choices);
    return p;
}

template <class Access>
Parameter text(Entry entry, Access access)
{
    return field(std::move(entry), ParameterType::text, access);
}

/// Hidden until the user asks for all fields.
inline Parameter advanced(Parameter p)
{
    p.basic = false;
    return p;
}

void addModel(std::vector<Parameter>& table);
void addCluster(std::vector<Parameter>& table);
void addParallelism(std::vector<Parameter>& table);
void addTraining(std::vector<Parameter>& table);
void addVariability(std::vector<Parameter>& table);
void addJob(std::vector<Parameter>& table);
void addMeasured(std::vector<Parameter>& table);

} // namespace prism::table

// The one field of a Scenario that a table entry reads and writes; works for const and non-const scenarios.
#define PRISM_FIELD(member) [](auto& s) -> decltype(auto) { return (s.member); }
