// SPDX-License-Identifier: GPL-3.0-or-later
// Each rule of the inputs of a job, just broken and just kept.
#include "rulecases.h"

#include "core/job/jobtimes.h"
#include "core/job/trainingrun.h"

#include <cmath>
#include <functional>
#include <limits>

namespace prism {
namespace {

struct JobRule {
    const char* path;
    std::function<void(JobConfig&, JobQuery&)> broken, kept;
};

#define PRISM_JOB(...)                                                                                                                     \
    [](JobConfig& c, JobQuery& q) {                                                                                                        \
        (void)c, (void)q;                                                                                                                  \
        __VA_ARGS__;                                                                                                                       \
    }
constexpr double kInfinite = std::numeric_limits<double>::infinity();

const JobRule kJobRules[] = {
    {"runs", PRISM_JOB(q.runs = 99), PRISM_JOB(q.runs = 100)},
    {"runs", PRISM_JOB(q.runs = 100'001), PRISM_JOB(q.runs = 100'000)},
    {"tokens", PRISM_JOB(q.tokens = -1e-300), PRISM_JOB(q.tokens = 0)},
    {"tokens", PRISM_JOB(q.tokens = kInfinite), PRISM_JOB(q.tokens = 1e300)},
    {"deadline_days", PRISM_JOB(q.deadlineDays = -1e-300), PRISM_JOB(q.deadlineDays = 0)},
    {"deadline_days", PRISM_JOB(q.deadlineDays = kInfinite), PRISM_JOB(q.deadlineDays = 1e300)},
    {"job.failures.per_1000_node_days", PRISM_JOB(c.failures = {{"a", 1}, {"b", -1e-300}}), PRISM_JOB(c.failures = {{"a", 1}, {"b", 0}})},
    {"job.failures.per_1000_node_days", PRISM_JOB(c.failures = {{"a", 1e6 * (1 + 1e-15)}}), PRISM_JOB(c.failures = {{"a", 1e6}})},
    {"job.checkpoint_interval_s", PRISM_JOB(c.checkpointIntervalS = 99; c.checkpointPersistS = 100),
     PRISM_JOB(c.checkpointIntervalS = c.checkpointPersistS = 100)},
    {"job.checkpoint_interval_s", PRISM_JOB(c.checkpointIntervalS = 1; c.checkpointPersistS = 1.001),
     PRISM_JOB(c.checkpointPersistS = 100)},
    {"job.pue", PRISM_JOB(c.pue = 0.999), PRISM_JOB(c.pue = 1)},
    {"job.pue", PRISM_JOB(c.pue = 0), PRISM_JOB(c.pue = -1)},
    {"job.slow_factor", PRISM_JOB(c.slowFactor = 0.999), PRISM_JOB(c.slowFactor = 1)},
    {"job.without_spare", PRISM_JOB(c.withoutSpare = "stop"), PRISM_JOB(c.withoutSpare = "shrink")},
    {"job.without_spare", PRISM_JOB(c.withoutSpare = ""), PRISM_JOB(c.withoutSpare = "wait")},
    {"job.start_date", PRISM_JOB(c.startDate = "2025-02-29"), PRISM_JOB(c.startDate = "2024-02-29")},
    {"job.start_date", PRISM_JOB(c.startDate = "soon"), PRISM_JOB(c.startDate = "")},
};

TEST(JobRules, EachIsBrokenAndKeptAtItsBorder)
{
    Diagnostics reported;
    for (const JobRule& rule : kJobRules) {
        JobConfig broken, kept;
        JobQuery invalid, right;
        rule.broken(broken, invalid);
        rule.kept(kept, right);
        const Diagnostics found = checkJob(broken, invalid);
        ASSERT_EQ(found.size(), 1U) << rule.path;
        EXPECT_EQ(found.front().path, rule.path);
        EXPECT_EQ(found.front().severity, Severity::error);
        EXPECT_TRUE(checkJob(kept, right).empty()) << rule.path;
        reported.push_back(found.front());
    }
    // The omissions of the closed form one by one. A tenth of a node is in repair on the mean: three spares are enough.
    const auto whyNot = [&reported](const std::function<void(JobConfig&)>& change) {
        JobConfig config;
        config.failures = {{"gpu", 1, true}};
        config.repairHours = 24;
        config.spareNodes = 3;
        change(config);
        const ClosedForm form = closedForm(config, {.nodes = 100, .undisturbedDays = 10, .mtbfHours = 240}, 3'600);
        EXPECT_EQ(form.applies, form.whyNot.empty());
        reported.push_back({Severity::note, "", form.whyNot});
        return form.whyNot;
    };
    EXPECT_EQ(whyNot([](JobConfig&) {}), "");
    EXPECT_EQ(whyNot([](JobConfig& c) { c.checkpointPersistS = 1; }), "checkpoints are asynchronous");
    EXPECT_EQ(whyNot([](JobConfig& c) { c.slowPer1000NodeDays = 1e-9; }), "there are slow episodes");
    EXPECT_EQ(whyNot([](JobConfig& c) { c.maintenanceEveryDays = 30; }), "there are planned stops");
    EXPECT_EQ(whyNot([](JobConfig& c) { c.spareNodes = 1; }), "spares may run out");
    EXPECT_EQ(whyNot([](JobConfig& c) { c.spareNodes = 0, c.failures[0].replacesNode = false; }), "");
    test::expectEverySentence("core/job/jobtimes.cpp", reported);
}

} // namespace
} // namespace prism
