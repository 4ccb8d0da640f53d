// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/frame/quantities.h"

#include "core/base/diagnostictext.h"
#include "core/base/printable.h"
#include "core/base/text.h"
#include "core/scenario/quantity.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <functional>

namespace prism::cli {

namespace {

std::string problemText(const Diagnostics& errors)
{
    std::string text;
    for (const Diagnostic& d : errors)
        text += (text.empty() ? "" : " ") + printable(sentence(d));
    return text;
}

/// Replaces the text by the plain number before the option reads it.
CLI::Option* reading(CLI::Option* option, std::function<Result<double>(std::string_view)> read, const char* name)
{
    const CLI::Validator validator(
        [read = std::move(read)](std::string& text) {
            const Result<double> value = read(text);
            if (!value.ok())
                return problemText(value.errors());
            text = numberText(*value);
            return std::string();
        },
        "");
    return option->transform(validator)->type_name(name);
}

Result<double> whole(std::string_view text, bool binaryK)
{
    Result<double> value = quantityFromText(text, "", binaryK);
    constexpr double kMax = 9e15; // every whole number up to here is a double
    if (value.ok() && (*value != std::floor(*value) || std::abs(*value) > kMax))
        return Diagnostic{.message = "This is not a whole number.", .found = std::string(text), .accepted = "for example 500, 20k or 1M"};
    return value;
}

/// Whole numbers are written without an exponent, so that integers can be read from them.
CLI::Option* counting(CLI::Option* option, bool binaryK)
{
    const CLI::Validator validator(
        [binaryK](std::string& text) {
            const Result<double> value = whole(text, binaryK);
            if (!value.ok())
                return problemText(value.errors());
            text = std::to_string(static_cast<long long>(*value));
            return std::string();
        },
        "");
    return option->transform(validator)->type_name("COUNT");
}

/// Writes the number back without leading zeros, which would make it octal.
template <class Whole>
CLI::Validator plainNumber(const char* accepted)
{
    return CLI::Validator(
        [accepted](std::string& text) {
            Whole value{};
            const char* end = text.data() + text.size();
            if (const auto [rest, error] = std::from_chars(text.data(), end, value); error != std::errc() || rest != end)
                return "takes " + std::string(accepted) + ", not " + printable(text, 40);
            text = std::to_string(value);
            return std::string();
        },
        "");
}

} // namespace

CLI::Option* inUnit(CLI::Option* option, const std::string& unit)
{
    const std::string name = unit == "s" ? "TIME" : unit == "days" ? "DAYS" : unit == "tokens" ? "TOKENS" : "SIZE";
    return reading(
        option, [unit](std::string_view text) { return quantityFromText(text, unit, false); }, name.c_str());
}

CLI::Option* asShare(CLI::Option* option)
{
    return reading(
        option, [](std::string_view text) { return quantityFromText(text, "", false); }, "SHARE");
}

CLI::Option* asCount(CLI::Option* option)
{
    return counting(option, false);
}

CLI::Option* asGpuCount(CLI::Option* option)
{
    return counting(option, true);
}

void requirePlainNumbers(CLI::App& command)
{
    for (CLI::Option* option : command.get_options())
        if (const std::string type = option->get_type_name(); type.starts_with("UINT"))
            option->transform(plainNumber<std::uint64_t>("a whole number from 0 to 18446744073709551615"));
        else if (type.starts_with("INT"))
            option->transform(plainNumber<std::int64_t>("a whole number"));
    for (CLI::App* below : command.get_subcommands({}))
        requirePlainNumbers(*below);
}

Result<double> slownessFromText(std::string_view text)
{
    const std::string_view number = trimmed(text);
    if (!number.ends_with('%'))
        return quantityFromText(number, "x", false);
    Result<double> share = quantityFromText(number, "", false);
    if (!share.ok())
        return share;
    return 1.0 + *share;
}

CLI::Option* asSlowness(CLI::Option* option)
{
    const auto read = [](std::string_view text) -> Result<double> {
        Result<double> factor = slownessFromText(text);
        if (factor.ok() && *factor < 1)
            return errorAt("", "A slow node is not faster than the others.", std::string(text), "1 and more, or 0% and more");
        return factor;
    };
    return reading(option, read, "FACTOR");
}

} // namespace prism::cli
