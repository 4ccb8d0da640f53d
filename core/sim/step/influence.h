// SPDX-License-Identifier: GPL-3.0-or-later
// What one sampled replica moves the figures of steps by that take their slowest replica from a common sample.
#pragma once

#include "core/sim/step/sampled.h"
#include "core/sim/step/tail.h"

#include <vector>

namespace prism {

/// First derivative of a figure by the weight share of a replica (an influence function: van der Vaart 1998, ch. 20), for every place where
/// the replica may lie. It rises in steps; a replica that the fitted tail was made from moves, instead of what lies beyond the threshold,
/// the tail's height and its scale.
struct Influence {
    std::vector<double> at, value;       ///< ascending; value[k] counts from at[k] on, 0 before at[0]
    double height = 0.0, perScale = 0.0; ///< of replicas of the fitted tail: at its threshold, and per relative excess of its scale
    /// By the replica as a point of the sample, and by its part in the height and in the scale of the fitted tail.
    struct Moved {
        double byPoint = 0.0, byHeight = 0.0, byScale = 0.0;
    };
    [[nodiscard]] Moved of(double excess, double weight, const FittedTail* fitted) const;
};

/// Derivatives where P(step > s) is 1 - the mean over the steps' locations L of (1 - G(s - L))^n, with G the sample's tail function, and
/// a step is no shorter than its replicas simulated one by one. Immutable; any thread.
class TailInfluence final {
public:
    /// Keeps references. `count`: n, the replicas that the sample stands for.
    TailInfluence(const Sampled& sampled, const TailSample& pool, int count);

    /// Of P(step > s), and what that rises by when G rises by the factor e everywhere.
    struct Exceedance {
        Influence influence;
        double perLog = 0.0;
    };
    [[nodiscard]] Exceedance exceedance(double seconds) const;
    /// The step's quantile at p if G were `factor` times as large.
    [[nodiscard]] double quantile(double p, double factor) const;
    /// Of the mean step, seconds, and the mean step itself if G were `factor` times as large.
    [[nodiscard]] Influence mean() const;
    [[nodiscard]] double meanSeconds(double factor) const;

private:
    [[nodiscard]] double slope(double tail) const;
    [[nodiscard]] std::vector<double> places() const;
    [[nodiscard]] std::vector<double> covered() const;

    const Sampled& m_sampled;
    const TailSample& m_pool;
    double m_count;
    std::size_t m_stride;
    std::vector<double> m_single; ///< step ends over the replicas simulated one by one, ascending
};

} // namespace prism
