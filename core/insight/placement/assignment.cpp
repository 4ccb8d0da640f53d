// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/placement/assignment.h"

#include "core/stats/random.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace prism {

namespace {

double combined(const AssignmentProblem& problem, const std::vector<double>& seconds)
{
    if (problem.stepSeconds)
        return problem.stepSeconds(seconds);
    const double noise = problem.noiseSeconds, longest = *std::max_element(seconds.begin(), seconds.end());
    if (noise <= 0)
        return longest;
    double sum = 0;
    for (const double t : seconds)
        sum += std::exp((t - longest) / noise);
    return longest + noise * std::log(sum);
}

double linkOf(const AssignmentProblem& problem, int node)
{
    return problem.link.empty() ? 1.0 : problem.link[static_cast<std::size_t>(node)];
}

/// An order with the times of its replicas, kept up to date through swaps.
class State final {
public:
    State(const AssignmentProblem& problem, std::vector<int> nodeAt) : m_problem(problem), m_nodeAt(std::move(nodeAt))
    {
        const auto replicas = static_cast<std::size_t>(problem.replicas);
        m_gpusOfReplica.resize(replicas);
        for (std::size_t gpu = 0; gpu < problem.cellOfGpu.size(); ++gpu)
            m_gpusOfReplica[static_cast<std::size_t>(problem.cellOfGpu[gpu] / problem.stages)].push_back(static_cast<int>(gpu));
        for (int r = 0; r < problem.replicas; ++r)
            m_seconds.push_back(secondsOf(r));
        m_objective = combined(problem, m_seconds);
    }

    [[nodiscard]] double objective() const { return m_objective; }
    [[nodiscard]] const std::vector<int>& nodeAt() const { return m_nodeAt; }
    [[nodiscard]] const std::vector<double>& seconds() const { return m_seconds; }
    [[nodiscard]] int evaluations() const { return m_evaluations; }

    /// Swaps two positions when that moves the objective in the requested direction by more than rounding.
    bool trySwap(int a, int b, double sign)
    {
        const auto nodeA = static_cast<std::size_t>(a), nodeB = static_cast<std::size_t>(b);
        if (a == b || sameSpeed(m_nodeAt[nodeA], m_nodeAt[nodeB]))
            return false;
        std::swap(m_nodeAt[nodeA], m_nodeAt[nodeB]);
        const std::vector<int> touched = replicasOf(a, b);
        std::vector<double> before;
        for (const int r : touched) {
            before.push_back(m_seconds[static_cast<std::size_t>(r)]);
            m_seconds[static_cast<std::size_t>(r)] = secondsOf(r);
        }
        const double now = combined(m_problem, m_seconds);
        if (sign * (now - m_objective) > 1e-12 * std::abs(m_objective)) {
            m_objective = now;
            return true;
        }
        std::swap(m_nodeAt[nodeA], m_nodeAt[nodeB]);
        for (std::size_t i = 0; i < touched.size(); ++i)
            m_seconds[static_cast<std::size_t>(touched[i])] = before[i];
        return false;
    }

    [[nodiscard]] std::vector<int> positionsOfReplica(int replica) const
    {
        std::vector<int> positions;
        for (const int gpu : m_gpusOfReplica[static_cast<std::size_t>(replica)])
            if (positions.empty() || positions.back() != gpu / m_problem.gpusPerNode)
                positions.push_back(gpu / m_problem.gpusPerNode);
        return positions;
    }

private:
    double secondsOf(int replica)
    {
        ++m_evaluations;
        std::vector<double> slowest(static_cast<std::size_t>(m_problem.stages), 0.0), link(slowest.size(), 1.0);
        for (const int gpu : m_gpusOfReplica[static_cast<std::size_t>(replica)]) {
            const int position = gpu / m_problem.gpusPerNode, local = gpu % m_problem.gpusPerNode;
            const auto stage = static_cast<std::size_t>(m_problem.cellOfGpu[static_cast<std::size_t>(gpu)] % m_problem.stages);
            double& s = slowest[stage];
            const int node = m_nodeAt[static_cast<std::size_t>(position)];
            s = std::max(s, m_problem.slowness[static_cast<std::size_t>(node * m_problem.gpusPerNode + local)]);
            link[stage] = std::max(link[stage], linkOf(m_problem, node));
        }
        return m_problem.replicaSeconds(slowest.data(), link.data());
    }

    [[nodiscard]] bool sameSpeed(int a, int b) const
    {
        const auto at = [this](int node) { return m_problem.slowness.begin() + static_cast<std::ptrdiff_t>(node) * m_problem.gpusPerNode; };
        return std::equal(at(a), at(a) + m_problem.gpusPerNode, at(b)) && linkOf(m_problem, a) == linkOf(m_problem, b);
    }

    [[nodiscard]] std::vector<int> replicasOf(int a, int b) const
    {
        std::vector<int> replicas;
        for (const int position : {a, b})
            for (int i = 0; i < m_problem.gpusPerNode; ++i) {
                const int r = m_problem.cellOfGpu[static_cast<std::size_t>(position * m_problem.gpusPerNode + i)] / m_problem.stages;
                if (std::find(replicas.begin(), replicas.end(), r) == replicas.end())
                    replicas.push_back(r);
            }
        return replicas;
    }

    const AssignmentProblem& m_problem;
    std::vector<int> m_nodeAt;
    std::vector<std::vector<int>> m_gpusOfReplica;
    std::vector<double> m_seconds;
    double m_objective = 0;
    int m_evaluations = 0;
};

std::vector<int> slowestFirst(const AssignmentProblem& p)
{
    std::vector<std::pair<double, double>> worstGpu; // then the link
    for (int n = 0; n < p.positions(); ++n) {
        const auto at = p.slowness.begin() + static_cast<std::ptrdiff_t>(n) * p.gpusPerNode;
        worstGpu.emplace_back(*std::max_element(at, at + p.gpusPerNode), linkOf(p, n));
    }
    std::vector<int> nodes(worstGpu.size());
    std::iota(nodes.begin(), nodes.end(), 0);
    std::stable_sort(nodes.begin(), nodes.end(),
                     [&](int a, int b) { return worstGpu[static_cast<std::size_t>(a)] > worstGpu[static_cast<std::size_t>(b)]; });
    return nodes;
}

/// What one slow stage costs a replica that is otherwise at reference speed, per stage.
std::vector<double> hurtOfStages(const AssignmentProblem& p)
{
    double slowest = 1.0;
    for (const double s : p.slowness)
        slowest = std::max(slowest, s);
    if (slowest <= 1.0)
        slowest = 1.1;
    std::vector<double> hurt, stages(static_cast<std::size_t>(p.stages), 1.0);
    const std::vector<double> links = stages;
    for (int s = 0; s < p.stages; ++s) {
        stages[static_cast<std::size_t>(s)] = slowest;
        hurt.push_back(p.replicaSeconds(stages.data(), links.data()));
        stages[static_cast<std::size_t>(s)] = 1.0;
    }
    return hurt;
}

/// Positions ordered by a key; the slowest nodes are laid down in this order.
std::vector<int> laidDown(const AssignmentProblem& p, const std::function<std::pair<double, double>(int replica, int stage)>& key)
{
    std::vector<int> positions(static_cast<std::size_t>(p.positions()));
    std::iota(positions.begin(), positions.end(), 0);
    const auto keyOf = [&](int position) {
        const int cell = p.cellOfGpu[static_cast<std::size_t>(position * p.gpusPerNode)];
        return key(cell / p.stages, cell % p.stages);
    };
    std::stable_sort(positions.begin(), positions.end(), [&](int a, int b) { return keyOf(a) < keyOf(b); });
    const std::vector<int> nodes = slowestFirst(p);
    std::vector<int> nodeAt(positions.size());
    for (std::size_t i = 0; i < positions.size(); ++i)
        nodeAt[static_cast<std::size_t>(positions[i])] = nodes[i];
    return nodeAt;
}

/// Swaps until a whole round over all pairs brings no improvement: for few positions.
void descendAllPairs(State& state, double sign, int positions, int budget, const std::stop_token& stop)
{
    bool moved = true;
    while (moved && state.evaluations() < budget && !stop.stop_requested()) {
        moved = false;
        for (int a = 0; a < positions; ++a)
            for (int b = a + 1; b < positions; ++b)
                moved = state.trySwap(a, b, sign) || moved;
    }
}

/// Swaps that involve the replica that the step waits for, against positions drawn at random: for many positions.
void descendFromTheTop(State& state, double sign, int positions, std::uint64_t seed, int budget, const std::stop_token& stop)
{
    std::uint64_t draw = 0;
    int idle = 0;
    while (idle < 200 && state.evaluations() < budget && !stop.stop_requested()) {
        const auto& seconds = state.seconds();
        const int top = static_cast<int>(std::max_element(seconds.begin(), seconds.end()) - seconds.begin());
        const std::vector<int> own = state.positionsOfReplica(top);
        const auto random = [&](std::size_t n) {
            return static_cast<std::size_t>(uniform(seed, stream(0xa551), draw++) * static_cast<double>(n));
        };
        const int a = own[random(own.size())];
        const int b = random(2) == 0 ? own[random(own.size())] : static_cast<int>(random(static_cast<std::size_t>(positions)));
        idle = state.trySwap(a, b, sign) ? 0 : idle + 1;
    }
}

std::vector<int> shuffled(int positions, std::uint64_t seed, std::uint64_t which)
{
    std::vector<int> order(static_cast<std::size_t>(positions));
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t i = order.size() - 1; i > 0; --i)
        std::swap(order[i], order[static_cast<std::size_t>(uniform(seed, stream(0xa550, which), i) * static_cast<double>(i + 1))]);
    return order;
}

} // namespace

double assignmentObjective(const AssignmentProblem& problem, const std::vector<int>& nodeAt)
{
    return State(problem, nodeAt).objective();
}

std::vector<std::vector<int>> gatheredOrders(const AssignmentProblem& problem)
{
    const std::vector<double> hurt = hurtOfStages(problem);
    const auto at = [&hurt](int stage) { return hurt[static_cast<std::size_t>(stage)]; };
    return {laidDown(problem, [&](int replica, int stage) { return std::pair(static_cast<double>(replica), at(stage)); }),
            laidDown(problem, [&](int replica, int stage) { return std::pair(at(stage), static_cast<double>(replica)); })};
}

AssignmentSearch searchAssignment(const AssignmentProblem& problem, bool worst, std::uint64_t seed, int budget, std::stop_token stop)
{
    const std::vector<double> hurt = hurtOfStages(problem);
    const auto at = [&hurt](int stage) { return hurt[static_cast<std::size_t>(stage)]; };
    std::vector<int> given(static_cast<std::size_t>(problem.positions()));
    std::iota(given.begin(), given.end(), 0);
    std::vector<std::vector<int>> starts{given};
    if (worst) {
        starts.push_back(laidDown(problem, [&](int replica, int stage) { return std::pair(-at(stage), static_cast<double>(replica)); }));
        starts.push_back(laidDown(problem, [&](int replica, int stage) { return std::pair(static_cast<double>(replica), -at(stage)); }));
    } else {
        for (std::vector<int>& order : gatheredOrders(problem))
            starts.push_back(std::move(order));
    }
    const bool few = problem.positions() <= 24;
    if (few)
        for (std::uint64_t k = 0; k < 12; ++k)
            starts.push_back(shuffled(problem.positions(), seed, k));
    const double sign = worst ? 1 : -1;
    AssignmentSearch best;
    best.evaluations = problem.stages;
    for (std::vector<int>& start : starts) {
        State state(problem, std::move(start));
        const int share = budget / static_cast<int>(starts.size()) + problem.replicas;
        if (few)
            descendAllPairs(state, sign, problem.positions(), share, stop);
        else
            descendFromTheTop(state, sign, problem.positions(), seed, share, stop);
        best.evaluations += state.evaluations();
        if (best.nodeAt.empty() || sign * (state.objective() - best.objectiveSeconds) > 1e-12 * std::abs(best.objectiveSeconds)) {
            best.nodeAt = state.nodeAt();
            best.objectiveSeconds = state.objective();
        }
    }
    return best;
}

AssignmentSearch exhaustiveAssignment(const AssignmentProblem& problem, bool worst)
{
    AssignmentSearch best;
    best.exhaustive = true;
    std::vector<int> order(static_cast<std::size_t>(problem.positions()));
    std::iota(order.begin(), order.end(), 0);
    do {
        const double objective = assignmentObjective(problem, order);
        best.evaluations += problem.replicas;
        if (best.nodeAt.empty() || (worst ? objective > best.objectiveSeconds : objective < best.objectiveSeconds)) {
            best.nodeAt = order;
            best.objectiveSeconds = objective;
        }
    } while (std::next_permutation(order.begin(), order.end()));
    return best;
}

} // namespace prism
