// SPDX-License-Identifier: GPL-3.0-or-later
// placement: where a slow node hurts; measured speeds and the best order of nodes with its hostfile.
#include "core/insight/placement/placement.h"

#include "app/cli/frame/commands.h"
#include "app/cli/insight/insightcommand.h"
#include "app/cli/frame/quantities.h"
#include "app/cli/frame/suggestion.h"

#include <CLI/CLI.hpp>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <memory>

namespace prism::cli {

namespace {

struct PlacementOptions : InsightCommand {
    SlowProbe probe;
    std::vector<std::string> slow;
    std::string speeds, hostfile, format = "mpi";
    bool bestOrder = false;
};

std::string mapText(const PlacementMap& map)
{
    std::string text = fmt::format("p95 with one node {:.3g} times slower (links {:.3g}), over p95 without it\nWithout it  {}\n\n{:<26}",
                                   map.probe.computeFactor, map.probe.linkFactor, metricsLine(map.base), "");
    for (const std::string& column : map.columnLabels)
        text += fmt::format("{:>10}", column);
    for (int row = 0; row < map.rows; ++row) {
        text += fmt::format("\n{:<26}", map.rowLabels[static_cast<std::size_t>(row)]);
        for (int column = 0; column < map.columns; ++column)
            text += fmt::format("{:>10.4f}", map.at(row, column).p95Ratio.value);
        text += fmt::format("\n{:<26}", "  ±");
        for (int column = 0; column < map.columns; ++column)
            text += fmt::format("{:>10.4f}", map.at(row, column).p95Ratio.halfWidth);
    }
    const std::string more = percentChange(map.worstOverBest) + (map.withinNoise ? "" : " more");
    return text + fmt::format("\n\nBest stage {}, worst stage {}: {}\n", map.bestColumn, map.worstColumn, more) + noteLines(map.notes);
}

std::string slowText(const SlowNodesReport& r)
{
    std::string text = fmt::format("With all of them    {}\nWithout any         {}\np95 change {}\n\n", metricsLine(r.withAll),
                                   metricsLine(r.withoutAny), milliseconds(r.total.p95));
    for (const SlowNodesReport::Row& row : r.rows)
        text += fmt::format("{:<14} p95 when repaired {}\n", row.label, milliseconds(row.repaired.p95));
    return text;
}

/// The moves that matter: the slowest nodes.
std::string movesText(const PlacementResult& r)
{
    constexpr std::size_t kShown = 12;
    std::string text;
    for (std::size_t i = 0; i < std::min(kShown, r.moves.size()); ++i) {
        const NodeMove& m = r.moves[i];
        text += fmt::format("  node {:<6} ({:.3g} times slower)  replica {}, stage {} -> replica {}, stage {}\n", m.node, m.slowness,
                            m.fromReplica, m.fromStage, m.toReplica, m.toStage);
    }
    if (r.moves.size() > kShown)
        text += fmt::format("  and {} more (--json lists all)\n", r.moves.size() - kShown);
    return text;
}

/// The gain of a few exchanges.
std::string exchangesText(const PlacementResult& r)
{
    std::string text = r.exchanges.empty() ? "" : "\nIn few exchanges of two nodes, each after those above it:\n";
    for (const ExchangeGain& e : r.exchanges)
        text += fmt::format("  node {:<6} with node {:<6} to replica {}, stage {}  gain so far {}\n", e.move.node, e.partner,
                            e.move.toReplica, e.move.toStage, percentChange(e.gain));
    return text;
}

std::string resultText(const PlacementResult& r)
{
    return fmt::format(
               "Given order   {}\nBest order    {}\nWorst order   {}\n\nGain over given {}, over worst {}; {} of {} positions change\n",
               metricsLine(r.given), metricsLine(r.best), metricsLine(r.worst), percentChange(r.gainOverGiven),
               percentChange(r.gainOverWorst), r.movedNodes, r.bestOrder.size())
           + movesText(r) + exchangesText(r) + noteLines(r.notes);
}

/// "node=17,compute=1.3,link=2" or "rank=140,compute=1.2".
SlowEntry slowEntry(const std::string& text)
{
    SlowEntry entry;
    bool fine = true;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find(',', at), text.size());
        const std::string part = text.substr(at, end - at);
        const std::size_t equals = std::min(part.find('='), part.size());
        const std::string key = part.substr(0, equals), value = equals < part.size() ? part.substr(equals + 1) : "";
        const Result<double> read = slownessFromText(value);
        const double number = read.ok() ? *read : 0;
        const bool whole = number >= 0 && number <= 1e9 && number == static_cast<double>(static_cast<int>(number));
        fine = fine && read.ok();
        if (key == "node" && whole)
            entry.node = static_cast<int>(number);
        else if (key == "rank" && whole)
            entry.rank = static_cast<int>(number);
        else if (key == "compute")
            entry.computeFactor = number;
        else if (key == "link")
            entry.linkFactor = number;
        else
            fine = false;
        at = end + 1;
    }
    if (!fine || (entry.node < 0) == (entry.rank < 0))
        throw InputError({{Severity::error, "--slow", "The slow place cannot be read.", text,
                           "node=N,compute=1.2,link=1 or rank=N,compute=1.2", "", ""}});
    return entry;
}

void search(const PlacementOptions& options, Evaluator& evaluator, const Scenario& scenario, const std::vector<SlowEntry>& slow)
{
    Scenario measured = scenario;
    measured.variability.slow.insert(measured.variability.slow.end(), slow.begin(), slow.end());
    std::vector<std::string> hosts;
    if (!options.speeds.empty()) {
        const SpeedTable table = require(readSpeedTable(readInput(options.speeds), options.speeds));
        if (!options.json && !options.csv)
            reportDiagnostics(options, table.notes);
        measured = require(withSpeeds(measured, table));
        hosts = table.hosts;
    }
    const PlacementResult result = require(searchPlacement(evaluator, measured, insightOptions(options)));
    if (!options.hostfile.empty()) {
        const HostfileFormat format = options.format == "mpi"     ? HostfileFormat::mpi
                                      : options.format == "slurm" ? HostfileFormat::slurm
                                                                  : HostfileFormat::torchrun;
        CommonOptions file;
        file.output = options.hostfile;
        writeOutput(file, hostfile(result.bestOrder, hosts, scenario.cluster.gpusPerNode, format));
    }
    writeInsight(options, result, resultText);
}

void run(const PlacementOptions& options)
{
    Evaluator evaluator;
    const Scenario scenario = loadScenario(options);
    std::vector<SlowEntry> slow;
    for (const std::string& text : options.slow)
        slow.push_back(slowEntry(text));
    if (!options.speeds.empty() || !options.hostfile.empty() || options.bestOrder)
        return search(options, evaluator, scenario, slow);
    if (slow.empty())
        return writeInsight(options, require(placementMap(evaluator, scenario, options.probe, insightOptions(options))), mapText);
    writeInsight(options, require(slowNodes(evaluator, scenario, slow, insightOptions(options))), slowText);
}

} // namespace

void addPlacement(CLI::App& app, Cli& cli)
{
    auto options = std::make_shared<PlacementOptions>();
    CLI::App* command = app.add_subcommand("placement", "Where a slow node hurts, and the best order of nodes for measured speeds");
    addInsight(*command, *options, cli, 500);
    auto* factor =
        asSlowness(command->add_option("--factor", options->probe.computeFactor, "How many times slower the node computes: 1.2 or 20%"))
            ->capture_default_str();
    auto* link =
        asSlowness(command->add_option("--link-factor", options->probe.linkFactor, "How many times slower its links to other nodes are"))
            ->capture_default_str();
    auto* slow = command
                     ->add_option("--slow", options->slow,
                                  "A slow place: node=N,compute=F,link=F or rank=N,... (repeatable); reports the gain from repairing each")
                     ->allow_extra_args(false);
    auto* speeds = command->add_option("--speeds", options->speeds,
                                       "CSV of measured speeds (node, gpu, tflops or relative_speed): search the best order of nodes");
    auto* best = command->add_flag("--best-order", options->bestOrder,
                                   "Search the best order of nodes for the places that are marked slow (in the scenario or by --slow)");
    auto* hostfile = command->add_option("--hostfile", options->hostfile, "Write the best order of nodes to this file");
    for (CLI::Option* other : {slow, speeds, best, hostfile}) { // the probe walks over all places only where nothing else is asked
        factor->excludes(other);
        link->excludes(other);
    }
    command->add_option("--hostfile-format", options->format, "mpi, slurm or torchrun")
        ->needs(hostfile)
        ->check(oneOf({"mpi", "slurm", "torchrun"}))
        ->capture_default_str();
    command->callback([options] { run(*options); });
}

} // namespace prism::cli
