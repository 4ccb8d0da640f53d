// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/sweep/sweepmodel.h"

#include "core/base/index.h"
#include "core/step/passes.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <set>
#include <tuple>

namespace prism {

namespace {

ContentHash contentOf(const Distribution& d)
{
    Hasher h;
    d.addTo(h);
    return h.result();
}

void addPrograms(SweepModel& m)
{
    for (const Program& p : m.graph.programs)
        m.programs.push_back(flatten(m.graph, p, m.job.members));
    std::vector<StepOp> known;
    for (const StepOp& op : m.graph.optimizer) {
        if (op.kernelClass < 0) {
            m.optimizerOfStage.push_back(-1);
            continue;
        }
        const auto same = std::find(known.begin(), known.end(), op);
        m.optimizerOfStage.push_back(static_cast<int>(m.graph.programs.size()) + static_cast<int>(same - known.begin()));
        if (same == known.end()) {
            known.push_back(op);
            m.programs.push_back(flatten(m.graph, {"optimizer", {{1, {{op.kernelClass, op.meanSeconds}}}}}, m.job.members));
        }
    }
    for (const FlatProgram& p : m.programs)
        m.shapes.push_back(passShape(m.graph, p, m.job.members));
}

std::shared_ptr<const DrawTable> factorTable(const Distribution& d, int groups, int buckets, Recall& recall)
{
    return recall.node<DrawTable>(
        "factor table", Hasher().add("factor table").add(contentOf(d)).add(groups).add(buckets).result(),
        [&] { return slowestMeanTable(d, groups, buckets); },
        [](const DrawTable& t) { return sizeof t + (t.body.steps.size() + t.rare.steps.size()) * sizeof(float); });
}

UnitCommunication communication(const StepGraph& graph, const StepOp& op, std::shared_ptr<const DrawTable> factor, float link)
{
    const Scope scope = graph.classes[index(op.kernelClass)].scope;
    return {std::move(factor), scope, static_cast<float>(op.meanSeconds) * link, static_cast<float>(op.hiddenSeconds),
            static_cast<float>(op.minExposedSeconds) * link};
}

/// Of a unit with several members, which continues when the slowest member's transfer ends.
UnitCommunication communication(const StepGraph& graph, const StepOp& op, const UnitKind& from, const UnitKind& to, Recall& recall)
{
    if (op.kernelClass < 0)
        return {};
    const KernelClass& kernel = graph.classes[index(op.kernelClass)];
    const auto members = static_cast<int>(from.link.size());
    std::vector<float> link(from.link.size(), 1.0F);
    for (std::size_t k = 0; k < link.size() && kernel.scope == Scope::interNode; ++k)
        link[k] = std::max(from.link[k], to.link[k]);
    const float slowest = *std::max_element(link.begin(), link.end());
    if (std::all_of(link.begin(), link.end(), [&](float l) { return l == slowest; }))
        return communication(graph, op, factorTable(kernel.temporal, op.groups * members, op.buckets, recall), slowest);
    for (float& l : link)
        l /= slowest;
    const auto one = factorTable(kernel.temporal, op.groups, op.buckets, recall);
    return communication(graph, op, std::make_shared<const DrawTable>(slowestScaledTable(*one, link)), slowest);
}

void addCommunications(SweepModel& m, Recall& recall)
{
    const auto& path = m.graph.schedule.path;
    for (const UnitPattern& pattern : m.job.patterns) {
        const auto kindAt = [&](int stage) -> const UnitKind& { return m.job.kinds[index(pattern.kind[index(stage)])]; };
        SweepModel::UnitSends& sends = m.sends.emplace_back();
        for (const SweepSend& hop : sendsOf(m.graph))
            sends.hops.push_back(communication(m.graph, hop.op, kindAt(hop.from), kindAt(hop.to), recall));
        sends.embedding = communication(m.graph, m.graph.embeddingAllReduce, kindAt(path.front()[0]), kindAt(path.back()[0]), recall);
    }
    const auto each = [&](const StepOp& op) { // of all units; its link factor comes with the step
        return op.kernelClass < 0
                   ? UnitCommunication{}
                   : communication(m.graph, op, factorTable(m.graph.classes[index(op.kernelClass)].temporal, op.groups, op.buckets, recall),
                                   1.0F);
    };
    m.gradNorm = each(m.graph.gradNorm);
    std::transform(m.graph.gradSync.begin(), m.graph.gradSync.end(), std::back_inserter(m.gradSync), each);
    std::transform(m.graph.paramGather.begin(), m.graph.paramGather.end(), std::back_inserter(m.paramGather), each);
}

void addLengths(SweepModel& m)
{
    std::map<std::tuple<int, double, float>, int> rows; // of the slowest groups of a stage for a shape
    const auto rowOf = [&](int stage, int program) {
        const PassShape& shape = m.shapes[index(program)];
        const auto [it, added] = rows.try_emplace({stage, shape.sensitivity, shape.rankBeta}, static_cast<int>(m.lengthRows.size()));
        if (added)
            m.lengthRows.push_back({stage, program});
        return it->second;
    };
    for (std::size_t s = 0; s < m.optimizerOfStage.size(); ++s)
        m.optimizerRow.push_back(m.optimizerOfStage[s] < 0 ? -1 : rowOf(static_cast<int>(s), m.optimizerOfStage[s]));
    const bool uneven =
        std::any_of(m.job.kinds.begin(), m.job.kinds.end(), [](const UnitKind& k) { return k.slowestLink() > k.fastestLink(); });
    const bool oneGroup = m.job.members * m.job.groups == 1;
    std::map<std::tuple<int, int, int, int, int>, int> own; // chunk (routed), micro-batch, program, row
    for (const PlanNode& node : m.plan->nodes) {
        SweepModel::NodeLength length;
        if (node.slot >= 0) {
            const int program = programInSlot(m.graph, node.slot);
            length.lengthRow = rowOf(node.stage, program);
            const bool routed = m.shapes[index(program)].routedSeconds() > 0.0 && !m.routing.isConstant();
            if (routed || !oneGroup) {
                int equal = program; // passes of this program's length for the same factors
                for (int p = 0; !routed && !uneven && p < program; ++p)
                    if (m.shapes[index(p)].sameLength(m.shapes[index(program)])) {
                        equal = p;
                        break;
                    }
                const int microbatch = routed || !m.data.isConstant() ? static_cast<int>(node.microbatch) : 0;
                const auto [it, added] = own.try_emplace({node.stage, routed ? node.chunk : -1, microbatch, equal, length.lengthRow},
                                                         static_cast<int>(m.ownLengths.size()));
                if (added)
                    m.ownLengths.push_back({length.lengthRow, program, node.chunk, microbatch});
                length.ownRow = it->second;
            }
        }
        m.nodeLength.push_back(length);
    }
}

/// Everything that a pass table is made from.
ContentHash contentOf(const SweepModel& m, int program, int kind, std::uint64_t seed, double kernelDraws)
{
    const StepGraph& g = m.graph;
    Hasher h;
    h.add("pass table")
        .add(seed)
        .add(kernelDraws)
        .add(index(program) < g.programs.size())
        .add(g.groupRanks)
        .add(g.groupsPerCell)
        .add(m.job.members)
        .add(m.job.dataOwners);
    h.add(contentOf(g.spatial)).add(contentOf(g.data)).add(contentOf(g.routing)).add(g.spatialNodeShare).add(g.nodeRanks);
    for (const Segment& s : m.programs[index(program)].segments) {
        const auto addClass = [&](int c) {
            const KernelClass& k = g.classes[index(c)];
            h.add(contentOf(k.temporal)).add(static_cast<int>(k.scope)).add(k.spatialSensitivity);
        };
        for (const FlatKernels& k : s.kernels) {
            addClass(k.kernelClass);
            h.add(static_cast<std::uint64_t>(k.meanSeconds.size()));
            for (std::size_t i = 0; i < k.meanSeconds.size(); ++i)
                h.add(static_cast<double>(k.meanSeconds[i])).add(k.layer[i]);
        }
        h.add(static_cast<int>(s.barrier)).add(s.collective).add(s.meanSeconds).add(s.hiddenSeconds);
        if (s.collective >= 0)
            addClass(s.collective);
    }
    const UnitKind& k = m.job.kinds[index(kind)];
    for (const auto* factors : {&k.speed, &k.link})
        for (const float f : *factors)
            h.add(static_cast<double>(f));
    for (const double f : g.fixedSpatial)
        h.add(f);
    return h.result();
}

/// (program, kind) pairs that run.
std::vector<std::pair<int, int>> passesThatRun(const SweepModel& m)
{
    std::set<std::pair<int, int>> out;
    for (const UnitPattern& pattern : m.job.patterns)
        for (std::size_t s = 0; s < pattern.kind.size(); ++s) {
            if (m.optimizerOfStage[s] >= 0)
                out.insert({m.optimizerOfStage[s], pattern.kind[s]});
            for (const auto& row : m.graph.programOf[s])
                for (const int p : row)
                    if (p >= 0)
                        out.insert({p, pattern.kind[s]});
        }
    return {out.begin(), out.end()};
}

bool addPasses(SweepModel& m, std::uint64_t seed, double kernelDraws, Recall& recall, std::stop_token stop)
{
    std::vector<DrawTable> temporal;
    for (const KernelClass& k : m.graph.classes)
        temporal.push_back(*factorTable(k.temporal, 1, 1, recall));
    const DrawTable none;
    const PassInputs inputs{m.graph, m.job, *m.speeds, temporal, m.data, m.routing, seed};
    const PassInputs ofOptimizer{m.graph, m.job, *m.speeds, temporal, none, none, seed}; // it works on no micro-batch
    const std::vector<std::pair<int, int>> requested = passesThatRun(m);
    const auto programs = static_cast<double>(m.programs.size()), all = static_cast<double>(requested.size());
    const double each = kernelDraws / programs * std::min(1.0, 4.0 * programs / all); // as many with some slow spots as without
    m.passes.resize(requested.size());
    m.passOf.assign(m.programs.size(), std::vector<int>(m.job.kinds.size(), -1));
    std::vector<ContentHash> keys;
    std::vector<std::size_t> missing;
    for (std::size_t i = 0; i < requested.size(); ++i) {
        const auto [program, kind] = requested[i];
        m.passOf[index(program)][index(kind)] = static_cast<int>(i);
        keys.push_back(contentOf(m, program, kind, seed, each));
        m.passes[i] = recall.find<PassTable>(keys.back());
        if (!m.passes[i])
            missing.push_back(i);
    }
    std::vector<PassTable> made(missing.size());
    tbb::parallel_for(std::size_t{0}, missing.size(), [&](std::size_t i) {
        const auto [program, kind] = requested[missing[i]];
        if (!stop.stop_requested())
            made[i] = passTable(index(program) < m.graph.programs.size() ? inputs : ofOptimizer, m.programs[index(program)],
                                m.shapes[index(program)], kind, each, stop);
    });
    if (stop.stop_requested())
        return false;
    for (std::size_t i = 0; i < missing.size(); ++i) {
        const std::size_t bytes = made[i].bytes();
        m.passes[missing[i]] = recall.keep<PassTable>("pass table", keys[missing[i]], std::move(made[i]), bytes);
    }
    return true;
}

/// Whether two units of a pattern can end at different times in one step.
bool unitsVary(const SweepModel& m)
{
    const auto varies = [](const UnitCommunication& op) { return op.present() && !op.factor->isConstant(); };
    return m.speeds->varies() || !m.data.isConstant() || !m.routing.isConstant()
           || std::any_of(m.passes.begin(), m.passes.end(),
                          [](const auto& p) { return !p->usual.shape.isConstant() || p->rareHazard > 0.0; })
           || std::any_of(m.sends.begin(), m.sends.end(), [&](const SweepModel::UnitSends& s) {
                  return varies(s.embedding) || std::any_of(s.hops.begin(), s.hops.end(), varies);
              });
}

} // namespace

std::shared_ptr<const SweepModel> sweepModel(const StepGraph& graph, std::uint64_t seed, double kernelDraws, Recall& recall,
                                             std::stop_token stop)
{
    auto out = std::make_shared<SweepModel>();
    out->graph = graph;
    out->job = jobUnits(graph);
    out->speeds = std::make_unique<Speeds>(out->graph, out->job);
    out->plan = recall.node<Plan>(
        "plan", planHash(graph), [&] { return makePlan(graph); },
        [](const Plan& p) { return sizeof p + sizeof(PlanNode) * p.nodes.size(); });
    out->data = *factorTable(graph.data, 1, 1, recall);
    out->routing = *factorTable(graph.routing, 1, 1, recall);
    out->regimesVary = !graph.intraRegime.isDeterministic() || !graph.interRegime.isDeterministic()
                       || !graph.computeRegime.isDeterministic() || !graph.routingRegime.isDeterministic();
    addPrograms(*out);
    addCommunications(*out, recall);
    addLengths(*out);
    if (!addPasses(*out, seed, kernelDraws, recall, stop))
        return nullptr;
    out->unitsVary = unitsVary(*out);
    return out;
}

} // namespace prism
