// SPDX-License-Identifier: GPL-3.0-or-later
// The step of small jobs in closed form: an answer that no random number is part of.
#pragma once

#include "core/step/stepgraph.h"

#include <vector>

namespace prism::test {

/// Distribution of a step across jobs for a graph with one stage of one rank, gamma kernels of one class (with or without a rare event), a
/// normal spatial factor and a lognormal synchronisation in a lognormal regime. A replica takes f S, S a sum of independent gamma factors
/// with known characteristic function, inverted by its cosine series (Fang and Oosterlee 2008, SIAM J. Sci. Comput. 31, 826); the slowest
/// of D has the D-th power of its distribution function; the synchronisation follows. Probabilities are exact to 1e-10.
class KnownAnswer final {
public:
    explicit KnownAnswer(const StepGraph& graph);

    /// P(step <= s).
    [[nodiscard]] double below(double seconds) const;
    [[nodiscard]] double quantile(double p) const;
    [[nodiscard]] double mean() const;

private:
    [[nodiscard]] double slowestBelow(double seconds) const;

    double m_count, m_step;        ///< replicas; seconds between the places of m_above
    std::vector<double> m_above;   ///< P(one replica > k steps)
    std::vector<double> m_syncs;   ///< seconds, of equally spaced normal scores
    std::vector<double> m_weights; ///< of these, sum 1
};

} // namespace prism::test
