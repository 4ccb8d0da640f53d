// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measured/steptable.h"
#include "core/measured/measuredlimits.h"

#include "core/base/table.h"
#include "core/measured/tables.h"

#include <nlohmann/json.hpp>

#include <array>
#include <charconv>
#include <cmath>

namespace prism {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kColumns = 11, kMaxErrors = 50;
constexpr const char* kSource = "vtrain-single";
constexpr std::string_view kHeader = "# GPUs,global batch,micro batch,hidden size,attention heads,# layers,sequence length,"
                                     "tensor parallelism,data parallelism,pipeline parallelism,iteration time (ms)";

std::string_view withoutByteOrderMark(std::string_view text)
{
    if (text.starts_with("\xEF\xBB\xBF"))
        text.remove_prefix(3);
    return text;
}

bool readNumbers(const std::vector<std::string>& fields, std::array<double, kColumns>& x)
{
    if (fields.size() != kColumns)
        return false;
    for (std::size_t i = 0; i < kColumns; ++i) {
        const char* end = fields[i].data() + fields[i].size();
        const auto [stop, error] = std::from_chars(fields[i].data(), end, x[i]);
        const bool whole = i + 1 == kColumns || (x[i] == std::floor(x[i]) && x[i] <= 1 << 24);
        if (error != std::errc() || stop != end || !std::isfinite(x[i]) || x[i] <= 0 || !whole)
            return false;
    }
    return true;
}

/// How the table's runs were executed (vTrain, MICRO 2024, and its repository's defaults: Megatron-DeepSpeed of 2022 on one node).
Json execution()
{
    return {{"execution",
             {{"cluster.gpu.preset", "a100-sxm-40gb"},
              {"cluster.gpus_per_node", 8},
              {"cluster.intra_node_gb_per_s", 300},
              {"cluster.nvls_supported", false},
              {"model.position_embedding_learned", true},
              {"model.tied_embeddings", true},
              {"model.add_bias_linear", true},
              {"model.normalization", "layernorm"},
              {"parallelism.sequence_parallel", false},
              {"parallelism.zero_stage", 0},
              {"parallelism.overlap_grad_reduce", false},
              {"parallelism.overlap_param_gather", false},
              {"parallelism.overlap_p2p_comm", false},
              {"training.precision", "fp16"},
              {"training.attention_backend", "unfused"},
              {"training.grad_reduce_in_fp32", false},
              {"training.recompute_granularity", "none"}}},
            {"execution_provenance",
             {{"cluster.gpu.preset", "assumed: A100 of 40 GB"},
              {"training.precision", "assumed: FP16"},
              {"training.recompute_granularity", "assumed: no recomputation"}}}};
}

Json rowOf(std::size_t number, const std::array<double, kColumns>& x)
{
    const Json model = {{"name", "GPT"},   {"layers", x[5]}, {"hidden", x[3]},  {"heads", x[4]},     {"kv_heads", x[4]},
                        {"ffn", 4 * x[3]}, {"vocab", 50257}, {"seq_len", x[6]}, {"gated_mlp", false}};
    return {{"id", "vtrain-s-" + std::to_string(number)},
            {"suite", "vtrain_single"},
            {"tier", "B"},
            {"source", kSource},
            {"model", model},
            {"gpu", {{"type", "A100-SXM4-40GB"}, {"per_node", 8}, {"count", x[0]}}},
            {"parallel", {{"tp", x[7]}, {"dp", x[8]}, {"pp", x[9]}}},
            {"micro_batch", x[2]},
            {"global_batch", x[1]},
            {"unknown", {"model.vocab_size"}},
            {"measured", {{"iteration_time_s", x[10] * 1e-3}}}};
}

} // namespace

bool isStepTable(std::string_view text)
{
    return withoutByteOrderMark(text).starts_with(kHeader.substr(0, kHeader.find(',')));
}

Result<std::string> stepTableAsJson(std::string_view csv)
{
    csv = withoutByteOrderMark(csv);
    Diagnostics errors;
    const auto error = [&](std::size_t line, const std::string& message, std::string_view found, const std::string& accepted) {
        errors.push_back({Severity::error, "line " + std::to_string(line), message, std::string(found.substr(0, 80)), accepted, "", ""});
    };
    Json rows = Json::array();
    TableRows table(csv, {.limits = {.maxRows = kMaxImportedRows + 1}});
    for (bool header = true; table.next() && errors.size() < kMaxErrors; header = false) {
        const std::size_t line = table.line();
        const std::string_view text = table.text();
        if (table.problem()) {
            errors.push_back(*table.problem());
            continue;
        }
        if (header) {
            if (text != kHeader)
                error(line, "this is not a table of steps", text, std::string(kHeader));
            continue;
        }
        std::array<double, kColumns> x{};
        if (!readNumbers(table.cells(), x)) {
            error(line, "the row cannot be read", text, "ten positive whole numbers and a time");
            continue;
        }
        rows.push_back(rowOf(line - 1, x));
    }
    if (!errors.empty())
        return errors;
    return Json{{"schema", "prism-validation-1"}, {"schema_version", 2}, {"sources", {{kSource, execution()}}}, {"rows", std::move(rows)}}
        .dump();
}

} // namespace prism
