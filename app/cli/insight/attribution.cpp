// SPDX-License-Identifier: GPL-3.0-or-later
// attribution: causes of the slow steps.
#include "core/insight/sensitivity/attribution.h"

#include "app/cli/frame/commands.h"
#include "app/cli/insight/insightcommand.h"
#include "core/base/valuetext.h"

#include <CLI/CLI.hpp>
#include <spdlog/fmt/fmt.h>

#include <memory>

namespace prism::cli {

namespace {

std::string rowsText(const char* title, const std::vector<AttributionRow>& rows)
{
    std::string text = fmt::format("{:<24} {:>16} {:>16} {:>18}\n", title, "all steps", "slowest steps", "share of excess");
    for (const AttributionRow& r : rows)
        text += fmt::format("{:<24} {:>16} {:>16} {:>18}\n", r.name, percent(r.shareAll), percent(r.shareSlow), percent(r.excessShare));
    return text + "\n";
}

std::string attributionText(const TailAttribution& a)
{
    return fmt::format("Critical path of {} steps (mean {} s) and of the slowest {} (mean {} s, from {} s)\n\n", a.samples,
                       amountText(a.meanSeconds, 4), a.slowSamples, amountText(a.slowMeanSeconds, 4), amountText(a.slowThresholdSeconds, 4))
           + rowsText("class", a.byClass) + rowsText("cause", a.byCause) + rowsText("stage", a.byStage) + noteLines(a.notes);
}

} // namespace

void addAttribution(CLI::App& app, Cli& cli)
{
    auto options = std::make_shared<InsightCommand>();
    CLI::App* command = app.add_subcommand("attribution", "Kernels on the critical path of all steps and of the slowest 5 %");
    addInsight(*command, *options, cli, 1'000);
    command->callback([options] {
        Evaluator evaluator;
        writeInsight(*options, require(attribution(evaluator, loadScenario(*options), insightOptions(*options))), attributionText);
    });
}

} // namespace prism::cli
