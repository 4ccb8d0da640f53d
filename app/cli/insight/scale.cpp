// SPDX-License-Identifier: GPL-3.0-or-later
// scale: step time, MFU and cost over the number of GPUs.
#include "core/insight/scale/scale.h"

#include "app/cli/frame/commands.h"
#include "app/cli/insight/insightcommand.h"
#include "app/cli/frame/quantities.h"
#include "app/cli/frame/suggestion.h"
#include "core/base/valuetext.h"

#include <CLI/CLI.hpp>
#include <spdlog/fmt/fmt.h>

#include <memory>

namespace prism::cli {

namespace {

struct ScaleOptions : InsightCommand {
    std::string mode = "weak";
    std::vector<std::int64_t> gpus;
};

std::string scaleCurveText(const ScaleCurve& curve)
{
    std::string text = fmt::format("{:>9} {:>6} {:>8} {:>18} {:>18} {:>18} {:>14} {:>12} {:>12}\n", "GPUs", "DP", "batch", "p50, s",
                                   "p95, s", "p99, s", "MFU, %", "USD/Gtoken", "efficiency");
    for (const ScalePoint& p : curve.points) {
        if (!p.valid) {
            text += fmt::format("{:>9} {}\n", p.gpus, p.problem);
            continue;
        }
        text += fmt::format("{:>9} {:>6} {:>8} {:>18} {:>18} {:>18} {:>14} {:>12} {:>12.3f}{}\n", p.gpus, p.dataParallel, p.globalBatch,
                            plusMinus(p.step.p50, p.step.ciP50), plusMinus(p.step.p95, p.step.ciP95), plusMinus(p.step.p99, p.step.ciP99),
                            plusMinus(100 * p.mfu.value, 100 * p.mfu.halfWidth), amountText(p.costPerBillionTokensUsd, 4), p.efficiency,
                            p.problem.empty() ? "" : "  " + p.problem);
    }
    return text + fmt::format("\n{} samples per point, seed {}, {} s\n", curve.samples, curve.seed, amountText(curve.elapsedSeconds))
           + noteLines(curve.notes);
}

} // namespace

void addScale(CLI::App& app, Cli& cli)
{
    auto options = std::make_shared<ScaleOptions>();
    CLI::App* command = app.add_subcommand("scale", "Step time, MFU and cost over the number of GPUs");
    addInsight(*command, *options, cli, 500);
    command->add_option("--mode", options->mode, "weak: the batch grows with the GPUs; strong: it stays")
        ->check(oneOf({"weak", "strong"}))
        ->capture_default_str();
    asGpuCount(command->add_option("--gpus", options->gpus, "GPU counts such as 512,1k,16k (default: 64 to 65,536 by doubling)"))
        ->delimiter(',');
    command->callback([options] {
        Evaluator evaluator;
        const Scenario scenario = loadScenario(*options);
        const std::vector<std::int64_t> gpus = options->gpus.empty() ? defaultScale(scenario) : options->gpus;
        writeInsight(*options,
                     require(scaleCurve(evaluator, scenario, options->mode == "weak" ? ScaleMode::weak : ScaleMode::strong, gpus,
                                        insightOptions(*options))),
                     scaleCurveText);
    });
}

} // namespace prism::cli
