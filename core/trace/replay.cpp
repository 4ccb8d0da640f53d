// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/replay.h"

#include <algorithm>

namespace prism {

double ReplayTimes::seconds() const
{
    if (start.empty())
        return 0;
    return *std::max_element(end.begin(), end.end()) - *std::min_element(start.begin(), start.end());
}

int ReplayGraph::Builder::addNodes(int nodes)
{
    const int first = m_nodes;
    m_nodes += nodes;
    return first;
}

void ReplayGraph::Builder::addGroup(std::vector<int> members)
{
    if (members.size() > 1)
        m_groups.push_back(std::move(members));
}

std::optional<ReplayGraph> ReplayGraph::Builder::graph() const
{
    ReplayGraph g;
    const auto nodes = static_cast<std::size_t>(m_nodes);
    g.m_group.assign(nodes, -1);
    for (std::size_t k = 0; k < m_groups.size(); ++k) {
        for (const int node : m_groups[k])
            g.m_group[static_cast<std::size_t>(node)] = static_cast<int>(k);
        g.m_member.insert(g.m_member.end(), m_groups[k].begin(), m_groups[k].end());
        g.m_memberBegin.push_back(static_cast<int>(g.m_member.size()));
    }
    std::vector<int> waiting(nodes, 0);
    std::vector<std::vector<int>> after(nodes);
    g.m_dependencyBegin.assign(nodes + 1, 0);
    for (const Edge& e : m_dependencies) {
        ++g.m_dependencyBegin[static_cast<std::size_t>(e.node) + 1];
        ++waiting[static_cast<std::size_t>(e.node)];
        after[static_cast<std::size_t>(e.on)].push_back(e.node);
    }
    for (std::size_t i = 0; i < nodes; ++i)
        g.m_dependencyBegin[i + 1] += g.m_dependencyBegin[i];
    g.m_dependency.resize(m_dependencies.size());
    std::vector<int> at(g.m_dependencyBegin.begin(), g.m_dependencyBegin.end() - 1);
    for (const Edge& e : m_dependencies)
        g.m_dependency[static_cast<std::size_t>(at[static_cast<std::size_t>(e.node)]++)] = e.on;

    std::vector<int> arriving(m_groups.size());
    for (std::size_t k = 0; k < m_groups.size(); ++k)
        arriving[k] = static_cast<int>(m_groups[k].size());
    std::vector<int> ready;
    for (int i = 0; i < m_nodes; ++i)
        if (waiting[static_cast<std::size_t>(i)] == 0)
            ready.push_back(i);
    std::size_t started = 0;
    const auto ended = [&](int node) {
        for (const int next : after[static_cast<std::size_t>(node)])
            if (--waiting[static_cast<std::size_t>(next)] == 0)
                ready.push_back(next);
    };
    for (; started < ready.size(); ++started) { // `ready` grows while nodes end
        const int node = ready[started];
        g.m_order.push_back(node);
        const int k = g.group(node);
        if (k < 0) {
            ended(node);
        } else if (--arriving[static_cast<std::size_t>(k)] == 0) {
            g.m_order.push_back(~k);
            for (const int member : m_groups[static_cast<std::size_t>(k)])
                ended(member);
        }
    }
    if (started != nodes)
        return std::nullopt;
    return g;
}

std::span<const int> ReplayGraph::members(int group) const
{
    const auto begin = static_cast<std::size_t>(m_memberBegin[static_cast<std::size_t>(group)]);
    const auto end = static_cast<std::size_t>(m_memberBegin[static_cast<std::size_t>(group) + 1]);
    return std::span<const int>(m_member).subspan(begin, end - begin);
}

std::span<const int> ReplayGraph::dependencies(int node) const
{
    const auto begin = static_cast<std::size_t>(m_dependencyBegin[static_cast<std::size_t>(node)]);
    const auto end = static_cast<std::size_t>(m_dependencyBegin[static_cast<std::size_t>(node) + 1]);
    return std::span<const int>(m_dependency).subspan(begin, end - begin);
}

void ReplayGraph::run(std::span<const double> durations, std::span<const double> gaps, ReplayTimes& times) const
{
    times.start.resize(m_group.size());
    times.end.resize(m_group.size());
    for (const int entry : m_order) {
        if (entry < 0) {
            double latest = times.start[static_cast<std::size_t>(members(~entry).front())];
            for (const int member : members(~entry))
                latest = std::max(latest, times.start[static_cast<std::size_t>(member)]);
            for (const int member : members(~entry))
                times.end[static_cast<std::size_t>(member)] = latest + durations[static_cast<std::size_t>(member)];
            continue;
        }
        const auto node = static_cast<std::size_t>(entry);
        const std::span<const int> before = dependencies(entry);
        double start = before.empty() ? 0.0 : times.end[static_cast<std::size_t>(before.front())];
        for (const int d : before)
            start = std::max(start, times.end[static_cast<std::size_t>(d)]);
        times.start[node] = start + (gaps.empty() ? 0.0 : gaps[node]);
        times.end[node] = times.start[node] + durations[node];
    }
}

} // namespace prism
