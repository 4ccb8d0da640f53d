// SPDX-License-Identifier: GPL-3.0-or-later
// A training run computed by hand, one term at a time: days, money, energy and emissions of a job without spreads.
#include "core/cost/predictor.h"
#include "core/job/jobsection.h"
#include "core/job/jobtimes.h"
#include "core/job/trainingrun.h"
#include "core/scenario/presets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace prism {
namespace {

constexpr double kDaySeconds = 86'400;

/// One node of 8 GPUs, 128 x 4,096 tokens a step, 100,000 steps, two dollars a GPU-hour; nothing fails, no checkpoint, no spread.
struct HandJob {
    Scenario scenario = *scenarioPreset("llama2-7b-8-a100");
    JobConfig config = *jobPreset("none");
    HandJob()
    {
        scenario.variability = VariabilityConfig();
        scenario.cluster.gpuHourPriceUsd = 2;
        scenario.training.trainTokens = 1e5 * 128 * 4096;
    }
    /// Seconds of all steps.
    [[nodiscard]] double work() const { return 1e5 * costStep(scenario)->noiseFreeSeconds; }
    [[nodiscard]] JobReport report() const
    {
        Evaluator evaluator;
        JobQuery query;
        query.runs = 100;
        query.asPredicted = true;
        InsightOptions options;
        options.samples = 1;
        Result<JobReport> r = trainingRun(evaluator, scenario, config, query, options);
        EXPECT_TRUE(r.ok()) << r.errors().front().message;
        return std::move(r).value();
    }
    /// Days of the mean run.
    [[nodiscard]] double seconds() const { return report().meanDays * kDaySeconds; }
};

double daysOf(const JobReport& r, const std::string& cause)
{
    for (const TimeShare& s : r.shares)
        if (s.cause == cause)
            return s.days;
    return 0;
}

TEST(JobByHand, NothingButStepsTakesTheStepsAndTheirPrice)
{
    const HandJob job;
    const JobReport r = job.report();
    EXPECT_NEAR(r.plan.steps, 1e5, 1e-6);
    EXPECT_EQ(r.plan.tokens, 1e5 * 128 * 4096);
    EXPECT_EQ(r.plan.gpus, 8);
    EXPECT_EQ(r.plan.nodes, 1);
    EXPECT_NEAR(r.meanDays * kDaySeconds, job.work(), 1e-6 * job.work());
    for (const double days : {r.p5Days, r.p50Days.value, r.p95Days.value, r.p99Days})
        EXPECT_NEAR(days, r.meanDays, 1e-9 * r.meanDays);
    EXPECT_NEAR(r.costUsdMean, job.work() / 3600 * 8 * 2, 1e-6 * r.costUsdMean);
    EXPECT_NEAR(r.costUsdP95, r.costUsdMean, 1e-9 * r.costUsdMean);
    EXPECT_NEAR(r.effectiveRatio.value, 1, 1e-9);
}

/// Every 1,000 steps an evaluation of 90 s: a hundred of them.
TEST(JobByHand, EvaluationsTakeTheirTime)
{
    HandJob job;
    job.config.evaluationIntervalSteps = 1000;
    job.config.evaluationS = 90;
    const JobReport r = job.report();
    EXPECT_NEAR(r.meanDays * kDaySeconds, job.work() + 100 * 90, 1e-6 * job.work());
    EXPECT_NEAR(daysOf(r, "evaluation") * kDaySeconds, 9000, 1);
    EXPECT_NEAR(daysOf(r, "productive") * kDaySeconds, job.work(), 1);
    job.config.evaluationIntervalSteps = 999; // a hundred times still: none after the last whole interval
    EXPECT_NEAR(job.seconds(), job.work() + 100 * 90, 1e-6 * job.work());
}

/// After every 1,800 s of training one stop of 25 s, and one behind the last step.
TEST(JobByHand, CheckpointsStopTheTraining)
{
    HandJob job;
    job.config.checkpointIntervalS = 1800;
    job.config.checkpointBlockS = 25;
    const double checkpoints = std::ceil(job.work() / 1800);
    const JobReport r = job.report();
    EXPECT_NEAR(r.meanDays * kDaySeconds, job.work() + 25 * checkpoints, 1);
    EXPECT_NEAR(daysOf(r, "checkpoint") * kDaySeconds, 25 * checkpoints, 1);
}

/// A planned stop of 3 h after every two days of training costs its length, the checkpoint that it waits for and a restart; detection is
/// for failures alone.
TEST(JobByHand, PlannedStopsCostTheirLengthACheckpointAndARestart)
{
    HandJob job;
    job.config.maintenanceEveryDays = 2;
    job.config.maintenanceHours = 3;
    job.config.detectionS = 777;
    const double stops = std::floor(job.work() / (2 * kDaySeconds));
    ASSERT_GT(stops, 3);
    EXPECT_NEAR(job.seconds(), job.work() + stops * 10'800, 1);
    job.config.restartS = 600;
    EXPECT_NEAR(job.seconds(), job.work() + stops * (10'800 + 600), 1);
    job.config.checkpointBlockS = 40; // at every stop, and behind the last step
    EXPECT_NEAR(job.seconds(), job.work() + stops * (10'800 + 600 + 40) + 40, 1);
    const JobReport r = job.report();
    EXPECT_NEAR(daysOf(r, "maintenance") * kDaySeconds, stops * (10'800 + 600 + 40), 1);
    EXPECT_NEAR(r.interruptionsMean, stops, 1e-9);
}

/// 6.5 kW a node and 1.3 of it for the whole facility, 400 g of CO2 for a kWh.
TEST(JobByHand, EnergyAndEmissionsFollowThePowerOfTheNodes)
{
    HandJob job;
    job.config.nodePowerKw = 6.5;
    const double hours = job.work() / 3600;
    EXPECT_NEAR(job.report().energyMwhMean, 6.5 * hours / 1000, 1e-6 * hours);
    job.config.pue = 1.3;
    job.config.gridGCo2PerKwh = 400;
    JobReport r = job.report();
    EXPECT_NEAR(r.energyMwhMean, 6.5 * 1.3 * hours / 1000, 1e-6 * hours);
    EXPECT_NEAR(r.co2TonnesMean, 6.5 * 1.3 * hours * 400 / 1e6, 1e-6 * hours);
    job.scenario.cluster.numGpus = 16; // half of the steps' time at most; two nodes
    r = job.report();
    EXPECT_EQ(r.plan.nodes, 2);
    EXPECT_NEAR(r.energyMwhMean, 2 * 6.5 * 1.3 * 24 * r.meanDays / 1000, 1e-9 * r.energyMwhMean);
}

/// Spares are paid for like the nodes of the job, but do not train.
TEST(JobByHand, SparesArePaidFor)
{
    HandJob job;
    job.config.spareNodes = 3;
    const JobReport r = job.report();
    EXPECT_NEAR(r.meanDays * kDaySeconds, job.work(), 1e-6 * job.work());
    EXPECT_NEAR(r.costUsdMean, job.work() / 3600 * (8 + 3 * 8) * 2, 1e-6 * r.costUsdMean);
}

/// Rates of a job of 50 nodes: 4 and 6 failures per 1,000 node-days, doubled, are 0.4 and 0.6 a day.
TEST(JobByHand, RatesAndTimesInSeconds)
{
    JobConfig c;
    c.failures = {{"software", 4, false}, {"gpu", 6, true}};
    c.failureScale = 2;
    c.detectionS = 11;
    c.restartS = 13;
    c.repairHours = 5;
    c.spareNodes = 7;
    c.withoutSpare = "shrink";
    c.checkpointIntervalS = 900;
    c.checkpointBlockS = 17;
    c.checkpointPersistS = 19;
    c.slowPer1000NodeDays = 10;
    c.slowFactor = 1.4;
    c.slowHours = 2;
    c.slowMitigationS = 1200;
    c.maintenanceEveryDays = 3;
    c.maintenanceHours = 4;
    JobPlan plan;
    plan.nodes = 50;
    plan.stepSeconds = 10;
    plan.undisturbedDays = 30;
    plan.mtbfHours = jobMtbfHours(20, 50);
    EXPECT_NEAR(plan.mtbfHours, 24, 1e-9); // one a day
    const TimelineInputs in = timelineInputs(c, plan, 2);
    EXPECT_NEAR(in.softFailureRate, 0.4 / kDaySeconds, 1e-15);
    EXPECT_NEAR(in.nodeFailureRate, 0.6 / kDaySeconds, 1e-15);
    EXPECT_NEAR(in.slowRate, 0.5 / kDaySeconds, 1e-15);
    EXPECT_EQ(in.nodes, 50);
    EXPECT_EQ(in.nodesPerReplica, 2);
    EXPECT_EQ(in.detection, 11);
    EXPECT_EQ(in.restart, 13);
    EXPECT_EQ(in.repair, 5 * 3600);
    EXPECT_EQ(in.spareNodes, 7);
    EXPECT_TRUE(in.shrinks);
    EXPECT_EQ(in.interval, 900);
    EXPECT_EQ(in.block, 17);
    EXPECT_EQ(in.persist, 19);
    EXPECT_EQ(in.slowFactor, 1.4);
    EXPECT_EQ(in.slowLength, 7200);
    EXPECT_EQ(in.slowMitigation, 1200);
    EXPECT_EQ(in.maintenanceEvery, 3 * kDaySeconds);
    EXPECT_EQ(in.maintenanceLength, 4 * 3600);
    EXPECT_GE(in.longestSeconds, 30 * kDaySeconds * 10);
}

/// Advice on the interval by the formulas of its sources: Young's sqrt(2 d M), the exact optimum, and for asynchronous checkpoints
/// sqrt(2 b M) but not below the time to be safe; the ratio of each.
TEST(JobByHand, AdviceOnTheInterval)
{
    JobConfig c;
    c.checkpointBlockS = 60;
    c.detectionS = 100;
    c.restartS = 200;
    JobPlan plan;
    plan.mtbfHours = 1.8;
    plan.stepSeconds = 5;
    CheckpointAdvice a = checkpointAdvice(c, plan);
    EXPECT_NEAR(a.youngSeconds, 881.8, 0.05);
    EXPECT_NEAR(a.dalySeconds, 842.3, 0.05);
    EXPECT_NEAR(a.bestSeconds, 842.3, 0.05);
    EXPECT_EQ(a.usedSeconds, a.bestSeconds);
    // Daly 2006: n M e^(R/M) (e^((tau + d)/M) - 1) of n tau, M = 6,480 s, R = 300 s.
    const auto ratio = [](double tau) { return tau / (6480 * std::exp(300 / 6480.0) * std::expm1((tau + 60) / 6480)); };
    EXPECT_NEAR(a.bestRatio, ratio(a.bestSeconds), 1e-9);
    c.checkpointIntervalS = 3000;
    a = checkpointAdvice(c, plan);
    EXPECT_EQ(a.usedSeconds, 3000);
    EXPECT_NEAR(a.usedRatio, ratio(3000), 1e-9);
    EXPECT_FALSE(a.asynchronous);
    // Three octaves on either side of the best interval, four points to each, ascending: 2 x 12 + 1.
    ASSERT_EQ(a.curve.size(), 25U);
    for (std::size_t i = 0; i < a.curve.size(); ++i) {
        EXPECT_NEAR(a.curve[i].intervalSeconds, a.bestSeconds * std::exp2((static_cast<double>(i) - 12) / 4), 1e-6);
        EXPECT_NEAR(a.curve[i].effectiveRatio, ratio(a.curve[i].intervalSeconds), 1e-9);
    }
    c.checkpointPersistS = 120;
    a = checkpointAdvice(c, plan);
    EXPECT_TRUE(a.asynchronous);
    EXPECT_NEAR(a.bestSeconds, std::sqrt(2 * 60 * 6480.0), 1e-9);
    EXPECT_NEAR(a.usedRatio, 1 - 60 / 3000.0 - (1500 + 120 + 300) / 6480.0, 1e-9);
    plan.stepSeconds = 1e4; // no checkpoint inside of a step
    EXPECT_EQ(checkpointAdvice(c, plan).bestSeconds, 1e4);
    plan.mtbfHours = INFINITY;
    EXPECT_NEAR(checkpointAdvice(c, plan).usedRatio, 3000 / 3060.0, 1e-12);
}

/// 30 days and 9,000 s of evaluations in segments of 900 s: Daly's mean with M = 6,480 s and a restart of 100 + 200 s.
TEST(JobByHand, TheClosedFormIsThatOfDaly)
{
    JobConfig c;
    c.failures = {{"all", 1, false}};
    c.repairHours = 24;
    c.checkpointBlockS = 60;
    c.detectionS = 100;
    c.restartS = 200;
    JobPlan plan;
    plan.nodes = 4;
    plan.mtbfHours = 1.8;
    plan.undisturbedDays = 30;
    plan.evaluationSeconds = 9000;
    const ClosedForm f = closedForm(c, plan, 900);
    EXPECT_TRUE(f.applies);
    const double segments = (30 * kDaySeconds + 9000) / 900;
    EXPECT_NEAR(f.days.mean * kDaySeconds, segments * 6480 * std::exp(300 / 6480.0) * std::expm1(960 / 6480.0), 1e-3);
    const auto reason = [&](auto change) {
        JobConfig other = c;
        change(other);
        return closedForm(other, plan, 900).whyNot;
    };
    EXPECT_NE(reason([](JobConfig& x) { x.checkpointPersistS = 1; }), "");
    EXPECT_NE(reason([](JobConfig& x) { x.slowPer1000NodeDays = 1; }), "");
    EXPECT_NE(reason([](JobConfig& x) { x.maintenanceEveryDays = 1; }), "");
    EXPECT_NE(reason([](JobConfig& x) { x.failures[0].replacesNode = true; }), "");
    EXPECT_EQ(reason([](JobConfig& x) { // 0.004 nodes in repair: no spare is left in 8 of a million cases
                  x.failures[0].replacesNode = true;
                  x.spareNodes = 2;
              }),
              "");
}

/// One failure every 20,000 s, far longer than a restart: each costs detection and restart, and nothing else trains or idles meanwhile.
TEST(JobByHand, EveryFailureCostsDetectionAndRestart)
{
    TimelineInputs in;
    in.workSeconds = 1e6;
    in.interval = INFINITY;
    in.longestSeconds = 1e12;
    in.softFailureRate = 1 / 2e5;
    in.interval = 1000;
    const RunLedger none = sampledRun(in, 3, 1);
    ASSERT_GT(none.failures, 2);
    in.detection = 7;
    in.restart = 11;
    const RunLedger both = sampledRun(in, 3, 1);
    EXPECT_EQ(both.failures, none.failures); // the same clock of failures
    EXPECT_NEAR(both.detection, 7 * both.failures, 1e-6);
    EXPECT_NEAR(both.restart, 11 * both.failures, 1e-6);
    EXPECT_NEAR(both.wall, in.workSeconds + both.rework + 18 * both.failures, 1e-6 * both.wall);
    EXPECT_NEAR(both.productive, in.workSeconds, 1e-6 * both.wall);
    EXPECT_LE(both.rework, 1000 * both.failures);
    EXPECT_GT(both.rework, 0);
}

/// A node that fails without a spare holds up the job until its repair; with one it does not.
TEST(JobByHand, AFailedNodeIsWaitedForOrReplaced)
{
    TimelineInputs in;
    in.workSeconds = 1e6;
    in.interval = 1000;
    in.longestSeconds = 1e12;
    in.nodeFailureRate = 1 / 3e5;
    in.nodes = 8;
    in.repair = 5000;
    const RunLedger waits = sampledRun(in, 2, 1);
    ASSERT_GT(waits.failures, 1);
    EXPECT_NEAR(waits.waiting, 5000 * waits.failures, 1e-6 * waits.wall);
    EXPECT_NEAR(waits.wall, in.workSeconds + waits.rework + waits.waiting, 1e-6 * waits.wall);
    in.spareNodes = 1;
    EXPECT_EQ(sampledRun(in, 2, 1).waiting, 0);
    in.spareNodes = 0;
    in.shrinks = true; // seven of eight nodes for the 5,000 s, then a restart
    in.restart = 30;
    in.block = 20;
    const RunLedger shrinks = sampledRun(in, 2, 1);
    EXPECT_EQ(shrinks.waiting, 0);
    EXPECT_NEAR(shrinks.shrunk, shrinks.failures * ((5000 - 30) / 8.0 + 30 + 20),
                0.02 * shrinks.shrunk); // checkpoints take as long with fewer nodes
}

/// Half of the time slow by 1.5 is a sixth more time for the rest: an episode of 3,000 s of wall time loses 1,000 s of work.
TEST(JobByHand, SlowEpisodesStretchTheWork)
{
    TimelineInputs in;
    in.workSeconds = 1e6;
    in.interval = INFINITY;
    in.longestSeconds = 1e12;
    in.slowRate = 1 / 2e5;
    in.slowFactor = 1.5;
    in.slowLength = 1e9; // until it is acted on
    in.slowMitigation = 3000;
    in.restart = 50;
    in.block = 20;
    const RunLedger r = sampledRun(in, 4, 1);
    const double lost = 1000 + 50 + 20, episodes = std::round(r.slow / lost);
    ASSERT_GT(episodes, 1);
    EXPECT_NEAR(r.slow, episodes * lost, 1);
    EXPECT_NEAR(r.wall, in.workSeconds + r.slow + r.checkpoint, 1);
}

/// Deadlines: that of the question before that of the section; every run of a job without spreads takes the same time.
TEST(JobByHand, DeadlinesAreReachedOrMissed)
{
    HandJob job;
    const double days = job.work() / kDaySeconds;
    EXPECT_EQ(job.report().deadlineDays, 0);
    EXPECT_EQ(job.report().deadlineProbability.halfWidth, 0); // no question, no answer
    job.config.deadlineDays = 1.001 * days;
    EXPECT_NEAR(job.report().deadlineProbability.value, 1, 1e-9);
    EXPECT_EQ(job.report().deadlineDays, 1.001 * days);
    job.config.deadlineDays = 0.999 * days;
    EXPECT_NEAR(job.report().deadlineProbability.value, 0, 1e-9);
    Evaluator evaluator;
    JobQuery query;
    query.runs = 100;
    query.asPredicted = true;
    query.deadlineDays = 2 * days;
    query.tokens = job.scenario.training.trainTokens / 4; // a quarter of the tokens
    InsightOptions options;
    options.samples = 1;
    const JobReport overridden = *trainingRun(evaluator, job.scenario, job.config, query, options);
    EXPECT_EQ(overridden.deadlineDays, 2 * days);
    EXPECT_NEAR(overridden.meanDays, days / 4, 1e-6 * days);
    EXPECT_EQ(overridden.runs, 100);
}

/// Nodes that fail 20 times in 1,000 node-days and are away for ten days: on one node 0.2 of them are in repair, of whom one spare is there
/// with e^-0.2; P(K > 1) = 0.0175 and P(K > 2) = 0.0011. Spares cost their hours, and save the waiting.
TEST(JobByHand, RowsOfTheTableOfSpares)
{
    HandJob job;
    job.config.failures = {{"gpu", 20, true}};
    job.config.repairHours = 240;
    job.config.checkpointIntervalS = 3600;
    job.config.spareNodes = 2;
    const JobReport r = job.report();
    EXPECT_EQ(r.sparesFor99, 3); // P(K > 2): with three spares a failing node finds one in 99.9 % of the cases
    ASSERT_GE(r.spares.size(), 3U);
    for (const SparePoint& p : r.spares) {
        const double none = p.spares == 0   ? 1
                            : p.spares == 1 ? 1 - std::exp(-0.2)
                            : p.spares == 2 ? 1 - 1.2 * std::exp(-0.2)
                                            : 1 - 1.22 * std::exp(-0.2);
        EXPECT_NEAR(p.probabilityNone, none, 1e-12) << p.spares;
        EXPECT_NEAR(p.costUsd.value, p.meanDays.value * 24 * (8 + 8 * p.spares) * 2, 1e-6 * p.costUsd.value) << p.spares;
        EXPECT_NEAR(p.costUsd.halfWidth, p.meanDays.halfWidth * 24 * (8 + 8 * p.spares) * 2, 1e-6 * p.costUsd.value) << p.spares;
    }
    EXPECT_EQ(r.spares.front().spares, 0);
    EXPECT_GT(r.spares.front().meanDays.value, r.spares.back().meanDays.value + 1); // some failures wait ten days each
    EXPECT_NEAR(daysOf(r, "productive") * kDaySeconds, job.work(), 1e-5 * job.work());
    EXPECT_LE(r.failuresP5, r.failuresP50);
    EXPECT_LE(r.failuresP50, r.failuresP95);
    EXPECT_NEAR(r.interruptionsMean, 0.02 * r.meanDays, 0.25 * 0.02 * r.meanDays); // a hundred runs
}

/// Without failures a checkpoint is safe when it is; with one that is safe 400 s later, a failure before that falls back to the one before.
TEST(JobByHand, AFailureFallsBackToTheNewestSafeCheckpoint)
{
    TimelineInputs in;
    in.workSeconds = 1e6;
    in.interval = 1000;
    in.longestSeconds = 1e12;
    in.softFailureRate = 1 / 3e5;
    const RunLedger at = sampledRun(in, 5, 2);
    ASSERT_EQ(at.failures, sampledRun(in, 5, 2).failures);
    ASSERT_GT(at.failures, 1);
    in.persist = 999.999; // all but the newest are safe: each failure loses one interval more
    const RunLedger later = sampledRun(in, 5, 2);
    EXPECT_GE(later.rework, at.rework);
    EXPECT_NEAR(later.rework - at.rework, 1000 * at.failures, 1000.0 * at.failures); // at most one more each
    in.persist = 0;
    in.interval = INFINITY; // none at all: everything since the start
    const RunLedger none = sampledRun(in, 5, 2);
    EXPECT_GT(none.rework, 20 * at.rework);
}

/// Two nodes away at once with one spare: the job waits for the first repair alone.
TEST(JobByHand, AJobWaitsForTheFirstRepair)
{
    TimelineInputs in;
    in.workSeconds = 1e6;
    in.interval = 100;
    in.longestSeconds = 1e12;
    in.nodeFailureRate = 1 / 2e4;
    in.nodes = 8;
    in.repair = 3e4;
    in.spareNodes = 1;
    const RunLedger one = sampledRun(in, 2, 1);
    in.spareNodes = 0;
    const RunLedger none = sampledRun(in, 2, 1);
    EXPECT_NEAR(none.waiting, 3e4 * none.failures, 1);
    EXPECT_GT(one.waiting, 0);
    EXPECT_LT(one.waiting, 3e4 * one.failures / 2.0); // at least one repair is under way when the second node fails
    in.spareNodes = 50;
    EXPECT_EQ(sampledRun(in, 2, 1).waiting, 0);
}

/// Values at the ends of their ranges are accepted, those beyond are not.
TEST(JobByHand, RangesOfASectionAndAQuestion)
{
    const auto found = [](auto change) {
        JobConfig c = *jobPreset("none");
        JobQuery q;
        q.runs = 100;
        change(c, q);
        const Diagnostics errors = checkJob(c, q);
        return errors.empty() ? std::string() : errors.front().path;
    };
    EXPECT_EQ(found([](JobConfig&, JobQuery&) {}), "");
    EXPECT_EQ(found([](JobConfig&, JobQuery& q) { q.runs = 99; }), "runs");
    EXPECT_EQ(found([](JobConfig&, JobQuery& q) { q.runs = 100'000; }), "");
    EXPECT_EQ(found([](JobConfig&, JobQuery& q) { q.runs = 100'001; }), "runs");
    EXPECT_EQ(found([](JobConfig&, JobQuery& q) { q.tokens = -1; }), "tokens");
    EXPECT_EQ(found([](JobConfig&, JobQuery& q) { q.deadlineDays = -1; }), "deadline_days");
    EXPECT_EQ(found([](JobConfig&, JobQuery& q) { q.deadlineDays = INFINITY; }), "deadline_days");
    EXPECT_EQ(found([](JobConfig& c, JobQuery&) { c.slowFactor = 1; }), "");
    EXPECT_EQ(found([](JobConfig& c, JobQuery&) { c.slowFactor = 0.99; }), "job.slow_factor");
    EXPECT_EQ(found([](JobConfig& c, JobQuery&) { c.checkpointPersistS = c.checkpointIntervalS = 0.5; }), "");
    EXPECT_EQ(found([](JobConfig& c, JobQuery&) { c.checkpointPersistS = 2 * (c.checkpointIntervalS = 0.5); }),
              "job.checkpoint_interval_s");
    EXPECT_EQ(found([](JobConfig& c, JobQuery&) { c.withoutSpare = "stop"; }), "job.without_spare");
    EXPECT_EQ(found([](JobConfig& c, JobQuery&) { c.failures = {{"x", 1e6, false}}; }), "");
    EXPECT_EQ(found([](JobConfig& c, JobQuery&) { c.failures = {{"x", 1.1e6, false}}; }), "job.failures.per_1000_node_days");
}

/// Energy and emissions are stated where their inputs are given, else a note names the input.
TEST(JobByHand, NotesNameWhatIsNotGiven)
{
    HandJob job;
    const auto notes = [&](const char* text) {
        const JobReport r = job.report();
        return std::count_if(r.notes.begin(), r.notes.end(), [&](const std::string& note) { return note.find(text) != std::string::npos; });
    };
    EXPECT_EQ(notes("job.node_power_kw"), 1);
    EXPECT_EQ(notes("job.grid_g_co2_per_kwh"), 0);
    job.config.nodePowerKw = 0.5;
    EXPECT_EQ(notes("job.node_power_kw"), 0);
    EXPECT_EQ(notes("job.grid_g_co2_per_kwh"), 1);
    job.config.gridGCo2PerKwh = 0.5;
    EXPECT_EQ(notes("job.grid_g_co2_per_kwh"), 0);
}

/// At a mean of m nodes in repair one spare is not there with 1 - e^-m: 1.02 % is too much for one spare, 0.99 % is not.
TEST(JobByHand, SparesAreEnoughAtOnePerCent)
{
    EXPECT_EQ(sparesFor99(-std::log(1 - 0.0102)), 2);
    EXPECT_EQ(sparesFor99(-std::log(1 - 0.0099)), 1);
}

/// 2.8 nodes in repair on average: P(K > 6) = 2.4 %, P(K > 7) = 0.8 %. Rows at none, a quarter, half and all of these eight spares; the row
/// of the job's own number repeats the job.
TEST(JobByHand, TheTableOfSparesGoesByQuartersAndRepeatsTheJob)
{
    HandJob job;
    job.config.failures = {{"gpu", 280, true}};
    job.config.repairHours = 240;
    job.config.checkpointIntervalS = 3600;
    job.config.spareNodes = 1;
    const JobReport r = job.report();
    EXPECT_EQ(r.sparesFor99, 8);
    ASSERT_EQ(r.spares.size(), 5U);
    for (std::size_t i = 0; i < 5; ++i)
        EXPECT_EQ(r.spares[i].spares, std::vector<int>({0, 1, 2, 4, 8})[i]);
    EXPECT_NEAR(r.spares[1].meanDays.value, r.meanDays, 1e-9 * r.meanDays);
    EXPECT_NEAR(r.spares[1].costUsd.value, r.costUsdMean, 1e-9 * r.costUsdMean);
}

/// Slow episodes, failures and planned stops all count towards a run that is too long to sample.
TEST(JobByHand, EveryKindOfEventCountsTowardsTheLimit)
{
    const auto refused = [](auto change) {
        HandJob job;
        change(job.config);
        job.scenario.training.trainTokens *= 1e4; // some 500 years
        Evaluator evaluator;
        JobQuery query;
        query.runs = 100;
        query.asPredicted = true;
        InsightOptions options;
        options.samples = 1;
        const Result<JobReport> r = trainingRun(evaluator, job.scenario, job.config, query, options);
        return !r.ok() && r.errors().front().path == "training.train_tokens";
    };
    EXPECT_TRUE(refused([](JobConfig& c) { c.slowPer1000NodeDays = 1e6; }));
    EXPECT_TRUE(refused([](JobConfig& c) { c.failures = {{"software", 1e6, false}}; }));
    EXPECT_TRUE(refused([](JobConfig& c) { c.failures = {{"gpu", 1e6, true}}; }));
    EXPECT_TRUE(refused([](JobConfig& c) { c.maintenanceEveryDays = 1e-3; }));
}

} // namespace
} // namespace prism
