// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/step/layout.h"

#include "core/workload/shape.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace prism {
namespace {

/// A group of `size` ranks `stride` apart; groups start aligned.
GroupGeometry geometry(std::int64_t size, std::int64_t stride, std::int64_t gpusPerNode)
{
    GroupGeometry g;
    g.size = std::max<std::int64_t>(1, size);
    g.stride = std::max<std::int64_t>(1, stride);
    g.ranksPerNode = std::clamp<std::int64_t>(gpusPerNode / g.stride, 1, g.size);
    g.nodes = (g.size + g.ranksPerNode - 1) / g.ranksPerNode;
    return g;
}

/// A group over two dimensions; the slowest way to leave a node counts: members that share the first member's node.
GroupGeometry geometry(std::array<std::int64_t, 2> size, std::array<std::int64_t, 2> stride, std::int64_t gpusPerNode)
{
    GroupGeometry g;
    g.size = std::max<std::int64_t>(1, size[0] * size[1]);
    g.stride = std::min(size[0] > 1 ? stride[0] : stride[1], size[1] > 1 ? stride[1] : stride[0]);
    g.ranksPerNode = 0;
    for (std::int64_t i = 0; i < size[0] && i * stride[0] < gpusPerNode; ++i)
        g.ranksPerNode += std::clamp<std::int64_t>((gpusPerNode - i * stride[0] + stride[1] - 1) / stride[1], 0, size[1]);
    g.ranksPerNode = std::clamp<std::int64_t>(g.ranksPerNode, 1, g.size);
    g.nodes = (g.size + g.ranksPerNode - 1) / g.ranksPerNode;
    return g;
}

/// The dimensions of a rank order, leftmost first; unknown words are left out, missing ones appended in the usual order.
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

/// Ranks along one dimension, and how far neighbours along it are apart.
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

bool Layout::hopLeavesNode(std::int64_t fromStage, std::int64_t toStage) const
{
    const std::int64_t a = rank(0, 0, 0, fromStage), b = rank(0, 0, 0, toStage);
    return a / gpusPerNode != b / gpusPerNode;
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
    const auto order = dimensions(scenario.parallelism.rankOrder);
    const auto dense = strided<4>(order, {{{"tp", s.tp}, {"cp", s.cp}, {"dp", s.dp}, {"pp", s.pp}}});
    l.tpStride = dense[0].stride;
    l.cpStride = dense[1].stride;
    l.dpStride = dense[2].stride;
    l.ppStride = dense[3].stride;
    const std::int64_t expertData = std::max<std::int64_t>(1, s.tp * s.cp * s.dp / (s.etp * s.ep));
    const auto expert = strided<4>(order, {{{"tp", s.etp}, {"ep", s.ep}, {"dp", expertData}, {"pp", s.pp}}});
    l.tensor = geometry(s.tp, l.tpStride, l.gpusPerNode);
    l.context = geometry(s.cp, l.cpStride, l.gpusPerNode);
    l.tensorContext = geometry({s.tp, s.cp}, {l.tpStride, l.cpStride}, l.gpusPerNode);
    // Gradients are reduced over data and context parallel ranks together.
    l.data = geometry({s.dp, s.cp}, {l.dpStride, l.cpStride}, l.gpusPerNode);
    l.pipeline = geometry(s.pp, l.ppStride, l.gpusPerNode);
    l.expert = geometry(s.ep, expert[1].stride, l.gpusPerNode);
    l.expertTensor = geometry(s.etp, expert[0].stride, l.gpusPerNode);
    l.expertData = geometry(expertData, expert[2].stride, l.gpusPerNode);
    return l;
}

} // namespace prism
