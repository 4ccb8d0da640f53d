// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/job/promise.h"

#include "core/job/jobsection.h"

namespace prism {

Result<Guarantee> promise(Evaluator& evaluator, const Scenario& scenario, const GuaranteeQuery& query, double deadlineDays,
                          const InsightOptions& options)
{
    Result<Guarantee> made = guarantee(evaluator, scenario, query, options);
    if (!made.ok() || deadlineDays == 0)
        return made;
    const Result<JobReport> job = jobOf(evaluator, scenario, {.tokens = query.trainTokens, .deadlineDays = deadlineDays}, options);
    if (!job.ok())
        return job.errors();
    Guarantee result = std::move(made).value();
    result.deadlineDays = deadlineDays;
    result.deadlineProbability = job->deadlineProbability;
    result.notes.emplace_back(
        "The deadline is the whole job's: with failures, restarts, checkpoints and evaluations, the error of the predicted "
        "mean, and how systems differ.");
    return result;
}

} // namespace prism
