// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/measured.h"

#include "core/cost/classes.h"

#include <algorithm>
#include <cmath>

namespace prism {
namespace {

double safeLog(double x)
{
    return std::log(std::max(1e-30, x));
}

} // namespace

void MeasuredTables::set(const MeasuredConfig& measured, std::int64_t gpusPerNode, const GemmFormula& gemm,
                         const CollectiveFormula& collective)
{
    for (const MeasuredKernel& k : measured.kernels)
        for (int id = 0; id < kKernelIds; ++id)
            if (k.meanSeconds > 0 && kernelName(static_cast<KernelId>(id)) == k.kernelClass)
                m_kernels[static_cast<std::size_t>(id)] = k.meanSeconds;
    for (const MeasuredRow& r : measured.rows) {
        CollectiveOp op{};
        const auto real = [](std::int64_t x) { return static_cast<double>(x); };
        if (!(r.seconds > 0))
            continue;
        if (r.op == "gemm" && r.m > 0 && r.n > 0 && r.k > 0) {
            const MatrixPrecision p = precisionOf(r.dtype);
            const double formula = gemm(real(r.m), real(r.n), real(r.k), p);
            m_gemms[static_cast<std::size_t>(p)].push_back(
                {{safeLog(real(r.m)), safeLog(real(r.n)), safeLog(real(r.k))}, safeLog(r.seconds / formula)});
        } else if (collectiveOf(r.op, op) && r.ranks > 1 && r.bytes > 0) {
            GroupGeometry group = filledNodes(r.ranks, gpusPerNode);
            const double formula = collective(op, group, real(r.bytes));
            m_collectives[static_cast<std::size_t>(op)][group.nodes > 1 ? 1 : 0].push_back(
                {{safeLog(real(r.bytes)), safeLog(real(r.ranks)), 0}, safeLog(r.seconds / formula)});
        }
    }
}

/// The residuals of the eight nearest rows, weighted by the fourth power of their nearness (Shepard 1968, inverse distance): a row
/// that is hit gives itself, far from all rows the nearest ones decide.
double MeasuredTables::factor(const Points& points, const std::array<double, 3>& at)
{
    constexpr std::size_t kNearest = 8;
    std::array<std::pair<double, double>, kNearest> nearest; // squared distance, residual; ascending
    std::size_t n = 0;
    for (const Point& p : points) {
        double d = 0;
        for (std::size_t i = 0; i < at.size(); ++i)
            d += (p.at[i] - at[i]) * (p.at[i] - at[i]);
        if (n == kNearest && d >= nearest[n - 1].first)
            continue;
        std::size_t slot = n < kNearest ? n++ : kNearest - 1;
        for (; slot > 0 && nearest[slot - 1].first > d; --slot)
            nearest[slot] = nearest[slot - 1];
        nearest[slot] = {d, p.residual};
    }
    if (n == 0)
        return 1;
    constexpr double kHit = 1e-18;
    double sum = 0, weights = 0;
    for (std::size_t i = 0; i < n && (i == 0 || nearest[0].first > kHit || nearest[i].first <= kHit); ++i) {
        const double w = 1 / std::max(kHit * kHit, nearest[i].first * nearest[i].first);
        sum += w * nearest[i].second;
        weights += w;
    }
    return std::exp(sum / weights);
}

double MeasuredTables::gemmFactor(double m, double n, double k, MatrixPrecision precision) const
{
    return factor(m_gemms[static_cast<std::size_t>(precision)], {safeLog(m), safeLog(n), safeLog(k)});
}

double MeasuredTables::collectiveFactor(CollectiveOp op, const GroupGeometry& group, double bytes) const
{
    return factor(m_collectives[static_cast<std::size_t>(op)][group.nodes > 1 ? 1 : 0],
                  {safeLog(bytes), safeLog(static_cast<double>(group.size)), 0});
}

} // namespace prism
