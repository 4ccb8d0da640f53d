// SPDX-License-Identifier: GPL-3.0-or-later
// The input of a prediction: one scenario = model, cluster, parallelism, training, variability, job, measured. Plain values.
//
// JSON keys are the member names in snake_case (numLayers -> num_layers), grouped in sections of the same names; units are
// in the names. Every member is an entry of the parameter table (parameters.h), which holds its range, default and help.
#pragma once

#include "core/base/hash.h"
#include "core/base/result.h"
#include "core/scenario/jobconfig.h"
#include "core/stats/distribution.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace prism {

/// One operator of a model that is not a transformer (generic operator list), per sample of the batch, forward.
struct GenericOperator {
    std::string name;
    double flops = 0, bytes = 0;
    std::int64_t m = 0, n = 0, k = 0; ///< GEMM shape, 0 = not a GEMM
    std::int64_t parameters = 0;
    int count = 1;
    bool operator==(const GenericOperator&) const = default;
};

/// One entry of a layer pattern: `count` layers of a kind: "attention", "mlp", "moe", "dense" (attention + MLP),
/// "moe_layer" (attention + MoE), "mamba", "sliding" (sliding-window attention + MLP).
struct LayerPatternEntry {
    std::string kind;
    int count = 1;
    bool operator==(const LayerPatternEntry&) const = default;
};

struct ModelConfig {
    std::string preset; ///< name of the preset that it started from, or empty
    std::string name = "model";
    std::int64_t numLayers = 32, hiddenSize = 4096, numAttentionHeads = 32, numQueryGroups = 32, kvChannels = 128;
    std::int64_t ffnHiddenSize = 11008, vocabSize = 32000, seqLength = 4096;
    bool gatedMlp = true, tiedEmbeddings = false, parallelAttention = false, causalAttention = true;
    bool addBiasLinear = false, addQkvBias = false, positionEmbeddingLearned = false, qkLayernorm = false;
    std::string normalization = "rmsnorm"; ///< rmsnorm | layernorm
    std::int64_t slidingWindow = 0;        ///< tokens; 0 = full attention
    // Multi-latent attention (DeepSeek-V2, arXiv 2405.04434)
    bool multiLatentAttention = false;
    std::int64_t qLoraRank = 0, kvLoraRank = 0, qkHeadDim = 128, qkPosEmbHeadDim = 64, vHeadDim = 128;
    // Mixture of experts
    std::int64_t numExperts = 0, moeRouterTopk = 0, moeFfnHiddenSize = 0, moeSharedExpertIntermediateSize = 0;
    std::int64_t moeFirstKDense = 0, moeLayerFreq = 1;
    std::int64_t moeRouterNumGroups = 0,
                 moeRouterGroupTopk = 0;         ///< a token's experts come from groupTopk of numGroups groups; 0 = from all
    double moeCapacityFactor = 0;                ///< 0 = dropless
    std::int64_t mtpNumLayers = 0;               ///< multi-token prediction layers
    std::vector<LayerPatternEntry> layerPattern; ///< empty = uniform; repeated until numLayers are filled
    std::vector<GenericOperator> operators;      ///< non-empty: the generic model; transformer fields are ignored
    bool operator==(const ModelConfig&) const = default;
};

struct GpuSpec {
    std::string preset = "h100-sxm-80gb";
    std::string name = "H100 SXM 80GB";
    double peakBf16Tflops = 989.4, peakFp16Tflops = 989.4, peakFp8Tflops = 1978.9, peakFp4Tflops = 0, peakTf32Tflops = 494.7,
           peakFp32Tflops = 66.9;                          ///< dense, no sparsity; 0 = not supported
    double memoryGib = 79.2, memoryBandwidthGbPerS = 3352; ///< decimal GB/s
    int numSms = 132;
    double boostClockMhz = 1830;
    double boardPowerW = 700; ///< limit of the board; 0 = not known, the clock is then taken as sustained
    bool operator==(const GpuSpec&) const = default;
};

struct ClusterConfig {
    GpuSpec gpu;
    std::string fabricPreset = "dgx-h100-ndr400-rail";
    std::int64_t numGpus = 8;
    int gpusPerNode = 8;
    double intraNodeGbPerS = 450; ///< per GPU and direction
    double intraNodeLatencyUs = 3;
    double intraNodeBaseLatencyUs = 0;        ///< of a short collective, before its hops; 0 = as in the calibrated tables
    std::string intraNodeTopology = "switch"; ///< switch | full_mesh | hybrid_cube_mesh
    bool nvlsSupported = true;                ///< NVLink SHARP in-switch reduction
    bool inNetworkReduction = false;          ///< switches between nodes reduce (SHARP through NCCL's CollNet)
    double interNodeGbPerS = 50;              ///< per GPU and direction (NIC)
    double interNodeLatencyUs = 8;
    double interNodeEfficiency = 0;          ///< share of the bandwidth that long messages reach; 0 = as calibrated
    std::string topology = "rail_optimized"; ///< rail_optimized | fat_tree
    double oversubscription = 1;             ///< >= 1, at the spine
    int nodesPerPod = 32;                    ///< nodes under one leaf group (no spine hop inside)
    double gpuHourPriceUsd = 2.5;
    bool operator==(const ClusterConfig&) const = default;
};

struct ParallelismConfig {
    int tensorModelParallelSize = 1, pipelineModelParallelSize = 1, virtualPipelineModelParallelSize = 1;
    int contextParallelSize = 1, expertModelParallelSize = 1, expertTensorParallelSize = 1;
    bool sequenceParallel = true;
    int zeroStage = 1;                               ///< 0-3; 3 = FSDP
    int hsdpShardSize = 0;                           ///< ranks of DP x CP that split one copy of the sharded state; 0 = all
    std::string pipelineSchedule = "1f1b";           ///< gpipe | 1f1b | interleaved | zb-h1 | zb-h2 | zb-v | custom
    std::vector<std::string> customSchedule;         ///< per stage, e.g. "F0 F1 B0 B1"; "F0.1" = chunk 1
    std::string cpCommType = "p2p";                  ///< p2p (ring) | all_gather | a2a (Ulysses)
    std::string moeTokenDispatcherType = "alltoall"; ///< alltoall (a copy per expert) | flex (DeepEP: a copy per rank or node)
    std::string rankOrder = "tp-cp-ep-dp-pp";
    int numLayersInFirstPipelineStage = 0, numLayersInLastPipelineStage = 0; ///< 0 = even split
    std::string pipelineModelParallelLayout; ///< every chunk's layers in Megatron-Core's notation (pipelinelayout.h); empty = none
    bool overlapGradReduce = true, overlapParamGather = true, tpCommOverlap = false, overlapP2pComm = true;
    bool overlapMoeExpertParallelComm = false; ///< all-to-all of one micro-batch overlapped with the compute of another
    bool fp8ParamGather = false;               ///< parameter shards travel in FP8
    bool accountForEmbeddingInPipelineSplit = false, accountForLossInPipelineSplit = false;
    bool operator==(const ParallelismConfig&) const = default;
};

struct TrainingConfig {
    std::int64_t microBatchSize = 1, globalBatchSize = 512; ///< sequences
    std::string precision = "bf16";             ///< bf16 | fp16 | fp32 | fp8_delayed | fp8_tensorwise | fp8_blockwise | mxfp8 | nvfp4
    std::string recomputeGranularity = "none";  ///< none | selective | full
    std::string recomputeModules = "core_attn"; ///< selective only; names in recomputemodules.h
    std::string recomputeMethod = "uniform";    ///< uniform | block (full only)
    int recomputeNumLayers = 0;                 ///< block: layers per stage that are recomputed; 0 = all
    std::string attentionBackend = "cudnn";     ///< unfused | flash2 | flash3 | cudnn
    std::string fusion = "auto";                ///< auto | fused | compiled | eager: kernels around the products (Shape::fusion)
    std::string cudaGraphs = "none";            ///< none | layer | full_iteration
    bool moeHostSync = true;                    ///< the host waits for the routed counts of every MoE layer
    bool fusedGroupedMlp = false;               ///< activation and casts between the experts' products run inside of these (MXFP8)
    int cpuOffloadingNumLayers = 0;             ///< layers per stage whose activations wait in the memory of the host
    std::string optimizer = "adam";             ///< adam | sgd
    bool gradReduceInFp32 = true;
    double trainTokens = 0; ///< tokens to train; 0 = unknown
    bool operator==(const TrainingConfig&) const = default;

    /// Attention that never stores its square matrix.
    [[nodiscard]] bool fusedAttention() const { return attentionBackend != "unfused"; }
};

/// A place that the user marked slow, by node (all its GPUs) or by one global rank.
struct SlowEntry {
    int node = -1, rank = -1;                 ///< exactly one is >= 0
    double computeFactor = 1, linkFactor = 1; ///< >= 1 slower
    bool operator==(const SlowEntry&) const = default;
};

struct VariabilityConfig {
    std::string preset;                                 ///< name of the preset that it started from, or empty
    Distribution spatial;                               ///< GPU to GPU, persistent in a job
    Distribution gemm, attention, memoryBound;          ///< temporal, per invocation, by kind of compute kernel
    Distribution intraCollective, interCollective, p2p; ///< temporal, per invocation, with rare events
    Distribution intraRegime, interRegime;              ///< per scope and step
    Distribution data;                                  ///< per (replica, micro-batch)
    Distribution moeImbalance;                          ///< per MoE layer invocation: load of the busiest expert rank over the mean
    Distribution moeImbalanceRegime;                    ///< per step: all MoE layers, micro-batches and expert groups of the job
    Distribution computeRegime;                         ///< per step: all compute kernels of the job
    double regimeLag1 = 0.35;                           ///< of both link regimes, from step to step
    double computeRegimeLag1 = 0, moeImbalanceRegimeLag1 = 0;
    double spatialNodeShare = 0; ///< part of the spatial variance that the GPUs of one node share, 0-1
    double stepJitterS = 0;      ///< standard deviation of the jitter that hosts add to a whole step
    double stallsPerGpuHour = 0, stallMeanS = 0, stallCv = 0;
    double stallRateCv = 0;                             ///< of the stall rate from one system to another
    std::map<std::string, Distribution> classOverrides; ///< by kernel class name, e.g. "dp.all_gather"
    std::map<std::string, double> spatialSensitivity;   ///< by kernel class name or prefix ("gemm"); default 1
    std::vector<SlowEntry> slow;
    bool operator==(const VariabilityConfig&) const = default;
};

/// One measured mean that replaces a formula: a kernel class and its mean seconds per invocation, or an operator table row.
struct MeasuredKernel {
    std::string kernelClass;
    double meanSeconds = 0;
    bool operator==(const MeasuredKernel&) const = default;
};

/// Row of an imported operator benchmark (GEMM m, n, k) or collective table (op, ranks, bytes).
struct MeasuredRow {
    std::string op, dtype;             ///< "gemm", "all_reduce", "all_gather", "reduce_scatter", "all_to_all", "p2p"
    std::int64_t m = 0, n = 0, k = 0;  ///< gemm
    std::int64_t ranks = 0, bytes = 0; ///< collectives; bytes as nccl-tests counts them
    double seconds = 0;
    bool operator==(const MeasuredRow&) const = default;
};

/// A node (or one GPU of it) with its measured relative speed (1 = reference).
struct MeasuredSpeed {
    int node = 0, gpu = -1;
    double relativeSpeed = 1;
    bool operator==(const MeasuredSpeed&) const = default;
};

struct MeasuredConfig {
    std::vector<MeasuredKernel> kernels;
    std::vector<MeasuredRow> rows;
    std::vector<MeasuredSpeed> speeds;
    std::vector<int> nodeOrder; ///< position -> physical node; empty = identity
    std::string calibration;    ///< file with the measurements of this cluster (clustercalibration.h); empty = none
    double computeLevel = 1;    ///< measured over predicted mean of all compute kernels
    double networkLevel = 1;    ///< the same of all communication between nodes
    std::string levelJob;       ///< the job whose mean step was measured (measuredlevel.h); empty = this one, or none
    double levelError = 0;      ///< of that measurement, relative: nine of ten lie within; 0 = not measured
    bool operator==(const MeasuredConfig&) const = default;
};

struct Scenario {
    int version = 1;
    std::string name = "scenario", note;
    ModelConfig model;
    ClusterConfig cluster;
    ParallelismConfig parallelism;
    TrainingConfig training;
    VariabilityConfig variability;
    JobConfig job;
    MeasuredConfig measured;
    bool operator==(const Scenario&) const = default;

    /// Derived sizes; 0 when the sizes do not divide (check() says why).
    [[nodiscard]] std::int64_t dataParallelSize() const;
    [[nodiscard]] std::int64_t numMicrobatches() const;
    /// Content hash of everything that changes a number (name and note do not).
    [[nodiscard]] ContentHash hash() const;
};

/// Every error and warning of a scenario at once, with JSON paths and fixes. Empty = fine.
[[nodiscard]] Diagnostics check(const Scenario& scenario);

/// Lossless JSON, version 1. Presets are kept by name with the fields that differ from them.
[[nodiscard]] std::string toJson(const Scenario& scenario);
/// Parses and checks; presets are looked up in the preset library. All errors at once.
[[nodiscard]] Result<Scenario> scenarioFromJson(std::string_view text);
/// The same for a scenario that is being edited: each value is valid, but they need not fit each other.
[[nodiscard]] Result<Scenario> draftFromJson(std::string_view text);

} // namespace prism
