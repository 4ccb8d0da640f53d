// SPDX-License-Identifier: GPL-3.0-or-later
// Measured tables in place of formulas: operator times by shape, collectives by size, means by kernel class.
//
// Between the rows the residual of the formula is predicted by regression over the shape (shapecorrection.h), so that a row's own shape
// gives the row's time and neighbouring shapes keep the formula's tiles, waves and latencies.
#pragma once

#include "core/cost/shapecorrection.h"
#include "core/measured/operatorrows.h"
#include "core/scenario/scenario.h"
#include "core/step/layout.h"
#include "core/workload/kernel.h"

#include <array>
#include <functional>
#include <vector>

namespace prism {

/// Immutable after `set`; any thread. Cost of a question: one pass over the rows of its kind (at most 20,000 each).
class MeasuredTables final {
public:
    using GemmFormula = std::function<double(double m, double n, double k, MatrixPrecision)>;
    using CollectiveFormula = std::function<double(CollectiveOp, const GroupGeometry&, double bytes)>;

    /// Takes the rows in, each as its residual against the formula.
    void set(const MeasuredConfig& measured, std::int64_t gpusPerNode, const GemmFormula& gemm, const CollectiveFormula& collective);

    /// Factor on the formula's time of a matrix product; 1 without rows of the precision.
    [[nodiscard]] double gemmFactor(double m, double n, double k, MatrixPrecision precision) const;
    /// Whether matrix products of a precision were measured.
    [[nodiscard]] bool hasGemms(MatrixPrecision precision) const { return !m_gemms[static_cast<std::size_t>(precision)].empty(); }
    /// Factor on the formula's time of a collective; 1 without rows of the op inside a node (or between nodes).
    [[nodiscard]] double collectiveFactor(CollectiveOp op, const GroupGeometry& group, double bytes) const;
    /// Mean seconds of a kernel class, or < 0.
    [[nodiscard]] double kernelSeconds(KernelId id) const { return m_kernels[static_cast<std::size_t>(id)]; }

private:
    std::array<ShapeCorrection, 5> m_gemms;
    std::array<std::array<ShapeCorrection, 2>, 5> m_collectives; ///< by op; inside a node, between nodes
    std::array<double, kKernelIds> m_kernels = [] {
        std::array<double, kKernelIds> none{};
        none.fill(-1);
        return none;
    }();
};

} // namespace prism
