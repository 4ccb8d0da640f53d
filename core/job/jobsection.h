// SPDX-License-Identifier: GPL-3.0-or-later
// The job of a scenario with the section in use: its answer, guarantees about it, and its assumptions with their sources.
#pragma once

#include "core/base/result.h"
#include "core/insight/guarantee/guarantee.h"
#include "core/insight/insight.h"
#include "core/job/jobanswer.h"

#include <string>
#include <vector>

namespace prism {

/// The job section in use: the scenario's own, with the default of each field that it does not set (jobdefaults.h). Where it names no
/// failures, they are those of the default preset of its GPU, for each GPU of a node.
struct JobSection {
    JobConfig config;
    bool assumed = false; ///< the scenario names no failures
    std::string standsIn; ///< the preset whose failures were assumed
};

/// Errors: no preset library. Any thread.
[[nodiscard]] Result<JobSection> jobSectionOf(const Scenario& scenario);

/// The whole job of a scenario with the section in use; its first note says where failures were assumed. Errors as trainingRun.
[[nodiscard]] Result<JobReport> jobOf(Evaluator& evaluator, const Scenario& scenario, const JobQuery& query,
                                      const InsightOptions& options = {});

/// guarantee(), and with deadlineDays > 0 the probability that the whole job (jobOf: failures, checkpoints, the error of the mean, systems
/// that differ) is done by then: the same number as the job's own. Errors: those of both; a deadline without tokens to train.
[[nodiscard]] Result<Guarantee> promise(Evaluator& evaluator, const Scenario& scenario, const GuaranteeQuery& query, double deadlineDays,
                                        const InsightOptions& options = {});

/// One input of the job with its origin.
struct JobAssumption {
    enum class Word { published, assumed, scenario }; ///< scenario: typed by the user
    std::string path;                                 ///< parameter ("job.restart_s"); "job.failures" for the rates
    std::string label, value;                         ///< "Restart", "540 s"
    std::string source;                               ///< one sentence; empty for values of the scenario's own
    Word word = Word::scenario;
    bool operator==(const JobAssumption&) const = default;
};

/// The assumptions of the answer: the values that affect it, in the order of the section. `section` as jobSectionOf gives it. Any thread.
[[nodiscard]] std::vector<JobAssumption> jobAssumptions(const Scenario& scenario, const JobSection& section);

} // namespace prism
