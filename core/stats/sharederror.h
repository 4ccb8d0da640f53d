// SPDX-License-Identifier: GPL-3.0-or-later
// The shared error of all samples of a series, as standard errors that those of independent samples omit.
#pragma once

namespace prism {

/// Standard errors, in seconds, that all steps of a series share: that of the sampled pass tables and, within a job, that of the choice
/// of the median job. 0 where steps are independent. The summary adds them to the errors of independent steps.
struct SharedError {
    struct Part {
        double stdErr = 0;  ///< seconds
        double degrees = 0; ///< of freedom of stdErr; 0 = many
    };
    Part p50, p95, p99, mean;
};
/// Two independent errors together; degrees of freedom by Satterthwaite (1946).
[[nodiscard]] SharedError::Part together(const SharedError::Part& a, const SharedError::Part& b);
[[nodiscard]] SharedError together(const SharedError& a, const SharedError& b);

} // namespace prism
