#include "core/measured/steptable.h"
#include "core/measured/measuredlimits.h"

#include "core/base/table.h"

#include <nlohmann/json.hpp>

#include <array>
#include <charconv>
#include <cmath>

namespace prism {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kColumns = 11, kMaxErrors = 50;
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
        rows.push_back({{"id", "vtrain-s-" + std::to_string(line - 1)},
                        {"suite", "vtrain_single"},
                        {"tier", "B"},
                        {"source", "vtrain-single"},
                        {"model",
                         {{"name", "GPT"},
                          {"layers", x[5]},
                          {"hidden", x[3]},
                          {"heads", x[4]},
                          {"ffn", 4 * x[3]},
                          {"vocab", 50257},
                          {"seq_len", x[6]},
                          {"gated_mlp", false}}},
                        {"gpu", {{"type", "A100-SXM4-40GB"}, {"per_node", 8}, {"count", x[0]}}},
                        {"parallel", {{"tp", x[7]}, {"dp", x[8]}, {"pp", x[9]}}},
                        {"micro_batch", x[2]},
                        {"global_batch", x[1]},
                        {"precision", "fp16"},
                        {"recompute", "none"},
                        {"assumed", "A100 of 40 GB, FP16, no recomputation, vocabulary of 50,257"},
                        {"measured", {{"iteration_time_s", x[10] * 1e-3}}}});
    }
    if (!errors.empty())
        return errors;
    return Json{{"schema", "prism-validation-1"}, {"rows", std::move(rows)}}.dump();
}

} // namespace prism
