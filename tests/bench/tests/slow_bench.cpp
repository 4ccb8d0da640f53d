// SPDX-License-Identifier: GPL-3.0-or-later
// The help page on the bench agrees with what the program measures today: the same claims with the same bounds, the same questions to the
// same tools, and where a value is not a time of this machine, the same value.
#include "prism_paths.h"
#include "run_cli.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <map>
#include <set>

namespace prism::test {
namespace {

using nlohmann::json;

/// Claims with unit and bound. The instruction set that a row names, and with it its bound, is the machine's.
std::set<std::string> claims(const json& record)
{
    std::set<std::string> found;
    for (const json& row : record["bench"]) {
        const std::string claim = row["claim"];
        const auto machine = claim.find(", one core, ");
        found.insert(machine == std::string::npos ? claim + " " + row["unit"].get<std::string>() + " " + row["bound"].dump()
                                                  : claim.substr(0, machine));
    }
    return found;
}

/// Errors on published rows: they depend on no machine.
std::map<std::string, double> errors(const json& record)
{
    std::map<std::string, double> found;
    for (const json& f : record["side_by_side"])
        if (f["unit"] == "%" && f["value"].is_number())
            found[f["tool"]] = f["value"];
    return found;
}

std::set<std::string> questions(const json& record)
{
    std::set<std::string> found;
    for (const json& f : record["side_by_side"])
        found.insert(f["question"].get<std::string>() + " " + f["unit"].get<std::string>());
    return found;
}

/// A checkout that answers as Calculon does, each row 2 % too slow: what it predicts is known, how fast it is does not matter.
std::filesystem::path standIn()
{
    const auto root = scratch() / "peers" / "calculon";
    for (const char* folder : {"calculon/llm", "models", "systems", "validation/seqsel/tab5"})
        std::filesystem::create_directories(root / folder);
    std::ofstream(root / "calculon/__init__.py") << "";
    std::ofstream(root / "calculon/llm/__init__.py") << R"(
class System:
    def __init__(self, values): pass
class Llm:
    class Application:
        def __init__(self, values): self.seconds = values["seconds"]
    class Execution:
        @staticmethod
        def from_json(values): return values
    def __init__(self, application, logger): self.seconds, self.logger = application.seconds, logger
    def compile(self, system, execution): self.logger.info("compiled %s", execution)
    def run(self, system): pass
    def get_stats_json(self, layers): return {"total_time": 1.02 * self.seconds}
)";
    std::ofstream(root / "systems/a100_80g.json") << "{}";
    const std::map<std::string, double> published{{"megatron-22B", 1.42}, {"gpt3-175B", 18.13}}; // seconds: arXiv 2205.05198, Table 5
    for (const auto& [model, seconds] : published) {
        std::ofstream(root / ("models/" + model + ".json")) << json{{"seconds", seconds}};
        std::ofstream(root / ("validation/seqsel/tab5/" + model + "_full.json")) << "{}";
    }
    return root.parent_path();
}

TEST(BenchAgain, PrintsTheHelpPage)
{
    const json page = json::parse(slurp(PRISM_SOURCE_DIR "/resources/record/bench.json"));
    const CliRun run = runCli("bench --json --quiet --peers " + standIn().string(), 8192, 600);
    ASSERT_EQ(run.exitCode, 0) << run.err;
    const json fresh = json::parse(run.out);
    EXPECT_EQ(claims(fresh), claims(page));
    EXPECT_EQ(questions(fresh), questions(page));
    const auto now = errors(fresh), then = errors(page);
    ASSERT_FALSE(now.empty());
    EXPECT_NEAR(now.at("Calculon, mean over these 2 rows"), 2, 1e-6);
    for (const auto& [tool, error] : now) {
        if (tool.starts_with("Calculon, mean over these")) // the page's run may have had the real one
            continue;
        ASSERT_TRUE(then.contains(tool)) << tool;
        EXPECT_NEAR(error, then.at(tool), 0.005) << tool << ": packaging/figures.sh --bench renews the page";
    }
}

} // namespace
} // namespace prism::test
