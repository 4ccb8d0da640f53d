// SPDX-License-Identifier: GPL-3.0-or-later
// Selective state-space layers.
#include "core/workload/emitter.h"

namespace prism {

/// Selective state-space layer (Mamba-2, arXiv 2405.21060): expansion 2, state 128, head 64: in/out projections and a scan
/// that streams its inputs.
void Emitter::mamba()
{
    auto& f = out.forward;
    auto& b = out.backward;
    const double inner = 2 * h / tp, state = 128;
    const double in = 2 * inner + 2 * 8 * state / tp + inner / 64; // 8 groups of state
    norm();
    enterForward();
    gemm(f, KernelId::gemmQkv, s.tokens, in, h, Part::forward);
    memory(f, KernelId::ssm, e * s.tokens * (3 * inner + 2 * state) * 2, Part::forward, 2); // short convolution, gate and norm
    Kernel scan;
    scan.id = KernelId::ssm;
    scan.kind = CostKind::roofline;
    // State-space duality (section 6 of that paper) in chunks of 256 tokens: the causal half of the products inside a chunk with
    // the inputs and between the 8 groups' queries and keys, and states written and read.
    constexpr double kChunk = 256, kGroups = 8;
    scan.flops = s.tokens * (kChunk * (inner + kGroups * state / tp) + 4 * state * inner);
    scan.bytes = e * s.tokens * (3 * inner + 2 * kGroups * state / tp);
    scan.launches = 5;
    f.push_back(scan);
    gemm(f, KernelId::gemmProj, s.tokens, h, inner, Part::forward);
    exitForward();
    residual();

    residualBackward();
    exitBackward();
    gemm(b, KernelId::gemmProj, s.tokens, inner, h, Part::dgrad);
    gemm(b, KernelId::gemmProj, h, inner, s.tokens, Part::wgrad);
    scan.part = Part::dgrad;
    scan.backward = true;
    scan.flops *= 2.5;
    scan.bytes *= 2.5;
    scan.launches = 8;
    b.push_back(scan);
    memory(b, KernelId::ssm, e * s.tokens * (3 * inner + 2 * state) * 4, Part::dgrad, 4);
    gemm(b, KernelId::gemmQkv, s.tokens, h, in, Part::dgrad);
    enterBackward();
    gemm(b, KernelId::gemmQkv, in, h, s.tokens, Part::wgrad);
    normBackward();
}

} // namespace prism
