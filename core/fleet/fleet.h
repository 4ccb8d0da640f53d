// SPDX-License-Identifier: GPL-3.0-or-later
// A fleet: one queue of jobs under several policies, each compared with first come, first served, in the same runs.
#pragma once

#include "core/base/table.h"
#include "core/fleet/clusterread.h"
#include "core/fleet/dispatch.h"
#include "core/fleet/jobtable.h"
#include "core/insight/insight.h"

#include <string>
#include <vector>

namespace prism {

/// readFleetCluster, and for classes that name a scenario the factors of its training time, as guarantee samples them (1,000 steps); each
/// scenario once. Errors: those of the text, unknown scenarios, cancelled.
[[nodiscard]] Result<FleetCluster> fleetCluster(Evaluator& evaluator, std::string_view json, const InsightOptions& options);

/// Maximum of jobs x nodes x runs of a simulation (some minutes of one core).
inline constexpr double kMaxFleetWork = 1e11;

struct FleetQuery {
    int runs = 20; ///< with other draws of nodes and durations, 1 to 1,000
};

/// Results of a policy, over the runs. Seconds from submission.
struct FleetPolicyResult {
    FleetPolicy policy = FleetPolicy::fifo;
    Estimate mean, p50, p95;                               ///< completion time
    Estimate queueing;                                     ///< mean wait before the start
    Estimate utilisation;                                  ///< share of the GPUs' time until the last end
    Estimate meanRatio, p50Ratio, p95Ratio, queueingRatio; ///< over first come, first served, in the same runs
    Estimate utilisationChange;
};

struct FleetReport {
    std::size_t jobs = 0;
    std::int64_t withoutGpus = 0, withoutDuration = 0; ///< rows omitted
    int nodes = 0, gpus = 0, runs = 0;
    double offeredLoad = 0; ///< expected GPU-seconds over those of the cluster until the last submission
    double reordered = 0;   ///< share of jobs that the order by p95 puts elsewhere than the order by mean
    std::vector<FleetPolicyResult> policies;
    std::uint64_t seed = 1;
    double elapsedSeconds = 0;
    std::vector<std::string> notes;
};

/// Runs the table on the cluster. A job's duration is what the table has, times a draw of its class and the factor of its slowest node;
/// its p95 is that of both. Random numbers are the same for every policy. Errors: jobs larger than the cluster, GPU types that it does not
/// have (all lines at once), more than kMaxFleetWork, cancelled. Any thread; the same bits on any number of threads.
[[nodiscard]] Result<FleetReport> fleet(const JobTable& table, const FleetCluster& cluster, const FleetQuery& query,
                                        const InsightOptions& options = {});

[[nodiscard]] std::string toJson(const FleetReport& report);
[[nodiscard]] std::string toCsv(const FleetReport& report, TableText texts = TableText::forSheets);

} // namespace prism
