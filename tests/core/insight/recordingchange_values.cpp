// SPDX-License-Identifier: GPL-3.0-or-later
// Recordings of a few operations: every count, total, effect and remainder, and the steps that are made of kernels, by hand.
#include "core/insight/change/recordingchange.h"

#include "core/trace/kineto.h"
#include "core/trace/stagetable.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace prism {
namespace {

using NodeDependencies = std::vector<std::vector<int>>;

RecordedStep recordedNodes(const NodeDependencies& dependencies, std::vector<double> seconds, std::vector<double> gaps,
                           std::vector<int> pool, double span)
{
    ReplayGraph::Builder builder;
    builder.addNodes(static_cast<int>(dependencies.size()));
    for (std::size_t i = 0; i < dependencies.size(); ++i)
        for (const int on : dependencies[i])
            builder.addDependency(static_cast<int>(i), on);
    return {builder.graph().value(), std::move(seconds), std::move(gaps), std::move(pool), span};
}

/// `count` equal steps of a, b, a in a chain.
Recording chainRecording(std::size_t count, std::vector<double> seconds, std::vector<double> gaps, double span)
{
    Recording recording;
    recording.pools = {{"a", "x"}, {"b", "y"}};
    for (std::size_t i = 0; i < count; ++i)
        recording.steps.push_back(recordedNodes({{}, {0}, {1}}, seconds, gaps, {0, 1, 0}, span));
    recording.notes = {std::to_string(count)};
    return recording;
}

struct ExpectedChange {
    const char *subject, *name;
    double before, after, low, high;
};

void expectChanges(const ChangeReport& report, const std::vector<ExpectedChange>& expected)
{
    ASSERT_EQ(report.metrics.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const ChangedMetric& f = report.metrics[i];
        const ExpectedChange& e = expected[i];
        EXPECT_EQ(f.subject + ": " + f.name, std::string(e.subject) + ": " + e.name);
        EXPECT_NEAR(f.before, e.before, 1e-9) << f.subject << ": " << f.name;
        EXPECT_NEAR(f.after, e.after, 1e-9) << f.subject << ": " << f.name;
        EXPECT_NEAR(f.change.value, e.after - e.before, 1e-9) << f.subject << ": " << f.name;
        if (std::isfinite(e.high)) {
            EXPECT_NEAR(f.change.low, e.low, 1e-9) << f.subject << ": " << f.name;
            EXPECT_NEAR(f.change.high, e.high, 1e-9) << f.subject << ": " << f.name;
        } else {
            EXPECT_EQ(f.change.low, e.low) << f.subject << ": " << f.name;
            EXPECT_EQ(f.change.high, e.high) << f.subject << ": " << f.name;
        }
    }
}

ExpectedChange symmetric(const char* subject, const char* name, double before, double after, double half)
{
    return {subject, name, before, after, after - before - half, after - before + half};
}

TEST(RecordingChangeValues, AChainOfThreeOperationsByHand)
{
    // Run again, a chain lasts from the first start: 2 + 0.25 + 3 + 0.125 + 4 = 9.375 s. Six steps before, five after; 10 intervals
    // together. Student's t at 0.0025: 4 degrees for the step (3 + 3 blocks of two), 9 for classes (a block a step).
    const Recording before = chainRecording(6, {2, 3, 4}, {0.5, 0.25, 0.125}, 9.5),
                    after = chainRecording(5, {2.5, 3, 6}, {0.5, 0.25, 0.25}, 12.25);
    const double t4 = 5.597568367075459 * 0.003, t9 = 3.6896623923042307 * 0.003;
    const double step = t4 * std::hypot(9.5, 12.25), a = t9 * std::hypot(3, 4.25), b = t9 * std::hypot(3, 3);
    // Gaps 0.5, 0.25, 0.125 in blocks of two of three: their mean varies with the redraws; computed by another program.
    const double gap = 0.31569208947475147 / 3, gapMedian = 0.0033446863509231377;
    // Of the effect only the mean of the class is known: of two operations in the chain twice, of gaps 0.125 / (1/24) times. A gap in
    // front of the first operation moves nothing.
    const double remainder = std::sqrt(step * step + 4 * a * a + 9 * gap * gap + b * b);
    expectChanges(recordingChanges(before, after), {symmetric("step", "mean", 9.5, 12.25, step),
                                                    symmetric("step", "p50", 9.5, 12.25, step),
                                                    symmetric("step", "p95", 9.5, 12.25, step),
                                                    symmetric("step", "p99", 9.5, 12.25, step),
                                                    symmetric("a", "count", 2, 2, 0),
                                                    symmetric("a", "total", 6, 8.5, 2 * a),
                                                    symmetric("a", "median", 3, 4.25, a),
                                                    symmetric("a", "effect on step mean", 9.375, 11.875, 2 * a),
                                                    symmetric("a", "effect on step p95", 9.375, 11.875, 2 * a),
                                                    symmetric("gaps before operations", "total", 0.875, 1, 3 * gap),
                                                    symmetric("gaps before operations", "median", 0.25, 0.25, gapMedian),
                                                    symmetric("gaps before operations", "effect on step mean", 9.375, 9.5, 3 * gap),
                                                    symmetric("gaps before operations", "effect on step p95", 9.375, 9.5, 3 * gap),
                                                    symmetric("b", "count", 1, 1, 0),
                                                    symmetric("b", "total", 3, 3, b),
                                                    symmetric("b", "median", 3, 3, b),
                                                    symmetric("b", "effect on step mean", 9.375, 9.375, b),
                                                    symmetric("b", "effect on step p95", 9.375, 9.375, b),
                                                    symmetric("remainder", "effect on step mean", 12.125, 12.25, remainder),
                                                    symmetric("remainder", "effect on step p95", 12.125, 12.25, remainder)});
    EXPECT_EQ(recordingChanges(before, after).notes, (std::vector<std::string>{"BEFORE: 6", "AFTER: 5"}));
}

/// Two parallel operations, a third, one that is of class a or another one, and one that is not an operation.
Recording byStepRecording(std::vector<RecordedPool> pools, const std::vector<int>& poolOf, const std::vector<std::array<double, 7>>& steps)
{
    Recording recording;
    recording.pools = std::move(pools);
    recording.isByStep = true;
    for (const auto& [a, b, c, last, isOther, gap, span] : steps)
        recording.steps.push_back(recordedNodes({{}, {}, {0, 1}, {2}, {3}}, {a, b, c, last, 0.7}, {0.05, 0, gap, 0.1, 0.6},
                                                {poolOf[0], poolOf[1], poolOf[2], isOther > 0 ? 3 : poolOf[0], -1}, span));
    return recording;
}

TEST(RecordingChangeValues, StepsThatVaryAsAnotherProgramWorksThemOut)
{
    // One gap and one duration before are negative (clock errors): they stay as they are and count as none in their class. Class e is there
    // before alone, d after alone.
    const Recording before = byStepRecording({{"a", "x"}, {"b", "y"}, {"c", "z"}, {"e", "w"}}, {0, 1, 2},
                                             {{3.0, 2.5, 1.0, 0.5, 0, 0.2, 6.0},
                                              {3.2, 3.6, 1.1, 0.7, 1, 0.3, 6.4},
                                              {2.9, 2.0, 0.9, 0.6, 0, -0.1, 6.8},
                                              {3.5, 2.7, -0.3, 0.8, 0, 0.4, 6.9},
                                              {3.1, 4.0, 1.3, 0.4, 1, 0.25, 7.3},
                                              {3.3, 2.2, 1.2, 0.9, 0, 0.15, 7.7}});
    const Recording after = byStepRecording({{"a", "x"}, {"c", "z"}, {"b", "y"}, {"d", "v"}}, {0, 2, 1},
                                            {{3.9, 2.6, 1.4, 0.5, 0, 0.5, 7.0},
                                             {4.1, 3.0, 1.0, 1.1, 1, 0.35, 7.5},
                                             {3.7, 2.1, 1.6, 0.6, 0, 0.45, 7.4},
                                             {4.4, 2.8, 1.5, 0.9, 0, 0.3, 7.9},
                                             {4.0, 4.2, 1.2, 1.3, 1, 0.6, 7.8}});
    expectChanges(
        recordingChanges(before, after),
        {
            {"step", "mean", 6.850000000000001, 7.52, -1.078009224246735, 2.418009224246735},
            {"step", "p50", 6.85, 7.5, -1.344213780115067, 2.644213780115068},
            {"step", "p95", 7.6, 7.88, -1.924884064412224, 2.484884064412224},
            {"step", "p99", 7.680000000000001, 7.896, -2.071702984960767, 2.503702984960766},
            {"a", "count", 1.666666666666667, 1.6, -1, 1},
            {"a", "total", 3.902777777777778, 4.832000000000001, -4.766606694913305, 6.625051139357751},
            {"a", "median", 2.125, 2.65, -2.458701288295471, 3.508701288295471},
            {"a", "effect on step mean", 6.533333333333332, 7.342592592592592, -1.481832714842714, 3.100351233361232},
            {"a", "effect on step p95", 7.2875, 8.498611111111108, -1.6553788345181, 4.077601056740317},
            {"c", "count", 1, 1, 0, 0},
            {"c", "total", 0.9166666666666666, 1.34, -0.7544057612992779, 1.601072427965944},
            {"c", "median", 1.05, 1.4, -0.9436635773037474, 1.643663577303747},
            {"c", "effect on step mean", 6.533333333333332, 6.789999999999999, -0.921072427965945, 1.434405761299279},
            {"c", "effect on step p95", 7.2875, 7.597499999999999, -1.303128013443541, 1.923128013443541},
            {"gaps before operations", "total", 0.3666666666666667, 0.59, -0.03168063433410018, 0.4783473010007667},
            {"gaps before operations", "median", 0.07500000000000001, 0.07500000000000001, -0.04893915019372563, 0.04893915019372563},
            {"gaps before operations", "effect on step mean", 6.533333333333332, 6.706666666666666, -0.07008909034921729,
             0.4167557570158849},
            {"gaps before operations", "effect on step p95", 7.2875, 7.507499999999999, -0.03211608167121316, 0.4721160816712127},
            {"b", "count", 1, 1, 0, 0},
            {"b", "total", 2.833333333333333, 2.94, -1.98314667744799, 2.196480010781323},
            {"b", "median", 2.6, 2.8, -1.967598608613506, 2.367598608613506},
            {"b", "effect on step mean", 6.533333333333332, 6.508333333333333, -1.531480010781324, 1.481480010781326},
            {"b", "effect on step p95", 7.2875, 7.4125, -2.751566603075467, 3.001566603075467},
            {"d", "count", 0, 0.4, 0, 1},
            {"d", "effect on step mean", 6.533333333333332, 6.533333333333332, 0, 0},
            {"d", "effect on step p95", 7.2875, 7.2875, 0, 0},
            {"e", "count", 0.3333333333333333, 0, -1, 0},
            {"e", "effect on step mean", 6.533333333333332, 6.533333333333332, 0, 0},
            {"e", "effect on step p95", 7.2875, 7.2875, 0, 0},
            {"remainder", "effect on step mean", 8.064259259259261, 7.52, -4.011310536080441, 2.92279201756192},
            {"remainder", "effect on step p95", 9.466111111111108, 7.88, -6.486994528844588, 3.314772306622372},
        });
}

TEST(RecordingChangeValues, OneStepHasValuesWithoutIntervals)
{
    // A pool of one duration takes the median of those after: of 1, 5 and 2 s. b keeps 3 s, where no pool has it after.
    constexpr double kEndless = std::numeric_limits<double>::infinity();
    Recording before, after;
    before.pools = {{"a", "x"}, {"b", "y"}};
    before.steps.push_back(recordedNodes({{}, {0}}, {4, 3}, {0, 0.5}, {0, 1}, 7.75));
    after.pools = {{"a", "x"}, {"b", "elsewhere"}};
    after.steps.push_back(recordedNodes({{}, {0}, {1}, {2}}, {1, 5, 2, 6}, {0, 0, 0, 0.5}, {0, 0, 0, 1}, 14.5));
    const ChangeReport report = recordingChanges(before, after);
    const auto endless = [&](const char* subject, const char* name, double b, double a) -> ExpectedChange {
        return {subject, name, b, a, -kEndless, kEndless};
    };
    expectChanges(report, {endless("step", "mean", 7.75, 14.5),
                           endless("step", "p50", 7.75, 14.5),
                           endless("step", "p95", 7.75, 14.5),
                           endless("step", "p99", 7.75, 14.5),
                           {"a", "count", 1, 3, 2, 2},
                           endless("a", "total", 4, 8),
                           endless("a", "median", 4, 2),
                           endless("a", "effect on step mean", 7.5, 5.5),
                           endless("a", "effect on step p95", 7.5, 5.5),
                           {"b", "count", 1, 1, 0, 0},
                           endless("b", "total", 3, 6),
                           endless("b", "median", 3, 6),
                           endless("b", "effect on step mean", 7.5, 7.5),
                           endless("b", "effect on step p95", 7.5, 7.5),
                           endless("gaps before operations", "total", 0.5, 0.5),
                           endless("gaps before operations", "median", 0.25, 0),
                           endless("gaps before operations", "effect on step mean", 7.5, 7.5),
                           endless("gaps before operations", "effect on step p95", 7.5, 7.5),
                           endless("remainder", "effect on step mean", 5.75, 14.5),
                           endless("remainder", "effect on step p95", 5.75, 14.5)});
}

TEST(RecordingChangeValues, ClassesAreSortedByTheirEffectOnTheMean)
{
    // a takes 1 s more in every step; b 3 s more in the longest one: 0.5 s on the mean, 0.75 x 3 s on the p95 of six.
    Recording before, after;
    before.pools = after.pools = {{"a", "x"}, {"b", "y"}};
    for (int i = 0; i < 6; ++i) {
        before.steps.push_back(recordedNodes({{}, {0}}, {2, 3 + 0.1 * i}, {0, 0}, {0, 1}, 5));
        after.steps.push_back(recordedNodes({{}, {0}}, {3, 3 + 0.1 * i + (i == 5 ? 3 : 0)}, {0, 0}, {0, 1}, 6));
    }
    const ChangeReport report = recordingChanges(before, after);
    const auto& f = report.metrics;
    ASSERT_EQ(f.size(), 20U);
    EXPECT_EQ(f[7].subject + f[12].subject, "ab");
    EXPECT_NEAR(f[7].change.value, 1, 1e-12);
    EXPECT_NEAR(f[8].change.value, 1, 1e-12);
    EXPECT_NEAR(f[12].change.value, 0.5, 1e-12);
    EXPECT_NEAR(f[13].change.value, 2.25, 1e-12);
}

/// Kernels of one rank, microseconds.
KinetoRank kernelRank(std::vector<KinetoStep> steps, const std::vector<KinetoKernel>& kernels)
{
    KinetoRank rank{.names = {"k"}};
    rank.steps = std::move(steps);
    rank.kernels = kernels;
    return rank;
}

TEST(KernelSteps, AKernelWaitsForItsStreamAndForTheLastThatHadEnded)
{
    const Recording recording =
        profileRecording({kernelRank({}, {{.start = 10, .duration = 100, .stream = 7},
                                          {.start = 15, .duration = 30, .stream = 8},
                                          {.start = 45, .duration = 20, .stream = 8}, // starts when the one before ends
                                          {.start = 70, .duration = 200, .stream = 9},
                                          {.start = 113, .duration = 4, .stream = 7},
                                          {.start = 120, .duration = 300, .stream = 9, .device = 1}, // another device
                                          {.start = 283, .duration = 7, .stream = 9}})})
            .value();
    ASSERT_EQ(recording.steps.size(), 1U);
    const RecordedStep& step = recording.steps[0];
    const std::vector<std::vector<int>> waits = {{}, {}, {1, 1}, {2}, {0, 0}, {4}, {3, 3}};
    // Less the end of what it waits for, or the begin of the step.
    const std::vector<double> durations = {100, 30, 20, 200, 4, 300, 7}, gaps = {0, 5, 0, 5, 3, 3, 13};
    ASSERT_EQ(step.seconds.size(), 7U);
    for (std::size_t i = 0; i < 7; ++i) {
        const auto on = step.graph.dependencies(static_cast<int>(i));
        EXPECT_EQ(std::vector<int>(on.begin(), on.end()), waits[i]) << i;
        EXPECT_NEAR(step.seconds[i], 1e-6 * durations[i], 1e-15) << i;
        EXPECT_NEAR(step.gaps[i], 1e-6 * gaps[i], 1e-15) << i;
    }
    EXPECT_NEAR(step.span, 410e-6, 1e-15);
    ReplayTimes times;
    step.graph.run(step.seconds, step.gaps, times);
    EXPECT_NEAR(times.seconds(), step.span, 1e-12) << "run again, it lasts as long";
}

TEST(KernelSteps, AKernelBelongsToTheStepOfItsLaunch)
{
    // Steps begin at 100, 200, 400 and 300 (not in order); the last of them launches nothing.
    const Recording recording = profileRecording({kernelRank({{"s", 100, 90}, {"s", 200, 90}, {"s", 400, 90}, {"s", 300, 90}},
                                                             {{.start = 90, .duration = 1},                 // before any step
                                                              {.start = 100, .duration = 2},                // at a begin
                                                              {.start = 210, .duration = 3, .launch = 199}, // launched in the step before
                                                              {.start = 215, .duration = 4, .launch = 200}, // launched at a begin
                                                              {.start = 220, .duration = 5, .launch = 0},   // launched before any step
                                                              {.start = 410, .duration = 6, .launch = 250},
                                                              {.start = 430, .duration = 7, .launch = 401}})})
                                    .value();
    ASSERT_EQ(recording.steps.size(), 3U);
    EXPECT_NEAR(recording.steps[0].span, 113e-6, 1e-15);
    EXPECT_NEAR(recording.steps[1].span, 201e-6, 1e-15);
    EXPECT_NEAR(recording.steps[2].span, 7e-6, 1e-15);
    for (const RecordedStep& step : recording.steps)
        EXPECT_EQ(step.pool, std::vector<int>(step.seconds.size(), 0));
    EXPECT_FALSE(recording.isByStep);
    EXPECT_EQ(recording.notes.at(0).substr(0, 38), "1 ranks, 3 profiled steps of a rank; e");
}

TEST(KernelSteps, StepsOfAllRanksFollowOneAnother)
{
    KinetoRank first = kernelRank({}, {{.start = 5, .duration = 2}}), second = kernelRank({}, {{.start = 7, .duration = 3}});
    second.rank = 1;
    second.names = {"other"};
    const Recording recording = profileRecording({first, second}).value();
    ASSERT_EQ(recording.steps.size(), 2U);
    EXPECT_EQ(recording.steps[0].pool, std::vector<int>{0});
    EXPECT_EQ(recording.steps[1].pool, std::vector<int>{1});
    EXPECT_EQ(recording.pools.size(), 2U);
    EXPECT_FALSE(profileRecording({kernelRank({{"s", 100, 90}}, {{.start = 90, .duration = 1}})}).ok());
}

/// One worker: steps of forward 2 s, a pause of 0.25 s, backward 3 s; the first `slow` steps take ten times as long.
TraceJob startingJob(int slow)
{
    TraceJob job{.replicas = 1, .stages = 1, .replicasOfJob = 1, .replicaNumbers = {0}};
    for (int t = 0; t < 24; ++t) {
        const double scale = t < slow ? 10 : 1;
        TraceStep step{.number = t};
        step.operations.push_back({.start = 1, .duration = 2 * scale, .microBatch = 0, .type = TraceOp::forwardCompute});
        step.operations.push_back({.start = 1 + 2.25 * scale, .duration = 3 * scale, .microBatch = 0, .type = TraceOp::backwardCompute});
        job.steps.push_back(std::move(step));
    }
    return job;
}

TEST(KernelSteps, AJobIsRecordedWithoutItsStartUp)
{
    EXPECT_EQ(jobRecording(startingJob(0)).value().steps.size(), 24U);
    const Recording recording = jobRecording(startingJob(3)).value();
    ASSERT_EQ(recording.steps.size(), 21U);
    EXPECT_TRUE(recording.isByStep);
    EXPECT_EQ(recording.notes.at(0), "21 steps of 1 replicas x 1 stages");
    ASSERT_EQ(recording.pools.size(), 2U);
    for (const RecordedStep& step : recording.steps) {
        EXPECT_NEAR(step.span, 5.25, 1e-12);
        std::array<double, 2> seconds{}, gaps{};
        for (std::size_t i = 0; i < step.pool.size(); ++i)
            if (step.pool[i] >= 0) {
                seconds.at(static_cast<std::size_t>(step.pool[i])) += step.seconds[i];
                gaps.at(static_cast<std::size_t>(step.pool[i])) += step.gaps[i];
            }
        EXPECT_NEAR(seconds[0], 2, 1e-12);
        EXPECT_NEAR(seconds[1], 3, 1e-12);
        EXPECT_NEAR(gaps[1], 0.25, 1e-12);
    }
}

} // namespace
} // namespace prism
