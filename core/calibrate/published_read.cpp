#include "core/calibrate/published.h"

#include "core/base/text.h"
#include "core/base/jsontext.h"
#include "core/calibrate/publishedterms.h"
#include "core/measured/steptable.h"
#include "core/scenario/pipelinelayout.h"
#include "core/scenario/presets.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace prism {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxBytes = std::size_t{64} << 20;
constexpr std::size_t kMaxRows = 20'000;

/// Typed, bounded reading: a missing, null or wrong value is `nullopt`.
std::optional<double> number(const Json& object, const char* key)
{
    if (!object.is_object())
        return std::nullopt;
    const auto it = object.find(key);
    if (it == object.end() || !it->is_number())
        return std::nullopt;
    const double x = it->get<double>();
    return std::isfinite(x) ? std::optional<double>(x) : std::nullopt;
}

std::string text(const Json& object, const char* key)
{
    if (!object.is_object())
        return {};
    const auto it = object.find(key);
    return it != object.end() && it->is_string() ? it->get<std::string>().substr(0, 400) : std::string();
}

const Json& child(const Json& object, const char* key)
{
    static const Json empty = Json::object();
    if (!object.is_object())
        return empty;
    const auto it = object.find(key);
    return it != object.end() && it->is_object() ? *it : empty;
}

bool contains(const std::string& text, const char* part)
{
    return text.find(part) != std::string::npos;
}

std::string lower(std::string s)
{
    std::transform(s.begin(), s.end(), s.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return s;
}

/// Collects why a row cannot be run.
struct Reader {
    explicit Reader(const Json& object) : row(object) {}

    const Json& row;
    PublishedRow out;

    void skip(const std::string& why) { out.skipped += out.skipped.empty() ? why : "; " + why; }
    std::int64_t integer(const Json& object, const char* key, std::int64_t low, std::int64_t high,
                         std::optional<std::int64_t> fallback = {})
    {
        const auto x = number(object, key);
        if (!x) {
            if (!fallback)
                skip(std::string(key) + " is not given");
            return fallback.value_or(low);
        }
        if (*x < static_cast<double>(low) || *x > static_cast<double>(high) || *x != std::floor(*x)) {
            skip(std::string(key) + " is out of range");
            return low;
        }
        return static_cast<std::int64_t>(*x);
    }
    void assume(std::string what)
    {
        if (!what.empty())
            out.assumptions.push_back(std::move(what));
    }

    void readModel();
    void readGpu();
    void readParallel();
    void readPipelineSplit();
    void readTraining();
    void readUnknown();
    void readGeneration();
    void readSchedule();
    void readMeasured();
};

void Reader::readModel()
{
    const Json& m = child(row, "model");
    ModelConfig& model = out.scenario.model;
    model.name = text(m, "name");
    model.numLayers = integer(m, "layers", 1, 4096);
    model.hiddenSize = integer(m, "hidden", 1, 1 << 20);
    model.numAttentionHeads = integer(m, "heads", 1, 65536);
    model.numQueryGroups = integer(m, "kv_heads", 1, 65536, model.numAttentionHeads);
    if (!number(m, "kv_heads"))
        assume("as many query groups as heads");
    model.ffnHiddenSize = integer(m, "ffn", 1, 1 << 22);
    model.vocabSize = integer(m, "vocab", 1, 1 << 24);
    model.seqLength = integer(m, "seq_len", 1, 1 << 24);
    const auto gated = m.find("gated_mlp");
    model.gatedMlp = gated == m.end() || !gated->is_boolean() || gated->get<bool>();
    if (gated == m.end())
        assume("a gated MLP");
    model.kvChannels = std::max<std::int64_t>(1, model.hiddenSize / std::max<std::int64_t>(1, model.numAttentionHeads));
    model.normalization = model.gatedMlp ? "rmsnorm" : "layernorm";
    model.positionEmbeddingLearned = model.addBiasLinear = model.tiedEmbeddings = !model.gatedMlp; // the GPT-2/3 architecture
    assume(model.gatedMlp ? "RMSNorm, rotary positions and untied embeddings, as in Llama"
                          : "layer norm, biases, learned positions and tied embeddings, as in GPT-3");
    const Json& moe = child(m, "moe");
    if (moe.empty())
        return;
    model.numExperts = integer(moe, "expert_num", 1, 65536);
    model.moeRouterTopk = integer(moe, "topk", 1, 1024);
    model.moeFfnHiddenSize = integer(moe, "moe_ffn_hidden_size", 1, 1 << 22);
    model.moeSharedExpertIntermediateSize = integer(moe, "moe_shared_expert_intermediate_size", 0, 1 << 22, 0);
    model.moeFirstKDense = integer(moe, "dense_layers", 0, 4096, 0);
    model.kvChannels = integer(moe, "head_dim", 1, 4096, model.kvChannels);
    model.qkLayernorm = model.qkLayernorm || contains(lower(model.name), "qwen3");
    if (text(moe, "attention_type") == "mla") {
        model.multiLatentAttention = true;
        model.qLoraRank = integer(moe, "q_lora_rank", 0, 1 << 20, 0);
        model.kvLoraRank = integer(moe, "kv_lora_rank", 1, 1 << 20);
        model.qkHeadDim = integer(moe, "qk_head_dim", 1, 4096);
        model.qkPosEmbHeadDim = integer(moe, "qk_pos_emb_head_dim", 0, 4096);
        model.vHeadDim = integer(moe, "v_head_dim", 1, 4096);
    }
    // The whole model has one (arXiv 2412.19437, section 4.2); sources that leave it out say so.
    if (const std::string name = lower(model.name); contains(name, "deepseekv3") && !contains(name, "w/o mtp") && model.numLayers == 61) {
        model.mtpNumLayers = 1;
        assume("one multi-token prediction layer, in the last chunk");
    }
}

/// The preset of a printed GPU type; its links follow from the type and the printed fabric.
void Reader::readGpu()
{
    const Json& g = child(row, "gpu");
    const std::string type = lower(text(g, "type")), inter = lower(text(g, "inter")), intra = lower(text(g, "intra"));
    ClusterConfig& c = out.scenario.cluster;
    struct Known {
        const char* part;
        const char* preset;
        double linkGbPerS; ///< NVLink per direction
        bool nvls;
    };
    static constexpr Known kKnown[] = {
        {"gb300", "gb300-nvl72", 900, true},    {"gb200", "gb200-nvl72", 900, true},    {"b300", "b300-sxm-270gb", 900, true},
        {"b200", "b200-sxm-180gb", 900, true},  {"h200", "h200-sxm-141gb", 450, true},  {"h100", "h100-sxm-80gb", 450, true},
        {"mi300x", "mi300x-192gb", 448, false}, {"mi325x", "mi325x-256gb", 448, false}, {"mi355x", "mi355x-288gb", 537, false},
        {"h800", "h800-sxm-80gb", 200, true},   {"gh200", "gh200-96gb", 450, false},    {"v100", "v100-sxm2-32gb", 150, false},
        {"40gb", "a100-sxm-40gb", 300, false},  {"a100", "a100-sxm-80gb", 300, false},
    };
    const auto known = std::find_if(std::begin(kKnown), std::end(kKnown), [&](const Known& k) { return contains(type, k.part); });
    if (known == std::end(kKnown)) {
        skip("unknown GPU type \"" + type + "\"");
        return;
    }
    const Result<GpuSpec> gpu = gpuPreset(known->preset);
    if (!gpu) {
        skip(std::string("no GPU preset ") + known->preset);
        return;
    }
    c.gpu = *gpu;
    // The spread that was measured on this kind of GPU: published steps are steps of real, uneven machines.
    if (const Result<VariabilityConfig> spread = variabilityPreset(contains(type, "a100")  ? "measured-a100"
                                                                   : contains(type, "mi3") ? "measured-mi300x"
                                                                                           : "measured-nvidia"))
        out.scenario.variability = *spread;
    c.intraNodeGbPerS = known->linkGbPerS;
    c.nvlsSupported = known->nvls;
    c.intraNodeTopology = contains(type, "mi3") ? "full_mesh" : "switch"; // Infinity Fabric links each pair
    c.numGpus = integer(g, "count", 1, 1'000'000);
    c.gpusPerNode = static_cast<int>(integer(g, "per_node", 1, 1024, 8));
    if (!number(g, "per_node"))
        assume("8 GPUs per node");
    if (contains(type, "nvl72") || contains(intra, "nvl72") || contains(inter, "nvl72"))
        c.gpusPerNode = 72; // one NVLink domain
    // GB/s per GPU and direction of the printed network.
    if (contains(inter, "4x 100 gb/s"))
        c.interNodeGbPerS = 4 * 12.5 / 8;
    else if (contains(inter, "800 gb/s per node"))
        c.interNodeGbPerS = 100.0 / 8;
    else if (contains(inter, "200 gb/s") || contains(inter, "1600 gb/s"))
        c.interNodeGbPerS = 25;
    else
        c.interNodeGbPerS = contains(type, "a100") ? 25 : 50;
    if (c.numGpus > c.gpusPerNode
        && (inter.empty() || contains(inter, "not printed") || contains(inter, "recalled") || contains(inter, "assumed")))
        assume(numberText(c.interNodeGbPerS) + " GB/s per GPU between nodes");
    c.intraNodeLatencyUs = 3;
    c.interNodeLatencyUs = 8;
}

void Reader::readParallel()
{
    const Json& p = child(row, "parallel");
    ParallelismConfig& par = out.scenario.parallelism;
    par.tensorModelParallelSize = static_cast<int>(integer(p, "tp", 1, 4096, 1));
    par.pipelineModelParallelSize = static_cast<int>(integer(p, "pp", 1, kMaxStages, 1));
    par.virtualPipelineModelParallelSize = static_cast<int>(integer(p, "vpp", 1, kMaxChunks, 1));
    par.contextParallelSize = static_cast<int>(integer(p, "cp", 1, 4096, 1));
    par.expertModelParallelSize = static_cast<int>(integer(p, "ep", 1, 65536, 1));
    if (par.virtualPipelineModelParallelSize == 1 && par.pipelineModelParallelSize > 1
        && contains(lower(text(row, "schedule")), "interleaved")) {
        par.virtualPipelineModelParallelSize = 2;
        assume("two chunks per stage (interleaved, their number is not printed)");
    }
    par.pipelineSchedule = par.virtualPipelineModelParallelSize > 1 ? "interleaved" : "1f1b";
    const auto fsdp = p.is_object() ? p.find("fsdp") : p.end();
    const bool sharded = fsdp != p.end() && ((fsdp->is_boolean() && fsdp->get<bool>()) || fsdp->is_string());
    par.zeroStage = sharded ? 3 : 1;
    if (sharded && fsdp->is_string() && contains(fsdp->get<std::string>(), "SHARD_GRAD_OP"))
        par.zeroStage = 2;
}

/// Layers that do not divide over the chunks: embedding and loss count as a layer each where that makes them divide (Llama 3 405B,
/// 126 + 2, arXiv 2407.21783), else as even as whole layers allow.
void Reader::readPipelineSplit()
{
    ParallelismConfig& par = out.scenario.parallelism;
    const auto layers = static_cast<int>(out.scenario.model.numLayers), mtp = static_cast<int>(out.scenario.model.mtpNumLayers);
    const int chunks = par.pipelineModelParallelSize * par.virtualPipelineModelParallelSize;
    if (layers % chunks == 0)
        return;
    if (mtp == 0 && (layers + 2) % chunks == 0) {
        par.accountForEmbeddingInPipelineSplit = par.accountForLossInPipelineSplit = true;
        if (!contains(lower(text(row, "notes")), "counted as layers"))
            assume("embedding and loss counted as a layer each in the pipeline split");
    } else if (layers > chunks) {
        par.pipelineModelParallelLayout = pipelineLayoutText(evenPipelineLayout(layers, mtp, chunks));
        assume("layers split as evenly as PP x VPP allows: " + par.pipelineModelParallelLayout);
    }
}

void Reader::readTraining()
{
    TrainingConfig& t = out.scenario.training;
    t.globalBatchSize = integer(row, "global_batch", 1, 1 << 24);
    if (!number(row, "micro_batch"))
        assume("micro batch 1");
    t.microBatchSize = integer(row, "micro_batch", 1, 1 << 20, 1);
    const std::string precision = text(row, "precision");
    if (const auto stated = statedPrecision(precision)) {
        t.precision = stated->value;
        assume(stated->assumption);
    } else if (const auto inWords = statedPrecision(text(child(row, "model"), "name") + " " + text(row, "notes"))) {
        t.precision = inWords->value;
        assume("precision " + t.precision + ", from the row's name or notes");
    } else {
        skip("the precision is not known: " + (precision.empty() ? std::string("not given") : "\"" + precision.substr(0, 60) + "\""));
    }
    const StatedRecomputation recompute = statedRecomputation(text(row, "recompute"));
    t.recomputeGranularity = recompute.granularity;
    if (!recompute.modules.empty())
        t.recomputeModules = recompute.modules;
    assume(recompute.assumption);
}

/// Fields that the row itself calls unknown, and that nothing above spoke of.
void Reader::readUnknown()
{
    const auto list = row.find("unknown");
    if (list == row.end() || !list->is_array())
        return;
    for (const Json& item : *list) {
        const std::string what = item.is_string() ? item.get<std::string>().substr(0, 60) : std::string();
        if (what == "vpp")
            assume("VPP " + std::to_string(out.scenario.parallelism.virtualPipelineModelParallelSize));
        else if (contains(what, "assumed"))
            assume(what);
    }
}

/// What the software of a source does by default (its age and its documentation), the same for every row of the source.
void Reader::readGeneration()
{
    const std::string source = text(row, "source");
    ParallelismConfig& par = out.scenario.parallelism;
    TrainingConfig& t = out.scenario.training;
    par.overlapP2pComm = true;
    t.gradReduceInFp32 = par.zeroStage < 3; // FSDP reduces in the parameters' precision
    if (source == "megatron-sc21-t1" || source == "vtrain-multi" || source == "vtrain-single" || source == "bigscience") {
        // Megatron-LM before 2022: no fused attention, no sequence parallelism, plain data parallelism without overlap.
        t.flashAttention = false;
        par.sequenceParallel = par.overlapGradReduce = par.overlapParamGather = par.overlapP2pComm = false;
        par.zeroStage = 0;
        t.gradReduceInFp32 = t.precision != "fp16"; // FP16 gradients were reduced as they are
    } else if (source == "megascale-t2") {
        // Megatron-LM of 2023: sequence parallelism, selective recomputation, distributed optimizer; fused attention is one
        // of the changes that the paper adds to this baseline (its table 3).
        t.flashAttention = false;
        par.overlapGradReduce = par.overlapParamGather = false;
        if (contains(lower(out.id), "-megascale-")) {
            // Its own system (section 3): parallel attention and MLP, fused attention, and communication beside compute in all
            // three dimensions. The sliding window of section 3.1 has no printed width and is left out.
            t.flashAttention = out.scenario.model.parallelAttention = true;
            t.recomputeGranularity = "none"; // fused attention makes it needless
            par.tpCommOverlap = par.overlapGradReduce = par.overlapParamGather = true;
        }
    } else if (source == "simumax-b200") {
        par.overlapGradReduce = par.overlapParamGather = false; // "no communication overlap"
    } else if (source.starts_with("mlperf") || source == "megatron-bridge" || source == "megatron-readme-h100") {
        par.tpCommOverlap = par.tensorModelParallelSize > 1 && out.scenario.model.numExperts == 0;
    }
    // Benchmarks of these two sources force every expert to the same load (Megatron-MoE-ModelZoo best_practice/qwen3/run_h100_235b.sh).
    if (source == "moe-zoo" || contains(lower(text(row, "notes")), "force balanced"))
        out.scenario.variability.moeImbalance = {};
    const bool deepEp = contains(lower(text(row, "notes")), "deepep");
    if (source == "megatron-bridge" || deepEp)
        par.moeTokenDispatcherType = "flex";
    if (source == "megatron-bridge" && !deepEp && out.scenario.model.numExperts > 0)
        assume("the flex token dispatcher, without expert communication overlap");
    if (source != "simumax-b200" && !source.starts_with("mlperf")) // these two print them
        assume("overlaps, ZeRO stage, sequence parallelism and attention kernels as the source's software has them by default");
}

void Reader::readSchedule()
{
    const Json& profiled = child(child(row, "measured"), "profiled_ms");
    if (profiled.empty())
        return;
    out.scheduleOnly = true;
    const auto ms = [&](const char* key) { return number(profiled, key).value_or(0.0) * 1e-3; };
    out.profiled = {ms("TF"), ms("TB"), ms("TW"), ms("Tcomm")};
    const Json& p = child(row, "parallel");
    out.numStages = static_cast<int>(integer(p, "pp", 1, kMaxStages, 1));
    out.numChunks = static_cast<int>(integer(p, "vpp", 1, kMaxChunks, 1));
    out.numLayers = static_cast<int>(integer(child(row, "model"), "layers", 1, 4096));
    out.numMicrobatches = static_cast<int>(integer(row, "num_microbatches", 1, kMaxMicrobatches));
    if (!number(row, "micro_batch"))
        assume("micro batch 1");
    out.microBatch = number(row, "micro_batch").value_or(1.0);
    const std::string name = lower(text(row, "schedule"));
    out.schedule = name == "1f1b-i" ? "interleaved" : name;
    if (!(out.profiled.forward > 0 && out.profiled.backward > 0))
        skip("profiled times are not given");
}

void Reader::readMeasured()
{
    const Json& m = child(row, "measured");
    out.publishedSeconds = number(m, "iteration_time_s").value_or(0.0);
    out.publishedMemoryGib = number(m, "peak_reserved_gib").value_or(0.0);
    out.publishedBubbleRate = number(m, "bubble_rate_theoretical").value_or(-1.0);
    if (out.publishedSeconds <= 0 && !(out.scheduleOnly && out.publishedBubbleRate >= 0))
        skip("no step time is published");
}

PublishedRow readRow(const Json& row)
{
    Reader r(row);
    r.out.id = text(row, "id");
    r.out.suite = text(row, "suite");
    r.out.tier = text(row, "tier");
    r.out.scenario.name = r.out.id;
    r.readSchedule();
    if (!r.out.scheduleOnly) {
        r.readModel();
        r.readGpu();
        r.readParallel();
        r.readPipelineSplit();
        r.readTraining();
        r.readGeneration();
        r.readUnknown();
        if (const std::string assumed = text(row, "assumed"); !assumed.empty())
            r.assume(assumed);
    }
    r.readMeasured();
    return std::move(r.out);
}

} // namespace

Result<std::vector<PublishedRow>> readPublished(std::string_view json)
{
    const auto error = [](std::string path, std::string message, std::string found, std::string accepted) {
        return Diagnostic{Severity::error, std::move(path), std::move(message), std::move(found), std::move(accepted), "", ""};
    };
    if (json.size() > kMaxBytes)
        return error("", "the file is too large", std::to_string(json.size()) + " bytes", "at most 64 MiB");
    if (isStepTable(json)) {
        const Result<std::string> rows = stepTableAsJson(json);
        return rows ? readPublished(*rows) : Result<std::vector<PublishedRow>>(rows.errors());
    }
    const Result<Json> parsed = parseJson(json);
    if (!parsed)
        return parsed.errors();
    const Json& document = *parsed;
    if (!document.is_object() || text(document, "schema") != "prism-validation-1")
        return error("schema", "this is not a file of published rows", text(document, "schema"), "\"prism-validation-1\"");
    const auto rows = document.find("rows");
    if (rows == document.end() || !rows->is_array())
        return error("rows", "there are no rows", "", "an array of rows");
    if (rows->size() > kMaxRows)
        return error("rows", "there are too many rows", std::to_string(rows->size()), "at most " + std::to_string(kMaxRows));
    Diagnostics errors;
    std::vector<PublishedRow> result;
    for (std::size_t i = 0; i < rows->size(); ++i) {
        const Json& row = (*rows)[i];
        if (!row.is_object() || text(row, "id").empty() || text(row, "suite").empty()) {
            errors.push_back(error("rows[" + std::to_string(i) + "]", "a row needs an id and a suite",
                                   row.is_object() ? "an object" : row.type_name(), "{\"id\": ..., \"suite\": ...}"));
            continue;
        }
        result.push_back(readRow(row));
    }
    if (!errors.empty())
        return errors;
    return result;
}

} // namespace prism
