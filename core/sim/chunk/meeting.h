// SPDX-License-Identifier: GPL-3.0-or-later
// The meeting of independent participants, each with a luck, a data factor and noise of its own: when the last one arrives, and how
// much of the spread comes from what stays the same at their next meetings.
#pragma once

#include "core/sim/chunk/maximum.h"

#include <vector>

namespace prism {

/// A distribution as few weighted points; `inside` is the variance within each.
struct WeightedPoints {
    std::vector<double> value, weight, inside;
};
/// Sorts and merges points: coarse below the median, ever finer towards the upper tail, down to what the largest of `count` draws
/// can show. Mean and variance (with `inside`) stay. Weights need not sum to 1; the result's do. `finer`: times as many points.
[[nodiscard]] WeightedPoints coarsePoints(std::vector<double> value, std::vector<double> weight, double count, double finer = 1.0);

/// `count` participants that are alike before their lucks are drawn. Seconds between two meetings at data factor 1, by luck.
struct Participants {
    double count = 1.0;
    std::vector<double> weight, mean, variance;
};

struct MeetingInput {
    std::vector<Participants> who;
    Moments collectives; ///< of each participant, in addition; the data factor leaves them alone
    WeightedPoints data; ///< one factor per participant, the same at all its meetings in a micro-batch
    int sharingData = 1; ///< so many neighbouring participants share it
    /// A factor that so many neighbouring participants share, another at every meeting, of this share of their seconds.
    WeightedPoints routing{{1.0}, {1.0}, {0.0}};
    int together = 1;
    double routed = 0.0;
};

/// Moments of the time at which the last participant arrives, and covariances with another such meeting.
struct MeetingMoments {
    Moments time;
    double sameLuck = 0.0;    ///< of the same lucks with other data factors: another micro-batch
    double sameData = 0.0;    ///< of the same lucks and data factors: the same micro-batch
    double sameRouting = 0.0; ///< of the same routing factors: another pass of the same layer
};

/// Participants' times about their means have the CDF `shape` (empty: normal). Quadrature over the product of the participants' CDFs;
/// covariances by Hoeffding's formula, Cov(X, Y) = int int (H(x, y) - F(x) G(y)) (Hoeffding 1940), for them as if each participant had a
/// routing factor of its own, and that of the same lucks as if each had a data factor of its own. The work does not grow with `count`.
[[nodiscard]] MeetingMoments meeting(const MeetingInput& input, const StandardCdf& shape);
/// Its mean alone.
[[nodiscard]] double meetingMean(const MeetingInput& input, const StandardCdf& shape);

} // namespace prism
