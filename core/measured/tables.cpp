// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measured/tables.h"

#include "core/base/table.h"

#include "core/base/jsontext.h"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <cstdlib>

namespace prism {
namespace {

constexpr std::size_t kMaxErrors = 50;
constexpr double kMaxRanks = 1 << 20;

/// Calls `use` for each data row with exactly `columns` cells; collects the first errors.
template <class Use>
Diagnostics forEachRow(const std::string& text, const std::string& path, std::size_t columns, Use use)
{
    Diagnostics errors;
    TableRows rows(text);
    for (bool header = true; rows.next() && errors.size() < kMaxErrors; header = false) {
        const std::string place = path + ":" + std::to_string(rows.line());
        if (rows.problem()) {
            errors.push_back(*rows.problem());
            errors.back().path = place;
        } else if (!header && (rows.cells().size() != columns || !use(rows.cells()))) {
            errors.push_back({Severity::error, place, "the row cannot be read", std::string(rows.text().substr(0, 80)),
                              std::to_string(columns) + " fields", "", ""});
        }
    }
    return errors;
}

std::string familyOf(const std::string& system, double& linkGbPerS)
{
    linkGbPerS = system.starts_with("a100") ? 300 : system.starts_with("h") ? 450 : 900;
    if (system.starts_with("a100"))
        return "a100";
    if (system.starts_with("h100") || system.starts_with("h200"))
        return "h100";
    if (system.starts_with("b200") || system.starts_with("gb200") || system.starts_with("b300") || system.starts_with("gb300"))
        return "b200";
    return system;
}

} // namespace

bool positive(const std::string& text, double& value)
{
    char* end = nullptr;
    value = std::strtod(text.c_str(), &end);
    return end != text.c_str() && value > 0 && value < 1e18;
}

Result<std::vector<BusRow>> readBusTable(const std::string& path)
{
    const Result<std::string> text = readTextFile(path);
    if (!text)
        return text.errors();
    std::vector<BusRow> rows;
    const Diagnostics errors = forEachRow(*text, path, 8, [&](const std::vector<std::string>& f) {
        BusRow r;
        (void)familyOf(f[0], r.linkGbPerS);
        r.type = f[0].substr(0, f[0].find('_'));
        r.op = f[2] == "all_reduce" ? 0 : f[2] == "all_gather" ? 1 : f[2] == "reduce_scatter" ? 2 : f[2] == "alltoall" ? 3 : -1;
        double ranks = 0;
        if (r.op < 0 || !positive(f[4], ranks) || ranks > kMaxRanks || !positive(f[5], r.bytes) || !positive(f[7], r.busGbPerS))
            return r.op >= 0 && f[7] == "0.0";
        r.ranks = static_cast<int>(ranks);
        rows.push_back(r);
        return true;
    });
    if (!errors.empty())
        return errors;
    return rows;
}

Result<std::vector<GemmRow>> readGemmTable(const std::string& path)
{
    const Result<std::string> text = readTextFile(path);
    if (!text)
        return text.errors();
    std::vector<GemmRow> rows;
    const Diagnostics errors = forEachRow(*text, path, 8, [&](const std::vector<std::string>& f) {
        GemmRow r;
        double link = 0, us = 0;
        r.family = familyOf(f[0], link);
        r.precision = f[2] == "fp8" ? MatrixPrecision::fp8 : f[2] == "nvfp4" ? MatrixPrecision::fp4 : MatrixPrecision::bits16;
        if (!positive(f[3], r.m) || !positive(f[4], r.n) || !positive(f[5], r.k) || !positive(f[6], us))
            return false;
        r.seconds = us * 1e-6;
        // vLLM's 16-bit rows are plain matrix products of PyTorch, what training runs; below 16 bit TensorRT-LLM's are the nearest.
        // The GB200 of the table has a higher peak than the family's B200.
        if (f[0] != "gb200" && f[1].starts_with(r.precision == MatrixPrecision::bits16 ? "vllm" : "trtllm"))
            rows.push_back(r);
        return true;
    });
    if (!errors.empty())
        return errors;
    return rows;
}

Result<std::vector<GemmRow>> readSustainedGemms(const std::string& path)
{
    const Result<std::string> text = readTextFile(path);
    if (!text)
        return text.errors();
    const Result<nlohmann::json> document = parseJson(*text);
    if (!document)
        return document.errors();
    const nlohmann::json& json = *document;
    const auto table = nlohmann::json::json_pointer("/accelerator/op/matmul/accurate_efficient_factor"),
               peak = nlohmann::json::json_pointer("/accelerator/op/matmul/tflops");
    if (!json.is_object() || !json.contains(table) || !json[table].is_object() || !json.contains(peak) || !json[peak].is_number())
        return Diagnostic{
            Severity::error, path, "there is no table of matrix products", "", "accelerator.op.matmul.accurate_efficient_factor", "", ""};
    std::vector<GemmRow> rows;
    Diagnostics errors;
    for (const auto& [shape, efficiency] : json[table].items()) {
        GemmRow r;
        r.family = "b200";
        int batch = 0;
        if (std::sscanf(shape.c_str(), "b=%d, m=%lf, k=%lf, n=%lf", &batch, &r.m, &r.k, &r.n) != 4 || !efficiency.is_number()
            || !(efficiency.get<double>() > 0)) {
            errors.push_back(
                {Severity::error, path, "this shape cannot be read", shape.substr(0, 60), "b=, m=, k=, n= and an efficiency", "", ""});
            continue;
        }
        r.seconds = 2 * batch * r.m * r.n * r.k / (efficiency.get<double>() * json[peak].get<double>() * 1e12);
        if (batch == 1)
            rows.push_back(r);
    }
    if (!errors.empty())
        return errors;
    return rows;
}

} // namespace prism
