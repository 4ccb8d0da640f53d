// SPDX-License-Identifier: GPL-3.0-or-later
// Guarantees for a job: its steps, and the deadline of the whole training run.
#pragma once

#include "core/insight/guarantee/guarantee.h"

namespace prism {

/// guarantee(), and with deadlineDays > 0 the probability that the whole job (jobOf: failures, checkpoints, the error of the mean, systems
/// that differ) is done by then: the same number as the job's own. Errors: those of both; a deadline without tokens to train.
[[nodiscard]] Result<Guarantee> promise(Evaluator& evaluator, const Scenario& scenario, const GuaranteeQuery& query, double deadlineDays,
                                        const InsightOptions& options = {});

} // namespace prism
