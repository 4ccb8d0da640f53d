// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/programs.h"

#include "core/cost/classes.h"
#include "core/cost/datatraffic.h"
#include "core/cost/expertoverlap.h"
#include "core/schedule/pieces.h"
#include "core/workload/count.h"
#include "core/workload/memory.h"

#include <algorithm>
#include <memory>

namespace prism {
namespace {

using Ops = std::vector<Op>;

/// Ops of the three phases of a layer (or embedding, or head), with means.
struct CostedLayer {
    Ops forward, dgrad, wgrad, both, selective; ///< both: dgrad and wgrad in execution order
};

double exposed(const Op& op)
{
    return std::max(0.0, op.meanSeconds - op.hiddenSeconds);
}

/// The kernel that a collective is overlapped with: the attention of the block that is there (ring attention), the matrix product
/// before a forward reduce-scatter, else the next one with room. kernels.size() = none.
std::size_t pairedOf(const std::vector<Kernel>& kernels, const std::vector<double>& room, std::size_t i)
{
    const Kernel& k = kernels[i];
    const std::size_t none = kernels.size();
    if (k.domain == Domain::context)
        for (std::size_t j = 0; j < none; ++j)
            if (kernels[j].kind == CostKind::attention && kernels[j].part == k.part && room[j] > 0)
                return j;
    if (k.op == CollectiveOp::reduceScatter && k.part == Part::forward) {
        for (std::size_t j = i; j-- > 0;)
            if (room[j] > 0)
                return j;
        return none;
    }
    for (std::size_t j = i + 1; j < none; ++j)
        if (room[j] > 0)
            return j;
    return none;
}

/// Gives means to the kernels of one sequence and decides what of each collective is hidden under neighbouring kernels.
Ops costed(const std::vector<Kernel>& kernels, const CostModel& cost, bool overlapTensor)
{
    Ops ops;
    ops.reserve(kernels.size());
    for (const Kernel& k : kernels) {
        Op op;
        op.kernelClass = static_cast<int>(k.id);
        op.meanSeconds = cost.seconds(k);
        if (k.domain == Domain::expert && k.kind == CostKind::collective)
            op.sync = Sync::cell;
        op.routed = k.grouped();
        ops.push_back(op);
    }
    // What can be overlapped with a matrix kernel or attention; each second of it is given once.
    std::vector<double> room(ops.size());
    for (std::size_t j = 0; j < ops.size(); ++j)
        if (kernels[j].kind == CostKind::gemm || kernels[j].kind == CostKind::attention)
            room[j] = ops[j].meanSeconds;
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        const Kernel& k = kernels[i];
        if (k.kind != CostKind::collective || !(k.overlapsAlways || (k.overlapsTensor && overlapTensor)))
            continue;
        const std::size_t j = pairedOf(kernels, room, i);
        if (j == kernels.size())
            continue;
        ops[i].hiddenSeconds = room[j];
        const double together = std::min(ops[i].meanSeconds, room[j]);
        room[j] -= together;
        ops[j].meanSeconds += kOverlapSlowdown * together;
    }
    return ops;
}

/// What the programs of a schedule have in common.
struct ScheduleTraits {
    bool splitsWeight = false;
    double paired = 0; ///< share of the passes during which another micro-batch computes
    double run = 1;    ///< micro-batches that a chunk works on before the next chunk's turn
};

CostedLayer costed(const LayerKernels& kernels, const CostModel& cost, const ParallelismConfig& par, const ScheduleTraits& traits)
{
    CostedLayer layer;
    const bool overlapsTensor = par.tpCommOverlap && tensorOverlapReaches(cost.layout());
    layer.forward = costed(kernels.forward, cost, overlapsTensor);
    layer.both = costed(kernels.backward, cost, overlapsTensor);
    layer.selective = costed(kernels.selectiveRecompute, cost, false);
    if (par.overlapMoeExpertParallelComm)
        hideExpertTraffic({kernels.forward, layer.forward}, {kernels.backward, layer.both}, traits.paired, kOverlapSlowdown);
    if (traits.splitsWeight)
        for (std::size_t i = 0; i < layer.both.size(); ++i)
            (kernels.backward[i].part == Part::wgrad ? layer.wgrad : layer.dgrad).push_back(layer.both[i]);
    return layer;
}

double total(const Ops& ops)
{
    double t = 0;
    for (const Op& op : ops)
        t += exposed(op);
    return t;
}

/// Compute time that the shard traffic of `ops` is already overlapped with.
double taken(const Ops& ops)
{
    double t = 0;
    for (const Op& op : ops)
        if (kernelCategory(static_cast<KernelId>(op.kernelClass)) == Category::dataParallel)
            t += std::min(op.meanSeconds, op.hiddenSeconds);
    return t;
}

/// The forward as full recomputation repeats it: its parameters stay gathered for the backward that follows.
Ops recomputed(const Ops& forward)
{
    Ops ops = forward;
    std::erase_if(ops, [](const Op& op) { return op.kernelClass == static_cast<int>(KernelId::dpAllGather); });
    return ops;
}

Op hostOp(double seconds)
{
    Op op;
    op.kernelClass = static_cast<int>(KernelId::host);
    op.meanSeconds = seconds;
    return op;
}

void append(Ops& to, const Ops& from)
{
    to.insert(to.end(), from.begin(), from.end());
}

/// Builds the programs of a scenario; layers are costed once.
class Builder final {
public:
    Builder(const Scenario& scenario, const Shape& shape, const CostModel& cost, ScheduleTraits traits)
        : m_scenario(scenario),
          m_shape(shape),
          m_cost(cost),
          m_sharding(shardingOf(scenario.parallelism, cost.layout())),
          m_state(stateBytesOf(scenario)),
          m_traits(traits)
    {
    }

    [[nodiscard]] std::array<Program, kPhases> programs(const ChunkLayers& chunk, const std::string& name)
    {
        std::array<Program, kPhases> p;
        p[0].name = name + ".forward";
        p[1].name = name + ".backward";
        p[2].name = name + ".weight";
        if (!m_scenario.model.operators.empty()) {
            addOnce(p, operatorList());
            return p;
        }
        if (chunk.embedding)
            addForward(p, embedding());
        for (int k = 0; k < kLayerKinds; ++k)
            if (chunk.count[static_cast<std::size_t>(k)] > 0)
                addLayers(p, static_cast<LayerKind>(k), chunk.count[static_cast<std::size_t>(k)], chunk.total);
        if (chunk.mtp > 0)
            addOnce(p, mtp(), chunk.mtp);
        if (chunk.head)
            addOnce(p, head());
        if (chunk.embedding)
            addBackward(p, embedding());
        if (const double pass = m_cost.host().pass(); pass > 0)
            for (const std::size_t phase : {std::size_t{0}, std::size_t{1}})
                p[phase].blocks.push_back({1, {hostOp(pass)}});
        return p;
    }

private:
    const Scenario& m_scenario;
    const Shape& m_shape;
    const CostModel& m_cost;
    Sharding m_sharding;
    StateBytes m_state;
    ScheduleTraits m_traits;
    std::array<std::unique_ptr<CostedLayer>, kLayerKinds> m_layers;
    std::unique_ptr<CostedLayer> m_embedding, m_mtp, m_head;

    const CostedLayer& layer(LayerKind kind)
    {
        auto& slot = m_layers[static_cast<std::size_t>(kind)];
        if (!slot) {
            const LayerKernels kernels = layerKernels(m_scenario, m_shape, kind);
            slot = std::make_unique<CostedLayer>(costed(kernels, m_cost, m_scenario.parallelism, m_traits));
            addHostTime(*slot, kernels);
            addRoutedCounts(*slot, kind);
            addShardTraffic(*slot, perRank(layerParameters(m_scenario.model, kind)));
        }
        return *slot;
    }
    const CostedLayer& embedding()
    {
        if (!m_embedding) {
            m_embedding =
                std::make_unique<CostedLayer>(costed(embeddingKernels(m_scenario, m_shape), m_cost, m_scenario.parallelism, m_traits));
            addShardTraffic(*m_embedding, {embeddingParameters(m_scenario.model) / static_cast<double>(m_shape.tp), 0}, false);
        }
        return *m_embedding;
    }
    const CostedLayer& mtp()
    {
        if (!m_mtp) {
            const LayerKernels kernels = mtpKernels(m_scenario, m_shape);
            m_mtp = std::make_unique<CostedLayer>(costed(kernels, m_cost, m_scenario.parallelism, m_traits));
            addHostTime(*m_mtp, kernels);
            addShardTraffic(*m_mtp, perRank(mtpLayerParameters(m_scenario.model)));
        }
        return *m_mtp;
    }
    const CostedLayer& head()
    {
        if (!m_head) {
            m_head = std::make_unique<CostedLayer>(costed(headKernels(m_scenario, m_shape), m_cost, m_scenario.parallelism, m_traits));
            ChunkLayers head;
            head.head = true;
            addShardTraffic(*m_head, stageParameters(m_scenario, m_shape, {head}, m_shape.pp > 1), false); // gathered until its backward
        }
        return *m_head;
    }

    [[nodiscard]] CostedLayer operatorList() const
    {
        CostedLayer l = costed(genericKernels(m_scenario, m_shape), m_cost, m_scenario.parallelism, m_traits);
        addShardTraffic(l, {totalParameters(m_scenario.model) / static_cast<double>(m_shape.tp * m_shape.pp), 0});
        if (m_scenario.training.recomputeGranularity == "full")
            for (Ops* backward : {&l.both, &l.dgrad}) {
                const Ops forward = recomputed(l.forward);
                backward->insert(backward->begin(), forward.begin(), forward.end());
            }
        return l;
    }

    /// Routed counts go to the host and back before the experts start, in the forward and wherever it is repeated.
    void addRoutedCounts(CostedLayer& l, LayerKind kind) const
    {
        const double seconds = m_cost.host().routedCounts();
        if (seconds <= 0 || (kind != LayerKind::moe && kind != LayerKind::moeOnly))
            return;
        l.forward.push_back(hostOp(seconds));
        if (!l.selective.empty() && (m_shape.recomputed & kMoe) != 0)
            l.selective.push_back(hostOp(seconds));
    }

    /// The forward from one wait for the routed counts to the next: the wait empties the queue, so that the host's lead is lost.
    [[nodiscard]] double betweenCounts(const std::vector<Kernel>& kernels, const Ops& ops) const
    {
        const auto counted = [](const Kernel& k) { return k.id == KernelId::moePermute || k.id == KernelId::epAllToAll; };
        const auto first = static_cast<std::size_t>(std::find_if(kernels.begin(), kernels.end(), counted) - kernels.begin());
        std::vector<double> launch, run;
        for (std::size_t i = 0; i < kernels.size(); ++i) {
            const std::size_t k = (first + i) % kernels.size();
            launch.push_back(i > 0 ? m_cost.host().launch(kernels[k]) : 0.0); // routedCounts() has the first one
            run.push_back(exposed(ops[k]));
        }
        return fromEmptyQueue(launch, run);
    }

    /// A layer cannot run faster than the host launches its kernels: what is missing to the host's time is waited for.
    void addHostTime(CostedLayer& l, const LayerKernels& kernels) const
    {
        const HostTime& time = m_cost.host();
        const double checkpoint = time.checkpoint();
        const auto host = [&](const std::vector<Kernel>& list, auto belongs) { return time.launches(list, belongs); };
        const auto any = [](Part) { return true; };
        const auto pad = [](Ops& ops, double smallest) {
            if (const double missing = smallest - total(ops); missing > 0 && !ops.empty())
                ops.push_back(hostOp(missing));
        };
        const bool waits =
            time.routedCounts() > 0 && std::any_of(l.forward.begin(), l.forward.end(), [](const Op& op) { return op.routed; });
        pad(l.forward, std::max(host(kernels.forward, any), waits ? betweenCounts(kernels.forward, l.forward) : 0.0) + checkpoint);
        pad(l.both, host(kernels.backward, any) + checkpoint);
        if (m_traits.splitsWeight) {
            pad(l.dgrad, host(kernels.backward, [](Part part) { return part != Part::wgrad; }) + checkpoint);
            pad(l.wgrad, host(kernels.backward, [](Part part) { return part == Part::wgrad; }));
        }
    }

    /// ZeRO-3 / FSDP (arXiv 2304.11277): parameters are gathered before the layer's forward and backward, gradients summed after it, in the
    /// shard group and then between its replicas, behind the compute of the neighbouring layer. ZeRO 2 sums once for the micro-batches of
    /// a chunk's turn (Llama 3, arXiv 2407.21783, section 3.3.2), the last time at the end of the step, and waits for no replica before.
    void addShardTraffic(CostedLayer& l, const StageParameters& n, bool gathersAgain = true) const
    {
        if (!m_sharding.reducesEachPass)
            return;
        const ParallelismConfig& par = m_scenario.parallelism;
        const double again = gathersAgain && m_scenario.training.recomputeGranularity == "full" ? total(l.forward) : 0.0;
        const auto insert = [&](Ops& ops, KernelId id, double seconds, bool overlap, bool atEnd) {
            if (seconds <= 0)
                return;
            Op op;
            op.kernelClass = static_cast<int>(id);
            op.meanSeconds = seconds;
            op.sync = m_sharding.gathersEachPass ? Sync::replicas : op.sync;
            if (overlap) { // overlapped with compute that no other collective took
                const double compute = total(ops) + (&ops == &l.forward ? 0.0 : again);
                op.hiddenSeconds = std::max(0.0, compute - taken(ops));
                const double slower = 1 + kOverlapSlowdown * std::min(seconds, op.hiddenSeconds) / std::max(1e-12, total(ops));
                for (Op& paired : ops)
                    paired.meanSeconds *= paired.hiddenSeconds > 0 ? 1.0 : slower;
            }
            ops.insert(atEnd ? ops.end() : ops.begin(), op);
        };
        const double gather = stateSeconds(m_cost, CollectiveOp::allGather, m_sharding.parameters, n, m_state.gathered);
        const double turns = m_sharding.gathersEachPass ? 1 : 1 / m_traits.run - 1 / static_cast<double>(m_shape.numMicrobatches);
        const double scatter = stateSeconds(m_cost, CollectiveOp::reduceScatter, m_sharding.gradients, n, m_state.gradient) * turns;
        const double replicas = stateSeconds(m_cost, CollectiveOp::allReduce, m_sharding.gradients, n, m_state.gradient) * turns;
        const auto backward = [&](Ops& dgrad, Ops& wgrad) {
            insert(dgrad, KernelId::dpAllGather, gathersAgain ? gather : 0.0, par.overlapParamGather, false);
            insert(wgrad, KernelId::dpReduceScatter, scatter, par.overlapGradReduce, true);
            insert(wgrad, KernelId::dpAllReduce, replicas, par.overlapGradReduce, true);
        };
        insert(l.forward, KernelId::dpAllGather, gather, par.overlapParamGather, false);
        backward(l.both, l.both);
        if (m_traits.splitsWeight)
            backward(l.dgrad, l.wgrad);
    }
    /// Parameters of one rank, of those of a layer.
    [[nodiscard]] StageParameters perRank(const LayerParameters& n) const
    {
        return {(n.total - n.expert) / static_cast<double>(m_shape.tp), n.expert / static_cast<double>(m_shape.ep * m_shape.etp)};
    }

    static void addForward(std::array<Program, kPhases>& p, const CostedLayer& l, int repeat = 1)
    {
        p[0].blocks.push_back({repeat, l.forward});
    }
    void addBackward(std::array<Program, kPhases>& p, const CostedLayer& l, int repeat = 1) const
    {
        p[1].blocks.push_back({repeat, m_traits.splitsWeight ? l.dgrad : l.both});
        if (m_traits.splitsWeight && !l.wgrad.empty())
            p[2].blocks.push_back({repeat, l.wgrad});
    }
    /// A part that full recomputation does not repeat.
    void addOnce(std::array<Program, kPhases>& p, const CostedLayer& l, int repeat = 1) const
    {
        addForward(p, l, repeat);
        addBackward(p, l, repeat);
    }

    void addLayers(std::array<Program, kPhases>& p, LayerKind kind, int count, int chunkTotal)
    {
        const CostedLayer& l = layer(kind);
        const TrainingConfig& t = m_scenario.training;
        p[0].blocks.push_back({count, l.forward});
        const Ops& backward = m_traits.splitsWeight ? l.dgrad : l.both;
        int full = 0;
        if (t.recomputeGranularity == "full")
            full = t.recomputeMethod == "block" && t.recomputeNumLayers > 0
                       ? std::min(count, t.recomputeNumLayers * count / std::max(1, chunkTotal))
                       : count;
        const auto push = [&](int repeat, const Ops& before) {
            if (repeat <= 0)
                return;
            Block b;
            b.repeat = repeat;
            b.ops.reserve(before.size() + backward.size());
            append(b.ops, before);
            append(b.ops, backward);
            p[1].blocks.push_back(std::move(b));
        };
        push(full, recomputed(l.forward));
        push(count - full, t.recomputeGranularity == "selective" ? l.selective : Ops{});
        if (m_traits.splitsWeight)
            p[2].blocks.push_back({count, l.wgrad});
    }
};

} // namespace

bool sameContents(const ChunkLayers& a, const ChunkLayers& b)
{
    return a.count == b.count && a.mtp == b.mtp && a.embedding == b.embedding && a.head == b.head;
}

double programSeconds(const Program& program)
{
    double t = 0;
    for (const Block& b : program.blocks)
        t += b.repeat * total(b.ops);
    return t;
}

namespace {

/// Adds the programs of all chunks as `builder` costs them, and their rows of programOf behind those that are there.
void addPrograms(Builder builder, const Schedule& schedule, const std::vector<ChunkLayers>& chunks, const char* suffix,
                 CostedPrograms& result)
{
    const std::size_t firstRow = result.programOf.front().size();
    for (auto& stage : result.programOf)
        stage.resize(firstRow + static_cast<std::size_t>(schedule.numChunks), {-1, -1, -1});
    std::vector<std::pair<std::size_t, int>> made; // first chunk of its contents, its first program
    for (std::size_t i = 0; i < chunks.size(); ++i) {
        const auto known = std::find_if(made.begin(), made.end(), [&](const auto& m) { return sameContents(chunks[m.first], chunks[i]); });
        int first = 0;
        if (known != made.end()) {
            first = known->second;
        } else {
            first = static_cast<int>(result.programs.size());
            const char* role = chunks.size() == 1 ? "model" : chunks[i].embedding ? "first" : chunks[i].head ? "last" : "middle";
            const std::string number = chunks[i].embedding || chunks[i].head ? "" : std::to_string(made.size());
            auto programs = builder.programs(chunks[i], role + number + suffix);
            for (int p = 0; p < (schedule.splitsWeight ? 3 : 2); ++p) {
                result.seconds.push_back(programSeconds(programs[static_cast<std::size_t>(p)]));
                result.programs.push_back(std::move(programs[static_cast<std::size_t>(p)]));
            }
            made.emplace_back(i, first);
        }
        const auto [stage, chunk] = schedule.path[i];
        result.programOf[static_cast<std::size_t>(stage)][firstRow + static_cast<std::size_t>(chunk)] = {
            first, first + 1, schedule.splitsWeight ? first + 2 : -1};
    }
}

} // namespace

CostedPrograms costedPrograms(const Scenario& scenario, const Shape& shape, const CostModel& cost, const Schedule& schedule,
                              const std::vector<ChunkLayers>& chunks)
{
    CostedPrograms result;
    result.programOf.resize(static_cast<std::size_t>(schedule.numStages));
    const double run = schedule.numChunks > 1 ? passesBetweenChunks(shape.pp, shape.numMicrobatches) : 1.0;
    const auto add = [&](double paired, const char* suffix) {
        addPrograms({scenario, shape, cost, {schedule.splitsWeight, paired, run}}, schedule, chunks, suffix, result);
    };
    // A schedule with pieces states for every pass whether another runs in parallel; of others only the share is known.
    if (scenario.parallelism.overlapMoeExpertParallelComm && pairsPasses(schedule)) {
        add(0.0, "");
        add(1.0, ".beside");
    } else {
        add(pairedShare(schedule), "");
    }
    return result;
}

} // namespace prism
