// SPDX-License-Identifier: GPL-3.0-or-later
// Groups on nodes: every order of the ranks against plain counting.
#include "core/step/layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

namespace prism {
namespace {

Scenario job(const std::string& order, int tp, int cp, int dp, int pp)
{
    Scenario s;
    s.parallelism.rankOrder = order;
    s.parallelism.tensorModelParallelSize = tp;
    s.parallelism.contextParallelSize = cp;
    s.parallelism.pipelineModelParallelSize = pp;
    s.cluster.numGpus = static_cast<std::int64_t>(tp) * cp * dp * pp;
    s.cluster.gpusPerNode = 8;
    return s;
}

/// Members of the group over data and context parallel ranks that stand on the node of its first member, and its nodes.
std::pair<std::int64_t, std::int64_t> counted(const Layout& l)
{
    std::int64_t together = 0;
    std::set<std::int64_t> nodes;
    for (std::int64_t d = 0; d < l.dp; ++d)
        for (std::int64_t c = 0; c < l.cp; ++c) {
            const std::int64_t node = l.rank(0, c, d, 0) / l.gpusPerNode;
            nodes.insert(node);
            together += node == 0 ? 1 : 0;
        }
    return {together, static_cast<std::int64_t>(nodes.size())};
}

TEST(LayoutOf, DataGroupsLieOnNodesAsTheirRanksDoInEveryOrder)
{
    std::vector<std::string> dimensions = {"cp", "dp", "ep", "pp", "tp"};
    do {
        const std::string order = dimensions[0] + "-" + dimensions[1] + "-" + dimensions[2] + "-" + dimensions[3] + "-" + dimensions[4];
        for (const auto& [tp, cp, dp, pp] :
             {std::array{4, 2, 8, 2}, {1, 2, 4, 8}, {8, 1, 4, 2}, {2, 4, 2, 4}, {1, 1, 16, 1}, {2, 8, 4, 1}}) {
            const Layout l = layoutOf(job(order, tp, cp, dp, pp));
            const auto [together, nodes] = counted(l);
            EXPECT_EQ(l.data.size, dp * cp) << order;
            EXPECT_EQ(l.data.ranksPerNode, together) << order << " tp " << tp << " cp " << cp << " dp " << dp << " pp " << pp;
            EXPECT_EQ(l.data.nodes, nodes) << order << " tp " << tp << " cp " << cp << " dp " << dp << " pp " << pp;
        }
    } while (std::next_permutation(dimensions.begin(), dimensions.end()));
}

/// TP 4 x CP 2 fill a node: with data parallel ranks last, the two context ranks of a data group share it and nobody else does.
TEST(LayoutOf, DataParallelLastWithContextParallel)
{
    const Layout l = layoutOf(job("tp-cp-ep-pp-dp", 4, 2, 8, 4));
    EXPECT_EQ(l.dpStride, 32);
    EXPECT_EQ(l.data.size, 16);
    EXPECT_EQ(l.data.ranksPerNode, 2);
    EXPECT_EQ(l.data.nodes, 8);
}

} // namespace
} // namespace prism
