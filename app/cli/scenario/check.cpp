// SPDX-License-Identifier: GPL-3.0-or-later
// check: all errors of a scenario, or a description of a valid one.
#include "app/cli/frame/commands.h"
#include "core/base/jsontext.h"
#include "core/base/printable.h"
#include "core/cost/predictor.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <memory>

namespace prism::cli {

namespace {

using Json = nlohmann::ordered_json;

std::string checkedJson(const Scenario& s, const Diagnostics& found)
{
    Json report{{"ok", true},
                {"scenario", s.name},
                {"hash", s.hash().text()},
                {"gpus", s.cluster.numGpus},
                {"dp", s.dataParallelSize()},
                {"num_microbatches", s.numMicrobatches()}};
    report["diagnostics"] = require(parseOrderedJson(diagnosticsJson(found)))["errors"];
    return report.dump(2) + "\n";
}

std::string checkedText(const Scenario& s, const Diagnostics& found)
{
    const ParallelismConfig& p = s.parallelism;
    const auto num = [](std::int64_t n) { return std::to_string(n); };
    const std::string verdict = found.empty()       ? "nothing is wrong"
                                : found.size() == 1 ? "one warning"
                                                    : std::to_string(found.size()) + " warnings";
    return printable(s.name) + ": " + verdict + ". " + printable(s.model.name) + " on " + num(s.cluster.numGpus) + " "
           + printable(s.cluster.gpu.name) + ": TP " + num(p.tensorModelParallelSize) + ", PP " + num(p.pipelineModelParallelSize)
           + ", VPP " + num(p.virtualPipelineModelParallelSize) + ", CP " + num(p.contextParallelSize) + ", EP "
           + num(p.expertModelParallelSize) + ", DP " + num(s.dataParallelSize()) + ", " + num(s.numMicrobatches())
           + " micro-batches. Hash " + s.hash().text() + ".\n";
}

} // namespace

void addCheck(CLI::App& app, Cli& cli)
{
    auto options = std::make_shared<CommonOptions>();
    CLI::App* command =
        app.add_subcommand("check", "Check a scenario: every error and warning at once, each with a fix where there is one");
    addScenario(*command, *options);
    addOutput(*command, *options, cli);
    command->callback([options] {
        const Scenario scenario = loadScenario(*options);
        // The costed step has further warnings: memory, the range of the calibration.
        const Diagnostics found = require(costStep(scenario)).warnings;
        if (!options->json)
            reportDiagnostics(*options, found);
        writeOutput(*options, options->json ? checkedJson(scenario, found) : checkedText(scenario, found));
    });
}

} // namespace prism::cli
