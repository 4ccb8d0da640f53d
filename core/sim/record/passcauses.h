// SPDX-License-Identifier: GPL-3.0-or-later
// Recorded seconds of a pass or a communication by cause, and these by kernel class.
#pragma once

#include "core/sim/record/steprecord.h"

#include <array>
#include <numeric>
#include <vector>

namespace prism {

/// Seconds by cause; they sum to the duration.
using CauseSeconds = std::array<double, kCauses>;

/// The constants of the passes of one program in one kind of unit. The noise of a pass is drawn for all its kernels together: it goes
/// to their classes by their shares of the variance, the mean of what each contributed given the sum.
class PassCauses final {
public:
    PassCauses() = default;
    PassCauses(const SweepModel& model, int program, int kind);

    [[nodiscard]] CauseSeconds seconds(const PassRecord& record, const RegimeFactors& regimes) const;
    /// The same by class, too.
    void addTo(Parts& parts, const PassRecord& record, const RegimeFactors& regimes) const;

private:
    using ByClass = std::vector<double>;

    const PassTable* m_table = nullptr;
    double m_seconds = 0.0;                ///< of the kernels at their mean
    double m_exposed = 0.0;                ///< of the collectives at their mean, links at full speed
    double m_byLinks = 0.0;                ///< what slow links add to them
    bool m_varies = false;                 ///< by independent draws
    ByClass m_mean, m_sensitive, m_routed; ///< seconds of kernels: all, times sensitivity to G, with a routing factor
    ByClass m_exposedOf, m_byLinksOf;      ///< seconds of collectives
    ByClass m_variance, m_rare;            ///< relative: of noise, and mean seconds of rare events
    std::vector<Scope> m_scope;
};

/// Of one communication with `link` on the slowest link it uses; an absent one has none.
[[nodiscard]] CauseSeconds communicationCauses(const StepGraph& graph, const StepOp& op, double link, const RegimeFactors& regimes,
                                               double seconds, double rareSeconds);

/// Over causes or classes.
template <class Seconds>
[[nodiscard]] double sumOf(const Seconds& seconds)
{
    return std::accumulate(seconds.begin(), seconds.end(), 0.0);
}

} // namespace prism
