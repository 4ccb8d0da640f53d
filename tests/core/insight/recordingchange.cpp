// SPDX-License-Identifier: GPL-3.0-or-later
// Two recordings of one job: known answers of stage tables and profiles; halves of recorded jobs; +3 % in one class is found alone.
#include "core/insight/change/recordingchange.h"
#include "core/stats/random.h"
#include "core/trace/kineto.h"
#include "core/trace/stagetable.h"

#include "datafolder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace prism {
namespace {

/// Two replicas of one stage, 30 steps: two micro-batches of 1 s forward and `backward` s, then a reduction of 0.5 s from the later one's
/// end. Uniform noise of +- 0.5 % in each step.
TraceJob plainJob(std::uint64_t seed, double backward)
{
    TraceJob job{.replicas = 2, .stages = 1, .replicasOfJob = 2, .replicaNumbers = {0, 1}};
    for (int t = 0; t < 30; ++t) {
        TraceStep step{.number = t};
        double last = 0;
        for (int r = 0; r < 2; ++r) {
            const double f = 1 + 0.01 * (uniform(seed, stream(3), static_cast<std::uint64_t>(2 * t + r)) - 0.5);
            double at = 0;
            for (int m = 0; m < 2; ++m)
                for (const TraceOp type : {TraceOp::forwardCompute, TraceOp::backwardCompute}) {
                    const double seconds = f * (type == TraceOp::forwardCompute ? 1 : backward);
                    step.operations.push_back(
                        {.start = at, .duration = seconds, .replica = r, .sequence = m, .microBatch = m, .type = type});
                    at += seconds;
                }
            last = std::max(last, at);
            step.operations.push_back({.start = at, .replica = r, .type = TraceOp::gradsReduceScatter});
        }
        for (TraceOperation& o : step.operations)
            if (o.type == TraceOp::gradsReduceScatter)
                o.duration = last + 0.5 - o.start;
        job.steps.push_back(std::move(step));
    }
    return job;
}

const ChangedMetric& metric(const ChangeReport& report, const std::string& subject, const std::string& name)
{
    for (const ChangedMetric& f : report.metrics)
        if (f.subject == subject && f.name == name)
            return f;
    static const ChangedMetric kNone{.change = {NAN, NAN, NAN}};
    ADD_FAILURE() << subject << ": " << name;
    return kNone;
}

/// Classes with a significant statistic.
std::set<std::string> changedClasses(const ChangeReport& report)
{
    std::set<std::string> names;
    for (const ChangedMetric& f : report.metrics)
        if (f.isBeyondNoise() && f.subject != "step" && f.subject != "remainder")
            names.insert(f.subject);
    return names;
}

/// A recording whose operations of one class take `factor` times as long, run again.
Recording scaled(Recording recording, const std::string& name, double factor)
{
    ReplayTimes times;
    for (RecordedStep& step : recording.steps) {
        for (std::size_t i = 0; i < step.pool.size(); ++i)
            if (step.pool[i] >= 0 && recording.pools[static_cast<std::size_t>(step.pool[i])].className == name)
                step.seconds[i] *= factor;
        step.graph.run(step.seconds, step.gaps, times);
        step.span = times.seconds();
    }
    return recording;
}

/// Every other step, from `first` on.
Recording half(Recording recording, std::size_t first)
{
    std::vector<RecordedStep> steps;
    for (std::size_t i = first; i < recording.steps.size(); i += 2)
        steps.push_back(std::move(recording.steps[i]));
    recording.steps = std::move(steps);
    return recording;
}

TEST(RecordingChanges, TheEffectOfAClassIsWhatItsOperationsAddToTheStep)
{
    const ChangeReport report = recordingChanges(jobRecording(plainJob(1, 2)).value(), jobRecording(plainJob(2, 2.06)).value());
    EXPECT_EQ(changedClasses(report), std::set<std::string>{"backward-compute"});
    EXPECT_NEAR(metric(report, "backward-compute", "count").before, 4, 1e-12);
    EXPECT_NEAR(metric(report, "backward-compute", "total").before, 8, 0.02);
    EXPECT_NEAR(metric(report, "backward-compute", "total").after, 8.24, 0.02);
    EXPECT_NEAR(metric(report, "backward-compute", "median").change.value, 0.06, 0.004);
    const ChangedMetric& effect = metric(report, "backward-compute", "effect on step mean");
    EXPECT_NEAR(effect.change.value, 0.12, 0.01); // two of them behind each other
    EXPECT_TRUE(effect.isBeyondNoise());
    EXPECT_NEAR(metric(report, "backward-compute", "effect on step p95").change.value, 0.12, 0.01);
    EXPECT_FALSE(metric(report, "forward-compute", "effect on step mean").isBeyondNoise());
    EXPECT_FALSE(metric(report, "remainder", "effect on step mean").isBeyondNoise());
}

TEST(RecordingChanges, EffectsAndRemainderAddUpToTheStep)
{
    const ChangeReport report = recordingChanges(jobRecording(plainJob(1, 2)).value(), jobRecording(plainJob(2, 2.3)).value());
    for (const auto& [name, step] : {std::pair("effect on step mean", "mean"), std::pair("effect on step p95", "p95")}) {
        double sum = 0;
        for (const ChangedMetric& f : report.metrics)
            sum += f.name == name ? f.change.value : 0;
        EXPECT_NEAR(sum, metric(report, "step", step).change.value, 1e-9) << name;
    }
}

TEST(RecordingChanges, EqualRecordingsDifferInNothingAtAll)
{
    const Recording job = jobRecording(plainJob(1, 2)).value();
    const ChangeReport report = recordingChanges(job, job);
    EXPECT_GT(report.metrics.size(), 15U);
    for (const ChangedMetric& f : report.metrics) {
        EXPECT_NEAR(f.change.value, 0, 1e-12) << f.subject << ": " << f.name;
        EXPECT_FALSE(f.change.low > 1e-12 || f.change.high < -1e-12) << f.subject << ": " << f.name;
    }
}

TEST(RecordingChanges, OtherNumbersOfOperationsAreCountedAndStayInTheRemainder)
{
    TraceJob longer = plainJob(2, 2);
    for (TraceStep& step : longer.steps)
        for (std::size_t i = step.operations.size(); i-- > 0;)
            if (const TraceOperation o = step.operations[i]; o.type == TraceOp::gradsReduceScatter) {
                TraceOperation clip = o;
                clip.type = TraceOp::optimizer;
                clip.start = o.end();
                clip.duration = 1;
                step.operations.insert(step.operations.begin() + static_cast<std::ptrdiff_t>(i) + 1, clip);
            }
    const ChangeReport report = recordingChanges(jobRecording(plainJob(1, 2)).value(), jobRecording(longer).value());
    EXPECT_EQ(changedClasses(report), std::set<std::string>{"optimizer"});
    EXPECT_EQ(metric(report, "optimizer", "count").after, 2);
    EXPECT_NEAR(metric(report, "remainder", "effect on step mean").change.value, 1, 0.01);
}

/// Two streams of one rank, microseconds: a of 100 next to b of 60, then c of 50 that waits for both; 20 steps.
KinetoRank plainProfile()
{
    KinetoRank rank{.names = {"a", "b", "c"}};
    for (int s = 0; s < 20; ++s) {
        const double at = 1000.0 * s;
        rank.steps.push_back({"ProfilerStep#" + std::to_string(s), at, 900});
        rank.kernels.push_back({.start = at + 10, .duration = 100, .name = 0, .stream = 7});
        rank.kernels.push_back({.start = at + 10, .duration = 60, .name = 1, .stream = 8});
        rank.kernels.push_back({.start = at + 112, .duration = 50, .name = 2, .stream = 7});
    }
    return rank;
}

TEST(RecordingChanges, AKernelParallelToALongerOneCostsTheStepNothing)
{
    const Recording before = profileRecording({plainProfile()}).value();
    ASSERT_EQ(before.steps.size(), 20U);
    EXPECT_NEAR(before.steps[3].span, 152e-6, 1e-12);
    const std::string a = before.pools[0].className, b = before.pools[1].className;
    EXPECT_EQ(b, "b, grid 0 x 0, stream 8");
    const ChangeReport nextTo = recordingChanges(before, scaled(before, b, 1.5));
    EXPECT_EQ(changedClasses(nextTo), std::set<std::string>{b});
    EXPECT_NEAR(metric(nextTo, b, "total").change.value, 30e-6, 1e-12);
    EXPECT_NEAR(metric(nextTo, b, "effect on step mean").change.value, 0, 1e-12);
    const ChangeReport inTheWay = recordingChanges(before, scaled(before, a, 1.5));
    EXPECT_NEAR(metric(inTheWay, a, "effect on step mean").change.value, 50e-6, 1e-12);
    EXPECT_NEAR(metric(inTheWay, "remainder", "effect on step mean").change.value, 0, 1e-12);
}

Recording recordedTable(const std::string& folder, const std::string& name)
{
    const std::string path = folder + "/traces/" + name;
    return jobRecording(readStageTable(path + ".csv.gz", readStageTableMeta(path + ".meta.yaml").value()).value()).value();
}

/// Recorded jobs of the data folder, and classes of which 3 % are found between their halves.
struct RecordedJob {
    Recording recording;
    std::vector<std::string> classes;
};
std::map<std::string, RecordedJob> recordedJobs(const std::string& folder)
{
    const auto profile = profileRecording(readKineto(folder + "/traces/hta_df_index_resolver_v100_rank1of2.json.gz").value());
    return {{"SE", {recordedTable(folder, "stage-SE"), {"backward-compute"}}},
            {"ST", {recordedTable(folder, "stage-ST"), {"forward-compute", "backward-compute", "optimizer", "params-all-gather"}}},
            {"pipeline", {jobRecording(readPipelineEvents(folder + "/traces/pipeline-pp8").value()).value(), {"backward-compute"}}},
            {"profile", {profile.value(), {"volta_sgemm_32x128_nn, grid 320 x 256, stream 7"}}}};
}

TEST(RecordingChanges, HalvesOfRecordedJobsDifferInNearlyNothingAndThreePerCentAreFound)
{
    const std::string folder = dataFolder();
    if (folder.empty())
        GTEST_SKIP() << "no PRISM_DATA";
    for (const auto& [name, job] : recordedJobs(folder)) {
        EXPECT_TRUE(changedClasses(recordingChanges(job.recording, job.recording)).empty()) << name;
        const Recording even = half(job.recording, 0), odd = half(job.recording, 1);
        const std::set<std::string> between = changedClasses(recordingChanges(even, odd));
        EXPECT_LE(between.size(), name == "profile" ? 1U : 0U) << name;
        for (const std::string& injected : job.classes) {
            std::set<std::string> found = changedClasses(recordingChanges(even, scaled(odd, injected, 1.03)));
            EXPECT_EQ(found.erase(injected), 1U) << name << ": " << injected;
            EXPECT_LE(found.size(), between.size()) << name << ": " << injected;
        }
    }
}

} // namespace
} // namespace prism
