// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/valuetext.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>

namespace prism {
namespace {

constexpr const char* kNone = "no figure";
constexpr int kPlainDigits = 4; ///< of a value whose uncertainty is not known
constexpr int kMaxDigits = 7;   ///< significant, however small the uncertainty
constexpr double kExponent = 1e15;
constexpr double kMinProbability = 0.001; ///< the smallest probability printed in digits; 1 minus it is the largest
constexpr double kTenTimes = 9; ///< the share by which ten times is more than once; what is more has four digits before its percent sign

int decade(double x)
{
    return static_cast<int>(std::floor(std::log10(x)));
}

/// The place of the last digit, as a power of ten: that of the half-width's first digit; behind the point at most kMaxDigits significant
/// ones of the value, before it at least the first.
int lastPlace(double value, double halfWidth)
{
    const int top = value == 0 ? 0 : decade(std::abs(value));
    if (!(halfWidth > 0))
        return std::clamp(top - kPlainDigits + 1, -15, 0);
    return std::clamp(std::max(decade(halfWidth), std::min(top - kMaxDigits + 1, 0)), -15, std::max(top, 0));
}

/// The number with its last digit at that place.
std::string at(double value, int place)
{
    const double unit = std::pow(10.0, std::max(place, 0));
    return fmt::format("{:.{}f}", place > 0 ? std::round(value / unit) * unit : value, std::max(-place, 0));
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
    int last = decade(std::abs(value)) - digits + 1;                                   // place of the last digit that is shown
    if (std::round(std::abs(value) * std::pow(10.0, -last)) >= std::pow(10.0, digits)) // 0.9995 becomes 1.00
        ++last;
    return at(value, std::max(last, -15));
}

} // namespace

std::string earnedDigits(double value, double halfWidth)
{
    if (!std::isfinite(value))
        return kNone;
    if (std::abs(value) >= kExponent)
        return fmt::format("{:.3g}", value);
    return grouped(at(value, lastPlace(value, std::isfinite(halfWidth) ? halfWidth : 0)));
}

std::string halfWidthText(double value, double halfWidth)
{
    if (!std::isfinite(halfWidth))
        return "unknown";
    const int place = lastPlace(value, halfWidth);
    const double smallest = std::pow(10.0, place);
    return halfWidth < 0.5 * smallest ? "< " + at(smallest, place) : grouped(at(halfWidth, place));
}

std::string plusMinus(double value, double halfWidth)
{
    const std::string digits = earnedDigits(value, halfWidth);
    return halfWidth > 0 ? digits + " ± " + halfWidthText(value, halfWidth) : digits;
}

bool readsAsTimes(double share)
{
    return share >= kTenTimes;
}

std::string relativeChange(double share, double halfWidth)
{
    return readsAsTimes(share) ? plusMinus(1 + share, halfWidth) + " times"
                               : (share > 0 ? "+" : "") + plusMinus(100 * share, 100 * halfWidth) + " %";
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
        if (std::abs(value) >= (1 - std::pow(10.0, -digits) / 2) * word.size)
            return std::abs(value) >= kExponent ? fmt::format("{:.3g}", value) : rounded(value / word.size, digits) + word.name;
    return grouped(rounded(value, digits));
}

std::string probabilityText(double probability)
{
    if (!std::isfinite(probability))
        return kNone;
    if (probability == 0 || probability == 1)
        return probability == 0 ? "0 %" : "100 %";
    if (probability < kMinProbability)
        return fmt::format("< {} %", 100 * kMinProbability);
    if (probability > 1 - kMinProbability)
        return fmt::format("> {} %", 100 * (1 - kMinProbability));
    return fmt::format("{:.1f} %", 100 * probability);
}

} // namespace prism
