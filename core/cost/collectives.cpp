// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/collectives.h"

#include <algorithm>
#include <cmath>

namespace prism {
namespace {

/// One of NCCL's protocols: microseconds to start and of a hop over NVLink and over the network, and the share of a ring's bandwidth that
/// rings and trees reach (src/graph/tuning.cc: baseLat, hwLat, plMaxBw and the factors next to them). A tree's share with LL128 is fitted,
/// LL has 1 / 3.8 of it. With one rank on a node a ring's network hops take as long as a tree's.
struct Protocol {
    double base, treeIntra, treeInter, ringIntra, ringInter, ring, tree;
    bool fittedTree, passesWhole, postsThrice; ///< passesWhole: a hop over the network passes a message on through one channel
};
constexpr Protocol kLl{6.8, 0.6, 5.0, 0.6, 2.7, 0.5, 1 / 3.8, true, true, false};
constexpr Protocol kLl128{14.0, 1.25, 8.5, 1.9, 4.0, 0.92, 1.0, true, false, false};
constexpr Protocol kSimple{8.4, 4.0, 14.0, 3.4, 14.0, 1.0, 0.9, false, false, true};
/// Every step of a ring between nodes takes the host's proxy at least this long to post, three times that with Simple (the same file; 2 us
/// with AMD hosts, 1 us with others: the tables between nodes that decide short messages are of AMD hosts).
constexpr double kPostUs = 2;
/// Latencies that the fabric presets state for links as NCCL's table has them, between LL128 and Simple: NVLink, network.
constexpr double kUsualIntraUs = 3, kUsualInterUs = 8;
/// Reduction in the switches between nodes (CollNet direct, the same file): 31 us, 0.85 of the bandwidth, each byte once.
constexpr double kSwitchSeconds = 31e-6, kSwitchBandwidth = 0.85;
/// Hop of short messages (LL128, 1.9 us on NVLink, the same table) over the 3 us of the fabric presets, which lie between LL128 and Simple.
constexpr double kShortHop = 1.9 / 3.0;
/// One send over direct links: 91.4 of 100 GB/s between two A100 (estimate-train-time, Perlmutter, 256 MB).
constexpr double kDirectLinks = 0.91;
/// Bytes per second and rank that LL passes on inside a node of such a library: Echo's logs gain 5, 11 and 19 to 28 GB/s on 2, 4 and 8 GPUs
/// from the shortest messages to 128 kB.
constexpr double kLlPerRank = 2.6e9;
/// Short of 2^32 bytes the curves still rise: what a ring between nodes can at most pass on inside one.
constexpr double kLongMessage = 4294967296.0;

std::size_t rowOf(CollectiveOp op)
{
    return op == CollectiveOp::allReduce ? 0 : op == CollectiveOp::allGather ? 1 : op == CollectiveOp::reduceScatter ? 2 : 3;
}

/// Passes through the ranks: an all-reduce is a reduce-scatter and an all-gather.
double passes(CollectiveOp op)
{
    return op == CollectiveOp::allReduce ? 2 : 1;
}

/// All-reduce as reduce-scatter and all-gather: never faster than 1.08 times the mean of the two, what A100 reaches without a switch
/// that reduces (1.05 to 1.12 with 4 and 8 ranks from 128 MB, aiconfigurator's tables, Apache-2.0).
BusShare withoutSwitchReduction(BusShare share)
{
    for (std::size_t n = 0; n < kCurveSizes; ++n)
        for (std::size_t k = 0; k < kCurveKnots; ++k)
            share[0][n][k] = std::min(share[0][n][k], 1.08 * 2 / (1 / share[1][n][k] + 1 / share[2][n][k]));
    return share;
}

} // namespace

double linkShare(const ClusterConfig& cluster, std::int64_t ranks)
{
    if (cluster.intraNodeTopology == "full_mesh" && cluster.gpusPerNode > 1)
        return std::clamp(static_cast<double>(ranks - 1) / (cluster.gpusPerNode - 1), 1.0 / (cluster.gpusPerNode - 1), 1.0);
    if (cluster.intraNodeTopology == "hybrid_cube_mesh")
        return ranks <= 2 ? 1.0 / 6 : ranks <= 4 ? 4.0 / 6 : 1.0;
    return 1;
}

CollectiveModel::CollectiveModel(const ClusterConfig& cluster, const GpuCalibration& gpu, const NetworkCalibration& network)
    : m_cluster(cluster),
      m_share(gpu.busShare),
      m_network(network),
      m_efficiency(cluster.interNodeEfficiency > 0 ? cluster.interNodeEfficiency : network.efficiency)
{
    // Without reduction in the switch an all-reduce is two half-rings. A100's curves were measured without it.
    if (!cluster.nvlsSupported && gpu.family != "a100")
        m_share = withoutSwitchReduction(m_share);
    // Measured medians of neighbouring sizes may cross; a longer message takes no less time than a shorter one.
    for (auto& curves : m_share)
        for (auto& curve : curves)
            for (std::size_t knot = 1; knot < kCurveKnots; ++knot)
                curve[knot] = std::min(curve[knot], 2 * curve[knot - 1]);
}

/// The calibrated curve over ranks and message size. Below the first knot latency rules: the time stays, so the bandwidth falls with
/// the message.
double CollectiveModel::shareAt(CollectiveOp op, std::int64_t ranks, double bytes) const
{
    const auto& curves = m_share[rowOf(op)];
    const double at = std::clamp(std::log2(std::max(1.0, bytes)) - kCurveFirstLog2, 0.0, kCurveKnots - 1.0);
    const auto knot = std::min<std::size_t>(static_cast<std::size_t>(at), kCurveKnots - 2);
    const double f = at - static_cast<double>(knot);
    const auto value = [&](std::size_t n) { return std::pow(curves[n][knot], 1 - f) * std::pow(curves[n][knot + 1], f); };
    const double size = std::clamp(std::log2(static_cast<double>(ranks)) - 1, 0.0, kCurveSizes - 1.0);
    const auto n = std::min<std::size_t>(static_cast<std::size_t>(size), kCurveSizes - 2);
    const double share = value(n) + (size - static_cast<double>(n)) * (value(n + 1) - value(n));
    return share * std::min(1.0, bytes / std::exp2(kCurveFirstLog2));
}

/// A group that has only a part of the links takes as long as a message that is as many times longer on all of them.
double CollectiveModel::intraBusBandwidth(CollectiveOp op, std::int64_t ranks, double bytes) const
{
    const double links = linkShare(m_cluster, ranks);
    return std::max(1.0, m_cluster.intraNodeGbPerS * 1e9) * links * shareAt(op, ranks, bytes / links);
}

/// One send: half of what two ranks exchange in an all-to-all of twice the bytes, whose channels bound it where the links do not.
double CollectiveModel::pairInsideNode(double bytes) const
{
    const double links = linkShare(m_cluster, 2), all = std::max(1.0, m_cluster.intraNodeGbPerS * 1e9);
    const double exchange = bytes / (all * shareAt(CollectiveOp::allToAll, 2, 2 * bytes));
    return m_cluster.intraNodeLatencyUs * 1e-6 + std::max(exchange, bytes / (kDirectLinks * links * all));
}

/// Bytes that cross the busiest link over the buffer (nccl-tests PERFORMANCE.md): all-gather and reduce-scatter move (n - 1) / n of
/// it, all-reduce twice that. A fabric whose short collectives were measured slower than the curves states their latency: launch
/// and LL128 hops; the two add as squares, so that long messages keep the curve. The shortest messages stay with LL, which starts like the
/// curve and passes less on.
double CollectiveModel::insideNode(CollectiveOp op, std::int64_t ranks, double bytes) const
{
    const double n = static_cast<double>(ranks), hop = m_cluster.intraNodeLatencyUs * 1e-6;
    const bool pair = op == CollectiveOp::sendRecv;
    // The curves hold the latencies of up to 8 ranks; larger domains add a hop for each further rank.
    const double curve = pair ? pairInsideNode(bytes)
                              : (n - 1) / n * passes(op) * bytes / intraBusBandwidth(op, ranks, bytes) + std::max(0.0, n - 8) * 0.2 * hop;
    if (m_cluster.intraNodeBaseLatencyUs <= 0)
        return curve;
    const double hops = pair || op == CollectiveOp::allToAll ? 1 : passes(op) * (n - 1);
    const double stated = std::hypot(curve, m_cluster.intraNodeBaseLatencyUs * 1e-6 + hops * kShortHop * hop);
    return std::min(stated, curve + bytes / (n * kLlPerRank));
}

namespace {

/// What the algorithms between nodes have in common.
struct Between {
    double ranks = 2, perNode = 1, nodes = 2;
    double intra = 1, inter = 1; ///< seconds of a hop over those of NCCL's table in microseconds
    double passes = 1, transfer = 0, bytes = 0;
};

/// A hop for every rank, each passing on an n-th of the message.
double ringSeconds(const Protocol& p, const Between& b, const NetworkCalibration& network)
{
    const double hop = b.perNode > 1 ? p.ringInter : p.treeInter, post = kPostUs * (p.postsThrice ? 3 : 1);
    const double hops = (b.ranks - b.nodes) * std::max(1e-6 * post, p.ringIntra * b.intra) + (b.nodes - 1) * hop * b.inter;
    const double passedOn = p.passesWhole ? (b.nodes - 1) * b.bytes / b.ranks / (network.lowLatencyGbPerS * 1e9) : 0.0;
    return 1e-6 * p.base + b.passes * (network.ringHop * hops + passedOn) + (b.ranks - 1) / b.ranks * b.transfer / p.ring;
}

/// A hop for every further rank of a node and every doubling of the nodes; each of those over the network passes the whole message on.
double treeSeconds(const Protocol& p, const Between& b, const NetworkCalibration& network)
{
    const double levels = std::log2(b.nodes), hops = (b.perNode - 1) * p.treeIntra * b.intra + levels * p.treeInter * b.inter;
    const double passedOn = p.passesWhole ? levels * b.bytes / (network.lowLatencyGbPerS * 1e9) : 0.0;
    return 1e-6 * p.base + b.passes * (network.treeHop * hops + passedOn)
           + b.transfer / (p.tree * (p.fittedTree ? network.treeEfficiency : 1.0));
}

} // namespace

/// Of a pod's N cards N / oversubscription reach the spine. Groups of the same kind work at once on all ranks; each of them with a nodes in
/// the pod sends what one node sends on, so that N / a cards are busy with it: max-min fair, each has a / oversubscription of its rate.
double CollectiveModel::spineShare(const GroupGeometry& group) const
{
    return group.nodesInPod > 0 ? std::min(1.0, static_cast<double>(group.nodesInPod) / m_cluster.oversubscription) : 1.0;
}

/// As NCCL's own tuning model (src/graph/tuning.cc) the least of what it can choose from, rings and trees in each protocol. LL passes a
/// message on whole, through one channel: it is over from some 64 kB on. The bandwidth is that of the NICs of the group's ranks on a
/// node, or what its ring passes inside the node.
double CollectiveModel::betweenNodes(CollectiveOp op, const GroupGeometry& group, double bytes) const
{
    Between b;
    b.ranks = static_cast<double>(group.size);
    b.perNode = static_cast<double>(group.ranksPerNode);
    b.nodes = static_cast<double>(group.nodes);
    b.intra = 1e-6 * m_cluster.intraNodeLatencyUs / kUsualIntraUs;
    b.inter = 1e-6 * m_cluster.interNodeLatencyUs / kUsualInterUs;
    b.bytes = bytes;
    b.passes = passes(op);
    const double card = std::max(1.0, m_cluster.interNodeGbPerS * 1e9), reached = card * m_efficiency;
    const auto oneHop = [&](double transfer) {
        double best = 1e300;
        for (const Protocol& p : {kLl, kLl128, kSimple})
            best = std::min(best, 1e-6 * p.base + m_network.ringHop * p.ringInter * b.inter + transfer / p.ring);
        return best;
    };
    const double inPod = static_cast<double>(group.nodesInPod), uplink = reached * spineShare(group);
    if (op == CollectiveOp::sendRecv)
        return oneHop(bytes / std::min(uplink, card * m_network.pairEfficiency));
    if (op == CollectiveOp::allToAll) {
        const double outside = (b.ranks - b.perNode) / b.ranks * bytes / reached;
        const double abroad = inPod > 0 ? (b.ranks - inPod * b.perNode) / b.ranks * bytes * m_cluster.oversubscription / reached : 0.0;
        // On rails a message leaves by the card of its receiver's number: it crosses the node first (PXN, NCCL 2.12).
        const double relayed = m_cluster.topology == "rail_optimized" ? (b.perNode - 1) / b.perNode * (b.ranks - b.perNode) : 0.0;
        const double within = (b.perNode + relayed) / b.ranks * bytes;
        const double inside = b.perNode > 1 ? within / intraBusBandwidth(op, group.ranksPerNode, within) : 0.0;
        return oneHop(std::max({outside, abroad, inside}));
    }
    const double inside = b.perNode > 1 ? intraBusBandwidth(op, group.ranksPerNode, kLongMessage) : 1e300;
    const double bandwidth = std::min(inside, b.perNode * uplink);
    b.transfer = b.passes * bytes / bandwidth;
    double best = 1e300;
    for (const Protocol& p : {kLl, kLl128, kSimple})
        best = std::min({best, ringSeconds(p, b, m_network), treeSeconds(p, b, m_network)});
    if (m_cluster.inNetworkReduction && op == CollectiveOp::allReduce)
        best = std::min(best, 1e-6 * kSimple.base + kSwitchSeconds + bytes / (kSwitchBandwidth * bandwidth));
    return best;
}

double CollectiveModel::seconds(CollectiveOp op, const GroupGeometry& group, double bytes) const
{
    if (group.size <= 1 || bytes <= 0)
        return 0;
    return group.nodes > 1 ? betweenNodes(op, group, bytes) : insideNode(op, group.size, bytes);
}

} // namespace prism
