// SPDX-License-Identifier: GPL-3.0-or-later
// The work of a rank, without times: kernels with FLOPs, bytes and shapes, collectives with sizes.
#pragma once

#include "core/workload/shape.h"

#include <string_view>

namespace prism {

/// Every kernel class of the analytic model; the order is the order in StepGraph::classes.
enum class KernelId : std::uint8_t {
    embedding,
    norm,
    gemmQkv,
    attention,
    gemmProj,
    gemmFc1,
    activation,
    gemmFc2,
    residual,
    cast,
    router,
    moePermute,
    gemmMoeFc1,
    gemmMoeFc2,
    ssm,
    lmHead,
    loss,
    genericGemm,
    genericOp,
    tpAllGather,
    tpReduceScatter,
    tpAllReduce,
    cpExchange,
    epAllToAll,
    ppSendRecvIntra,
    ppSendRecvInter,
    embeddingAllReduce,
    dpReduceScatter,
    dpAllGather,
    dpAllReduce,
    gradNorm,
    optimizer,
    host
};
inline constexpr int kKernelIds = static_cast<int>(KernelId::host) + 1;

/// How the mean of a kernel is computed.
/// `roofline`: the larger of FLOP time and memory time, no shape (convolutions, state-space scans, operators).
enum class CostKind : std::uint8_t { gemm, attention, memory, roofline, collective };
/// The ranks that take part in a collective of a program.
enum class Domain : std::uint8_t { tensor, context, expert, expertTensor, data };
enum class CollectiveOp : std::uint8_t { allReduce, allGather, reduceScatter, allToAll, sendRecv };
/// Which part of the backward a kernel belongs to: zero-bubble schedules run weight gradients separately.
enum class Part : std::uint8_t { forward, dgrad, wgrad };

/// One kernel or collective of a layer, per rank and micro-batch.
struct Kernel {
    KernelId id = KernelId::norm;
    CostKind kind = CostKind::memory;
    Part part = Part::forward;
    double m = 0, n = 0, k = 0; ///< gemm: C[m,n] += A[m,k] B[k,n]; attention: rows, attendedSequence, width of a query
    double batch = 1;           ///< gemm: how many of them at once (grouped or batched)
    bool lowPrecision = false;  ///< gemm: runs in FP8 / FP4 where the scenario has a low precision
    double flops = 0;           ///< FLOPs executed; 0 for memory-bound kernels
    double bytes = 0;           ///< memory traffic of a memory-bound kernel; message of a collective as nccl-tests counts it
    double launches = 1;        ///< kernel launches
    Domain domain = Domain::tensor;
    CollectiveOp op = CollectiveOp::allGather;
    /// Collectives: which share is overlapped with the kernels around it when the scenario overlaps it (0 = never).
    bool overlapsTensor = false;  ///< may hide under the GEMM before or after it (tp_comm_overlap, asynchronous dgrad reduction)
    bool overlapsAlways = false;  ///< hidden by construction (ring attention, gather for the weight gradient)
    RecomputeModules modules = 0; ///< parts of the layer that it belongs to; forward only
    double headDim = 0;           ///< attention
    bool backward = false;        ///< attention

    /// The products of a rank's experts, called in sequence under one name.
    [[nodiscard]] constexpr bool grouped() const { return id == KernelId::gemmMoeFc1 || id == KernelId::gemmMoeFc2; }
};

/// Kernels of one layer, once per micro-batch.
struct LayerKernels {
    std::vector<Kernel> forward, backward; ///< backward: dgrad and wgrad in execution order, recomputation not included
    /// The kernels of `forward` that selective recomputation repeats: those of training.recompute_modules.
    std::vector<Kernel> selectiveRecompute;
};

[[nodiscard]] LayerKernels layerKernels(const Scenario& scenario, const Shape& shape, LayerKind kind);
/// Input embedding of the first chunk.
[[nodiscard]] LayerKernels embeddingKernels(const Scenario& scenario, const Shape& shape);
/// Final norm, output layer and loss of the last chunk, once more for every multi-token prediction layer.
[[nodiscard]] LayerKernels headKernels(const Scenario& scenario, const Shape& shape);
/// One multi-token prediction layer (DeepSeek-V3, arXiv 2412.19437, section 2.2): projection of two joined vectors and a layer.
[[nodiscard]] LayerKernels mtpKernels(const Scenario& scenario, const Shape& shape);
/// One sample group of a generic operator list.
[[nodiscard]] LayerKernels genericKernels(const Scenario& scenario, const Shape& shape);

/// FLOPs of one (query, key) pair set: attended positions per sequence, s^2/2 when causal, s*w with a window.
[[nodiscard]] double attendedPairs(const ModelConfig& model, LayerKind kind);

/// The causal sequence whose rows attend to as many keys on average: s, 2 s without a mask, at most 2 w with a window of w.
[[nodiscard]] double attendedSequence(const ModelConfig& model, LayerKind kind);

} // namespace prism
