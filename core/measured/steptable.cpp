// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measured/steptable.h"
#include "core/measured/measuredlimits.h"

#include "core/base/jsontext.h"
#include "core/base/textfile.h"
#include "core/base/table.h"
#include "core/measured/tables.h"
#include "core/scenario/sectionpresets.h"
#include "core/scenario/presetlibrary.h"

#include <nlohmann/json.hpp>

#include <array>
#include <charconv>
#include <cmath>

namespace prism {
namespace {

constexpr std::size_t kColumns = 11;
constexpr std::string_view kHeader = "# GPUs,global batch,micro batch,hidden size,attention heads,# layers,sequence length,"
                                     "tensor parallelism,data parallelism,pipeline parallelism,iteration time (ms)";

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

/// How such a table's runs were executed and what its rows have in common: the file of published steps for tables without metadata, with
/// one source and no rows.
Result<nlohmann::json> tableSource()
{
    const std::string name = defaultPreset("published");
    const Result<std::string> text = presetText("published", name);
    if (!text)
        return text.errors();
    Result<nlohmann::json> file = parseJson(*text);
    if (!file)
        return file.errors();
    if (!file->is_object() || !file->contains("sources") || (*file)["sources"].size() != 1)
        return Diagnostic{Severity::error, "presets/published/" + name + ".json", "the preset has to name one source", "", "", "", ""};
    file->erase("stands_in");
    return file;
}

nlohmann::json rowOf(std::size_t number, const std::array<double, kColumns>& x, const nlohmann::json& common)
{
    nlohmann::json row = common;
    const nlohmann::json model = {{"layers", x[5]},   {"hidden", x[3]},  {"heads", x[4]},
                                  {"kv_heads", x[4]}, {"ffn", 4 * x[3]}, {"seq_len", x[6]}};
    row["id"] = "single-node-" + std::to_string(number);
    row["model"].update(model);
    row["gpu"]["count"] = x[0];
    row["parallel"] = {{"tp", x[7]}, {"dp", x[8]}, {"pp", x[9]}};
    row["micro_batch"] = x[2];
    row["global_batch"] = x[1];
    row["measured"] = {{"iteration_time_s", x[10] * 1e-3}};
    return row;
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
    Result<nlohmann::json> file = tableSource();
    if (!file)
        return file.errors();
    const auto source = (*file)["sources"].begin();
    nlohmann::json common = source.value().value("row", nlohmann::json::object());
    common["source"] = source.key();
    nlohmann::json rows = nlohmann::json::array();
    TableRows table(csv, {.limits = {.maxRows = kMaxImportedRows + 1}});
    for (bool header = true; table.next() && errors.size() < kMaxTableErrors; header = false) {
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
        rows.push_back(rowOf(line - 1, x, common));
    }
    if (!errors.empty())
        return errors;
    (*file)["rows"] = std::move(rows);
    return file->dump();
}

} // namespace prism
