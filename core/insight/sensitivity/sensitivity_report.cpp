// SPDX-License-Identifier: GPL-3.0-or-later
// Sensitivity tables and sweeps as JSON and CSV.
#include "core/insight/report.h"
#include "core/insight/sensitivity/sensitivity.h"

#include <nlohmann/json.hpp>
#include <spdlog/fmt/fmt.h>

namespace prism {

namespace {

using Json = nlohmann::ordered_json;

Json rowJson(const SensitivityRow& row)
{
    Json json{{"id", row.id},
              {"label", row.label},
              {"kind", inputKindName(row.kind)},
              {"category", report::categoryName(row.category)},
              {"scope", report::scopeName(row.scope)},
              {"cv", row.cv},
              {"rare_probability", row.rareProbability},
              {"rare_multiplier", row.rareMultiplier},
              {"busy_s", row.busySeconds},
              {"varies", row.varies},
              {"spread_removed_s", report::json(row.spreadRemoved)},
              {"spread_halved_s", report::json(row.spreadHalved)},
              {"spread_doubled_s", report::json(row.spreadDoubled)},
              {"first_order_share", report::json(row.firstOrderShare)},
              {"total_effect_share", report::json(row.totalEffectShare)},
              {"samples", row.samples},
              {"non_monotonic", row.nonMonotonic}};
    if (row.hasMean) {
        json["mean_up_10_percent_s"] = report::json(row.meanUp);
        json["mean_down_10_percent_s"] = report::json(row.meanDown);
        json["elasticity_p50"] = report::json(row.elasticityP50);
        json["elasticity_p95"] = report::json(row.elasticityP95);
    }
    return json;
}

std::string pair(const Estimate& e)
{
    return fmt::format(",{},{}", report::number(e.value), report::number(e.halfWidth));
}

std::string metrics(const MetricChange& c)
{
    return pair(c.p50) + pair(c.p95) + pair(c.p99) + pair(c.std) + pair(c.exceedance);
}

std::string metricHeader(std::string_view prefix)
{
    std::string text;
    for (const char* name : {"p50", "p95", "p99", "std"})
        text += fmt::format(",{0}_d{1}_s,{0}_d{1}_ci95_s", prefix, name);
    return text + fmt::format(",{0}_dexceedance,{0}_dexceedance_ci95", prefix);
}

} // namespace

std::string toJson(const SensitivityTable& table)
{
    Json rows = Json::array();
    for (const SensitivityRow& row : table.rows)
        rows.push_back(rowJson(row));
    return report::dump({{"base_step_time_s", report::json(table.base)},
                         {"noise_free_step_time_s", table.noiseFreeSeconds},
                         {"limit_s", table.limitSeconds},
                         {"exceedance", report::json(table.exceedance)},
                         {"interaction_share", report::json(table.interactionShare)},
                         {"samples", table.samples},
                         {"evaluations", table.evaluations},
                         {"seed", table.seed},
                         {"elapsed_s", table.elapsedSeconds},
                         {"notes", table.notes},
                         {"rows", std::move(rows)}});
}

std::string toCsv(const SensitivityTable& table, TableText texts)
{
    std::string text = "id,kind,category,scope,cv,busy_s" + metricHeader("removed") + metricHeader("halved") + metricHeader("doubled")
                       + metricHeader("mean_up") + metricHeader("mean_down")
                       + ",elasticity_p50,elasticity_p50_ci95,elasticity_p95,elasticity_p95_ci95,first_order_share,first_order_share_ci95,"
                         "total_effect_share,total_effect_share_ci95,samples,non_monotonic\n";
    for (const SensitivityRow& r : table.rows)
        text += report::field(r.id, texts) + "," + std::string(inputKindName(r.kind)) + "," + std::string(report::categoryName(r.category))
                + "," + std::string(report::scopeName(r.scope)) + "," + report::number(r.cv) + "," + report::number(r.busySeconds)
                + metrics(r.spreadRemoved) + metrics(r.spreadHalved) + metrics(r.spreadDoubled) + metrics(r.meanUp) + metrics(r.meanDown)
                + pair(r.elasticityP50) + pair(r.elasticityP95) + pair(r.firstOrderShare) + pair(r.totalEffectShare)
                + fmt::format(",{}", r.samples) + (r.nonMonotonic ? ",1\n" : ",0\n");
    return text;
}

std::string toJson(const ParameterSweep& sweep)
{
    Json points = Json::array();
    for (const SweepPoint& p : sweep.points) {
        Json point{{"value", p.value}, {"text", p.text}, {"valid", p.valid}};
        if (p.valid) {
            point["step_time_s"] = report::json(p.step);
            point["change_s"] = report::json(p.change);
            point["mfu"] = p.mfu;
            point["peak_memory_gib"] = p.peakMemoryGib;
            point["memory_fits"] = p.memoryFits;
        } else {
            point["problem"] = p.problem;
        }
        points.push_back(std::move(point));
    }
    return report::dump({{"parameter", sweep.parameter},
                         {"label", sweep.label},
                         {"unit", sweep.unit},
                         {"base_value", sweep.baseText},
                         {"base_step_time_s", report::json(sweep.base)},
                         {"limit_s", sweep.limitSeconds},
                         {"elasticity_p95", report::json(sweep.elasticityP95)},
                         {"non_monotonic", sweep.nonMonotonic},
                         {"samples", sweep.samples},
                         {"points", std::move(points)}});
}

std::string toCsv(const ParameterSweep& sweep, TableText texts)
{
    std::string text = "value,valid,mean_s,std_s,p5_s,p50_s,p95_s,p99_s,p50_ci95_s,p95_ci95_s,p99_ci95_s,dp95_s,dp95_ci95_s,dexceedance,"
                       "dexceedance_ci95,mfu,peak_memory_gib,memory_fits\n";
    for (const SweepPoint& p : sweep.points) {
        using report::number;
        text += report::row({report::valueField(p.text, texts), p.valid ? "1" : "0", number(p.step.mean), number(p.step.std),
                             number(p.step.p5), number(p.step.p50), number(p.step.p95), number(p.step.p99), number(p.step.ciP50),
                             number(p.step.ciP95), number(p.step.ciP99), number(p.change.p95.value), number(p.change.p95.halfWidth),
                             number(p.change.exceedance.value), number(p.change.exceedance.halfWidth), number(p.mfu),
                             number(p.peakMemoryGib), p.memoryFits ? "1" : "0"});
    }
    return text;
}

} // namespace prism
