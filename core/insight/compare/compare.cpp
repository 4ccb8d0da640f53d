// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/compare/compare.h"

#include "core/insight/paired.h"
#include "core/insight/report.h"
#include "core/scenario/parameters.h"
#include "core/stats/distance.h"
#include "core/stats/random.h"

#include <nlohmann/json.hpp>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <numeric>

namespace prism {

namespace {

constexpr int kDefaultSamples = 1'000;
constexpr std::size_t kExactEdits = 6; ///< 2^6 = 64 evaluations
constexpr int kSampledOrders = 16;

Estimate probabilityBelow(const std::vector<double>& a, const std::vector<double>& b)
{
    const std::size_t n = std::min(a.size(), b.size());
    if (n == 0)
        return {};
    double wins = 0;
    for (std::size_t i = 0; i < n; ++i)
        wins += a[i] < b[i] ? 1.0 : a[i] == b[i] ? 0.5 : 0.0;
    return proportion(wins, static_cast<double>(n));
}

ComparedMetric metric(std::string name, std::string label, std::string unit, double a, double b, double halfWidth, bool lowerIsBetter)
{
    ComparedMetric f{std::move(name), std::move(label), std::move(unit), a, b, {b - a, halfWidth}, {}, lowerIsBetter};
    if (a != 0)
        f.relative = {(b - a) / a, halfWidth / std::abs(a)};
    return f;
}

std::vector<ComparedMetric> metricsOf(const Snapshot& a, const Snapshot& b, const MetricChange& change)
{
    using Summary = DistributionSummary;
    const auto seconds = [&](const char* name, const char* label, double Summary::*of, double Summary::*own, const Estimate& e) {
        ComparedMetric f = metric(name, label, "s", a.across.*of, b.across.*of, e.halfWidth, true);
        f.ownHalfWidth = std::max(a.across.*own, b.across.*own);
        return f;
    };
    std::vector<ComparedMetric> list{
        seconds("mean", "Mean step time", &Summary::mean, &Summary::ciMean, change.mean),
        seconds("std", "Standard deviation", &Summary::std, &Summary::ciMean, change.std), // of a normal sample 0.7 of it
        seconds("p50", "p50 step time", &Summary::p50, &Summary::ciP50, change.p50),
        seconds("p95", "p95 step time", &Summary::p95, &Summary::ciP95, change.p95),
        seconds("p99", "p99 step time", &Summary::p99, &Summary::ciP99, change.p99),
        metric("noise_free", "Noise-free step", "s", a.samples->noiseFreeSeconds, b.samples->noiseFreeSeconds, 0, true)};
    // Metrics that are constant over the median step carry its relative uncertainty.
    const double relative = a.across.p50 > 0 ? change.p50.halfWidth / a.across.p50 : 0;
    const double own = a.across.p50 > 0 && b.across.p50 > 0 ? std::max(a.across.ciP50 / a.across.p50, b.across.ciP50 / b.across.p50) : 0;
    const auto atMedian = [&](const char* name, const char* label, const char* unit, double Snapshot::*of, bool lowerIsBetter) {
        ComparedMetric f = metric(name, label, unit, a.*of, b.*of, relative * b.*of, lowerIsBetter);
        f.ownHalfWidth = own * std::max(a.*of, b.*of);
        return f;
    };
    list.push_back(atMedian("tokens_per_s", "Throughput", "tokens/s", &Snapshot::tokensPerSecond, false));
    list.push_back(atMedian("tflops_per_gpu", "Model FLOP/s per GPU", "TFLOP/s", &Snapshot::tflopsPerGpu, false));
    list.push_back(atMedian("mfu", "MFU", "", &Snapshot::mfu, false));
    list.push_back(metric("peak_memory_gib", "Peak memory", "GiB", a.costed->memory.peakGib, b.costed->memory.peakGib, 0, true));
    if (a.costUsd > 0 || b.costUsd > 0) {
        list.push_back(atMedian("days_to_train", "Training time", "days", &Snapshot::daysToTrain, true));
        list.push_back(atMedian("cost_usd", "Cost", "USD", &Snapshot::costUsd, true));
    }
    return list;
}

/// p95 of the scenario that has the edits of a subset (bit i = edit i of B applied to A), sampled when requested.
class Subsets final {
public:
    Subsets(Evaluator& evaluator, Scenario a, std::vector<const Parameter*> edits, Scenario b, EvaluateOptions options)
        : m_evaluator(evaluator),
          m_a(std::move(a)),
          m_b(std::move(b)),
          m_edits(std::move(edits)),
          m_options(std::move(options))
    {
    }

    /// Null where the mixture of A and B is impossible.
    const PairedSample* sample(std::uint64_t subset)
    {
        const auto found = m_samples.find(subset);
        if (found != m_samples.end())
            return found->second.get();
        Scenario mixed = m_a;
        for (std::size_t i = 0; i < m_edits.size(); ++i)
            if ((subset >> i) & 1U)
                m_edits[i]->set(mixed, m_edits[i]->get(m_b));
        const SnapshotPtr snapshot = m_evaluator.evaluate(mixed, m_options);
        auto& slot = m_samples[subset];
        if (snapshot->valid() && snapshot->samples && snapshot->samples->complete)
            slot = std::make_unique<PairedSample>(snapshot->samples);
        return slot.get();
    }
    [[nodiscard]] std::size_t count() const { return m_edits.size(); }

private:
    Evaluator& m_evaluator;
    Scenario m_a, m_b;
    std::vector<const Parameter*> m_edits;
    EvaluateOptions m_options;
    std::map<std::uint64_t, std::unique_ptr<PairedSample>> m_samples;
};

/// Accumulates what each edit adds in the orders that were walked. An impossible mixture counts as no change until the next
/// possible one, whose edit then carries the step: the sum over an order is always p95(B's edits) - p95(A).
struct Contributions {
    std::vector<double> sum, squares, halfWidths;
    int orders = 0;

    explicit Contributions(std::size_t n) : sum(n, 0.0), squares(n, 0.0), halfWidths(n, 0.0) {}
    void walk(Subsets& subsets, const std::vector<std::size_t>& order)
    {
        const PairedSample* last = subsets.sample(0);
        std::uint64_t subset = 0;
        for (const std::size_t edit : order) {
            subset |= std::uint64_t{1} << edit;
            const PairedSample* now = subsets.sample(subset);
            if (!now)
                continue;
            const Estimate step = pairedChange(*last, *now).p95;
            sum[edit] += step.value;
            squares[edit] += step.value * step.value;
            halfWidths[edit] += step.halfWidth;
            last = now;
        }
        ++orders;
    }
    /// Mean over the orders. The interval adds the sampling of orders to the (fully correlated) intervals of the differences.
    [[nodiscard]] Estimate of(std::size_t edit, bool exact) const
    {
        const double n = orders, mean = sum[edit] / n;
        const double variance = exact || n < 2 ? 0 : std::max(0.0, squares[edit] / n - mean * mean) / (n - 1);
        return {mean, std::hypot(halfWidths[edit] / n, normalReach() * std::sqrt(variance))};
    }
};

void fillWaterfall(Comparison& result, Subsets& subsets, const std::vector<const Parameter*>& edits, const Scenario& a, const Scenario& b,
                   const Estimate& total, const InsightOptions& options)
{
    const std::size_t n = edits.size();
    Contributions contributions(n);
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    result.waterfallExact = n <= kExactEdits;
    if (result.waterfallExact) {
        do
            contributions.walk(subsets, order);
        while (std::next_permutation(order.begin(), order.end()) && !options.stop.stop_requested());
    } else {
        for (int k = 0; k < kSampledOrders && !options.stop.stop_requested(); ++k) {
            if (k % 2 == 1) { // every second order is the reverse of the one before it: antithetic
                std::reverse(order.begin(), order.end());
            } else {
                for (std::size_t i = n - 1; i > 0; --i)
                    std::swap(order[i],
                              order[static_cast<std::size_t>(uniform(options.seed, stream(0xc0a9, static_cast<std::uint64_t>(k)), i)
                                                             * static_cast<double>(i + 1))]);
            }
            contributions.walk(subsets, order);
            if (options.progress)
                options.progress(static_cast<double>(k + 1) / kSampledOrders, "waterfall");
        }
    }
    result.waterfallOrders = contributions.orders;
    double explained = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const Estimate delta = contributions.of(i, result.waterfallExact);
        explained += delta.value;
        result.waterfall.push_back(
            {edits[i]->id, edits[i]->label, edits[i]->unit, parameterText(*edits[i], a), parameterText(*edits[i], b), delta});
    }
    std::stable_sort(result.waterfall.begin(), result.waterfall.end(), [](const WaterfallItem& x, const WaterfallItem& y) {
        return std::abs(x.deltaP95.value) > std::abs(y.deltaP95.value);
    });
    result.waterfall.push_back({"remainder", "Everything else", "", "", "", {total.value - explained, total.halfWidth}});
}

Diagnostics prefixed(const Diagnostics& diagnostics, const char* prefix)
{
    Diagnostics list = diagnostics;
    for (Diagnostic& d : list)
        d.path = prefix + d.path;
    return list;
}

} // namespace

Result<Comparison> compare(Evaluator& evaluator, const Scenario& a, const Scenario& b, const InsightOptions& options)
{
    const auto begin = std::chrono::steady_clock::now();
    Comparison result;
    result.nameA = a.name;
    result.nameB = b.name;
    result.seed = options.seed;
    result.samples = options.samples > 0 ? options.samples : kDefaultSamples;
    const EvaluateOptions evaluate = evaluateOptions(options, result.samples);
    const SnapshotPtr first = evaluator.evaluate(a, evaluate), second = evaluator.evaluate(b, evaluate);
    Diagnostics errors = first->valid() ? Diagnostics{} : prefixed(first->diagnostics, "a.");
    if (!second->valid())
        for (Diagnostic& d : prefixed(second->diagnostics, "b."))
            errors.push_back(std::move(d));
    if (hasErrors(errors))
        return errors;
    if (options.stop.stop_requested() || !first->samples->complete || !second->samples->complete)
        return cancelled();
    const PairedSample pairedA(first->samples), pairedB(second->samples);
    const MetricChange change = pairedChange(pairedA, pairedB);
    result.metrics = metricsOf(*first, *second, change);
    result.sortedA = first->sortedAcrossSeconds;
    result.sortedB = second->sortedAcrossSeconds;
    result.probabilityABetter = probabilityBelow(pairedA.seconds(), pairedB.seconds());
    result.ksDistance = ksDistance(result.sortedA, result.sortedB);
    result.wassersteinSeconds = wassersteinDistance(result.sortedA, result.sortedB);
    if (options.progress)
        options.progress(0.1, "waterfall");
    std::vector<const Parameter*> edits = differences(a, b);
    if (edits.size() > 40) { // beyond it single edits explain little; two unrelated scenarios
        result.notes.push_back(fmt::format("{} parameters differ; the p95 change is not split.", edits.size()));
        edits.clear();
    }
    Subsets subsets(evaluator, a, edits, b, evaluate);
    // The waterfall's ends are the compared values, so that it sums to the printed change.
    const Estimate total{second->across.p95 - first->across.p95, change.p95.halfWidth};
    if (!edits.empty())
        fillWaterfall(result, subsets, edits, a, b, total, options);
    else if (total.value != 0)
        result.waterfall.push_back({"remainder", "Everything else", "", "", "", total});
    if (options.stop.stop_requested())
        return cancelled();
    result.notes.emplace_back("P(A better) pairs steps of the same random job and step; ties count half.");
    result.elapsedSeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return result;
}

std::string toJson(const Comparison& c)
{
    nlohmann::ordered_json metrics = nlohmann::ordered_json::array(), waterfall = nlohmann::ordered_json::array();
    for (const ComparedMetric& f : c.metrics)
        metrics.push_back({{"name", f.name},
                           {"label", f.label},
                           {"unit", f.unit},
                           {"a", f.a},
                           {"b", f.b},
                           {"delta", report::json(f.delta)},
                           {"relative", report::json(f.relative)},
                           {"lower_is_better", f.lowerIsBetter}});
    for (const WaterfallItem& w : c.waterfall)
        waterfall.push_back({{"parameter", w.parameter},
                             {"label", w.label},
                             {"unit", w.unit},
                             {"from", w.from},
                             {"to", w.to},
                             {"delta_p95_s", report::json(w.deltaP95)}});
    return report::dump({{"a", c.nameA},
                         {"b", c.nameB},
                         {"figures", std::move(metrics)},
                         {"probability_a_better", report::json(c.probabilityABetter)},
                         {"ks_distance", c.ksDistance},
                         {"wasserstein_s", c.wassersteinSeconds},
                         {"waterfall", std::move(waterfall)},
                         {"waterfall_exact", c.waterfallExact},
                         {"waterfall_orders", c.waterfallOrders},
                         {"samples", c.samples},
                         {"seed", c.seed},
                         {"elapsed_s", c.elapsedSeconds},
                         {"notes", c.notes}});
}

std::string toCsv(const Comparison& c, TableText texts)
{
    using report::number;
    std::string text = "kind,name,unit,a,b,delta,delta_ci95,relative,relative_ci95\n";
    for (const ComparedMetric& f : c.metrics)
        text += report::row({"figure", f.name, report::field(f.unit, texts), number(f.a), number(f.b), number(f.delta.value),
                             number(f.delta.halfWidth), number(f.relative.value), number(f.relative.halfWidth)});
    text += report::row(
        {"figure", "probability_a_better", "", "", "", number(c.probabilityABetter.value), number(c.probabilityABetter.halfWidth), "", ""});
    text += report::row({"figure", "ks_distance", "", "", "", number(c.ksDistance), "", "", ""});
    text += report::row({"figure", "wasserstein", "s", "", "", number(c.wassersteinSeconds), "", "", ""});
    for (const WaterfallItem& w : c.waterfall)
        text += report::row({"waterfall_p95", report::field(w.parameter, texts), "s", report::valueField(w.from, texts),
                             report::valueField(w.to, texts), number(w.deltaP95.value), number(w.deltaP95.halfWidth), "", ""});
    return text;
}

} // namespace prism
