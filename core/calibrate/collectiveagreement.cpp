// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/calibrate/collectiveagreement.h"

#include "core/scenario/presets.h"
#include "core/stats/moments.h"

#include <cmath>
#include <map>

namespace prism {
namespace {

/// Long messages, where a network's bandwidth shows.
constexpr double kLong = 64.0 * (1 << 20);

/// GB/s per rank of a node that the long messages of tables without the fabric's bandwidth reach, by op.
std::map<CollectiveOp, double> reachedBandwidth(const CollectiveFolder& folder)
{
    std::map<CollectiveOp, std::vector<double>> reached;
    for (const CollectiveTable& table : folder.tables)
        for (const CollectiveRow& r : table.rows)
            if (table.shapeOnly && r.bytes >= kLong)
                reached[r.op].push_back(busFactor(r.op, r.group.size) * r.bytes / r.seconds / static_cast<double>(r.group.ranksPerNode)
                                        * 1e-9);
    std::map<CollectiveOp, double> medians;
    for (const auto& [op, values] : reached)
        medians[op] = medianOf(values);
    return medians;
}

} // namespace

double busFactor(CollectiveOp op, std::int64_t ranks)
{
    const auto n = static_cast<double>(ranks);
    return op == CollectiveOp::sendRecv ? 1 : (n - 1) / n * (op == CollectiveOp::allReduce ? 2 : 1);
}

Result<ClusterConfig> clusterOf(const CollectiveTable& table)
{
    const Result<GpuSpec> gpu = gpuPreset(table.gpu);
    if (!gpu)
        return gpu.errors();
    ClusterConfig cluster;
    cluster.gpu = *gpu;
    return fabricPreset(table.fabric, cluster);
}

Result<std::vector<TableAgreement>> agreement(const CollectiveFolder& folder, const Calibration& calibration, double minBytes,
                                              double maxBytes)
{
    const std::map<CollectiveOp, double> reached = reachedBandwidth(folder);
    std::vector<TableAgreement> list;
    for (const CollectiveTable& table : folder.tables) {
        Result<ClusterConfig> cluster = clusterOf(table);
        if (!cluster)
            return cluster.errors();
        TableAgreement a{{}, table.name, table.gpu, table.fabric, table.remark};
        if (table.shapeOnly) {
            const CollectiveOp op = table.rows.front().op;
            a.remark += std::string(a.remark.empty() ? "" : ", ") + "shape only, not over the fabric";
            cluster->interNodeEfficiency = 1;
            if (const auto it = reached.find(op); it != reached.end())
                cluster->interNodeGbPerS = it->second / (op == CollectiveOp::sendRecv ? calibration.network.pairEfficiency : 1.0);
        }
        const CollectiveModel model(*cluster, gpuCalibration(calibration, cluster->gpu), calibration.network);
        for (const CollectiveRow& r : table.rows) {
            if (r.bytes < minBytes || r.bytes > maxBytes)
                continue;
            const double error = model.seconds(r.op, r.group, r.bytes) / r.seconds - 1;
            a.add(error);
            a.within += std::abs(error) <= 0.1 ? 1 : 0;
            a.near += std::abs(error) <= 0.25 ? 1 : 0;
        }
        if (a.rows == 0)
            continue;
        list.push_back(std::move(a));
    }
    return list;
}

} // namespace prism
