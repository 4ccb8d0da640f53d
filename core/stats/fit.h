// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the family that measured durations follow.
#pragma once

#include "core/base/result.h"
#include "core/stats/distribution.h"

#include <span>
#include <vector>

namespace prism {

/// A fitted factor: value = mean * factor.
struct Fit {
    Distribution distribution; ///< mean 1; cv of the fitted family
    double mean = 0.0;         ///< in the unit of the values
    double ksDistance = 0.0;   ///< sup |F_n - F|
    /// Kolmogorov's p-value of this distance. Parameters come from the same values, so it is too large (Lilliefors, J. Amer.
    /// Statist. Assoc. 62, 1967): a small one rejects the family, a large one does not prove it.
    double ksPValue = 0.0;
};

/// Fits one family to at least two values, finite and > 0. lognormal, gamma and Weibull by maximum likelihood (gamma: ln a - psi(a) =
/// ln mean - mean ln; Weibull: the profile equation of the shape), normal by moments, empirical takes the values themselves.
/// A cv beyond maxCv is cut to it. Pure; any thread.
[[nodiscard]] Result<Fit> fitFamily(Family family, std::span<const double> values);
/// Fits of normal, lognormal, gamma and Weibull, smallest KS distance first.
[[nodiscard]] Result<std::vector<Fit>> fitFamilies(std::span<const double> values);

} // namespace prism
