// SPDX-License-Identifier: GPL-3.0-or-later
// The whole job as JSON, CSV and dates.
#include "core/insight/report.h"
#include "core/job/jobtimes.h"
#include "core/job/trainingrun.h"

#include <nlohmann/json.hpp>
#include <spdlog/fmt/fmt.h>

#include <cmath>

namespace prism {
namespace {

using Json = nlohmann::ordered_json;

/// JSON has no infinity: what never happens is null.
Json orNull(double value)
{
    return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json assumptions(const JobConfig& c)
{
    Json failures = Json::array();
    for (const FailureCause& f : c.failures)
        failures.push_back(
            {{"name", f.name}, {"per_1000_node_days", f.per1000NodeDays * c.failureScale}, {"replaces_node", f.replacesNode}});
    return {{"failures", std::move(failures)},
            {"detection_s", c.detectionS},
            {"restart_s", c.restartS},
            {"repair_hours", c.repairHours},
            {"spare_nodes", c.spareNodes},
            {"without_spare", c.withoutSpare},
            {"checkpoint_block_s", c.checkpointBlockS},
            {"checkpoint_persist_s", c.checkpointPersistS}};
}

Json checkpointsJson(const CheckpointAdvice& a)
{
    Json curve = Json::array();
    for (const IntervalPoint& p : a.curve)
        curve.push_back({{"interval_s", p.intervalSeconds}, {"effective_ratio", p.effectiveRatio}});
    return {{"interval_s", orNull(a.usedSeconds)},
            {"best_s", orNull(a.bestSeconds)},
            {"young_s", orNull(a.youngSeconds)},
            {"daly_s", orNull(a.dalySeconds)},
            {"ratio", a.usedRatio},
            {"best_ratio", a.bestRatio},
            {"asynchronous", a.asynchronous},
            {"curve", std::move(curve)}};
}

Json sparesJson(const JobReport& r)
{
    Json rows = Json::array();
    for (const SparePoint& p : r.spares)
        rows.push_back({{"spares", p.spares},
                        {"probability_none", p.probabilityNone},
                        {"mean_days", report::json(p.meanDays)},
                        {"cost_usd", report::json(p.costUsd)}});
    return {{"for_99_percent", r.sparesFor99}, {"rows", std::move(rows)}};
}

Json daysJson(const JobReport& r)
{
    Json days = {
        {"mean", r.meanDays}, {"p5", r.p5Days}, {"p50", report::json(r.p50Days)}, {"p95", report::json(r.p95Days)}, {"p99", r.p99Days}};
    if (!r.config.startDate.empty())
        days["dates"] = {{"start", r.config.startDate},
                         {"p5", dateAfter(r.config.startDate, r.p5Days)},
                         {"p50", dateAfter(r.config.startDate, r.p50Days.value)},
                         {"p95", dateAfter(r.config.startDate, r.p95Days.value)}};
    return days;
}

} // namespace

std::string toJson(const JobReport& r)
{
    Json shares = Json::array();
    for (const TimeShare& s : r.shares)
        shares.push_back({{"cause", s.cause}, {"share", report::json(s.share)}, {"days", s.days}});
    Json object{{"preset", r.preset},
                {"preset_assumed", r.presetAssumed},
                {"tokens", r.plan.tokens},
                {"steps", r.plan.steps},
                {"nodes", r.plan.nodes},
                {"undisturbed_days", r.plan.undisturbedDays},
                {"step_over_predicted", {{"p5", r.plan.levelLow}, {"p95", r.plan.levelHigh}}},
                {"mtbf_hours", orNull(r.plan.mtbfHours)},
                {"days", daysJson(r)},
                {"effective_ratio", {{"mean", report::json(r.effectiveRatio)}, {"p5", r.ratioP5}, {"p95", r.ratioP95}}},
                {"shares", std::move(shares)},
                {"failures", {{"p5", r.failuresP5}, {"p50", r.failuresP50}, {"p95", r.failuresP95}}},
                {"interruptions_mean", r.interruptionsMean},
                {"checkpoints", checkpointsJson(r.checkpoints)},
                {"closed_form",
                 {{"applies", r.closedForm.applies},
                  {"why_not", r.closedForm.whyNot},
                  {"mean_days", r.closedForm.days.mean},
                  {"std_days", r.closedForm.days.std}}},
                {"spares", sparesJson(r)},
                {"cost_usd", {{"mean", r.costUsdMean}, {"p95", r.costUsdP95}}}};
    if (r.energyMwhMean > 0)
        object["energy_mwh"] = r.energyMwhMean;
    if (r.co2TonnesMean > 0)
        object["co2_tonnes"] = r.co2TonnesMean;
    if (r.deadlineDays > 0)
        object["deadline"] = {{"days", r.deadlineDays}, {"probability", report::json(r.deadlineProbability)}};
    object["assumptions"] = assumptions(r.config);
    object["runs"] = r.runs;
    object["seed"] = r.seed;
    object["elapsed_s"] = r.elapsedSeconds;
    object["notes"] = r.notes;
    return report::dump(object);
}

std::string toCsv(const JobReport& r, TableText /*texts*/)
{
    using report::number;
    std::string text = "figure,value,ci95,unit\n";
    text += report::row({"p5", number(r.p5Days), "", "days"});
    text += report::row({"p50", number(r.p50Days.value), number(r.p50Days.halfWidth), "days"});
    text += report::row({"p95", number(r.p95Days.value), number(r.p95Days.halfWidth), "days"});
    for (const TimeShare& s : r.shares)
        text += report::row({"share_" + s.cause, number(s.share.value), number(s.share.halfWidth), "1"});
    if (r.deadlineDays > 0)
        text += report::row({"deadline_probability", number(r.deadlineProbability.value), number(r.deadlineProbability.halfWidth), "1"});
    text += report::row({"cost", number(r.costUsdMean), "", "USD"});
    return text;
}

} // namespace prism
