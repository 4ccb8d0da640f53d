// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/job/jobdefaults.h"

#include "core/job/jobtimes.h"
#include "core/scenario/parametertable.h"
#include "core/workload/count.h"

#include <algorithm>
#include <cmath>

namespace prism {
namespace {

/// Weights, master weights and two moments (12 to 14 bytes in use: 405B writes 4.9 to 5.7 TB).
constexpr double kBytesPerParameter = 14;
/// A GPU hands its share over at this rate: 405B on 8,960 GPUs pauses 0.59 s.
constexpr double kPauseBytesPerSecond = 1.07e9;
/// CPUs, memory, cards, fans and losses of a node for each GPU: 8.4 kW drawn by a training node of 8 boards of 700 W.
constexpr double kHostWattsPerGpu = 350;
constexpr double kUsualPue = 1.54;
/// From four minutes on one node (five with the detection) to nine minutes on 10,000 GPUs.
constexpr double kRestartS = 240, kRestartPerDoublingS = 29;

double nodesOf(const Scenario& s)
{
    return std::ceil(static_cast<double>(s.cluster.numGpus) / std::max(1, s.cluster.gpusPerNode));
}

/// The cheapest number: spares are paid for all the time, and without one the job waits while more nodes are in repair than there are
/// spares.
double cheapestSpares(const Scenario& s)
{
    const double nodes = nodesOf(s), inRepair = failuresPer1000NodeDays(s.job, true) / 1000 * nodes * s.job.repairHours / 24;
    const auto cost = [&](int spares) { return (nodes + spares) * (1 + probabilityNoSpare(inRepair, spares + 1)); };
    int spares = sparesFor99(inRepair);
    while (spares > 0 && cost(spares - 1) <= cost(spares))
        --spares;
    return spares;
}

/// In the order in which they need each other: spares follow the repair.
struct FollowingField {
    const char *id, *source;
    double (*value)(const Scenario&);
};
constexpr FollowingField kFollowing[] = {
    {"job.detection_s", "Assumed: a minute of the ten that failover takes at 10,000 GPUs (arXiv 2509.16293)",
     [](const Scenario&) { return 60.0; }},
    {"job.restart_s",
     "Assumed: from 5 minutes on one node (arXiv 2410.21680) to 10 at 10,000 GPUs (arXiv 2509.16293) with the detection, by the logarithm "
     "of the GPUs",
     [](const Scenario& s) {
         return kRestartS + kRestartPerDoublingS * std::log2(std::max(1.0, static_cast<double>(s.cluster.numGpus) / 8));
     }},
    {"job.repair_hours", "Assumed: a day; not published", [](const Scenario&) { return 24.0; }},
    {"job.spare_nodes", "Assumed: the cheapest number for the job's nodes, failures and repairs", cheapestSpares},
    {"job.checkpoint_block_s",
     "Assumed: 14 bytes a parameter over the job's GPUs at 1.07 GB/s each, as 405B on 8,960 GPUs (arXiv 2407.20143, table 8)",
     [](const Scenario& s) {
         return kBytesPerParameter * totalParameters(s.model) / static_cast<double>(s.cluster.numGpus) / kPauseBytesPerSecond;
     }},
    {"job.checkpoint_persist_s", "Assumed: 14 bytes a parameter at the bandwidth of the storage, job.checkpoint_gb_per_s",
     [](const Scenario& s) { return kBytesPerParameter * totalParameters(s.model) / (s.job.checkpointGbPerS * 1e9); }},
    {"job.maintenance_every_days", "47 planned stops in 54 days on 2,048 nodes (arXiv 2407.21783), by the job's nodes",
     [](const Scenario& s) { return std::min(3650.0, 54.0 / 47 * 2048 / nodesOf(s)); }},
    {"job.node_power_kw",
     "GPUs at cluster.gpu.board_power_w and 350 W for each of the rest: 8.4 kW measured on 8 x H100 (arXiv 2412.08602)", nodeKilowatts},
    {"job.pue", "Industry mean (Uptime Institute survey, 2025)", facilityShare},
    {"job.grid_g_co2_per_kwh", "World mean, 2023", [](const Scenario&) { return 481.0; }},
};

} // namespace

double nodeKilowatts(const Scenario& s)
{
    const double watts = s.cluster.gpu.boardPowerW;
    if (s.job.nodePowerKw >= 0)
        return s.job.nodePowerKw;
    return watts > 0 ? s.cluster.gpusPerNode * (watts + kHostWattsPerGpu) / 1000 : 0.0;
}

double facilityShare(const Scenario& s)
{
    return s.job.pue > 0 ? s.job.pue : kUsualPue;
}

bool followsJob(std::string_view path, const Scenario& scenario)
{
    const ParameterValue value = findParameter(path)->get(scenario);
    const auto* whole = std::get_if<std::int64_t>(&value);
    const double number = whole != nullptr ? static_cast<double>(*whole) : std::get<double>(value);
    return number < 0;
}

void followJob(Scenario& scenario)
{
    for (const FollowingField& field : kFollowing)
        if (const Parameter* p = findParameter(field.id); followsJob(field.id, scenario)) {
            const double v = field.value(scenario);
            p->set(scenario, p->type == ParameterType::integer ? ParameterValue(static_cast<std::int64_t>(v)) : ParameterValue(v));
        }
}

std::string_view followSource(std::string_view path)
{
    for (const FollowingField& field : kFollowing)
        if (path == field.id)
            return field.source;
    return {};
}

} // namespace prism
