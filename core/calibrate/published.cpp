// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/calibrate/published.h"

#include "core/cost/predictor.h"
#include "core/scenario/presetlibrary.h"
#include "core/schedule/zerobubble.h"
#include "core/workload/count.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace prism {
namespace {

/// What a tool's own report states of a suite, for comparison; empty where none is known (presets/peers/known.json).
std::string peerOf(const std::string& suite)
{
    const Result<nlohmann::json> known = presetObject("peers", "known");
    if (!known || !known->contains("suites"))
        return {};
    const nlohmann::json& suites = (*known)["suites"];
    const auto it = suites.find(suite);
    return it != suites.end() && it->is_string() ? it->get<std::string>() : std::string();
}

/// Ranks with ties at their mean.
std::vector<double> ranks(const std::vector<double>& x)
{
    std::vector<std::size_t> order(x.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return x[a] < x[b]; });
    std::vector<double> r(x.size());
    for (std::size_t i = 0; i < order.size();) {
        std::size_t j = i;
        while (j < order.size() && x[order[j]] == x[order[i]])
            ++j;
        for (std::size_t k = i; k < j; ++k)
            r[order[k]] = static_cast<double>(i + j - 1) / 2;
        i = j;
    }
    return r;
}

SuiteErrors errorsOf(const std::string& suite, const std::vector<const ValidatedRow*>& rows)
{
    SuiteErrors e;
    e.suite = suite;
    e.peer = peerOf(suite);
    std::vector<double> predicted, published;
    double memory = 0, bubble = 0;
    int memories = 0, bubbles = 0;
    for (const ValidatedRow* r : rows) {
        if (!r->skipped.empty()) {
            ++e.skipped;
            continue;
        }
        if (!r->excluded.empty()) {
            ++e.excluded;
            continue;
        }
        if (r->predictedMemoryGib > 0 && r->publishedMemoryGib > 0) {
            memory += std::abs(r->predictedMemoryGib / r->publishedMemoryGib - 1);
            ++memories;
        }
        if (r->predictedBubbleRate >= 0 && r->publishedBubbleRate >= 0) {
            bubble += std::abs(r->predictedBubbleRate - r->publishedBubbleRate);
            ++bubbles;
        }
        if (!r->hasError())
            continue;
        e.add(r->error);
        predicted.push_back(r->predictedSeconds);
        published.push_back(r->publishedSeconds);
    }
    if (memories > 0)
        e.memoryMeanAbs = memory / memories;
    if (bubbles > 0)
        e.bubbleMeanAbs = bubble / bubbles;
    e.rankCorrelation = rankCorrelation(predicted, published);
    return e;
}

/// FLOPs of a step as the row's source counts them; 0 when it does not state whether attention is counted whole.
double countedFlops(const PublishedRow& row, const CostedStep& step)
{
    const FlopsConvention& c = row.convention;
    if (c.attention != "full" && c.attention != "causal")
        return 0;
    const double model =
        modelFlopsPerToken(row.scenario.model, {c.attention == "causal", c.vocabulary.value_or(true)}) * step.tokensPerStep;
    return model + (c.recomputation.value_or(false) ? step.hardwareFlopsPerStep - step.modelFlopsPerStep : 0.0);
}

/// Profiled pass times in, step time out: only the schedule is tested, and how much longer a run takes than its profile
/// (core/schedule/zerobubble.h).
void validateSchedule(const PublishedRow& row, ValidatedRow& out)
{
    const ModelConfig& model = row.scenario.model;
    const PassProfile profile{row.profiled.forward, row.profiled.backward, row.profiled.weight, row.profiled.transfer,
                              zeroBubbleWeightShare(static_cast<double>(model.hiddenSize), static_cast<double>(model.numAttentionHeads),
                                                    static_cast<double>(model.seqLength))};
    const Result<RowPrediction> predicted =
        predictZeroBubbleRow(row.schedule, row.numStages, row.numChunks, row.numMicrobatches, profile, row.microBatch);
    if (!predicted) {
        out.skipped = predicted.errors().front().message;
        return;
    }
    out.predictedSeconds = predicted->iterationSeconds;
    out.predictedBubbleRate = predicted->bubbleRate;
    out.samplesPerSecondPerGpu = predicted->samplesPerSecond / row.numStages;
}

} // namespace

double rankCorrelation(const std::vector<double>& a, const std::vector<double>& b)
{
    if (a.size() < 3 || a.size() != b.size())
        return 0;
    const std::vector<double> x = ranks(a), y = ranks(b);
    const auto n = static_cast<double>(x.size());
    const double mx = std::accumulate(x.begin(), x.end(), 0.0) / n, my = std::accumulate(y.begin(), y.end(), 0.0) / n;
    double xy = 0, xx = 0, yy = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        xy += (x[i] - mx) * (y[i] - my);
        xx += (x[i] - mx) * (x[i] - mx);
        yy += (y[i] - my) * (y[i] - my);
    }
    return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
}

ValidatedRow validatedRow(const PublishedRow& row, const Calibration& calibration, double slowdown)
{
    ValidatedRow out;
    out.id = row.id;
    out.suite = row.suite;
    out.source = row.source;
    out.tier = row.tier;
    out.excluded = !row.suspect.empty() ? "suspect: " + row.suspect : !row.duplicateOf.empty() ? "the same log as " + row.duplicateOf : "";
    out.skipped = row.skipped;
    out.assumptions = row.assumptions;
    out.publishedSeconds = row.publishedSeconds;
    out.publishedMemoryGib = row.publishedMemoryGib;
    out.publishedBubbleRate = row.publishedBubbleRate;
    if (!out.skipped.empty())
        return out;
    ErrorBand band = errorBand(calibration, "");
    if (row.scheduleOnly) {
        validateSchedule(row, out);
    } else {
        const Result<CostedStep> step = costStepWith(row.scenario, calibration);
        if (!step) {
            const Diagnostic first = step.errors().front();
            out.skipped = first.path + ": " + first.message;
            return out;
        }
        band.low = step->errorBandLow;
        band.high = step->errorBandHigh;
        out.noiseFreeSeconds = step->noiseFreeSeconds;
        out.predictedSeconds = out.noiseFreeSeconds * slowdown;
        out.publishedTflops = row.publishedTflops;
        if (out.predictedSeconds > 0)
            out.predictedTflops =
                countedFlops(row, *step) / out.predictedSeconds / static_cast<double>(row.scenario.cluster.numGpus) * 1e-12;
        out.predictedMemoryGib = step->memory.peakGib - step->memory.outsideGib; // published: what the framework reserves
    }
    if (out.publishedSeconds > 0 && out.skipped.empty())
        out.error = out.predictedSeconds / out.publishedSeconds - 1;
    // The published value lies in the band when the error lies in [bandLow, bandHigh].
    out.bandLowSeconds = out.predictedSeconds / (1 + band.high);
    out.bandHighSeconds = out.predictedSeconds / (1 + band.low);
    return out;
}

ValidationReport validationReport(std::vector<ValidatedRow> rows)
{
    ValidationReport report;
    report.rows = std::move(rows);
    std::vector<std::string> order;
    std::map<std::string, std::vector<const ValidatedRow*>> bySuite;
    std::vector<const ValidatedRow*> all;
    int inside = 0, counted = 0;
    for (const ValidatedRow& r : report.rows) {
        if (!bySuite.contains(r.suite))
            order.push_back(r.suite);
        bySuite[r.suite].push_back(&r);
        if (r.predictedBubbleRate < 0) // rows that test the schedule alone stay out of the totals of the cost model
            all.push_back(&r);
        if (r.hasError() && r.excluded.empty() && r.predictedBubbleRate < 0) {
            ++counted;
            inside += r.publishedSeconds >= r.bandLowSeconds && r.publishedSeconds <= r.bandHighSeconds ? 1 : 0;
        }
    }
    for (const std::string& suite : order)
        report.suites.push_back(errorsOf(suite, bySuite[suite]));
    report.all = errorsOf("all", all);
    report.all.peer.clear();
    report.bandCoverage = counted > 0 ? static_cast<double>(inside) / counted : 0;
    return report;
}

} // namespace prism
