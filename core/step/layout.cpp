// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/step/layout.h"

#include "core/workload/shape.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace prism {
namespace {

/// GPUs of a node and of a pod: ranks that are numbered in a row.
struct Machine {
    std::int64_t node = 8, pod = 256;
};

/// Members among the first `ranks` ranks, counted from the first member; the slowest way to leave them counts.
std::int64_t within(std::int64_t ranks, std::array<std::int64_t, 2> size, std::array<std::int64_t, 2> stride)
{
    std::int64_t members = 0;
    for (std::int64_t i = 0; i < size[0] && i * stride[0] < ranks; ++i)
        members += std::clamp<std::int64_t>((ranks - i * stride[0] + stride[1] - 1) / stride[1], 0, size[1]);
    return std::clamp<std::int64_t>(members, 1, size[0] * size[1]);
}

/// A group of which `inNode` and `inPod` ranks share the first one's node and pod; groups start aligned.
GroupGeometry group(std::int64_t size, std::int64_t stride, std::int64_t inNode, std::int64_t inPod)
{
    GroupGeometry g = groupOf(size, inNode, stride);
    g.nodesInPod = inPod < size ? std::max<std::int64_t>(1, inPod / inNode) : 0;
    return g;
}

/// A group of ranks at the distance `stride`.
GroupGeometry geometry(std::int64_t ranks, std::int64_t stride, const Machine& machine)
{
    const std::int64_t size = std::max<std::int64_t>(1, ranks), step = std::max<std::int64_t>(1, stride);
    return group(size, step, std::clamp<std::int64_t>(machine.node / step, 1, size), std::clamp<std::int64_t>(machine.pod / step, 1, size));
}

/// A group over two dimensions.
GroupGeometry geometry(std::array<std::int64_t, 2> size, std::array<std::int64_t, 2> stride, const Machine& machine)
{
    return group(std::max<std::int64_t>(1, size[0] * size[1]),
                 std::min(size[0] > 1 ? stride[0] : stride[1], size[1] > 1 ? stride[1] : stride[0]), within(machine.node, size, stride),
                 within(machine.pod, size, stride));
}

/// The dimensions of a rank order, leftmost first; unknown words are omitted, missing ones appended in the usual order.
std::vector<std::string_view> dimensions(std::string_view order)
{
    std::vector<std::string_view> result;
    const auto known = [](std::string_view d) { return d == "tp" || d == "cp" || d == "ep" || d == "dp" || d == "pp"; };
    const auto add = [&](std::string_view d) {
        if (known(d) && std::find(result.begin(), result.end(), d) == result.end())
            result.push_back(d);
    };
    std::size_t begin = 0;
    while (begin <= order.size()) {
        const std::size_t end = std::min(order.find('-', begin), order.size());
        add(order.substr(begin, end - begin));
        begin = end + 1;
    }
    for (const std::string_view d : {"tp", "cp", "ep", "dp", "pp"})
        add(d);
    return result;
}

/// Ranks along one dimension, and the distance of neighbours along it.
struct Dimension {
    std::string_view name;
    std::int64_t size = 1, stride = 1;
};

/// Sets the strides: the leftmost dimension of the order varies fastest.
template <std::size_t N>
std::array<Dimension, N> strided(const std::vector<std::string_view>& order, std::array<Dimension, N> dimensions)
{
    std::int64_t stride = 1;
    for (const std::string_view name : order)
        for (Dimension& d : dimensions)
            if (d.name == name) {
                d.stride = stride;
                stride *= d.size;
            }
    return dimensions;
}

} // namespace

GroupGeometry groupOf(std::int64_t ranks, std::int64_t inNode, std::int64_t stride)
{
    const std::int64_t size = std::max<std::int64_t>(1, ranks), together = std::clamp<std::int64_t>(inNode, 1, size);
    return {size, together, (size + together - 1) / together, stride};
}

bool Layout::hopLeavesNode(std::int64_t fromStage, std::int64_t toStage) const
{
    const std::int64_t a = rank(0, 0, 0, fromStage), b = rank(0, 0, 0, toStage);
    return a / gpusPerNode != b / gpusPerNode;
}

GroupGeometry Layout::hop(std::int64_t fromStage, std::int64_t toStage) const
{
    const std::int64_t from = rank(0, 0, 0, fromStage), to = rank(0, 0, 0, toStage), last = rank(tp - 1, cp - 1, dp - 1, 0);
    GroupGeometry pair;
    pair.size = 2;
    pair.nodes = hopLeavesNode(fromStage, toStage) ? 2 : 1;
    pair.ranksPerNode = pair.nodes == 2 ? 1 : 2;
    pair.stride = std::max<std::int64_t>(1, std::abs(to - from));
    const bool leavesPod = from / gpusPerPod != to / gpusPerPod || (from + last) / gpusPerPod != (to + last) / gpusPerPod;
    // Of the ranks of a pod those leave it whose receiver is `stride` ranks further.
    pair.nodesInPod = leavesPod ? std::max<std::int64_t>(1, gpusPerPod / pair.stride) : 0;
    return pair;
}

Layout layoutOf(const Scenario& scenario)
{
    const Shape s = shapeOf(scenario);
    Layout l;
    l.tp = s.tp;
    l.cp = s.cp;
    l.dp = s.dp;
    l.pp = s.pp;
    l.gpusPerNode = std::max(1, scenario.cluster.gpusPerNode);
    l.gpusPerPod = l.gpusPerNode * std::max(1, scenario.cluster.nodesPerPod);
    const Machine machine{l.gpusPerNode, l.gpusPerPod};
    const auto order = dimensions(scenario.parallelism.rankOrder);
    const auto dense = strided<4>(order, {{{"tp", s.tp}, {"cp", s.cp}, {"dp", s.dp}, {"pp", s.pp}}});
    l.tpStride = dense[0].stride;
    l.cpStride = dense[1].stride;
    l.dpStride = dense[2].stride;
    l.ppStride = dense[3].stride;
    const std::int64_t expertData = std::max<std::int64_t>(1, s.tp * s.cp * s.dp / (s.etp * s.ep));
    const auto expert = strided<4>(order, {{{"tp", s.etp}, {"ep", s.ep}, {"dp", expertData}, {"pp", s.pp}}});
    l.tensor = geometry(s.tp, l.tpStride, machine);
    l.context = geometry(s.cp, l.cpStride, machine);
    // Gradients are reduced over data and context parallel ranks together.
    l.data = geometry({s.dp, s.cp}, {l.dpStride, l.cpStride}, machine);
    l.expert = geometry(s.ep, expert[1].stride, machine);
    l.expertTensor = geometry(s.etp, expert[0].stride, machine);
    l.expertData = geometry(expertData, expert[2].stride, machine);
    return l;
}

} // namespace prism
