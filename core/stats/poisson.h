// SPDX-License-Identifier: GPL-3.0-or-later
// Number of events by inversion of the Poisson distribution.
#pragma once

namespace prism {

/// The smallest k <= `most` with P(N <= k) >= u, for a Poisson variable N of mean `mean` >= 0 and u in (0, 1). Any thread.
[[nodiscard]] int poissonCount(double mean, double u, int largest = 1'000);

} // namespace prism
