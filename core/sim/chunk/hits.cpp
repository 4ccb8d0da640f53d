// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/chunk/hits.h"

#include <boost/math/distributions/binomial.hpp>

#include <cmath>

namespace prism {

namespace {

constexpr std::size_t kMost = 256; ///< hits that are told apart
constexpr double kLeftOut = 1e-13; ///< probability of more

std::vector<double> binomial(const Hits::Places& places)
{
    const boost::math::binomial_distribution<> hits(places.count, places.probability);
    std::vector<double> out{boost::math::pdf(hits, 0)};
    for (double below = out[0]; out.size() <= std::min(kMost, static_cast<std::size_t>(places.count)) && below < 1.0 - kLeftOut;
         below += out.back())
        out.push_back(boost::math::pdf(hits, static_cast<double>(out.size())));
    return out;
}

std::vector<double> sum(const std::vector<double>& a, const std::vector<double>& b)
{
    std::vector<double> out(std::min(kMost, a.size() + b.size() - 1), 0.0);
    for (std::size_t i = 0; i < a.size(); ++i)
        for (std::size_t j = 0; j < b.size() && i + j < out.size(); ++j)
            out[i + j] += a[i] * b[j];
    return out;
}

} // namespace

Hits::Hits(std::vector<Places> places) : m_places(std::move(places)), m_from(m_places.size() + 1, std::vector<double>{1.0})
{
    double none = 0.0;
    for (std::size_t k = m_places.size(); k-- > 0;) {
        none += m_places[k].count * std::log1p(-m_places[k].probability);
        m_own.insert(m_own.begin(), binomial(m_places[k]));
        m_from[k] = sum(m_own.front(), m_from[k + 1]);
    }
    m_any = -std::expm1(none);
}

} // namespace prism
