// SPDX-License-Identifier: GPL-3.0-or-later
// What all samples of a series share, as standard errors that the errors of independent samples omit.
#pragma once

namespace prism {

/// Standard errors, in seconds, of what all steps of a series share: the common sample of replicas that they take their slowest from, and
/// within a job which of many jobs was drawn. 0 where steps are independent. The summary adds them to the errors of independent steps.
struct SharedError {
    struct Part {
        double stdErr = 0;  ///< seconds
        double degrees = 0; ///< of freedom with which stdErr is known; 0 = many
    };
    Part p50, p95, p99, mean;
};
/// Two independent errors together; degrees of freedom by Satterthwaite (1946).
[[nodiscard]] SharedError::Part together(const SharedError::Part& a, const SharedError::Part& b);
[[nodiscard]] SharedError together(const SharedError& a, const SharedError& b);

} // namespace prism
