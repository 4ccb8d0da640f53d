// SPDX-License-Identifier: GPL-3.0-or-later
// Models that are a list of operators.
#include "core/workload/emitter.h"

namespace prism {

LayerKernels genericKernels(const Scenario& scenario, const Shape& shape)
{
    Emitter em(scenario, shape);
    const double samples = shape.microBatch;
    for (const GenericOperator& op : scenario.model.operators)
        for (int i = 0; i < op.count; ++i) {
            if (op.m > 0 && op.n > 0 && op.k > 0) {
                const double m = static_cast<double>(op.m) * samples, n = static_cast<double>(op.n) / em.tp, k = static_cast<double>(op.k);
                em.gemm(em.out.forward, KernelId::genericGemm, m, n, k, Part::forward);
                em.gemm(em.out.backward, KernelId::genericGemm, m, k, n, Part::dgrad);
                em.gemm(em.out.backward, KernelId::genericGemm, n, k, m, Part::wgrad);
            }
            if (op.bytes > 0 || (op.m <= 0 && op.flops > 0)) {
                Kernel k;
                k.id = KernelId::genericOp;
                k.kind = op.flops > 0 && op.m <= 0 ? CostKind::roofline : CostKind::memory;
                k.flops = op.m > 0 ? 0 : op.flops * samples / em.tp;
                k.bytes = op.bytes * samples / em.tp;
                em.out.forward.push_back(k);
                k.part = Part::dgrad;
                k.flops *= 2;
                k.bytes *= 2;
                em.out.backward.push_back(k);
            }
        }
    return std::move(em.out);
}

} // namespace prism
