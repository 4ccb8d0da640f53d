// SPDX-License-Identifier: GPL-3.0-or-later
// The insights on the command line: the values of the library and of each other, files written, errors all at once.
#include "run_cli.h"

#include "core/insight/compare/compare.h"
#include "core/job/jobsection.h"
#include "core/insight/onestep/timeline.h"
#include "core/insight/placement/placement.h"
#include "core/insight/scale/scale.h"
#include "core/insight/sensitivity/attribution.h"
#include "core/scenario/parameters.h"
#include "core/scenario/presets.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <functional>

namespace prism::test {
namespace {

using Json = nlohmann::json;

constexpr const char* kScenario = "llama3-70b-256-h100 --samples 200 ";

std::filesystem::path written(const char* name, const std::string& text)
{
    const auto file = scratch() / name;
    std::ofstream(file, std::ios::binary) << text;
    return file;
}

/// 32 nodes of the preset, the ones with `slow` in them at three quarters of the speed.
std::string speeds(const std::vector<int>& slow)
{
    std::string text = "host;TFLOP/s\n";
    for (int n = 0; n < 32; ++n)
        text.append("gpu-").append(std::to_string(n)).append(std::find(slow.begin(), slow.end(), n) != slow.end() ? ";450\n" : ";600\n");
    return text;
}

/// A command line after its scenario and number of samples, and what the library answers: as JSON, and as CSV.
struct CliCase {
    const char *command, *arguments;
    std::function<std::pair<std::string, std::string>(Evaluator&, const Scenario&, const InsightOptions&)> answer;
};

template <class T>
std::pair<std::string, std::string> both(const Result<T>& result)
{
    EXPECT_TRUE(result.ok());
    return {toJson(*result), toCsv(*result)};
}

Json withoutTime(const std::string& text)
{
    Json json = Json::parse(text);
    json.erase("elapsed_s");
    return json;
}

const std::vector<CliCase>& cliCases()
{
    static const std::vector<CliCase> all = {
        {"sensitivity", "--limit 9.5",
         [](Evaluator& e, const Scenario& s, InsightOptions o) {
             o.limitSeconds = 9.5;
             return both(sensitivity(e, s, o));
         }},
        {"sensitivity", "--parameter cluster.inter_node_gb_per_s --range 10:100:3",
         [](Evaluator& e, const Scenario& s, const InsightOptions& o) {
             return both(sweepParameter(e, s, "cluster.inter_node_gb_per_s", {"10", "55", "100"}, o));
         }},
        {"sensitivity attribution", "",
         [](Evaluator& e, const Scenario& s, const InsightOptions& o) { return both(attribution(e, s, o)); }},
        {"placement", "--factor 1.5",
         [](Evaluator& e, const Scenario& s, const InsightOptions& o) {
             return both(placementMap(e, s, {1.5, 1.0}, o));
         }},
        {"placement", "--slow node=1,compute=1.3",
         [](Evaluator& e, const Scenario& s, const InsightOptions& o) {
             return both(slowNodes(e, s, {{1, -1, 1.3, 1}}, o));
         }},
        {"placement", "--slow node=1,compute=1.3 --best-order",
         [](Evaluator& e, Scenario s, const InsightOptions& o) {
             s.variability.slow = {{1, -1, 1.3, 1}};
             return both(searchPlacement(e, s, o));
         }},
        {"scale", "--gpus 8,32 --mode strong",
         [](Evaluator& e, const Scenario& s, const InsightOptions& o) {
             return both(scaleCurve(e, s, ScaleMode::strong, {8, 32}, o));
         }},
        {"compare", "--b-set cluster.inter_node_gb_per_s=5",
         [](Evaluator& e, const Scenario& s, const InsightOptions& o) {
             return both(compare(e, s, *setParameter(s, "cluster.inter_node_gb_per_s", "5"), o));
         }},
        {"guarantee", "--limit 10 --tokens 1e9 --deadline-days 1",
         [](Evaluator& e, const Scenario& s, const InsightOptions& o) {
             return both(promise(e, s, {.limitsSeconds = {10}, .trainTokens = 1e9}, 1, o));
         }},
        {"timeline", "--quantile 0.9",
         [](Evaluator& e, const Scenario& s, const InsightOptions& o) { return both(timeline(e, s, {.quantile = 0.9}, o)); }},
    };
    return all;
}

TEST(CliInsight, PrintsWhatTheLibraryComputes)
{
    const Scenario scenario = *setParameter(*scenarioPreset("llama2-7b-8-a100"), "cluster.num_gpus", "16");
    InsightOptions options;
    options.samples = 40;
    options.seed = 2;
    for (const CliCase& question : cliCases()) {
        const std::string line = std::string(question.command) + " llama2-7b-8-a100 --set cluster.num_gpus=16 --samples 40 --seed 2 ";
        SCOPED_TRACE(std::string(question.command) + " " + question.arguments);
        Evaluator evaluator;
        const auto [json, csv] = question.answer(evaluator, scenario, options);
        const CliRun printed = runCli(line + question.arguments + " --json"), table = runCli(line + question.arguments + " --csv");
        ASSERT_EQ(printed.exitCode, 0) << printed.err;
        EXPECT_EQ(withoutTime(printed.out), withoutTime(json));
        EXPECT_EQ(table.out, csv);
        const auto commas = [&](std::size_t from) {
            return std::count(csv.begin() + static_cast<std::ptrdiff_t>(from),
                              csv.begin() + static_cast<std::ptrdiff_t>(csv.find('\n', from)), ',');
        };
        EXPECT_EQ(commas(0), commas(csv.find('\n') + 1)) << csv.substr(0, 400);
    }
}

// One scenario, one seed, one number of samples: all commands speak of the same step, to the last bit, and all texts name it.
TEST(CliInsight, EveryCommandStartsFromTheStepOfPredict)
{
    const std::string line = "llama2-7b-8-a100 --samples 40 ";
    const Json step = Json::parse(runCli("predict " + line + "--json").out)["step_time_s"];
    const auto first = [&](const std::string& command) {
        const std::size_t space = std::min(command.find(' '), command.size());
        const std::string whole = command.substr(0, space) + " " + line + command.substr(space);
        EXPECT_GT(runCli(whole).out.size(), 100U) << command;
        return Json::parse(runCli(whole + " --json").out);
    };
    EXPECT_EQ(first("sensitivity")["base_step_time_s"], step);
    EXPECT_EQ(first("sensitivity --parameter cluster.inter_node_gb_per_s --range 10,20")["base_step_time_s"], step);
    EXPECT_EQ(first("placement")["base_step_time_s"], step);
    EXPECT_EQ(first("scale --gpus 8,16")["points"][0]["step_time_s"], step);
    EXPECT_EQ(first("guarantee --limit 10")["step_time_s"], step);
    for (const Json& metric : first("compare --b-set cluster.inter_node_gb_per_s=5")["figures"]) {
        const auto same = step.find(metric["name"].get<std::string>());
        EXPECT_EQ(metric["a"], same != step.end() ? *same : metric["a"]) << metric["name"];
    }
}

// The paired interval of equal scenarios is very narrow: its digits would give both columns seven digits, though either value is uncertain.
TEST(CliInsight, EqualScenariosAreComparedWithTheirOwnDigits)
{
    const std::string line = std::string("compare ") + kScenario;
    const CliRun text = runCli(line), json = runCli(line + "--json");
    ASSERT_EQ(text.exitCode, 0) << text.err;
    const double p95 = Json::parse(json.out)["figures"][3]["a"];
    std::istringstream lines(text.out);
    std::string row, label, word, a, b;
    while (std::getline(lines, row) && !row.starts_with("p95 step time"))
        ;
    std::istringstream(row) >> label >> label >> label >> word >> a >> b; // "p95 step time, s A B"
    EXPECT_EQ(a, b) << row;
    EXPECT_LE(a.size(), 6U) << row;
    EXPECT_NEAR(std::stod(a), p95, 0.05 * p95);
    EXPECT_NE(row.find("no difference found"), std::string::npos) << row;
    const CliRun slower = runCli(line + "--b-set training.global_batch_size=8192");
    EXPECT_NE(slower.out.find(" times\n"), std::string::npos) << "sixteen times as long, not +1,500 %\n" << slower.out;
}

TEST(CliInsight, SpeedTablesGiveAHostfileInRankOrder)
{
    const auto table = written("speeds.csv", speeds({1, 9, 20}));
    const auto hosts = scratch() / "hosts";
    const CliRun run =
        runCli(std::string("placement ") + kScenario + "--json --speeds " + table.string() + " --hostfile " + hosts.string());
    ASSERT_EQ(run.exitCode, 0) << run.err;
    const Json result = Json::parse(run.out);
    std::istringstream lines(slurp(hosts));
    std::size_t position = 0;
    for (std::string line; std::getline(lines, line); ++position)
        EXPECT_EQ(line, "gpu-" + std::to_string(result["best_order"][position].get<int>()) + " slots=8");
    EXPECT_EQ(position, 32U);
    EXPECT_LE(result["best_s"]["p95"], result["given_s"]["p95"]);
    EXPECT_LE(result["given_s"]["p95"], result["worst_s"]["p95"]);
}

TEST(CliInsight, BadSpeedTablesNameEveryLine)
{
    const auto table = written("bad.csv", "host,tflops\na,600\na,600\nb,0\nc,\"1,5\"\n,600\n");
    const CliRun run = runCli(std::string("placement ") + kScenario + "--speeds " + table.string());
    EXPECT_EQ(run.exitCode, 1);
    for (const char* place : {"bad.csv:3", "bad.csv:4", "bad.csv:5", "bad.csv:6"})
        EXPECT_NE(run.err.find(place), std::string::npos) << place << "\n" << run.err;
    EXPECT_EQ(runCli(std::string("placement ") + kScenario + "--best-order").exitCode, 1); // nothing is slow
    EXPECT_EQ(runCli(std::string("placement ") + kScenario + "--slow node=banana").exitCode, 1);
}

TEST(CliInsight, ATraceOpensAsJson)
{
    const auto trace = scratch() / "trace.json";
    ASSERT_EQ(runCli(std::string("timeline ") + kScenario + "--trace " + trace.string()).exitCode, 0);
    EXPECT_GT(Json::parse(slurp(trace)).at("traceEvents").size(), 100U);
}

} // namespace
} // namespace prism::test
