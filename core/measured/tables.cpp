#include "core/measured/tables.h"

#include <nlohmann/json.hpp>
#include <zlib.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>

namespace prism {
namespace {

/// Calls `use` for each data row with exactly `columns` fields; collects up to 50 errors.
template <class Use>
Diagnostics forEachRow(const std::string& text, const std::string& path, std::size_t columns, Use use)
{
    Diagnostics errors;
    std::size_t line = 0;
    for (std::string_view rest = text; !rest.empty();) {
        const std::string_view row = nextLine(rest);
        if (++line == 1 || row.empty())
            continue;
        const std::vector<std::string> fields = csvFields(row);
        if ((fields.size() != columns || !use(fields)) && errors.size() < 50)
            errors.push_back({Severity::error, path + ":" + std::to_string(line), "the row cannot be read", std::string(row.substr(0, 80)),
                              std::to_string(columns) + " fields", "", ""});
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

std::string_view nextLine(std::string_view& text)
{
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return line;
}

bool positive(const std::string& text, double& value)
{
    char* end = nullptr;
    value = std::strtod(text.c_str(), &end);
    return end != text.c_str() && value > 0 && value < 1e18;
}

std::vector<std::string> csvFields(std::string_view line)
{
    std::vector<std::string> fields(1);
    bool quoted = false;
    for (const char c : line) {
        if (c == '"')
            quoted = !quoted;
        else if (c == ',' && !quoted)
            fields.emplace_back();
        else if (c != '\r')
            fields.back() += c;
    }
    return fields;
}

Result<std::string> selectedRows(std::string_view table, const std::vector<std::string>& wanted)
{
    std::string out;
    std::vector<std::pair<std::size_t, std::string>> conditions;
    Diagnostics errors;
    for (bool header = true; !table.empty(); header = false) {
        const std::string_view line = nextLine(table);
        const std::vector<std::string> fields = csvFields(line);
        if (header) {
            for (const std::string& w : wanted) {
                const std::size_t equals = std::min(w.find('='), w.size());
                const auto at = std::find(fields.begin(), fields.end(), w.substr(0, equals));
                if (at == fields.end() || equals == w.size())
                    errors.push_back({Severity::error, "line 1", "rows cannot be selected by this", w,
                                      "COLUMN=VALUE with a column of the header", "", ""});
                else
                    conditions.emplace_back(static_cast<std::size_t>(at - fields.begin()), w.substr(equals + 1));
            }
            if (!errors.empty())
                return errors;
        }
        if (header || std::all_of(conditions.begin(), conditions.end(), [&](const auto& c) {
                return c.first < fields.size() && fields[c.first] == c.second;
            }))
            out.append(line).push_back('\n');
    }
    return out;
}

Result<std::string> readTextFile(const std::string& path, std::size_t limitBytes)
{
    const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), gzclose);
    if (!file)
        return Diagnostic{Severity::error, path, "the file cannot be opened", "", "a readable file", "", ""};
    std::string text, part(1 << 16, '\0');
    int got = 0;
    while ((got = gzread(file.get(), part.data(), static_cast<unsigned>(part.size()))) > 0) {
        text.append(part, 0, static_cast<std::size_t>(got));
        if (text.size() > limitBytes)
            return Diagnostic{
                Severity::error, path, "the file is too large", "", "at most " + std::to_string(limitBytes >> 20) + " MiB", "", ""};
    }
    if (got < 0)
        return Diagnostic{Severity::error, path, "the file cannot be decompressed", "", "text or gzip", "", ""};
    return text;
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
        if (r.op < 0 || !positive(f[4], ranks) || !positive(f[5], r.bytes) || !positive(f[7], r.busGbPerS))
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
    const auto json = nlohmann::json::parse(*text, nullptr, false);
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
