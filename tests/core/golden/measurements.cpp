// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/golden/metrics.h"

#include "core/calibrate/runfit.h"
#include "core/fleet/fleet.h"
#include "core/measured/importmeasured.h"
#include "core/measured/speedtable.h"
#include "core/measured/steplog.h"
#include "core/stats/random.h"
#include "core/trace/barriers.h"
#include "core/trace/jobpools.h"
#include "core/trace/heldout.h"
#include "core/trace/otherreplicas.h"
#include "core/trace/repairs.h"
#include "core/trace/whatif.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace prism::golden {
namespace {

double draw(std::uint64_t which, std::uint64_t i)
{
    return uniform(11, stream(which), i);
}

/// The numbers of a text, in their order.
std::vector<double> numbersIn(const std::string& text)
{
    std::vector<double> numbers;
    for (const char* at = text.c_str(); *at != '\0';) {
        char* end = nullptr;
        const bool begins = (*at >= '0' && *at <= '9') || (*at == '-' && at[1] >= '0' && at[1] <= '9');
        const double x = begins ? std::strtod(at, &end) : 0;
        if (begins)
            numbers.push_back(x);
        at = begins ? end : at + 1;
    }
    return numbers;
}

std::vector<double> valuesOf(const DistributionScore& s)
{
    return {s.mean, s.p50, s.p95, s.meanError, s.p50Error, s.p95Error, s.ks, s.wassersteinSeconds};
}

std::vector<double> valuesOf(const StepTimes& t)
{
    return {t.mean, t.p50, t.p95, t.p99};
}

/// Three replicas of two stages with four micro-batches: all forwards, then all backwards, a reduction and an optimizer. Replica 1 is slow
/// in stage 1.
TraceJob madeJob()
{
    TraceJob job;
    job.name = "made";
    job.replicas = job.replicasOfJob = 3;
    job.stages = 2;
    job.replicaNumbers = {0, 1, 2};
    std::uint64_t drawn = 0;
    for (int t = 0; t < 12; ++t) {
        TraceStep step{t, {}};
        std::array<std::array<double, 2>, 3> free{};
        for (int r = 0; r < 3; ++r) {
            const auto add = [&](TraceOp type, int stage, int m, double start, double seconds) {
                step.operations.push_back({.start = start,
                                           .duration = seconds,
                                           .replica = r,
                                           .stage = stage,
                                           .rank = 2 * r + stage,
                                           .sequence = m,
                                           .chunk = 0,
                                           .microBatch = m,
                                           .type = type});
                return start + seconds;
            };
            auto& at = free[static_cast<std::size_t>(r)];
            const auto pass = [&](bool forward, int first) {
                for (int m = 0; m < 4; ++m) {
                    const int second = 1 - first;
                    const auto seconds = [&](int stage) {
                        return (forward ? 0.1 : 0.2) * (0.9 + 0.2 * draw(1, drawn++)) * (r == 1 && stage == 1 ? 1.3 : 1) * (t == 0 ? 2 : 1);
                    };
                    at[static_cast<std::size_t>(first)] = add(forward ? TraceOp::forwardCompute : TraceOp::backwardCompute, first, m,
                                                              at[static_cast<std::size_t>(first)] + 0.002, seconds(first));
                    const double sent = at[static_cast<std::size_t>(first)], received = at[static_cast<std::size_t>(second)],
                                 end = std::max(sent, received) + 0.01 + 0.002 * draw(2, drawn++);
                    at[static_cast<std::size_t>(first)] =
                        add(forward ? TraceOp::forwardSend : TraceOp::backwardSend, first, m, sent, end - sent);
                    at[static_cast<std::size_t>(second)] =
                        add(forward ? TraceOp::forwardRecv : TraceOp::backwardRecv, second, m, received, end - received);
                    at[static_cast<std::size_t>(second)] = add(forward ? TraceOp::forwardCompute : TraceOp::backwardCompute, second, m,
                                                               at[static_cast<std::size_t>(second)], seconds(second));
                }
            };
            pass(true, 0);
            pass(false, 1);
        }
        for (int stage = 0; stage < 2; ++stage) {
            double last = 0;
            for (const auto& at : free)
                last = std::max(last, at[static_cast<std::size_t>(stage)]);
            for (int r = 0; r < 3; ++r) {
                const double from = free[static_cast<std::size_t>(r)][static_cast<std::size_t>(stage)],
                             end = last + 0.05 + 0.01 * draw(3, drawn++);
                const TraceOperation o{.start = from,
                                       .duration = end - from,
                                       .replica = r,
                                       .stage = stage,
                                       .rank = 2 * r + stage,
                                       .type = TraceOp::gradsReduceScatter};
                step.operations.push_back(o);
                step.operations.push_back({.start = end,
                                           .duration = 0.02 + 0.001 * stage,
                                           .replica = r,
                                           .stage = stage,
                                           .rank = o.rank,
                                           .type = TraceOp::optimizer});
            }
        }
        std::stable_sort(step.operations.begin(), step.operations.end(), [](const auto& a, const auto& b) {
            return std::tuple(a.replica, a.stage, a.start) < std::tuple(b.replica, b.stage, b.start);
        });
        job.steps.push_back(std::move(step));
    }
    return job;
}

void addTrace(const Sheet& sheet)
{
    const TraceJob job = madeJob();
    sheet.add("steps_s", job.stepSeconds());
    if (const auto w = whatIf(job); w.ok()) {
        sheet.add("what_if.slowdown_launch_ideal_s_shares",
                  {w->slowdown, w->launchSlowdown, w->idealSeconds, w->worstWorkersShare, w->lastStageShare});
        sheet.add("what_if.by_stage", w->byStage);
        sheet.add("what_if.by_replica", w->byReplica);
        for (const auto& [type, value] : w->byType)
            sheet.add("what_if." + type, value);
    } else
        ADD_FAILURE() << "what-if";
    const auto regular = regularJob(job, hiddenBarriers(job).sets);
    ASSERT_TRUE(regular.ok());
    const ComputeFactors f = computeFactors(*regular);
    sheet.add("factors.mean_s", f.mean);
    sheet.add("factors.worker", f.worker);
    sheet.add("factors.step", f.step);
    sheet.add("factors.shares_correlation", {f.workerNoiseShare, f.stepNoiseShare, f.microBatchCorrelation});
    sheet.add("pools", numbersIn(poolsCsv(durationPools(*regular, f))));
    const auto repairs = repairsOf(*regular);
    ASSERT_TRUE(repairs.ok());
    sheet.add("repairs.before_s", valuesOf(repairs->before));
    for (const Repair& r : repairs->repairs)
        sheet.add("repairs." + r.id + "_s",
                  {r.after.mean, r.after.p50, r.after.p95, r.after.p99, r.saved.value, r.saved.halfWidth, r.savedP95Seconds});
    for (const StageLoad& s : repairs->stages)
        sheet.add("repairs.stage" + std::to_string(s.stage), {s.seconds, s.overMean});
    for (const int replicas : {0, 2}) {
        const auto h = heldOutPrediction(job, {.train = "odd", .excludeStartup = true, .trainReplicas = replicas, .samples = 200});
        ASSERT_TRUE(h.ok());
        const std::string name = "held_out" + std::to_string(replicas);
        sheet.add(name + ".predicted_s", valuesOf(h->predicted));
        sheet.add(name + ".baseline_s", valuesOf(h->baseline));
        sheet.add(name + ".floors_critical_phase", {h->ksFloor, h->meanFloor, h->p95Floor, h->ksCritical, h->replicaPhaseKs});
        sheet.add(name + ".measured_s", {h->measuredMean, h->measuredP50, h->measuredP95, h->startupSteps * 1.0});
    }
    const auto parts = randomParts(job, {.train = "0.5", .samples = 100}, 2);
    ASSERT_TRUE(parts.ok());
    const DistributionScore& p = parts->predicted;
    sheet.add("random_parts", {p.meanError, p.p50Error, p.p95Error, p.ks, p.wassersteinSeconds, parts->ksFloor, parts->replicaPhaseKs});
    const auto scaled = replicaScaling(job, {.replicas = {1, 6}, .samples = 200});
    ASSERT_TRUE(scaled.ok());
    for (const OtherReplicas& o : scaled->drawn) {
        sheet.add("replicas" + std::to_string(o.replicas) + "_s", valuesOf(o.step));
        sheet.add("replicas" + std::to_string(o.replicas) + ".half_width_phase_s", {o.meanHalfWidth, o.phaseP50});
    }
}

void addLogs(const Sheet& sheet)
{
    LoggedRun run{"run", {}};
    for (int i = 0; i < 400; ++i) {
        const auto k = static_cast<std::uint64_t>(i);
        const double level = 9 * (i < 250 ? 1 : 1.05) * (i < 3 ? 1.5 : 1);
        run.steps.push_back({level * (1 + 0.004 * (draw(4, k) + draw(5, k) - 1)) + (i % 90 == 60 ? 2.0 : 0.0), i, 64.0 * i,
                             i > 0 && i % 100 == 0 ? 20.0 : 0.0});
    }
    const RunShape shape = runShape(run);
    sheet.add("shape.warm_up_trend_median_s_noise_s",
              {shape.warmUp * 1.0, shape.trend, shape.trendTerms[0], shape.trendTerms[1], shape.medianSeconds, shape.noiseSeconds});
    for (const LevelShift& s : shape.shifts)
        sheet.add("shape.shift_at" + std::to_string(s.index), s.factor);
    const CleanRun clean = cleanRun(run, shape, {});
    sheet.add("clean.steps_median_s", {static_cast<double>(clean.seconds.size()), clean.medianSeconds, meanOf(clean.seconds)});
    const SpreadCauses c = spreadCauses({clean}, 64, 0);
    for (const auto& [name, b] : {std::pair{"jitter_s", c.jitterSeconds},
                                  {"regime_cv", c.regimeCv},
                                  {"stalls_per_gpu_hour", c.stallsPerGpuHour},
                                  {"stall_mean_s", c.stallMeanSeconds}})
        sheet.add(std::string("causes.") + name, {b.value, b.low, b.high});
    sheet.add("causes.steps_stalls_gpu_hours_lag1_stall_cv", {c.steps * 1.0, c.stalls * 1.0, c.gpuHours, c.regimeLag1, c.stallCv});
    for (const char* unit : {"s", "ms", "us"}) {
        const auto log = readStepLog(std::string("step,step_time_") + unit + "\n1,9\n2,10\n");
        ASSERT_TRUE(log.ok()) << unit;
        sheet.add(std::string("log_in_") + unit + "_s", {log->runs[0].steps[0].seconds, log->runs[0].steps[1].seconds});
        const auto rows = operatorTableRows(std::string("op,m,n,k,dtype,time_") + unit + "\ngemm,64,128,256,bf16,5\n");
        if (rows.ok())
            sheet.add(std::string("operators_in_") + unit + "_s", rows->front().seconds);
    }
    for (const char* column : {"tflops", "gflops", "pflops", "time_s", "time_ms", "time_us", "relative_speed", "speed_percent"}) {
        const auto speeds = readSpeedTable(std::string("node,gpu,") + column + "\n0,0,90\n0,1,100\n1,0,110\n1,1,105\n");
        if (!speeds.ok())
            continue;
        std::vector<double> values = {speeds->referenceValue};
        for (const SpeedRow& r : speeds->rows)
            values.push_back(r.relativeSpeed);
        sheet.add(std::string("speeds.") + column + ".reference_rows", values);
    }
}

void addFleet(const Sheet& sheet)
{
    JobTable table;
    double at = 0;
    for (std::uint64_t i = 0; i < 60; ++i) {
        at -= 40 * std::log(draw(6, i));
        table.jobs.push_back({std::to_string(i), i % 2 == 0 ? "steady" : "risky", at, std::exp(4 + 3 * draw(7, i)),
                              draw(8, i) < 0.6   ? 1
                              : draw(9, i) < 0.7 ? 8
                                                 : 20,
                              "", i + 2});
    }
    const auto cluster = readFleetCluster(R"({"nodes": 5, "gpus_per_node": 8, "node_time": {"family": "lognormal", "cv": 0.15},
        "classes": {"default": {"family": "lognormal", "cv": 0.05}, "risky": {"family": "gamma", "cv": 0.8}}})");
    ASSERT_TRUE(cluster.ok());
    const auto report = fleet(table, *cluster, {5});
    ASSERT_TRUE(report.ok());
    sheet.add("load_reordered", {report->offeredLoad, report->reordered});
    for (const FleetPolicyResult& p : report->policies) {
        std::vector<double> values;
        for (const Estimate& e :
             {p.mean, p.p50, p.p95, p.queueing, p.utilisation, p.meanRatio, p.p50Ratio, p.p95Ratio, p.queueingRatio, p.utilisationChange}) {
            values.push_back(e.value);
            values.push_back(e.halfWidth);
        }
        sheet.add(policyName(p.policy) + ".estimates", values);
    }
}

} // namespace

void addMeasurements(Metrics& metrics)
{
    addTrace({metrics, "measured.trace"});
    addLogs({metrics, "measured.log"});
    addFleet({metrics, "measured.fleet"});
}

} // namespace prism::golden
