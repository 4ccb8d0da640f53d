// SPDX-License-Identifier: GPL-3.0-or-later
// The collective model: limits of short and long messages, monotone and continuous over rings and trees, meshes, and measured tables.
#include "core/cost/collectives.h"

#include "core/calibrate/collectiveagreement.h"
#include "core/scenario/presets.h"
#include "tests/datafolder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <tuple>

namespace prism {
namespace {

constexpr CollectiveOp kOps[] = {CollectiveOp::allReduce, CollectiveOp::allGather, CollectiveOp::reduceScatter, CollectiveOp::allToAll,
                                 CollectiveOp::sendRecv};

ClusterConfig machine(const char* gpu, const char* fabric)
{
    ClusterConfig cluster;
    cluster.gpu = *gpuPreset(gpu);
    const Result<ClusterConfig> result = fabricPreset(fabric, cluster);
    EXPECT_TRUE(result.ok()) << fabric;
    return result ? *result : cluster;
}

CollectiveModel model(const ClusterConfig& cluster)
{
    return {cluster, gpuCalibration(calibration(), cluster.gpu), calibration().network};
}

GroupGeometry group(std::int64_t nodes, std::int64_t perNode)
{
    GroupGeometry g;
    g.size = nodes * perNode;
    g.ranksPerNode = perNode;
    g.nodes = nodes;
    return g;
}

TEST(CollectiveModel, LongMessagesReachTheStatedShareOfTheCards)
{
    ClusterConfig cluster = machine("a100-sxm-40gb", "azure-nd-a100-v4");
    const double bytes = 4e10;
    const GroupGeometry two = group(2, 8);
    const double bus = busFactor(CollectiveOp::allReduce, 16) * bytes / model(cluster).seconds(CollectiveOp::allReduce, two, bytes);
    EXPECT_NEAR(bus, 8 * 25e9 * cluster.interNodeEfficiency, 0.01 * bus);
    cluster.interNodeEfficiency = 0; // as calibrated
    const double calibrated = busFactor(CollectiveOp::allReduce, 16) * bytes / model(cluster).seconds(CollectiveOp::allReduce, two, bytes);
    EXPECT_NEAR(calibrated, 8 * 25e9 * calibration().network.efficiency, 0.01 * calibrated);
}

/// H100 with one 50 GB/s card for each of 8 GPUs, 40 GB, latencies below 1 %: on 16 nodes a gather or scatter brings 127/128 of the buffer
/// through the eight cards of a node or what a ring passes on inside of it, an all-to-all sends the 120/128 that leave the node through the
/// GPU's card, a send is bounded by the share of one card that a pair reaches (NCCL PERFORMANCE.md; DeepSeek-V3, arXiv 2412.19437,
/// section 3.2.2).
TEST(CollectiveModel, LongMessagesMoveTheirPartOfTheBuffer)
{
    const CollectiveModel m = model(machine("h100-sxm-80gb", "dgx-h100-ndr400-rail"));
    const double bytes = 4e10, card = 50e9 * calibration().network.efficiency, pair = 50e9 * calibration().network.pairEfficiency;
    for (const CollectiveOp op : {CollectiveOp::allGather, CollectiveOp::reduceScatter, CollectiveOp::allReduce}) {
        const double ring = m.intraBusBandwidth(op, 8, 4294967296.0), passes = op == CollectiveOp::allReduce ? 2 : 1; // inside of a node
        EXPECT_NEAR(m.seconds(op, group(16, 8), bytes) / (passes * 127 / 128.0 * bytes / std::min(8 * card, ring)), 1, 0.01);
    }
    EXPECT_NEAR(m.seconds(CollectiveOp::allToAll, group(16, 8), bytes) / (120 / 128.0 * bytes / card), 1, 0.01);
    EXPECT_NEAR(m.seconds(CollectiveOp::sendRecv, group(2, 1), bytes) / (bytes / pair), 1, 0.01);
    ClusterConfig congested = machine("h100-sxm-80gb", "dgx-h100-ndr400-rail");
    congested.interNodeEfficiency = 0.3; // below what a pair could use
    EXPECT_NEAR(model(congested).seconds(CollectiveOp::sendRecv, group(2, 1), bytes) / (bytes / (0.3 * 50e9)), 1, 0.01);
    EXPECT_EQ(m.seconds(CollectiveOp::allReduce, group(1, 1), bytes), 0); // no other rank
    EXPECT_EQ(m.seconds(CollectiveOp::allReduce, group(2, 8), 0), 0);
}

/// A ring of eight ranks a node, one byte, LL: a hop of at least 2 us (posting) for each further rank and of 2.7 us for each further node,
/// twice; a tree has a hop for each further rank of a node and for each doubling of the nodes (src/graph/tuning.cc). 3 and 8 us of the
/// fabrics are once the table's hops.
TEST(CollectiveModel, ShortMessagesTakeTheHopsOfRingOrTree)
{
    const ClusterConfig cluster = machine("h100-sxm-80gb", "dgx-h100-ndr400-rail");
    ASSERT_EQ(cluster.intraNodeLatencyUs, 3);
    ASSERT_EQ(cluster.interNodeLatencyUs, 8);
    const NetworkCalibration& n = calibration().network;
    for (const std::int64_t nodes : {2, 4, 64}) {
        const double ring = 6.8 + 2 * n.ringHop * (7.0 * static_cast<double>(nodes) * 2 + (static_cast<double>(nodes) - 1) * 2.7);
        const double tree = 6.8 + 2 * n.treeHop * (7 * 0.6 + std::log2(static_cast<double>(nodes)) * 5);
        EXPECT_NEAR(1e6 * model(cluster).seconds(CollectiveOp::allReduce, group(nodes, 8), 1), std::min(ring, tree), 0.01) << nodes;
    }
}

/// Inside a node the calibrated share of the link's 450 GB/s at the knots of its curves, geometric between two sizes of the message, linear
/// between two sizes of the group; further ranks than eight take a fifth of a hop each.
TEST(CollectiveModel, InsideANodeTheCurvesDecide)
{
    const ClusterConfig cluster = machine("h100-sxm-80gb", "dgx-h100-ndr400-rail");
    const BusShare share = gpuCalibration(calibration(), cluster.gpu).busShare;
    const CollectiveModel m = model(cluster);
    const double bytes = 1 << 26; // knot 16
    const auto seconds = [&](double passes, double n, double busShare, double size) {
        return passes * (n - 1) / n * size / (450e9 * busShare);
    };
    EXPECT_NEAR(m.seconds(CollectiveOp::allReduce, group(1, 8), bytes), seconds(2, 8, share[0][2][16], bytes), 1e-12);
    EXPECT_NEAR(m.seconds(CollectiveOp::allGather, group(1, 8), bytes), seconds(1, 8, share[1][2][16], bytes), 1e-12);
    EXPECT_NEAR(m.seconds(CollectiveOp::reduceScatter, group(1, 4), bytes), seconds(1, 4, share[2][1][16], bytes), 1e-12);
    EXPECT_NEAR(m.seconds(CollectiveOp::allToAll, group(1, 2), bytes), seconds(1, 2, share[3][0][16], bytes), 1e-12);
    EXPECT_NEAR(m.seconds(CollectiveOp::allGather, group(1, 8), bytes * std::sqrt(2)),
                seconds(1, 8, std::sqrt(share[1][2][16] * share[1][2][17]), bytes * std::sqrt(2)), 1e-12);
    EXPECT_NEAR(m.seconds(CollectiveOp::allGather, group(1, 6), bytes),
                seconds(1, 6, share[1][1][16] + (std::log2(6) - 2) * (share[1][2][16] - share[1][1][16]), bytes), 1e-12);
    EXPECT_NEAR(m.seconds(CollectiveOp::allGather, group(1, 16), bytes), seconds(1, 16, share[1][2][16], bytes) + 8 * 0.2 * 3e-6, 1e-12);
    EXPECT_NEAR(m.seconds(CollectiveOp::allGather, group(1, 8), 8), m.seconds(CollectiveOp::allGather, group(1, 8), 1024),
                1e-12); // latency rules
}

/// NCCL's table (src/graph/tuning.cc): LL has a base of 6.8 us and, with one rank on a node, hops of 5 us in rings and in trees: the
/// shortest messages take it.
TEST(CollectiveModel, ShortMessagesTakeTheLatencyOfTheCheapestAlgorithm)
{
    const ClusterConfig cluster = machine("gh200-96gb", "vista-gh200-ndr400"); // its hops are those of the table
    const NetworkCalibration& n = calibration().network;
    for (const std::int64_t nodes : {2, 4, 8, 64, 1024}) {
        const double steps = 2.0 * static_cast<double>(nodes - 1), levels = 2 * std::log2(static_cast<double>(nodes));
        EXPECT_NEAR(model(cluster).seconds(CollectiveOp::allReduce, group(nodes, 1), 1),
                    1e-6 * (6.8 + 5 * std::min(n.ringHop * steps, n.treeHop * levels)), 1e-8)
            << nodes;
    }
}

/// Eight A100 a node (Echo's nccl-tests): 1 kB 34.7 us on two nodes and 53 us on four, then a step between 32 and 64 kB from LL to LL128,
/// whose tree takes 74 and 97 us at 128 kB. The largest error is 8.4 % (32 kB on four nodes); another fit of the network moves it by one.
TEST(CollectiveModel, AProtocolForEverySize)
{
    const CollectiveModel m = model(machine("a100-sxm-40gb", "azure-nd-a100-v4"));
    const auto microseconds = [&](std::int64_t nodes, double bytes) {
        return 1e6 * m.seconds(CollectiveOp::allReduce, group(nodes, 8), bytes);
    };
    for (const auto& [nodes, kilobytes, measured] : {std::tuple{2, 1, 34.7},
                                                     {2, 8, 41.2},
                                                     {2, 32, 55.8},
                                                     {2, 128, 74.3},
                                                     {2, 512, 85.8},
                                                     {2, 1024, 100.1},
                                                     {2, 4096, 147.2},
                                                     {4, 1, 53.0},
                                                     {4, 8, 62.4},
                                                     {4, 32, 89.1},
                                                     {4, 128, 97.4},
                                                     {4, 512, 114.3},
                                                     {4, 1024, 131.8},
                                                     {4, 4096, 225.2}})
        EXPECT_NEAR(microseconds(nodes, 1024.0 * kilobytes), measured, 0.1 * measured) << nodes << " nodes, " << kilobytes << " kB";
}

TEST(CollectiveModel, SwitchesThatReduceSendEveryByteOnce)
{
    ClusterConfig cluster = machine("h100-sxm-80gb", "dgx-h100-ndr400-rail");
    const double ring = model(cluster).seconds(CollectiveOp::allReduce, group(16, 8), 4e10); // long: its 1.9 ms of latency are few
    cluster.inNetworkReduction = true;
    EXPECT_NEAR(model(cluster).seconds(CollectiveOp::allReduce, group(16, 8), 4e10) / ring, 1 / (2 * 0.85), 0.02);
    EXPECT_DOUBLE_EQ(model(cluster).seconds(CollectiveOp::allGather, group(16, 8), 4e9) * 2,
                     2 * model(machine("h100-sxm-80gb", "dgx-h100-ndr400-rail")).seconds(CollectiveOp::allGather, group(16, 8), 4e9));
}

TEST(CollectiveModel, TimesGrowWithTheMessageWithoutJumps)
{
    for (const char* fabric : {"azure-nd-a100-v4", "dgx-a100-hdr200", "perlmutter-a100-slingshot11"}) {
        const CollectiveModel m = model(machine("a100-sxm-80gb", fabric));
        for (const CollectiveOp op : kOps)
            for (const GroupGeometry& g : {group(2, 1), group(2, 4), group(4, 4), group(128, 1), group(1, 2), group(1, 4)}) {
                double last = 0;
                for (double bytes = 1; bytes < 2e10; bytes *= 1.01) {
                    const double t = m.seconds(op, g, bytes);
                    EXPECT_GE(t, last * (1 - 1e-12)) << fabric << " " << bytes;
                    if (last > 0) {
                        EXPECT_LE(t, 1.02 * last)
                            << fabric << " " << bytes; // twice the step of the message, also where the algorithm changes
                    }
                    last = t;
                }
            }
    }
}

TEST(CollectiveModel, TimesGrowWithTheNodesAndFallWithTheirCards)
{
    ClusterConfig cluster = machine("h100-sxm-80gb", "dgx-h100-ndr400-rail");
    for (const CollectiveOp op : {CollectiveOp::allReduce, CollectiveOp::allGather, CollectiveOp::reduceScatter})
        for (const double bytes : {1e6, 3e7, 1e9}) {
            double last = 0;
            for (std::int64_t nodes = 2; nodes <= 2048; nodes *= 2) {
                const double t = model(cluster).seconds(op, group(nodes, 8), bytes);
                EXPECT_GE(t, last) << nodes;
                last = t;
                ClusterConfig slower = cluster;
                slower.interNodeGbPerS /= 2;
                EXPECT_GT(model(slower).seconds(op, group(nodes, 8), bytes), t);
                if (bytes >= 1e9) { // half of the ranks have half of the cards
                    EXPECT_GT(model(cluster).seconds(op, group(nodes, 4), bytes), 1.5 * t) << nodes;
                }
            }
        }
}

TEST(CollectiveModel, AnAllReduceIsNoFasterThanAReduceScatter)
{
    const CollectiveModel m = model(machine("h100-sxm-80gb", "dgx-h100-ndr400-rail"));
    for (double bytes = 1e3; bytes < 1e10; bytes *= 3)
        for (const std::int64_t nodes : {2, 16, 256})
            EXPECT_GE(m.seconds(CollectiveOp::allReduce, group(nodes, 8), bytes),
                      m.seconds(CollectiveOp::reduceScatter, group(nodes, 8), bytes));
}

TEST(CollectiveModel, InAMeshAGroupHasTheLinksBetweenItsMembers)
{
    ClusterConfig mesh = machine("a100-sxm-80gb", "perlmutter-a100-slingshot11"), behindSwitch = mesh;
    behindSwitch.intraNodeTopology = "switch";
    EXPECT_DOUBLE_EQ(linkShare(mesh, 2), 1.0 / 3);
    EXPECT_DOUBLE_EQ(linkShare(mesh, 4), 1);
    EXPECT_DOUBLE_EQ(linkShare(behindSwitch, 2), 1);
    const double bytes = 1e9;
    EXPECT_NEAR(model(mesh).seconds(CollectiveOp::allReduce, group(1, 2), bytes),
                model(behindSwitch).seconds(CollectiveOp::allReduce, group(1, 2), 3 * bytes), 1e-9);
    EXPECT_DOUBLE_EQ(model(mesh).seconds(CollectiveOp::allReduce, group(1, 4), bytes),
                     model(behindSwitch).seconds(CollectiveOp::allReduce, group(1, 4), bytes));
    const ClusterConfig cube = machine("v100-sxm2-32gb", "dgx-1-v100-edr");
    EXPECT_LT(model(cube).intraBusBandwidth(CollectiveOp::allReduce, 2, bytes), 25e9); // one NVLink 2
    EXPECT_GT(model(cube).intraBusBandwidth(CollectiveOp::allReduce, 8, bytes), 125e9);
}

/// Echo's 8 GPUs of a node, 41 us stated: 31 us at 1 kB (LL, as on other machines), 58 at 512 kB and 73 at 1 MB, 4,144 at 512 MB. The
/// errors are -3.3 and +8.1 %; the bounds leave 1.7 % for another fit.
TEST(CollectiveModel, AStatedBaseLatencySlowsMessagesThatLeaveLl)
{
    ClusterConfig slow = machine("a100-sxm-40gb", "azure-nd-a100-v4"), plain = slow;
    plain.intraNodeBaseLatencyUs = 0;
    const GroupGeometry g = group(1, 8);
    const auto ratio = [&](double bytes) {
        return model(slow).seconds(CollectiveOp::allReduce, g, bytes) / model(plain).seconds(CollectiveOp::allReduce, g, bytes);
    };
    EXPECT_NEAR(ratio(1024), 1, 0.01);
    EXPECT_GT(ratio(1 << 20), 1.5);
    EXPECT_NEAR(ratio(1e9), 1, 1e-3);
    EXPECT_NEAR(model(slow).seconds(CollectiveOp::allReduce, g, 1 << 19), 57.8e-6, 0.05 * 57.8e-6);
    EXPECT_NEAR(model(slow).seconds(CollectiveOp::allReduce, g, 1 << 20), 72.5e-6, 0.1 * 72.5e-6);
}

TEST(CollectiveTables, UnreadableTablesAreReportedWithFileAndLine)
{
    const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "collective_tables";
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    EXPECT_FALSE(readCollectiveFolder(folder.string()).ok());
    EXPECT_FALSE(readCollectiveFolder((folder / "none").string()).ok());
    std::ofstream(folder / "notes.txt") << "nothing\n";
    std::ofstream(folder / "vista_allreduce_2_1.csv")
        << "shape,nodes,GPUsPerNode,dur(us)\n1048576,2,1,100\n1048576,2,1,nan\n-1,2,1,5\n1048576,2,1\n";
    const Result<CollectiveFolder> bad = readCollectiveFolder(folder.string());
    ASSERT_FALSE(bad.ok());
    ASSERT_EQ(bad.errors().size(), 3U);
    EXPECT_EQ(bad.errors()[0].path, "vista_allreduce_2_1.csv:3");
    std::ofstream(folder / "vista_allreduce_2_1.csv") << "shape,nodes,GPUsPerNode,dur(us)\n1048576,2,1,100\n";
    const Result<CollectiveFolder> good = readCollectiveFolder(folder.string());
    ASSERT_TRUE(good.ok());
    ASSERT_EQ(good->tables.size(), 1U);
    EXPECT_DOUBLE_EQ(good->tables[0].rows[0].bytes, 2097152); // elements of two bytes
    EXPECT_EQ(good->tables[0].rows[0].group.nodes, 2);
    ASSERT_EQ(good->notRead.size(), 1U);
    EXPECT_EQ(good->notRead[0], "notes.txt: not a known table");
}

/// What the help states of each table, with a little room for another fit. Of Echo's tables one row stays beyond 10 %: 256 MB on four nodes
/// takes 4,069 us, less than halfway between 2,195 us for 128 MB and 8,436 us for 512 MB.
TEST(CollectiveTables, AgreeWithTheModelOfTheirMachines)
{
    if (dataFolder().empty())
        GTEST_SKIP() << "no measured data";
    const Result<CollectiveFolder> tables = readCollectiveFolder(dataFolder() + "/collectives");
    ASSERT_TRUE(tables.ok());
    const Result<std::vector<TableAgreement>> list = agreement(*tables, calibration(), 1 << 20, 8.0 * (1 << 30));
    ASSERT_TRUE(list.ok());
    int seen = 0;
    for (const TableAgreement& t : *list) {
        if (!t.remark.empty())
            continue;
        const bool echo = t.name.starts_with("echo"), pair = t.name.find("p2p") != std::string::npos;
        const bool noisy =
            t.name.find("allreduce_large_fp16_1_4") != std::string::npos; // a tenth of its rows are up to seven times their neighbours
        EXPECT_GE(t.within, (echo ? 0.92 : pair ? 0.75 : noisy ? 0.8 : 0.94) * t.rows) << t.name;
        EXPECT_LE(std::abs(t.bias), 0.08) << t.name;
        ++seen;
    }
    EXPECT_GE(seen, 25);
}

} // namespace
} // namespace prism
