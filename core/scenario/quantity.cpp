// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/quantity.h"

#include "core/base/diagnostictext.h"
#include "core/base/text.h"
#include "core/base/timeunits.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <vector>

namespace prism {
namespace {

/// Factor of each accepted suffix relative to the family's base unit (the one with factor 1).
using Units = std::map<std::string, double, std::less<>>;

const Units& rateUnits()
{
    static const Units units{{"B/s", 1e-9},       {"kB/s", 1e-6},        {"MB/s", 1e-3},           {"GB/s", 1},
                             {"TB/s", 1e3},       {"MiB/s", 1048576e-9}, {"GiB/s", 1073741824e-9}, {"TiB/s", 1099511627776e-9},
                             {"Mb/s", 1e-3 / 8},  {"Gb/s", 1.0 / 8},     {"Tb/s", 1e3 / 8},        {"Mbit/s", 1e-3 / 8},
                             {"Gbit/s", 1.0 / 8}, {"Tbit/s", 1e3 / 8},   {"Gbps", 1.0 / 8}};
    return units;
}

const Units* unitsOf(std::string_view unit)
{
    static const Units time{{"ns", 1e-3}, {"us", 1}, {"\xc2\xb5s", 1}, {"\xce\xbcs", 1}, {"ms", 1e3}, {"s", 1e6}};
    static const Units seconds{{"us", 1e-6},           {"\xc2\xb5s", 1e-6},  {"ms", 1e-3}, {"s", 1}, {"min", kSecondsPerMinute},
                               {"h", kSecondsPerHour}, {"d", kSecondsPerDay}};
    static const Units days{{"s", 1.0 / kSecondsPerDay},
                            {"min", kSecondsPerMinute / kSecondsPerDay},
                            {"h", 1.0 / 24},
                            {"d", 1},
                            {"day", 1},
                            {"weeks", 7},
                            {"week", 7}};
    static const Units bytes{{"B", 1}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"KiB", 1024}, {"MiB", 1048576}, {"GiB", 1073741824}};
    static const Units memory{{"MiB", 1.0 / 1024},        {"GiB", 1}, {"TiB", 1024}, {"MB", 1e6 / 1073741824.0}, {"GB", 1e9 / 1073741824.0},
                              {"TB", 1e12 / 1073741824.0}};
    static const Units cache{{"KiB", 1.0 / 1024}, {"MiB", 1}, {"GiB", 1024}, {"MB", 1e6 / 1048576.0}};
    static const Units throughput{{"GFLOP/s", 1e-3}, {"TFLOP/s", 1}, {"PFLOP/s", 1e3}, {"GFLOPS", 1e-3}, {"TFLOPS", 1}, {"PFLOPS", 1e3}};
    static const Units clock{{"kHz", 1e-3}, {"MHz", 1}, {"GHz", 1e3}};
    static const std::map<std::string_view, const Units*> known{
        {"GB/s", &rateUnits()}, {"us", &time},   {"s", &seconds},          {"days", &days}, {"bytes", &bytes},
        {"GiB", &memory},       {"MiB", &cache}, {"TFLOP/s", &throughput}, {"MHz", &clock}};
    const auto it = known.find(unit);
    return it == known.end() ? nullptr : it->second;
}

std::optional<double> countFactor(std::string_view suffix, bool binaryK)
{
    if (suffix == "k" || suffix == "K")
        return binaryK ? 1024 : 1e3;
    if (suffix == "Ki")
        return 1024;
    if (suffix == "M")
        return binaryK ? 1048576 : 1e6;
    if (suffix == "Mi")
        return 1048576;
    if (suffix == "B" || suffix == "G")
        return 1e9;
    if (suffix == "T")
        return 1e12;
    return std::nullopt;
}

/// Length of the number at the start of the text ("1.5e3" of "1.5e3 GB/s").
std::size_t numberLength(std::string_view text)
{
    std::size_t n = text.find_first_not_of("+-0123456789._,");
    if (n == std::string_view::npos)
        return text.size();
    if ((text[n] == 'e' || text[n] == 'E') && n + 1 < text.size()) {
        std::size_t exponent = n + 1;
        if (text[exponent] == '+' || text[exponent] == '-')
            ++exponent;
        const std::size_t end = text.find_first_not_of("0123456789", exponent);
        if (end != exponent)
            n = end == std::string_view::npos ? text.size() : end;
    }
    return n;
}

/// "16,384" and "16_384" group digits in threes; other commas are not numbers.
std::string withoutGroups(std::string_view text)
{
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool group = (text[i] == ',' || text[i] == '_') && !out.empty() && text.size() - i > 3
                           && text.substr(i + 1, 3).find_first_not_of("0123456789") == std::string_view::npos
                           && (i + 4 == text.size() || text.substr(i + 4, 1).find_first_of(",_.eE") == 0);
        if (!group)
            out += text[i];
    }
    return out;
}

} // namespace

namespace {

/// The number in the unit that was requested, without regard to its size.
Result<double> convertedQuantity(std::string_view text, std::string_view unit, bool binaryK)
{
    text = trimmed(text);
    const std::size_t length = numberLength(text);
    const auto number = doubleFromText(withoutGroups(text.substr(0, length)));
    if (!number)
        return errorAt("", "This is not a number", std::string(text.substr(0, 80)),
                       unit.empty() ? "a number" : "a number, optionally with a unit (" + std::string(unit) + ")");
    const std::string_view suffix = trimmed(text.substr(length));
    if (suffix.empty() || suffix == unit)
        return *number;
    const Units* units = unitsOf(unit);
    std::vector<std::string> names;
    if (units != nullptr) {
        for (const auto& [name, factor] : *units) {
            if (name == suffix)
                return *number * factor;
            names.push_back(name);
        }
    } else if (unit.empty()) {
        if (suffix == "%")
            return *number / 100;
        names = {"%"};
    }
    if (units == nullptr && unit != "x") {
        std::string_view count = suffix;
        if (!unit.empty() && count.ends_with(unit))
            count = trimmed(count.substr(0, count.size() - unit.size()));
        if (const auto factor = countFactor(count, binaryK))
            return *number * *factor;
        for (const char* name : {"k", "M", "G", "T"})
            names.emplace_back(name);
    }
    return errorAt("", "The unit \"" + std::string(suffix.substr(0, 40)) + "\" is not known here", std::string(text.substr(0, 80)),
                   "a number, optionally with one of: " + joined(names, ", "));
}

/// Two quantities with a word or dash of a range between them, as in "40 to 60 GB/s": what to do instead; nothing for other texts.
std::optional<Diagnostic> rangeProblem(std::string_view text, std::string_view unit, bool binaryK)
{
    constexpr std::string_view kBetween[] = {" to ", " bis ", "..", "\xe2\x80\xa6", "\xe2\x80\x93", " - "};
    for (const std::string_view between : kBetween) {
        const std::size_t at = text.find(between);
        if (at == std::string_view::npos || at == 0)
            continue;
        const std::string_view high = trimmed(text.substr(at + between.size()));
        std::string low(trimmed(text.substr(0, at)));
        if (numberLength(low) == low.size()) // "40 to 60 GB/s": the unit is once
            low += high.substr(std::min(numberLength(high), high.size()));
        const Result<double> from = convertedQuantity(low, unit, binaryK), to = convertedQuantity(high, unit, binaryK);
        if (!from || !to)
            continue;
        const std::string middle = fmt::format("{:g}", (*from + *to) / 2);
        return Diagnostic{.message = "This is a range, and a field takes one value",
                          .found = std::string(text.substr(0, 80)),
                          .accepted = fmt::format("one value, such as {}{}{}; its variability is set in the group Variability", middle,
                                                  unit.empty() ? "" : " ", unit),
                          .fixValue = middle};
    }
    return std::nullopt;
}

/// "1,5": a decimal comma is an error with the decimal point as its fix; nothing for other texts.
std::optional<Diagnostic> decimalComma(std::string_view text, std::string_view unit, bool binaryK)
{
    const std::size_t comma = text.find(',');
    if (comma == std::string_view::npos || text.find(',', comma + 1) != std::string_view::npos)
        return std::nullopt;
    std::string point(text);
    point[comma] = '.';
    const std::string number = point.substr(0, numberLength(point));
    if (point.find("..") != std::string::npos || comma + 1 >= number.size() || !convertedQuantity(point, unit, binaryK))
        return std::nullopt;
    return Diagnostic{.message = "A comma only groups digits in threes",
                      .found = std::string(text.substr(0, 80)),
                      .accepted = fmt::format("a decimal point: {}", point.substr(0, 80)),
                      .fixValue = point};
}

} // namespace

Result<double> quantityFromText(std::string_view text, std::string_view unit, bool binaryK)
{
    Result<double> value = convertedQuantity(text, unit, binaryK);
    if (!value.ok())
        for (const auto problem : {rangeProblem, decimalComma})
            if (const auto found = problem(trimmed(text), unit, binaryK))
                return *found;
    if (value.ok() && !std::isfinite(*value))
        return errorAt("", "This is too large a number", std::string(text.substr(0, 80)), "a number below 1e308");
    return value;
}

} // namespace prism
