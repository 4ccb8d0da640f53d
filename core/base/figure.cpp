// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/figure.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>

namespace prism {
namespace {

constexpr const char* kNone = "no figure";
constexpr int kPlainDigits = 4; ///< of a value whose uncertainty is not known
constexpr int kMostDigits = 7;  ///< significant, however small the uncertainty
constexpr double kExponent = 1e15;
constexpr double kLeastChance = 0.001; ///< that is told in digits, and its complement

int decade(double x)
{
    return static_cast<int>(std::floor(std::log10(x)));
}

/// Digits behind the point: down to the first digit of the half-width, between none and kMostDigits significant ones.
int decimals(double value, double halfWidth)
{
    const int top = value == 0 ? 0 : decade(std::abs(value));
    if (!(halfWidth > 0))
        return std::clamp(kPlainDigits - 1 - top, 0, 15);
    return std::clamp(std::min(-decade(halfWidth), kMostDigits - 1 - top), 0, 15);
}

/// "1234567.8" becomes "1,234,567.8".
std::string grouped(std::string text)
{
    const std::size_t first = text.starts_with('-') ? 1 : 0;
    for (std::size_t at = std::min(text.find('.'), text.size()); at > first + 3;) {
        at -= 3;
        text.insert(at, 1, ',');
    }
    return text;
}

std::string rounded(double value, int digits)
{
    if (value == 0)
        return "0";
    const int last = decade(std::abs(value)) - digits + 1; // place of the last digit that is shown
    const double unit = std::pow(10.0, last);
    return fmt::format("{:.{}f}", last > 0 ? std::round(value / unit) * unit : value, std::clamp(-last, 0, 15));
}

} // namespace

std::string earnedDigits(double value, double halfWidth)
{
    if (!std::isfinite(value))
        return kNone;
    if (std::abs(value) >= kExponent)
        return fmt::format("{:.3g}", value);
    return grouped(fmt::format("{:.{}f}", value, decimals(value, std::isfinite(halfWidth) ? halfWidth : 0)));
}

std::string halfWidthText(double value, double halfWidth)
{
    if (!std::isfinite(halfWidth))
        return "unknown";
    const int places = decimals(value, halfWidth);
    const double least = std::pow(10.0, -places);
    if (halfWidth < 0.5 * least)
        return fmt::format("< {:.{}f}", least, places);
    return grouped(fmt::format("{:.{}f}", halfWidth, places));
}

std::string plusMinus(double value, double halfWidth)
{
    const std::string digits = earnedDigits(value, halfWidth);
    return halfWidth > 0 ? digits + " ± " + halfWidthText(value, halfWidth) : digits;
}

std::string countText(std::int64_t count)
{
    return grouped(std::to_string(count));
}

std::string amountText(double value, int digits)
{
    if (!std::isfinite(value))
        return kNone;
    struct Word {
        double size;
        const char* name;
    };
    for (const Word& word : {Word{1e12, " trillion"}, Word{1e9, " billion"}, Word{1e6, " million"}})
        if (std::abs(value) >= 0.9995 * word.size)
            return std::abs(value) >= kExponent ? fmt::format("{:.3g}", value) : rounded(value / word.size, digits) + word.name;
    return grouped(rounded(value, digits));
}

std::string chanceText(double chance)
{
    if (!std::isfinite(chance))
        return kNone;
    if (chance == 0 || chance == 1)
        return chance == 0 ? "0 %" : "100 %";
    if (chance < kLeastChance)
        return fmt::format("< {} %", 100 * kLeastChance);
    if (chance > 1 - kLeastChance)
        return fmt::format("> {} %", 100 * (1 - kLeastChance));
    return fmt::format("{:.1f} %", 100 * chance);
}

} // namespace prism
