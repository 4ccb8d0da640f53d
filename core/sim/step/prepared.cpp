// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/step/prepared.h"

#include "core/sim/chunk/groupcell.h"
#include "core/sim/chunk/sidebyside.h"
#include "core/sim/step/slowestdata.h"
#include "core/step/slowspots.h"

#include <algorithm>
#include <map>
#include <utility>

namespace prism {

namespace {

CellModels cellModels(const ModelInputs& in, int stage, int kind)
{
    CellModels out;
    out.stage = stage;
    out.kind = kind;
    const int first = kind * static_cast<int>(in.graph.programs.size());
    const auto add = [&](int program) { out.programs.push_back(program < 0 ? -1 : first + program); };
    for (const auto& chunk : in.graph.programOf[static_cast<std::size_t>(stage)])
        for (const int program : chunk)
            add(program);
    add(in.optimizerOfStage[static_cast<std::size_t>(stage)]);
    return out;
}

/// Index of the kind, modelled when it is new; -1 when stopped.
int findKind(Prepared& out, const CellKind& kind, Recall& recall, std::stop_token stop)
{
    const auto known = std::find(out.kinds.begin(), out.kinds.end(), kind);
    const auto index = static_cast<int>(known - out.kinds.begin());
    if (known != out.kinds.end())
        return index;
    auto models = kindModels(out.inputs, kind, recall, stop);
    if (!models)
        return -1;
    for (const ChunkModel& m : models->program)
        out.models.push_back(&m);
    out.kinds.push_back(kind);
    out.kindModels.push_back(std::move(models));
    return index;
}

/// What slow links do to the transfers of a replica, and the hash of all that makes it differ from others.
void finishKind(const Prepared& prepared, ReplicaKind& replica)
{
    const auto& path = prepared.graph().schedule.path;
    const auto kindAt = [&](int stage) {
        return static_cast<std::size_t>(
            prepared.cells[static_cast<std::size_t>(replica.cellOfStage[static_cast<std::size_t>(stage)])].kind);
    };
    const auto link = [&](int stage) { return static_cast<float>(prepared.kinds[kindAt(stage)].linkFactor); };
    for (std::size_t hop = 0; hop < prepared.transfers.size(); ++hop) {
        const std::size_t h = hop % (path.size() - 1);
        replica.transferFactor.push_back(prepared.transferScope[hop] == 1 ? std::max(link(path[h][0]), link(path[h + 1][0])) : 1.0F);
    }
    replica.embeddingFactor = std::max(link(path.front()[0]), link(path.back()[0]));
    Hasher h;
    for (std::size_t s = 0; s < replica.cellOfStage.size(); ++s)
        h.add(prepared.kindModels[kindAt(static_cast<int>(s))]->hash).add(prepared.inputs.optimizerOfStage[s]);
    for (const float f : replica.transferFactor)
        h.add(static_cast<double>(f));
    replica.hash = h.add(static_cast<double>(replica.embeddingFactor)).result();
}

/// Cells and kinds of all replicas; false when stopped.
bool sortReplicas(Prepared& out, Recall& recall, std::stop_token stop)
{
    const StepGraph& graph = out.graph();
    const int stages = graph.schedule.numStages;
    std::map<std::vector<int>, int> known;
    out.stageLinkFactor.assign(static_cast<std::size_t>(stages), 1.0);
    for (int d = 0; d < graph.numReplicas; ++d) {
        if (d > 0 && !anySlow(graph, d) && !anySlow(graph, d - 1)) {
            out.kindOfReplica.push_back(out.kindOfReplica.back());
            ++out.replicas[static_cast<std::size_t>(out.kindOfReplica.back())].count;
            continue;
        }
        ReplicaKind replica;
        for (int s = 0; s < stages; ++s) {
            const CellKind kind = cellKind(graph, d, s);
            const int index = findKind(out, kind, recall, stop);
            if (index < 0)
                return false;
            const CellModels cell = cellModels(out.inputs, s, index);
            const auto same = std::find_if(out.cells.begin(), out.cells.end(),
                                           [&](const CellModels& c) { return c.kind == index && c.programs == cell.programs; });
            replica.cellOfStage.push_back(static_cast<int>(same - out.cells.begin()));
            if (same == out.cells.end())
                out.cells.push_back(cell);
            out.stageLinkFactor[static_cast<std::size_t>(s)] = std::max(out.stageLinkFactor[static_cast<std::size_t>(s)], kind.linkFactor);
            out.linkFactor = std::max(out.linkFactor, kind.linkFactor);
        }
        const auto [it, added] = known.try_emplace(replica.cellOfStage, static_cast<int>(out.replicas.size()));
        out.kindOfReplica.push_back(it->second);
        if (!added) {
            ++out.replicas[static_cast<std::size_t>(it->second)].count;
            continue;
        }
        replica.firstReplica = d;
        finishKind(out, replica);
        out.replicas.push_back(std::move(replica));
    }
    return true;
}

/// Factors of all communications of a step, each distinct one once.
void addCommunication(Prepared& out, Recall& recall)
{
    const StepGraph& graph = out.graph();
    const auto add = [&](const StepOp& op) {
        if (op.kernelClass < 0)
            return;
        ClassModelPtr& factor = out.communication[{op.kernelClass, op.groups, op.buckets}];
        if (!factor)
            factor = sideBySide(graph.classes[static_cast<std::size_t>(op.kernelClass)].temporal, op.groups, op.buckets, recall);
    };
    for (const std::vector<StepOp>* ops : {&std::as_const(out.transfers), &graph.gradSync, &graph.paramGather})
        std::for_each(ops->begin(), ops->end(), add);
    add(graph.embeddingAllReduce);
    add(graph.gradNorm);
}

/// Factors of passes through layers with routing.
void addRouting(Prepared& out, Recall& recall)
{
    const StepGraph& graph = out.graph();
    if (graph.routing.isDeterministic())
        return;
    for (const ChunkModel* model : out.models) {
        ClassModelPtr& factor = out.routing[model->routed.layers];
        if (model->routed.layers > 0 && !factor)
            factor = routesByMember(graph) ? layersOfSlowest(graph.routing, graph.lockstepReplicas, model->routed.layers, recall)
                                           : meanOf(graph.routing, model->routed.layers, recall);
    }
}

/// Where the nodes' draws come from: in long pipelines, pools.
void addSources(Prepared& out)
{
    for (const ChunkModel* model : out.models)
        if (model->isRandom)
            out.sources[&model->shape].table = &model->shape;
    for (const StepOp& op : out.transfers)
        if (op.kernelClass >= 0 && out.factor(op).isRandom)
            out.sources[&out.factor(op).table].table = &out.factor(op).table;
    if (out.plan->nodes.size() < kPooledNodes)
        return;
    out.pools.reserve(out.sources.size());
    for (auto& [table, source] : out.sources)
        source.pool = out.pools.emplace_back(*table).lines();
}

void addHashes(Prepared& prepared)
{
    const StepGraph& graph = prepared.graph();
    Hasher still;
    still.add("sweep").add(prepared.plan->hash).add(graph.transferOccupiesSender).add(contentOf(prepared, graph.embeddingAllReduce));
    for (const StepOp& op : prepared.transfers)
        still.add(contentOf(prepared, op));
    for (const auto& stage : graph.programOf)
        for (const auto& chunk : stage)
            for (const int p : chunk)
                still.add(p);
    for (std::size_t s = 0; s < graph.gradSync.size(); ++s)
        still.add(prepared.meetsBeforeOptimizer(s));
    prepared.stillHash = still.add(prepared.drawsScores()).add(prepared.scoreScale.jump).result();
    prepared.sweepHash = Hasher()
                             .add(prepared.stillHash)
                             .add(prepared.data->hash)
                             .add(contentOf(graph.routing))
                             .add(contentOf(graph.intraRegime))
                             .add(contentOf(graph.interRegime))
                             .add(contentOf(graph.computeRegime))
                             .add(graph.regimeLag1)
                             .add(graph.computeRegimeLag1)
                             .result();
}

} // namespace

ContentHash contentOf(const Prepared& prepared, const StepOp& op)
{
    if (op.kernelClass < 0)
        return {};
    return Hasher()
        .add(prepared.inputs.classes.hash[static_cast<std::size_t>(op.kernelClass)])
        .add(op.meanSeconds)
        .add(op.hiddenSeconds)
        .add(op.minExposedSeconds)
        .add(op.groups)
        .add(op.buckets)
        .result();
}

std::shared_ptr<const Prepared> prepare(const StepGraph& graph, Recall& recall, std::stop_token stop)
{
    auto out = std::make_shared<Prepared>();
    out->inputs = modelInputs(graph, recall);
    out->plan = planOf(graph, recall);
    out->transfers = transfersOf(graph);
    for (const StepOp& op : out->transfers)
        out->transferScope.push_back(
            op.kernelClass >= 0 && graph.classes[static_cast<std::size_t>(op.kernelClass)].scope == Scope::interNode ? 1 : 0);
    out->scoreScale = scoreScale(graph);
    out->luckRanges = luckRanges(graph, out->inputs.measured, isGroupwise(graph));
    addCommunication(*out, recall);
    if (!sortReplicas(*out, recall, stop))
        return nullptr;
    out->data = slowestData(graph, out->models, recall);
    out->dataMean = plainDataFactorOf(graph, recall)->mean;
    addRouting(*out, recall);
    addSources(*out);
    addHashes(*out);
    return out;
}

} // namespace prism
