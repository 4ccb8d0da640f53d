// SPDX-License-Identifier: GPL-3.0-or-later
// What a measured table says about a formula over shapes: boosted trees on the logarithm of measured over formula, and next to them the
// nearest rows.
#pragma once

#include "core/stats/boostedtrees.h"

#include <vector>

namespace prism {

/// One measured row.
struct ShapePoint {
    BoostedTrees::Features at{}; ///< logarithms of the shape: (m, n, k), or (bytes, ranks)
    double residual = 0;         ///< logarithm of measured over formula
};

/// Mean absolute relative errors on held-out rows.
struct CrossValidation {
    int rows = 0;
    double formula = 0, corrected = 0;
};

/// Immutable; any thread. A row's own shape gives the row's residual. Cost of a question: one pass over the rows.
class ShapeCorrection final {
public:
    ShapeCorrection() = default;
    explicit ShapeCorrection(std::vector<ShapePoint> points);

    /// Factor on the formula's time; 1 without rows.
    [[nodiscard]] double factor(const BoostedTrees::Features& at) const;
    [[nodiscard]] bool empty() const { return m_points.empty(); }

private:
    BoostedTrees m_trees;
    std::vector<ShapePoint> m_points; ///< residuals: what the trees leave
};

/// Fifths of the shapes omitted in turn; rows of one shape stay together. Shapes are dealt out by a fixed draw.
[[nodiscard]] CrossValidation crossValidated(const std::vector<ShapePoint>& points);

} // namespace prism
