// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workload/emitter.h"

#include "core/workload/passes.h"

#include <cmath>

namespace prism {

Emitter::Emitter(const Scenario& scenario, const Shape& shape)
    : model(scenario.model),
      par(scenario.parallelism),
      training(scenario.training),
      s(shape),
      e(shape.elementBytes),
      tp(static_cast<double>(shape.tp)),
      h(static_cast<double>(scenario.model.hiddenSize)),
      cast(castBytes(scenario.training, scenario.cluster.gpu))
{
    out.forward.reserve(24);
    out.backward.reserve(40);
}

void Emitter::memory(std::vector<Kernel>& to, KernelId id, double bytes, Part part, double launches) const
{
    Kernel k;
    k.modules = inside;
    k.id = id;
    k.part = part;
    k.bytes = bytes;
    k.launches = launches;
    to.push_back(k);
}

void Emitter::gemm(std::vector<Kernel>& to, KernelId id, double m, double n, double kk, Part part, double batch, bool low) const
{
    Kernel k;
    k.modules = inside;
    k.id = id;
    k.kind = CostKind::gemm;
    k.part = part;
    k.m = m;
    k.n = n;
    k.k = kk;
    k.batch = batch;
    k.flops = 2 * m * n * kk * batch;
    k.lowPrecision = low;
    to.push_back(k);
    if (part != Part::wgrad)
        return;
    if (const double bytes = weightCopyBytes(); bytes > 0)
        memory(to, id, bytes * m * n * batch, part);
    const bool linear = id != KernelId::lmHead && id != KernelId::router && id != KernelId::genericGemm;
    if (s.fusion != Fusion::fused && ((linear && model.addBiasLinear) || (id == KernelId::gemmQkv && model.addQkvBias)))
        memory(to, id, e * m * kk * batch, part); // the bias's gradient: a sum over the tokens
}

double Emitter::weightCopyBytes() const
{
    const double reduced = training.gradReduceInFp32 ? 4 : e;
    if (par.zeroStage >= 2)
        return e + reduced + (par.zeroStage == 3 ? 2 * 2 * e : 0.0);
    if (s.fusion == Fusion::fused)
        return 0;
    const auto passes = static_cast<double>(s.numMicrobatches);
    return (e + 2 * reduced) * (passes - 1) / passes;
}

void Emitter::quantise(std::vector<Kernel>& to, double elements, Part part) const
{
    if (cast > 0)
        memory(to, KernelId::cast, elements * cast, part);
}

void Emitter::collective(std::vector<Kernel>& to, KernelId id, CollectiveOp op, Domain domain, double bytes, Part part, bool overlapsTensor,
                         bool overlapsAlways) const
{
    Kernel k;
    k.modules = inside;
    k.id = id;
    k.kind = CostKind::collective;
    k.part = part;
    k.op = op;
    k.domain = domain;
    k.bytes = bytes;
    k.overlapsTensor = overlapsTensor;
    k.overlapsAlways = overlapsAlways;
    to.push_back(k);
}

void Emitter::enterForward()
{
    if (s.sequenceParallel)
        collective(out.forward, KernelId::tpAllGather, CollectiveOp::allGather, Domain::tensor, s.tokens * h * e, Part::forward, true);
}

void Emitter::exitForward()
{
    if (s.tp <= 1)
        return;
    if (s.sequenceParallel)
        collective(out.forward, KernelId::tpReduceScatter, CollectiveOp::reduceScatter, Domain::tensor, s.tokens * h * e, Part::forward,
                   true);
    else
        collective(out.forward, KernelId::tpAllReduce, CollectiveOp::allReduce, Domain::tensor, s.tokens * h * e, Part::forward);
}

void Emitter::exitBackward()
{
    if (s.sequenceParallel)
        collective(out.backward, KernelId::tpAllGather, CollectiveOp::allGather, Domain::tensor, s.tokens * h * e, Part::dgrad, true);
}

void Emitter::enterBackward()
{
    if (s.tp <= 1)
        return;
    if (s.sequenceParallel) {
        collective(out.backward, KernelId::tpAllGather, CollectiveOp::allGather, Domain::tensor, s.tokens * h * e, Part::dgrad, false,
                   true);
        collective(out.backward, KernelId::tpReduceScatter, CollectiveOp::reduceScatter, Domain::tensor, s.tokens * h * e, Part::dgrad,
                   false, true);
    } else { // next to the weight gradient only in software that reduces asynchronously
        collective(out.backward, KernelId::tpAllReduce, CollectiveOp::allReduce, Domain::tensor, s.tokens * h * e, Part::dgrad, false,
                   training.fusedAttention());
    }
}

double Emitter::normBytes(Part part) const
{
    const bool eager = s.fusion == Fusion::eager;
    if (eager && model.normalization == "rmsnorm")
        return part == Part::forward ? kEagerNormForward : kEagerNormBackward;
    return e * (part == Part::forward ? 2 : eager ? kEagerLayerNormBackwardPasses : kNormBackwardPasses);
}

double Emitter::activationPasses(Part part) const
{
    const double gates = model.gatedMlp ? 2 : 1, unfused = s.fusion == Fusion::eager && model.gatedMlp ? 1 : 0;
    return part == Part::forward ? gates + 1 + 2 * unfused : 2 * gates + 1 + 4 * unfused;
}

void Emitter::norm()
{
    const Module module(*this, kLayerNorm);
    memory(out.forward, KernelId::norm, normBytes(Part::forward) * s.shardedTokens * h);
}

void Emitter::residual()
{
    const double mask = training.fusedAttention() ? 0.0 : 1.0;
    memory(out.forward, KernelId::residual, (3 * e + mask) * s.shardedTokens * h);
}

void Emitter::residualBackward()
{
    const double mask = training.fusedAttention() ? 0.0 : 1.0;
    memory(out.backward, KernelId::residual, (2 * e + mask) * s.shardedTokens * h, Part::dgrad);
}

void Emitter::normBackward()
{
    memory(out.backward, KernelId::norm, normBytes(Part::dgrad) * s.shardedTokens * h, Part::dgrad, 2);
}

double Emitter::copiesPerExpert() const
{
    const auto ranks = static_cast<double>(s.ep), topk = static_cast<double>(model.moeRouterTopk);
    return dispatchesTokens() ? ranks * (1 - std::pow(1 - 1 / ranks, topk)) / topk : 1.0;
}

} // namespace prism
