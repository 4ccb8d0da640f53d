// SPDX-License-Identifier: GPL-3.0-or-later
// A duration factor with mean 1: the description of variation that all layers use.
#pragma once

#include "core/base/hash.h"
#include "core/base/result.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace prism {

/// Families of distributions, as resources/help/scenario-file.md names them.
enum class Family { deterministic, normal, lognormal, gamma, weibull, empirical };

[[nodiscard]] std::string_view familyName(Family family);
[[nodiscard]] std::optional<Family> familyFromName(std::string_view name);

/// A positive random factor with mean 1 (the part without the rare event) and coefficient of variation `cv`.
/// normal is truncated at 0 (and rescaled to mean 1). An empirical factor holds its pool, sorted ascending and divided
/// by its mean; its cv is the pool's. With probability `rareProbability` a draw is multiplied by `rareMultiplier`;
/// the rare event is NOT divided out: E = 1 + rareProbability * (rareMultiplier - 1).
/// A value type; safe to copy between threads.
struct Distribution {
    Family family = Family::deterministic;
    double cv = 0.0;                                 ///< >= 0, dimensionless
    double rareProbability = 0.0;                    ///< per draw, in [0, 1)
    double rareMultiplier = 1.0;                     ///< > 0
    std::shared_ptr<const std::vector<double>> pool; ///< only for empirical

    /// Variance of the factor without its rare event.
    [[nodiscard]] double baseVariance() const;
    /// Mean and variance with the rare event.
    [[nodiscard]] double mean() const { return 1.0 + rareProbability * (rareMultiplier - 1.0); }
    [[nodiscard]] double variance() const;
    [[nodiscard]] bool isDeterministic() const { return family == Family::deterministic && rareProbability == 0.0; }
    void addTo(Hasher& hasher) const;
    bool operator==(const Distribution& other) const;
};

/// Largest coefficient of variation that a family can have here. The normal truncated at 0 tends to the exponential
/// distribution (cv 1) and is refused from 0.9 on; the others are bounded so that no mean is carried by unseen draws.
[[nodiscard]] double maxCv(Family family);

/// Everything that is wrong with a factor (cv, rare event, pool), each diagnostic with its path below `path`.
[[nodiscard]] Diagnostics check(const Distribution& distribution, std::string_view path);

/// Coefficient of variation of a pool with mean 1 and at least one value.
[[nodiscard]] double poolCv(const std::vector<double>& pool);

/// An empirical factor from measured values (> 0, at least one); the pool is divided by its mean.
[[nodiscard]] Distribution empiricalDistribution(std::vector<double> values);

} // namespace prism
