// SPDX-License-Identifier: GPL-3.0-or-later
// What is wrong with a scenario: ranges by the parameter table, then the rules that join several fields.
#include "core/scenario/parametercheck.h"

#include "core/base/text.h"
#include "core/scenario/namedspreads.h"
#include "core/scenario/parametertable.h"
#include "core/scenario/pipelinelayout.h"
#include "core/scenario/presetlibrary.h"
#include "core/scenario/recomputemodules.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string_view>

namespace prism {
namespace {

std::string num(std::int64_t value)
{
    return std::to_string(value);
}

/// Collects findings; a rule is silent when one of its fields has been reported already.
class Findings final {
public:
    explicit Findings(const std::vector<std::string>& skipped) : m_skipped(skipped.begin(), skipped.end()) {}

    [[nodiscard]] bool usable(std::initializer_list<const char*> ids) const
    {
        return std::none_of(ids.begin(), ids.end(), [&](const char* id) { return m_skipped.contains(std::string_view(id)); });
    }
    /// The same for the members of a spread below "variability".
    [[nodiscard]] bool spreadUsable(const char* name) const
    {
        constexpr std::array<const char*, 5> kMembers = {".cv", ".family", ".rare_probability", ".rare_multiplier", ".pool"};
        return m_skipped.empty() || std::none_of(kMembers.begin(), kMembers.end(), [&](const char* member) {
                   return m_skipped.contains("variability." + std::string(name) + member);
               });
    }
    void skip(const std::string& id) { m_skipped.insert(id); }
    void add(Diagnostic d) { m_found.push_back(std::move(d)); }
    void error(std::string path, std::string message, std::string found, std::string accepted, std::string fixPath = {},
               std::string fixValue = {})
    {
        add({Severity::error, std::move(path), std::move(message), std::move(found), std::move(accepted), std::move(fixPath),
             std::move(fixValue)});
    }
    void warning(std::string path, std::string message, std::string found, std::string accepted, std::string fixPath = {},
                 std::string fixValue = {})
    {
        add({Severity::warning, std::move(path), std::move(message), std::move(found), std::move(accepted), std::move(fixPath),
             std::move(fixValue)});
    }
    [[nodiscard]] Diagnostics take() { return std::move(m_found); }

private:
    std::set<std::string, std::less<>> m_skipped;
    Diagnostics m_found;
};

constexpr const char* kTp = "parallelism.tensor_model_parallel_size";
constexpr const char* kPp = "parallelism.pipeline_model_parallel_size";
constexpr const char* kVpp = "parallelism.virtual_pipeline_model_parallel_size";
constexpr const char* kCp = "parallelism.context_parallel_size";
constexpr const char* kEp = "parallelism.expert_model_parallel_size";
constexpr const char* kEtp = "parallelism.expert_tensor_parallel_size";
constexpr const char* kSchedule = "parallelism.pipeline_schedule";
constexpr const char* kGpus = "cluster.num_gpus";
constexpr const char* kLayers = "model.num_layers";
constexpr const char* kHeads = "model.num_attention_heads";
constexpr const char* kGroups = "model.num_query_groups";
constexpr const char* kGbs = "training.global_batch_size";
constexpr const char* kMbs = "training.micro_batch_size";
constexpr const char* kFirst = "parallelism.num_layers_in_first_pipeline_stage";
constexpr const char* kLast = "parallelism.num_layers_in_last_pipeline_stage";
constexpr const char* kLayout = "parallelism.pipeline_model_parallel_layout";
constexpr const char* kPrecision = "training.precision";

/// The divisor of `whole` nearest to `wanted` (smaller on a tie).
std::int64_t nearestDivisor(std::int64_t whole, std::int64_t requested)
{
    std::int64_t best = 1;
    for (std::int64_t d = 1; d <= std::min<std::int64_t>(whole, 4096); ++d)
        if (whole % d == 0 && std::abs(d - requested) < std::abs(best - requested))
            best = d;
    return best;
}

/// The multiple of `step` nearest to `value`, at least one step.
std::int64_t nearestMultiple(std::int64_t value, std::int64_t step)
{
    return std::max<std::int64_t>(1, (value + step / 2) / step) * step;
}

void checkRanges(const Scenario& s, Findings& f)
{
    for (const Parameter& p : parameters()) {
        if (auto error = rangeError(p, p.get(s)); error && f.usable({p.id.c_str()})) {
            f.add(std::move(*error));
            f.skip(p.id);
        }
    }
}

bool isTransformer(const Scenario& s)
{
    return s.model.operators.empty();
}

void checkHeads(const Scenario& s, Findings& f)
{
    const ModelConfig& m = s.model;
    const std::int64_t tp = s.parallelism.tensorModelParallelSize;
    if (f.usable({kHeads, kGroups}) && m.numAttentionHeads % m.numQueryGroups != 0)
        f.error(kGroups, "the query groups do not divide the attention heads",
                num(m.numAttentionHeads) + " heads, " + num(m.numQueryGroups) + " groups", "a divisor of " + num(m.numAttentionHeads),
                kGroups, num(nearestDivisor(m.numAttentionHeads, m.numQueryGroups)));
    if (f.usable({kHeads, kTp}) && m.numAttentionHeads % tp != 0)
        f.error(kTp, "TP does not divide the attention heads", "TP " + num(tp) + ", " + num(m.numAttentionHeads) + " heads",
                "a divisor of " + num(m.numAttentionHeads), kTp, num(nearestDivisor(m.numAttentionHeads, tp)));
    if (f.usable({"model.ffn_hidden_size", kTp}) && m.ffnHiddenSize % tp != 0)
        f.error(kTp, "TP does not divide the FFN hidden size", "TP " + num(tp) + ", FFN hidden size " + num(m.ffnHiddenSize),
                "a divisor of " + num(m.ffnHiddenSize), kTp, num(nearestDivisor(std::max<std::int64_t>(1, m.ffnHiddenSize), tp)));
    if (f.usable({kGroups, kTp}) && !m.multiLatentAttention && m.numQueryGroups % tp != 0 && tp % m.numQueryGroups != 0)
        f.error(kTp, "TP and the query groups do not divide each other", "TP " + num(tp) + ", " + num(m.numQueryGroups) + " groups",
                "a divisor or a multiple of " + num(m.numQueryGroups), kTp, num(nearestDivisor(m.numQueryGroups, tp)));
    else if (f.usable({kGroups, kTp}) && !m.multiLatentAttention && tp > m.numQueryGroups)
        f.warning(kTp, "TP is larger than the query groups: keys and values are computed on several ranks",
                  "TP " + num(tp) + ", " + num(m.numQueryGroups) + " groups", "at most " + num(m.numQueryGroups));
    if (m.ffnHiddenSize == 0 && m.numExperts == 0 && f.usable({"model.ffn_hidden_size", "model.num_experts"}))
        f.error("model.ffn_hidden_size", "a dense model needs an MLP", "0", "a positive width");
}

void checkLayerPattern(const Scenario& s, Findings& f)
{
    static const std::vector<std::string> kKinds = {"attention", "mlp", "moe", "dense", "moe_layer", "mamba", "sliding"};
    for (std::size_t i = 0; i < s.model.layerPattern.size(); ++i) {
        const LayerPatternEntry& e = s.model.layerPattern[i];
        const std::string path = "model.layer_pattern[" + std::to_string(i) + "]";
        if (std::find(kKinds.begin(), kKinds.end(), e.kind) == kKinds.end())
            f.add(unknownName(path + ".kind", "kind of layer", e.kind, kKinds));
        if (e.count < 1 || e.count > 4096)
            f.error(path + ".count", "count is out of range", num(e.count), "an integer from 1 to 4096");
        if ((e.kind == "moe" || e.kind == "moe_layer") && s.model.numExperts == 0 && f.usable({"model.num_experts"}))
            f.error("model.num_experts", "the layer pattern has expert layers, the model has no experts", "0", "at least 2");
        if (e.kind == "sliding" && s.model.slidingWindow == 0 && f.usable({"model.sliding_window"}))
            f.error("model.sliding_window", "the layer pattern has sliding layers, the window is 0", "0", "a window in tokens");
    }
}

void checkExperts(const Scenario& s, Findings& f)
{
    const ModelConfig& m = s.model;
    const ParallelismConfig& p = s.parallelism;
    if (!f.usable({"model.num_experts"}))
        return;
    if (m.numExperts == 0) {
        if (f.usable({kEp}) && p.expertModelParallelSize > 1)
            f.error(kEp, "EP is larger than 1, the model has no experts", num(p.expertModelParallelSize), "1", kEp, "1");
        return;
    }
    if (p.overlapMoeExpertParallelComm && f.usable({kEp}) && p.expertModelParallelSize == 1)
        f.warning("parallelism.overlap_moe_expert_parallel_comm", "without expert parallelism there is no all-to-all to overlap", "EP 1",
                  "EP > 1, or false", "parallelism.overlap_moe_expert_parallel_comm", "false");
    if (p.overlapMoeExpertParallelComm && s.training.recomputeGranularity == "full" && f.usable({"training.recompute_granularity"}))
        f.warning("parallelism.overlap_moe_expert_parallel_comm", "Megatron-Core overlaps the all-to-all without full recomputation only",
                  "full", "recomputation none or selective", "training.recompute_granularity", "\"selective\"");
    if (f.usable({"model.moe_router_topk"}) && (m.moeRouterTopk < 1 || m.moeRouterTopk > m.numExperts))
        f.error("model.moe_router_topk", "experts per token must lie between 1 and the number of experts", num(m.moeRouterTopk),
                "an integer from 1 to " + num(m.numExperts), "model.moe_router_topk",
                num(std::clamp<std::int64_t>(m.moeRouterTopk, 1, m.numExperts)));
    if (f.usable({"model.moe_router_num_groups", "model.moe_router_group_topk"}) && (m.moeRouterNumGroups > 0 || m.moeRouterGroupTopk > 0)
        && (m.moeRouterNumGroups < 1 || m.numExperts % m.moeRouterNumGroups != 0 || m.moeRouterGroupTopk < 1
            || m.moeRouterGroupTopk > m.moeRouterNumGroups))
        f.error("model.moe_router_num_groups", "group-limited routing needs groups that divide the experts, and some of them per token",
                num(m.moeRouterNumGroups) + " groups, " + num(m.moeRouterGroupTopk) + " per token, " + num(m.numExperts) + " experts",
                "a divisor of " + num(m.numExperts) + " and at most as many groups per token, or 0 and 0");
    if (f.usable({"model.moe_ffn_hidden_size"}) && m.moeFfnHiddenSize == 0)
        f.error("model.moe_ffn_hidden_size", "experts need a width", "0", "a positive width");
    if (f.usable({kEp}) && m.numExperts % p.expertModelParallelSize != 0)
        f.error(kEp, "EP does not divide the experts", "EP " + num(p.expertModelParallelSize) + ", " + num(m.numExperts) + " experts",
                "a divisor of " + num(m.numExperts), kEp, num(nearestDivisor(m.numExperts, p.expertModelParallelSize)));
    if (f.usable({kEtp, "model.moe_ffn_hidden_size"}) && m.moeFfnHiddenSize % p.expertTensorParallelSize != 0)
        f.error(kEtp, "ETP does not divide the expert FFN size", "ETP " + num(p.expertTensorParallelSize),
                "a divisor of " + num(m.moeFfnHiddenSize), kEtp, "1");
    if (f.usable({"model.moe_first_k_dense", kLayers}) && m.moeFirstKDense > m.numLayers)
        f.error("model.moe_first_k_dense", "more leading dense layers than layers", num(m.moeFirstKDense), "at most " + num(m.numLayers),
                "model.moe_first_k_dense", num(m.numLayers));
}

void checkWorld(const Scenario& s, Findings& f)
{
    const ParallelismConfig& p = s.parallelism;
    if (!f.usable({kTp, kPp, kCp, kGpus}))
        return;
    const std::int64_t ranks = static_cast<std::int64_t>(p.tensorModelParallelSize) * p.pipelineModelParallelSize * p.contextParallelSize;
    const std::string sizes = "TP " + num(p.tensorModelParallelSize) + " x PP " + num(p.pipelineModelParallelSize) + " x CP "
                              + num(p.contextParallelSize) + " = " + num(ranks) + ", GPUs = " + num(s.cluster.numGpus);
    if (s.cluster.numGpus % ranks != 0) {
        const std::int64_t multiple = nearestMultiple(s.cluster.numGpus, ranks);
        f.error(kGpus, "the GPUs are not a multiple of TP x PP x CP", sizes, "a multiple of " + num(ranks) + ", e.g. " + num(multiple),
                multiple <= (1 << 20) ? kGpus : "", multiple <= (1 << 20) ? num(multiple) : "");
        return;
    }
    const std::int64_t expertRanks = static_cast<std::int64_t>(p.expertModelParallelSize) * p.expertTensorParallelSize;
    const std::int64_t stageRanks = s.cluster.numGpus / p.pipelineModelParallelSize;
    if (f.usable({kEp, kEtp}) && s.model.numExperts > 0 && stageRanks % expertRanks != 0) {
        const bool viaEp = stageRanks % p.expertTensorParallelSize == 0;
        f.error(kEp, "EP x ETP does not divide the ranks of a pipeline stage (TP x CP x DP)", num(expertRanks) + " and " + num(stageRanks),
                "a divisor of " + num(stageRanks), viaEp ? kEp : kEtp,
                viaEp ? num(nearestDivisor(stageRanks / p.expertTensorParallelSize, p.expertModelParallelSize)) : "1");
    }
    if (f.usable({"cluster.gpus_per_node"}) && s.cluster.numGpus > s.cluster.gpusPerNode && s.cluster.numGpus % s.cluster.gpusPerNode != 0)
        f.warning(kGpus, "the last node is not full", num(s.cluster.numGpus) + " GPUs, " + num(s.cluster.gpusPerNode) + " per node",
                  "a multiple of " + num(s.cluster.gpusPerNode));
}

void checkBatch(const Scenario& s, Findings& f)
{
    const std::int64_t dp = f.usable({kTp, kPp, kCp, kGpus}) ? s.dataParallelSize() : 0;
    if (dp == 0 || !f.usable({kGbs, kMbs}))
        return;
    const std::int64_t perPass = s.training.microBatchSize * dp;
    if (s.training.globalBatchSize % perPass != 0) {
        const std::int64_t fix = nearestMultiple(s.training.globalBatchSize, perPass);
        f.error(kGbs, "the global batch is not a multiple of micro-batch size x DP",
                num(s.training.globalBatchSize) + " and MBS " + num(s.training.microBatchSize) + " x DP " + num(dp) + " = " + num(perPass),
                "a multiple of " + num(perPass) + ", e.g. " + num(fix), kGbs, num(fix));
        return;
    }
    const ParallelismConfig& p = s.parallelism;
    if (!f.usable({kVpp, kSchedule}))
        return;
    const std::int64_t microbatches = s.numMicrobatches();
    const std::int64_t items = microbatches * p.pipelineModelParallelSize * p.virtualPipelineModelParallelSize;
    constexpr std::int64_t kMaxItems = 2'000'000; // passes per replica and step that a schedule may hold
    if (items > kMaxItems)
        f.error(kGbs, "the pipeline schedule of one step gets too long", num(items) + " passes (micro-batches x stages x chunks)",
                "at most " + num(kMaxItems));
    const bool interleaved =
        p.virtualPipelineModelParallelSize > 1 && (p.pipelineSchedule == "1f1b" || p.pipelineSchedule == "interleaved");
    if (interleaved && p.pipelineModelParallelSize > 1 && microbatches % p.pipelineModelParallelSize != 0)
        f.error(kGbs, "the interleaved schedule needs micro-batches in multiples of PP",
                num(microbatches) + " micro-batches, PP " + num(p.pipelineModelParallelSize),
                "a global batch that is a multiple of " + num(perPass * p.pipelineModelParallelSize), kGbs,
                num(nearestMultiple(s.training.globalBatchSize, perPass * p.pipelineModelParallelSize)));
    if (p.pipelineSchedule == "dualpipev" && microbatches < 2 * p.pipelineModelParallelSize)
        f.error(kGbs, "the dualpipev schedule needs two micro-batches per stage",
                num(microbatches) + " micro-batches, PP " + num(p.pipelineModelParallelSize),
                "a global batch of at least " + num(2 * perPass * p.pipelineModelParallelSize), kGbs,
                num(2 * perPass * p.pipelineModelParallelSize));
    if (p.pipelineSchedule == "dualpipe" && (microbatches % 2 != 0 || microbatches < 2 * p.pipelineModelParallelSize)) {
        const std::int64_t smallest = std::max<std::int64_t>(2 * p.pipelineModelParallelSize, microbatches + microbatches % 2);
        f.error(kGbs, "the dualpipe schedule sends half of the micro-batches from each end, and at least as many as stages",
                num(microbatches) + " micro-batches, PP " + num(p.pipelineModelParallelSize),
                "an even number of at least " + num(2 * p.pipelineModelParallelSize) + " micro-batches", kGbs, num(smallest * perPass));
    }
    if (p.pipelineModelParallelSize > 1 && microbatches < p.pipelineModelParallelSize)
        f.warning(kGbs, "fewer micro-batches than pipeline stages: most of the step is bubble",
                  num(microbatches) + " micro-batches, PP " + num(p.pipelineModelParallelSize), "at least PP micro-batches");
}

/// How many layer places the pipeline has to fill: layers, plus the embedding and the loss where they count.
void checkStages(const Scenario& s, Findings& f)
{
    const ParallelismConfig& p = s.parallelism;
    if (!f.usable({kLayers, kPp, kVpp, kFirst, kLast}))
        return;
    if (!p.pipelineModelParallelLayout.empty()) {
        if (f.usable({kLayout, "model.mtp_num_layers"}))
            for (Diagnostic& d : pipelineLayoutErrors(s))
                f.add(std::move(d));
        return;
    }
    const std::int64_t pp = p.pipelineModelParallelSize, vpp = p.virtualPipelineModelParallelSize;
    if ((p.numLayersInFirstPipelineStage > 0 || p.numLayersInLastPipelineStage > 0)
        && (p.accountForEmbeddingInPipelineSplit || p.accountForLossInPipelineSplit))
        f.error(p.numLayersInFirstPipelineStage > 0 ? kFirst : kLast,
                "layers of the first and last stage exclude counting the embedding or the loss as a layer", "both",
                "one of the two kinds of uneven split", p.numLayersInFirstPipelineStage > 0 ? kFirst : kLast, "0");
    std::int64_t layers = s.model.numLayers + (p.accountForEmbeddingInPipelineSplit ? 1 : 0) + (p.accountForLossInPipelineSplit ? 1 : 0);
    std::int64_t stages = pp;
    if (pp == 1 && (p.numLayersInFirstPipelineStage > 0 || p.numLayersInLastPipelineStage > 0)) {
        f.error(kPp, "an uneven split needs PP > 1", "PP 1", "PP > 1, or 0 layers in first and last stage",
                p.numLayersInFirstPipelineStage > 0 ? kFirst : kLast, "0");
        return;
    }
    for (const int uneven : {p.numLayersInFirstPipelineStage, p.numLayersInLastPipelineStage}) {
        if (uneven > 0) {
            layers -= uneven;
            --stages;
            if (uneven % vpp != 0)
                f.error(kVpp, "VPP does not divide the layers of the uneven stage", num(uneven) + " layers, VPP " + num(vpp),
                        "a divisor of " + num(uneven), kVpp, num(nearestDivisor(uneven, vpp)));
        }
    }
    const std::int64_t parts = stages * vpp;
    if (layers < parts || (parts == 0 && layers != 0)) {
        f.error(kPp, "there are fewer layers than pipeline stages x chunks", num(layers) + " layers for " + num(parts) + " chunks",
                "PP x VPP of at most " + num(std::max<std::int64_t>(1, layers)), vpp > 1 ? kVpp : kPp, "1");
    } else if (parts > 0 && layers % parts != 0) {
        const std::int64_t fixedVpp = layers % stages == 0 ? nearestDivisor(layers / stages, vpp) : vpp;
        const bool viaVpp = fixedVpp != vpp;
        f.error(viaVpp ? kVpp : kPp, "PP x VPP does not divide the layers",
                num(layers) + " layers" + (layers != s.model.numLayers ? " (counted as the split does)" : "") + ", PP " + num(pp)
                    + " x VPP " + num(vpp),
                "a divisor, uneven first and last stages, or a pipeline layout", viaVpp ? kVpp : kPp,
                num(viaVpp ? fixedVpp : nearestDivisor(layers, pp)));
    }
}

void checkSchedule(const Scenario& s, Findings& f)
{
    const ParallelismConfig& p = s.parallelism;
    if (!f.usable({kPp, kVpp, kSchedule}))
        return;
    const int pp = p.pipelineModelParallelSize, vpp = p.virtualPipelineModelParallelSize;
    if (vpp > 1 && pp == 1)
        f.error(kVpp, "virtual stages need PP > 1", num(vpp), "1, or PP > 1", kVpp, "1");
    if (vpp > 1
        && (p.pipelineSchedule == "gpipe" || p.pipelineSchedule == "zb-h1" || p.pipelineSchedule == "zb-h2"
            || p.pipelineSchedule == "dualpipe"))
        f.error(kSchedule, "this schedule has one chunk per stage, VPP is " + num(vpp), p.pipelineSchedule, "interleaved, or VPP 1",
                kSchedule, "\"interleaved\"");
    if (p.pipelineSchedule == "interleaved" && vpp == 1)
        f.error(kVpp, "the interleaved schedule needs VPP > 1", "1", "at least 2, or schedule 1f1b", kSchedule, "\"1f1b\"");
    if ((p.pipelineSchedule == "zb-v" || p.pipelineSchedule == "dualpipev") && vpp != 2)
        f.error(kVpp, "the " + p.pipelineSchedule + " schedule has two chunks per stage", num(vpp), "2", kVpp, "2");
    if (p.pipelineSchedule == "dualpipe" && pp % 2 != 0)
        f.error(kPp, "the dualpipe schedule pairs the stages of both ends", "PP " + num(pp), "an even PP, or another schedule", kPp,
                num(pp + 1));
    if (p.pipelineSchedule == "custom" && p.customSchedule.size() != static_cast<std::size_t>(pp))
        f.error("parallelism.custom_schedule", "a custom schedule lists the order of every stage",
                std::to_string(p.customSchedule.size()) + " stages", num(pp) + " stages");
    if (f.usable({"parallelism.zero_stage"}) && p.zeroStage >= 2 && pp > 1)
        // Gradient shards with a pipeline are in use (Llama 3, arXiv 2407.21783, section 3.3.2); parameter shards are gathered again each
        // time.
        f.add({p.zeroStage == 3 ? Severity::warning : Severity::note, "parallelism.zero_stage",
               "ZeRO " + num(p.zeroStage) + " with a pipeline communicates for every micro-batch", num(p.zeroStage), "1 with PP > 1",
               "parallelism.zero_stage", "1"});
    if (p.sequenceParallel && p.tensorModelParallelSize == 1 && f.usable({kTp}))
        f.add({Severity::note, "parallelism.sequence_parallel", "sequence parallelism has no effect with TP 1", "true", "TP > 1 or false",
               "parallelism.sequence_parallel", "false"});
}

void checkSequence(const Scenario& s, Findings& f)
{
    const ParallelismConfig& p = s.parallelism;
    if (!f.usable({"model.seq_length", kCp, kTp}))
        return;
    // Causal load balance cuts a sequence into 2 CP pieces (Megatron-LM, context parallelism).
    const std::int64_t pieces = p.contextParallelSize > 1 ? 2LL * p.contextParallelSize : 1;
    const std::int64_t parts = pieces * (p.sequenceParallel ? p.tensorModelParallelSize : 1);
    if (s.model.seqLength % parts != 0)
        f.error("model.seq_length", "the sequence does not divide over context and sequence parallel ranks",
                num(s.model.seqLength) + " tokens over " + num(parts), "a multiple of " + num(parts), "model.seq_length",
                num(nearestMultiple(s.model.seqLength, parts)));
    if (p.cpCommType == "a2a" && p.contextParallelSize > 1 && f.usable({kHeads})
        && s.model.numAttentionHeads % (static_cast<std::int64_t>(p.tensorModelParallelSize) * p.contextParallelSize) != 0)
        f.error(kCp, "Ulysses needs TP x CP to divide the attention heads", "CP " + num(p.contextParallelSize),
                "TP x CP that divides " + num(s.model.numAttentionHeads), "parallelism.cp_comm_type", "\"p2p\"");
}

void checkRecomputation(const Scenario& s, Findings& f)
{
    if (!f.usable({"training.recompute_modules"}))
        return;
    if (const Result<RecomputeModules> modules = recomputeModules(s.training.recomputeModules); !modules)
        for (const Diagnostic& d : modules.errors())
            f.add(d);
    else if (*modules == 0 && s.training.recomputeGranularity == "selective")
        f.error("training.recompute_modules", "selective recomputation names no module", "nothing", "at least one, such as core_attn",
                "training.recompute_modules", "core_attn");
}

void checkPrecision(const Scenario& s, Findings& f)
{
    if (!f.usable({kPrecision}))
        return;
    const GpuSpec& g = s.cluster.gpu;
    const std::string& precision = s.training.precision;
    const bool fp8 = precision.starts_with("fp8") || precision == "mxfp8";
    const double peak = fp8                    ? g.peakFp8Tflops
                        : precision == "nvfp4" ? g.peakFp4Tflops
                        : precision == "fp16"  ? g.peakFp16Tflops
                        : precision == "fp32"  ? std::max(g.peakFp32Tflops, g.peakTf32Tflops)
                                               : g.peakBf16Tflops;
    if (peak <= 0)
        f.error(kPrecision, g.name + " has no throughput for this precision", precision, "a precision whose peak is above 0", kPrecision,
                g.peakBf16Tflops > 0   ? "\"bf16\""
                : g.peakFp16Tflops > 0 ? "\"fp16\""
                                       : "\"fp32\"");
    if (s.training.attentionBackend == "cudnn_fp8" && f.usable({"training.attention_backend"})
        && ((!fp8 && precision != "nvfp4") || g.peakFp8Tflops <= 0))
        f.warning("training.attention_backend", "attention runs in 16 bit: FP8 attention needs products in FP8 or FP4", precision,
                  "cudnn, or a precision of 8 or 4 bits", "training.attention_backend", "\"cudnn\"");
}

void checkSharding(const Scenario& s, Findings& f)
{
    const ParallelismConfig& par = s.parallelism;
    const std::int64_t ranks = f.usable({kTp, kPp, kCp, kGpus}) ? s.dataParallelSize() * par.contextParallelSize : 0;
    const int shard = par.hsdpShardSize;
    if (ranks == 0 || shard == 0 || !f.usable({"parallelism.hsdp_shard_size"}))
        return;
    const std::int64_t expertRanks =
        ranks * par.tensorModelParallelSize / std::max(1, par.expertModelParallelSize * par.expertTensorParallelSize);
    if (ranks % shard != 0)
        f.error("parallelism.hsdp_shard_size", "the shard size does not divide DP x CP", num(shard) + ", DP x CP " + num(ranks),
                "a divisor of " + num(ranks), "parallelism.hsdp_shard_size", num(nearestDivisor(ranks, shard)));
    else if (s.model.numExperts > 0 && expertRanks % (ranks / shard) != 0)
        f.error("parallelism.hsdp_shard_size", "the copies of the state do not divide the data-parallel ranks of the experts",
                num(ranks / shard) + " copies, " + num(expertRanks) + " ranks", "0, or DP x CP over a divisor of " + num(expertRanks),
                "parallelism.hsdp_shard_size", "0");
    if (par.zeroStage == 0)
        f.warning("parallelism.hsdp_shard_size", "the shard size has no effect without ZeRO", num(shard), "0",
                  "parallelism.hsdp_shard_size", "0");
}

/// `name` below "variability". Called for every spread of every prediction: texts only where something is wrong.
void checkDistribution(const Distribution& d, std::string_view name, Findings& f)
{
    const auto path = [name](const char* member) { return "variability." + std::string(name) + member; };
    if (d.family == Family::empirical && (!d.pool || d.pool->empty()))
        f.error(path(".pool"), "an empirical distribution needs measured values", "none", "a list of positive numbers", path(".family"),
                "\"lognormal\"");
    if (d.family == Family::deterministic && d.cv > 0)
        f.warning(path(".cv"), "the spread has no effect while the family is deterministic", numberText(d.cv), "another family",
                  path(".family"), "\"lognormal\"");
    if (!std::isfinite(d.cv) || d.cv < 0 || d.cv > 5)
        f.error(path(".cv"), "cv is out of range", numberText(d.cv), "a number from 0 to 5");
    if (!(d.rareProbability >= 0 && d.rareProbability <= 0.5))
        f.error(path(".rare_probability"), "rare_probability is out of range", numberText(d.rareProbability), "a number from 0 to 0.5");
    if (!(d.rareMultiplier >= 0.1 && d.rareMultiplier <= 1000))
        f.error(path(".rare_multiplier"), "rare_multiplier is out of range", numberText(d.rareMultiplier), "a number from 0.1 to 1000");
}

void checkSlow(const Scenario& s, Findings& f)
{
    const std::int64_t nodes = (s.cluster.numGpus + s.cluster.gpusPerNode - 1) / std::max(1, s.cluster.gpusPerNode);
    for (std::size_t i = 0; i < s.variability.slow.size(); ++i) {
        const SlowEntry& e = s.variability.slow[i];
        const std::string path = "variability.slow[" + std::to_string(i) + "]";
        if ((e.node >= 0) == (e.rank >= 0))
            f.error(path, "a slow place names either a node or a rank", "node " + num(e.node) + ", rank " + num(e.rank),
                    "exactly one of node, rank");
        if (f.usable({kGpus}) && e.node >= nodes)
            f.error(path + ".node", "there is no such node", num(e.node), "0 to " + num(nodes - 1));
        if (f.usable({kGpus}) && e.rank >= s.cluster.numGpus)
            f.error(path + ".rank", "there is no such rank", num(e.rank), "0 to " + num(s.cluster.numGpus - 1));
        for (const auto& [name, factor] : {std::pair{".compute_factor", e.computeFactor}, {".link_factor", e.linkFactor}})
            if (!(factor >= 0.1 && factor <= 1000))
                f.error(path + name, "the factor is out of range", numberText(factor), "a number from 0.1 to 1000");
    }
}

void checkVariability(const Scenario& s, Findings& f)
{
    const VariabilityConfig& v = s.variability;
    bool anything = !v.classOverrides.empty();
    for (const NamedSpread& spread : kNamedSpreads) {
        const Distribution& distribution = v.*spread.member;
        if (f.spreadUsable(spread.name))
            checkDistribution(distribution, spread.name, f);
        anything = anything || !distribution.isDeterministic();
    }
    for (const auto& [name, distribution] : v.classOverrides)
        checkDistribution(distribution, "class_overrides." + name, f);
    for (const auto& [name, sensitivity] : v.spatialSensitivity)
        if (!(sensitivity >= 0 && sensitivity <= 1))
            f.error("variability.spatial_sensitivity." + name, "the sensitivity is out of range", numberText(sensitivity),
                    "a number from 0 to 1");
    if (v.stallsPerGpuHour > 0 && !(v.stallMeanS > 0) && f.usable({"variability.stalls_per_gpu_hour", "variability.stall_mean_s"}))
        f.error("variability.stall_mean_s", "stalls need a size", numberText(v.stallMeanS), "a number of seconds > 0");
    if (!anything && v.stepJitterS <= 0 && v.stallsPerGpuHour <= 0) {
        const std::string measured = measuredSpreadOf(s.cluster.gpu.preset);
        f.warning("variability", "nothing varies: every step takes the same time", "deterministic",
                  measured.empty() ? "a preset of variability" : "a preset such as " + measured,
                  measured.empty() ? "" : "variability.preset", measured.empty() ? "" : "\"" + measured + "\"");
    }
    checkSlow(s, f);
}

void checkMeasured(const Scenario& s, Findings& f)
{
    for (std::size_t i = 0; i < s.measured.rows.size(); ++i) {
        const MeasuredRow& r = s.measured.rows[i];
        const std::string path = "measured.rows[" + std::to_string(i) + "]";
        if (!(r.seconds > 0))
            f.error(path + ".time_s", "a measured time is longer than nothing", std::to_string(r.seconds), "a number > 0");
        if (r.op == "gemm" ? r.m < 1 || r.n < 1 || r.k < 1 : r.ranks < 2 || r.bytes < 1)
            f.error(path, r.op == "gemm" ? "a matrix product needs m, n and k" : "a collective needs ranks and bytes", r.op,
                    r.op == "gemm" ? "m, n and k of at least 1" : "at least 2 ranks and 1 byte");
    }
    for (std::size_t i = 0; i < s.measured.kernels.size(); ++i)
        if (!(s.measured.kernels[i].meanSeconds > 0))
            f.error("measured.kernels[" + std::to_string(i) + "].mean_s", "a measured time is longer than nothing",
                    std::to_string(s.measured.kernels[i].meanSeconds), "a number > 0");
    const std::vector<int>& order = s.measured.nodeOrder;
    if (order.empty() || !f.usable({kGpus, "cluster.gpus_per_node"}))
        return;
    const auto nodes = static_cast<std::size_t>((s.cluster.numGpus + s.cluster.gpusPerNode - 1) / s.cluster.gpusPerNode);
    std::vector<int> sorted = order;
    std::sort(sorted.begin(), sorted.end());
    const bool distinct = std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
    if (order.size() != nodes || !distinct)
        f.error("measured.node_order", "the node order names every position's node once",
                std::to_string(order.size()) + " entries" + (distinct ? "" : ", some twice"), std::to_string(nodes) + " different nodes");
}

} // namespace

Diagnostics checkExcept(const Scenario& scenario, const std::vector<std::string>& skipped)
{
    Findings f(skipped);
    checkRanges(scenario, f);
    if (isTransformer(scenario)) {
        checkHeads(scenario, f);
        checkLayerPattern(scenario, f);
        checkStages(scenario, f);
        checkSequence(scenario, f);
    }
    checkExperts(scenario, f);
    checkWorld(scenario, f);
    checkBatch(scenario, f);
    checkSchedule(scenario, f);
    checkPrecision(scenario, f);
    checkRecomputation(scenario, f);
    checkSharding(scenario, f);
    checkVariability(scenario, f);
    checkMeasured(scenario, f);
    return f.take();
}

Diagnostics check(const Scenario& scenario)
{
    return checkExcept(scenario, {});
}

} // namespace prism
