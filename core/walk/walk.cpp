// SPDX-License-Identifier: GPL-3.0-or-later
// A step from its first forward to the end of its last rank, and the path through it that arrived last.
#include "core/walk/walk.h"

#include "core/stats/normal.h"
#include "core/walk/walkmodel.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace prism {

namespace {

/// The least number of replicas that are walked: the end of the step is predicted from them.
constexpr std::size_t kFewest = 2;

/// Chance that one of the replicas from `from` on ended after `latest`: the sum of each one's, at most 1.
double missedProbability(const EndFit& fit, const std::vector<ExpectedEnd>& order, std::size_t from, double meanExpected, double meanEnd,
                         double latest)
{
    // The mean of the walked ends has an error of its own.
    const double sigma = fit.sigma * std::sqrt(1 + 1 / static_cast<double>(from));
    double sum = 0;
    for (std::size_t i = from; i < order.size() && sum < 1; ++i) {
        const double expected = meanEnd + fit.slope * (order[i].seconds - meanExpected);
        const double chance = sigma > 0 ? normalCdf((expected - latest) / sigma) : (expected > latest ? 1.0 : 0.0);
        sum += chance;
        if (chance < 1e-9)
            break; // expected ends fall, and so do the chances
    }
    return std::min(sum, 1.0);
}

/// Ends of the stages over the walked replicas, and the operations in which all replicas meet.
class StepEnd final {
public:
    StepEnd(const WalkModel& model, const StepRegimes& regimes, const std::vector<WalkedReplica>& replicas, WalkedStep& step)
        : m_model(model),
          m_regimes(regimes),
          m_replicas(replicas),
          m_step(step),
          m_clock(static_cast<std::size_t>(model.stages()), 0.0)
    {
        m_step.stageOps.resize(m_clock.size());
        m_last.assign(m_clock.size(), 0);
        synchronise();
        meetForNorm();
        update();
        m_stage = latestStage();
        m_step.stepSeconds = m_clock[static_cast<std::size_t>(m_stage)];
    }

    [[nodiscard]] int stage() const { return m_stage; }         ///< that ends last
    [[nodiscard]] int normStage() const { return m_normStage; } ///< that the global norm waits for; -1 without a norm
    [[nodiscard]] std::size_t lastReplica(int stage) const { return m_last[static_cast<std::size_t>(stage)]; }

private:
    void synchronise()
    {
        for (std::size_t s = 0; s < m_clock.size(); ++s) {
            for (std::size_t r = 0; r < m_replicas.size(); ++r)
                if (m_replicas[r].done[s] > m_replicas[m_last[s]].done[s])
                    m_last[s] = r;
            m_clock[s] = m_replicas[m_last[s]].done[s];
            run(s, StageOp::gradSync, m_model.stageTransfer(m_regimes, m_step.sample, static_cast<int>(s), StageOp::gradSync).seconds());
        }
    }

    void meetForNorm()
    {
        if (!m_model.stageOp(0, StageOp::gradNorm))
            return;
        m_normStage = latestStage();
        const double start = m_clock[static_cast<std::size_t>(m_normStage)];
        const double seconds = m_model.stageTransfer(m_regimes, m_step.sample, 0, StageOp::gradNorm).seconds();
        for (std::size_t s = 0; s < m_clock.size(); ++s) {
            m_clock[s] = start;
            run(s, StageOp::gradNorm, seconds);
        }
    }

    void update()
    {
        for (std::size_t s = 0; s < m_clock.size(); ++s) {
            run(s, StageOp::optimizer, m_model.optimizerParts(m_step.sample, static_cast<int>(s), m_step.slowest[s]).sum());
            run(s, StageOp::paramGather,
                m_model.stageTransfer(m_regimes, m_step.sample, static_cast<int>(s), StageOp::paramGather).seconds());
        }
    }

    void run(std::size_t stage, StageOp op, double seconds)
    {
        m_step.stageOps[stage][static_cast<std::size_t>(op)] = {m_clock[stage], m_clock[stage] + seconds, seconds > 0};
        m_clock[stage] += seconds;
    }

    [[nodiscard]] int latestStage() const { return static_cast<int>(std::max_element(m_clock.begin(), m_clock.end()) - m_clock.begin()); }

    const WalkModel& m_model;
    const StepRegimes& m_regimes;
    const std::vector<WalkedReplica>& m_replicas;
    WalkedStep& m_step;
    std::vector<double> m_clock;
    std::vector<std::size_t> m_last;
    int m_stage = 0, m_normStage = -1;
};

/// Collects the critical path from the end of the step to its start.
class Backward final {
public:
    Backward(const WalkModel& model, const std::vector<WalkedReplica>& replicas, WalkedStep& step)
        : m_model(model),
          m_replicas(replicas),
          m_step(step)
    {
    }

    /// Returns the replica that the path runs through.
    const WalkedReplica& follow(const StepEnd& end)
    {
        int stage = end.stage();
        pushOp(stage, SpanKind::paramGather, StageOp::paramGather);
        pushOp(stage, SpanKind::optimizer, StageOp::optimizer);
        if (end.normStage() >= 0) {
            pushOp(stage, SpanKind::gradNorm, StageOp::gradNorm);
            stage = end.normStage();
        }
        pushOp(stage, SpanKind::gradSync, StageOp::gradSync);
        const WalkedReplica& replica = m_replicas[end.lastReplica(stage)];
        followReplica(replica, throughEmbedding(replica, stage));
        std::reverse(m_step.critical.begin(), m_step.critical.end());
        return replica;
    }

private:
    void push(SpanKind kind, int stage, int node, double start, double end)
    {
        if (end > start)
            m_step.critical.push_back({kind, stage, node, start, end});
    }

    void pushOp(int stage, SpanKind kind, StageOp op)
    {
        const Interval& interval = m_step.stageOps[static_cast<std::size_t>(stage)][static_cast<std::size_t>(op)];
        push(kind, stage, -1, interval.start, interval.end);
    }

    /// The stage at whose last chunk the path goes on.
    int throughEmbedding(const WalkedReplica& replica, int stage)
    {
        if (!replica.embedding.present)
            return stage;
        const auto first = m_model.firstStage(), last = m_model.lastStage();
        m_step.stageOps[first][0] = m_step.stageOps[last][0] = replica.embedding;
        if (static_cast<std::size_t>(stage) != first && static_cast<std::size_t>(stage) != last)
            return stage;
        push(SpanKind::embeddingAllReduce, stage, -1, replica.embedding.start, replica.embedding.end);
        const auto freeOf = [&](std::size_t s) { return replica.free[static_cast<std::size_t>(m_model.lastOfStage[s])]; };
        return static_cast<int>(freeOf(first) >= freeOf(last) ? first : last);
    }

    void followReplica(const WalkedReplica& replica, int stage)
    {
        int node = m_model.lastOfStage[static_cast<std::size_t>(stage)];
        bool sending = true; // the piece after node's end that occupies the sender lies on the path
        while (node >= 0) {
            const auto i = static_cast<std::size_t>(node);
            const WalkNode& n = m_model.nodes[i];
            if (sending)
                push(SpanKind::send, n.stage, node, replica.end[i], replica.free[i]);
            push(n.phase == Phase::forward    ? SpanKind::forward
                 : n.phase == Phase::backward ? SpanKind::backward
                                              : SpanKind::weight,
                 n.stage, node, replica.start[i], replica.end[i]);
            const double before = n.previous >= 0 ? replica.free[static_cast<std::size_t>(n.previous)] : -1.0;
            sending = n.input < 0 || before >= replica.start[i];
            if (!sending)
                push(SpanKind::send, m_model.nodes[static_cast<std::size_t>(n.input)].stage, node,
                     replica.end[static_cast<std::size_t>(n.input)], replica.start[i]);
            node = sending ? n.previous : n.input;
        }
    }

    const WalkModel& m_model;
    const std::vector<WalkedReplica>& m_replicas;
    WalkedStep& m_step;
};

void takeTimes(WalkedStep& step, const WalkedReplica& replica)
{
    step.replica = replica.index;
    step.start = replica.start;
    step.end = replica.end;
    step.speed = replica.speed;
    step.drawnSpeed = replica.drawn;
}

} // namespace

double WalkedReplica::latest() const
{
    return *std::max_element(done.begin(), done.end());
}

WalkedReplica WalkModel::walkedReplica(int sample, const StepRegimes& regimes, int index) const
{
    WalkedReplica replica = drawnReplica(sample, index);
    replica.moments.assign(static_cast<std::size_t>(stages()) * programs.size(), Moments{});
    for (int s = 0; s < stages(); ++s)
        for (const auto& phases : graph->programOf[static_cast<std::size_t>(s)])
            for (const int program : phases) {
                if (program < 0)
                    continue;
                Moments& moments = replica.moments[static_cast<std::size_t>(s) * programs.size() + static_cast<std::size_t>(program)];
                if (moments.mean == 0)
                    moments = computeMoments(programs[static_cast<std::size_t>(program)],
                                             replica.speed.data() + static_cast<std::size_t>(s) * ranks(), graph->groupRanks,
                                             graph->groupsPerCell);
            }
    replica.start.resize(nodes.size());
    replica.end.resize(nodes.size());
    replica.free.resize(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const WalkNode& n = nodes[i];
        double start = n.previous >= 0 ? replica.free[static_cast<std::size_t>(n.previous)] : 0.0;
        if (n.input >= 0) {
            const double sent = replica.end[static_cast<std::size_t>(n.input)];
            start = std::max(start,
                             n.hop < 0 ? sent : sent + hopTransfer(regimes, replica, sample, n.hop, n.hopForward, n.microbatch).seconds());
        }
        replica.start[i] = start;
        replica.end[i] = start + nodeSeconds(regimes, replica, sample, static_cast<int>(i));
        replica.free[i] = replica.end[i];
        if (n.outHop >= 0)
            replica.free[i] += hopTransfer(regimes, replica, sample, n.outHop, n.outForward, n.microbatch).seconds();
    }
    replica.done.assign(static_cast<std::size_t>(stages()), 0.0);
    for (std::size_t s = 0; s < replica.done.size(); ++s)
        if (lastOfStage[s] >= 0)
            replica.done[s] = replica.free[static_cast<std::size_t>(lastOfStage[s])];
    if (stageOp(0, StageOp::embedding)) {
        double &first = replica.done[firstStage()], &last = replica.done[lastStage()];
        const double start = std::max(first, last), end = start + embeddingTransfer(regimes, replica, sample).seconds();
        replica.embedding = {start, end, true};
        first = last = end;
    }
    return replica;
}

StepWalker::StepWalker(std::shared_ptr<const StepGraph> graph, std::uint64_t seed, double allowedMiss)
    : m_model(std::make_unique<const WalkModel>(std::move(graph), seed)),
      m_allowedMiss(allowedMiss)
{
}

StepWalker::~StepWalker() = default;

const std::vector<WalkNode>& StepWalker::nodes() const
{
    return m_model->nodes;
}

WalkedStep StepWalker::walk(int sample) const
{
    const StepRegimes regimes = m_model->regimes(sample);
    WalkedStep step;
    step.sample = sample;
    const std::vector<ExpectedEnd> order = m_model->expectedEnds(sample, regimes, step.slowest);
    std::vector<WalkedReplica> replicas; // those that are the last at some stage
    std::vector<double> latest(static_cast<std::size_t>(m_model->stages()), 0.0);
    double expected = 0, ends = 0;
    for (const ExpectedEnd& next : order) {
        const auto walked = static_cast<std::size_t>(step.walkedReplicas);
        if (walked >= kFewest && m_allowedMiss > 0) {
            const double n = static_cast<double>(walked), slowest = *std::max_element(latest.begin(), latest.end());
            step.missedProbability = missedProbability(m_model->fit, order, walked, expected / n, ends / n, slowest);
            if (step.missedProbability <= m_allowedMiss)
                break;
        }
        WalkedReplica replica = m_model->walkedReplica(sample, regimes, next.replica);
        ++step.walkedReplicas;
        expected += next.seconds;
        ends += replica.latest();
        bool isLast = replicas.empty();
        for (std::size_t s = 0; s < latest.size(); ++s) {
            isLast = isLast || replica.done[s] > latest[s];
            latest[s] = std::max(latest[s], replica.done[s]);
        }
        if (isLast)
            replicas.push_back(std::move(replica));
    }
    if (step.walkedReplicas == static_cast<int>(order.size()))
        step.missedProbability = 0;
    const StepEnd end(*m_model, regimes, replicas, step);
    takeTimes(step, Backward(*m_model, replicas, step).follow(end));
    return step;
}

WalkedStep StepWalker::withReplica(WalkedStep step, int replica) const
{
    if (replica == step.replica)
        return step;
    const WalkedReplica other = m_model->walkedReplica(step.sample, m_model->regimes(step.sample), replica);
    takeTimes(step, other);
    std::erase_if(step.critical, [](const CriticalPiece& piece) { return piece.node >= 0 || piece.kind == SpanKind::embeddingAllReduce; });
    constexpr auto kEmbedding = static_cast<std::size_t>(StageOp::embedding);
    for (auto& operations : step.stageOps)
        operations[kEmbedding] = {};
    if (other.embedding.present)
        step.stageOps[m_model->firstStage()][kEmbedding] = step.stageOps[m_model->lastStage()][kEmbedding] = other.embedding;
    return step;
}

} // namespace prism
