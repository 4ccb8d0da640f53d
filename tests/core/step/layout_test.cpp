// SPDX-License-Identifier: GPL-3.0-or-later
// Groups on nodes: every order of the ranks against plain counting.
#include "core/step/layout.h"

#include <gtest/gtest.h>

#include <tuple>

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

/// Members of the group over data and context parallel ranks that are on the node of its first member, and its nodes.
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

/// Ranks 0, 1, ... take their places along the dimensions in turn; of those that are 0 in all dimensions but `own`: how many there are, how
/// many are on the first node, on how many nodes, how far the second is from the first, and on how many nodes of the first pod of that many
/// ranks they are, 0 where it has them all.
std::array<std::int64_t, 5> enumerated(const std::vector<std::pair<std::string, std::int64_t>>& dimensions,
                                       const std::vector<std::string>& own, std::int64_t pod)
{
    std::int64_t all = 1;
    for (const auto& [name, size] : dimensions)
        all *= size;
    std::vector<std::int64_t> members;
    for (std::int64_t rank = 0; rank < all; ++rank) {
        bool isMember = true;
        std::int64_t rest = rank;
        for (const auto& [name, size] : dimensions) {
            isMember = isMember && (rest % size == 0 || std::find(own.begin(), own.end(), name) != own.end());
            rest /= size;
        }
        if (isMember)
            members.push_back(rank);
    }
    std::set<std::int64_t> nodes, ofPod;
    std::int64_t together = 0;
    for (const std::int64_t rank : members) {
        nodes.insert(rank / 8);
        together += rank < 8 ? 1 : 0;
        if (rank < pod)
            ofPod.insert(rank / 8);
    }
    return {static_cast<std::int64_t>(members.size()), together, static_cast<std::int64_t>(nodes.size()),
            members.size() > 1 ? members[1] : 0, members.back() < pod ? 0 : static_cast<std::int64_t>(ofPod.size())};
}

TEST(LayoutOf, EveryGroupIsThatOfItsRanks)
{
    std::vector<std::string> order = {"cp", "dp", "ep", "pp", "tp"};
    int turn = 0;
    do {
        for (const auto& [tp, cp, dp, pp, ep, etp] :
             {std::array{4, 2, 8, 2, 1, 1}, {2, 4, 4, 4, 4, 2}, {8, 1, 4, 2, 8, 1}, {1, 2, 16, 2, 4, 1}, {4, 2, 4, 4, 2, 4}}) {
            Scenario s = job(order[0] + "-" + order[1] + "-" + order[2] + "-" + order[3] + "-" + order[4], tp, cp, dp, pp);
            s.model.numExperts = 8;
            s.parallelism.expertModelParallelSize = ep;
            s.parallelism.expertTensorParallelSize = etp;
            s.cluster.nodesPerPod = 1 << turn++ % 4; // 8 to 64 ranks
            const Layout l = layoutOf(s);
            EXPECT_EQ(l.gpusPerPod, 8 * s.cluster.nodesPerPod);
            std::vector<std::pair<std::string, std::int64_t>> dense, expert;
            for (const std::string& d : order) {
                if (d != "ep")
                    dense.emplace_back(d, d == "tp" ? tp : d == "cp" ? cp : d == "dp" ? dp : pp);
                if (d != "cp")
                    expert.emplace_back(d, d == "tp" ? etp : d == "ep" ? ep : d == "dp" ? tp * cp * dp / (etp * ep) : pp);
            }
            const auto expect = [&](const GroupGeometry& g, const auto& dimensions, const std::vector<std::string>& own, const char* name) {
                const auto [size, together, nodes, second, ofPod] = enumerated(dimensions, own, l.gpusPerPod);
                EXPECT_EQ(g.nodesInPod, ofPod) << name << ' ' << s.parallelism.rankOrder << ' ' << s.cluster.nodesPerPod;
                EXPECT_EQ(std::tuple(g.size, g.ranksPerNode, g.nodes), std::tuple(size, together, nodes))
                    << name << ' ' << s.parallelism.rankOrder;
                if (size > 1) {
                    EXPECT_EQ(g.stride, second) << name << ' ' << s.parallelism.rankOrder;
                }
                EXPECT_EQ(g.scope(), nodes > 1 ? Scope::interNode : Scope::intraNode);
            };
            expect(l.tensor, dense, {"tp"}, "tensor");
            EXPECT_EQ(tensorOverlapReaches(l), enumerated(dense, {"tp"}, l.gpusPerPod)[2] == 1);
            expect(l.context, dense, {"cp"}, "context");
            expect(l.data, dense, {"dp", "cp"}, "data and context");
            expect(l.expert, expert, {"ep"}, "expert");
            expect(l.expertTensor, expert, {"tp"}, "expert tensor");
            expect(l.expertData, expert, {"dp"}, "expert data");
            const std::int64_t hop = enumerated(dense, {"pp"}, l.gpusPerPod)[3];
            const GroupGeometry pair = l.hop(0, 1), back = l.hop(pp - 1, 0);
            EXPECT_EQ(std::tuple(pair.size, pair.nodes, pair.ranksPerNode, pair.stride),
                      std::tuple(std::int64_t{2}, std::int64_t{hop >= 8 ? 2 : 1}, std::int64_t{hop >= 8 ? 1 : 2}, hop));
            EXPECT_EQ(back.stride, (pp - 1) * hop);
            EXPECT_EQ(l.hopLeavesNode(0, 1), hop >= 8);
            EXPECT_EQ(l.hopLeavesNode(pp - 1, 0), (pp - 1) * hop >= 8);
            EXPECT_FALSE(l.hopLeavesNode(1, 1));
        }
    } while (std::next_permutation(order.begin(), order.end()));
}

/// Four ranks of a stage and stages in a row: of a pod of 16 ranks the last of four sends to the next pod, from each of its ranks. Where
/// stages are inside, the last ranks of the first two leave a pod that the first ranks do not leave.
TEST(LayoutOf, SendsLeaveAPodWhereTheFirstOrTheLastRankOfAStageDoes)
{
    Scenario s = job("tp-cp-ep-dp-pp", 4, 1, 1, 8);
    s.cluster.nodesPerPod = 2;
    const Layout outside = layoutOf(s);
    EXPECT_EQ(outside.hop(0, 1).nodesInPod, 0) << "ranks 0 to 3 to 4 to 7";
    EXPECT_EQ(outside.hop(2, 3).nodesInPod, 0);
    EXPECT_EQ(outside.hop(3, 4).nodesInPod, 4) << "ranks 12 to 15 to 16 to 19: 16 / 4";
    EXPECT_EQ(outside.hop(7, 0).nodesInPod, 1) << "28 ranks on: all of a pod";
    s = job("tp-cp-ep-pp-dp", 1, 1, 12, 3);
    s.cluster.nodesPerPod = 2;
    const Layout inside = layoutOf(s); // rank d * 3 + p: 0 to 1, and 33 to 34
    EXPECT_EQ(inside.hop(0, 1).nodesInPod, 0);
    s = job("tp-cp-ep-pp-dp", 1, 1, 11, 3);
    s.cluster.nodesPerPod = 1; // 30 to 31 within the pod, 31 to 32 out of it
    EXPECT_EQ(layoutOf(s).hop(0, 1).nodesInPod, 0);
    EXPECT_EQ(layoutOf(s).hop(1, 2).nodesInPod, 8);
}

/// TP 4 x CP 2 fill a node: with data parallel ranks last, only the two context ranks of a data group share it.
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
