// SPDX-License-Identifier: GPL-3.0-or-later
#include "bench/constants/gemmtables.h"

#include "core/base/jsontext.h"
#include "core/base/textfile.h"
#include "core/measured/sources.h"
#include "core/measured/tables.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>

namespace prism {

namespace {

bool listed(const std::vector<std::string>& names, const std::string& name)
{
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// The collector whose products of a precision stand for training.
const std::string& collectorOf(const ProductSources& products, MatrixPrecision precision)
{
    return precision == MatrixPrecision::fp8   ? products.collector8
           : precision == MatrixPrecision::fp4 ? products.collector4
                                               : products.collector16;
}

} // namespace

Result<std::vector<GemmRow>> readGemmTable(const std::string& path)
{
    const Result<MeasurementSources>& sources = measurementSources();
    const Result<std::string> text = sources ? readTextFile(path) : Result<std::string>(sources.errors());
    if (!text)
        return text.errors();
    const ProductSources& products = sources->products;
    std::vector<GemmRow> rows;
    const Diagnostics errors = forEachRow(*text, path, 8, [&](const std::vector<std::string>& f) {
        GemmRow r;
        double us = 0;
        r.precision = f[2] == "fp8" ? MatrixPrecision::fp8 : f[2] == "nvfp4" ? MatrixPrecision::fp4 : MatrixPrecision::bits16;
        if (!positive(f[3], r.m) || !positive(f[4], r.n) || !positive(f[5], r.k) || !positive(f[6], us))
            return false;
        r.seconds = us * 1e-6;
        const MeasuredSystem* system = sources->systemOf(f[0]);
        if (system != nullptr && listed(products.systems, system->name) && f[1].starts_with(collectorOf(products, r.precision))) {
            r.family = system->family;
            rows.push_back(r);
        }
        return true;
    });
    if (!errors.empty())
        return errors;
    return rows;
}

Result<std::vector<GemmRow>> readSustainedGemms(const std::string& path)
{
    const Result<MeasurementSources>& sources = measurementSources();
    const Result<std::string> text = sources ? readTextFile(path) : Result<std::string>(sources.errors());
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
    const auto name = json.find("sys_name");
    const std::string type = name != json.end() && name->is_string() ? name->get<std::string>() : std::string();
    std::vector<GemmRow> rows;
    Diagnostics errors;
    const MeasuredSystem* system = sources->systemOf(type);
    if (system == nullptr || !listed(sources->products.sustainedSystems, system->name))
        return rows;
    for (const auto& [shape, efficiency] : json[table].items()) {
        GemmRow r;
        r.family = system->family;
        int batch = 0;
        if (std::sscanf(shape.c_str(), "b=%d, m=%lf, k=%lf, n=%lf", &batch, &r.m, &r.k, &r.n) != 4 || !efficiency.is_number()
            || !(efficiency.get<double>() > 0)) {
            errors.push_back(
                {Severity::error, path, "this shape cannot be read", shape.substr(0, 60), "b=, m=, k=, n= and an efficiency", "", ""});
            continue;
        }
        r.outputBytes = shape.find("accumulate=True") != std::string::npos ? 8 : 2;
        r.seconds = 2 * batch * r.m * r.n * r.k / (efficiency.get<double>() * json[peak].get<double>() * 1e12);
        if (batch == 1)
            rows.push_back(r);
    }
    if (!errors.empty())
        return errors;
    return rows;
}

} // namespace prism
