// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/explore/race.h"

#include "core/base/timeunits.h"

#include <boost/math/distributions/normal.hpp>

#include <algorithm>
#include <set>

namespace prism {
namespace {

class Race final {
public:
    explicit Race(const RaceInputs& inputs)
        : m_in(inputs),
          m_points(inputs.fitting),
          m_reach(boost::math::quantile(boost::math::normal(), 0.5 + inputs.query.confidence / 2) / normalReach())
    {
        for (std::size_t i = 0; i < m_points.size(); ++i)
            m_waiting.emplace(smallest(m_points[i]), i);
    }
    RaceResult run()
    {
        join();
        refine();
        for (const auto& [score, at] : m_waiting)
            m_out.boundOnly += m_points[at].bound ? 1 : 0;
        return std::move(m_out);
    }

private:
    [[nodiscard]] double smallest(const QuickPoint& p) const { return minScore(m_in.query.objective, p, m_in.maker.at(p.index)); }
    [[nodiscard]] double halfWidth(const Runner& r) const { return m_reach * r.score.halfWidth; }
    [[nodiscard]] double border() const;
    void join();
    void settle(std::size_t at);
    void refine();
    bool sample(Runner& runner, int samples);
    [[nodiscard]] bool same(const Runner& a, const Runner& b) const;
    void add(Runner runner);
    void report(double fraction) const
    {
        if (m_in.progress)
            m_in.progress(fraction);
    }

    const RaceInputs& m_in;
    std::vector<QuickPoint> m_points;
    double m_reach; ///< of the confidence requested over that of 95 %
    std::set<std::pair<double, std::size_t>> m_waiting;
    RaceResult m_out;
};

/// Upper end of the interval of the keep-th best; infinite before there are as many.
double Race::border() const
{
    const auto keep = static_cast<std::size_t>(m_in.query.keep);
    if (m_out.runners.size() < keep)
        return INFINITY;
    std::vector<double> upper;
    for (const Runner& r : m_out.runners)
        upper.push_back(r.score.value + halfWidth(r));
    std::nth_element(upper.begin(), upper.begin() + static_cast<std::ptrdiff_t>(keep - 1), upper.end());
    return upper[keep - 1];
}

bool Race::sample(Runner& runner, int samples)
{
    const std::optional<SampleRow> row = m_in.rows(runner.point.index, samples);
    m_out.stopped = m_out.stopped || !row;
    if (!row)
        return false;
    runner.row = *row;
    runner.score = scoreOf(m_in.query.objective, *row, runner.point.tokensPerStep, m_in.maker.at(runner.point.index));
    return true;
}

/// Whether two runners with as many samples are the same job under two names: all draws are shared, so the results are bitwise equal.
bool Race::same(const Runner& a, const Runner& b) const
{
    const auto equal = [](const Estimate& x, const Estimate& y) { return x.value == y.value && x.halfWidth == y.halfWidth; };
    const SampleRow &x = a.row, &y = b.row;
    if (x.noiseFreeSeconds != y.noiseFreeSeconds || x.peakGib != y.peakGib || x.capacityGib != y.capacityGib
        || a.point.tokensPerStep != b.point.tokensPerStep || !equal(x.mean, y.mean) || !equal(x.p50, y.p50) || !equal(x.p95, y.p95)
        || !equal(x.p99, y.p99) || !equal(x.probability, y.probability))
        return false;
    const Scenario one = m_in.maker.at(a.point.index), other = m_in.maker.at(b.point.index);
    const auto per = [](ExploreObjective::Per what, const Scenario& s) { return perMillionTokens(what, 1.0, 1.0, s); };
    return one.cluster.numGpus == other.cluster.numGpus
           && per(ExploreObjective::Per::dollar, one) == per(ExploreObjective::Per::dollar, other)
           && per(ExploreObjective::Per::energy, one) == per(ExploreObjective::Per::energy, other);
}

void Race::add(Runner runner)
{
    for (Runner& known : m_out.runners)
        if (same(known, runner)) {
            known.equals.push_back(runner.point.index);
            return;
        }
    m_out.runners.push_back(std::move(runner));
}

/// A point of which only a bound is known is costed exactly and takes its place again.
void Race::settle(std::size_t at)
{
    QuickPoint& point = m_points[at];
    const std::optional<SampleRow> row = m_in.rows(point.index, 0);
    m_out.stopped = m_out.stopped || !row;
    if (!row)
        return;
    if (!row->fits) {
        m_out.firstUnfit = m_out.doesNotFit++ == 0 ? point.index : std::min(m_out.firstUnfit, point.index);
        return;
    }
    point = {point.index, row->noiseFreeSeconds, row->peakGib, row->capacityGib, point.tokensPerStep, false};
    m_waiting.emplace(smallest(point), at);
}

void Race::join()
{
    while (!m_waiting.empty() && !m_out.stopped && m_waiting.begin()->first <= border()) {
        const std::size_t at = m_waiting.begin()->second;
        if (m_points[at].bound) {
            m_waiting.erase(m_waiting.begin());
            settle(at);
            continue;
        }
        if (m_out.runners.size() == static_cast<std::size_t>(m_in.query.maxSampled)) {
            m_out.cut = true;
            return;
        }
        m_waiting.erase(m_waiting.begin());
        Runner runner{m_points[at], {}, {}};
        if (sample(runner, kFirstSamples))
            add(std::move(runner));
        report(0.5 * static_cast<double>(m_out.runners.size()) / m_in.query.maxSampled);
    }
}

void Race::refine()
{
    for (int samples = 2 * kFirstSamples; samples <= kMaxSamples && !m_out.stopped; samples *= 2) {
        const double edge = border();
        for (Runner& r : m_out.runners)
            if (r.score.value - halfWidth(r) <= edge && !sample(r, samples))
                return;
        report(0.5 + 0.5 * samples / kMaxSamples);
    }
}

} // namespace

Estimate scoreOf(const ExploreObjective& objective, const SampleRow& row, double tokensPerStep, const Scenario& scenario)
{
    using Metric = ExploreObjective::Metric;
    if (objective.isProbability())
        return row.probability;
    const Estimate& metric = objective.metric == Metric::mean  ? row.mean
                             : objective.metric == Metric::p50 ? row.p50
                             : objective.metric == Metric::p95 ? row.p95
                                                               : row.p99;
    return {perMillionTokens(objective.per, metric.value, tokensPerStep, scenario),
            perMillionTokens(objective.per, metric.halfWidth, tokensPerStep, scenario)};
}

double minScore(const ExploreObjective& objective, const QuickPoint& point, const Scenario& scenario)
{
    // Every other step is longer than the noise-free one.
    constexpr double kHalf = 0.5;
    if (objective.metric == ExploreObjective::Metric::exceedance)
        return point.noiseFreeSeconds > objective.limit ? kHalf : 0;
    if (objective.metric == ExploreObjective::Metric::lateness) {
        const double days = scenario.training.trainTokens / point.tokensPerStep * point.noiseFreeSeconds / kSecondsPerDay;
        return days > objective.limit ? kHalf : 0;
    }
    return perMillionTokens(objective.per, point.noiseFreeSeconds, point.tokensPerStep, scenario);
}

RaceResult race(const RaceInputs& inputs)
{
    return Race(inputs).run();
}

} // namespace prism
