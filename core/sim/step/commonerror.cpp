// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/step/commonerror.h"

#include "core/stats/moments.h"

#include <algorithm>
#include <cmath>

namespace prism {

namespace {

/// Steps whose locations stand for all.
constexpr std::size_t kLocations = 96;

/// What each step's replicas move the weighted mean of h over the sample by, the weights' own sum being known only by the sample. The
/// replicas of one step share its conditions: they err together.
template <class H>
std::vector<double> movedByStep(const Sampled& sampled, const H& h)
{
    const std::size_t n = sampled.excess.size(), steps = sampled.location.size();
    double total = 0.0, mean = 0.0;
    std::vector<double> value(n);
    for (std::size_t i = 0; i < n; ++i) {
        value[i] = h(sampled.excess[i]);
        total += sampled.weight[i];
        mean += sampled.weight[i] * value[i];
    }
    mean /= total;
    std::vector<double> out(steps, 0.0);
    for (std::size_t i = 0; i < n; ++i)
        out[i % steps] += sampled.weight[i] * (value[i] - mean) / total;
    return out;
}

/// Standard error that the sample adds to the steps' own. Where a step's conditions make it long they also make its replicas long: both
/// errors have the same sign, and their covariance counts. `own`: what each step moves the figure by itself.
double addedError(const std::vector<double>& own, const std::vector<double>& moved, bool follow)
{
    double square = 0.0, both = 0.0;
    for (std::size_t j = 0; j < moved.size(); ++j) {
        square += moved[j] * moved[j];
        both += own[j] * moved[j];
    }
    const double time = follow ? correlationTime(moved) : 1.0;
    return std::sqrt(time * std::max(square, square + 2.0 * both));
}

/// The sample's tail function and the steps' locations, ready for the influence of one replica.
class Influence final {
public:
    Influence(const Sampled& sampled, const TailSample& pool, int pooled, const std::vector<double>& seconds)
        : m_sampled(sampled),
          m_pool(pool),
          m_count(pooled),
          m_steps(seconds),
          m_seconds(seconds),
          m_stride(std::max<std::size_t>(1, seconds.size() / kLocations))
    {
        std::sort(m_seconds.begin(), m_seconds.end());
    }

    /// Standard error of the quantile at p.
    [[nodiscard]] double quantileError(double p) const
    {
        const double s = quantileOfSorted(m_seconds, p);
        std::vector<std::pair<double, double>> steps; // s - L, and what a replica beyond it changes
        double number = 0.0;
        for (std::size_t j = 0; j < m_sampled.location.size(); j += m_stride, number += 1.0)
            if (m_sampled.single[j] <= s)
                steps.emplace_back(s - m_sampled.location[j], slope(s - m_sampled.location[j]));
        std::sort(steps.begin(), steps.end());
        std::vector<double> below = {0.0};
        for (const auto& [at, value] : steps)
            below.push_back(below.back() + value / number);
        const std::vector<double> moved = movedByStep(m_sampled, [&](double x) {
            const auto it = std::lower_bound(steps.begin(), steps.end(), std::pair(x, -1.0));
            return below[static_cast<std::size_t>(it - steps.begin())];
        });
        std::vector<double> own;
        for (const double x : m_steps)
            own.push_back(((x > s ? 1.0 : 0.0) - (1.0 - p)) / static_cast<double>(m_steps.size()));
        const double error = addedError(own, moved, m_sampled.follow);
        // dQ/dp over a window that holds some hundred steps, and no more than half of the way to the end.
        const double n = static_cast<double>(m_seconds.size()),
                     half = std::min(0.5 * std::min(p, 1.0 - p), std::max(2.0 / n, std::pow(n, -0.5)));
        return error * (quantileOfSorted(m_seconds, p + half) - quantileOfSorted(m_seconds, p - half)) / (2.0 * half);
    }

    [[nodiscard]] double meanError() const
    {
        // The slopes' integral from the smallest excess on, at the sorted excesses.
        std::vector<double> x = m_sampled.excess;
        std::sort(x.begin(), x.end());
        std::vector<double> integral(x.size(), 0.0);
        double last = slope(x[0]);
        for (std::size_t i = 1; i < x.size(); ++i) {
            const double now = slope(x[i]);
            integral[i] = integral[i - 1] + 0.5 * (last + now) * (x[i] - x[i - 1]);
            last = now;
        }
        const auto at = [&](double value) {
            const auto it = std::upper_bound(x.begin(), x.end(), value);
            return it == x.begin() ? 0.0 : integral[static_cast<std::size_t>(it - x.begin()) - 1];
        };
        std::vector<double> covered; // by the replicas simulated one by one
        for (std::size_t j = 0; j < m_sampled.location.size(); j += m_stride)
            covered.push_back(at(m_sampled.single[j] - m_sampled.location[j]));
        if (*std::max_element(covered.begin(), covered.end()) <= 0.0)
            covered = {0.0};
        const std::vector<double> moved = movedByStep(m_sampled, [&](double value) {
            const double whole = at(value);
            double sum = 0.0;
            for (const double c : covered)
                sum += std::max(0.0, whole - c);
            return sum / static_cast<double>(covered.size());
        });
        const double mean = prism::meanOf(m_steps);
        std::vector<double> own;
        for (const double x : m_steps)
            own.push_back((x - mean) / static_cast<double>(m_steps.size()));
        return addedError(own, moved, m_sampled.follow);
    }

private:
    /// n (1 - G)^(n - 1).
    [[nodiscard]] double slope(double excess) const
    {
        const double tail = std::min(m_pool.tailAt(excess), 1.0 - 1e-12);
        return m_count * std::exp((m_count - 1) * std::log1p(-tail));
    }

    const Sampled& m_sampled;
    const TailSample& m_pool;
    int m_count;
    const std::vector<double>& m_steps; ///< in draw order
    std::vector<double> m_seconds;      ///< the same, ascending
    std::size_t m_stride;
};

} // namespace

SharedError commonError(const Sampled& sampled, const TailSample& pool, int pooled, const std::vector<double>& seconds)
{
    if (seconds.empty() || sampled.excess.empty())
        return {};
    const Influence influence(sampled, pool, pooled, seconds);
    const auto part = [&](double own, double p) {
        return SharedError::Part{std::max(own, pool.fittedError(tailOfMaximum(1.0 - p, pooled))), 0.0};
    };
    return {part(influence.quantileError(0.5), 0.5), part(influence.quantileError(0.95), 0.95), part(influence.quantileError(0.99), 0.99),
            part(influence.meanError(), 0.5)};
}

} // namespace prism
