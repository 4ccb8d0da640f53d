// SPDX-License-Identifier: GPL-3.0-or-later
// Replays a measured step: operations, their dependencies, and the groups that end together.
#pragma once

#include "core/base/result.h"

#include <optional>
#include <span>
#include <vector>

namespace prism {

/// Times of one run, seconds after the step's begin; [nodes].
struct ReplayTimes {
    std::vector<double> start, end;
    /// Latest end of all nodes less the earliest start; 0 without nodes.
    [[nodiscard]] double seconds() const;
};

/// A graph of nodes in the order in which they can be run. A node starts when all it depends on has ended, plus its gap. A node of no
/// group ends after its duration; the members of a group end together: at the latest start among them plus each member's own duration
/// (its transfer time). Immutable; any thread. Cost of a run: a few nanoseconds per node and dependency.
class ReplayGraph final {
public:
    class Builder {
    public:
        /// Adds `nodes` nodes and returns the number of the first.
        int addNodes(int nodes);
        void addDependency(int node, int on) { m_dependencies.push_back({node, on}); }
        /// Members end together; groups of fewer than two are omitted. A node belongs to at most one group.
        void addGroup(std::vector<int> members);
        /// The graph; nothing where nodes wait for each other in a circle.
        [[nodiscard]] std::optional<ReplayGraph> graph() const;

    private:
        struct Edge {
            int node, on;
        };
        int m_nodes = 0;
        std::vector<Edge> m_dependencies;
        std::vector<std::vector<int>> m_groups;
    };

    [[nodiscard]] int nodes() const { return static_cast<int>(m_group.size()); }
    /// Group of a node, or -1.
    [[nodiscard]] int group(int node) const { return m_group[static_cast<std::size_t>(node)]; }
    [[nodiscard]] int groups() const { return static_cast<int>(m_memberBegin.size()) - 1; }
    [[nodiscard]] std::span<const int> members(int group) const;
    [[nodiscard]] std::span<const int> dependencies(int node) const;

    /// Runs with durations (transfer times for members of groups) and gaps, seconds, [nodes] each; no gaps = all 0.
    void run(std::span<const double> durations, std::span<const double> gaps, ReplayTimes& times) const;

private:
    std::vector<int> m_group, m_dependencyBegin, m_dependency, m_memberBegin{0}, m_member;
    std::vector<int> m_order; ///< node, or ~group where its members end
};

} // namespace prism
