// SPDX-License-Identifier: GPL-3.0-or-later
// Defaults of the fields of a job section that are not set, computed by hand.
#include "core/job/jobdefaults.h"

#include "core/explore/objective.h"
#include "core/job/jobsection.h"
#include "core/scenario/parameters.h"
#include "core/scenario/presets.h"
#include "core/workload/count.h"

#include <gtest/gtest.h>

#include <cmath>

namespace prism {
namespace {

Scenario with(Scenario s, const std::vector<std::pair<const char*, const char*>>& settings)
{
    for (const auto& [id, value] : settings)
        s = *setParameter(s, id, value);
    return s;
}

JobConfig jobFor(const Scenario& s)
{
    return jobSectionOf(s)->config;
}

TEST(JobDefaults, AFieldThatIsSetLeavesTheOthersAsTheyWere)
{
    const Scenario plain = *scenarioPreset("llama3-405b-16k-h100");
    const JobConfig before = jobFor(plain);
    struct Field {
        const char *id, *value;
        void (*set)(JobConfig&);
    };
    for (const Field& f : {Field{"job.detection_s", "0", [](JobConfig& c) { c.detectionS = 0; }},
                           {"job.restart_s", "7", [](JobConfig& c) { c.restartS = 7; }},
                           {"job.spare_nodes", "8", [](JobConfig& c) { c.spareNodes = 8; }},
                           {"job.checkpoint_block_s", "0", [](JobConfig& c) { c.checkpointBlockS = 0; }},
                           {"job.checkpoint_persist_s", "0", [](JobConfig& c) { c.checkpointPersistS = 0; }},
                           {"job.maintenance_every_days", "0", [](JobConfig& c) { c.maintenanceEveryDays = 0; }},
                           {"job.node_power_kw", "0", [](JobConfig& c) { c.nodePowerKw = 0; }},
                           {"job.pue", "1", [](JobConfig& c) { c.pue = 1; }},
                           {"job.grid_g_co2_per_kwh", "0", [](JobConfig& c) { c.gridGCo2PerKwh = 0; }},
                           {"job.deadline_days", "60", [](JobConfig& c) { c.deadlineDays = 60; }},
                           {"job.maintenance_hours", "2", [](JobConfig& c) { c.maintenanceHours = 2; }}}) {
        JobConfig expected = before;
        f.set(expected);
        EXPECT_EQ(jobFor(with(plain, {{f.id, f.value}})), expected) << f.id;
    }
    EXPECT_FALSE(before.failures.empty());
}

TEST(JobDefaults, FollowTheNodesTheModelAndTheGpus)
{
    // 8 nodes: 2.9 node failures per 1,000 node-days and a day of repair leave 0.023 nodes in repair: no spare is worth its price.
    const Scenario large = *scenarioPreset("llama3-405b-16k-h100"), small = with(large, {{"cluster.num_gpus", "64"}});
    EXPECT_EQ(jobFor(small).spareNodes, 0);
    // 2,048 nodes: 5.97 in repair. (2,048 + n)(1 + P(K > n)), K Poisson of mean 5.97, is least at n = 14: P(K > 13) = 0.0034, P(K > 14) =
    // 0.0013.
    EXPECT_NEAR(jobFor(large).spareNodes, 14, 1);
    EXPECT_NEAR(jobFor(large).maintenanceEveryDays, 54.0 / 47, 1e-9);
    EXPECT_NEAR(jobFor(small).maintenanceEveryDays, 54.0 / 47 * 256, 1e-9);
    EXPECT_NEAR(jobFor(with(large, {{"cluster.num_gpus", "8"}})).restartS, 240, 1e-9);
    EXPECT_NEAR(jobFor(large).restartS, 240 + 29 * 11, 1e-9); // 8 x 2^11 GPUs
    const double bytes = 14 * totalParameters(large.model);
    EXPECT_NEAR(jobFor(large).checkpointPersistS, bytes / 111e9, 1e-9);
    EXPECT_NEAR(jobFor(large).checkpointPersistS, 51.1, 0.5); // ByteCheckpoint's 405B
    EXPECT_NEAR(jobFor(with(large, {{"job.checkpoint_gb_per_s", "222"}})).checkpointPersistS, bytes / 222e9, 1e-9);
    EXPECT_NEAR(jobFor(with(large, {{"cluster.num_gpus", "8960"}})).checkpointBlockS, 0.59, 0.01);
    // Rates are for nodes of 8 GPUs; A100 has the rates of its clusters, 6.5 per 1,000 node-days.
    const auto rate = [](const Scenario& s) {
        double sum = 0;
        const JobConfig config = jobFor(s);
        for (const FailureCause& f : config.failures)
            sum += f.per1000NodeDays;
        return sum;
    };
    EXPECT_NEAR(rate(with(large, {{"cluster.gpus_per_node", "72"}})), 9 * rate(large), 1e-9);
    EXPECT_NEAR(rate(*scenarioPreset("llama2-7b-8-a100")), 6.5, 1e-9);
}

TEST(JobDefaults, TheBoardsLimitActsOnTheEnergyOfJobAndSearch)
{
    // 8 boards of 700 or 350 W and 350 W each for the rest of the node; 1.54 of it for the facility.
    const Scenario full = *scenarioPreset("llama3-405b-16k-h100"), capped = with(full, {{"cluster.gpu.board_power_w", "350"}});
    EXPECT_NEAR(jobFor(full).nodePowerKw, 8.4, 1e-9);
    EXPECT_NEAR(jobFor(capped).nodePowerKw, 5.6, 1e-9);
    EXPECT_EQ(facilityShare(with(full, {{"job.pue", "1"}})), 1) << "a separate share, even the smallest";
    EXPECT_EQ(facilityShare(with(full, {{"job.pue", "1.2"}})), 1.2);
    for (const Scenario& s : {full, capped, with(full, {{"job.node_power_kw", "10"}, {"job.pue", "1.2"}})})
        EXPECT_NEAR(gpuKilowatts(s) * 8, jobFor(s).nodePowerKw * jobFor(s).pue, 1e-9);
    EXPECT_EQ(jobFor(with(full, {{"cluster.gpu.board_power_w", "0"}})).nodePowerKw, 0);
}

} // namespace
} // namespace prism
