// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/sharederror.h"

#include <cmath>

namespace prism {

SharedError::Part together(const SharedError::Part& a, const SharedError::Part& b)
{
    const double x = a.stdErr * a.stdErr, y = b.stdErr * b.stdErr;
    const double known = (a.degrees > 0.0 ? x * x / a.degrees : 0.0) + (b.degrees > 0.0 ? y * y / b.degrees : 0.0);
    return {std::sqrt(x + y), known > 0.0 ? (x + y) * (x + y) / known : 0.0};
}

SharedError together(const SharedError& a, const SharedError& b)
{
    return {together(a.p50, b.p50), together(a.p95, b.p95), together(a.p99, b.p99), together(a.mean, b.mean)};
}

} // namespace prism
