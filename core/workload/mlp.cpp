// SPDX-License-Identifier: GPL-3.0-or-later
// Dense feed-forward layers, and the shared expert of a mixture.
#include "core/workload/emitter.h"

namespace prism {

void Emitter::mlp(double ffn, bool enterAndExit, bool shared)
{
    auto& f = out.forward;
    const double width = ffn / tp, gates = model.gatedMlp ? 2 : 1;
    if (enterAndExit)
        norm();
    {
        const Module module(*this, shared ? kSharedExperts : kDenseMlp);
        if (enterAndExit) {
            enterForward();
            quantise(f, s.tokens * h, Part::forward);
        }
        gemm(f, KernelId::gemmFc1, s.tokens, gates * width, h, Part::forward);
        memory(f, KernelId::activation, activationPasses(Part::forward) * e * s.tokens * width);
        quantise(f, s.tokens * width, Part::forward);
        gemm(f, KernelId::gemmFc2, s.tokens, h, width, Part::forward);
        if (enterAndExit)
            exitForward();
    }
    if (enterAndExit)
        residual();
}

void Emitter::mlpBackward(double ffn, bool enterAndExit)
{
    auto& b = out.backward;
    const double width = ffn / tp, gates = model.gatedMlp ? 2 : 1;
    if (enterAndExit) {
        residualBackward();
        exitBackward();
        quantise(b, s.tokens * h, Part::dgrad);
    }
    gemm(b, KernelId::gemmFc2, s.tokens, width, h, Part::dgrad);
    gemm(b, KernelId::gemmFc2, h, width, s.tokens, Part::wgrad);
    memory(b, KernelId::activation, activationPasses(Part::dgrad) * e * s.tokens * width, Part::dgrad);
    quantise(b, s.tokens * gates * width, Part::dgrad);
    gemm(b, KernelId::gemmFc1, s.tokens, h, gates * width, Part::dgrad);
    if (enterAndExit)
        enterBackward();
    gemm(b, KernelId::gemmFc1, gates * width, h, s.tokens, Part::wgrad);
    if (enterAndExit)
        normBackward();
}

} // namespace prism
