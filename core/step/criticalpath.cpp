// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/step/criticalpath.h"

#include "core/base/index.h"

#include <algorithm>
#include <numeric>

namespace prism {

namespace {

/// One (replica, stage) of a step; the replica as an index into the distinct ones.
struct Place {
    std::size_t replica = 0, stage = 0;
};

/// Two ends that differ by less than this share of the step are the same: sums of equal terms in another order.
constexpr double kTie = 1e-12;
/// Main stages that are tried; a schedule may have a thousand stages.
constexpr std::size_t kMaxCandidates = 64;

/// One replica's pipeline with the chunk executions that end last before each.
class Pipeline final {
public:
    /// Chunk executions from the last to the first.
    struct Route {
        std::vector<int> nodes;
        double secondsOnMain = -1.0;
    };

    /// `times` of the replica's nodes, and the `ends` of its stages.
    Pipeline(const Sweep& sweep, NodeTimes times, std::vector<double> ends);

    /// Looks at paths to the end of node `last` from now on: what no such path runs is omitted.
    void endAt(int last);

    [[nodiscard]] const NodeTimes& times() const { return m_times; }
    [[nodiscard]] const std::vector<double>& stageEnds() const { return m_ends; }
    [[nodiscard]] double tolerance() const { return m_tolerance; }
    /// Last node of a stage, -1 where it has none.
    [[nodiscard]] int last(int stage) const { return m_last[index(stage)]; }
    /// Stages by falling busy time, the busiest ones.
    [[nodiscard]] std::vector<int> candidates() const;
    /// The critical path that spends the most time on a stage.
    [[nodiscard]] Route longestOn(int stage) const;
    /// No critical path spends more time on a stage.
    [[nodiscard]] double maxOn(int stage) const { return m_criticalSeconds[index(stage)]; }

private:
    /// A node on some critical path, and the places in m_critical of those before it; -1 = none.
    struct Critical {
        int node;
        std::array<int, 2> before;
    };
    /// Nodes at whose end node i could start: the own one before, the one that made its input; -1 = it was there earlier, or none.
    [[nodiscard]] std::array<int, 2> lastBefore(int i) const;

    const Sweep& m_sweep;
    NodeTimes m_times;
    std::vector<double> m_ends;
    double m_tolerance = 0.0;
    std::vector<int> m_last, m_previous, m_producer; ///< per stage; per node; per arrival
    std::vector<Critical> m_critical;                ///< ascending by node
    std::vector<double> m_criticalSeconds;           ///< per stage: of its nodes among them
};

Pipeline::Pipeline(const Sweep& sweep, NodeTimes times, std::vector<double> ends)
    : m_sweep(sweep),
      m_times(std::move(times)),
      m_ends(std::move(ends)),
      m_tolerance(kTie * *std::max_element(m_ends.begin(), m_ends.end())),
      m_last(index(sweep.numStages), -1),
      m_previous(sweep.nodes.size(), -1),
      m_producer(sweep.numArrivals, -1)
{
    for (std::size_t i = 0; i < sweep.nodes.size(); ++i) {
        const SweepNode& n = sweep.nodes[i];
        m_previous[i] = m_last[index(n.stage)];
        m_last[index(n.stage)] = static_cast<int>(i);
        if (n.output >= 0)
            m_producer[index(n.output)] = static_cast<int>(i);
    }
}

std::vector<int> Pipeline::candidates() const
{
    std::vector<double> busy(m_last.size(), 0.0);
    for (std::size_t i = 0; i < m_sweep.nodes.size(); ++i)
        busy[index(m_sweep.nodes[i].stage)] += m_times.end[i] - m_times.start[i];
    std::vector<int> stages(m_last.size());
    std::iota(stages.begin(), stages.end(), 0);
    std::stable_sort(stages.begin(), stages.end(), [&](int a, int b) { return busy[index(a)] > busy[index(b)]; });
    stages.resize(std::min(stages.size(), kMaxCandidates));
    return stages;
}

std::array<int, 2> Pipeline::lastBefore(int i) const
{
    const SweepNode& n = m_sweep.nodes[index(i)];
    const double start = m_times.start[index(i)];
    std::array<int, 2> before{m_previous[index(i)], n.input < 0 ? -1 : m_producer[index(n.input)]};
    if (before[0] >= 0 && m_times.free[index(before[0])] < start - m_tolerance)
        before[0] = -1;
    if (before[1] >= 0 && m_times.arrives[index(before[1])] < start - m_tolerance)
        before[1] = -1;
    return before;
}

void Pipeline::endAt(int last)
{
    std::vector<int> place(index(last + 1), -1); // of a node in m_critical
    std::vector<char> requested(index(last + 1), 0);
    if (last >= 0)
        requested.back() = 1;
    m_critical.clear();
    for (int i = last; i >= 0; --i) {
        if (requested[index(i)] == 0)
            continue;
        m_critical.push_back({i, lastBefore(i)});
        for (const int before : m_critical.back().before)
            if (before >= 0)
                requested[index(before)] = 1;
    }
    std::reverse(m_critical.begin(), m_critical.end());
    m_criticalSeconds.assign(m_last.size(), 0.0);
    for (std::size_t k = 0; k < m_critical.size(); ++k) {
        Critical& c = m_critical[k];
        place[index(c.node)] = static_cast<int>(k);
        for (int& before : c.before)
            before = before < 0 ? -1 : place[index(before)];
        m_criticalSeconds[index(m_sweep.nodes[index(c.node)].stage)] += m_times.end[index(c.node)] - m_times.start[index(c.node)];
    }
}

Pipeline::Route Pipeline::longestOn(int stage) const
{
    std::vector<double> onMain(m_critical.size(), 0.0);
    std::vector<int> from(m_critical.size(), -1);
    for (std::size_t k = 0; k < m_critical.size(); ++k) {
        const auto node = index(m_critical[k].node);
        for (const int before : m_critical[k].before)
            if (before >= 0 && (from[k] < 0 || onMain[index(before)] > onMain[index(from[k])]))
                from[k] = before;
        onMain[k] = (from[k] < 0 ? 0.0 : onMain[index(from[k])])
                    + (m_sweep.nodes[node].stage == stage ? m_times.end[node] - m_times.start[node] : 0.0);
    }
    Route route;
    for (int k = static_cast<int>(m_critical.size()) - 1; k >= 0; k = from[index(k)])
        route.nodes.push_back(m_critical[index(k)].node);
    route.secondsOnMain = m_critical.empty() ? 0.0 : onMain.back();
    return route;
}

/// Collects the pieces from the last to the first.
class Backward final {
public:
    Backward(const StepGraph& graph, const DeterministicStep& step) : m_graph(graph), m_step(step), m_replicas(m_step.distinctReplicas())
    {
        if (m_replicas.size() > 1)
            m_path.seconds = m_step.seconds(m_replicas, slowest(), &m_times);
        else // the path's replica, whose nodes are needed anyway
            m_path.seconds = m_step.secondsAfter({m_step.stageEnds(m_replicas[0], slowest(), &m_nodes)}, m_replicas, slowest(), &m_times);
    }

    CriticalPath path()
    {
        const Place last = tail();
        pipeline(last);
        std::reverse(m_path.pieces.begin(), m_path.pieces.end());
        return std::move(m_path);
    }

private:
    [[nodiscard]] SlowestOfCell slowest() const
    {
        return [this](int replica, int stage) { return m_step.fixedSlowest(replica, stage); };
    }
    [[nodiscard]] static double at(const TailTimes::Ends& ends, Place p) { return ends[p.replica][p.stage]; }
    /// The last replica of a stage, and the last place of all.
    [[nodiscard]] static Place lastOfStage(const TailTimes::Ends& ends, std::size_t stage)
    {
        Place last{0, stage};
        for (std::size_t d = 1; d < ends.size(); ++d)
            if (ends[d][stage] > at(ends, last))
                last.replica = d;
        return last;
    }
    [[nodiscard]] static Place lastOfAll(const TailTimes::Ends& ends)
    {
        Place last;
        for (std::size_t d = 0; d < ends.size(); ++d)
            for (std::size_t s = 0; s < ends[d].size(); ++s)
                if (ends[d][s] > at(ends, last))
                    last = {d, s};
        return last;
    }
    void add(PathKind kind, Place place, double seconds, int slot = -1)
    {
        m_path.pieces.push_back({kind, m_replicas[place.replica], static_cast<int>(place.stage), slot, seconds});
    }

    Place tail();
    void pipeline(Place from);
    void addRoute(const Pipeline& pipeline, const Pipeline::Route& route, double until, Place at);

    const StepGraph& m_graph;
    const DeterministicStep& m_step;
    std::vector<int> m_replicas;
    TailTimes m_times;
    NodeTimes m_nodes; ///< of the path's replica
    CriticalPath m_path;
};

/// Adds what follows the pipelines; returns where the path leaves them.
Place Backward::tail()
{
    Place p = lastOfAll(m_times.paramGather);
    const auto cross = [&](PathKind kind, const TailTimes::Ends& after, const TailTimes::Ends& before, Place from) {
        add(kind, p, at(after, p) - at(before, from));
        p = from;
    };
    if (m_graph.paramGather[p.stage].kernelClass >= 0)
        cross(PathKind::paramGather, m_times.paramGather, m_times.optimizer, lastOfStage(m_times.optimizer, p.stage));
    if (m_graph.optimizer[p.stage].kernelClass >= 0)
        cross(PathKind::optimizer, m_times.optimizer, m_times.gradNorm, p);
    if (m_graph.gradNorm.kernelClass >= 0)
        cross(PathKind::gradNorm, m_times.gradNorm, m_times.gradSync, lastOfAll(m_times.gradSync));
    if (m_graph.gradSync[p.stage].kernelClass >= 0)
        cross(PathKind::gradSync, m_times.gradSync, m_times.embedding, lastOfStage(m_times.embedding, p.stage));
    const Place first{p.replica, index(m_step.sweep().firstStage)}, last{p.replica, index(m_step.sweep().lastStage)};
    if (m_graph.embeddingAllReduce.kernelClass >= 0 && (p.stage == first.stage || p.stage == last.stage))
        cross(PathKind::embeddingAllReduce, m_times.embedding, m_times.pipeline,
              at(m_times.pipeline, last) > at(m_times.pipeline, first) ? last : first);
    return p;
}

/// Of each candidate for the main stage, the critical path that spends the most time on it; the best of them is the path. Where stages are
/// equal, many paths are equally long, and only this one shows what the step consists of.
void Backward::pipeline(Place from)
{
    std::vector<double> ends =
        m_replicas.size() > 1 ? m_step.stageEnds(m_replicas[from.replica], slowest(), &m_nodes) : m_times.pipeline[from.replica];
    Pipeline pipeline(m_step.sweep(), std::move(m_nodes), std::move(ends));
    pipeline.endAt(pipeline.last(static_cast<int>(from.stage)));
    Pipeline::Route best;
    for (const int stage : pipeline.candidates()) {
        if (pipeline.maxOn(stage) <= best.secondsOnMain * (1.0 + kTie / 2)) // the other half is for sums in another order
            continue;
        Pipeline::Route route = pipeline.longestOn(stage);
        if (route.secondsOnMain > best.secondsOnMain * (1.0 + kTie)) {
            best = std::move(route);
            m_path.mainStage = stage;
        }
    }
    addRoute(pipeline, best, at(m_times.pipeline, from), from);
    m_path.replica = m_replicas[from.replica];
    m_path.stageEnds = pipeline.stageEnds();
}

void Backward::addRoute(const Pipeline& pipeline, const Pipeline::Route& route, double until, Place at)
{
    for (const int i : route.nodes) {
        const SweepNode& n = m_step.sweep().nodes[index(i)];
        const double start = pipeline.times().start[index(i)], end = pipeline.times().end[index(i)];
        const bool transfers = n.send >= 0 && until - end > pipeline.tolerance();
        if (transfers)
            add(PathKind::transfer, at, until - end);
        at.stage = index(n.stage);
        if (n.slot < 0) { // takes no time
            until = transfers ? end : until;
            continue;
        }
        add(PathKind::chunk, at, (transfers ? end : until) - start, n.slot);
        until = start;
    }
}

} // namespace

CriticalPath criticalPath(const StepGraph& graph, const DeterministicStep& step)
{
    return Backward(graph, step).path();
}

CriticalPath criticalPath(const StepGraph& graph)
{
    return criticalPath(graph, DeterministicStep(graph));
}

} // namespace prism
