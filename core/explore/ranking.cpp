// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/explore/ranking.h"

#include "core/stats/random.h"

#include <boost/math/distributions/normal.hpp>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>

namespace prism {
namespace {

using Per = ExploreObjective::Per;

constexpr int kBestDraws = 2'000;
constexpr double kMillionsPerBillion = 1'000;
constexpr std::uint64_t kBestPurpose = 0x6578706cULL;

ExploreCandidate candidateOf(const Runner& r, const PointMaker& maker, const ExploreQuery& query)
{
    const Scenario scenario = maker.at(r.point.index);
    ExploreCandidate c;
    c.index = r.point.index;
    c.values = valuesOf(query.space, r.point.index);
    for (const std::int64_t equal : r.equals)
        c.equals.push_back(valuesOf(query.space, equal));
    c.noiseFreeSeconds = r.row.noiseFreeSeconds;
    c.peakMemoryGib = r.row.peakGib;
    c.capacityGib = r.row.capacityGib;
    c.gpus = static_cast<double>(scenario.cluster.numGpus);
    c.tokensPerStep = r.point.tokensPerStep;
    c.mean = r.row.mean;
    c.p50 = r.row.p50;
    c.p95 = r.row.p95;
    c.p99 = r.row.p99;
    c.score = r.score;
    c.samples = r.row.samples;
    ExploreObjective metric = query.objective;
    metric.metric = metric.isProbability() ? ExploreObjective::Metric::mean : metric.metric;
    const auto per = [&](Per what) {
        metric.per = what;
        return scoreOf(metric, r.row, c.tokensPerStep, scenario).value * kMillionsPerBillion;
    };
    c.usdPerBillionTokens = per(Per::dollar);
    c.kwhPerBillionTokens = per(Per::energy);
    c.meanScore = perMillionTokens(Per::time, c.mean.value, c.tokensPerStep, scenario);
    c.p95Score = perMillionTokens(Per::time, c.p95.value, c.tokensPerStep, scenario);
    return c;
}

/// How often each is the best when every score is drawn from the normal distribution of its interval. One draw more is shared by all: what
/// was never seen in the draws is rare, not impossible.
void setProbabilities(Exploration& out)
{
    const boost::math::normal unit;
    std::vector<int> wins(out.candidates.size(), 0);
    for (int draw = 0; draw < kBestDraws; ++draw) {
        std::size_t best = 0;
        double smallest = INFINITY;
        for (std::size_t i = 0; i < out.candidates.size(); ++i) {
            const Estimate& s = out.candidates[i].score;
            const auto named = static_cast<std::uint64_t>(out.candidates[i].index);
            const double u = uniform(out.seed, stream(kBestPurpose, named), static_cast<std::uint64_t>(draw));
            const double x = s.value + s.halfWidth / normalReach() * boost::math::quantile(unit, u);
            if (x < smallest) {
                smallest = x;
                best = i;
            }
        }
        ++wins[best];
    }
    const double shared = 1.0 / static_cast<double>(std::max<std::size_t>(wins.size(), 1));
    for (std::size_t i = 0; i < wins.size(); ++i)
        out.candidates[i].probabilityBest = (wins[i] + shared) / (kBestDraws + 1);
}

double along(ParetoAxis axis, const ExploreCandidate& c)
{
    switch (axis) {
    case ParetoAxis::time:
        return c.p95Score;
    case ParetoAxis::memory:
        return c.peakMemoryGib;
    case ParetoAxis::cost:
        return c.usdPerBillionTokens;
    case ParetoAxis::gpus:
        return c.gpus;
    case ParetoAxis::energy:
        break;
    }
    return c.kwhPerBillionTokens;
}

void setPareto(Exploration& out)
{
    const std::vector<ParetoAxis>& axes = out.query.pareto;
    const auto beats = [&](const ExploreCandidate& a, const ExploreCandidate& b) {
        const bool noWorse = std::all_of(axes.begin(), axes.end(), [&](ParetoAxis x) { return along(x, a) <= along(x, b); });
        return noWorse && std::any_of(axes.begin(), axes.end(), [&](ParetoAxis x) { return along(x, a) < along(x, b); });
    };
    for (ExploreCandidate& c : out.candidates)
        c.pareto = std::none_of(out.candidates.begin(), out.candidates.end(), [&](const ExploreCandidate& o) { return beats(o, c); });
}

std::size_t minBy(const std::vector<ExploreCandidate>& candidates, double ExploreCandidate::*metric)
{
    const auto best = std::min_element(candidates.begin(), candidates.end(),
                                       [metric](const ExploreCandidate& a, const ExploreCandidate& b) { return a.*metric < b.*metric; });
    return static_cast<std::size_t>(best - candidates.begin());
}

void setBests(Exploration& out)
{
    const auto& all = out.candidates;
    out.bestByMean = minBy(all, &ExploreCandidate::meanScore);
    out.bestByP95 = minBy(all, &ExploreCandidate::p95Score);
    const ExploreCandidate &mean = all[out.bestByMean], &p95 = all[out.bestByP95];
    out.priceOfMean = {mean.score.value - all.front().score.value,
                       out.bestByMean == 0 ? 0 : std::hypot(mean.score.halfWidth, all.front().score.halfWidth)};
    const double perStep = p95.tokensPerStep / mean.tokensPerStep; // of the step that the best by p95 makes
    out.p95OfMean = {mean.p95.value * perStep - p95.p95.value,
                     out.bestByMean == out.bestByP95 ? 0 : std::hypot(mean.p95.halfWidth * perStep, p95.p95.halfWidth)};
}

} // namespace

void rank(const RaceResult& race, const PointMaker& maker, Exploration& out)
{
    for (const Runner& r : race.runners)
        out.candidates.push_back(candidateOf(r, maker, out.query));
    std::stable_sort(out.candidates.begin(), out.candidates.end(),
                     [](const ExploreCandidate& a, const ExploreCandidate& b) { return a.score.value < b.score.value; });
    out.cut = race.cut;
    if (out.candidates.empty())
        return;
    for (std::size_t i = 1; i < out.candidates.size(); ++i) {
        const bool tie = out.candidates[i].score.value == out.candidates[i - 1].score.value;
        out.candidates[i].rank = tie ? out.candidates[i - 1].rank : static_cast<int>(i) + 1;
    }
    setProbabilities(out);
    setPareto(out);
    setBests(out);
    if (race.cut)
        out.notes.push_back(
            fmt::format("The search stopped at {} sampled configurations before the ranking was known; narrow an axis or raise --most.",
                        out.query.maxSampled));
    if (race.boundOnly > 0)
        out.notes.push_back(fmt::format("{} configurations with a planned schedule were rejected by the lower bound of their step time; "
                                        "whether they fit was not looked at.",
                                        race.boundOnly));
}

} // namespace prism
