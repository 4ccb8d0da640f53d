// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/scale/scale.h"

#include "core/base/timeunits.h"
#include "core/cost/predictor.h"
#include "core/engine/verdict.h"
#include "core/insight/report.h"

#include <nlohmann/json.hpp>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <chrono>

namespace prism {

namespace {

constexpr int kDefaultSamples = 500;
constexpr std::size_t kMaxPoints = 100;

std::int64_t gpusPerReplica(const Scenario& s)
{
    return std::int64_t{s.parallelism.tensorModelParallelSize} * s.parallelism.contextParallelSize
           * s.parallelism.pipelineModelParallelSize;
}

/// The slow places in a cluster of another size: each on its stage, in its replica where there is one of this number, so that no size
/// looks better because a slow node lies outside of it. Places that fall together are one.
std::vector<SlowEntry> carriedSlow(const Scenario& scenario, const Scenario& target)
{
    if (scenario.variability.slow.empty() || target.dataParallelSize() <= 0)
        return {};
    const std::vector<RankPosition> here = rankLayout(scenario), there = rankLayout(target);
    const int perNode = std::max(1, scenario.cluster.gpusPerNode);
    const std::vector<int>& order = scenario.measured.nodeOrder;
    std::vector<SlowEntry> carried;
    for (SlowEntry entry : scenario.variability.slow) {
        const auto at = entry.node >= 0 && !order.empty() ? std::find(order.begin(), order.end(), entry.node) - order.begin() : entry.node;
        const auto rank = static_cast<std::size_t>(entry.node >= 0 ? at * perNode : entry.rank);
        if (rank >= here.size())
            continue;
        const int stage = here[rank].stage, replica = here[rank].replica % static_cast<int>(target.dataParallelSize());
        const auto found =
            std::find_if(there.begin(), there.end(), [&](const RankPosition& r) { return r.stage == stage && r.replica == replica; });
        if (found == there.end())
            continue;
        const int place = static_cast<int>(found - there.begin());
        (entry.node >= 0 ? entry.node : entry.rank) = entry.node >= 0 ? place / perNode : place;
        if (std::none_of(carried.begin(), carried.end(), [&](const SlowEntry& e) { return e.node == entry.node && e.rank == entry.rank; }))
            carried.push_back(entry);
    }
    return carried;
}

void fill(ScalePoint& point, const Snapshot& snapshot)
{
    const Scenario& s = snapshot.scenario;
    point.dataParallel = snapshot.costed->world.dp;
    point.globalBatch = s.training.globalBatchSize;
    point.microbatches = snapshot.costed->world.numMicrobatches;
    point.step = snapshot.across;
    point.noiseFreeSeconds = snapshot.samples->noiseFreeSeconds;
    point.tokensPerSecond = snapshot.tokensPerSecond;
    point.tflopsPerGpu = snapshot.tflopsPerGpu;
    point.mfu = {snapshot.mfu, snapshot.across.p50 > 0 ? snapshot.mfu * snapshot.across.ciP50 / snapshot.across.p50 : 0};
    const double usdPerSecond = static_cast<double>(point.gpus) * s.cluster.gpuHourPriceUsd / kSecondsPerHour;
    if (point.tokensPerSecond > 0) {
        point.costPerBillionTokensUsd = 1e9 / point.tokensPerSecond * usdPerSecond;
        const double seconds = s.training.trainTokens / point.tokensPerSecond;
        point.daysToTrain = seconds / kSecondsPerDay;
        point.costUsd = seconds * usdPerSecond;
    }
    point.valid = true;
    if (!snapshot.costed->memory.fits)
        point.problem = fmt::format("needs {:.1f} GiB of {:.1f} GiB", snapshot.costed->memory.peakGib, snapshot.costed->memory.capacityGib);
    for (const Caveat& caveat : verdictOf(snapshot).caveats)
        if (caveat.kind == Caveat::Kind::outsideCalibration)
            point.outside.push_back(caveat.sentence);
}

void setEfficiencies(ScaleCurve& curve)
{
    double reference = 0;
    for (ScalePoint& p : curve.points) {
        if (!p.valid)
            continue;
        const double perGpu = p.tokensPerSecond / static_cast<double>(p.gpus);
        if (reference == 0 && p.problem.empty())
            reference = perGpu;
        p.efficiency = p.problem.empty() && reference > 0 ? perGpu / reference : 0;
    }
}

} // namespace

Scenario atScale(const Scenario& scenario, ScaleMode mode, std::int64_t gpus)
{
    Scenario s = scenario;
    s.cluster.numGpus = gpus;
    if (gpus != scenario.cluster.numGpus) { // measured speeds name the nodes of the given cluster; other sizes have other nodes
        s.measured.speeds.clear();
        s.measured.nodeOrder.clear();
        s.variability.slow = carriedSlow(scenario, s);
    }
    const std::int64_t replica = gpusPerReplica(scenario), now = replica > 0 ? gpus / replica : 0, then = scenario.dataParallelSize();
    if (mode == ScaleMode::weak && then > 0)
        s.training.globalBatchSize = std::max<std::int64_t>(1, scenario.training.globalBatchSize / then) * now;
    return s;
}

std::vector<std::int64_t> defaultScale(const Scenario& scenario)
{
    const std::int64_t replica = gpusPerReplica(scenario);
    std::vector<std::int64_t> gpus;
    if (replica <= 0)
        return gpus;
    // Doubling the data-parallel size from the first multiple of a replica that is at least 64 GPUs.
    std::int64_t count = replica;
    while (count < 64)
        count *= 2;
    const std::int64_t own = scenario.cluster.numGpus;
    for (; count <= std::max<std::int64_t>(65'536, own); count *= 2)
        gpus.push_back(count);
    if (own % replica == 0 && std::find(gpus.begin(), gpus.end(), own) == gpus.end())
        gpus.push_back(own);
    std::sort(gpus.begin(), gpus.end());
    return gpus;
}

Result<ScaleCurve> scaleCurve(Evaluator& evaluator, const Scenario& scenario, ScaleMode mode, const std::vector<std::int64_t>& gpus,
                              const InsightOptions& options)
{
    const auto begin = std::chrono::steady_clock::now();
    if (Diagnostics problems = check(scenario); hasErrors(problems))
        return problems;
    Diagnostics errors;
    if (gpus.empty() || gpus.size() > kMaxPoints)
        errors.push_back(
            {Severity::error, "gpus", "The number of points is out of range.", std::to_string(gpus.size()), "1 to 100 points", "", ""});
    for (const std::int64_t count : gpus)
        if (count < 1 || count > 4'194'304)
            errors.push_back(
                {Severity::error, "gpus", "The number of GPUs is out of range.", std::to_string(count), "1 to 4,194,304", "", ""});
    if (!errors.empty())
        return errors;
    ScaleCurve curve;
    curve.mode = mode;
    curve.seed = options.seed;
    curve.samples = options.samples > 0 ? options.samples : kDefaultSamples;
    const EvaluateOptions evaluate = evaluateOptions(options, curve.samples);
    std::vector<std::int64_t> ascending = gpus;
    std::sort(ascending.begin(), ascending.end());
    for (const std::int64_t count : ascending) {
        ScalePoint point;
        point.gpus = count;
        const SnapshotPtr snapshot = evaluator.evaluate(atScale(scenario, mode, count), evaluate);
        if (options.stop.stop_requested())
            return cancelled();
        if (snapshot->valid() && snapshot->samples)
            fill(point, *snapshot);
        else
            for (const Diagnostic& d : snapshot->diagnostics)
                if (d.severity == Severity::error && point.problem.empty())
                    point.problem = d.message + (d.found.empty() ? "" : " Found: " + d.found + ".");
        curve.points.push_back(std::move(point));
        if (options.progress)
            options.progress(static_cast<double>(curve.points.size()) / static_cast<double>(ascending.size()),
                             fmt::format("{} GPUs", count));
    }
    setEfficiencies(curve);
    curve.notes.emplace_back(mode == ScaleMode::weak
                                 ? "Weak: the global batch grows with the data-parallel size; the micro-batches per replica stay."
                                 : "Strong: the global batch stays; replicas get fewer micro-batches each.");
    if (!scenario.variability.slow.empty())
        curve.notes.emplace_back("Slow places are carried to every size: each on its stage, in its replica where there is one.");
    if (!scenario.measured.speeds.empty())
        curve.notes.emplace_back("Measured speeds belong to the given cluster and are omitted at other sizes.");
    curve.elapsedSeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return curve;
}

std::string toJson(const ScaleCurve& curve)
{
    nlohmann::ordered_json points = nlohmann::ordered_json::array();
    for (const ScalePoint& p : curve.points) {
        nlohmann::ordered_json point{{"gpus", p.gpus}, {"valid", p.valid}};
        if (!p.problem.empty())
            point["problem"] = p.problem;
        if (!p.outside.empty())
            point["outside_calibration"] = p.outside;
        if (p.valid)
            point.update({{"data_parallel", p.dataParallel},
                          {"global_batch", p.globalBatch},
                          {"micro_batches", p.microbatches},
                          {"step_time_s", report::json(p.step)},
                          {"noise_free_step_time_s", p.noiseFreeSeconds},
                          {"tokens_per_s", p.tokensPerSecond},
                          {"tflops_per_gpu", p.tflopsPerGpu},
                          {"mfu", report::json(p.mfu)},
                          {"usd_per_billion_tokens", p.costPerBillionTokensUsd},
                          {"days_to_train", p.daysToTrain},
                          {"cost_usd", p.costUsd},
                          {"efficiency", p.efficiency}});
        points.push_back(std::move(point));
    }
    return report::dump({{"mode", curve.mode == ScaleMode::weak ? "weak" : "strong"},
                         {"samples", curve.samples},
                         {"seed", curve.seed},
                         {"elapsed_s", curve.elapsedSeconds},
                         {"points", std::move(points)},
                         {"notes", curve.notes}});
}

std::string toCsv(const ScaleCurve& curve, TableText texts)
{
    std::string text =
        "gpus,valid,data_parallel,global_batch,micro_batches,p50_s,p50_ci95_s,p95_s,p95_ci95_s,p99_s,p99_ci95_s,tokens_per_s,mfu,"
        "mfu_ci95,usd_per_billion_tokens,days_to_train,cost_usd,efficiency,problem,outside_calibration\n";
    using report::number;
    for (const ScalePoint& p : curve.points)
        text += report::row({std::to_string(p.gpus),
                             p.valid ? "1" : "0",
                             std::to_string(p.dataParallel),
                             std::to_string(p.globalBatch),
                             std::to_string(p.microbatches),
                             number(p.step.p50),
                             number(p.step.ciP50),
                             number(p.step.p95),
                             number(p.step.ciP95),
                             number(p.step.p99),
                             number(p.step.ciP99),
                             number(p.tokensPerSecond),
                             number(p.mfu.value),
                             number(p.mfu.halfWidth),
                             number(p.costPerBillionTokensUsd),
                             number(p.daysToTrain),
                             number(p.costUsd),
                             number(p.efficiency),
                             report::field(p.problem, texts),
                             report::field(fmt::format("{}", fmt::join(p.outside, " ")), texts)});
    return text;
}

} // namespace prism
