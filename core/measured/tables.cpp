// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measured/tables.h"

#include "core/base/table.h"
#include "core/measured/measuredlimits.h"
#include "core/measured/sources.h"
#include "core/scenario/presets.h"

#include <cstdlib>
#include <map>

namespace prism {
namespace {

constexpr double kMaxRanks = 1 << 20;

/// GB/s of a GPU's links inside a node of the machine that a system stands for; 0 where it stands for none.
double linkOf(const MeasuredSystem* system)
{
    if (system == nullptr)
        return 0;
    const ClusterConfig none;
    const Result<ClusterConfig> cluster = fabricPreset(system->fabric, none);
    return cluster ? cluster->intraNodeGbPerS : 0.0;
}

} // namespace

Diagnostics forEachRow(const std::string& text, const std::string& path, std::size_t columns, const EachRow& use)
{
    Diagnostics errors;
    TableRows rows(text);
    for (bool header = true; rows.next() && errors.size() < kMaxTableErrors; header = false) {
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

bool positive(const std::string& text, double& value)
{
    char* end = nullptr;
    value = std::strtod(text.c_str(), &end);
    return end != text.c_str() && value > 0 && value < 1e18;
}

Result<std::vector<BusRow>> readBusTable(const std::string& path)
{
    const Result<MeasurementSources>& sources = measurementSources();
    const Result<std::string> text = sources ? readTextFile(path) : Result<std::string>(sources.errors());
    if (!text)
        return text.errors();
    std::map<std::string, double> links;
    std::vector<BusRow> rows;
    const Diagnostics errors = forEachRow(*text, path, 8, [&](const std::vector<std::string>& f) {
        BusRow r;
        const auto [link, added] = links.try_emplace(f[0], 0.0);
        if (added)
            link->second = linkOf(sources->systemOf(f[0]));
        r.linkGbPerS = link->second;
        r.type = systemType(f[0]);
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

} // namespace prism
