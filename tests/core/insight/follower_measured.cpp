// SPDX-License-Identifier: GPL-3.0-or-later
// Real series replayed: no alarm as they are, and one within ten steps when the job gets slower. Needs the measured data.
#include "core/insight/follow/follower.h"
#include "core/measured/steplog.h"
#include "core/base/table.h"
#include "core/base/textfile.h"
#include "core/stats/random.h"

#include "datafolder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

namespace prism {
namespace {

/// Runs of every system of the folder's step series.
std::vector<StepLog> logs(const std::string& folder)
{
    const std::string table = readTextFile(folder + "/steps/llama31_405b_steps.csv.gz").value();
    TableRows rows(table);
    rows.next();
    const std::vector<std::string> header = rows.cells();
    const auto at = static_cast<std::size_t>(std::find(header.begin(), header.end(), "system") - header.begin());
    std::set<std::string> systems;
    while (rows.next())
        systems.insert(rows.cells()[at]);
    std::vector<StepLog> out;
    for (const std::string& system : systems)
        out.push_back(readStepLog(selectedRows(table, {"system=" + system}).value()).value());
    return out;
}

/// Steps that vary as little as the quietest system: the thresholds are as sharp as they get.
std::vector<double> predicted()
{
    std::vector<double> steps;
    for (std::uint64_t i = 0; i < 2'000; ++i)
        steps.push_back(30 * (1 + 0.003 * (uniform(1, stream(1), i) - 0.5)));
    return steps;
}

FollowOptions options()
{
    FollowOptions o;
    o.gpus = 512;
    o.stallsPerGpuHour = 0.0014;
    o.stallRateCv = 0.5;
    return o;
}

TEST(FollowMeasured, UntouchedSeriesRaiseNoAlarm)
{
    const std::string folder = dataFolder();
    if (folder.empty())
        GTEST_SKIP() << "no PRISM_DATA";
    for (const StepLog& log : logs(folder))
        for (const LoggedRun& run : log.runs) {
            StepFollower follower(predicted(), options());
            for (const LoggedStep& step : run.steps)
                for (const Deviation& d : follower.take(step))
                    ADD_FAILURE() << run.name << " step " << d.step << ": " << d.text;
        }
}

/// Runs of 60 windows of 200 steps, without start-up and first evaluation, that raise an alarm with a factor from step 100 on.
int windowsWithAlarm(const std::vector<StepLog>& all, const std::function<double(int)>& factor)
{
    std::vector<const LoggedRun*> runs;
    for (const StepLog& log : all)
        for (const LoggedRun& run : log.runs)
            runs.push_back(&run);
    constexpr std::size_t kLength = 200, kFrom = 45; // evaluations of 405B come every 46,080 samples: the first after 40 steps
    int found = 0;
    for (std::uint64_t w = 0; w < 60; ++w) {
        const std::vector<LoggedStep>& steps = runs[w % runs.size()]->steps;
        const auto start =
            kFrom + static_cast<std::size_t>(uniform(41, stream(w), 0) * static_cast<double>(steps.size() - kLength - kFrom));
        StepFollower follower(predicted(), options());
        bool any = false;
        for (std::size_t i = 0; i < kLength; ++i) {
            LoggedStep step = steps[start + i];
            step.seconds *= i < 100 ? 1.0 : factor(static_cast<int>(i) - 100);
            any = !follower.take(step).empty() || any;
        }
        found += any;
    }
    return found;
}

TEST(FollowMeasured, InjectionMatrix)
{
    const std::string folder = dataFolder();
    if (folder.empty())
        GTEST_SKIP() << "no PRISM_DATA";
    const std::vector<StepLog> all = logs(folder);
    EXPECT_LE(windowsWithAlarm(all, [](int) { return 1.0; }), 1);
    EXPECT_GE(windowsWithAlarm(all, [](int) { return 1.02; }), 50);
    EXPECT_EQ(windowsWithAlarm(all, [](int) { return 1.03; }), 60);
    EXPECT_GE(windowsWithAlarm(all, [](int i) { return i % 15 == 0 ? 1.5 : 1.0; }), 50);
    EXPECT_GE(windowsWithAlarm(all, [](int i) { return 1 + 0.03 * i / 100; }), 30);
}

TEST(FollowMeasured, AJobThatSlowsDownIsFoundWithinTenSteps)
{
    const std::string folder = dataFolder();
    if (folder.empty())
        GTEST_SKIP() << "no PRISM_DATA";
    for (const StepLog& log : logs(folder))
        for (const LoggedRun& run : log.runs)
            for (std::size_t from = 40; from + 12 < run.steps.size(); from += 37) {
                StepFollower follower(predicted(), options());
                bool found = false;
                for (std::size_t i = 0; i < from + 10; ++i) {
                    LoggedStep step = run.steps[i];
                    step.seconds *= i >= from ? 1.08 : 1.0; // what a node at 1.15 leaves of it in a job with communication
                    for (const Deviation& d : follower.take(step))
                        found = found || (i >= from && (d.kind == DeviationKind::level || d.kind == DeviationKind::drift));
                }
                EXPECT_TRUE(found) << run.name << " from step " << from;
            }
}

} // namespace
} // namespace prism
