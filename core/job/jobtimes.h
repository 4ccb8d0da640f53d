// SPDX-License-Identifier: GPL-3.0-or-later
// From a scenario and its job section to the events and times of one sampled run.
#pragma once

#include "core/job/jobanswer.h"

namespace prism {

/// The date `days` after an ISO date ("2026-01-31"), or empty for an empty or impossible start.
[[nodiscard]] std::string dateAfter(const std::string& start, double days);
/// Rates and times of the job; `workSeconds` is left to the run.
[[nodiscard]] TimelineInputs timelineInputs(const JobConfig& config, const JobPlan& plan, double nodesPerReplica);
/// All that is out of range in a query or a job section, with paths.
[[nodiscard]] Diagnostics checkJob(const JobConfig& config, const JobQuery& query);
/// Failures of all causes, and of those that take a node away, per 1,000 node-days, scaled.
[[nodiscard]] double failuresPer1000NodeDays(const JobConfig& config, bool nodesOnly);

/// The interval in use and the results of others.
[[nodiscard]] CheckpointAdvice checkpointAdvice(const JobConfig& config, const JobPlan& plan);
/// Mean and deviation by renewal theory of `undisturbedDays` of work.
[[nodiscard]] ClosedForm closedForm(const JobConfig& config, const JobPlan& plan, double intervalSeconds);
/// P(K >= spares) with K nodes in repair, Poisson (M/G/infinity), and the least number of spares with P(K > spares) <= 1 %.
[[nodiscard]] double probabilityNoSpare(double nodesInRepair, int spares);
[[nodiscard]] int sparesFor99(double nodesInRepair);

} // namespace prism
