// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/fit.h"

#include "core/stats/distance.h"
#include "core/stats/moments.h"
#include "core/stats/quantile.h"

#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <boost/math/tools/roots.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace prism {

namespace {

struct Moments {
    double mean = 0, variance = 0, meanLog = 0, varianceLog = 0;
};

Moments momentsOf(std::span<const double> values)
{
    const auto n = static_cast<double>(values.size());
    Moments m;
    for (const double x : values) {
        m.mean += x / n;
        m.meanLog += std::log(x) / n;
    }
    for (const double x : values) {
        m.variance += (x - m.mean) * (x - m.mean) / n;
        m.varianceLog += (std::log(x) - m.meanLog) * (std::log(x) - m.meanLog) / n;
    }
    return m;
}

template <class F>
double rootBetween(F f, double low, double high)
{
    if (f(low) * f(high) > 0.0)
        return std::abs(f(low)) < std::abs(f(high)) ? low : high;
    std::uintmax_t iterations = 200;
    const auto bracket = boost::math::tools::toms748_solve(f, low, high, boost::math::tools::eps_tolerance<double>(45), iterations);
    return 0.5 * (bracket.first + bracket.second);
}

double gammaCv(const Moments& m)
{
    const double gap = std::log(m.mean) - m.meanLog; // >= 0; ln a - psi(a) falls from infinity to 0
    if (!(gap > 1e-13))
        return std::sqrt(m.variance) / m.mean;
    const double logShape = rootBetween(
        [gap](double l) {
            const double a = std::exp(l);
            return std::log(a) - boost::math::digamma(a) - gap;
        },
        std::log(1e-3), std::log(1e12));
    return 1.0 / std::sqrt(std::exp(logShape));
}

/// Shape k of the profile likelihood: sum(x^k ln x) / sum(x^k) - 1/k - mean(ln x) = 0, with x over the largest value.
double weibullShape(std::span<const double> values, const Moments& m)
{
    const double largest = *std::max_element(values.begin(), values.end());
    const auto equation = [&](double logShape) {
        const double k = std::exp(logShape);
        double weight = 0.0;
        double weighted = 0.0;
        for (const double x : values) {
            const double w = std::pow(x / largest, k);
            weight += w;
            weighted += w * std::log(x);
        }
        return weighted / weight - 1.0 / k - m.meanLog;
    };
    return std::exp(rootBetween(equation, std::log(0.05), std::log(1e6)));
}

Diagnostics checkValues(std::span<const double> values)
{
    if (values.size() < 2)
        return {{Severity::error, "values", "A fit needs at least two values.", std::to_string(values.size()), ">= 2", "", ""}};
    for (std::size_t i = 0; i < values.size(); ++i)
        if (!(std::isfinite(values[i]) && values[i] > 0.0))
            return {{Severity::error, "values[" + std::to_string(i) + "]", "A duration must be a finite number > 0.",
                     std::to_string(values[i]), "> 0", "", ""}};
    return {};
}

Fit fitted(Family family, std::span<const double> values, const Moments& m)
{
    Fit fit;
    fit.mean = m.mean;
    fit.distribution.family = family;
    switch (family) {
    case Family::deterministic:
        return fit;
    case Family::normal:
        fit.distribution.cv = std::sqrt(m.variance) / m.mean;
        break;
    case Family::lognormal:
        fit.distribution.cv = std::sqrt(std::expm1(m.varianceLog));
        fit.mean = std::exp(m.meanLog + 0.5 * m.varianceLog);
        break;
    case Family::gamma:
        fit.distribution.cv = gammaCv(m);
        break;
    case Family::weibull: {
        const double k = weibullShape(values, m);
        const double first = boost::math::tgamma1pm1(1.0 / k);
        const double logSecond = std::log1p(boost::math::tgamma1pm1(2.0 / k)) - 2.0 * std::log1p(first);
        fit.distribution.cv = std::sqrt(std::expm1(logSecond));
        double power = 0.0; // scale^k = mean of x^k, over the largest value to stay finite
        const double largest = *std::max_element(values.begin(), values.end());
        for (const double x : values)
            power += std::pow(x / largest, k) / static_cast<double>(values.size());
        fit.mean = largest * std::pow(power, 1.0 / k) * (1.0 + first);
        break;
    }
    case Family::empirical:
        fit.distribution = empiricalDistribution({values.begin(), values.end()});
        return fit;
    }
    fit.distribution.cv = std::min(fit.distribution.cv, maxCv(family));
    return fit;
}

} // namespace

Result<Fit> fitFamily(Family family, std::span<const double> values)
{
    if (Diagnostics invalid = checkValues(values); !invalid.empty())
        return invalid;
    Fit fit = fitted(family, values, momentsOf(values));
    std::vector<double> sorted(values.begin(), values.end());
    sortAscending(sorted);
    if (family == Family::empirical) {
        fit.ksPValue = 1.0;
        return fit;
    }
    const QuantileFunction quantile(fit.distribution);
    fit.ksDistance = ksDistance(sorted, [&](double x) { return quantile.cdf(x / fit.mean); });
    fit.ksPValue = ksPValue(fit.ksDistance, static_cast<double>(sorted.size()));
    return fit;
}

Result<std::vector<Fit>> fitFamilies(std::span<const double> values)
{
    std::vector<Fit> fits;
    for (const Family family : {Family::normal, Family::lognormal, Family::gamma, Family::weibull}) {
        auto fit = fitFamily(family, values);
        if (!fit.ok())
            return fit.errors();
        fits.push_back(std::move(fit).value());
    }
    std::stable_sort(fits.begin(), fits.end(), [](const Fit& a, const Fit& b) { return a.ksDistance < b.ksDistance; });
    return fits;
}

} // namespace prism
