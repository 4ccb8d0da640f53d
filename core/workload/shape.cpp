// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workload/shape.h"

#include "core/scenario/pipelinelayout.h"
#include "core/schedule/shape.h"

#include <algorithm>
#include <string_view>

namespace prism {

namespace {

/// The stated one; where none is, that of the software that the attention and the sharding point to. FlashAttention-2 is PyTorch's own:
/// FSDP (ZeRO 2 and 3) with it is usually compiled, the rest is not. FSDP with the kernels of 2022 is older than torch.compile and takes
/// its loss from where it has its attention. All others go with hand-written kernels.
void setFusion(Shape& s, const Scenario& scenario)
{
    const std::string &fusion = scenario.training.fusion, &attention = scenario.training.attentionBackend;
    const bool sharded = scenario.parallelism.zeroStage >= 2, torch = attention == "flash2";
    if (fusion == "auto") {
        s.fusedLoss = !torch;
        if (torch || (sharded && (attention == "triton" || attention == "flash1")))
            s.fusion = torch && sharded ? Fusion::compiled : Fusion::eager;
        return;
    }
    s.fusion = fusion == "compiled" ? Fusion::compiled : fusion == "eager" ? Fusion::eager : Fusion::fused;
    s.fusedLoss = s.fusion == Fusion::fused;
}

} // namespace

Shape shapeOf(const Scenario& scenario)
{
    const ModelConfig& model = scenario.model;
    const ParallelismConfig& par = scenario.parallelism;
    Shape s;
    s.tp = par.tensorModelParallelSize;
    const PipelineSize pipeline = scheduledSize(par.pipelineSchedule, par.pipelineModelParallelSize, par.virtualPipelineModelParallelSize);
    s.pp = std::max(1, pipeline.stages);
    s.vpp = pipeline.chunks;
    s.cp = par.contextParallelSize;
    s.ep = par.expertModelParallelSize;
    s.etp = par.expertTensorParallelSize;
    s.numGpus = scenario.cluster.numGpus;
    s.dp = std::max<std::int64_t>(1, s.numGpus / (s.tp * s.pp * s.cp));
    s.numMicrobatches = std::max<std::int64_t>(1, scenario.training.globalBatchSize / (scenario.training.microBatchSize * s.dp));
    s.moe = model.numExperts > 0;
    if (s.moe)
        s.groupsPerCell = std::clamp<std::int64_t>(s.ep * s.etp / (s.tp * s.cp), 1, s.dp);
    while (s.dp % s.groupsPerCell != 0)
        --s.groupsPerCell;
    s.numReplicas = s.dp / s.groupsPerCell;

    s.microBatch = static_cast<double>(scenario.training.microBatchSize);
    s.sequence = static_cast<double>(model.seqLength);
    s.tokens = s.microBatch * s.sequence / static_cast<double>(s.cp);
    s.sequenceParallel = par.sequenceParallel && s.tp > 1;
    s.shardedTokens = s.sequenceParallel ? s.tokens / static_cast<double>(s.tp) : s.tokens;
    s.queryDim = static_cast<double>(model.numAttentionHeads * model.kvChannels);
    s.keyValueDim = static_cast<double>(model.numQueryGroups * model.kvChannels);
    s.heads = static_cast<double>(model.numAttentionHeads) / static_cast<double>(s.tp);
    const std::string& precision = scenario.training.precision;
    s.fp8 = precision.starts_with("fp8") || precision == "mxfp8";
    s.fp4 = precision == "nvfp4";
    s.elementBytes = precision == "fp32" ? 4 : 2;
    s.expertLoad = model.moeCapacityFactor > 0 ? model.moeCapacityFactor : 1;
    setFusion(s, scenario);
    if (scenario.training.recomputeGranularity == "selective")
        if (const Result<RecomputeModules> modules = recomputeModules(scenario.training.recomputeModules); modules.ok())
            s.recomputed = *modules;
    return s;
}

namespace {

LayerKind kindOf(std::string_view name)
{
    if (name == "attention")
        return LayerKind::attentionOnly;
    if (name == "mlp")
        return LayerKind::mlpOnly;
    if (name == "moe")
        return LayerKind::moeOnly;
    if (name == "moe_layer")
        return LayerKind::moe;
    if (name == "mamba")
        return LayerKind::mamba;
    if (name == "sliding")
        return LayerKind::sliding;
    return LayerKind::dense;
}

} // namespace

std::vector<LayerKind> layerKinds(const ModelConfig& model)
{
    const auto n = static_cast<std::size_t>(std::max<std::int64_t>(0, model.numLayers));
    std::vector<LayerKind> kinds;
    kinds.reserve(n);
    std::int64_t patternLength = 0;
    for (const LayerPatternEntry& e : model.layerPattern)
        patternLength += std::max(0, e.count);
    if (patternLength > 0) {
        while (kinds.size() < n)
            for (const LayerPatternEntry& e : model.layerPattern)
                for (int i = 0; i < e.count && kinds.size() < n; ++i)
                    kinds.push_back(kindOf(e.kind));
        return kinds;
    }
    const LayerKind plain = model.slidingWindow > 0 ? LayerKind::sliding : LayerKind::dense;
    const std::int64_t freq = std::max<std::int64_t>(1, model.moeLayerFreq);
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(n); ++i) {
        const bool moe = model.numExperts > 0 && i >= model.moeFirstKDense && (i - model.moeFirstKDense) % freq == freq - 1;
        kinds.push_back(moe ? LayerKind::moe : plain);
    }
    return kinds;
}

LayerKind mtpLayerKind(const ModelConfig& model)
{
    const std::vector<LayerKind> kinds = layerKinds(model);
    return kinds.empty() ? LayerKind::dense : kinds.back();
}

namespace {

using Path = std::vector<std::array<int, 2>>; // stage and chunk of every position

/// Layers of each position where the first or the last stage has its own number of layers: each stage's share over its chunks.
std::vector<int> unevenSizes(const ParallelismConfig& par, const Path& path, int numLayers, bool paired)
{
    const int first = par.numLayersInFirstPipelineStage, last = par.numLayersInLastPipelineStage;
    const int stages = par.pipelineModelParallelSize, positions = static_cast<int>(path.size());
    const int chunks = std::max(1, positions / std::max(1, stages));
    const int fixedStages = (first > 0 ? 1 : 0) + (last > 0 ? 1 : 0);
    const int middle = std::max(0, numLayers - first - last);
    const int middlePositions = std::max(1, (stages - fixedStages) * chunks);
    const auto share = [](int total, int parts, int i) { return total * (i + 1) / parts - total * i / parts; };
    std::vector<int> size(path.size(), 0);
    int seenFirst = 0, seenLast = 0, seenMiddle = 0;
    for (int i = 0; i < positions; ++i) {
        const int stage = paired ? i : path[static_cast<std::size_t>(i)][0];
        int& n = size[static_cast<std::size_t>(i)];
        if (stage == 0 && first > 0)
            n = share(first, chunks, seenFirst++);
        else if (stage == stages - 1 && last > 0)
            n = share(last, chunks, seenLast++);
        else
            n = share(middle, middlePositions, seenMiddle++);
    }
    return size;
}

/// Slots of equal size, of which embedding and loss may take one each.
std::vector<int> evenSizes(const ParallelismConfig& par, std::size_t positions, int numLayers)
{
    const int before = par.accountForEmbeddingInPipelineSplit ? 1 : 0, after = par.accountForLossInPipelineSplit ? 1 : 0;
    const auto slots = static_cast<std::int64_t>(numLayers + before + after), count = static_cast<std::int64_t>(positions);
    std::vector<int> size(positions, 0);
    for (std::int64_t i = 0; i < count; ++i) {
        const int begin = static_cast<int>(slots * i / count), end = static_cast<int>(slots * (i + 1) / count);
        size[static_cast<std::size_t>(i)] = std::clamp(end, before, before + numLayers) - std::clamp(begin, before, before + numLayers);
    }
    return size;
}

} // namespace

std::vector<ChunkLayers> chunkLayers(const Scenario& scenario, const std::vector<std::array<int, 2>>& path)
{
    const ParallelismConfig& par = scenario.parallelism;
    // A pair of devices runs two stages of the model: one in each direction.
    const int stages = par.pipelineModelParallelSize;
    const bool paired = scheduledSize(par.pipelineSchedule, stages, 1).stages != stages;
    const std::vector<LayerKind> kinds = layerKinds(scenario.model);
    const int numLayers = static_cast<int>(kinds.size());
    std::vector<int> mtp(path.size(), 0);
    if (!path.empty())
        mtp.back() = static_cast<int>(scenario.model.mtpNumLayers);

    const bool uneven = (par.numLayersInFirstPipelineStage > 0 || par.numLayersInLastPipelineStage > 0) && stages > 1;
    std::vector<int> size = uneven ? unevenSizes(par, path, numLayers, paired) : evenSizes(par, path.size(), numLayers);
    if (const Result<std::vector<ChunkContents>> layout = pipelineLayout(par.pipelineModelParallelLayout);
        layout.ok() && layout->size() == path.size())
        for (std::size_t i = 0; i < path.size(); ++i) {
            size[i] = (*layout)[i].layers;
            mtp[i] = (*layout)[i].mtpLayers;
        }

    std::vector<ChunkLayers> result(path.size());
    std::size_t layer = 0;
    for (std::size_t i = 0; i < path.size(); ++i) {
        ChunkLayers& c = result[i];
        for (int j = 0; j < size[i] && layer < kinds.size(); ++j) {
            ++c.count[static_cast<std::size_t>(kinds[layer++])];
            ++c.total;
        }
        c.mtp = mtp[i];
        c.embedding = i == 0;
        c.head = i + 1 == path.size();
    }
    return result;
}

} // namespace prism
