// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/explore/explore.h"

#include "core/stats/intervals.h"
#include "core/stats/random.h"

#include <boost/math/distributions/normal.hpp>
#include <spdlog/fmt/fmt.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>

namespace prism {
namespace {

constexpr int kFirstSamples = 512, kMostSamples = 4'096;
constexpr int kDrawsOfChance = 2'000;
constexpr double kMillion = 1e6, kBillion = 1e9, kSecondsPerHour = 3'600;
constexpr std::size_t kMostReasons = 40;

/// What the deterministic pass keeps of a point.
struct Quick {
    std::int64_t index = 0;
    double noiseFree = 0, peak = 0, capacity = 0, tokens = 0;
};

struct Rejected {
    std::int64_t index = 0;
    std::string reason;
};

/// Score of a step of that many seconds: seconds or USD per million tokens.
double scoreOf(const ExploreObjective& objective, double seconds, double tokens, const ClusterConfig& cluster)
{
    const double time = seconds / tokens * kMillion;
    return objective.perDollar ? time / kSecondsPerHour * static_cast<double>(cluster.numGpus) * cluster.gpuHourPriceUsd : time;
}

std::string reasonOf(const Diagnostics& errors)
{
    for (const Diagnostic& d : errors)
        if (d.severity == Severity::error)
            return d.path + ": " + d.message;
    return "invalid";
}

class Search final {
public:
    Search(Evaluator& evaluator, const ExploreQuery& query, PointMaker maker, const InsightOptions& options)
        : m_evaluator(evaluator),
          m_query(query),
          m_maker(std::move(maker)),
          m_options(options)
    {
    }

    void quickPass();
    void race();
    void rank();
    [[nodiscard]] Exploration take() { return std::move(m_out); }
    [[nodiscard]] const Exploration& out() const { return m_out; }
    [[nodiscard]] bool stopped() const { return m_options.stop.stop_requested(); }

private:
    [[nodiscard]] double lowerBound(const Quick& q) const;
    [[nodiscard]] double border() const;
    void sample(ExploreCandidate& c, int samples);
    void refine();
    void setChances();
    void setPareto();
    void countRejected(std::vector<std::vector<Rejected>>& parts);
    void report(double fraction, const char* what) const
    {
        if (m_options.progress)
            m_options.progress(fraction, what);
    }

    Evaluator& m_evaluator;
    const ExploreQuery& m_query;
    PointMaker m_maker;
    InsightOptions m_options;
    Exploration m_out;
    std::vector<Quick> m_fitting;        ///< by lower bound
    std::vector<std::int64_t> m_indices; ///< of the candidates
};

void Search::countRejected(std::vector<std::vector<Rejected>>& parts)
{
    std::map<std::string, ExploreRejection> byReason;
    for (const auto& part : parts)
        for (const Rejected& r : part) {
            ExploreRejection& e = byReason[r.reason];
            if (e.count++ == 0) {
                e.reason = r.reason;
                for (const auto& [id, value] : valuesOf(m_query.space, r.index))
                    e.example += (e.example.empty() ? "" : ", ") + id + " = " + value;
            }
        }
    for (auto& [reason, rejection] : byReason)
        m_out.rejected.push_back(std::move(rejection));
    std::stable_sort(m_out.rejected.begin(), m_out.rejected.end(), [](const auto& a, const auto& b) { return a.count > b.count; });
    if (m_out.rejected.size() > kMostReasons)
        m_out.rejected.resize(kMostReasons);
}

void Search::quickPass()
{
    const std::int64_t points = m_query.space.size();
    m_out.points = points;
    constexpr std::int64_t kPart = 256;
    const std::int64_t parts = (points + kPart - 1) / kPart;
    std::vector<std::vector<Quick>> fitting(static_cast<std::size_t>(parts));
    std::vector<std::vector<Rejected>> rejected(static_cast<std::size_t>(parts));
    std::vector<std::int64_t> valid(static_cast<std::size_t>(parts), 0);
    tbb::task_arena arena(m_options.threads > 0 ? m_options.threads : tbb::task_arena::automatic);
    arena.execute([&] {
        tbb::parallel_for(std::int64_t{0}, parts, [&](std::int64_t part) {
            const auto at = static_cast<std::size_t>(part);
            for (std::int64_t i = part * kPart; i < std::min(points, (part + 1) * kPart) && !stopped(); ++i) {
                const Result<CostedStep> costed = costStep(m_maker.at(i));
                if (!costed.ok()) {
                    rejected[at].push_back({i, reasonOf(costed.errors())});
                    continue;
                }
                ++valid[at];
                const MemoryReport& memory = costed->memory;
                if (!memory.fits || memory.peakGib + m_query.memoryMarginGib > memory.capacityGib)
                    rejected[at].push_back({i, "memory: does not fit"});
                else
                    fitting[at].push_back({i, costed->noiseFreeSeconds, memory.peakGib, memory.capacityGib, costed->tokensPerStep});
            }
        });
    });
    for (std::size_t i = 0; i < fitting.size(); ++i) {
        m_out.valid += valid[i];
        m_fitting.insert(m_fitting.end(), fitting[i].begin(), fitting[i].end());
    }
    m_out.fitting = static_cast<std::int64_t>(m_fitting.size());
    countRejected(rejected);
    std::stable_sort(m_fitting.begin(), m_fitting.end(), [&](const Quick& a, const Quick& b) { return lowerBound(a) < lowerBound(b); });
}

double Search::lowerBound(const Quick& q) const
{
    return scoreOf(m_query.objective, q.noiseFree, q.tokens, m_maker.at(q.index).cluster);
}

/// Upper end of the interval of the keep-th best; infinite before there are as many.
double Search::border() const
{
    if (m_out.candidates.size() < static_cast<std::size_t>(m_query.keep))
        return INFINITY;
    std::vector<double> upper;
    for (const ExploreCandidate& c : m_out.candidates)
        upper.push_back(c.score.value + c.score.halfWidth);
    std::nth_element(upper.begin(), upper.begin() + (m_query.keep - 1), upper.end());
    return upper[static_cast<std::size_t>(m_query.keep - 1)];
}

void Search::sample(ExploreCandidate& c, int samples)
{
    const std::size_t at = static_cast<std::size_t>(&c - m_out.candidates.data());
    const Scenario scenario = m_maker.at(m_indices[at]);
    const Result<CostedStep> costed = costStep(scenario);
    SimOptions sim;
    sim.seed = m_options.seed;
    sim.numSamples = samples;
    sim.numThreads = m_options.threads;
    sim.numWithinSamples = -1;
    sim.stop = m_options.stop;
    const auto run = m_evaluator.samples(costed->graph, sim);
    if (!run->complete)
        return;
    const DistributionSummary s = summarize(run->acrossSeconds, run.get());
    c.mean = {s.mean, s.ciMean};
    c.p50 = {s.p50, s.ciP50};
    c.p95 = {s.p95, s.ciP95};
    c.p99 = {s.p99, s.ciP99};
    c.samples = samples;
    using Figure = ExploreObjective::Figure;
    const Estimate& figure = m_query.objective.figure == Figure::mean  ? c.mean
                             : m_query.objective.figure == Figure::p50 ? c.p50
                             : m_query.objective.figure == Figure::p95 ? c.p95
                                                                       : c.p99;
    const auto score = [&](double seconds) { return scoreOf(m_query.objective, seconds, costed->tokensPerStep, scenario.cluster); };
    c.score = {score(figure.value), score(figure.halfWidth)};
    c.meanScore = score(c.mean.value);
    const ExploreObjective cost{m_query.objective.figure, true};
    c.usdPerBillionTokens = scoreOf(cost, figure.value, costed->tokensPerStep, scenario.cluster) * kBillion / kMillion;
}

void Search::race()
{
    m_out.candidates.reserve(static_cast<std::size_t>(m_query.mostSampled));
    for (const Quick& q : m_fitting) {
        if (stopped() || lowerBound(q) > border())
            break;
        if (m_out.candidates.size() == static_cast<std::size_t>(m_query.mostSampled)) {
            m_out.cut = true;
            break;
        }
        ExploreCandidate c;
        c.values = valuesOf(m_query.space, q.index);
        c.noiseFreeSeconds = q.noiseFree;
        c.peakMemoryGib = q.peak;
        c.capacityGib = q.capacity;
        c.tokensPerStep = q.tokens;
        c.gpus = static_cast<double>(m_maker.at(q.index).cluster.numGpus);
        m_indices.push_back(q.index);
        m_out.candidates.push_back(std::move(c));
        sample(m_out.candidates.back(), kFirstSamples);
        report(0.2 + 0.5 * static_cast<double>(m_out.candidates.size()) / m_query.mostSampled, "sampling");
    }
    refine();
}

/// More samples for those that may stand on either side of the border, until their intervals leave it or the last round is done.
void Search::refine()
{
    for (int samples = 2 * kFirstSamples; samples <= kMostSamples && !stopped(); samples *= 2) {
        const double edge = border();
        for (ExploreCandidate& c : m_out.candidates)
            if (!stopped() && c.score.value - c.score.halfWidth <= edge)
                sample(c, samples);
        report(0.7 + 0.3 * samples / kMostSamples, "refining");
    }
}

/// How often each is the best when every score is drawn from the normal distribution of its interval.
void Search::setChances()
{
    const boost::math::normal unit;
    std::vector<int> wins(m_out.candidates.size(), 0);
    for (int draw = 0; draw < kDrawsOfChance; ++draw) {
        std::size_t best = 0;
        double least = INFINITY;
        for (std::size_t i = 0; i < m_out.candidates.size(); ++i) {
            const Estimate& s = m_out.candidates[i].score;
            const double u = uniform(m_options.seed, stream(0x6578706cULL, i), static_cast<std::uint64_t>(draw));
            const double x = s.value + s.halfWidth / normalReach() * boost::math::quantile(unit, u);
            if (x < least) {
                least = x;
                best = i;
            }
        }
        ++wins[best];
    }
    for (std::size_t i = 0; i < wins.size(); ++i)
        m_out.candidates[i].chanceBest = static_cast<double>(wins[i]) / kDrawsOfChance;
}

void Search::setPareto()
{
    const auto time = [](const ExploreCandidate& c) { return c.p95.value / c.tokensPerStep; };
    for (ExploreCandidate& c : m_out.candidates)
        c.pareto = std::none_of(m_out.candidates.begin(), m_out.candidates.end(), [&](const ExploreCandidate& o) {
            const bool noWorse = time(o) <= time(c) && o.peakMemoryGib <= c.peakMemoryGib && o.usdPerBillionTokens <= c.usdPerBillionTokens;
            return noWorse && (time(o) < time(c) || o.peakMemoryGib < c.peakMemoryGib || o.usdPerBillionTokens < c.usdPerBillionTokens);
        });
}

void Search::rank()
{
    std::erase_if(m_out.candidates, [](const ExploreCandidate& c) { return c.samples == 0; });
    std::stable_sort(m_out.candidates.begin(), m_out.candidates.end(),
                     [](const ExploreCandidate& a, const ExploreCandidate& b) { return a.score.value < b.score.value; });
    setChances();
    setPareto();
    const auto best = std::min_element(m_out.candidates.begin(), m_out.candidates.end(),
                                       [](const ExploreCandidate& a, const ExploreCandidate& b) { return a.meanScore < b.meanScore; });
    m_out.bestByMean = static_cast<std::size_t>(best - m_out.candidates.begin());
    const Estimate &a = best->score, &b = m_out.candidates.front().score;
    m_out.priceOfMean = {a.value - b.value, m_out.bestByMean == 0 ? 0 : std::hypot(a.halfWidth, b.halfWidth)};
    if (m_out.cut)
        m_out.notes.push_back(
            fmt::format("The search stopped at {} sampled configurations before the ranking was known; narrow an axis or raise --most.",
                        m_query.mostSampled));
}

Diagnostics refused(const ExploreQuery& query)
{
    Diagnostics errors;
    const std::int64_t points = query.space.size();
    if (points == 0)
        errors.push_back({Severity::error, "axis", "The space is empty.", "0 configurations", "at least one axis with a value", "", ""});
    if (points > query.mostPoints) {
        const auto longest = std::max_element(query.space.axes.begin(), query.space.axes.end(),
                                              [](const SearchAxis& a, const SearchAxis& b) { return a.values.size() < b.values.size(); });
        errors.push_back({Severity::error, longest->ids.front(), "The space is too large; narrow this axis, the longest, first.",
                          std::to_string(points) + " configurations", "at most " + std::to_string(query.mostPoints), "", ""});
    }
    if (query.keep < 1 || query.keep > 100 || query.mostSampled < query.keep)
        errors.push_back({Severity::error, "keep", "The number of best configurations is out of range.", std::to_string(query.keep),
                          "1 to 100, and at most --most", "", ""});
    return errors;
}

Diagnostics nothingFits(const Exploration& e)
{
    Diagnostics errors{{Severity::error, "axis", "No configuration of the space is valid and fits into memory.",
                        std::to_string(e.points) + " configurations", "a wider space", "", ""}};
    for (const ExploreRejection& r : e.rejected)
        errors.push_back({Severity::error, "axis", fmt::format("{} configurations: {}", r.count, r.reason), r.example, "", "", ""});
    return errors;
}

} // namespace

Result<ExploreObjective> exploreObjective(const std::string& text)
{
    using Figure = ExploreObjective::Figure;
    ExploreObjective objective;
    objective.perDollar = text.starts_with("cost_");
    const std::string figure = objective.perDollar ? text.substr(5) : text;
    const std::map<std::string, Figure> names = {{"mean", Figure::mean}, {"p50", Figure::p50}, {"p95", Figure::p95}, {"p99", Figure::p99}};
    const auto it = names.find(figure);
    if (it == names.end())
        return Diagnostic{Severity::error,
                          "objective",
                          "This is no objective.",
                          text.substr(0, 40),
                          "mean, p50, p95, p99, or cost_ before one of them",
                          "",
                          ""};
    objective.figure = it->second;
    return objective;
}

Result<Exploration> explore(Evaluator& evaluator, const Scenario& scenario, const ExploreQuery& query, const InsightOptions& options)
{
    const auto begin = std::chrono::steady_clock::now();
    const auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); };
    if (Diagnostics errors = refused(query); hasErrors(errors))
        return errors;
    Result<PointMaker> maker = PointMaker::make(query.space, scenario);
    if (!maker.ok())
        return maker.errors();
    Search search(evaluator, query, std::move(maker).value(), options);
    search.quickPass();
    const double deterministic = elapsed();
    if (search.stopped())
        return cancelled();
    if (search.out().fitting == 0)
        return nothingFits(search.out());
    search.race();
    if (search.stopped())
        return cancelled();
    search.rank();
    Exploration result = search.take();
    result.seed = options.seed;
    result.deterministicSeconds = deterministic;
    result.elapsedSeconds = elapsed();
    return result;
}

} // namespace prism
