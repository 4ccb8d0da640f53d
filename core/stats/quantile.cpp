// SPDX-License-Identifier: GPL-3.0-or-later
// Quantile functions by family; special functions by Boost.Math.
#include "core/stats/quantile.h"

#include "core/stats/normal.h"

#include <boost/math/constants/constants.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <boost/math/tools/roots.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace prism {

namespace {

using boost::math::constants::root_two;
/// Boost.Math computes with long double by default: three times as long, for digits that a table of 1e-7 does not keep. Near 0 the density
/// of a gamma factor with a shape below 1 has no bound: infinity, no exception, and the quantile's slope is 0.
using Doubles = boost::math::policies::policy<boost::math::policies::overflow_error<boost::math::policies::ignore_error>,
                                              boost::math::policies::promote_double<false>>;

/// Standard normal quantile from the smaller of both tails; saturates where a tail underflows to 0.
double normalQuantile(double lower, double upper)
{
    constexpr double tiny = std::numeric_limits<double>::min();
    if (lower <= upper)
        return -root_two<double>() * boost::math::erfc_inv(2.0 * std::max(lower, tiny), Doubles());
    return root_two<double>() * boost::math::erfc_inv(2.0 * std::max(upper, tiny), Doubles());
}

/// Root of an increasing function of x on [low, high].
template <class F>
double root(F f, double low, double high)
{
    if (f(low) >= 0.0)
        return low;
    if (f(high) <= 0.0)
        return high;
    std::uintmax_t iterations = 200;
    const auto bracket = boost::math::tools::toms748_solve(f, low, high, boost::math::tools::eps_tolerance<double>(50), iterations);
    return 0.5 * (bracket.first + bracket.second);
}

/// a = m/s of a normal truncated at 0 with the given cv (see the header). a = 40 leaves 1e-350 below zero.
double truncationPoint(double cv)
{
    if (cv <= 1.0 / 40.0)
        return 1.0 / cv;
    return root(
        [cv](double a) {
            const double h = normalDensity(a) / normalCdf(a);
            return cv - std::sqrt(std::max(0.0, 1.0 - a * h - h * h)) / (a + h);
        },
        -12.0, 41.0);
}

/// ln(1 + cv^2) of a Weibull with shape 1/x.
double weibullLogSecondMoment(double x)
{
    return std::log1p(boost::math::tgamma1pm1(2.0 * x)) - 2.0 * std::log1p(boost::math::tgamma1pm1(x));
}

double weibullShape(double cv)
{
    const double target = std::log1p(cv * cv);
    return 1.0 / root([target](double x) { return weibullLogSecondMoment(x) - target; }, 0.5 * cv / (1.0 + cv), 20.0);
}

/// Below this cv the gamma quantile is its Cornish-Fisher expansion (Abramowitz and Stegun 26.2.49) to the third order in
/// cv: skewness 2 cv, excess kurtosis 6 cv^2; the error is of order cv^4. Incomplete gamma inversion is slow there.
constexpr double kGammaExpansionCv = 1.0e-3;

double gammaExpansion(double cv, double z)
{
    return 1.0 + cv * (z + cv * (z * z - 1.0) / 3.0 + cv * cv * (z * z * z - 7.0 * z) / 36.0);
}

/// The z at which the expansion is x, by Newton's method; its slope stays near cv for |z| <= 40 at such a small cv.
double gammaScore(double cv, double x)
{
    double z = std::clamp((x - 1.0) / cv, -40.0, 40.0);
    for (int i = 0; i < 6; ++i)
        z = std::clamp(z - (gammaExpansion(cv, z) - x) / (cv * (1.0 + 2.0 * cv * z / 3.0)), -40.0, 40.0);
    return z;
}

} // namespace

QuantileFunction::QuantileFunction(const Distribution& d) : m_family(d.family), m_cv(d.cv), m_pool(d.pool)
{
    if (m_family != Family::empirical && !(m_cv > 0.0))
        m_family = Family::deterministic;
    if (m_family == Family::empirical && (!m_pool || m_pool->empty()))
        m_family = Family::deterministic;
    switch (m_family) {
    case Family::normal:
        m_location = truncationPoint(m_cv);
        m_scale = 1.0 / (m_location + normalDensity(m_location) / normalCdf(m_location));
        break;
    case Family::lognormal:
        m_scale = std::sqrt(std::log1p(m_cv * m_cv));
        m_location = -0.5 * m_scale * m_scale;
        break;
    case Family::gamma:
        m_location = 1.0 / (m_cv * m_cv);
        m_scale = m_cv * m_cv;
        break;
    case Family::weibull:
        m_location = weibullShape(m_cv);
        m_scale = 1.0 / (1.0 + boost::math::tgamma1pm1(1.0 / m_location));
        break;
    default:
        break;
    }
}

double QuantileFunction::fromTails(double lower, double upper) const
{
    switch (m_family) {
    case Family::normal: {
        // P(Z <= z | Z > -a) = u  <=>  P(Z > z) = (1 - u) Phi(a).
        const double kept = normalCdf(m_location);
        const double below = normalCdf(-m_location);
        return m_scale * std::max(0.0, m_location + normalQuantile(below + lower * kept, upper * kept));
    }
    case Family::lognormal:
        return std::exp(m_location + m_scale * normalQuantile(lower, upper));
    case Family::gamma:
        if (m_cv < kGammaExpansionCv)
            return gammaExpansion(m_cv, normalQuantile(lower, upper));
        return m_scale
               * (lower <= upper ? boost::math::gamma_p_inv(m_location, lower, Doubles())
                                 : boost::math::gamma_q_inv(m_location, upper, Doubles()));
    case Family::weibull: {
        const double hazard = lower <= upper ? -std::log1p(-lower) : -std::log(upper);
        return m_scale * std::pow(hazard, 1.0 / m_location);
    }
    case Family::empirical: {
        const auto n = static_cast<double>(m_pool->size());
        const auto i = static_cast<std::size_t>(std::max(0.0, lower * n));
        return (*m_pool)[std::min(i, m_pool->size() - 1)];
    }
    default:
        return 1.0;
    }
}

double QuantileFunction::cdf(double x) const
{
    if (m_family == Family::deterministic)
        return x >= 1.0 ? 1.0 : 0.0;
    if (!(x > 0.0))
        return 0.0;
    switch (m_family) {
    case Family::normal: {
        const double below = normalCdf(-m_location);
        return (normalCdf(x / m_scale - m_location) - below) / normalCdf(m_location);
    }
    case Family::lognormal:
        return normalCdf((std::log(x) - m_location) / m_scale);
    case Family::gamma:
        return m_cv < kGammaExpansionCv ? normalCdf(gammaScore(m_cv, x)) : boost::math::gamma_p(m_location, x / m_scale, Doubles());
    case Family::weibull:
        return -std::expm1(-std::pow(x / m_scale, m_location));
    default:
        return static_cast<double>(std::upper_bound(m_pool->begin(), m_pool->end(), x) - m_pool->begin())
               / static_cast<double>(m_pool->size());
    }
}

double QuantileFunction::slope(double lower, double upper) const
{
    switch (m_family) {
    case Family::normal: {
        const double kept = normalCdf(m_location);
        const double z = normalQuantile(normalCdf(-m_location) + lower * kept, upper * kept);
        return m_scale * kept / normalDensity(z);
    }
    case Family::lognormal: {
        const double z = normalQuantile(lower, upper);
        return std::exp(m_location + m_scale * z) * m_scale / normalDensity(z);
    }
    case Family::gamma: {
        if (m_cv < kGammaExpansionCv) {
            const double z = normalQuantile(lower, upper);
            return m_cv * (1.0 + 2.0 * m_cv * z / 3.0 + m_cv * m_cv * (3.0 * z * z - 7.0) / 36.0) / normalDensity(z);
        }
        const double x = fromTails(lower, upper) / m_scale;
        return m_scale / boost::math::gamma_p_derivative(m_location, x, Doubles());
    }
    case Family::weibull: {
        // Q = s H^(1/k), H = -ln(upper), dH/du = 1/upper.
        const double hazard = lower <= upper ? -std::log1p(-lower) : -std::log(upper);
        return fromTails(lower, upper) / (m_location * hazard * upper);
    }
    default:
        return 0.0;
    }
}

} // namespace prism
