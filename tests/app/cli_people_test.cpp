// SPDX-License-Identifier: GPL-3.0-or-later
// Expectations of users on a command line: units, suggestions, a terminal that is used well, a file that is not spoilt.
#include "app/cli/insight/histogram.h"
#include "app/cli/frame/progressline.h"
#include "app/cli/frame/quantities.h"
#include "run_cli.h"
#include "run_terminal.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <numeric>
#include <regex>

namespace prism {
namespace {

using nlohmann::json;
using test::CliRun;
using test::runCli;
using test::runOnTerminal;

constexpr const char* kEscape = "\x1b[";

json jsonOf(const std::string& arguments)
{
    const CliRun run = runCli(arguments + " --json --quiet");
    EXPECT_EQ(run.exitCode, 0) << arguments << "\n" << run.err;
    json report = json::parse(run.out, nullptr, false);
    report.erase("elapsed_s");
    return report;
}

TEST(CliUnits, AreReadInEveryOptionThatMeasures)
{
    const std::string guarantee = "guarantee llama2-7b-8-a100 --samples 200 --limit ";
    EXPECT_EQ(jsonOf(guarantee + "'9.5 s'"), jsonOf(guarantee + "9500ms"));
    EXPECT_EQ(jsonOf(guarantee + "1,2 --deadline-days '2 weeks' --tokens 1.5T"),
              jsonOf(guarantee + "1,2 --deadline-days 14 --tokens 1.5e12"));
    const json scaled = jsonOf("scale sample-baseline --samples 50 --gpus 1k,2Ki");
    EXPECT_EQ(scaled["points"][0]["gpus"], 1024);
    EXPECT_EQ(scaled["points"][1]["gpus"], 2048);
    EXPECT_EQ(jsonOf("predict llama2-7b-8-a100 --samples 1k")["samples"], 1000);
    const CliRun invalid = runCli("guarantee sample-baseline --limit '9.5 parsec'");
    EXPECT_EQ(invalid.exitCode, 2);
    EXPECT_NE(invalid.err.find("parsec"), std::string::npos);
    EXPECT_NE(invalid.err.find("ms"), std::string::npos) << "says which units are known: " << invalid.err;
}

TEST(CliUnits, APercentageOfSlownessIsSlowerByThat)
{
    EXPECT_DOUBLE_EQ(*cli::slownessFromText("20%"), 1.2);
    EXPECT_DOUBLE_EQ(*cli::slownessFromText(" 1.5 "), 1.5);
    EXPECT_DOUBLE_EQ(*cli::slownessFromText("1.5x"), 1.5);
    EXPECT_FALSE(cli::slownessFromText("1.5 s").ok());
    EXPECT_FALSE(cli::slownessFromText("fast").ok());
}

TEST(CliNumbers, WholeNumbersAreDecimalAndNeverCutToFit)
{
    for (const char* seed : {"-1", "18446744073709551616", "0x10", "1e3", "1.5", ""}) {
        const CliRun run = runCli("predict sample-baseline --samples 10 --seed '" + std::string(seed) + "'");
        EXPECT_EQ(run.exitCode, 2) << seed;
        EXPECT_NE(run.err.find("a whole number from 0 to 18446744073709551615"), std::string::npos) << seed << ": " << run.err;
    }
    EXPECT_EQ(runCli("timeline sample-baseline --samples 10 --sample 010").out,
              runCli("timeline sample-baseline --samples 10 --sample 10").out);
    EXPECT_EQ(runCli("improve sample-baseline --samples 10 --top -1").exitCode, 2);
}

TEST(CliSuggestion, NamesTheNearestCommandAndOption)
{
    const CliRun command = runCli("predct sample-baseline");
    EXPECT_EQ(command.exitCode, 2);
    EXPECT_NE(command.err.find("Did you mean \"predict\"?"), std::string::npos) << command.err;
    const CliRun option = runCli("predict sample-baseline --sampels 10");
    EXPECT_EQ(option.exitCode, 2);
    EXPECT_NE(option.err.find("Did you mean \"--samples\"?"), std::string::npos) << option.err;
    const CliRun below = runCli("study ad x.prism");
    EXPECT_NE(below.err.find("Did you mean \"add\"?"), std::string::npos) << below.err;
    EXPECT_NE(below.err.find("\"prism-cli study --help\""), std::string::npos) << below.err;
    const CliRun far = runCli("xyzzyxyzzy");
    EXPECT_EQ(far.exitCode, 2);
    EXPECT_EQ(far.err.find("Did you mean"), std::string::npos) << far.err;
    EXPECT_EQ(runCli("predict sample-baseline --samples x").exitCode, 2);
}

TEST(CliOptions, WithoutEffectAreErrors)
{
    for (const char* line :
         {"placement sample-baseline --hostfile-format slurm", "placement sample-baseline --best-order --factor 2",
          "sensitivity sample-baseline --range 1:2:3", "sensitivity sample-baseline --parameter a --range 1,2 --limit 3",
          "timeline sample-baseline --quantile 0.5 --sample 3", "scale sample-baseline --progress --quiet", "presets list --names --json"})
        EXPECT_EQ(runCli(line).exitCode, 2) << line;
}

TEST(CliQuiet, LeavesErrorsAlone)
{
    const std::string tooLarge = "predict llama3-70b-256-h100 --samples 100 --set parallelism.pipeline_model_parallel_size=1 "
                                 "--set parallelism.virtual_pipeline_model_parallel_size=1 --set parallelism.pipeline_schedule=1f1b "
                                 "--set parallelism.tensor_model_parallel_size=1";
    const CliRun loud = runCli(tooLarge);
    ASSERT_EQ(loud.exitCode, 0) << loud.err;
    EXPECT_NE(loud.err.find("warning: "), std::string::npos);
    const CliRun quiet = runCli(tooLarge + " --quiet");
    EXPECT_EQ(quiet.err, "");
    EXPECT_NE(runCli("predict no-such-scenario --quiet").err.find("error: "), std::string::npos);
}

TEST(CliTerminal, PredictDrawsAndAFileStaysPlain)
{
    if (!test::hasTerminals())
        GTEST_SKIP() << "no pseudo-terminals here";
    const std::string seen = runOnTerminal("predict llama2-7b-8-a100 --samples 2000");
    EXPECT_NE(seen.find("█"), std::string::npos) << seen;
    EXPECT_NE(seen.find("p95"), std::string::npos);
    EXPECT_NE(seen.find(kEscape), std::string::npos);
    const std::string plain = runOnTerminal("predict llama2-7b-8-a100 --samples 2000", "NO_COLOR=1");
    EXPECT_NE(plain.find("█"), std::string::npos);
    EXPECT_FALSE(std::regex_search(plain, std::regex("\x1b\\[[0-9;]*m"))) << plain; // a slow run may show its progress and take it away
    const CliRun file = runCli("predict llama2-7b-8-a100 --samples 2000");
    EXPECT_EQ(file.out.find("█"), std::string::npos);
    EXPECT_EQ(file.out.find(kEscape), std::string::npos);
    EXPECT_NE(runOnTerminal("predict no-such").find("\x1b[31merror"), std::string::npos);
}

TEST(CliHistogram, CountsEachShownValueOnceAndHasTheHighestBarAtTheMode)
{
    std::vector<double> sorted(1000);
    for (std::size_t i = 0; i < sorted.size(); ++i)
        sorted[i] = 10 + std::pow((static_cast<double>(i) + 0.5) / 1000, 2); // density 1/(2 sqrt(x - 10)): the most at the start
    const std::vector<int> counts = cli::binCounts(sorted, 20);
    EXPECT_NEAR(std::accumulate(counts.begin(), counts.end(), 0), 995, 1);
    EXPECT_EQ(std::max_element(counts.begin(), counts.end()) - counts.begin(), 0);
    EXPECT_NEAR(counts[0], 1000 * std::sqrt(0.99 / 20), 3);
    DistributionSummary summary;
    summary.std = 0;
    EXPECT_EQ(cli::histogramText(sorted, summary, {}), "") << "nothing varies";
    summary = {.std = 0.3, .p5 = sorted[50], .p50 = sorted[500], .p95 = sorted[950], .p99 = sorted[990]};
    const std::string picture = cli::histogramText(sorted, summary, {.columns = 40, .rows = 4});
    EXPECT_EQ(std::count(picture.begin(), picture.end(), '\n'), 4 + 3);
    EXPECT_NE(picture.find("p50"), std::string::npos);
    EXPECT_NE(picture.find("10.25 s"), std::string::npos) << picture;
}

TEST(CliProgress, ReportsTheRestInProportion)
{
    EXPECT_EQ(cli::progressText(0.25, 10, "spread of gemm", 80), "25 %, about 30 s left: spread of gemm");
    EXPECT_EQ(cli::progressText(0.5, 600, "x", 80), "50 %, about 10 min left: x");
    EXPECT_EQ(cli::progressText(0, 600, "x", 80), "0 %: x");
    EXPECT_EQ(cli::progressText(1, 600, "x", 80), "100 %: x");
    EXPECT_LE(cli::progressText(0.5, 10, std::string(300, 'x'), 60).size(), 60U);
    EXPECT_EQ(cli::progressText(0.5, 10, "\x1b[31m", 80).find('\x1b'), std::string::npos);
}

TEST(CliNew, WritesATemplateThatMeansTheSameScenario)
{
    const std::string file = (test::scratch() / "new.json").string();
    ASSERT_EQ(runCli("new llama3-70b-256-h100 --output " + file).exitCode, 0);
    EXPECT_EQ(jsonOf("check " + file)["hash"], jsonOf("check llama3-70b-256-h100")["hash"]);
    const std::string text = test::slurp(file);
    EXPECT_NE(text.find("// Tensor parallel (TP)"), std::string::npos) << text.substr(0, 2000);
    EXPECT_NE(text.find("\"tensor_model_parallel_size\": 4"), std::string::npos);
    ASSERT_EQ(runCli("new --name mine --output " + file).exitCode, 0);
    EXPECT_EQ(jsonOf("check " + file)["scenario"], "mine");
}

} // namespace
} // namespace prism
