// SPDX-License-Identifier: GPL-3.0-or-later
// Every dialect of a log against a small parser of the test, and logs with foreign lines. No real file was at hand: lines in the formats
// that the frameworks print.
#include "core/measured/steplog.h"

#include <boost/crc.hpp>
#include <gtest/gtest.h>
#include <spdlog/fmt/fmt.h>

#include <cmath>
#include <cstring>
#include <regex>

namespace prism {
namespace {

/// The steps by the test's own parser: first group of each match, times a factor.
enum class By { value, rate, clock, sum };
struct Sample {
    const char* name; ///< that the reader must report
    std::string text;
    const char* pattern; ///< groups: time; for clock and sum also the step before it
    double factor;
    By by = By::value;
};

constexpr int kSteps = 12;

double secondsOfStep(int k)
{
    return 4.0 + 0.25 * ((7 * k) % 5);
}

/// `line` of each step, with its seconds and the sum of all until then.
template <typename Line>
std::string logOf(const Line& line)
{
    std::string text;
    double sum = 0;
    for (int k = 1; k <= kSteps; ++k)
        text += line(k, secondsOfStep(k), sum += secondsOfStep(k)) + "\n";
    return text;
}

std::string clockText(double seconds)
{
    const int whole = static_cast<int>(seconds), ms = static_cast<int>(std::lround(1e3 * (seconds - whole)));
    return fmt::format("2026-03-01 10:{:02}:{:02},{:03}", whole / 60, whole % 60, ms);
}

/// "[hh:mm:ss" of a bar, of whole seconds.
std::string barText(double seconds)
{
    const int whole = static_cast<int>(seconds);
    return fmt::format("{:02}:{:02}", whole / 60, whole % 60);
}

double clockOf(const std::string& text)
{
    double seconds = 0;
    std::string part;
    for (const char c : text + ":") {
        if (c != ':') {
            part += c == ',' ? '.' : c;
            continue;
        }
        seconds = 60 * seconds + std::stod(part);
        part.clear();
    }
    return seconds;
}

std::vector<double> parsed(const Sample& sample)
{
    std::vector<double> out;
    const std::regex pattern(sample.pattern);
    double before = -1, stepBefore = -1;
    for (auto it = std::sregex_iterator(sample.text.begin(), sample.text.end(), pattern); it != std::sregex_iterator(); ++it) {
        const bool hasStep = sample.by == By::clock || sample.by == By::sum;
        const double step = hasStep ? std::stod((*it)[1]) : 0, value = sample.factor * clockOf((*it)[hasStep ? 2 : 1]);
        if (sample.by == By::value || sample.by == By::rate)
            out.push_back(sample.by == By::rate ? 1 / value : value);
        else if (before >= 0 && step > stepBefore)
            out.push_back((sample.by == By::sum ? value : value - before) / (step - stepBefore));
        if (step > stepBefore)
            before = value;
        stepBefore = step;
    }
    return out;
}

std::vector<Sample> samples()
{
    using fmt::format;
    std::vector<Sample> out;
    const auto add = [&](const char* name, const auto& line, const char* pattern, double factor = 1, By by = By::value) {
        out.push_back({name, "starting\n" + logOf(line), pattern, factor, by});
    };
    add(
        "Megatron-LM standard output",
        [](int k, double s, double) {
            return format(
                " [2026-03-01 10:00:00] iteration {:8}/  500 | consumed samples: {:12} | elapsed time per iteration (ms): {:.1f} | lr", k,
                512 * k, 1e3 * s);
        },
        R"(iteration \(ms\): ([\d.]+))", 1e-3);
    add(
        "Megatron-Bridge standard output",
        [](int, double s, double) { return format("Step Time : {:.2f}s GPU utilization: 512.3MODEL_TFLOP/s/GPU", s); },
        R"(Step Time : ([\d.]+)s)");
    add(
        "nanoGPT standard output",
        [](int k, double s, double) { return format("iter {}: loss 3.1415, time {:.2f}ms, mfu 41.12%", k, 1e3 * s); }, R"(time ([\d.]+)ms)",
        1e-3);
    add(
        "LitGPT standard output",
        [](int k, double s, double) {
            return format("Epoch 1 | iter {} step {} | loss train: 3.141, val: n/a | iter time: {:.2f} ms (step) remaining time: 1:02:03",
                          k, k, 1e3 * s);
        },
        R"(iter time: ([\d.]+) ms)", 1e-3);
    add(
        "llm.c standard output",
        [](int k, double s, double) {
            return format(
                "step {:4}/18865 | loss 7.612341 (+nanz)| norm 1.2345 (+nanz)| lr 6.00e-04 | {:.2f} ms | 49.1% bf16 MFU | 181063 tok/s", k,
                1e3 * s);
        },
        R"(\| ([\d.]+) ms)", 1e-3);
    add(
        "llm.c standard output",
        [](int k, double s, double) { return format("step {}: train loss 5.356185 (took {:.6f} ms)", k, 1e3 * s); }, R"(took ([\d.]+) ms)",
        1e-3);
    add(
        "veRL standard output",
        [](int k, double s, double) {
            return format(
                "(TaskRunner pid=77) step:{} - actor/entropy:0.4 - timing_s/gen:2.5 - timing_s/step:{}{}{} - perf/time_per_step:9 ", k,
                k % 2 == 0 ? "np.float64(" : "", s, k % 2 == 0 ? ")" : "");
        },
        R"(timing_s/step:(?:np.float64\()?([\d.]+))");
    add(
        "PaddleNLP standard output",
        [](int k, double s, double) {
            return format("[{}] [    INFO] - loss: 1.59, learning_rate: 5e-06, global_step: {}, interval_runtime: {:.4f}, "
                          "interval_steps_per_second: 0.5, epoch: 1",
                          clockText(0), 10 * k, 10 * s);
        },
        R"(global_step: (\d+), interval_runtime: ([\d.]+))", 1, By::sum);
    add(
        "PaddleNLP standard output",
        [](int k, double s, double) {
            return format("[{}] [ INFO] - global step {}, epoch: 0, batch: 9, loss: 10.9, avg_reader_cost: 0.00052 sec, avg_batch_cost: "
                          "{:.5f} sec, speed: 2.8",
                          clockText(0), k, s);
        },
        R"(avg_batch_cost: ([\d.]+))");
    add(
        "InternLM standard output",
        [](int k, double, double sum) {
            return format("{} INFO train.py:318 in record_current_batch_training_metrics -- tflops=63.2,step={},loss=11.6,tgs "
                          "(tokens/gpu/second)=1424.64,fwd_bwd_time=3.1",
                          clockText(sum), k);
        },
        R"(10:(\S+) INFO.*step=(\d+))", 1, By::value);
    out.back().by = By::clock;
    out.back().pattern = nullptr;
    add(
        "OLMo standard output",
        [](int k, double, double sum) {
            return format("{}\thost:0\tolmo.train:816\tINFO\t[step={}/739328]\n    train/CrossEntropyLoss=10.73\n    "
                          "throughput/total_tokens=8,388,608",
                          clockText(sum), k);
        },
        nullptr, 1, By::clock);
    add(
        "torchtitan standard output",
        [](int k, double, double sum) {
            return format("[rank0]:[titan] {} - root - INFO - step: {}  loss:  3.24405  memory:  9.46GiB(64.99%)  tps: 7,282  mfu: 0.17%",
                          clockText(sum), k);
        },
        nullptr, 1, By::clock);
    add(
        "Composer standard output",
        [](int k, double s, double) {
            return format("[epoch=0][batch={}/99]:\n\t Train time/batch: {}\n\t Train loss/train/total: 8.4\n\t Train "
                          "throughput/batches_per_sec: {:.4f}\n\t Train "
                          "throughput/device/batches_per_sec: 0.0002",
                          k, k - 1, 1 / s);
        },
        R"(throughput/batches_per_sec: ([\d.]+))", 1, By::rate);
    add(
        "progress bars of 99 steps (tqdm)",
        [](int k, double, double sum) {
            return format("{{'loss': 1.25, 'learning_rate': 2e-05, 'epoch': 0.1}}\n\r {:2}%|##        | {}/99 [{}<1:02:03,  4.50s/it]", k,
                          k, barText(sum));
        },
        R"(\| (\d+)/99 \[([\d:]+)<)", 1, By::clock);
    add(
        "modded-nanogpt standard output",
        [](int k, double, double sum) {
            return format("step:{}/1770 train_time:{:.0f}ms step_avg:{:.2f}ms{}", k, 1e3 * sum, 1e3 * sum / k,
                          k % 5 == 0 ? format("\nstep:{}/1770 val_loss:10.8258 train_time:{:.0f}ms step_avg:1.00ms", k, 1e3 * sum + 7)
                                     : "");
        },
        R"(step:(\d+)/1770 (?:val_loss:[\d.]+ )?train_time:([\d.]+)ms)", 1e-3, By::clock);
    add(
        "JSON lines",
        [](int k, double, double sum) {
            return format(
                R"({{"current_steps": {}, "total_steps": 300, "loss": 1.2, "elapsed_time": "0:{}", "remaining_time": "0:05:48"}})", k,
                barText(sum));
        },
        R"re("current_steps": (\d+).*"elapsed_time": "0:([\d:]+)")re", 1, By::clock);
    add(
        "JSON lines",
        [](int k, double, double sum) {
            return format(R"({{"_step": {}, "_runtime": {}, "_timestamp": {:.2f}, "loss": 2.1}})", k, sum + 12.5, 1.7e9 + sum);
        },
        R"re("_step": (\d+), "_runtime": ([\d.]+))re", 1, By::clock);
    add(
        "table with a header",
        [](int k, double s, double) { return format("{}{},{:.3f},2.5", k == 1 ? "step,step_time_s,loss\n" : "", k, s); },
        R"(\n\d+,([\d.]+),2.5)");
    add(
        "NeMo / Lightning progress lines",
        [](int k, double s, double) {
            return format("Training epoch 0, iteration {}/249 | global_step: {} | reduced_train_loss: 1.315 | train_step_timing in s: {}",
                          k, k, s);
        },
        R"(timing in s: ([\d.]+))");
    add(
        "MaxText standard output",
        [](int k, double s, double) { return format("completed step: {}, seconds: {:.3f}, TFLOP/s/device: 301.5, loss: 9.1", k, s); },
        R"(seconds: ([\d.]+))");
    add(
        "DeepSpeed standard output",
        [](int k, double s, double) { return format("steps: {} loss: 2.3145 iter time (s): {:.3f} samples/sec: 25.600", k, s); },
        R"(iter time \(s\): ([\d.]+))");
    for (Sample& sample : out)
        if (sample.pattern == nullptr) // stamps: the clock behind the hour, and the number
            sample.pattern = sample.name[0] == 't' ? R"(10:(\d\d:\S+) - root - INFO - step: (\d+))" : R"(10:(\d\d:\S+)[ \t].*step=(\d+))";
    return out;
}

/// In patterns of time stamps the groups are in the other order.
std::vector<double> expected(Sample sample)
{
    if (std::string(sample.pattern).starts_with("10:")) {
        std::string turned;
        const std::regex pattern(sample.pattern);
        for (auto it = std::sregex_iterator(sample.text.begin(), sample.text.end(), pattern); it != std::sregex_iterator(); ++it)
            turned += it->str(2) + " " + it->str(1) + "\n";
        sample.text = turned;
        sample.pattern = R"((\d+) (\S+))";
    }
    return parsed(sample);
}

std::vector<double> secondsOf(const StepLog& log)
{
    std::vector<double> out;
    for (const LoggedRun& run : log.runs)
        for (const LoggedStep& step : run.steps)
            out.push_back(step.seconds);
    return out;
}

std::string differenceFrom(const std::vector<double>& expected, const Result<StepLog>& log)
{
    if (!log.ok())
        return "not read: " + log.errors().at(0).message;
    const std::vector<double> found = secondsOf(*log);
    for (std::size_t i = 0; i < std::min(found.size(), expected.size()); ++i)
        if (std::abs(found[i] - expected[i]) > 1e-6)
            return fmt::format("step {}: {} instead of {}", i, found[i], expected[i]);
    return found.size() == expected.size() ? "" : fmt::format("{} steps instead of {} ({})", found.size(), expected.size(), log->format);
}

TEST(LogDialects, EachEqualsAParserOfItsOwn)
{
    for (const Sample& sample : samples()) {
        const Result<StepLog> log = readStepLog(sample.text);
        const std::vector<double> steps = expected(sample);
        EXPECT_GE(steps.size(), kSteps - 1U) << sample.name;
        EXPECT_EQ(differenceFrom(steps, log), "") << sample.name << "\n" << sample.text;
        EXPECT_EQ(log.ok() ? log->format : "", sample.name);
    }
}

/// Lines that logs have besides their steps, many with words of step times.
std::vector<std::string> foreignLines()
{
    std::vector<std::string> out = {"",
                                    "time",
                                    "# step_time",
                                    "value",
                                    "elapsed",
                                    "step,time",
                                    "epoch;time;loss",
                                    "step\ttime",
                                    "end-to-end overlap",
                                    "log_step_timing ..... True",
                                    "step time logging enabled",
                                    "step_time, iteration_time",
                                    "using world size: 512, data-parallel size: 32",
                                    "Step Time : 0.79s GPU utilization: 3.1",
                                    "setup, seconds: 40",
                                    "iter 5: loss 3.0, time 80.00ms, mfu 1.0%",
                                    "completed step: 7, seconds: 7.25, loss: 9",
                                    "timing_s/step:12.5",
                                    "iteration 3/ 10 | elapsed time per iteration (ms): 99.0 |",
                                    "train_step_timing in s: 9.9",
                                    "iter time (s): 3",
                                    "avg_batch_cost: 0.3 sec",
                                    "Downloading data: 100%|##########| 10.0M/10.0M [00:05<00:00, 2.0MB/s]",
                                    "Map: 100%|####| 1000/1000 [00:01<00:00, 900.00 examples/s]",
                                    "100%|##########| 5/5 [00:12<00:00,  2.40s/it]",
                                    "Loading checkpoint shards: 33%|###3      | 1/3 [00:05<00:10,  5.10s/it]",
                                    "{}",
                                    "{\"a\": 1}",
                                    "{\"time\": 5}",
                                    "{\"step_time\": 77.5}",
                                    "{broken",
                                    "}",
                                    "[",
                                    "]",
                                    "[[1, 2, 3]]",
                                    "{\"_runtime\": 3, \"_step\": 9}",
                                    "{'loss': 1.1, 'epoch': 0.01}",
                                    "{\"elapsed_time\": \"0:00:12\"}",
                                    ":::MLLOG {\"key\": \"init_start\", \"value\": null}",
                                    ":::MLLOG {broken",
                                    "2026-03-01 10:00:00,123 INFO step: 1 loss: 5 tps: 7",
                                    "[2026-03-01 10:00:00] saving checkpoint at iteration 2",
                                    "Traceback (most recent call last):",
                                    "  File \"train.py\", line 12, in <module>",
                                    "RuntimeError: out of memory",
                                    "NCCL INFO Connected all rings",
                                    "W0301 10:00:00.000 140 torch/run.py:757]",
                                    "*****************************************",
                                    "------------------------ arguments ------------------------",
                                    "1",
                                    "1:2",
                                    "1;2;3",
                                    "3.5",
                                    "nan,inf",
                                    "name,min,max,avg",
                                    "rank,host,time",
                                    "host,elapsed",
                                    "time (ms) | forward: 1.0 | backward: 2.0",
                                    "(min, max) time across ranks (ms):",
                                    "    forward-backward ...: (3000.10, 3001.20)",
                                    "Training epoch 0, iteration 0/249",
                                    "validation loss at iteration 5 | lm loss value: 1.0",
                                    "throughput/batches_per_sec",
                                    "Epoch 0:   0%|          | 0/40 [00:00<?, ?it/s]",
                                    "train_time:5ms step_avg:2ms",
                                    "\x1b[31mwarning\x1b[0m: slow link",
                                    "==> job.log <==",
                                    "0: starting rank 0",
                                    "[rank0]: starting",
                                    "epoch,batch,duration",
                                    "\xEF\xBB\xBFtime",
                                    std::string(300, '.'),
                                    "\"time\"",
                                    "'value'",
                                    "step_time_s",
                                    "step time [ms]: see below",
                                    "iteration_time_ms;x",
                                    "a,b,c,d,e,f",
                                    "https://wandb.ai/x/runs/1",
                                    "Time: Sun Mar 1 10:00:00 2026"};
    for (const char* word : {"time", "step_time", "step time", "iteration-time", "elapsed time", "duration", "batch time", "sec/step",
                             "value", "step_timing", "time per iteration", "seconds per step", "throughput"})
        for (const char* form : {"{}:", "# {}", "{} logging enabled", "log_{} ................ True", "[INFO] {}: on", "{} = 5",
                                 "warming up, {} excluded", "{}, loss", "- {}: 3.2 (mean)", "{}|lr"})
            out.push_back(fmt::format(fmt::runtime(form), word));
    return out;
}

TEST(LogDialects, AForeignLineLeavesALogReadable)
{
    const std::vector<std::string> lines = foreignLines();
    EXPECT_GE(lines.size(), 200U);
    EXPECT_GE(samples().size(), 20U);
    int failures = 0;
    for (const Sample& sample : samples()) {
        const std::vector<double> steps = expected(sample);
        std::vector<std::size_t> places = {0};
        for (std::size_t at = sample.text.find('\n'); at != std::string::npos; at = sample.text.find('\n', at + 1))
            places.push_back(at + 1);
        for (std::size_t i = 0; i < lines.size(); ++i) {
            StepLogReader alone;
            alone.line(lines[i]);
            const bool isStep = alone.log().format == sample.name
                                && lines[i].find_first_of("0123456789") != std::string::npos; // of the same framework: it may count
            for (const std::size_t place : {places[0], places[1], places[2 + i % (places.size() - 3)], places.back()}) {
                std::string text = sample.text;
                text.insert(place, lines[i] + "\n");
                const Result<StepLog> log = readStepLog(text);
                const bool isRead = isStep ? log.ok() && log->steps() + 1 >= steps.size() : differenceFrom(steps, log).empty();
                if (!isRead && ++failures < 20)
                    ADD_FAILURE() << sample.name << ", \"" << lines[i] << "\" at " << place << ": " << differenceFrom(steps, log);
            }
        }
    }
    EXPECT_EQ(failures, 0);
}

std::vector<double> secondsIn(const std::string& text, const StepLogOptions& options = {})
{
    const Result<StepLog> log = readStepLog(text, options);
    return log.ok() ? secondsOf(*log) : std::vector<double>();
}

TEST(LogDialects, GoldenValuesAndTrainerStates)
{
    EXPECT_EQ(secondsIn(R"({"lm loss": {"start_step": 0, "end_step": 15, "step_interval": 5, "values": [10.8, 10.7, 10.6]},
 "iteration-time": {"start_step": 0, "end_step": 15, "step_interval": 5, "values": [12.5, 0.75, 0.5]}})"),
              (std::vector<double>{12.5, 0.75, 0.5}));
    const std::string later =
        R"({"iteration-time": {"start_step": 1, "end_step": 9, "step_interval": 1, "values": {"1": "nan", "2": 0.75, "9": 0.5}}})";
    const Result<StepLog> golden = readStepLog(later);
    ASSERT_TRUE(golden.ok());
    EXPECT_EQ(secondsOf(*golden), (std::vector<double>{0.75, 0.5}));
    EXPECT_EQ(golden->runs[0].steps[1].number, 9);
    EXPECT_EQ(secondsIn("{\n  \"best_metric\": null,\n  \"log_history\": [\n    {\n      \"loss\": 2.5,\n      \"step\": 1,\n      "
                        "\"step_time\": 4.5\n    },\n"
                        "    {\n      \"step\": 2,\n      \"step_time\": 4.25\n    }\n  ]\n}\n"),
              (std::vector<double>{4.5, 4.25}));
}

TEST(LogDialects, CommasMayGroupDigits)
{
    EXPECT_EQ(secondsIn(" iteration 1,001/ 5,000 | elapsed time per iteration (ms): 19,432.1 |\n"), std::vector<double>{19.4321});
    EXPECT_EQ(secondsIn("step,step_time_ms\n1,\"19,432.5\"\n2,\"1,019,432\"\n"), (std::vector<double>{19.4325, 1019.432}));
    EXPECT_EQ(secondsIn("{\"step_time_ms\": \"19,432.5\"}\n"), std::vector<double>{19.4325});
    EXPECT_EQ(secondsIn("completed step: 5, seconds: 7, loss: 9\n"), std::vector<double>{7}) << "a comma may also end a number";
    EXPECT_EQ(secondsIn("completed step: 5, seconds: 7,12 loss: 9\n"), std::vector<double>{7});
}

TEST(LogDialects, ALineMayHaveSeveralRecords)
{
    const auto line = [](int step, double ms) {
        return fmt::format(
            " [2026-03-01 10:00:{:02}] iteration {}/ 50 | consumed samples: {} | elapsed time per iteration (ms): {} | lr: 1", step, step,
            8 * step, ms);
    };
    const Result<StepLog> log = readStepLog(line(1, 500) + line(2, 750) + "\n" + line(3, 250) + "\n");
    ASSERT_TRUE(log.ok());
    EXPECT_EQ(secondsOf(*log), (std::vector<double>{0.5, 0.75, 0.25}));
    EXPECT_EQ(log->runs.at(0).steps.at(1).number, 2);
    EXPECT_EQ(log->runs[0].steps[1].samplesSeen, 16);
    EXPECT_NEAR(log->runs[0].steps[1].pauseSeconds, 0.25, 1e-9);
    EXPECT_EQ(secondsIn("{\"step\": 1, \"step_time\": 2, \"a\": \"}{\"}{\"step\": 2, \"step_time\": 3} {\"step\": 3, \"step_time\": 4}\n"),
              (std::vector<double>{2, 3, 4}));
}

TEST(LogDialects, AGivenClockIsDifferenced)
{
    std::string table = "step,lap,_runtime\n", resumed = table;
    for (int k = 1; k <= 24; ++k) {
        table += fmt::format("{},{},{}\n", k, 7 + 4 * k + k % 3, 5 * k);
        resumed += fmt::format("{},{},{}\n", k, 9000 + 4 * (k % 12) + k % 3, 5 * k);
    }
    EXPECT_EQ(secondsIn(table, {.timeColumn = "_runtime"}), std::vector<double>(23, 5.0));
    EXPECT_EQ(secondsIn(table), std::vector<double>(23, 5.0)) << "by its name too";
    std::vector<double> laps;
    for (int k = 2; k <= 24; ++k)
        laps.push_back(4 + k % 3 - (k - 1) % 3);
    EXPECT_EQ(secondsIn(table, {.timeColumn = "lap"}), laps);
    EXPECT_EQ(secondsIn(resumed, {.timeColumn = "lap"}).size(), 21U) << "a clock that was set back gives no step there";
    EXPECT_EQ(secondsIn("step,time\n1,5\n2,6\n3,7\n"), (std::vector<double>{5, 6, 7})) << "too few to decide";
}

/// Two jobs that write alternately: separated by the numbers of their steps, refused where these are the same.
TEST(LogDialects, JobsByTurns)
{
    const auto line = [](int step, double seconds) { return fmt::format("completed step: {}, seconds: {}, loss: 9\n", step, seconds); };
    std::string separate, same;
    for (int k = 0; k < 20; ++k) {
        separate += line(100 + k, 4) + line(57 + k, 7) + (k % 3 == 0 ? "" : "other\n");
        same += line(100 + k, 4) + line(100 + k, 7);
    }
    const Result<StepLog> log = readStepLog(separate);
    ASSERT_TRUE(log.ok());
    ASSERT_EQ(log->runs.size(), 2U);
    for (const LoggedRun& run : log->runs) {
        EXPECT_EQ(run.steps.size(), 20U);
        for (const LoggedStep& step : run.steps)
            EXPECT_EQ(step.seconds, step.number - 100 >= 0 && run.steps[0].number == 100 ? 4 : 7);
    }
    EXPECT_NE(log->notes.at(0).find("separated by the numbers"), std::string::npos);
    const Result<StepLog> refused = readStepLog(same);
    ASSERT_FALSE(refused.ok());
    EXPECT_NE(refused.errors()[0].message.find("Several jobs write into this log"), std::string::npos);
    // Runs of different lengths: the number after the slash distinguishes them.
    std::string lengths;
    for (int k = 1; k <= 20; ++k)
        lengths += fmt::format(
            "iteration {}/ 500 | elapsed time per iteration (ms): 4000 |\niteration {}/ 900 | elapsed time per iteration (ms): 7000 |\n", k,
            k);
    EXPECT_EQ(readStepLog(lengths)->runs.size(), 2U);
    // The same for logs of clocks.
    std::string clocks;
    for (int k = 0; k < 9; ++k)
        clocks += fmt::format("step:{}/900 train_time:{}ms step_avg:1ms\nstep:{}/900 train_time:{}ms step_avg:1ms\n", 100 + k, 4000 * k,
                              50 + k, 7000 * k);
    const Result<StepLog> differenced = readStepLog(clocks);
    ASSERT_TRUE(differenced.ok());
    ASSERT_EQ(differenced->runs.size(), 2U);
    EXPECT_EQ(differenced->runs[0].steps.back().seconds, 4);
    EXPECT_EQ(differenced->runs[1].steps.back().seconds, 7);
}

template <typename T>
std::string bytesOf(T value)
{
    std::string out(sizeof value, '\0');
    std::memcpy(out.data(), &value, sizeof value);
    return out;
}

/// A frame of TFRecord.
std::string frame(const std::string& data)
{
    const auto masked = [](const std::string& of) {
        std::uint32_t crc = ~std::uint32_t{0}; // bit by bit
        for (const char c : of) {
            crc ^= static_cast<unsigned char>(c);
            for (int bit = 0; bit < 8; ++bit)
                crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? 0x82F63B78U : 0U);
        }
        crc = ~crc;
        return bytesOf(((crc >> 15U) | (crc << 17U)) + 0xa282ead8U);
    };
    const std::string length = bytesOf(static_cast<std::uint64_t>(data.size()));
    return length + masked(length) + data + masked(data);
}

std::string message(int field, const std::string& bytes)
{
    return std::string(1, static_cast<char>(8 * field + 2)) + static_cast<char>(bytes.size()) + bytes;
}

/// An Event with one scalar, as simple_value or as a tensor of one float.
std::string event(double wall, int step, const std::string& tag, float value, bool isTensor)
{
    const std::string scalar = isTensor ? message(8, "\x08\x01" + message(4, bytesOf(value))) : "\x15" + bytesOf(value);
    return frame("\x09" + bytesOf(wall) + "\x10" + static_cast<char>(step) + message(5, message(1, message(1, tag) + scalar)));
}

TEST(LogDialects, TensorBoardEventFiles)
{
    std::string file = frame("\x09" + bytesOf(1.7e9) + message(3, "brain.Event:2")), stamps = file;
    std::vector<double> expected, clocks;
    double wall = 1.7e9;
    for (int k = 1; k <= kSteps; ++k) {
        wall += secondsOfStep(k) + (k == 5 ? 30 : 0);
        expected.push_back(secondsOfStep(k));
        if (k > 1)
            clocks.push_back(secondsOfStep(k) + (k == 5 ? 30 : 0));
        file += event(wall, k, "lm loss", 2.5F, false) + event(wall, k, "iteration-time", static_cast<float>(secondsOfStep(k)), k % 2 == 0)
                + event(wall, k, "iteration-time vs samples", static_cast<float>(secondsOfStep(k)), false);
        stamps += event(wall, k, "lm loss", 2.5F, false) + event(wall, k, "grad norm", 1.5F, true);
    }
    const Result<StepLog> log = readStepLog(file);
    ASSERT_TRUE(log.ok());
    EXPECT_EQ(secondsOf(*log), expected);
    EXPECT_EQ(log->timeField, "iteration-time");
    EXPECT_NEAR(log->runs[0].steps[4].pauseSeconds, 30, 1e-5);
    EXPECT_EQ(differenceFrom(clocks, readStepLog(stamps)), "") << "without a time: by the clock";
    EXPECT_EQ(secondsIn(file.substr(0, file.size() - 5)), expected) << "a record that is being written";
    std::string large = file;
    large.insert(large.size(), frame(std::string(3'000'000, 'x')) + event(wall + 9, kSteps + 1, "iteration-time", 9.0F, false));
    expected.push_back(9);
    EXPECT_EQ(secondsIn(large), expected) << "graphs and pictures are passed over";
    for (const std::size_t at : {file.size() / 2, file.size() / 2 + 5}) {
        file[at] = static_cast<char>(file[at] ^ 4);
        ASSERT_FALSE(readStepLog(file).ok());
        EXPECT_NE(readStepLog(file).errors()[0].message.find("damaged"), std::string::npos);
    }
}

} // namespace
} // namespace prism
