// SPDX-License-Identifier: GPL-3.0-or-later
// Step times out of logs: each format by a few of its lines, counts, and hostile text.
#include "core/measured/steplog.h"

#include "core/measured/logfields.h"
#include "core/measured/measuredlimits.h"
#include "core/stats/random.h"

#include <gtest/gtest.h>

#include <cmath>

namespace prism {
namespace {

StepLog read(const std::string& text, const StepLogOptions& options = {})
{
    const Result<StepLog> log = readStepLog(text, options);
    EXPECT_TRUE(log.ok());
    return log.ok() ? *log : StepLog{};
}

TEST(StepLog, UnitsOfStepTimes)
{
    const std::pair<const char*, double> units[] = {
        {"s", 1},     {"sec", 1},     {"secs", 1},           {"second", 1},         {"seconds", 1},
        {"ms", 1e-3}, {"msec", 1e-3}, {"msecs", 1e-3},       {"millisecond", 1e-3}, {"milliseconds", 1e-3},
        {"us", 1e-6}, {"usec", 1e-6}, {"microsecond", 1e-6}, {"microseconds", 1e-6}};
    for (const auto& [unit, seconds] : units) {
        EXPECT_EQ(unitSeconds(unit), seconds) << unit;
        const std::string text = "step,step_time_" + std::string(unit) + "\n1," + std::to_string(std::llround(9 / seconds)) + "\n2,"
                                 + std::to_string(std::llround(9 / seconds)) + "\n";
        const StepLog log = read(text);
        ASSERT_EQ(log.runs.size(), 1U) << unit;
        EXPECT_NEAR(log.runs[0].steps.at(0).seconds, 9, 1e-9) << unit;
    }
    EXPECT_EQ(unitSeconds("minutes"), 0);
}

TEST(StepLog, MegatronLinesGiveStepsSamplesAndMilliseconds)
{
    const StepLog log = read("using world size: 512\n"
                             " [2025-01-31 12:00:00] iteration        1/  500000 | consumed samples:          512 | elapsed time per "
                             "iteration (ms): 9123.4 | lr\n"
                             " [2025-01-31 12:00:10] iteration        2/  500000 | consumed samples:         1024 | elapsed time per "
                             "iteration (ms): 5000.0 | lr\n"
                             "saving checkpoint at iteration 2\n"
                             " [2025-01-31 12:00:45] iteration        3/  500000 | consumed samples:         1536 | elapsed time per "
                             "iteration (ms): 5010.0 | lr\n");
    EXPECT_EQ(log.format, "Megatron-LM standard output");
    ASSERT_EQ(log.runs.size(), 1U);
    ASSERT_EQ(log.runs[0].steps.size(), 3U);
    EXPECT_EQ(log.lines, 5);
    EXPECT_EQ(log.matched, 3);
    EXPECT_DOUBLE_EQ(log.runs[0].steps[0].seconds, 9.1234);
    EXPECT_EQ(log.runs[0].steps[2].number, 3);
    EXPECT_EQ(log.runs[0].steps[2].samplesSeen, 1536);
    EXPECT_NEAR(log.runs[0].steps[1].pauseSeconds, 5.0, 1e-9);
    EXPECT_NEAR(log.runs[0].steps[2].pauseSeconds, 29.99, 1e-9);
}

TEST(StepLog, MlperfEventsGiveStepsAndRunsStartAnew)
{
    const StepLog log =
        read(":::MLLOG {\"time_ms\": 1000, \"key\": \"run_start\", \"value\": null, \"metadata\": {}}\n"
             ":::MLLOG {\"time_ms\": 20000, \"key\": \"tracked_stats\", \"value\": {\"train_step_time\": 9.5, \"throughput\": 3}, "
             "\"metadata\": {\"step\": 1152}}\n"
             ":::MLLOG {\"time_ms\": 40000, \"key\": \"tracked_stats\", \"value\": {\"train_step_time\": 9.25}, \"metadata\": {\"step\": "
             "2304}}\n"
             ":::MLLOG {broken\n"
             ":::MLLOG {\"time_ms\": 1000, \"key\": \"run_start\", \"value\": null}\n"
             ":::MLLOG {\"time_ms\": 9000, \"key\": \"train_step_time\", \"value\": 8.0}\n");
    ASSERT_EQ(log.runs.size(), 2U);
    EXPECT_EQ(log.runs[0].steps.size(), 2U);
    EXPECT_DOUBLE_EQ(log.runs[0].steps[1].seconds, 9.25);
    EXPECT_EQ(log.runs[0].steps[1].samplesSeen, 2304);
    EXPECT_NEAR(log.runs[0].steps[1].pauseSeconds, 10.75, 1e-9);
    EXPECT_DOUBLE_EQ(log.runs[1].steps[0].seconds, 8.0);
    EXPECT_EQ(log.unusable, 1);
}

TEST(StepLog, TablesAreReadByTheNamesOfTheirColumns)
{
    EXPECT_DOUBLE_EQ(read("step;loss;iteration time (ms)\n1;9.9;250\n").runs[0].steps[0].seconds, 0.25);
    EXPECT_DOUBLE_EQ(read("Step,Wall time,Value\n1,100,0.5\n").runs[0].steps[0].seconds, 0.5);
    const StepLog runs = read("run,step_time_s\na,1\nb,2\na,1.5\n");
    ASSERT_EQ(runs.runs.size(), 2U);
    EXPECT_EQ(runs.runs[0].steps.size(), 2U);
    const StepLog exported =
        read("\"Step\",\"blue - perf/step_time\",\"blue - perf/step_time__MAX\",\"red - perf/step_time\"\n1,4,9,5\n2,4.5,9,\n");
    ASSERT_EQ(exported.runs.size(), 2U);
    EXPECT_EQ(exported.runs[0].name, "blue");
    EXPECT_EQ(exported.runs[1].steps.size(), 1U);
}

TEST(StepLog, NothingIsGuessed)
{
    const Result<StepLog> tie = readStepLog("step_time_s,iteration_time_ms\n1,1000\n");
    ASSERT_FALSE(tie.ok());
    EXPECT_NE(tie.errors()[0].found.find("iteration_time_ms"), std::string::npos);
    StepLogOptions chosen;
    chosen.timeColumn = "iteration_time_ms";
    EXPECT_DOUBLE_EQ(read("step_time_s,iteration_time_ms\n1,1100\n", chosen).runs[0].steps[0].seconds, 1.1);
    EXPECT_FALSE(readStepLog("a,b\n1,2\n").ok());
    EXPECT_FALSE(readStepLog("").ok());
    EXPECT_FALSE(readStepLog("step_time_s\nnan\n-1\n0\n1e400\n").ok());
}

TEST(StepLog, OtherFrameworksAndAPatternOfOnesOwn)
{
    EXPECT_DOUBLE_EQ(read("Training epoch 0, iteration 9/99 | global_step: 9 | train_step_timing in s: 5.42 | consumed_samples: 5120\n")
                         .runs[0]
                         .steps[0]
                         .seconds,
                     5.42);
    EXPECT_DOUBLE_EQ(read("steps: 10 loss: 2.31 iter time (s): 1.234 samples/sec: 25.9\n").runs[0].steps[0].seconds, 1.234);
    EXPECT_DOUBLE_EQ(read("{\"step\": 1, \"perf\": {\"step_time\": 2.5}}\n{\"step\": 2, \"loss\": 1}\n").runs[0].steps[0].seconds, 2.5);
    const StepLog titan = read("[titan] 2025-01-31 12:00:00,000 - root - INFO - step:  1  loss: 8.1  tps: 1,234  mfu: 40%\n"
                               "[titan] 2025-01-31 12:00:01,500 - root - INFO - step:  2  loss: 8.0  tps: 1,234  mfu: 40%\n");
    EXPECT_DOUBLE_EQ(titan.runs[0].steps[0].seconds, 1.5);
    StepLogOptions own;
    own.pattern = "it {step} of {*} took {ms} ms";
    const StepLog pattern = read("it 7 of 99 took 125 ms\nsomething else\n", own);
    EXPECT_DOUBLE_EQ(pattern.runs[0].steps[0].seconds, 0.125);
    EXPECT_EQ(pattern.runs[0].steps[0].number, 7);
    own.pattern = "no time {step}";
    EXPECT_FALSE(readStepLog("x", own).ok());
}

TEST(StepLog, RepeatedStepsAreOmittedAndARestartIsANewRun)
{
    const std::string line = " iteration 5/ 10 | elapsed time per iteration (ms): 100.0 |\n";
    const StepLog log = read(line + line + " iteration 6/ 10 | elapsed time per iteration (ms): 101.0 |\n" + line);
    EXPECT_EQ(log.repeated, 1);
    ASSERT_EQ(log.runs.size(), 2U);
    EXPECT_EQ(log.runs[0].steps.size(), 2U);
}

TEST(StepLog, AFollowedLogHasNoEnd)
{
    StepLogReader reader({}, StepLogReader::Keep::ends);
    reader.line("step,step_time_s");
    std::size_t taken = 0;
    for (std::size_t i = 0; i < kMaxLoggedSteps + 10; ++i)
        taken += reader.line(std::to_string(i) + ",1.5") ? 1 : 0;
    EXPECT_EQ(taken, kMaxLoggedSteps + 10);
    EXPECT_EQ(reader.log().steps(), 2U) << "the first and the last";
    EXPECT_FALSE(reader.line(std::to_string(kMaxLoggedSteps + 9) + ",1.5")) << "the last one again";
}

/// Two records on a line, of which the second opens a run that has no step yet: a clock needs a second value.
TEST(StepLogReader, TheLastStepIsOfTheRecordThatHasOne)
{
    StepLogReader reader({}, StepLogReader::Keep::ends);
    for (int k = 1; k <= 5; ++k)
        (void)reader.line("{\"step\": " + std::to_string(k) + ", \"_runtime\": " + std::to_string(5 * k) + "}");
    ASSERT_TRUE(reader.line("{\"step\": 6, \"_runtime\": 32} {\"step\": 1, \"_runtime\": 2}"));
    EXPECT_EQ(reader.last().number, 6);
    EXPECT_EQ(reader.last().seconds, 7);
    EXPECT_FALSE(reader.line("{\"step\": 1, \"_runtime\": 1}")) << "a clock alone";
}

TEST(StepLog, AnyTextIsTakenWithoutHarm)
{
    const std::string seed =
        ":::MLLOG {\"key\": \"step_time\", \"value\": 1}\n iteration 1 | elapsed time per iteration (ms): 3 |\n{\"step_time\": 1}\n"
        "run,step_time_s\n0,1\n";
    const std::string stamped =
        "[2024-03-07 15:27:02,646] [timer.py:260:stop] epoch=0/micro_step=9/global_step=9, RunningAvgSamplesPerSec=58.7, "
        "CurrSamplesPerSec=61.3\n[2024-03-07 15:27:04,646] [timer.py:260:stop] 0/10, RunningAvgSamplesPerSec=58.7, "
        "CurrSamplesPerSec=61.3\r[rank0]:[titan] 2026-05-18 16:04:46,338 - step: 14 loss: 3 tps: 7\n";
    for (std::uint64_t k = 0; k < 600; ++k) {
        std::string text = k % 2 == 0 ? seed : stamped;
        for (int change = 0; change < 8; ++change) {
            const auto at =
                static_cast<std::size_t>(uniform(k, stream(1), static_cast<std::uint64_t>(change)) * static_cast<double>(text.size()));
            text[at] = static_cast<char>(uniform(k, stream(2), static_cast<std::uint64_t>(change)) * 256);
        }
        const Result<StepLog> log = readStepLog(text);
        for (const LoggedRun& run : log.ok() ? log->runs : std::vector<LoggedRun>())
            for (const LoggedStep& step : run.steps)
                EXPECT_GT(step.seconds, 0);
    }
    EXPECT_FALSE(readStepLog(std::string(200'000, '{')).ok());
}

TEST(StepLog, ALogOfTooManyLinesIsRefusedAtItsFirstLineTooMany)
{
    const auto placeOf = [](const std::string& text) {
        const Result<StepLog> log = readStepLog(text);
        return log.ok() ? std::string("read") : log.errors()[0].path;
    };
    EXPECT_EQ(placeOf(std::string(kMaxLinesBefore + 10, '\n')), "line " + std::to_string(kMaxLinesBefore + 1));
    EXPECT_EQ(placeOf(std::string(kMaxLinesBefore - 10, '\n') + "step_time_s\n1\n"), "read");
    EXPECT_EQ(placeOf("step_time_s\n1\n" + std::string(kMaxLogLines, '\n')), "line " + std::to_string(kMaxLogLines + 1));
    const std::string part(kLongestLogLine, 'x'); // a longer log may have more lines
    std::string longer = "step_time_s\n1\n";
    for (std::size_t i = 0; i <= kLogPartBytes / part.size(); ++i)
        longer += part + '\n';
    EXPECT_EQ(placeOf(longer + std::string(kMaxLogLines, '\n')), "read");
}

TEST(StepLog, ANamedRunThatBeginsAnewOftenIsReadInOnePass)
{
    std::string text = "run,step,step_time_s\n";
    for (int i = 0; i < 400'000; ++i) // the steps of 999 names, and one that begins again
        text +=
            (i % 2 == 0 ? "a," + std::to_string(i % 4 == 0 ? 1'000 : 0) : "b" + std::to_string(i % 101) + "," + std::to_string(i)) + ",1\n";
    const StepLog log = read(text);
    EXPECT_EQ(log.runs.size(), kMaxLoggedRuns + 1);
    EXPECT_EQ(log.runs[0].name, "a");
    EXPECT_EQ(log.runs[2].name, "a (2)");
    EXPECT_EQ(log.runs.back().name, "a (" + std::to_string(kMaxLoggedRuns + 1 - 101) + ")");
}

TEST(StepLog, ANameThatARunOfTheLogHasIsNotGivenAgain)
{
    const StepLog log = read("run,step,step_time_s\na (2),1,5\na,9,1\na,0,2\na,1,2\n");
    ASSERT_EQ(log.runs.size(), 3U);
    EXPECT_EQ(log.runs[2].name, "a (3)");
    EXPECT_EQ(log.runs[0].steps.size(), 1U);
    EXPECT_EQ(log.runs[2].steps.size(), 2U);
}

TEST(LogFields, NamesOfStepTimesAndTheirUnits)
{
    EXPECT_DOUBLE_EQ(timeField("train_step_timing in s")->unitSeconds, 1);
    EXPECT_DOUBLE_EQ(timeField("elapsed time per iteration [ms]")->unitSeconds, 1e-3);
    EXPECT_EQ(timeField("time_metrics/end_to_end(s)")->rank, 0);
    EXPECT_EQ(timeField("elapsed")->rank, 1);
    for (const char* other : {"eval_step_time", "data_loading_time", "step_time__MIN", "loss", "Wall time", ""})
        EXPECT_FALSE(timeField(other)) << other;
}

} // namespace
} // namespace prism
