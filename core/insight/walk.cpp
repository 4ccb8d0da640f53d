#include "core/insight/walk.h"

#include "core/sim/draws.h"
#include "core/stats/quantile.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace prism {

namespace {

constexpr int kDrawnOneByOne = 8;  ///< invocations of a collective per chunk that are drawn one by one
constexpr int kTableCells = 2'048;

/// Purposes of the walk's own streams, beside those of core/sim/draws.h; new ones are appended so that draws stay.
enum WalkPurpose : std::uint64_t { kComputeNoise = 0x57a1, kComputeRare, kCollective, kCollectiveRare, kTransfer,
                               kTransferRare, kStageOp, kStageOpRare };

/// A factor with what the walk asks about it.
class FactorTable final {
public:
    explicit FactorTable(const Distribution& d = {})
        : m_sampler(withoutRare(d)), m_rareProbability(d.rareProbability), m_rareMultiplier(d.rareMultiplier), m_variance(d.baseVariance())
    {}
    /// The factor without its rare event.
    [[nodiscard]] double operator()(double u) const { return m_sampler.base(u); }
    [[nodiscard]] bool deterministic() const { return !(m_variance > 0); }
    [[nodiscard]] double variance() const { return m_variance; }
    [[nodiscard]] double rareProbability() const { return m_rareProbability; }
    [[nodiscard]] double rareMultiplier() const { return m_rareMultiplier; }

private:
    static Distribution withoutRare(Distribution d)
    {
        d.rareProbability = 0;
        return d;
    }
    FactorSampler m_sampler;
    double m_rareProbability, m_rareMultiplier, m_variance;
};

/// Standard normal quantile through the lognormal of the stats layer: ln of a lognormal's quantile is normal.
class NormalTable final {
public:
    NormalTable() : m_lognormal({Family::lognormal, std::sqrt(std::exp(1.0) - 1.0)}) // s = 1, so Q(u) = exp(z - 1/2)
    {
        for (int i = 1; i < kTableCells; ++i)
            m_table[static_cast<std::size_t>(i)] = exact(static_cast<double>(i) / kTableCells);
    }
    [[nodiscard]] double operator()(double u) const
    {
        const double x = u * kTableCells;
        const int cell = static_cast<int>(x);
        if (cell < 8 || cell >= kTableCells - 8)
            return exact(u);
        const double low = m_table[static_cast<std::size_t>(cell)], high = m_table[static_cast<std::size_t>(cell) + 1];
        return low + (x - cell) * (high - low);
    }

private:
    [[nodiscard]] double exact(double u) const { return std::log(m_lognormal(u)) + 0.5; }
    QuantileFunction m_lognormal;
    std::array<double, kTableCells + 1> m_table{};
};

/// Number of events of a Poisson variable by inversion.
int poisson(double mean, double u)
{
    double term = std::exp(-mean), sum = term;
    int k = 0;
    while (u > sum && k < 1'000) {
        ++k;
        term *= mean / k;
        sum += term;
    }
    return k;
}

/// As stream(), cheaper: for the inner loops.
StreamId quickStream(std::uint64_t purpose, std::uint64_t name)
{
    return {mix64(purpose << 48) + name};
}

std::uint64_t drawIndex(int sample, int replica)
{
    return (static_cast<std::uint64_t>(sample) << 24) | (static_cast<std::uint64_t>(replica) & 0xffffffU); // -1: the whole job
}

/// A communication's duration and what it is made of; exposed part only.
struct Transfer {
    int kernelClass = -1;
    double mean = 0, hidden = 0, minExposed = 0;
    double regime = 1, link = 1, temporal = 1, rareExtra = 0; ///< C = mean (link R) (temporal + rareExtra)

    [[nodiscard]] double seconds() const
    {
        const double factor = link * regime * (temporal + rareExtra);
        return std::max({minExposed * factor, mean * factor - hidden, 0.0});
    }
    /// Adds the parts one factor after the other, so that they sum to seconds().
    void addTo(Parts& parts) const
    {
        if (kernelClass < 0)
            return;
        Transfer t{kernelClass, mean, hidden, minExposed};
        double before = t.seconds();
        parts.add(kernelClass, Cause::communicationMean, before);
        const auto step = [&](Cause cause) {
            const double now = t.seconds();
            parts.add(kernelClass, cause, now - before);
            before = now;
        };
        t.link = link;
        step(Cause::slowSpot);
        t.regime = regime;
        step(Cause::regime);
        t.temporal = temporal;
        step(Cause::temporal);
        t.rareExtra = rareExtra;
        step(Cause::rare);
    }
};

} // namespace

double Parts::sum() const
{
    return std::accumulate(byClass.begin(), byClass.end(), 0.0);
}

struct StepWalker::Impl {
    std::shared_ptr<const StepGraph> graph;
    std::uint64_t seed = 1;
    int candidates = 8;
    std::vector<WalkNode> nodes;
    std::vector<int> lastOfStage;
    std::vector<ProgramModel> programs;
    std::vector<FactorTable> classFactor;
    FactorSampler spatialSampler{Distribution{}}, dataSampler{Distribution{}}, intraSampler{Distribution{}}, interSampler{Distribution{}};
    std::vector<StreamId> speedStream; ///< [replica][stage][rank]; empty when speeds are not drawn
    NormalTable normal;
    std::vector<StreamId> nodeStream, collectiveStream; ///< per node; collectives add their position
    std::vector<double> stageComputeSeconds, stageCommunicationSeconds; ///< noise-free, all micro-batches

    /// Everything that one draw shares.
    struct Regimes {
        double intra = 1, inter = 1;
    };
    /// One replica of one draw.
    struct Replica {
        int index = 0;
        std::vector<double> drawn, speed;     ///< [stage][rank]
        std::vector<double> link;             ///< per stage
        std::vector<Moments> moments;         ///< [stage][program]
        std::vector<double> start, end, free; ///< per node
        std::vector<double> done;             ///< per stage, after the embedding all-reduce
        Interval embedding;
    };

    [[nodiscard]] std::size_t ranks() const { return static_cast<std::size_t>(graph->cellRanks()); }
    [[nodiscard]] int stages() const { return graph->schedule.numStages; }
    /// Stages that hold the embedding and the head.
    [[nodiscard]] std::size_t firstStage() const { return static_cast<std::size_t>(graph->schedule.path.front()[0]); }
    [[nodiscard]] std::size_t lastStage() const { return static_cast<std::size_t>(graph->schedule.path.back()[0]); }

    void prepareNodes();
    void prepareWork();
    void prepareSpeedStreams();
    [[nodiscard]] Regimes regimes(int sample) const
    {
        const auto index = static_cast<std::uint64_t>(sample);
        const auto draw = [&](const FactorSampler& sampler, std::uint64_t scope) {
            const auto run = static_cast<std::uint64_t>(Run::across);
            return drawFactor(sampler, seed, purposeStream(Purpose::regime, run, scope), purposeStream(Purpose::regimeRare, run, scope), index);
        };
        return {draw(intraSampler, 0), draw(interSampler, 1)};
    }
    [[nodiscard]] double regimeOf(int kernelClass, const Regimes& r) const
    {
        const Scope scope = graph->classes[static_cast<std::size_t>(kernelClass)].scope;
        return scope == Scope::intraNode ? r.intra : scope == Scope::interNode ? r.inter : 1.0;
    }
    [[nodiscard]] double dataOf(int sample, int replica, int microbatch) const
    {
        if (dataSampler.isDeterministic())
            return 1.0;
        return dataFactor(dataSampler, seed, Run::across, static_cast<std::uint64_t>(sample), static_cast<std::uint64_t>(replica),
                          static_cast<std::uint64_t>(microbatch));
    }
    void drawSpeeds(int sample, int replica, double* drawn, double* speed) const;
    [[nodiscard]] double linkOf(int replica, int stage) const;
    [[nodiscard]] std::vector<int> busiestReplicas(int sample, std::vector<double>& slowestSpeed) const;
    [[nodiscard]] double score(int sample, int replica, const std::vector<double>& speed) const;
    void prepareReplica(int sample, Replica& replica) const;
    void walkReplica(int sample, const Regimes& regimes, Replica& replica) const;

    [[nodiscard]] double computeSeconds(const Replica& replica, int sample, int node) const;
    [[nodiscard]] double rareComputeSeconds(int sample, int replica, int node, Parts* parts, double data) const;
    [[nodiscard]] Transfer collective(const Regimes& regimes, const Replica& replica, int sample, int node, std::size_t which) const;
    [[nodiscard]] double nodeSeconds(const Regimes& regimes, const Replica& replica, int sample, int node) const;
    [[nodiscard]] Transfer hopTransfer(const Regimes& regimes, const Replica& replica, int sample, int hop, bool forward, int microbatch) const;
    [[nodiscard]] Transfer stageTransfer(const Regimes& regimes, int sample, int stage, StageOp op, int replica, double link) const;
    [[nodiscard]] const StepOp* stageOp(int stage, StageOp op) const;
    /// Optimizer of the slowest of all ranks of a stage, taken apart.
    [[nodiscard]] Parts optimizerParts(int sample, int stage, double slowestDrawn, double slowestSpeed) const;
    [[nodiscard]] Replica rebuilt(const WalkedStep& step) const;
};

void StepWalker::Impl::prepareNodes()
{
    const Schedule& schedule = graph->schedule;
    const std::vector<std::vector<int>> place = pathIndices(schedule);
    const std::vector<ScheduleNode> order = executionOrder(schedule);
    const int last = static_cast<int>(schedule.path.size()) - 1;
    const auto microbatches = static_cast<std::size_t>(schedule.numMicrobatches);
    std::vector<int> forwardAt(schedule.path.size() * microbatches, -1), backwardAt = forwardAt;
    lastOfStage.assign(static_cast<std::size_t>(stages()), -1);
    for (const ScheduleNode& entry : order) {
        const int index = static_cast<int>(nodes.size());
        const auto at = [&](int path) { return static_cast<std::size_t>(path) * microbatches + entry.item.microbatch; };
        WalkNode node;
        node.stage = entry.stage;
        node.chunk = entry.item.chunk;
        node.microbatch = static_cast<int>(entry.item.microbatch);
        node.phase = entry.item.phase;
        const auto stage = static_cast<std::size_t>(entry.stage);
        node.program = graph->programOf[stage][entry.item.chunk][static_cast<std::size_t>(entry.item.phase)];
        node.previous = lastOfStage[stage];
        const int path = place[stage][entry.item.chunk];
        if (node.phase == Phase::forward) {
            forwardAt[at(path)] = index;
            if (path > 0) {
                node.input = forwardAt[at(path - 1)];
                node.hop = path - 1;
            }
            node.outHop = path < last ? path : -1;
        } else if (node.phase == Phase::backward) {
            backwardAt[at(path)] = index;
            node.input = path == last ? forwardAt[at(path)] : backwardAt[at(path + 1)];
            node.hop = path == last ? -1 : path;
            node.hopForward = node.outForward = false;
            node.outHop = path > 0 ? path - 1 : -1;
        } else {
            node.input = backwardAt[at(path)];
        }
        if (!graph->transferOccupiesSender)
            node.outHop = -1;
        lastOfStage[stage] = index;
        nodes.push_back(node);
        const std::uint64_t name = (static_cast<std::uint64_t>(node.microbatch) << 8) | static_cast<std::uint64_t>(node.phase);
        const auto chunkName = static_cast<std::uint64_t>(node.chunk);
        nodeStream.push_back(stream(kComputeNoise, stage, chunkName, name));
        collectiveStream.push_back(stream(kCollective, stage, chunkName, name));
    }
}

void StepWalker::Impl::prepareWork()
{
    stageComputeSeconds.assign(static_cast<std::size_t>(stages()), 0.0);
    stageCommunicationSeconds = stageComputeSeconds;
    for (const WalkNode& node : nodes) {
        if (node.program < 0)
            continue;
        const ProgramModel& program = programs[static_cast<std::size_t>(node.program)];
        stageComputeSeconds[static_cast<std::size_t>(node.stage)] += program.computeSeconds;
        stageCommunicationSeconds[static_cast<std::size_t>(node.stage)] += program.collectiveSeconds;
    }
}

void StepWalker::Impl::prepareSpeedStreams()
{
    if (spatialSampler.isDeterministic() || !graph->fixedSpatial.empty())
        return;
    for (int replica = 0; replica < graph->numReplicas; ++replica)
        for (int stage = 0; stage < stages(); ++stage)
            for (std::size_t rank = 0; rank < ranks(); ++rank)
                speedStream.push_back(purposeStream(Purpose::spatial, static_cast<std::uint64_t>(replica), static_cast<std::uint64_t>(stage), rank));
}

double StepWalker::Impl::linkOf(int replica, int stage) const
{
    double link = 1;
    for (const SlowSpot& spot : graph->slow)
        if ((spot.replica < 0 || spot.replica == replica) && (spot.stage < 0 || spot.stage == stage))
            link = std::max(link, spot.linkFactor);
    return link;
}

void StepWalker::Impl::drawSpeeds(int sample, int replica, double* drawn, double* speed) const
{
    const std::size_t count = static_cast<std::size_t>(stages()) * ranks();
    const std::size_t first = static_cast<std::size_t>(replica) * count;
    for (std::size_t i = 0; i < count; ++i) {
        if (!graph->fixedSpatial.empty())
            drawn[i] = graph->fixedSpatial[first + i];
        else if (speedStream.empty())
            drawn[i] = 1.0;
        else if (spatialSampler.hasRareEvent())
            drawn[i] = spatialFactor(spatialSampler, seed, static_cast<std::uint64_t>(sample), static_cast<std::uint64_t>(replica), i / ranks(),
                                     i % ranks());
        else
            drawn[i] = spatialSampler.base(uniform(seed, speedStream[first + i], static_cast<std::uint64_t>(sample)));
        speed[i] = drawn[i];
    }
    for (const SlowSpot& spot : graph->slow) {
        if (spot.replica >= 0 && spot.replica != replica)
            continue;
        for (std::size_t i = 0; i < count; ++i)
            if ((spot.stage < 0 || static_cast<std::size_t>(spot.stage) == i / ranks())
                && (spot.rank < 0 || static_cast<std::size_t>(spot.rank) == i % ranks()))
                speed[i] *= spot.computeFactor;
    }
}

double StepWalker::Impl::score(int sample, int replica, const std::vector<double>& speed) const
{
    double data = 1;
    if (!dataSampler.isDeterministic()) {
        data = 0;
        for (int b = 0; b < graph->schedule.numMicrobatches; ++b)
            data += dataOf(sample, replica, b);
        data /= graph->schedule.numMicrobatches;
    }
    double longest = 0;
    for (int s = 0; s < stages(); ++s) {
        const auto stage = static_cast<std::size_t>(s);
        const auto begin = speed.begin() + static_cast<std::ptrdiff_t>(stage * ranks());
        const double slowest = *std::max_element(begin, begin + static_cast<std::ptrdiff_t>(ranks()));
        longest = std::max(longest, stageComputeSeconds[stage] * slowest * data + stageCommunicationSeconds[stage] * linkOf(replica, s));
    }
    return longest;
}

std::vector<int> StepWalker::Impl::busiestReplicas(int sample, std::vector<double>& slowestSpeed) const
{
    const std::size_t count = static_cast<std::size_t>(stages()) * ranks();
    std::vector<double> drawn(count), speed(count);
    std::vector<std::pair<double, int>> scores;
    slowestSpeed.assign(static_cast<std::size_t>(stages()) * 2, 1.0);
    for (int r = 0; r < graph->numReplicas; ++r) {
        drawSpeeds(sample, r, drawn.data(), speed.data());
        for (std::size_t i = 0; i < count; ++i) {
            double* slowest = &slowestSpeed[2 * (i / ranks())];
            if (r == 0 && i % ranks() == 0)
                slowest[1] = 0;
            if (speed[i] > slowest[1]) {
                slowest[0] = drawn[i];
                slowest[1] = speed[i];
            }
        }
        scores.emplace_back(-score(sample, r, speed), r);
    }
    const auto kept = static_cast<std::ptrdiff_t>(std::min<std::size_t>(scores.size(), static_cast<std::size_t>(candidates)));
    std::partial_sort(scores.begin(), scores.begin() + kept, scores.end());
    std::vector<int> replicas;
    for (std::ptrdiff_t i = 0; i < kept; ++i)
        replicas.push_back(scores[static_cast<std::size_t>(i)].second);
    return replicas;
}

void StepWalker::Impl::prepareReplica(int sample, Replica& replica) const
{
    const std::size_t count = static_cast<std::size_t>(stages()) * ranks();
    replica.drawn.resize(count);
    replica.speed.resize(count);
    drawSpeeds(sample, replica.index, replica.drawn.data(), replica.speed.data());
    replica.moments.assign(static_cast<std::size_t>(stages()) * programs.size(), Moments{});
    for (int s = 0; s < stages(); ++s) {
        replica.link.push_back(linkOf(replica.index, s));
        const auto stage = static_cast<std::size_t>(s);
        for (const auto& phases : graph->programOf[stage])
            for (const int program : phases)
                if (program >= 0)
                    replica.moments[stage * programs.size() + static_cast<std::size_t>(program)] =
                        computeMoments(programs[static_cast<std::size_t>(program)], replica.speed.data() + stage * ranks(), graph->groupRanks,
                                       graph->groupsPerCell);
    }
}

double StepWalker::Impl::computeSeconds(const Replica& replica, int sample, int node) const
{
    const WalkNode& n = nodes[static_cast<std::size_t>(node)];
    const Moments& m = replica.moments[static_cast<std::size_t>(n.stage) * programs.size() + static_cast<std::size_t>(n.program)];
    if (m.variance <= 0)
        return m.mean;
    const double z = normal(uniform(seed, nodeStream[static_cast<std::size_t>(node)], drawIndex(sample, replica.index)));
    return std::max(0.1 * m.mean, m.mean + std::sqrt(m.variance) * z);
}

double StepWalker::Impl::rareComputeSeconds(int sample, int replica, int node, Parts* parts, double data) const
{
    const WalkNode& n = nodes[static_cast<std::size_t>(node)];
    double seconds = 0;
    for (const ComputeModel& c : programs[static_cast<std::size_t>(n.program)].compute) {
        const FactorTable& factor = classFactor[static_cast<std::size_t>(c.kernelClass)];
        if (factor.rareProbability() <= 0)
            continue;
        // A rare event on any rank delays the segment.
        const double expected = c.count * factor.rareProbability() * static_cast<double>(ranks());
        const StreamId id{nodeStream[static_cast<std::size_t>(node)].value ^ mix64(kComputeRare + static_cast<std::uint64_t>(c.kernelClass))};
        const int events = poisson(expected, uniform(seed, id, drawIndex(sample, replica)));
        const double extra = data * events * c.seconds / c.count * (factor.rareMultiplier() - 1);
        seconds += extra;
        if (parts && extra != 0)
            parts->add(c.kernelClass, Cause::rare, extra);
    }
    return seconds;
}

Transfer StepWalker::Impl::collective(const Regimes& regimes, const Replica& replica, int sample, int node, std::size_t which) const
{
    const WalkNode& n = nodes[static_cast<std::size_t>(node)];
    const CollectiveModel& c = programs[static_cast<std::size_t>(n.program)].collectives[which];
    const FactorTable& factor = classFactor[static_cast<std::size_t>(c.kernelClass)];
    const bool inter = graph->classes[static_cast<std::size_t>(c.kernelClass)].scope == Scope::interNode;
    Transfer t{c.kernelClass, c.count * c.meanSeconds, c.count * c.hiddenSeconds};
    t.regime = regimeOf(c.kernelClass, regimes);
    t.link = inter ? replica.link[static_cast<std::size_t>(n.stage)] : 1.0;
    const StreamId id{collectiveStream[static_cast<std::size_t>(node)].value ^ mix64(which)};
    const StreamId rareId{id.value ^ mix64(kCollectiveRare)};
    const std::uint64_t index = drawIndex(sample, replica.index);
    if (!factor.deterministic()) {
        if (c.count <= kDrawnOneByOne) {
            const int draws = std::max(1, static_cast<int>(std::lround(c.count)));
            double sum = 0;
            for (int i = 0; i < draws; ++i)
                sum += factor(uniform(seed, id, index * kDrawnOneByOne + static_cast<std::uint64_t>(i)));
            t.temporal = sum / draws;
        } else {
            t.temporal = std::max(0.1, 1 + std::sqrt(factor.variance() / c.count) * normal(uniform(seed, id, index)));
        }
    }
    if (factor.rareProbability() > 0) {
        const int events = poisson(c.count * factor.rareProbability(), uniform(seed, rareId, index));
        t.rareExtra = events * (factor.rareMultiplier() - 1) / c.count;
    }
    return t;
}

double StepWalker::Impl::nodeSeconds(const Regimes& regimes, const Replica& replica, int sample, int node) const
{
    const WalkNode& n = nodes[static_cast<std::size_t>(node)];
    if (n.program < 0)
        return 0;
    const ProgramModel& program = programs[static_cast<std::size_t>(n.program)];
    double seconds = 0;
    if (!program.compute.empty()) {
        const double data = dataOf(sample, replica.index, n.microbatch);
        seconds = data * computeSeconds(replica, sample, node) + rareComputeSeconds(sample, replica.index, node, nullptr, data);
    }
    for (std::size_t c = 0; c < program.collectives.size(); ++c)
        seconds += collective(regimes, replica, sample, node, c).seconds();
    return seconds;
}

Transfer StepWalker::Impl::hopTransfer(const Regimes& regimes, const Replica& replica, int sample, int hop, bool forward, int microbatch) const
{
    if (hop < 0)
        return {};
    const StepOp& op = (forward ? graph->sendForward : graph->sendBackward)[static_cast<std::size_t>(hop)];
    if (op.kernelClass < 0)
        return {};
    const FactorTable& factor = classFactor[static_cast<std::size_t>(op.kernelClass)];
    Transfer t{op.kernelClass, op.meanSeconds, op.hiddenSeconds, op.minExposedSeconds};
    t.regime = regimeOf(op.kernelClass, regimes);
    if (graph->classes[static_cast<std::size_t>(op.kernelClass)].scope == Scope::interNode) {
        const auto& path = graph->schedule.path;
        const auto h = static_cast<std::size_t>(hop);
        t.link = std::max(replica.link[static_cast<std::size_t>(path[h][0])], replica.link[static_cast<std::size_t>(path[h + 1][0])]);
    }
    const std::uint64_t index = drawIndex(sample, replica.index);
    const auto name = ((static_cast<std::uint64_t>(hop) * 2 + (forward ? 0 : 1)) << 20) + static_cast<std::uint64_t>(microbatch);
    if (!factor.deterministic())
        t.temporal = factor(uniform(seed, quickStream(kTransfer, name), index));
    if (factor.rareProbability() > 0
        && uniform(seed, quickStream(kTransferRare, name), index) < factor.rareProbability())
        t.rareExtra = t.temporal * (factor.rareMultiplier() - 1);
    return t;
}

const StepOp* StepWalker::Impl::stageOp(int stage, StageOp op) const
{
    const auto in = [&](const std::vector<StepOp>& list) {
        return static_cast<std::size_t>(stage) < list.size() ? &list[static_cast<std::size_t>(stage)] : nullptr;
    };
    const StepOp* found = nullptr;
    switch (op) {
    case StageOp::embedding: found = &graph->embeddingAllReduce; break;
    case StageOp::gradSync: found = in(graph->gradSync); break;
    case StageOp::gradNorm: found = &graph->gradNorm; break;
    case StageOp::optimizer: found = in(graph->optimizer); break;
    case StageOp::paramGather: found = in(graph->paramGather); break;
    }
    return found && found->kernelClass >= 0 ? found : nullptr;
}

Transfer StepWalker::Impl::stageTransfer(const Regimes& regimes, int sample, int stage, StageOp which, int replica, double link) const
{
    const StepOp* op = stageOp(stage, which);
    if (!op)
        return {};
    const FactorTable& factor = classFactor[static_cast<std::size_t>(op->kernelClass)];
    Transfer t{op->kernelClass, op->meanSeconds, op->hiddenSeconds, op->minExposedSeconds};
    t.regime = regimeOf(op->kernelClass, regimes);
    t.link = graph->classes[static_cast<std::size_t>(op->kernelClass)].scope == Scope::interNode ? link : 1.0;
    const std::uint64_t index = drawIndex(sample, replica);
    const auto name = static_cast<std::uint64_t>(which) * 4'096 + static_cast<std::uint64_t>(stage);
    if (!factor.deterministic())
        t.temporal = factor(uniform(seed, quickStream(kStageOp, name), index));
    if (factor.rareProbability() > 0 && uniform(seed, quickStream(kStageOpRare, name), index) < factor.rareProbability())
        t.rareExtra = t.temporal * (factor.rareMultiplier() - 1);
    return t;
}

Parts StepWalker::Impl::optimizerParts(int sample, int stage, double slowestDrawn, double slowestSpeed) const
{
    Parts parts(graph->classes.size());
    const StepOp* op = stageOp(stage, StageOp::optimizer);
    if (!op)
        return parts;
    const KernelClass& kernelClass = graph->classes[static_cast<std::size_t>(op->kernelClass)];
    const FactorTable& factor = classFactor[static_cast<std::size_t>(op->kernelClass)];
    const double s = kernelClass.spatialSensitivity;
    const double drawn = 1 + s * (slowestDrawn - 1), whole = 1 + s * (slowestSpeed - 1);
    parts.add(op->kernelClass, Cause::computeMean, op->meanSeconds);
    parts.add(op->kernelClass, Cause::spatial, op->meanSeconds * (drawn - 1));
    parts.add(op->kernelClass, Cause::slowSpot, op->meanSeconds * (whole - drawn));
    if (!factor.deterministic()) {
        const double e = factor(uniform(seed, quickStream(kStageOp, 3 * 4'096 + static_cast<std::uint64_t>(stage)), static_cast<std::uint64_t>(sample)));
        parts.add(op->kernelClass, Cause::temporal, op->meanSeconds * whole * (e - 1));
    }
    return parts;
}

void StepWalker::Impl::walkReplica(int sample, const Regimes& regimes, Replica& replica) const
{
    const std::size_t count = nodes.size();
    replica.start.resize(count);
    replica.end.resize(count);
    replica.free.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
        const WalkNode& n = nodes[i];
        double start = n.previous >= 0 ? replica.free[static_cast<std::size_t>(n.previous)] : 0.0;
        if (n.input >= 0) {
            const double sent = replica.end[static_cast<std::size_t>(n.input)];
            start = std::max(start, n.hop < 0 ? sent : sent + hopTransfer(regimes, replica, sample, n.hop, n.hopForward, n.microbatch).seconds());
        }
        replica.start[i] = start;
        replica.end[i] = start + nodeSeconds(regimes, replica, sample, static_cast<int>(i));
        replica.free[i] = replica.end[i];
        if (n.outHop >= 0)
            replica.free[i] += hopTransfer(regimes, replica, sample, n.outHop, n.outForward, n.microbatch).seconds();
    }
    replica.done.assign(static_cast<std::size_t>(stages()), 0.0);
    for (int s = 0; s < stages(); ++s)
        if (lastOfStage[static_cast<std::size_t>(s)] >= 0)
            replica.done[static_cast<std::size_t>(s)] = replica.free[static_cast<std::size_t>(lastOfStage[static_cast<std::size_t>(s)])];
    if (stageOp(0, StageOp::embedding)) {
        double& first = replica.done[firstStage()];
        double& last = replica.done[lastStage()];
        const double start = std::max(first, last);
        const double link = std::max(replica.link[firstStage()], replica.link[lastStage()]);
        const double end = start + stageTransfer(regimes, sample, 0, StageOp::embedding, replica.index, link).seconds();
        replica.embedding = {start, end, true};
        first = last = end;
    }
}

namespace {

/// Appends a piece; pieces are collected from the end of the step to its start.
void push(std::vector<CriticalPiece>& pieces, SpanKind kind, int stage, int node, double start, double end)
{
    if (end > start)
        pieces.push_back({kind, stage, node, start, end});
}

} // namespace

StepWalker::StepWalker(std::shared_ptr<const StepGraph> graph, std::uint64_t seed, int candidates)
{
    auto impl = std::make_unique<Impl>();
    impl->graph = std::move(graph);
    impl->seed = seed;
    impl->candidates = std::max(1, candidates);
    for (const Program& program : impl->graph->programs)
        impl->programs.push_back(programModel(*impl->graph, program));
    for (const KernelClass& kernelClass : impl->graph->classes)
        impl->classFactor.emplace_back(kernelClass.temporal);
    impl->spatialSampler = FactorSampler(impl->graph->spatial);
    impl->dataSampler = FactorSampler(impl->graph->data);
    impl->intraSampler = FactorSampler(impl->graph->intraRegime);
    impl->interSampler = FactorSampler(impl->graph->interRegime);
    impl->prepareSpeedStreams();
    impl->prepareNodes();
    impl->prepareWork();
    m_impl = std::move(impl);
}

StepWalker::~StepWalker() = default;

const std::vector<WalkNode>& StepWalker::nodes() const
{
    return m_impl->nodes;
}

WalkedStep StepWalker::walk(int sample) const
{
    const Impl& impl = *m_impl;
    const int stages = impl.stages();
    const Impl::Regimes regimes = impl.regimes(sample);
    std::vector<double> slowestSpeed; // per stage: drawn and whole speed of the slowest rank of all replicas
    std::vector<Impl::Replica> replicas;
    for (const int index : impl.busiestReplicas(sample, slowestSpeed)) {
        replicas.emplace_back().index = index;
        impl.prepareReplica(sample, replicas.back());
        impl.walkReplica(sample, regimes, replicas.back());
    }
    double jobLink = 1;
    std::vector<double> stageLink(static_cast<std::size_t>(stages), 1.0);
    for (int s = 0; s < stages; ++s) {
        for (const SlowSpot& spot : impl.graph->slow)
            if (spot.stage < 0 || spot.stage == s)
                stageLink[static_cast<std::size_t>(s)] = std::max(stageLink[static_cast<std::size_t>(s)], spot.linkFactor);
        jobLink = std::max(jobLink, stageLink[static_cast<std::size_t>(s)]);
    }
    WalkedStep step;
    step.sample = sample;
    step.stageOps.resize(static_cast<std::size_t>(stages));
    std::vector<std::size_t> latest(static_cast<std::size_t>(stages), 0);
    std::vector<double> clock(static_cast<std::size_t>(stages), 0.0);
    for (int s = 0; s < stages; ++s) {
        const auto stage = static_cast<std::size_t>(s);
        for (std::size_t r = 0; r < replicas.size(); ++r)
            if (replicas[r].done[stage] > replicas[latest[stage]].done[stage])
                latest[stage] = r;
        clock[stage] = replicas[latest[stage]].done[stage];
        const double seconds = impl.stageTransfer(regimes, sample, s, StageOp::gradSync, -1, stageLink[stage]).seconds();
        step.stageOps[stage][static_cast<std::size_t>(StageOp::gradSync)] = {clock[stage], clock[stage] + seconds, seconds > 0};
        clock[stage] += seconds;
    }
    const auto lastStage = [&clock] { return static_cast<int>(std::max_element(clock.begin(), clock.end()) - clock.begin()); };
    int normStage = -1; // the stage that arrives last at the global norm
    if (impl.stageOp(0, StageOp::gradNorm)) {
        normStage = lastStage();
        const double start = clock[static_cast<std::size_t>(normStage)];
        const double end = start + impl.stageTransfer(regimes, sample, 0, StageOp::gradNorm, -1, jobLink).seconds();
        for (int s = 0; s < stages; ++s) {
            step.stageOps[static_cast<std::size_t>(s)][static_cast<std::size_t>(StageOp::gradNorm)] = {start, end, end > start};
            clock[static_cast<std::size_t>(s)] = end;
        }
    }
    for (int s = 0; s < stages; ++s) {
        const auto stage = static_cast<std::size_t>(s);
        const double optimizer = impl.optimizerParts(sample, s, slowestSpeed[2 * stage], slowestSpeed[2 * stage + 1]).sum();
        step.stageOps[stage][static_cast<std::size_t>(StageOp::optimizer)] = {clock[stage], clock[stage] + optimizer, optimizer > 0};
        clock[stage] += optimizer;
        const double gather = impl.stageTransfer(regimes, sample, s, StageOp::paramGather, -1, stageLink[stage]).seconds();
        step.stageOps[stage][static_cast<std::size_t>(StageOp::paramGather)] = {clock[stage], clock[stage] + gather, gather > 0};
        clock[stage] += gather;
    }
    int stage = lastStage();
    step.stepSeconds = clock[static_cast<std::size_t>(stage)];
    // Backward along what arrived last.
    std::vector<CriticalPiece>& pieces = step.critical;
    const auto& ops = step.stageOps;
    const auto pushOp = [&](SpanKind kind, StageOp op) {
        const Interval& interval = ops[static_cast<std::size_t>(stage)][static_cast<std::size_t>(op)];
        push(pieces, kind, stage, -1, interval.start, interval.end);
    };
    pushOp(SpanKind::paramGather, StageOp::paramGather);
    pushOp(SpanKind::optimizer, StageOp::optimizer);
    if (normStage >= 0) {
        pushOp(SpanKind::gradNorm, StageOp::gradNorm);
        stage = normStage;
    }
    pushOp(SpanKind::gradSync, StageOp::gradSync);
    const Impl::Replica& replica = replicas[latest[static_cast<std::size_t>(stage)]];
    if (replica.embedding.present) {
        const int first = static_cast<int>(impl.firstStage()), last = static_cast<int>(impl.lastStage());
        step.stageOps[impl.firstStage()][0] = step.stageOps[impl.lastStage()][0] = replica.embedding;
        if (stage == first || stage == last) {
            push(pieces, SpanKind::embeddingAllReduce, stage, -1, replica.embedding.start, replica.embedding.end);
            const auto freeOf = [&](int s) { return replica.free[static_cast<std::size_t>(impl.lastOfStage[static_cast<std::size_t>(s)])]; };
            stage = freeOf(first) >= freeOf(last) ? first : last;
        }
    }
    int node = impl.lastOfStage[static_cast<std::size_t>(stage)];
    bool sending = true; // the piece after node's end that occupies the sender lies on the path
    while (node >= 0) {
        const auto i = static_cast<std::size_t>(node);
        const WalkNode& n = impl.nodes[i];
        if (sending)
            push(pieces, SpanKind::send, n.stage, node, replica.end[i], replica.free[i]);
        push(pieces, n.phase == Phase::forward ? SpanKind::forward : n.phase == Phase::backward ? SpanKind::backward : SpanKind::weight, n.stage,
             node, replica.start[i], replica.end[i]);
        const double before = n.previous >= 0 ? replica.free[static_cast<std::size_t>(n.previous)] : -1.0;
        if (n.input >= 0 && before < replica.start[i]) {
            const double sent = replica.end[static_cast<std::size_t>(n.input)];
            push(pieces, SpanKind::send, impl.nodes[static_cast<std::size_t>(n.input)].stage, node, sent, replica.start[i]);
            node = n.input;
            sending = false;
        } else {
            node = n.previous;
            sending = true;
        }
    }
    std::reverse(pieces.begin(), pieces.end());
    step.replica = replica.index;
    step.start = replica.start;
    step.end = replica.end;
    step.speed = replica.speed;
    step.drawnSpeed = replica.drawn;
    return step;
}

StepWalker::Impl::Replica StepWalker::Impl::rebuilt(const WalkedStep& step) const
{
    Replica replica;
    replica.index = step.replica;
    for (int s = 0; s < stages(); ++s)
        replica.link.push_back(linkOf(step.replica, s));
    replica.drawn = step.drawnSpeed;
    replica.speed = step.speed;
    return replica;
}

Parts StepWalker::nodeParts(const WalkedStep& step, int node) const
{
    const Impl& impl = *m_impl;
    const WalkNode& n = impl.nodes[static_cast<std::size_t>(node)];
    Parts parts(impl.graph->classes.size());
    if (n.program < 0)
        return parts;
    const ProgramModel& program = impl.programs[static_cast<std::size_t>(n.program)];
    const Impl::Regimes regimes = impl.regimes(step.sample);
    const Impl::Replica replica = impl.rebuilt(step);
    for (std::size_t c = 0; c < program.collectives.size(); ++c)
        impl.collective(regimes, replica, step.sample, node, c).addTo(parts);
    if (program.compute.empty())
        return parts;
    const double data = impl.dataOf(step.sample, step.replica, n.microbatch);
    const double rare = impl.rareComputeSeconds(step.sample, step.replica, node, &parts, data);
    double collectives = 0;
    for (std::size_t c = 0; c < program.collectives.size(); ++c)
        collectives += impl.collective(regimes, replica, step.sample, node, c).seconds();
    const double whole = step.end[static_cast<std::size_t>(node)] - step.start[static_cast<std::size_t>(node)] - collectives - rare;
    // The slowest rank of the cell stands for it.
    const auto first = static_cast<std::size_t>(n.stage) * impl.ranks();
    const auto begin = step.speed.begin() + static_cast<std::ptrdiff_t>(first);
    const auto slowest = first + static_cast<std::size_t>(std::max_element(begin, begin + static_cast<std::ptrdiff_t>(impl.ranks())) - begin);
    const double drawn = step.drawnSpeed[slowest] - 1, slow = step.speed[slowest] - step.drawnSpeed[slowest];
    double known = 0, variance = 0;
    for (const ComputeModel& c : program.compute) {
        parts.add(c.kernelClass, Cause::computeMean, c.seconds);
        parts.add(c.kernelClass, Cause::spatial, c.sensitiveSeconds * drawn);
        parts.add(c.kernelClass, Cause::slowSpot, c.sensitiveSeconds * slow);
        const double so = c.seconds + c.sensitiveSeconds * (drawn + slow);
        parts.add(c.kernelClass, Cause::data, so * (data - 1));
        known += so * data;
        variance += c.variance;
    }
    for (const ComputeModel& c : program.compute) {
        const double share = variance > 0 ? c.variance / variance : c.seconds / program.computeSeconds;
        parts.add(c.kernelClass, Cause::temporal, (whole - known) * share);
    }
    return parts;
}

double StepWalker::transferSeconds(const WalkedStep& step, int node) const
{
    const WalkNode& n = m_impl->nodes[static_cast<std::size_t>(node)];
    return m_impl->hopTransfer(m_impl->regimes(step.sample), m_impl->rebuilt(step), step.sample, n.hop, n.hopForward, n.microbatch).seconds();
}

Parts StepWalker::transferParts(const WalkedStep& step, int node) const
{
    Parts parts(m_impl->graph->classes.size());
    const WalkNode& n = m_impl->nodes[static_cast<std::size_t>(node)];
    m_impl->hopTransfer(m_impl->regimes(step.sample), m_impl->rebuilt(step), step.sample, n.hop, n.hopForward, n.microbatch).addTo(parts);
    return parts;
}

Parts StepWalker::outgoingParts(const WalkedStep& step, int node) const
{
    Parts parts(m_impl->graph->classes.size());
    const WalkNode& n = m_impl->nodes[static_cast<std::size_t>(node)];
    m_impl->hopTransfer(m_impl->regimes(step.sample), m_impl->rebuilt(step), step.sample, n.outHop, n.outForward, n.microbatch).addTo(parts);
    return parts;
}

Parts StepWalker::stageOpParts(const WalkedStep& step, int stage, StageOp op) const
{
    const Impl& impl = *m_impl;
    Parts parts(impl.graph->classes.size());
    const Impl::Regimes regimes = impl.regimes(step.sample);
    const auto stageLink = [&](int s) {
        double link = 1;
        for (const SlowSpot& spot : impl.graph->slow)
            if (s < 0 || spot.stage < 0 || spot.stage == s)
                link = std::max(link, spot.linkFactor);
        return link;
    };
    if (op == StageOp::optimizer) {
        std::vector<double> slowestSpeed;
        static_cast<void>(impl.busiestReplicas(step.sample, slowestSpeed));
        const auto s = static_cast<std::size_t>(stage);
        return impl.optimizerParts(step.sample, stage, slowestSpeed[2 * s], slowestSpeed[2 * s + 1]);
    }
    if (op == StageOp::embedding)
        impl.stageTransfer(regimes, step.sample, 0, op, step.replica, std::max(impl.linkOf(step.replica, static_cast<int>(impl.firstStage())), impl.linkOf(step.replica, static_cast<int>(impl.lastStage()))))
            .addTo(parts);
    else if (op == StageOp::gradNorm)
        impl.stageTransfer(regimes, step.sample, 0, op, -1, stageLink(-1)).addTo(parts);
    else
        impl.stageTransfer(regimes, step.sample, stage, op, -1, stageLink(stage)).addTo(parts);
    return parts;
}

} // namespace prism
