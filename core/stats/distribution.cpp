// SPDX-License-Identifier: GPL-3.0-or-later
// Families of mean-1 factors: names, moments, hashing, checks.
#include "core/stats/distribution.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

namespace prism {

namespace {

constexpr std::array<std::string_view, 6> kFamilyNames = {"deterministic", "normal", "lognormal", "gamma", "weibull", "empirical"};
constexpr double kMaxRareMultiplier = 1.0e6;
constexpr std::size_t kMaxPool = 1U << 20U;

std::string text(double value)
{
    std::ostringstream out;
    out.precision(17);
    out << value;
    return out.str();
}

Diagnostic error(std::string_view path, const char* key, const char* message, double found, const char* accepted)
{
    return {Severity::error, std::string(path) + (path.empty() ? "" : ".") + key, message, text(found), accepted};
}

} // namespace

std::string_view familyName(Family family)
{
    return kFamilyNames[static_cast<std::size_t>(family)];
}

std::optional<Family> familyFromName(std::string_view name)
{
    const auto it = std::find(kFamilyNames.begin(), kFamilyNames.end(), name);
    if (it == kFamilyNames.end())
        return std::nullopt;
    return static_cast<Family>(it - kFamilyNames.begin());
}

double Distribution::baseVariance() const
{
    return family == Family::deterministic ? 0.0 : cv * cv;
}

double Distribution::variance() const
{
    // X = B (1 + (m - 1) I) with I independent of B: E X^2 = (1 + Var B)(1 + p (m^2 - 1)).
    const double second = (1.0 + baseVariance()) * (1.0 + rareProbability * (rareMultiplier * rareMultiplier - 1.0));
    return second - mean() * mean();
}

void Distribution::addTo(Hasher& hasher) const
{
    hasher.add(static_cast<int>(family)).add(family == Family::deterministic ? 0.0 : cv);
    hasher.add(rareProbability).add(rareProbability > 0.0 ? rareMultiplier : 1.0);
    hasher.add(static_cast<std::uint64_t>(pool ? pool->size() : 0));
    if (pool)
        for (const double value : *pool)
            hasher.add(value);
}

bool Distribution::operator==(const Distribution& other) const
{
    if (family != other.family || cv != other.cv || rareProbability != other.rareProbability || rareMultiplier != other.rareMultiplier)
        return false;
    if (pool == other.pool)
        return true;
    return pool && other.pool && *pool == *other.pool;
}

double maxCv(Family family)
{
    switch (family) {
    case Family::deterministic:
        return 0.0;
    case Family::normal:
        return 0.9;
    default:
        return 10.0;
    }
}

Diagnostics check(const Distribution& d, std::string_view path)
{
    Diagnostics found;
    if (!std::isfinite(d.cv) || d.cv < 0.0)
        found.push_back(error(path, "cv", "The coefficient of variation must be a finite number >= 0.", d.cv, ">= 0"));
    else if (d.family != Family::deterministic && d.family != Family::empirical && d.cv > maxCv(d.family))
        found.push_back(error(path, "cv", "The coefficient of variation is too large for this family.", d.cv,
                              d.family == Family::normal ? "0 to 0.9 (use lognormal, gamma or weibull beyond)" : "0 to 10"));
    if (!(d.rareProbability >= 0.0 && d.rareProbability < 1.0))
        found.push_back(
            error(path, "rare_probability", "The probability of the rare event must be in [0, 1).", d.rareProbability, "0 <= p < 1"));
    if (!(d.rareMultiplier > 0.0 && d.rareMultiplier <= kMaxRareMultiplier))
        found.push_back(
            error(path, "rare_multiplier", "The multiplier of the rare event must be positive.", d.rareMultiplier, "0 < m <= 1e6"));
    if (d.family != Family::empirical)
        return found;
    const std::size_t size = d.pool ? d.pool->size() : 0;
    if (size == 0 || size > kMaxPool)
        found.push_back(
            error(path, "pool", "An empirical factor needs a pool of measured values.", static_cast<double>(size), "1 to 1048576 values"));
    else if (!std::all_of(d.pool->begin(), d.pool->end(), [](double x) { return std::isfinite(x) && x > 0.0; }))
        found.push_back(error(path, "pool", "Every value of the pool must be a finite number > 0.", d.pool->front(), "> 0"));
    else if (!std::is_sorted(d.pool->begin(), d.pool->end()))
        found.push_back(error(path, "pool", "The pool must be sorted in ascending order.", d.pool->front(), "ascending"));
    return found;
}

double poolCv(const std::vector<double>& pool)
{
    double square = 0.0;
    for (const double x : pool)
        square += (x - 1.0) * (x - 1.0);
    return std::sqrt(square / static_cast<double>(pool.size()));
}

Distribution empiricalDistribution(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    // Two passes keep the mean at 1 to the last bits even for a large pool.
    double sum = 0.0;
    for (const double x : values)
        sum += x;
    const double mean = sum / static_cast<double>(values.size());
    for (double& x : values)
        x /= mean;
    Distribution d;
    d.family = Family::empirical;
    d.cv = poolCv(values);
    d.pool = std::make_shared<const std::vector<double>>(std::move(values));
    return d;
}

} // namespace prism
