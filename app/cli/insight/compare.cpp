// SPDX-License-Identifier: GPL-3.0-or-later
// compare: what changed between two scenarios, and which edit did it.
#include "core/insight/compare/compare.h"

#include "app/cli/frame/commands.h"
#include "app/cli/insight/insightcommand.h"
#include "core/base/valuetext.h"

#include <CLI/CLI.hpp>
#include <spdlog/fmt/fmt.h>

#include <memory>

namespace prism::cli {

namespace {

struct CompareOptions : InsightCommand {
    std::string other;
    std::vector<std::string> otherOverrides;
};

std::string comparisonText(const Comparison& c)
{
    std::string text =
        fmt::format("A = {}\nB = {}\n\n{:<24} {:>14} {:>14} {:>26} {:>18}\n", c.nameA, c.nameB, "", "A", "B", "B - A", "change");
    for (const ComparedMetric& f : c.metrics) {
        const bool found = f.delta.significant();
        const double digits = found ? f.delta.halfWidth : std::max(f.delta.halfWidth, f.ownHalfWidth); // the paired one only if significant
        text +=
            fmt::format("{:<24} {:>14} {:>14} {:>26} {:>18}\n", f.label + (f.unit.empty() ? "" : ", " + f.unit), earnedDigits(f.a, digits),
                        earnedDigits(f.b, digits), changeText(f.delta), found ? percentChange(f.relative) : "");
    }
    text += fmt::format("\nP(A is faster) {}   KS distance {:.3f}   Wasserstein distance {} s\n\nWhich edit changed p95 ({} orders{})\n",
                        percent(c.probabilityABetter), c.ksDistance, amountText(c.wassersteinSeconds), c.waterfallOrders,
                        c.waterfallExact ? ", all" : ", sampled");
    for (const WaterfallItem& w : c.waterfall)
        text += fmt::format("{:<44} {:>14} -> {:<14} {}\n", w.label, w.from, w.to, milliseconds(w.deltaP95));
    return text + noteLines(c.notes);
}

} // namespace

void addCompare(CLI::App& app, Cli& cli)
{
    auto options = std::make_shared<CompareOptions>();
    CLI::App* command =
        app.add_subcommand("compare", "Compare two scenarios: change of every metric, how often each is faster, contribution of each edit");
    addInsight(*command, *options, cli, 1'000);
    command->add_option("other", options->other, "Scenario B (default: SCENARIO with --b-set)");
    command->add_option("--b-set", options->otherOverrides, "Override one parameter of B only: path=value (repeatable)")
        ->allow_extra_args(false);
    command->callback([options] {
        Evaluator evaluator;
        CommonOptions b = *options;
        if (!options->other.empty())
            b.scenario = options->other;
        b.overrides.insert(b.overrides.end(), options->otherOverrides.begin(), options->otherOverrides.end());
        writeInsight(*options, require(compare(evaluator, loadScenario(*options), loadScenario(b), insightOptions(*options))),
                     comparisonText);
    });
}

} // namespace prism::cli
