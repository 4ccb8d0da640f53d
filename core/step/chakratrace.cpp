// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/step/chakratrace.h"

#include "core/base/diagnostictext.h"
#include "core/base/index.h"
#include "core/base/text.h"
#include "core/schedule/pieces.h"
#include "core/step/passes.h"
#include "core/step/stepgraphwords.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace prism {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kReceive = "COMM_RECV_NODE";

/// CollectiveCommType by the last part of a class's name; nothing where Chakra has no such collective.
std::optional<int> collectiveType(std::string_view className)
{
    static const std::map<std::string_view, int> known{{"all_reduce", 0}, {"all_gather", 2}, {"all_to_all", 6}, {"reduce_scatter", 7}};
    const auto found = known.find(className.substr(className.rfind('.') + 1));
    return found == known.end() ? std::nullopt : std::optional(found->second);
}

Json attribute(const char* name, const char* kind, Json value)
{
    return {{"name", name}, {kind, std::move(value)}};
}

/// Where a rank is in its job.
struct RankPlace {
    int replica = 0, stage = 0, rank = 0; ///< rank within the cell
};

/// Writes the nodes of one rank in the order of its stage.
class RankWriter final {
public:
    RankWriter(const StepGraph& graph, std::int64_t rank) : m_graph(graph), m_paths(pathIndices(graph.schedule))
    {
        const std::int64_t stages = graph.schedule.numStages, ranks = graph.cellRanks();
        m_place = {static_cast<int>(rank / (stages * ranks)), static_cast<int>(rank / ranks % stages), static_cast<int>(rank % ranks)};
    }

    /// The nodes as the inside of a JSON list, one per line.
    std::string nodes()
    {
        for (const PassStep& step : passSteps(m_graph.schedule.order[index(m_place.stage)]))
            chunk(step);
        tail();
        write();
        return std::move(m_text);
    }

private:
    [[nodiscard]] std::int64_t rankOf(int replica, int stage) const
    {
        return (static_cast<std::int64_t>(replica) * m_graph.schedule.numStages + stage) * m_graph.cellRanks() + m_place.rank;
    }

    /// The node that was begun last is complete.
    void write()
    {
        if (m_node.is_null())
            return;
        m_text += (m_text.empty() ? "" : ",\n") + m_node.dump(-1, ' ', false, Json::error_handler_t::replace);
        m_node = nullptr;
    }

    /// Begins a node with the distribution of its class; kernelClass < 0 takes no time. It waits for what has arrived, unless it is another
    /// message: messages come in any order. Returns its id.
    std::uint64_t node(const std::string& name, std::string_view type, int kernelClass, double meanSeconds,
                       std::vector<std::uint64_t> control)
    {
        write();
        const std::uint64_t id = ++m_written;
        Json attributes =
            Json::array({attribute("is_cpu_op", "bool_val", false), attribute("prism.mean_us", "double_val", 1e6 * meanSeconds)});
        if (kernelClass >= 0) {
            const KernelClass& k = m_graph.classes[index(kernelClass)];
            attributes.push_back(attribute("prism.class", "string_val", k.name));
            attributes.push_back(attribute("prism.scope", "string_val", stepgraph_words::kScopes[static_cast<std::size_t>(k.scope)]));
            attributes.push_back(attribute("prism.family", "string_val", std::string(familyName(k.temporal.family))));
            attributes.push_back(attribute("prism.cv", "double_val", k.temporal.cv));
            attributes.push_back(attribute("prism.rare_probability", "double_val", k.temporal.rareProbability));
            attributes.push_back(attribute("prism.rare_multiplier", "double_val", k.temporal.rareMultiplier));
            if (k.scope == Scope::none)
                attributes.push_back(attribute("prism.spatial_sensitivity", "double_val", k.spatialSensitivity));
        }
        m_node = {{"id", id},
                  {"name", name},
                  {"type", type},
                  {"ctrl_deps", std::move(control)},
                  {"data_deps", type == kReceive ? std::vector<std::uint64_t>{} : std::exchange(m_arrived, {})},
                  {"duration_micros", static_cast<std::uint64_t>(std::llround(1e6 * meanSeconds))},
                  {"attr", std::move(attributes)}};
        return id;
    }
    [[nodiscard]] std::vector<std::uint64_t> afterLast() const
    {
        return m_last > 0 ? std::vector<std::uint64_t>{m_last} : std::vector<std::uint64_t>{};
    }
    void add(const char* name, const char* kind, Json value) { m_node["attr"].push_back(attribute(name, kind, std::move(value))); }

    void collective(const std::string& name, int kernelClass, double meanSeconds, double hiddenSeconds, const std::string& group)
    {
        m_last = node(name, "COMM_COLL_NODE", kernelClass, meanSeconds, afterLast());
        if (const auto type = collectiveType(m_graph.classes[index(kernelClass)].name))
            add("comm_type", "int64_val", *type);
        add("pg_name", "string_val", group);
        add("prism.hidden_us", "double_val", 1e6 * hiddenSeconds);
    }

    [[nodiscard]] std::string groupName(Sync sync) const
    {
        std::string cell = "replica " + std::to_string(m_place.replica) + " stage " + std::to_string(m_place.stage);
        if (sync == Sync::cell)
            return cell;
        if (sync == Sync::group)
            return cell + " group " + std::to_string(m_place.rank / m_graph.groupRanks);
        return "stage " + std::to_string(m_place.stage) + " set " + std::to_string(m_place.replica / lockstepSize(m_graph));
    }

    void ops(const Program& program, const std::string& where)
    {
        for (const Block& block : program.blocks)
            for (int i = 0; i < block.repeat; ++i)
                for (const Op& op : block.ops) {
                    const std::string name = m_graph.classes[index(op.kernelClass)].name + where;
                    if (m_graph.classes[index(op.kernelClass)].scope == Scope::none)
                        m_last = node(name, "COMP_NODE", op.kernelClass, op.meanSeconds, afterLast());
                    else
                        collective(name, op.kernelClass, op.meanSeconds, op.hiddenSeconds, groupName(op.sync));
                }
    }

    /// One chunk execution: what arrives, what is computed, what is sent on.
    void chunk(const PassStep& step)
    {
        const ScheduleItem& item = step.item;
        const int place = m_paths[index(m_place.stage)][item.chunk];
        const bool forward = item.phase == Phase::forward, last = place + 1 == static_cast<int>(m_graph.schedule.path.size());
        const char* phase = forward ? " F" : item.phase == Phase::backward ? " B" : " W";
        const std::string where = phase + std::to_string(item.microbatch) + "." + std::to_string(item.chunk);
        if (step.waits && item.phase != Phase::weight && (forward ? place > 0 : !last))
            transfer(forward ? place - 1 : place + 1, forward ? place - 1 : place, item, true);
        const int row = programRow(m_graph, item, step.paired);
        const int program = m_graph.programOf[index(m_place.stage)][index(row)][static_cast<std::size_t>(item.phase)];
        if (step.runs && program >= 0)
            ops(m_graph.programs[index(program)], where);
        if (step.handsOn && item.phase != Phase::weight && (forward ? !last : place > 0))
            transfer(forward ? place + 1 : place - 1, forward ? place : place - 1, item, false);
    }

    /// The message between this chunk and the one at `other` on the path, over `hop`; none where both are on one stage.
    void transfer(int other, int hop, const ScheduleItem& item, bool receives)
    {
        const int stage = m_graph.schedule.path[index(other)][0];
        if (stage == m_place.stage)
            return;
        const bool forward = item.phase == Phase::forward;
        const StepOp& op = (forward ? m_graph.sendForward : m_graph.sendBackward)[index(hop)];
        const std::string name =
            std::string(receives ? "receive " : "send ") + (forward ? "activations " : "gradients ") + std::to_string(item.microbatch);
        const std::uint64_t id = node(name, receives ? kReceive : "COMM_SEND_NODE", op.kernelClass, op.meanSeconds,
                                      receives ? std::vector<std::uint64_t>{} : afterLast());
        const std::int64_t here = rankOf(m_place.replica, m_place.stage), there = rankOf(m_place.replica, stage);
        add("comm_src", "int64_val", receives ? there : here);
        add("comm_dst", "int64_val", receives ? here : there);
        add("comm_tag", "int64_val", (static_cast<std::int64_t>(item.microbatch) * 2 + (forward ? 0 : 1)) * (1 << 16) + hop);
        if (receives)
            m_arrived.push_back(id);
        else if (m_graph.transferOccupiesSender)
            m_last = id;
    }

    void stepOp(const StepOp& op, const std::string& name, const std::string& group)
    {
        if (op.kernelClass < 0)
            return;
        if (group.empty())
            m_last = node(name, "COMP_NODE", op.kernelClass, op.meanSeconds, afterLast());
        else
            collective(name, op.kernelClass, op.meanSeconds, op.hiddenSeconds, group);
    }

    /// What a stage does once per step.
    void tail()
    {
        const std::size_t stage = index(m_place.stage);
        const std::string ofStage = "stage " + std::to_string(m_place.stage);
        if (m_place.stage == 0 || m_place.stage == m_graph.schedule.numStages - 1)
            stepOp(m_graph.embeddingAllReduce, "embedding all-reduce", "replica " + std::to_string(m_place.replica) + " ends");
        stepOp(m_graph.gradSync[stage], "gradient synchronisation", ofStage);
        stepOp(m_graph.gradNorm, "gradient norm", "all");
        stepOp(m_graph.optimizer[stage], "optimizer", "");
        stepOp(m_graph.paramGather[stage], "parameter gather", ofStage);
    }

    const StepGraph& m_graph;
    std::vector<std::vector<int>> m_paths;
    RankPlace m_place;
    Json m_node = nullptr; ///< begun and not yet written
    std::string m_text;
    std::uint64_t m_written = 0, m_last = 0; ///< ids: the newest node, and the last of the rank's own stream
    std::vector<std::uint64_t> m_arrived;    ///< the messages that the next node waits for
};

/// Nodes of the busiest rank, without its step operations (five at most).
std::int64_t maxNodes(const StepGraph& graph)
{
    std::vector<std::int64_t> ops;
    for (const Program& program : graph.programs) {
        ops.push_back(2); // a transfer at either end
        for (const Block& block : program.blocks)
            ops.back() += static_cast<std::int64_t>(block.repeat) * static_cast<std::int64_t>(block.ops.size());
    }
    std::int64_t largest = 0;
    for (std::size_t stage = 0; stage < graph.schedule.order.size(); ++stage) {
        std::int64_t nodes = 0;
        for (const PassStep& step : passSteps(graph.schedule.order[stage])) {
            const auto row = static_cast<std::size_t>(programRow(graph, step.item, step.paired));
            const int p = graph.programOf[stage][row][static_cast<std::size_t>(step.item.phase)];
            nodes += step.runs && p >= 0 ? ops[static_cast<std::size_t>(p)] : 0;
        }
        largest = std::max(largest, nodes);
    }
    return largest;
}

/// "0-7,12" as ranks below `count`.
Result<std::vector<std::int64_t>> namedRanks(std::string_view which, std::int64_t count)
{
    std::set<std::int64_t> ranks;
    for (const std::string& part : split(which, ',')) {
        const std::string_view text = trimmed(part);
        const auto dash = text.find('-');
        const auto first = integerFromText(text.substr(0, dash));
        const auto last = dash == std::string_view::npos ? first : integerFromText(text.substr(dash + 1));
        if (!first || !last || *first < 0 || *last < *first || *last >= count || *last - *first >= kMaxChakraRanks)
            return errorAt("--ranks", "This names no ranks of the job.", std::string(text),
                           "ranks from 0 to " + std::to_string(count - 1) + ", as in 0-7,12, at most " + std::to_string(kMaxChakraRanks));
        for (std::int64_t rank = *first; rank <= *last; ++rank)
            ranks.insert(rank);
    }
    return std::vector<std::int64_t>(ranks.begin(), ranks.end());
}

/// What is refused because it would be too large, with the ranks that would not be.
Diagnostic tooLarge(std::int64_t ranks, std::int64_t nodes)
{
    const std::int64_t fit = std::min(kMaxChakraRanks, kMaxChakraNodes / std::max<std::int64_t>(nodes, 1));
    return errorAt("--chakra", "The traces would be too large, because they hold every operation of every rank.",
                   std::to_string(ranks) + " ranks with up to " + std::to_string(nodes) + " operations",
                   std::to_string(kMaxChakraRanks) + " ranks and " + std::to_string(kMaxChakraNodes)
                       + " operations together: " + (fit > 0 ? "--ranks 0-" + std::to_string(fit - 1) : "fewer micro-batches"));
}

} // namespace

Result<std::vector<std::int64_t>> chakraRanks(const StepGraph& graph, std::string_view which)
{
    if (Diagnostics invalid = check(graph); hasErrors(invalid))
        return invalid;
    const std::int64_t count = static_cast<std::int64_t>(graph.numReplicas) * graph.schedule.numStages * graph.cellRanks();
    const std::int64_t nodes = maxNodes(graph);
    if (which.empty()) {
        if (count > kMaxChakraRanks || count * nodes > kMaxChakraNodes)
            return tooLarge(count, nodes);
        std::vector<std::int64_t> all(static_cast<std::size_t>(count));
        std::iota(all.begin(), all.end(), 0);
        return all;
    }
    auto ranks = namedRanks(which, count);
    if (!ranks.ok())
        return ranks;
    const auto named = static_cast<std::int64_t>(ranks->size());
    if (named > kMaxChakraRanks || named * nodes > kMaxChakraNodes)
        return tooLarge(named, nodes);
    return ranks;
}

std::string chakraTrace(const StepGraph& graph, std::int64_t rank)
{
    const Json metadata{{"version", "0.0.4"},
                        {"attr", Json::array({attribute("schema", "string_val", "1.0.2-chakra.0.0.4"), attribute("rank", "int64_val", rank),
                                              attribute("prism.graph", "string_val", graph.name),
                                              attribute("prism.hash", "string_val", graph.hash().text())})}};
    return "{\"global_metadata\": " + metadata.dump(-1, ' ', false, Json::error_handler_t::replace) + ",\n\"nodes\": [\n"
           + RankWriter(graph, rank).nodes() + "\n]}\n";
}

} // namespace prism
