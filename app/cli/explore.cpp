// SPDX-License-Identifier: GPL-3.0-or-later
// explore: which configuration is best by a percentile of the step, or by what a token costs.
#include "core/explore/explore.h"

#include "app/cli/commands.h"
#include "app/cli/insightcommand.h"

#include <CLI/CLI.hpp>
#include <spdlog/fmt/fmt.h>

#include <memory>

namespace prism::cli {

namespace {

struct ExploreOptions : InsightCommand {
    std::vector<std::string> axes;
    std::string objective = "p95";
    ExploreQuery query;
};

/// "TP 4" for parameters with a short name, "recompute_granularity full" for the others.
std::string shortly(const std::vector<std::pair<std::string, std::string>>& values)
{
    std::string text;
    for (const auto& [id, value] : values) {
        const Parameter* p = findParameter(id);
        const std::string name = p != nullptr && !p->shortName.empty() ? p->shortName : id.substr(id.rfind('.') + 1);
        text += (text.empty() ? "" : ", ") + name + " " + value;
    }
    return text;
}

std::string text(const Exploration& e, int keep)
{
    std::string text =
        fmt::format("{} configurations: {} valid, {} fit into memory, {} sampled ({:.2g} s for all, {:.2g} s with sampling)\n\n", e.points,
                    e.valid, e.fitting, e.candidates.size(), e.deterministicSeconds, e.elapsedSeconds);
    text += fmt::format("{:>4} {:>18} {:>18} {:>9} {:>12} {:>7}  configuration\n", "", "p50 s", "p95 s", "GiB", "USD/G token", "best");
    for (int i = 0; i < std::min<int>(keep, static_cast<int>(e.candidates.size())); ++i) {
        const ExploreCandidate& c = e.candidates[static_cast<std::size_t>(i)];
        text += fmt::format("{:>4} {:>9.4g} ± {:<6.1g} {:>9.4g} ± {:<6.1g} {:>9.1f} {:>12.4g} {:>5.0f} %  {}{}\n", i + 1, c.p50.value,
                            c.p50.halfWidth, c.p95.value, c.p95.halfWidth, c.peakMemoryGib, c.usdPerBillionTokens, 100 * c.chanceBest,
                            shortly(c.values), c.pareto ? " (front)" : "");
    }
    if (e.bestByMean == 0)
        text += "\nThe best by its mean is the best by the objective too.\n";
    else
        text += fmt::format("\nThe best by its mean is {}; taking it instead costs {:.3g} ± {:.1g} in the objective's unit.\n",
                            shortly(e.candidates[e.bestByMean].values), e.priceOfMean.value, e.priceOfMean.halfWidth);
    if (!e.rejected.empty())
        text += "\nLeft out:\n";
    for (const ExploreRejection& r : e.rejected)
        text += fmt::format("{:>9} {}\n", r.count, r.reason);
    return text + noteLines(e.notes);
}

} // namespace

void addExplore(CLI::App& app, Cli& cli)
{
    auto options = std::make_shared<ExploreOptions>();
    CLI::App* command =
        app.add_subcommand("explore", "Search configurations: the best by p95 (or another figure, or cost), and how sure that is");
    addInsight(*command, *options, cli, 4'096);
    command
        ->add_option("--axis", options->axes,
                     "NAME=VALUES, e.g. tp=1,2,4 or micro_batch_size=1..8 (repeatable; default: TP, PP, VPP, schedule, ...)")
        ->allow_extra_args(false);
    command->add_option("--objective", options->objective, "mean, p50, p95, p99: seconds per token; cost_p95, ...: dollars per token")
        ->capture_default_str();
    command->add_option("--keep", options->query.keep, "How many of the best to tell apart")
        ->check(CLI::Range(1, 100))
        ->capture_default_str();
    command->add_option("--most", options->query.mostSampled, "Configurations that are sampled at the most")
        ->check(CLI::Range(1, 10'000))
        ->capture_default_str();
    command->add_option("--memory-margin", options->query.memoryMarginGib, "GiB that must stay free")->check(CLI::Range(0.0, 10'000.0));
    command->callback([options] {
        const Scenario scenario = loadScenario(*options);
        options->query.objective = require(exploreObjective(options->objective));
        for (const std::string& axis : options->axes)
            options->query.space.axes.push_back(require(searchAxis(axis)));
        if (options->axes.empty())
            options->query.space = defaultSpace(scenario);
        Evaluator evaluator;
        writeInsight(*options, require(explore(evaluator, scenario, options->query, insightOptions(*options))),
                     [&](const Exploration& e) { return text(e, options->query.keep); });
    });
}

} // namespace prism::cli
