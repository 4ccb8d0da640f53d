// SPDX-License-Identifier: GPL-3.0-or-later
// improve: the single changes of a scenario that help most, each with its gain and its cost.
#include "core/explore/moves.h"

#include "app/cli/frame/commands.h"
#include "app/cli/insight/insightcommand.h"
#include "core/base/valuetext.h"

#include <CLI/CLI.hpp>
#include <spdlog/fmt/fmt.h>

#include <memory>

namespace prism::cli {

namespace {

struct ImproveOptions : InsightCommand {
    std::string goal;
    bool pairs = false, hardware = false;
    std::size_t top = 12;
};

std::string text(const Moves& m, bool hasGoal, std::size_t top)
{
    std::string text =
        fmt::format("Now p50 {} s, p95 {} s, p99 {} s. {} changes tried: {} do not fit, {} have no effect; {} are invalid.\n\n",
                    amountText(m.p50, 4), amountText(m.p95, 4), amountText(m.p99, 4), m.tried, m.tooLarge, m.withoutEffect, m.invalid);
    text += fmt::format("{:>22} {:>12} {:>12}{}  change\n", "gain in p95, s", "memory, GiB", "USD/G token", hasGoal ? "   goal" : "");
    for (std::size_t i = 0; i < std::min(top, m.moves.size()); ++i) {
        const Move& move = m.moves[i];
        std::string changes;
        for (const std::string& c : move.changes)
            changes += (changes.empty() ? "" : "; ") + c;
        text += fmt::format("{:>22} {:>+12.1f} {:>+12.4g}{}  {}{}\n", changeText(move.p95Gain), move.memoryChangeGib,
                            move.usdPerBillionTokensChange, hasGoal ? fmt::format(" {:>4.0f} %", 100 * move.reachesGoal) : "", changes,
                            move.improves || !move.p95Gain.significant() ? "" : " (worse)");
    }
    return text + noteLines(m.notes);
}

} // namespace

void addImprove(CLI::App& app, Cli& cli)
{
    auto options = std::make_shared<ImproveOptions>();
    CLI::App* command = app.add_subcommand("improve", "Rank single changes by their gain in p95, with their cost in memory and money");
    addInsight(*command, *options, cli, 500);
    command->add_option("--goal", options->goal, "A target such as \"p95 <= 4.0 s\": how likely each move reaches it");
    command->add_flag("--pairs", options->pairs, "Also the pairs of the five best moves");
    command->add_flag("--hardware", options->hardware, "Also other GPUs and fabrics, and half and twice the GPUs");
    command->add_option("--top", options->top, "Rows of the table")->capture_default_str();
    command->callback([options] {
        MovesQuery query;
        query.pairs = options->pairs;
        query.hardware = options->hardware;
        if (!options->goal.empty())
            query.goal = require(moveGoal(options->goal));
        Evaluator evaluator;
        writeInsight(*options, require(nextMoves(evaluator, loadScenario(*options), query, insightOptions(*options))),
                     [&](const Moves& m) { return text(m, query.goal.has_value(), options->top); });
    });
}

} // namespace prism::cli
