// SPDX-License-Identifier: GPL-3.0-or-later
// The seven insights on the command line: JSON that parses, CSV with equal rows, files written, errors all at once.
#include "run_cli.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>

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

TEST(CliInsight, EveryInsightPrintsJsonCsvAndText)
{
    for (const std::string command :
         {"sensitivity", "sensitivity --parameter cluster.inter_node_gb_per_s --range 10:100:3", "attribution", "placement",
          "placement --slow node=3,compute=1.3", "placement --slow node=3,compute=1.3 --best-order", "scale --gpus 128,256",
          "compare --b-set cluster.inter_node_gb_per_s=25", "guarantee --limit 10 --tokens 1e9 --deadline-days 1", "timeline"}) {
        SCOPED_TRACE(command);
        const std::size_t space = std::min(command.find(' '), command.size());
        const std::string line = command.substr(0, space) + " " + kScenario + command.substr(space) + " ";
        const CliRun json = runCli(line + "--json"), csv = runCli(line + "--csv"), text = runCli(line);
        ASSERT_EQ(json.exitCode, 0) << json.err;
        ASSERT_EQ(csv.exitCode, 0) << csv.err;
        ASSERT_EQ(text.exitCode, 0) << text.err;
        EXPECT_TRUE(Json::parse(json.out).is_object());
        EXPECT_FALSE(text.out.empty());
        const auto commas = [&](std::size_t from) {
            return std::count(csv.out.begin() + static_cast<std::ptrdiff_t>(from),
                              csv.out.begin() + static_cast<std::ptrdiff_t>(csv.out.find('\n', from)), ',');
        };
        const std::size_t second = csv.out.find('\n') + 1;
        ASSERT_LT(second, csv.out.size());
        EXPECT_EQ(commas(0), commas(second)) << csv.out.substr(0, 400);
    }
}

// Paired intervals are narrow: of what is equal they left seven digits in both columns, though either value is known to two or three.
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
