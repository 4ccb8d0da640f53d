// SPDX-License-Identifier: GPL-3.0-or-later
// Regression by boosted trees: a number over three features as a sum of small piecewise constant pieces.
//
// Source: Friedman 2001, Greedy function approximation: a gradient boosting machine (Annals of Statistics 29), squared loss. Each tree
// of at most eight leaves fits the residual of the trees before it, times 0.1.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace prism {

/// Immutable after the fit; any thread. Deterministic: the same rows in the same order give the same trees.
class BoostedTrees final {
public:
    using Features = std::array<double, 3>;

    /// Predicts 0 everywhere.
    BoostedTrees() = default;
    /// Fits the targets of the rows; both of the same length, all finite. With fewer than kEnoughRows rows their mean everywhere.
    /// Cost: about 2 us a row.
    BoostedTrees(const std::vector<Features>& rows, const std::vector<double>& targets);

    [[nodiscard]] double at(const Features& features) const;

    static constexpr std::size_t kEnoughRows = 40;

private:
    struct Node {
        std::int8_t feature = -1; ///< < 0 = a leaf
        double threshold = 0;     ///< below goes left
        double value = 0;         ///< of a leaf
        std::int32_t left = 0, right = 0;
    };
    using Tree = std::vector<Node>;
    class Growth;

    [[nodiscard]] static double leafOf(const Tree& tree, const Features& features);

    double m_mean = 0;
    std::vector<Tree> m_trees;
};

} // namespace prism
