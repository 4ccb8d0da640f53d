// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/step/commonerror.h"

#include "core/sim/step/influence.h"
#include "core/stats/confidence.h"
#include "core/stats/intervals.h"
#include "core/stats/moments.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

namespace prism {

namespace {

/// The tail function is not moved by more factors of e than these.
constexpr double kMostFolds = 20.0;
/// Standard errors, to either side, at which a quantile is asked for: between the one-sided 95 % and where hardly anything is left.
constexpr std::array<double, 2> kReaches = {1.645, 2.3};
/// Share of the steps' own variance below which what the sample adds is nothing: where slower replicas decide, quotients of such errors are
/// noise.
constexpr double kNegligible = 1e-4;
/// By so much of a factor of e the mean's slope is taken.
constexpr double kSmallFold = 0.05;
/// Degrees of freedom of what follows from the scale of a fitted tail: its true value over the estimate from k points is k over a gamma
/// variable of k, whose least symmetric interval of 95 % is Student's with about k / 2.
constexpr double kTailDegrees = kScalePoints / 2.0;

/// What each step's replicas move a figure by, and how much of that as points of the sample and by the scale of its fitted tail.
struct MovedByStep {
    explicit MovedByStep(std::size_t steps) : all(steps, 0.0), byPoints(steps, 0.0), byScale(steps, 0.0) {}
    std::vector<double> all, byPoints, byScale;
};

/// The weights' own sum is known only by the sample. The replicas of one step share its conditions: they err together.
MovedByStep movedByStep(const Sampled& sampled, const Influence& influence, const FittedTail* fitted)
{
    const std::size_t n = sampled.excess.size(), steps = sampled.location.size();
    double total = 0.0;
    Influence::Moved mean;
    std::vector<Influence::Moved> moved(n);
    for (std::size_t i = 0; i < n; ++i) {
        moved[i] = influence.of(sampled.excess[i], sampled.weight[i], fitted);
        total += sampled.weight[i];
        mean.byPoint += sampled.weight[i] * moved[i].byPoint;
        mean.byHeight += sampled.weight[i] * moved[i].byHeight;
        mean.byScale += sampled.weight[i] * moved[i].byScale;
    }
    MovedByStep out(steps);
    for (std::size_t i = 0; i < n; ++i) {
        const double share = sampled.weight[i] / total, byPoint = share * (moved[i].byPoint - mean.byPoint / total),
                     byScale = share * (moved[i].byScale - mean.byScale / total);
        out.byPoints[i % steps] += byPoint;
        out.byScale[i % steps] += byScale;
        out.all[i % steps] += byPoint + byScale + share * (moved[i].byHeight - mean.byHeight / total);
    }
    return out;
}

/// The sample's error of a figure, and what it grows by beside the steps' own. Where a step's conditions make it long they also make its
/// replicas long: both errors have the same sign, and their covariance counts.
struct AddedError {
    SharedError::Part sample;
    double withSteps = 1.0;
    double byPoints = 1.0; ///< share of its square that does not come from the fitted tail
};

/// The same, known less well: seconds for a factor come from as many of the largest replicas as its error does, and where these are short
/// the interval is short as well. `inverse`: of the degrees of freedom that this leaves; of k points, k / 2 as for the scale of a tail.
AddedError knownBy(AddedError error, double inverse)
{
    const double sum = inverse + (error.sample.degrees > 0.0 ? 1.0 / error.sample.degrees : 0.0);
    error.sample.degrees = sum > 0.0 ? 1.0 / sum : 0.0;
    return error;
}

/// `own`: what each step moves the figure by itself. A sum of squares of which few points make the most is known as by few degrees of
/// freedom (Satterthwaite 1946), what comes from the scale of the fitted tail as by its own.
AddedError addedError(const std::vector<double>& own, const MovedByStep& moved, bool follow)
{
    double square = 0.0, fourth = 0.0, tail = 0.0, both = 0.0, points = 0.0, steps = 0.0;
    for (std::size_t j = 0; j < own.size(); ++j) {
        steps += own[j] * own[j];
        square += moved.all[j] * moved.all[j];
        fourth += std::pow(moved.all[j] - moved.byScale[j], 4);
        tail += moved.byScale[j] * moved.byScale[j];
        both += own[j] * moved.all[j];
        points += moved.byPoints[j] * moved.byPoints[j];
    }
    if (square + 2.0 * std::abs(both) < kNegligible * steps)
        return {};
    const double time = follow ? correlationTime(moved.all) : 1.0;
    const double known = 0.5 * fourth + tail * tail / kTailDegrees;
    return {{std::sqrt(time * square), known > 0.0 ? square * square / known : 0.0},
            square > 0.0 ? std::sqrt(std::max(1.0, 1.0 + 2.0 * both / square)) : 1.0,
            square > 0.0 ? std::min(1.0, points / square) : 1.0};
}

/// Errors of the figures of one series.
class CommonError final {
public:
    CommonError(const Sampled& sampled, const TailSample& pool, int pooled, const std::vector<double>& seconds)
        : m_sampled(sampled),
          m_pool(pool),
          m_influence(sampled, pool, pooled),
          m_steps(seconds),
          m_sorted(seconds)
    {
        std::sort(m_sorted.begin(), m_sorted.end());
    }

    /// Of the quantile at p: the error of P(step > s) as a factor of the tail function, and the quantiles with such factors and their
    /// inverses. Over so far a way the sample's gaps even out; the slope at one place would be that of one gap.
    [[nodiscard]] SharedError::Part quantile(double p) const
    {
        const double s = quantileOfSorted(m_sorted, p);
        const TailInfluence::Exceedance above = m_influence.exceedance(s);
        if (!(above.perLog > 0.0))
            return {};
        std::vector<double> own;
        for (const double x : m_steps)
            own.push_back(((x > s ? 1.0 : 0.0) - (1.0 - p)) / static_cast<double>(m_steps.size()));
        const AddedError error = addedError(own, movedByStep(m_sampled, above.influence, m_pool.fitted()), m_sampled.follow);
        if (!(error.sample.stdErr > 0.0))
            return {};
        // Only the sample's own error moves the tail function: where replicas simulated one by one decide, a covariance with the steps
        // can be larger than all that the tail function has to say.
        // Seconds are looked for as far as the farthest reach, where that many more replicas lie.
        const double folds = error.sample.stdErr / above.perLog, known = 2.0 * folds * folds * std::exp(-kReaches.back() * folds);
        return part(knownBy(error, error.byPoints * error.byPoints * known), above.perLog,
                    [&](double factor) { return m_influence.quantile(p, factor); });
    }

    [[nodiscard]] SharedError::Part mean() const
    {
        const double mean = meanOf(m_steps);
        std::vector<double> own;
        for (const double x : m_steps)
            own.push_back((x - mean) / static_cast<double>(m_steps.size()));
        const AddedError error = addedError(own, movedByStep(m_sampled, m_influence.mean(), m_pool.fitted()), m_sampled.follow);
        const auto at = [&](double factor) { return m_influence.meanSeconds(factor); };
        const double perLog = (at(std::exp(kSmallFold)) - at(std::exp(-kSmallFold))) / (2.0 * kSmallFold);
        if (!(perLog > 0.0))
            return {};
        const double folds = error.sample.stdErr / perLog;
        return part(knownBy(error, 2.0 * folds * folds), perLog, at);
    }

private:
    /// How far a figure lies away from the sample's with so many standard errors of the tail function's logarithm, to one side.
    using Side = std::array<double, kReaches.size()>;

    /// Of a figure that the tail function's logarithm moves by `perLog`, and that is `at` such a factor of it.
    [[nodiscard]] static SharedError::Part part(const AddedError& error, double perLog, const std::function<double(double)>& at)
    {
        return {error.withSteps * halfWidth(error.sample.stdErr / perLog, at) / normalReach(), error.sample.degrees};
    }

    /// The least half-width that holds 95 %: where the sample's largest are far apart, the upper side is longer than the lower.
    [[nodiscard]] static double halfWidth(double folds, const std::function<double(double)>& at)
    {
        const double middle = at(1.0);
        Side up{}, down{};
        for (std::size_t k = 0; k < kReaches.size(); ++k) {
            const double factor = std::exp(std::min(kReaches[k] * folds, kMostFolds));
            up[k] = at(factor) - middle;
            down[k] = middle - at(1.0 / factor);
        }
        return leastHalfWidth(std::max(up.back(), down.back()),
                              [&](double h) { return errorCdf(errorsWithin(up, h), 0.0) - errorCdf(-errorsWithin(down, h), 0.0); });
    }

    /// How many standard errors of a side lie within h of the middle: linear between the reaches, no more than the last.
    [[nodiscard]] static double errorsWithin(const Side& side, double h)
    {
        double reach = 0.0, away = 0.0;
        for (std::size_t k = 0; k < side.size(); ++k) {
            if (h < side[k])
                return reach + (kReaches[k] - reach) * (h - away) / (side[k] - away);
            reach = kReaches[k];
            away = side[k];
        }
        return reach;
    }

    const Sampled& m_sampled;
    const TailSample& m_pool;
    TailInfluence m_influence;
    const std::vector<double>& m_steps; ///< in draw order
    std::vector<double> m_sorted;       ///< the same, ascending
};

} // namespace

SharedError commonError(const Sampled& sampled, const TailSample& pool, int pooled, const std::vector<double>& seconds)
{
    if (seconds.empty() || sampled.excess.empty())
        return {};
    const CommonError error(sampled, pool, pooled, seconds);
    return {error.quantile(0.5), error.quantile(0.95), error.quantile(0.99), error.mean()};
}

} // namespace prism
