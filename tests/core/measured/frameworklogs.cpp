// SPDX-License-Identifier: GPL-3.0-or-later
// Logs of frameworks of which no real file was at hand: lines written by hand in the formats that they publish.
#include "core/measured/steplog.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace prism {
namespace {

StepLog read(const std::string& text)
{
    const Result<StepLog> log = readStepLog(text);
    EXPECT_TRUE(log.ok());
    return log.ok() ? *log : StepLog{};
}

std::vector<double> secondsOf(const LoggedRun& run)
{
    std::vector<double> out;
    for (const LoggedStep& step : run.steps)
        out.push_back(step.seconds);
    return out;
}

bool mentions(const StepLog& log, const std::string& words)
{
    return std::any_of(log.notes.begin(), log.notes.end(), [&](const std::string& n) { return n.find(words) != std::string::npos; });
}

TEST(FrameworkLogs, DeepSpeedsPipelineEngineGivesTheTime)
{
    const StepLog log = read("[2024-03-07 15:27:01,000] [INFO] [config.py:1000:print]   train_batch_size ............. 32\n"
                             "steps: 10 loss: 2.3145 iter time (s): 1.250 samples/sec: 25.600\n"
                             "[2024-03-07 15:27:20,001] [INFO] [logging.py:96:log_dist] [Rank 0] step=20, skipped=0, lr=[5e-05]\n"
                             "steps: 20 loss: 2.2981 iter time (s): 1.260 samples/sec: 25.397\n");
    EXPECT_EQ(log.format, "DeepSpeed standard output");
    ASSERT_EQ(log.runs.size(), 1U);
    EXPECT_EQ(secondsOf(log.runs[0]), (std::vector<double>{1.25, 1.26}));
    EXPECT_EQ(log.runs[0].steps[1].number, 20);
    EXPECT_EQ(log.lines, 4);
    EXPECT_EQ(log.matched, 2);
}

TEST(FrameworkLogs, DeepSpeedsThroughputLinesAreTakenByTheirStamps)
{
    const std::string head = "[2023-11-07 01:55:", now = ",714] [INFO] [timer.py:260:stop] epoch=0/micro_step=40/global_step=";
    const std::string rest = ", RunningAvgSamplesPerSec=25.02, CurrSamplesPerSec=25.70, MemAllocated=4.32GB, MaxMemAllocated=38.49GB\n";
    const StepLog log = read(head + "10" + now + "10" + rest + head + "35" + now + "20" + rest + head + "55" + now + "30" + rest);
    EXPECT_EQ(log.format, "DeepSpeed throughput lines");
    ASSERT_EQ(log.runs.size(), 1U);
    ASSERT_EQ(log.runs[0].steps.size(), 2U);
    EXPECT_NEAR(log.runs[0].steps[0].seconds, 2.5, 1e-6); // 25 s for ten steps
    EXPECT_NEAR(log.runs[0].steps[1].seconds, 2.0, 1e-6);
    EXPECT_EQ(log.runs[0].steps[1].number, 30);
    EXPECT_TRUE(mentions(log, "several steps lie between lines"));
    // The older form, epoch/step.
    const StepLog old =
        read("[2022-08-29 06:58:56,000] [INFO] [timer.py:198:stop] 0/20, RunningAvgSamplesPerSec=232.7, CurrSamplesPerSec=227.4\n"
             "[2022-08-29 06:58:57,500] [INFO] [timer.py:198:stop] 0/21, RunningAvgSamplesPerSec=232.7, CurrSamplesPerSec=227.4\n");
    EXPECT_NEAR(old.runs.at(0).steps.at(0).seconds, 1.5, 1e-6);
    EXPECT_EQ(old.runs[0].steps[0].number, 21);
}

TEST(FrameworkLogs, ALineThatGivesTheTimeGoesOverOneThatHasAStampAlone)
{
    const std::string stamped = "[2024-03-07 15:27:02,646] [INFO] [timer.py:260:stop] epoch=0/micro_step=199/global_step=199, "
                                "RunningAvgSamplesPerSec=58.7, CurrSamplesPerSec=61.3, MemAllocated=6.01GB\n",
                      reported = "        iteration      199/  317892 | consumed samples:       152832 | elapsed time per iteration (ms): "
                                 "14287.5 | learning rate: 2.4E-04 |\n";
    std::string later = stamped;
    later.replace(later.find("15:27:02"), 8, "15:27:17");
    later.replace(later.find("global_step=199"), 15, "global_step=200");
    const StepLog log = read(stamped + later + reported);
    EXPECT_EQ(log.format, "Megatron-LM standard output");
    ASSERT_EQ(log.runs.size(), 1U);
    EXPECT_EQ(secondsOf(log.runs[0]), std::vector<double>{14.2875});
    EXPECT_EQ(log.matched, 1);
}

TEST(FrameworkLogs, TorchtitanByStampsWithColoursRanksAndARestart)
{
    const auto line = [](const std::string& rank, const std::string& clock, int step) {
        return rank + "[titan] 2026-05-18 16:04:" + clock + " - root - INFO - \x1b[31mstep: " + std::to_string(step)
               + "  \x1b[32mloss:  3.24405  \x1b[38;2;180;60;0mgrad_norm:  0.8319  \x1b[36mmemory:  9.46GiB(64.99%)  \x1b[34mtps: 7,282  "
                 "tflops: 0.52  \x1b[35mmfu: 0.17%\x1b[39m\n";
    };
    const StepLog one = read(line("", "46,338", 14) + "[titan] 2026-05-18 16:04:46,900 - root - INFO - saving a checkpoint\n"
                             + line("", "47,456", 15) + line("", "48,577", 16) + line("", "50,000", 10) + line("", "51,100", 11));
    EXPECT_EQ(one.format, "torchtitan standard output");
    ASSERT_EQ(one.runs.size(), 2U);
    ASSERT_EQ(one.runs[0].steps.size(), 2U);
    EXPECT_NEAR(one.runs[0].steps[0].seconds, 1.118, 1e-6);
    EXPECT_NEAR(one.runs[0].steps[1].seconds, 1.121, 1e-6);
    EXPECT_NEAR(one.runs[1].steps.at(0).seconds, 1.1, 1e-6); // the job went back to step 10
    EXPECT_TRUE(mentions(one, "hold evaluations and checkpoints too"));
    // Ranks in one log, the second late by a step: the first one's lines count.
    const StepLog two = read(line("[rank0]:", "46,338", 14) + line("[rank0]:", "47,456", 15) + line("[rank1]:", "46,339", 14)
                             + line("[rank0]:", "48,577", 16) + line("[rank1]:", "47,457", 15));
    ASSERT_EQ(two.runs.size(), 1U);
    EXPECT_EQ(two.runs[0].steps.size(), 2U);
    EXPECT_NEAR(two.runs[0].steps[1].seconds, 1.121, 1e-6);
}

TEST(FrameworkLogs, NemoLinesProgressBarsAndDllogger)
{
    const StepLog lines =
        read("Training epoch 0, iteration 0/249 | lr: 1.961e-06 | global_batch_size: 8 | global_step: 0 | reduced_train_loss: 1.315 | "
             "train_step_timing in s: 7.126\n"
             "Training epoch 0, iteration 1/249 | lr: 3.922e-06 | global_batch_size: 8 | global_step: 1 | reduced_train_loss: 1.653 | "
             "train_step_timing in s: 2.505 | consumed_samples: 16\n");
    EXPECT_EQ(lines.format, "NeMo / Lightning progress lines");
    EXPECT_EQ(secondsOf(lines.runs.at(0)), (std::vector<double>{7.126, 2.505}));
    EXPECT_EQ(lines.runs[0].steps[1].samplesSeen, 16);
    // A bar writes over its own line, and repeats a step.
    const auto bar = [](int step, const std::string& seconds) {
        return "\rEpoch 0: :  10%|#         | " + std::to_string(step)
               + "/100 [00:48<07:12, reduced_train_loss=0.0172, global_step=" + std::to_string(step)
               + ".00, consumed_samples=" + std::to_string(256 * step) + ".0, train_step_timing in s=" + seconds + "]";
    };
    const StepLog bars = read("Training\r\n" + bar(1, "3.900") + bar(2, "3.130") + bar(2, "3.130") + bar(3, "3.140") + "\n");
    EXPECT_EQ(secondsOf(bars.runs.at(0)), (std::vector<double>{3.9, 3.13, 3.14}));
    EXPECT_EQ(bars.repeated, 1);
    EXPECT_EQ(bars.runs[0].steps[2].samplesSeen, 768);
    const StepLog dll = read(R"(DLLL {"timestamp": "1739210331.717", "type": "LOG", "step": 16, "data": {"reduced_train_loss": 10.9, )"
                             R"("global_step": 16.0, "consumed_samples": 34272.0, "train_backward_timing in s": 4.6e-05, )"
                             R"("train_step_timing in s": 92.28738, "epoch": 0}})"
                             "\n");
    EXPECT_EQ(secondsOf(dll.runs.at(0)), std::vector<double>{92.28738});
    EXPECT_EQ(dll.runs[0].steps[0].number, 16);
}

/// deepspeedai/DeepSpeed#1825 (0.5) and MaxText's guide to its logs.
TEST(FrameworkLogs, OlderDeepSpeedAndMaxText)
{
    const StepLog old = read("[2022-03-11 02:06:58,985] [INFO] [timer.py:189:stop] 0/40, SamplesPerSec=83.48, MemAllocated=0.26GB\n"
                             "[2022-03-11 02:07:14,135] [INFO] [timer.py:189:stop] 0/50, SamplesPerSec=83.73, MemAllocated=0.26GB\n");
    EXPECT_EQ(old.format, "DeepSpeed throughput lines");
    ASSERT_EQ(old.steps(), 1U);
    EXPECT_NEAR(old.runs[0].steps[0].seconds, 1.515, 1e-6);
    EXPECT_TRUE(mentions(old, "several steps lie between lines"));
    const StepLog max = read("setup, seconds: 40\n"
                             "completed step: 5, seconds: 7.125, TFLOP/s/device: 301.5, Tokens/s/device: 4600.1, loss: 9.1\n"
                             "completed step: 6, seconds: 7.250, TFLOP/s/device: 300.5, Tokens/s/device: 4590.1, loss: 9.0\n");
    EXPECT_EQ(max.format, "MaxText standard output");
    EXPECT_EQ(secondsOf(max.runs.at(0)), (std::vector<double>{7.125, 7.25}));
    EXPECT_EQ(max.runs[0].steps[1].number, 6);
}

TEST(FrameworkLogs, ATableMayHaveDecimalCommas)
{
    const StepLog log = read("step;step_time_s;loss\n1;54,713;2,1\n2;54.5;2,0\n3;1,054,5;1\n");
    EXPECT_EQ(secondsOf(log.runs.at(0)), (std::vector<double>{54.713, 54.5}));
    EXPECT_EQ(log.unusable, 1);
}

TEST(FrameworkLogs, TensorboardsCsvFindsPausesByItsWallTime)
{
    const StepLog log = read("Wall time,Step,Value\n1700000000.50,1,5.42\n1700000005.90,2,5.40\n1700000041.30,3,5.40\n");
    ASSERT_EQ(log.runs.size(), 1U);
    EXPECT_EQ(secondsOf(log.runs[0]), (std::vector<double>{5.42, 5.40, 5.40}));
    EXPECT_EQ(log.runs[0].steps[2].number, 3);
    EXPECT_NEAR(log.runs[0].steps[1].pauseSeconds, 0.0, 1e-6);
    EXPECT_NEAR(log.runs[0].steps[2].pauseSeconds, 30.0, 1e-6);
    EXPECT_TRUE(mentions(log, "is only that of a time or a value"));
}

TEST(FrameworkLogs, WeightsAndBiasesTablesAndHistories)
{
    const StepLog table = read("\"Step\",\"calm-sun-1 - perf/step_time\",\"calm-sun-1 - perf/step_time__MIN\",\"calm-sun-1 - "
                               "perf/step_time__MAX\",\"red-sea-2 - perf/step_time\",\"red-sea-2 - perf/step_time__MIN\"\n"
                               "\"1\",\"4.5\",\"4.5\",\"4.5\",\"5.5\",\"5.5\"\n"
                               "\"2\",\"4.25\",\"4.25\",\"4.25\",\"\",\"\"\n");
    ASSERT_EQ(table.runs.size(), 2U);
    EXPECT_EQ(table.runs[0].name, "calm-sun-1");
    EXPECT_EQ(secondsOf(table.runs[0]), (std::vector<double>{4.5, 4.25}));
    EXPECT_EQ(secondsOf(table.runs[1]), std::vector<double>{5.5});
    const StepLog history =
        read("{\"_step\": 1, \"_runtime\": 12.5, \"_timestamp\": 1700000000.5, \"train/step_time\": 4.5, \"loss\": 2.1}\n"
             "{\"_step\": 1, \"_runtime\": 13.5, \"_timestamp\": 1700000001.5, \"eval/loss\": 2.0}\n"
             "{\"_step\": 2, \"_runtime\": 17.0, \"_timestamp\": 1700000015.0, \"train/step_time\": 4.25}\n");
    ASSERT_EQ(history.runs.size(), 1U);
    EXPECT_EQ(secondsOf(history.runs[0]), (std::vector<double>{4.5, 4.25}));
    EXPECT_EQ(history.runs[0].steps[1].number, 2);
    EXPECT_NEAR(history.runs[0].steps[1].pauseSeconds, 10.25, 1e-6);
}

/// Megatron-LM with --log-interval 10: each line reports the mean of ten steps, and 60 s passed at a checkpoint.
TEST(FrameworkLogs, LinesEveryFewStepsHaveNoPauseBetweenThem)
{
    const auto line = [](const std::string& clock, int step) {
        return " [2025-01-31 " + clock + "] iteration " + std::to_string(step) + "/ 500 | elapsed time per iteration (ms): 5000.0 |\n";
    };
    const StepLog log = read(line("12:00:50", 10) + line("12:01:40", 20) + line("12:03:30", 30));
    ASSERT_EQ(log.steps(), 3U);
    EXPECT_NEAR(log.runs[0].steps[1].pauseSeconds, 0, 1e-9);
    EXPECT_NEAR(log.runs[0].steps[2].pauseSeconds, 60, 1e-9);
    EXPECT_TRUE(mentions(log, "each line reports their mean"));
    EXPECT_FALSE(mentions(read(line("12:00:50", 1) + line("12:00:55", 2)), "mean"));
}

/// JAX writes on every host, srun --label prefixes the rank; a line of another host may come a step later.
TEST(FrameworkLogs, SeveralRanksReportAStepOnce)
{
    const auto line = [](int rank, int step, const std::string& seconds) {
        return std::to_string(rank) + ": completed step: " + std::to_string(step) + ", seconds: " + seconds + ", loss: 9.1\n";
    };
    const StepLog log = read(line(0, 5, "7.1") + line(1, 5, "7.2") + line(0, 6, "7.3") + line(0, 7, "7.5") + line(1, 6, "7.4")
                             + line(1, 7, "7.6") + line(1, 8, "7.7") + line(0, 8, "7.8") + line(0, 3, "7.9") + line(1, 3, "8.0"));
    ASSERT_EQ(log.runs.size(), 2U);
    EXPECT_EQ(secondsOf(log.runs[0]), (std::vector<double>{7.1, 7.3, 7.5, 7.7}));
    EXPECT_EQ(secondsOf(log.runs[1]), std::vector<double>{7.9}); // back to a checkpoint
    EXPECT_EQ(log.repeated, 5);
    // The rank is a column, with the ranks in sequence; separate runs keep all steps.
    EXPECT_EQ(read("rank,step,step_time_s\n0,1,5.1\n0,2,5.2\n1,1,5.3\n1,2,5.4\n").repeated, 2);
    EXPECT_EQ(
        read("{\"global_rank\": 0, \"step\": 1, \"step_time\": 5.1}\n{\"global_rank\": 1, \"step\": 1, \"step_time\": 5.2}\n").steps(), 1U);
    EXPECT_EQ(read("run,rank,step,step_time_s\na,0,1,5.1\nb,3,1,5.2\n").steps(), 2U);
}

TEST(FrameworkLogs, ColoursAreBeforeNumbers)
{
    EXPECT_EQ(secondsOf(read("global_step: \x1b[36m7\x1b[0m | train_step_timing in s: \x1b[38;2;1;2;3m5.25\x1b[0m\n").runs.at(0)),
              std::vector<double>{5.25});
}

/// Of Lightning's bars without a timing of NeMo: refreshed within a second, and every second step.
TEST(FrameworkLogs, LightningsBarsAreTakenByTheirClock)
{
    const auto bar = [](int epoch, int done, const std::string& clock) {
        return "\rEpoch " + std::to_string(epoch) + ":  10%|#         | " + std::to_string(done) + "/40 [" + clock
               + "<03:09,  0.50it/s, v_num=0, train_loss=2.3]";
    };
    const StepLog log =
        read("Sanity Checking: 100%|###| 2/2 [00:10<00:00, 5s/it]\n" + bar(0, 0, "00:00") + bar(0, 1, "00:31") + bar(0, 1, "00:31")
             + bar(0, 2, "00:41") + bar(0, 4, "01:03") + "\rValidation DataLoader 0: 50%|#| 1/2 [00:10<00:10]" + bar(0, 39, "59:50")
             + bar(0, 40, "1:00:01") + bar(1, 1, "00:11") + bar(1, 2, "00:20") + "\n");
    EXPECT_EQ(log.format, "progress bars of epochs (Lightning, tqdm)");
    ASSERT_EQ(log.runs.size(), 1U);
    EXPECT_EQ(secondsOf(log.runs[0]), (std::vector<double>{31, 10, 11, (3590.0 - 63) / 35, 11, 9}));
    EXPECT_EQ(log.runs[0].steps[2].number, 4);
    EXPECT_EQ(log.runs[0].steps.back().number, 42);
    EXPECT_TRUE(mentions(log, "whole seconds"));
    EXPECT_TRUE(mentions(log, "several steps lie between lines"));
    // NeMo's bars report the step time themselves.
    EXPECT_EQ(read(bar(0, 1, "00:31") + bar(0, 2, "00:41")
                   + "\rEpoch 0: :  10%|# | 3/40 [00:48<07:12, global_step=3.00, train_step_timing in s=9.870]\n")
                  .format,
              "NeMo / Lightning progress lines");
}

TEST(FrameworkLogs, OneJsonArrayIsALogToo)
{
    const StepLog board = read("[[1700000000.5, 1, 5.42], [1700000005.9, 2, 5.40],\n [1700000041.3, 3, 5.40]]");
    EXPECT_EQ(secondsOf(board.runs.at(0)), (std::vector<double>{5.42, 5.40, 5.40}));
    EXPECT_NEAR(board.runs[0].steps[2].pauseSeconds, 30.0, 1e-6);
    const StepLog objects = read("[\n  {\"step\": 1, \"step_time\": 4.5},\n  {\"step\": 2, \"step_time\": 4.25}\n]\n");
    EXPECT_EQ(secondsOf(objects.runs.at(0)), (std::vector<double>{4.5, 4.25}));
    EXPECT_FALSE(readStepLog("[[1, 2], [3, 4]]").ok());
    EXPECT_FALSE(readStepLog("[{\"step\": 1}, 3]").ok());
    EXPECT_FALSE(readStepLog("[[1, 2, 3], ").ok());
}

TEST(FrameworkLogs, AClockThatRunsOnIsReported)
{
    std::string table = "step,elapsed\n", lines, steady = "step,elapsed\n";
    for (int k = 1; k <= 12; ++k) {
        table += std::to_string(k) + "," + std::to_string(5 * k) + "\n";
        lines += "{\"step\": " + std::to_string(k) + ", \"elapsed_time\": " + std::to_string(5 * k) + "}\n";
        steady += std::to_string(k) + "," + std::to_string(5 + k % 2) + "\n";
    }
    EXPECT_TRUE(mentions(read(table), "a clock that runs on"));
    EXPECT_TRUE(mentions(read(lines), "a clock that runs on"));
    EXPECT_FALSE(mentions(read(steady), "a clock that runs on"));
    EXPECT_TRUE(mentions(read(steady), "is only that of a time or a value"));
}

/// Two systems that number their runs from 0 in one table, and rows that are only out of order.
TEST(FrameworkLogs, ANamedRunThatBeginsAnewIsAnother)
{
    const StepLog log = read("system,run,step,step_time_s\na,0,1,5\na,0,2,5\na,0,3,5\na,1,1,5\na,1,2,5\na,1,3,5\n"
                             "b,0,1,9\nb,0,2,9\nb,0,3,9\nb,1,1,9\nc,0,1,7\n");
    ASSERT_EQ(log.runs.size(), 5U);
    EXPECT_EQ(log.runs[2].name, "0 (2)");
    EXPECT_EQ(secondsOf(log.runs[2]), (std::vector<double>{9, 9, 9}));
    EXPECT_EQ(log.runs[3].name, "1 (2)");
    EXPECT_EQ(log.runs[4].name, "0 (3)");
    EXPECT_EQ(read("run,step,step_time_s\na,7,5\na,9,5\na,8,5\na,10,5\n").runs.size(), 1U);
    EXPECT_EQ(read("run,samples_seen,step_time_s\na,100,5\na,200,5\na,0,5\na,300,5\n").runs.size(), 1U); // an evaluation
}

} // namespace
} // namespace prism
