// SPDX-License-Identifier: GPL-3.0-or-later
// Two logs of one job: injected changes are found, and nothing else; halves and repeats of one job differ in nothing, or nearly nothing.
#include "core/insight/change/recordingchange.h"
#include "core/base/table.h"
#include "core/base/textfile.h"
#include "core/stats/random.h"

#include "datafolder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

namespace prism {
namespace {

/// Steps of 10 s with uniform noise of +- 1 %, as a log of one run; `change` gives what step i becomes.
StepLog logWith(
    std::uint64_t seed, const std::function<double(int, double)>& change = [](int, double x) { return x; })
{
    StepLog log{.runs = {LoggedRun{.name = "run 1"}}};
    for (int i = 0; i < 400; ++i) {
        const double u = uniform(seed, stream(7), static_cast<std::uint64_t>(i));
        log.runs[0].steps.push_back({.seconds = change(i, 10 * (1 + 0.02 * (u - 0.5))), .number = i});
    }
    return log;
}

std::vector<ChangedMetric> changesOf(const StepLog& before, const StepLog& after)
{
    return logChanges(before, after).value().metrics;
}

std::set<std::string> changed(const StepLog& before, const StepLog& after)
{
    std::set<std::string> names;
    for (const ChangedMetric& f : changesOf(before, after))
        if (f.isBeyondNoise())
            names.insert(f.name);
    return names;
}

using Names = std::set<std::string>;

TEST(LogChanges, EqualLogsDifferInNothingAtAll)
{
    for (const ChangedMetric& f : changesOf(logWith(1), logWith(1))) {
        EXPECT_EQ(f.change.value, 0) << f.name;
        EXPECT_LE(f.change.low, 0) << f.name;
        EXPECT_GE(f.change.high, 0) << f.name;
    }
    EXPECT_EQ(changed(logWith(1), logWith(2)), Names());
}

TEST(LogChanges, WhatWasInjectedIsFoundAndNothingElse)
{
    const StepLog before = logWith(1);
    EXPECT_EQ(changed(before, logWith(2, [](int, double x) { return 1.02 * x; })), (Names{"mean", "p50", "p95", "p99"}));
    EXPECT_EQ(changed(before, logWith(2, [](int, double x) { return 10 + 4 * (x - 10); })), (Names{"p95", "p99", "jitter"}));
    EXPECT_EQ(changed(before, logWith(2, [](int i, double x) { return i < 20 ? 2 * x : x; })), Names{"warm-up"});
    EXPECT_EQ(changed(before, logWith(2, [](int i, double x) { return x * (1 + 0.05 * (i - 200) / 400.0); })),
              (Names{"trend", "p95", "p99"}));
    const Names stalls = changed(before, logWith(2, [](int i, double x) { return i % 37 == 20 || i % 53 == 9 ? x + 8 : x; }));
    EXPECT_TRUE(stalls.contains("stalls"));
    EXPECT_FALSE(stalls.contains("p50"));
    EXPECT_FALSE(stalls.contains("jitter"));
}

TEST(LogChanges, TheChangeIsTheInjectedOneAndTheIntervalCoversIt)
{
    int covered = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed)
        for (const ChangedMetric& f : changesOf(logWith(seed), logWith(100 + seed, [](int, double x) { return x + 0.3; })))
            if (f.name == "p50")
                covered += f.change.low < 0.3 && f.change.high > 0.3 && f.change.low > 0 ? 1 : 0;
    EXPECT_EQ(covered, 20);
}

TEST(LogChanges, BothShortLogsAreReported)
{
    StepLog few = logWith(1);
    few.runs[0].steps.resize(12);
    const auto changes = logChanges(few, few);
    ASSERT_EQ(changes.errors().size(), 2U);
    EXPECT_EQ(changes.errors()[0].path, "BEFORE");
    EXPECT_EQ(changes.errors()[1].path, "AFTER");
    EXPECT_EQ(changes.errors()[1].found, "12 steps");
}

/// The runs of the folder's step series, a log for each.
std::vector<StepLog> measuredRuns(const std::string& folder)
{
    const std::string table = readTextFile(folder + "/steps/llama31_405b_steps.csv.gz").value();
    std::set<std::string> systems;
    TableRows rows(table);
    rows.next();
    const auto column = std::find(rows.cells().begin(), rows.cells().end(), "system") - rows.cells().begin();
    while (rows.next())
        systems.insert(rows.cells()[static_cast<std::size_t>(column)]);
    std::vector<StepLog> logs;
    for (const std::string& system : systems) {
        const StepLog log = readStepLog(selectedRows(table, {"system=" + system}).value()).value();
        for (const LoggedRun& run : log.runs)
            logs.push_back({.runs = {run}});
    }
    return logs;
}

StepLog part(const StepLog& log, std::size_t first, std::size_t last, double factor = 1)
{
    StepLog out = log;
    for (LoggedRun& run : out.runs) {
        run.steps = {run.steps.begin() + static_cast<std::ptrdiff_t>(first), run.steps.begin() + static_cast<std::ptrdiff_t>(last)};
        for (LoggedStep& s : run.steps)
            s.seconds *= factor;
    }
    return out;
}

TEST(LogChanges, HalvesOfMeasuredRunsDifferInNearlyNothing)
{
    const std::string folder = dataFolder();
    if (folder.empty())
        GTEST_SKIP() << "no PRISM_DATA";
    int rows = 0, beyond = 0, runs = 0, levels = 0;
    for (const StepLog& log : measuredRuns(folder)) {
        const std::size_t n = log.steps();
        const StepLog first = part(log, 0, n / 2);
        for (const ChangedMetric& f : changesOf(first, part(log, n / 2, n))) {
            ++rows;
            beyond += f.isBeyondNoise() ? 1 : 0;
        }
        levels += changed(first, part(log, n / 2, n, 1.03)).contains("p50") ? 1 : 0;
        ++runs;
    }
    EXPECT_EQ(runs, 12);
    EXPECT_EQ(levels, 12);
    EXPECT_LE(beyond, 3) << rows;
}

} // namespace
} // namespace prism
