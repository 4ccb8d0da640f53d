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
    std::array<std::vector<ShapePoint>, 5> gemms;
    std::array<std::array<std::vector<ShapePoint>, 2>, 5> collectives;
    for (const MeasuredRow& r : measured.rows) {
        CollectiveOp op{};
        const auto real = [](std::int64_t x) { return static_cast<double>(x); };
        if (!(r.seconds > 0))
            continue;
        if (r.op == "gemm" && r.m > 0 && r.n > 0 && r.k > 0) {
            const MatrixPrecision p = precisionOf(r.dtype);
            const double formula = gemm(real(r.m), real(r.n), real(r.k), p);
            gemms[static_cast<std::size_t>(p)].push_back(
                {{safeLog(real(r.m)), safeLog(real(r.n)), safeLog(real(r.k))}, safeLog(r.seconds / formula)});
        } else if (collectiveOf(r.op, op) && r.ranks > 1 && r.bytes > 0) {
            GroupGeometry group = groupOf(r.ranks, gpusPerNode);
            const double formula = collective(op, group, real(r.bytes));
            collectives[static_cast<std::size_t>(op)][group.nodes > 1 ? 1 : 0].push_back(
                {{safeLog(real(r.bytes)), safeLog(real(r.ranks)), 0}, safeLog(r.seconds / formula)});
        }
    }
    for (std::size_t p = 0; p < gemms.size(); ++p)
        m_gemms[p] = ShapeCorrection(std::move(gemms[p]));
    for (std::size_t op = 0; op < collectives.size(); ++op)
        for (std::size_t where = 0; where < 2; ++where)
            m_collectives[op][where] = ShapeCorrection(std::move(collectives[op][where]));
}

double MeasuredTables::gemmFactor(double m, double n, double k, MatrixPrecision precision) const
{
    return m_gemms[static_cast<std::size_t>(precision)].factor({safeLog(m), safeLog(n), safeLog(k)});
}

double MeasuredTables::collectiveFactor(CollectiveOp op, const GroupGeometry& group, double bytes) const
{
    const ShapeCorrection& correction = m_collectives[static_cast<std::size_t>(op)][group.nodes > 1 ? 1 : 0];
    return correction.empty() ? 1.0 : correction.factor({safeLog(bytes), safeLog(static_cast<double>(group.size)), 0});
}

} // namespace prism
