// SPDX-License-Identifier: GPL-3.0-or-later
// Parameter table: the job section, what affects a whole training run besides its steps.
#include "core/scenario/parameterentry.h"
#include "core/scenario/presetlibrary.h"

namespace prism::table {
namespace {

constexpr double kYearS = 31'536'000, kYearH = 8'760;

std::vector<std::string> jobPresets()
{
    std::vector<std::string> names = presetNames("job");
    names.insert(names.begin(), "");
    return names;
}

/// An entry that follows the job (core/job/jobdefaults.h) until it is set.
Parameter following(Parameter p)
{
    p.minimum = kFollowsJob;
    p.help += " -1 = follows the job.";
    return p;
}

void addFailures(std::vector<Parameter>& t)
{
    t.push_back(real({"job.failure_scale", "Failure rate factor", "", "x", "Factor on the rates of all causes of failure."}, 0, 1000,
                     PRISM_FIELD(job.failureScale)));
    t.push_back(
        following(real({"job.detection_s", "Detection", "", "s", "Time from a failure until its detection, when the restart begins."}, 0,
                       kYearS, PRISM_FIELD(job.detectionS))));
    t.push_back(following(
        real({"job.restart_s", "Restart", "", "s", "Time from then until the next step: nodes, processes, loading the checkpoint."}, 0,
             kYearS, PRISM_FIELD(job.restartS))));
    t.push_back(following(advanced(real({"job.repair_hours", "Repair", "", "h", "Time until a node that left the job is back."}, 0, kYearH,
                                        PRISM_FIELD(job.repairHours)))));
    t.push_back(following(integer(
        {"job.spare_nodes", "Spare nodes", "", "nodes", "Nodes that stand by and take the place of failed ones; they are paid for."}, 0,
        1 << 20, PRISM_FIELD(job.spareNodes))));
    t.push_back(advanced(choice({"job.without_spare", "Without a spare", "", "",
                                 "What happens when no spare is left: wait for a repair, or shrink to whole replicas of the nodes left."},
                                {"wait", "shrink"}, PRISM_FIELD(job.withoutSpare))));
}

void addCheckpoints(std::vector<Parameter>& t)
{
    t.push_back(real({"job.checkpoint_interval_s", "Checkpoint interval", "", "s", "Training time between checkpoints; 0 = the best one."},
                     0, kYearS, PRISM_FIELD(job.checkpointIntervalS)));
    t.push_back(following(real({"job.checkpoint_block_s", "Checkpoint pause", "", "s", "How long training stands still for a checkpoint."},
                               0, kYearS, PRISM_FIELD(job.checkpointBlockS))));
    t.push_back(following(advanced(real({"job.checkpoint_persist_s", "Checkpoint safe after", "", "s",
                                         "Asynchronous checkpoints: how much later one is safe. 0 = it is safe when training continues."},
                                        0, kYearS, PRISM_FIELD(job.checkpointPersistS)))));
    t.push_back(
        advanced(real({"job.checkpoint_gb_per_s", "Checkpoint storage", "", "GB/s",
                       "What the storage writes, all nodes together; a checkpoint that follows the job is safe as soon as it is written."},
                      0.001, 1e6, PRISM_FIELD(job.checkpointGbPerS))));
}

void addPauses(std::vector<Parameter>& t)
{
    t.push_back(advanced(real({"job.slow_per_1000_node_days", "Slow episodes", "", "per 1,000 node-days",
                               "How often a node or link becomes slow and holds up the job."},
                              0, 1e6, PRISM_FIELD(job.slowPer1000NodeDays))));
    t.push_back(advanced(
        real({"job.slow_factor", "Slow episode factor", "", "x", "Step time of the job while an episode lasts, over its usual one."}, 1,
             1000, PRISM_FIELD(job.slowFactor))));
    t.push_back(advanced(real({"job.slow_hours", "Slow episode length", "", "h", "Mean length of an episode without action."}, 0, kYearH,
                              PRISM_FIELD(job.slowHours))));
    t.push_back(advanced(real({"job.slow_mitigation_s", "Slow episode mitigated after", "", "s",
                               "After this time the cause is moved out of the job at the cost of a restart; 0 = no action."},
                              0, kYearS, PRISM_FIELD(job.slowMitigationS))));
    t.push_back(advanced(real({"job.evaluation_interval_steps", "Evaluation every", "", "steps", "Steps between evaluations; 0 = none."}, 0,
                              1e9, PRISM_FIELD(job.evaluationIntervalSteps))));
    t.push_back(
        advanced(real({"job.evaluation_s", "Evaluation", "", "s", "Length of one evaluation."}, 0, kYearS, PRISM_FIELD(job.evaluationS))));
    t.push_back(
        following(advanced(real({"job.maintenance_every_days", "Planned stop every", "", "days", "Days between planned stops; 0 = none."},
                                0, 3650, PRISM_FIELD(job.maintenanceEveryDays)))));
    t.push_back(advanced(real({"job.maintenance_hours", "Planned stop", "", "h", "Length of a planned stop before its restart."}, 0, kYearH,
                              PRISM_FIELD(job.maintenanceHours))));
}

void addPower(std::vector<Parameter>& t)
{
    t.push_back(following(advanced(real({"job.node_power_kw", "Node power", "", "kW", "Mean draw of a node while training; 0 = unknown."},
                                        0, 10'000, PRISM_FIELD(job.nodePowerKw)))));
    t.push_back(
        following(advanced(real({"job.pue", "Power usage effectiveness", "PUE", "", "Energy of the facility over that of its computers."},
                                0, 10, PRISM_FIELD(job.pue)))));
    t.push_back(following(
        advanced(real({"job.grid_g_co2_per_kwh", "Grid emissions", "", "g CO2/kWh", "Emissions per energy of the grid; 0 = unknown."}, 0,
                      5'000, PRISM_FIELD(job.gridGCo2PerKwh)))));
}

} // namespace

void addJob(std::vector<Parameter>& t)
{
    t.push_back(
        choice({"job.preset", "Job preset", "", "", "The set of failures and checkpoints of the library that the section starts from."},
               jobPresets(), PRISM_FIELD(job.preset)));
    t.push_back(real({"job.deadline_days", "Deadline", "", "days", "Days within which the training run should be done; 0 = none."}, 0,
                     36'500, PRISM_FIELD(job.deadlineDays)));
    t.push_back(
        text({"job.start_date", "Start", "", "", "First day of the run, such as 2026-01-31; empty = days are counted from the start."},
             PRISM_FIELD(job.startDate)));
    addFailures(t);
    addCheckpoints(t);
    addPauses(t);
    addPower(t);
}

} // namespace prism::table
