// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/fleet/dispatch.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <array>
#include <numeric>
#include <queue>
#include <set>
#include <utility>

namespace prism {
namespace {

using Grant = std::vector<std::pair<std::size_t, int>>; ///< nodes and GPUs of a task

/// Which GPUs are free, and which a task gets.
class Nodes final {
public:
    Nodes(const std::vector<double>& times, int gpusPerNode, bool bySpeed)
        : m_times(times),
          m_perNode(gpusPerNode),
          m_free(times.size(), gpusPerNode),
          m_freeGpus(static_cast<std::int64_t>(times.size()) * gpusPerNode),
          m_order(times.size())
    {
        std::iota(m_order.begin(), m_order.end(), std::size_t{0});
        if (bySpeed) // fastest first
            std::stable_sort(m_order.begin(), m_order.end(), [&](std::size_t a, std::size_t b) { return times[a] < times[b]; });
        m_slowestFirst = bySpeed;
    }

    /// Empty where the task has to wait.
    [[nodiscard]] Grant grantFor(int gpus) const
    {
        Grant grant;
        if (gpus > m_freeGpus)
            return grant;
        int whole = gpus > m_perNode ? gpus / m_perNode : 0;
        const int rest = gpus - whole * m_perNode;
        for (std::size_t i = 0; i < m_order.size() && whole > 0; ++i)
            if (m_free[m_order[i]] == m_perNode) {
                grant.emplace_back(m_order[i], m_perNode);
                --whole;
            }
        const bool large = gpus > m_perNode;
        if (whole > 0 || (rest > 0 && !addRest(grant, rest, m_slowestFirst && !large)))
            return {};
        return grant;
    }
    void take(const Grant& grant, int sign)
    {
        for (const auto& [node, gpus] : grant) {
            m_free[node] -= sign * gpus;
            m_freeGpus -= sign * gpus;
        }
    }
    [[nodiscard]] double slowest(const Grant& grant) const
    {
        double largest = 0;
        for (const auto& [node, gpus] : grant)
            largest = std::max(largest, m_times[node]);
        return largest;
    }

private:
    /// The fullest node that has room; if several are equally full, the first in order, or the last.
    bool addRest(Grant& grant, int rest, bool fromTheEnd) const
    {
        std::size_t best = m_order.size();
        std::vector<char> used(m_order.size(), 0);
        for (const auto& [node, gpus] : grant)
            used[node] = 1;
        for (std::size_t k = 0; k < m_order.size(); ++k) {
            const std::size_t node = m_order[fromTheEnd ? m_order.size() - 1 - k : k];
            if (used[node] == 0 && m_free[node] >= rest && (best == m_order.size() || m_free[node] < m_free[best]))
                best = node;
        }
        if (best == m_order.size())
            return false;
        grant.emplace_back(best, rest);
        return true;
    }

    const std::vector<double>& m_times;
    int m_perNode;
    std::vector<int> m_free;
    std::int64_t m_freeGpus;
    std::vector<std::size_t> m_order;
    bool m_slowestFirst = false; ///< small tasks
};

double keyOf(const FleetTask& task, FleetPolicy policy)
{
    switch (policy) {
    case FleetPolicy::shortestMean:
        return task.mean;
    case FleetPolicy::shortestP95:
    case FleetPolicy::p95Placement:
        return task.p95;
    case FleetPolicy::fifo:
    case FleetPolicy::placement:
        break;
    }
    return task.submit;
}

} // namespace

std::string policyName(FleetPolicy policy)
{
    constexpr std::array<const char*, kFleetPolicies> names = {"fifo", "shortest-mean", "shortest-p95", "placement", "p95-placement"};
    return names[static_cast<std::size_t>(policy)];
}

FleetRun dispatched(const std::vector<FleetTask>& tasks, const std::vector<double>& nodeTimes, int gpusPerNode, FleetPolicy policy)
{
    const bool bySpeed = policy == FleetPolicy::placement || policy == FleetPolicy::p95Placement;
    Nodes nodes(nodeTimes, gpusPerNode, bySpeed);
    FleetRun run{std::vector<double>(tasks.size(), 0), std::vector<double>(tasks.size(), 0), 0};
    std::vector<Grant> grants(tasks.size());
    std::set<std::pair<double, std::size_t>> waiting; // by key, then by submission
    using End = std::pair<double, std::size_t>;
    std::priority_queue<End, std::vector<End>, std::greater<>> running;
    std::size_t next = 0;
    double used = 0;
    while (next < tasks.size() || !running.empty()) {
        const double arrives = next < tasks.size() ? tasks[next].submit : INFINITY;
        const double now = running.empty() ? arrives : std::min(arrives, running.top().first);
        for (; !running.empty() && running.top().first <= now; running.pop())
            nodes.take(grants[running.top().second], -1);
        for (; next < tasks.size() && tasks[next].submit <= now; ++next)
            waiting.emplace(keyOf(tasks[next], policy), next);
        while (!waiting.empty()) {
            const std::size_t task = waiting.begin()->second;
            Grant grant = nodes.grantFor(tasks[task].gpus);
            if (grant.empty())
                break;
            nodes.take(grant, 1);
            run.start[task] = now;
            run.end[task] = now + tasks[task].actual * nodes.slowest(grant);
            used += (run.end[task] - now) * tasks[task].gpus;
            grants[task] = std::move(grant);
            running.emplace(run.end[task], task);
            waiting.erase(waiting.begin());
        }
    }
    const double last = run.end.empty() ? 0 : *std::max_element(run.end.begin(), run.end.end());
    run.utilisation = last > 0 ? used / (last * static_cast<double>(nodeTimes.size()) * gpusPerNode) : 0;
    return run;
}

} // namespace prism
