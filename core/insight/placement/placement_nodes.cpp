// SPDX-License-Identifier: GPL-3.0-or-later
// Named nodes: several slow ones where they are, speeds of a table, and hostfiles.
#include "core/base/diagnostictext.h"
#include "core/insight/paired.h"
#include "core/insight/placement/placement.h"
#include "core/insight/variation.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <map>

namespace prism {

namespace {

constexpr int kDefaultSamples = 500;

std::string entryLabel(const SlowEntry& entry)
{
    return entry.node >= 0 ? fmt::format("node {}", entry.node) : fmt::format("rank {}", entry.rank);
}

} // namespace

Result<SlowNodesReport> slowNodes(Evaluator& evaluator, const Scenario& scenario, const std::vector<SlowEntry>& slow,
                                  const InsightOptions& options)
{
    if (slow.empty() || slow.size() > 1'000)
        return errorAt("slow", "The number of slow places is out of range.", std::to_string(slow.size()), "1 to 1,000");
    // Variation 0: all of them; 1: none; 2 + i: all but the i-th.
    std::vector<Scenario> variants(slow.size() + 2, scenario);
    for (std::size_t v = 0; v < variants.size(); ++v) {
        variants[v].variability.slow = v == 1 ? std::vector<SlowEntry>{} : slow;
        if (v >= 2)
            variants[v].variability.slow.erase(variants[v].variability.slow.begin() + static_cast<std::ptrdiff_t>(v - 2));
    }
    if (Diagnostics errors = check(variants[0]); hasErrors(errors))
        return errors;
    std::vector<StepGraph> graphs;
    for (const Scenario& variant : variants) {
        Result<CostedStep> costed = costStep(variant);
        if (!costed.ok())
            return costed.errors();
        graphs.push_back(std::move(costed).value().graph);
    }
    SlowNodesReport report;
    report.samples = options.samples > 0 ? options.samples : kDefaultSamples;
    auto sampled = sampleAll(
        evaluator, graphs.size(), [&](std::size_t i) { return graphs[i]; }, report.samples, options, 0, 1, "slow nodes");
    if (!sampled.ok())
        return sampled.errors();
    const PairedSample all(sampled.value()[0]), none(sampled.value()[1]);
    report.withAll = summarize(all.seconds(), all.samples.get());
    report.withoutAny = summarize(none.seconds(), none.samples.get());
    report.total = pairedChange(none, all);
    for (std::size_t i = 0; i < slow.size(); ++i)
        report.rows.push_back({slow[i], entryLabel(slow[i]), pairedChange(all, PairedSample(sampled.value()[i + 2]))});
    return report;
}

std::vector<NodeSlowness> slowestNodes(const Scenario& scenario, std::size_t largest)
{
    std::map<int, double> slowest; // time factor of each node's slowest GPU
    for (const MeasuredSpeed& speed : scenario.measured.speeds)
        if (speed.relativeSpeed > 0)
            slowest[speed.node] = std::max(slowest[speed.node], 1 / speed.relativeSpeed);
    std::vector<double> factors;
    for (const auto& [node, factor] : slowest)
        factors.push_back(factor);
    std::sort(factors.begin(), factors.end());
    std::vector<NodeSlowness> nodes;
    for (const auto& [node, factor] : slowest)
        if (const double relative = factor / factors[(factors.size() - 1) / 2]; relative > 1)
            nodes.push_back({node, relative});
    std::stable_sort(nodes.begin(), nodes.end(), [](const NodeSlowness& a, const NodeSlowness& b) { return a.factor > b.factor; });
    nodes.resize(std::min(largest, nodes.size()));
    return nodes;
}

Result<Scenario> withSpeeds(const Scenario& scenario, const SpeedTable& table)
{
    constexpr std::size_t kMaxErrors = 200;
    const auto perNode = std::max(1, scenario.cluster.gpusPerNode);
    const auto nodes = static_cast<std::size_t>((scenario.cluster.numGpus + perNode - 1) / perNode);
    Diagnostics errors;
    std::size_t dropped = 0;
    const auto add = [&](std::string path, std::string message, std::string found, std::string accepted) {
        if (errors.size() < kMaxErrors)
            errors.push_back(errorAt(std::move(path), std::move(message), std::move(found), std::move(accepted)));
        else
            ++dropped;
    };
    if (table.hosts.size() != nodes)
        add("speeds",
            table.hosts.size() < nodes ? "Nodes are missing from the speed table." : "The speed table has more nodes than the cluster.",
            fmt::format("{} nodes", table.hosts.size()), fmt::format("{} nodes of {} GPUs", nodes, perNode));
    std::vector<int> seen(table.hosts.size(), 0);
    Scenario changed = scenario;
    changed.measured.speeds.clear();
    changed.measured.nodeOrder.clear();
    for (const SpeedRow& row : table.rows) {
        if (row.gpu >= perNode)
            add(fmt::format("speeds:{}", row.line), fmt::format("Node {} has fewer GPUs.", table.hosts[static_cast<std::size_t>(row.node)]),
                std::to_string(row.gpu), fmt::format("0 to {}", perNode - 1));
        else
            seen[static_cast<std::size_t>(row.node)] += row.gpu < 0 ? perNode : 1;
        changed.measured.speeds.push_back({row.node, row.gpu, row.relativeSpeed});
    }
    for (std::size_t n = 0; n < seen.size(); ++n)
        if (seen[n] != perNode)
            add("speeds", fmt::format("Not every GPU of node {} has a speed.", table.hosts[n]), fmt::format("{} GPUs", seen[n]),
                fmt::format("{} GPUs, or one row for the node", perNode));
    if (dropped > 0)
        errors.push_back(
            errorAt("speeds", "There are more errors than are listed.", fmt::format("{} more", dropped), "a table without errors"));
    if (!errors.empty())
        return errors;
    return changed;
}

std::string hostfile(const std::vector<int>& order, const std::vector<std::string>& hosts, int gpusPerNode, HostfileFormat format)
{
    std::string text;
    for (const int node : order) {
        const auto n = static_cast<std::size_t>(std::max(0, node));
        const std::string host = n < hosts.size() ? hosts[n] : fmt::format("node{}", node);
        if (format == HostfileFormat::mpi)
            text += fmt::format("{} slots={}\n", host, gpusPerNode);
        else
            for (int i = 0; i < (format == HostfileFormat::slurm ? gpusPerNode : 1); ++i)
                text += host + "\n";
    }
    return text;
}

} // namespace prism
