// SPDX-License-Identifier: GPL-3.0-or-later
// Content hash and checks of a StepGraph.
#include "core/step/stepgraph.h"

#include "core/step/graphlimits.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace prism {

namespace {

constexpr std::size_t kMaxClasses = 4096;
constexpr std::size_t kMaxPrograms = 65536;
constexpr std::size_t kMaxOps = 1'000'000;
constexpr std::size_t kMaxSlowSpots = 4096;
constexpr int kMaxReplicas = 1 << 20;
constexpr int kMaxCellRanks = 1 << 16;
constexpr int kMaxInParallel = 1 << 16, kMaxStepDraws = 1 << 20; ///< groups, buckets; their product
constexpr double kMaxSpeedFactor = 1.0e6;
constexpr double kMaxStallRate = 1.0e6;

std::string text(double value)
{
    std::ostringstream out;
    out.precision(17);
    out << value;
    return out.str();
}

std::string indexed(std::string_view name, std::size_t i)
{
    return std::string(name) + "[" + std::to_string(i) + "]";
}

class Checker final {
public:
    explicit Checker(const StepGraph& graph) : m_graph(graph) {}

    Diagnostics run()
    {
        sizes();
        classes();
        for (std::size_t i = 0; i < m_graph.programs.size() && i < kMaxPrograms; ++i)
            program(m_graph.programs[i], indexed("programs", i));
        append(checkSchedule(m_graph.schedule));
        if (shapesKnown())
            shapes();
        distributions();
        slowSpots();
        return std::move(m_found);
    }

private:
    static constexpr std::size_t kMaxReported = 200;

    void add(std::string path, std::string message, std::string found, std::string accepted)
    {
        if (m_found.size() < kMaxReported)
            m_found.push_back({Severity::error, std::move(path), std::move(message), std::move(found), std::move(accepted)});
    }
    void append(Diagnostics more)
    {
        for (Diagnostic& d : more)
            if (m_found.size() < kMaxReported)
                m_found.push_back(std::move(d));
    }
    void range(std::string path, std::int64_t value, std::int64_t smallest, std::int64_t largest)
    {
        if (value < smallest || value > largest)
            add(std::move(path), "The value is out of range.", std::to_string(value),
                std::to_string(smallest) + " to " + std::to_string(largest));
    }
    void seconds(const std::string& path, double value)
    {
        if (!(value >= 0.0 && value <= kMaxOpSeconds))
            add(path, "A time must be a finite number of seconds >= 0.", text(value), "0 to 1e9");
    }
    void unit(const std::string& path, double value)
    {
        if (!(value >= 0.0 && value <= 1.0))
            add(path, "The value must lie between 0 and 1.", text(value), "0 to 1");
    }
    [[nodiscard]] bool shapesKnown() const
    {
        return m_graph.schedule.numStages >= 1 && m_graph.schedule.numStages <= kMaxStages && m_graph.schedule.numChunks >= 1
               && m_graph.schedule.numChunks <= kMaxChunks;
    }

    void sizes()
    {
        range("num_replicas", m_graph.numReplicas, 1, kMaxReplicas);
        range("lockstep_replicas", m_graph.lockstepReplicas, 0, m_graph.numReplicas);
        if (m_graph.lockstepReplicas > 0 && m_graph.numReplicas % m_graph.lockstepReplicas != 0)
            add("lockstep_replicas", "Sets of replicas in lockstep must be equal.", std::to_string(m_graph.lockstepReplicas),
                "a divisor of num_replicas, or 0 for all");
        range("group_ranks", m_graph.groupRanks, 1, kMaxCellRanks);
        range("groups_per_cell", m_graph.groupsPerCell, 1, kMaxCellRanks);
        if (m_found.empty())
            range("group_ranks", std::int64_t{m_graph.groupRanks} * m_graph.groupsPerCell, 1, kMaxCellRanks);
        range("classes", static_cast<std::int64_t>(m_graph.classes.size()), 0, kMaxClasses);
        range("programs", static_cast<std::int64_t>(m_graph.programs.size()), 0, kMaxPrograms);
        std::size_t ops = 0;
        for (const Program& p : m_graph.programs)
            for (const Block& b : p.blocks)
                ops += b.ops.size();
        range("programs", static_cast<std::int64_t>(ops), 0, kMaxOps);
    }

    void classes()
    {
        for (std::size_t i = 0; i < m_graph.classes.size() && i < kMaxClasses; ++i) {
            const std::string path = indexed("classes", i);
            append(check(m_graph.classes[i].temporal, path + ".temporal"));
            unit(path + ".spatial_sensitivity", m_graph.classes[i].spatialSensitivity);
        }
    }

    [[nodiscard]] const KernelClass* classOf(int kernelClass, const std::string& path)
    {
        if (kernelClass >= 0 && static_cast<std::size_t>(kernelClass) < m_graph.classes.size())
            return &m_graph.classes[static_cast<std::size_t>(kernelClass)];
        add(path + ".class", "There is no kernel class of this index.", std::to_string(kernelClass),
            "0 to " + std::to_string(static_cast<std::int64_t>(m_graph.classes.size()) - 1));
        return nullptr;
    }

    void program(const Program& p, const std::string& path)
    {
        for (std::size_t b = 0; b < p.blocks.size(); ++b) {
            const std::string block = path + "." + indexed("blocks", b);
            range(block + ".repeat", p.blocks[b].repeat, 1, 1'000'000);
            for (std::size_t o = 0; o < p.blocks[b].ops.size(); ++o) {
                const Op& op = p.blocks[b].ops[o];
                const std::string where = block + "." + indexed("ops", o);
                const KernelClass* kernel = classOf(op.kernelClass, where);
                seconds(where + ".mean_s", op.meanSeconds);
                seconds(where + ".hidden_s", op.hiddenSeconds);
                if (kernel != nullptr && kernel->scope == Scope::none && op.hiddenSeconds != 0.0)
                    add(where + ".hidden_s", "Only a collective can be hidden.", text(op.hiddenSeconds), "0");
                if (kernel != nullptr && kernel->scope != Scope::none && op.routed)
                    add(where + ".routed", "Only a compute kernel has a routing factor.", "true", "false");
            }
        }
    }

    void stepOp(const StepOp& op, const std::string& path, bool collective)
    {
        if (op.kernelClass < 0)
            return;
        const KernelClass* kernel = classOf(op.kernelClass, path);
        if (kernel != nullptr && (kernel->scope != Scope::none) != collective)
            add(path + ".class",
                collective ? "This operation is a communication and needs a class with a scope."
                           : "This operation is a compute kernel and needs a class without scope.",
                kernel->name, collective ? "scope intra_node or inter_node" : "scope none");
        seconds(path + ".mean_s", op.meanSeconds);
        seconds(path + ".hidden_s", op.hiddenSeconds);
        seconds(path + ".min_exposed_s", op.minExposedSeconds);
        range(path + ".groups", op.groups, 1, collective ? kMaxInParallel : 1);
        range(path + ".buckets", op.buckets, 1, collective ? kMaxInParallel : 1);
        range(path + ".groups", std::max<std::int64_t>(1, std::int64_t{op.groups} * op.buckets), 1, kMaxStepDraws);
    }

    void stepOps(const std::vector<StepOp>& ops, const char* name, std::size_t expected, bool collective)
    {
        if (ops.size() != expected)
            add(name, "The list has the wrong length.", std::to_string(ops.size()), std::to_string(expected));
        for (std::size_t i = 0; i < std::min(ops.size(), expected); ++i)
            stepOp(ops[i], indexed(name, i), collective);
    }

    void shapes()
    {
        const auto stages = static_cast<std::size_t>(m_graph.schedule.numStages);
        const auto chunks = static_cast<std::size_t>(m_graph.schedule.numChunks);
        stepOps(m_graph.sendForward, "send_forward", stages * chunks - 1, true);
        stepOps(m_graph.sendBackward, "send_backward", stages * chunks - 1, true);
        stepOp(m_graph.embeddingAllReduce, "embedding_all_reduce", true);
        stepOps(m_graph.gradSync, "grad_sync", stages, true);
        stepOp(m_graph.gradNorm, "grad_norm", true);
        stepOps(m_graph.optimizer, "optimizer", stages, false);
        stepOps(m_graph.paramGather, "param_gather", stages, true);
        if (m_graph.programOf.size() != stages)
            add("program_of", "There must be one entry per stage.", std::to_string(m_graph.programOf.size()), std::to_string(stages));
        for (std::size_t s = 0; s < std::min(stages, m_graph.programOf.size()); ++s) {
            const std::string path = indexed("program_of", s);
            const std::size_t rows = m_graph.programOf[s].size();
            if (rows != chunks && rows != 2 * chunks)
                add(path, "There must be one entry per chunk, or on all stages two: alone, and then in one piece with another pass.",
                    std::to_string(rows), std::to_string(chunks) + " or " + std::to_string(2 * chunks));
            else if (rows != m_graph.programOf.front().size())
                add(path, "All stages must have the same number of entries.", std::to_string(rows),
                    std::to_string(m_graph.programOf.front().size()));
            for (std::size_t c = 0; c < std::min(2 * chunks, rows); ++c)
                for (std::size_t phase = 0; phase < kPhases; ++phase) {
                    const bool scheduled = phase < 2 || m_graph.schedule.splitsWeight;
                    range(indexed(indexed(path, c), phase), m_graph.programOf[s][c][phase], scheduled ? 0 : -1,
                          static_cast<std::int64_t>(m_graph.programs.size()) - 1);
                }
        }
        fixedSpatial(stages);
    }

    void fixedSpatial(std::size_t stages)
    {
        if (m_graph.fixedSpatial.empty())
            return;
        if (m_graph.numReplicas > kMaxReplicas || m_graph.groupRanks > kMaxCellRanks || m_graph.groupsPerCell > kMaxCellRanks)
            return; // reported already; the product could overflow
        const std::size_t expected = static_cast<std::size_t>(m_graph.numReplicas) * stages * static_cast<std::size_t>(m_graph.groupRanks)
                                     * static_cast<std::size_t>(m_graph.groupsPerCell);
        if (m_graph.fixedSpatial.size() != expected)
            add("fixed_spatial", "There must be one factor per rank.", std::to_string(m_graph.fixedSpatial.size()),
                std::to_string(expected));
        for (std::size_t i = 0; i < m_graph.fixedSpatial.size(); ++i)
            if (!(m_graph.fixedSpatial[i] > 0.0 && m_graph.fixedSpatial[i] <= kMaxSpeedFactor))
                add(indexed("fixed_spatial", i), "A rank's factor must be positive.", text(m_graph.fixedSpatial[i]), "0 < G <= 1e6");
    }

    void distributions()
    {
        append(check(m_graph.spatial, "spatial"));
        append(check(m_graph.data, "data"));
        append(check(m_graph.routing, "routing"));
        append(check(m_graph.intraRegime, "intra_regime"));
        append(check(m_graph.interRegime, "inter_regime"));
        if (!(std::abs(m_graph.regimeLag1) < 1.0))
            add("regime_lag1", "The lag-1 correlation must lie inside (-1, 1).", text(m_graph.regimeLag1), "-1 < r < 1");
        append(check(m_graph.computeRegime, "compute_regime"));
        if (!(std::abs(m_graph.computeRegimeLag1) < 1.0))
            add("compute_regime_lag1", "The lag-1 correlation must lie inside (-1, 1).", text(m_graph.computeRegimeLag1), "-1 < r < 1");
        append(check(m_graph.routingRegime, "routing_regime"));
        if (!(std::abs(m_graph.routingRegimeLag1) < 1.0))
            add("routing_regime_lag1", "The lag-1 correlation must lie inside (-1, 1).", text(m_graph.routingRegimeLag1), "-1 < r < 1");
        unit("spatial_node_share", m_graph.spatialNodeShare);
        range("node_ranks", m_graph.nodeRanks, 1, kMaxCellRanks);
        delays();
    }

    void delays()
    {
        const StepDelays& d = m_graph.delays;
        seconds("step_jitter_s", d.jitterSeconds);
        seconds("stall_mean_s", d.stallMeanSeconds);
        const auto atMost = [&](const char* path, double value, double largest) {
            if (!(value >= 0.0 && value <= largest))
                add(path, "The value is out of range.", text(value), "0 to " + text(largest));
        };
        atMost("stalls_per_gpu_hour", d.stallsPerGpuHour, kMaxStallRate);
        atMost("stall_cv", d.stallCv, maxCv(Family::lognormal));
        atMost("stall_rate_cv", d.stallRateCv, maxCv(Family::gamma));
    }

    void slowSpots()
    {
        range("slow", static_cast<std::int64_t>(m_graph.slow.size()), 0, kMaxSlowSpots);
        for (std::size_t i = 0; i < m_graph.slow.size() && i < kMaxSlowSpots; ++i) {
            const SlowSpot& spot = m_graph.slow[i];
            const std::string path = indexed("slow", i);
            range(path + ".replica", spot.replica, -1, m_graph.numReplicas - 1);
            range(path + ".stage", spot.stage, -1, m_graph.schedule.numStages - 1);
            range(path + ".rank", spot.rank, -1, std::int64_t{m_graph.groupRanks} * m_graph.groupsPerCell - 1);
            factor(path + ".compute_factor", spot.computeFactor);
            factor(path + ".link_factor", spot.linkFactor);
        }
    }
    void factor(const std::string& path, double value)
    {
        if (!(value > 0.0 && value <= kMaxSpeedFactor))
            add(path, "A factor must be positive.", text(value), "0 < factor <= 1e6");
    }

    const StepGraph& m_graph;
    Diagnostics m_found;
};

void hashStepOp(Hasher& h, const StepOp& op)
{
    h.add(op.kernelClass < 0 ? -1 : op.kernelClass);
    if (op.kernelClass >= 0)
        h.add(op.meanSeconds).add(op.hiddenSeconds).add(op.minExposedSeconds).add(op.groups).add(op.buckets);
}

void hashStepOps(Hasher& h, const std::vector<StepOp>& ops)
{
    h.add(static_cast<std::uint64_t>(ops.size()));
    for (const StepOp& op : ops)
        hashStepOp(h, op);
}

} // namespace

ContentHash StepGraph::hash() const
{
    Hasher h;
    h.add("prism-stepgraph-2").add(name).add(numReplicas).add(groupRanks).add(groupsPerCell);
    h.add(static_cast<std::uint64_t>(classes.size()));
    for (const KernelClass& k : classes) {
        h.add(k.name).add(static_cast<int>(k.scope)).add(static_cast<int>(k.category)).add(k.spatialSensitivity);
        k.temporal.addTo(h);
    }
    h.add(static_cast<std::uint64_t>(programs.size()));
    for (const Program& p : programs) {
        h.add(p.name).add(static_cast<std::uint64_t>(p.blocks.size()));
        for (const Block& b : p.blocks) {
            h.add(b.repeat).add(static_cast<std::uint64_t>(b.ops.size()));
            for (const Op& op : b.ops)
                h.add(op.kernelClass).add(op.meanSeconds).add(op.hiddenSeconds).add(static_cast<int>(op.sync)).add(op.routed);
        }
    }
    for (const auto& stage : programOf) {
        h.add(static_cast<std::uint64_t>(stage.size()));
        for (const auto& chunk : stage)
            for (const int p : chunk)
                h.add(p);
    }
    h.add(schedule.name);
    schedule.addTo(h);
    hashStepOps(h, sendForward);
    hashStepOps(h, sendBackward);
    h.add(transferOccupiesSender);
    hashStepOp(h, embeddingAllReduce);
    hashStepOps(h, gradSync);
    hashStepOp(h, gradNorm);
    hashStepOps(h, optimizer);
    hashStepOps(h, paramGather);
    for (const Distribution* d : {&spatial, &data, &routing, &intraRegime, &interRegime, &computeRegime, &routingRegime})
        d->addTo(h);
    h.add(static_cast<int>(dataScope)).add(lockstepReplicas);
    h.add(regimeLag1).add(computeRegimeLag1).add(routingRegimeLag1).add(spatialNodeShare).add(nodeRanks);
    h.add(delays.jitterSeconds).add(delays.stallsPerGpuHour).add(delays.stallMeanSeconds).add(delays.stallCv).add(delays.stallRateCv);
    h.add(static_cast<std::uint64_t>(slow.size()));
    for (const SlowSpot& s : slow)
        h.add(s.replica).add(s.stage).add(s.rank).add(s.computeFactor).add(s.linkFactor);
    h.add(static_cast<std::uint64_t>(fixedSpatial.size()));
    for (const double g : fixedSpatial)
        h.add(g);
    return h.result();
}

bool spansReplicas(const StepGraph& graph, const Program& program)
{
    for (const Block& b : program.blocks)
        for (const Op& op : b.ops)
            if (op.sync == Sync::replicas && graph.classes[static_cast<std::size_t>(op.kernelClass)].scope != Scope::none)
                return true;
    return false;
}

int lockstepSize(const StepGraph& graph)
{
    const bool any = std::any_of(graph.programs.begin(), graph.programs.end(), [&](const Program& p) { return spansReplicas(graph, p); });
    if (!any)
        return 1;
    return graph.lockstepReplicas > 0 ? graph.lockstepReplicas : graph.numReplicas;
}

Diagnostics check(const StepGraph& graph)
{
    return Checker(graph).run();
}

} // namespace prism
