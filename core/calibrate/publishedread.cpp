// SPDX-License-Identifier: GPL-3.0-or-later
// Reads published steps, schema 2 of "prism-validation-1": a row's shape, and the execution that its source and itself state.
#include "core/base/diagnostictext.h"
#include "core/calibrate/published.h"

#include "core/base/jsontext.h"
#include "core/calibrate/publishedexecution.h"
#include "core/measured/steptable.h"
#include "core/scenario/presetlibrary.h"
#include "core/scenario/presets.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace prism {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{64} << 20;
constexpr std::size_t kMaxRows = 20'000, kMaxUnknown = 200;

/// Typed, bounded reading: a missing, null or wrong value is `nullopt`.
std::optional<double> number(const nlohmann::json& object, const char* key)
{
    if (!object.is_object())
        return std::nullopt;
    const auto it = object.find(key);
    if (it == object.end() || !it->is_number())
        return std::nullopt;
    const double x = it->get<double>();
    return std::isfinite(x) ? std::optional<double>(x) : std::nullopt;
}

std::optional<bool> truth(const nlohmann::json& object, const char* key)
{
    const auto it = object.is_object() ? object.find(key) : object.end();
    return it != object.end() && it->is_boolean() ? std::optional<bool>(it->get<bool>()) : std::nullopt;
}

std::string text(const nlohmann::json& object, const char* key)
{
    if (!object.is_object())
        return {};
    const auto it = object.find(key);
    return it != object.end() && it->is_string() ? it->get<std::string>().substr(0, 400) : std::string();
}

const nlohmann::json& child(const nlohmann::json& object, const char* key)
{
    static const nlohmann::json empty = nlohmann::json::object();
    if (!object.is_object())
        return empty;
    const auto it = object.find(key);
    return it != object.end() && it->is_object() ? *it : empty;
}

/// Keys of a row and of its parts that this reader uses or leaves to people; others are reported.
const std::vector<std::pair<const char*, std::vector<std::string>>>& knownKeys()
{
    static const std::vector<std::pair<const char*, std::vector<std::string>>> keys = {
        {"",
         {"id",
          "suite",
          "source",
          "tier",
          "provenance",
          "model",
          "gpu",
          "parallel",
          "micro_batch",
          "precision",
          "recompute",
          "schedule",
          "notes",
          "global_batch",
          "num_microbatches",
          "execution",
          "execution_provenance",
          "unknown",
          "facts",
          "suspect",
          "measured",
          "derived",
          "duplicate_of"}},
        {"model", {"name", "layers", "hidden", "heads", "kv_heads", "ffn", "vocab", "seq_len", "gated_mlp", "moe", "arch_provenance"}},
        {"gpu", {"type", "per_node", "intra", "count", "inter"}},
        {"parallel", {"tp", "pp", "dp", "cp", "ep", "vpp", "fsdp"}},
    };
    return keys;
}

/// One field of the shape and the scenario path that can replace it.
struct ShapeField {
    const char *part, *key, *path;
    std::int64_t high;
    bool needed;
};
constexpr ShapeField kShape[] = {
    {"model", "layers", "model.num_layers", 4096, true},
    {"model", "hidden", "model.hidden_size", 1 << 20, true},
    {"model", "heads", "model.num_attention_heads", 65536, true},
    {"model", "kv_heads", "model.num_query_groups", 65536, true},
    {"model", "ffn", "model.ffn_hidden_size", 1 << 22, true},
    {"model", "vocab", "model.vocab_size", 1 << 24, true},
    {"model", "seq_len", "model.seq_length", 1 << 24, true},
    {"gpu", "count", "cluster.num_gpus", 1'000'000, true},
    {"gpu", "per_node", "cluster.gpus_per_node", 1024, false},
    {"parallel", "tp", "parallelism.tensor_model_parallel_size", 1024, false},
    {"parallel", "pp", "parallelism.pipeline_model_parallel_size", kMaxStages, false},
    {"parallel", "vpp", "parallelism.virtual_pipeline_model_parallel_size", kMaxChunks, false},
    {"parallel", "cp", "parallelism.context_parallel_size", 1024, false},
    {"parallel", "ep", "parallelism.expert_model_parallel_size", 1024, false},
    {"", "micro_batch", "training.micro_batch_size", 1 << 16, true},
    {"", "global_batch", "training.global_batch_size", 1 << 24, true},
};
constexpr ShapeField kExperts[] = {
    {"", "expert_num", "model.num_experts", 65536, true},
    {"", "topk", "model.moe_router_topk", 1024, true},
    {"", "moe_ffn_hidden_size", "model.moe_ffn_hidden_size", 1 << 22, true},
    {"", "moe_shared_expert_intermediate_size", "model.moe_shared_expert_intermediate_size", 1 << 22, false},
    {"", "dense_layers", "model.moe_first_k_dense", 4096, false},
    {"", "head_dim", "model.kv_channels", 4096, false},
};
constexpr ShapeField kLatent[] = {
    {"", "q_lora_rank", "model.q_lora_rank", 1 << 20, false}, {"", "kv_lora_rank", "model.kv_lora_rank", 1 << 20, true},
    {"", "qk_head_dim", "model.qk_head_dim", 4096, true},     {"", "qk_pos_emb_head_dim", "model.qk_pos_emb_head_dim", 4096, true},
    {"", "v_head_dim", "model.v_head_dim", 4096, true},
};

/// Reads one row; collects why it cannot be run.
struct Reader {
    Reader(const nlohmann::json& object, const nlohmann::json& source) : row(object), execution(mergedExecution(source, object)) {}

    const nlohmann::json& row;
    Execution execution, shape; ///< shape: the row's sizes as scenario paths
    PublishedRow out;

    void skip(const std::string& why) { out.skipped += out.skipped.empty() ? why : "; " + why; }

    void addSize(const nlohmann::json& part, const ShapeField& field)
    {
        const auto x = number(part, field.key);
        if (!x) {
            if (field.needed && !execution.states(field.path))
                skip(std::string(field.key) + " is not given (" + field.path + ")");
            return;
        }
        if (*x < 0 || *x > static_cast<double>(field.high) || *x != std::floor(*x))
            skip(std::string(field.key) + " is out of range");
        else
            shape.values[field.path] = std::to_string(static_cast<std::int64_t>(*x));
    }

    void readShape();
    void readModel();
    void readExecution();
    void readSchedule();
    void readMeasured();
    void reportUnknownKeys();
};

void Reader::readShape()
{
    for (const ShapeField& field : kShape)
        addSize(*field.part == '\0' ? row : child(row, field.part), field);
    readModel();
    if (!execution.states("cluster.gpu.preset"))
        skip("the GPU is not given (cluster.gpu.preset)");
    if (!execution.states("training.precision"))
        skip("the precision is not given (training.precision)");
}

void Reader::readModel()
{
    const nlohmann::json& m = child(row, "model");
    out.scenario.model.name = text(m, "name");
    if (const auto gated = truth(m, "gated_mlp"))
        shape.values["model.gated_mlp"] = *gated ? "true" : "false";
    else if (!execution.states("model.gated_mlp"))
        skip("gated_mlp is not given (model.gated_mlp)");
    const auto hidden = number(m, "hidden"), heads = number(m, "heads");
    if (hidden && heads && *heads >= 1 && *hidden >= *heads)
        shape.values["model.kv_channels"] = std::to_string(static_cast<std::int64_t>(*hidden / *heads));
    const nlohmann::json& moe = child(m, "moe");
    if (moe.empty())
        return;
    for (const ShapeField& field : kExperts)
        addSize(moe, field);
    if (text(moe, "attention_type") != "mla")
        return;
    shape.values["model.multi_latent_attention"] = "true";
    for (const ShapeField& field : kLatent)
        addSize(moe, field);
}

void Reader::readExecution()
{
    Scenario& s = out.scenario;
    s.cluster.fabricPreset.clear();
    s.cluster.gpusPerNode = 8;
    for (const std::string& error : applyExecution(shape, {}, s))
        skip(error);
    if (const auto preset = execution.values.find("cluster.gpu.preset"); preset != execution.values.end())
        if (const Result<VariabilityConfig> spread = variabilityPreset(measuredSpreadOf(preset->second))) // steps of real, uneven machines
            s.variability = *spread;
    std::vector<std::string> unknown;
    if (const auto list = row.find("unknown"); list != row.end() && list->is_array())
        for (const nlohmann::json& item : *list)
            if (item.is_string() && unknown.size() < kMaxUnknown)
                unknown.push_back(item.get<std::string>().substr(0, 120));
    for (std::string& text : stateFacts(child(row, "facts"), unknown, execution))
        out.assumptions.push_back(std::move(text));
    for (const std::string& error : applyExecution(execution, {}, s))
        skip(error);
    for (std::string& assumed : assumptionsOf(execution, unknown))
        out.assumptions.push_back(std::move(assumed));
    // Samples of a micro-batch joined into one: attention runs over all of it.
    if (const std::int64_t samples = s.training.microBatchSize; truth(child(row, "facts"), "pack_sample_into_one").value_or(false)) {
        s.model.seqLength *= samples;
        s.training.globalBatchSize /= samples;
        s.training.microBatchSize = 1;
    }
}

void Reader::readSchedule()
{
    const nlohmann::json& profiled = child(child(row, "measured"), "profiled_ms");
    if (profiled.empty())
        return;
    out.scheduleOnly = true;
    const auto ms = [&](const char* key) { return number(profiled, key).value_or(0.0) * 1e-3; };
    out.profiled = {ms("TF"), ms("TB"), ms("TW"), ms("Tcomm")};
    const auto whole = [&](const nlohmann::json& part, const char* key, double high, bool needed) {
        const auto x = number(part, key);
        const bool fine = x && *x >= 1 && *x <= high && *x == std::floor(*x);
        if (!fine && (x || needed))
            skip(std::string(key) + (x ? " is out of range" : " is not given"));
        return fine ? static_cast<int>(*x) : 1;
    };
    const nlohmann::json& model = child(row, "model");
    out.numStages = whole(child(row, "parallel"), "pp", kMaxStages, true);
    out.numChunks = whole(child(row, "parallel"), "vpp", kMaxChunks, false);
    out.numLayers = whole(model, "layers", 4096, true);
    out.numMicrobatches = whole(row, "num_microbatches", kMaxMicrobatches, true);
    out.microBatch = whole(row, "micro_batch", 1 << 16, true);
    out.scenario.model.hiddenSize = whole(model, "hidden", 1 << 20, true);
    out.scenario.model.numAttentionHeads = whole(model, "heads", 65536, true);
    out.scenario.model.seqLength = whole(model, "seq_len", 1 << 24, true);
    const auto schedule = execution.values.find("parallelism.pipeline_schedule");
    if (schedule == execution.values.end())
        skip("the schedule is not given (parallelism.pipeline_schedule)");
    else
        out.schedule = schedule->second;
    if (!(out.profiled.forward > 0 && out.profiled.backward > 0))
        skip("profiled times are not given");
}

void Reader::readMeasured()
{
    const nlohmann::json& m = child(row, "measured");
    out.publishedSeconds = number(m, "iteration_time_s").value_or(0.0);
    const double gib = number(m, "peak_memory_gib").value_or(number(m, "peak_memory_gb").value_or(0.0) * 1e9 / 1073741824);
    out.publishedMemoryGib = number(m, "peak_reserved_gib").value_or(gib);
    out.publishedBubbleRate = number(m, "bubble_rate_theoretical").value_or(-1.0);
    out.publishedTflops = number(m, "tflops_per_gpu").value_or(0.0);
    const nlohmann::json& c = child(m, "flops_convention");
    out.convention = {text(c, "attention"), truth(c, "recomputation"), truth(c, "vocabulary"), number(c, "peak_tflops").value_or(0.0)};
    if (out.publishedSeconds <= 0 && !(out.scheduleOnly && out.publishedBubbleRate >= 0))
        skip("no step time is published");
}

void Reader::reportUnknownKeys()
{
    for (const auto& [part, keys] : knownKeys())
        for (const auto& [key, value] : (*part == '\0' ? row : child(row, part)).items())
            if (std::find(keys.begin(), keys.end(), key) == keys.end())
                out.assumptions.push_back((*part == '\0' ? "" : std::string(part) + ".") + key.substr(0, 60)
                                          + " is not a key of this format; it is not read");
}

PublishedRow readRow(const nlohmann::json& row, const nlohmann::json& source)
{
    Reader r(row, source);
    r.out.id = text(row, "id");
    r.out.suite = text(row, "suite");
    r.out.source = text(row, "source");
    r.out.tier = text(row, "tier");
    r.out.suspect = text(row, "suspect");
    r.out.duplicateOf = text(row, "duplicate_of");
    r.out.scenario.name = r.out.id;
    r.readSchedule();
    if (!r.out.scheduleOnly) {
        r.readShape();
        r.readExecution();
    }
    r.readMeasured();
    r.reportUnknownKeys();
    return std::move(r.out);
}

Result<std::vector<PublishedRow>> readRows(const nlohmann::json& rows, const nlohmann::json& sources)
{
    Diagnostics errors;
    std::vector<PublishedRow> result;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const nlohmann::json& row = rows[i];
        if (!row.is_object() || text(row, "id").empty() || text(row, "suite").empty()) {
            errors.push_back(errorAt("rows[" + std::to_string(i) + "]", "a row needs an id and a suite",
                                     row.is_object() ? "an object" : row.type_name(), R"({"id": ..., "suite": ...})"));
            continue;
        }
        const std::string source = text(row, "source");
        result.push_back(readRow(row, source.empty() ? nlohmann::json::object() : child(sources, source.c_str())));
    }
    if (!errors.empty())
        return errors;
    return result;
}

} // namespace

Result<std::vector<PublishedRow>> readPublished(std::string_view json)
{
    if (json.size() > kMaxBytes)
        return errorAt("", "the file is too large", std::to_string(json.size()) + " bytes", "at most 64 MiB");
    if (isStepTable(json)) {
        const Result<std::string> rows = stepTableAsJson(json);
        return rows ? readPublished(*rows) : Result<std::vector<PublishedRow>>(rows.errors());
    }
    const Result<nlohmann::json> parsed = parseJson(json);
    if (!parsed)
        return parsed.errors();
    const nlohmann::json& document = *parsed;
    if (!document.is_object() || text(document, "schema") != "prism-validation-1")
        return errorAt("schema", "this is not a file of published rows", text(document, "schema"), "\"prism-validation-1\"");
    if (number(document, "schema_version").value_or(1) != 2)
        return errorAt("schema_version", "rows of this version do not state how they were executed",
                       document.contains("schema_version") ? document["schema_version"].dump().substr(0, 40) : "nothing",
                       "2: rows and sources with an `execution` object");
    const auto rows = document.find("rows");
    if (rows == document.end() || !rows->is_array())
        return errorAt("rows", "there are no rows", "", "an array of rows");
    if (rows->size() > kMaxRows)
        return errorAt("rows", "there are too many rows", std::to_string(rows->size()), "at most " + std::to_string(kMaxRows));
    return readRows(*rows, child(document, "sources"));
}

} // namespace prism
