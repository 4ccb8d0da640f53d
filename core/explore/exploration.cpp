// SPDX-License-Identifier: GPL-3.0-or-later

#include "core/explore/exploration.h"

#include "core/insight/report.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>

namespace prism {
namespace {

using Json = nlohmann::ordered_json;

Json parametersJson(const std::vector<std::pair<std::string, std::string>>& values)
{
    Json parameters = Json::object();
    for (const auto& [id, value] : values)
        parameters[id] = value;
    return parameters;
}

Json excludedJson(const std::vector<ExcludedLayout>& excluded)
{
    Json list = Json::array();
    for (const ExcludedLayout& l : excluded)
        list.push_back({{"parameters", parametersJson(l.values)}, {"reasons", l.reasons}});
    return list;
}

Json candidateJson(const ExploreCandidate& c)
{
    Json equals = Json::array();
    for (const ExploreCandidate::Values& values : c.equals)
        equals.push_back(parametersJson(values));
    return {{"rank", c.rank},
            {"parameters", parametersJson(c.values)},
            {"equals", std::move(equals)},
            {"noise_free_s", c.noiseFreeSeconds},
            {"mean", report::json(c.mean)},
            {"p50", report::json(c.p50)},
            {"p95", report::json(c.p95)},
            {"p99", report::json(c.p99)},
            {"score", report::json(c.score)},
            {"memory_gib", c.peakMemoryGib},
            {"capacity_gib", c.capacityGib},
            {"fits", true},
            {"gpus", c.gpus},
            {"tokens_per_step", c.tokensPerStep},
            {"usd_per_billion_tokens", c.usdPerBillionTokens},
            {"kwh_per_billion_tokens", c.kwhPerBillionTokens},
            {"chance_best", c.probabilityBest},
            {"pareto", c.pareto},
            {"samples", c.samples}};
}

} // namespace

std::string toJson(const Exploration& e)
{
    Json candidates = Json::array(), pareto = Json::array(), rejected = Json::array();
    for (std::size_t i = 0; i < e.candidates.size(); ++i) {
        candidates.push_back(candidateJson(e.candidates[i]));
        if (e.candidates[i].pareto)
            pareto.push_back(i);
    }
    for (const ExploreRejection& r : e.rejected)
        rejected.push_back({{"reason", r.reason}, {"count", r.count}, {"alone", r.alone}, {"example", r.example}});
    Json result{{"points", e.points},
                {"valid", e.valid},
                {"fitting", e.fitting},
                {"sampled", e.candidates.size()},
                {"objective", objectiveText(e.query.objective)},
                {"objective_unit", objectiveUnit(e.query.objective)},
                {"candidates", std::move(candidates)},
                {"pareto_axes", paretoText(e.query.pareto)},
                {"pareto", std::move(pareto)},
                {"best_by_objective", 0},
                {"best_by_mean", e.bestByMean},
                {"best_by_p95", e.bestByP95},
                {"price_of_mean", report::json(e.priceOfMean)},
                {"p95_of_best_by_mean_over_best_by_p95_s", report::json(e.p95OfMean)},
                {"rejected", std::move(rejected)},
                {"cut", e.cut},
                {"confidence", e.query.confidence},
                {"seed", e.seed},
                {"deterministic_s", e.deterministicSeconds},
                {"elapsed_s", e.elapsedSeconds},
                {"notes", e.notes}};
    if (e.query.listRejected)
        result["left_out"] = excludedJson(e.excluded);
    return report::dump(result);
}

std::string toCsv(const Exploration& e, TableText texts)
{
    using report::number;
    std::string text = "rank,configuration,noise_free_s,p50_s,p50_ci95_s,p95_s,p95_ci95_s,p99_s,p99_ci95_s,memory_gib,usd_per_billion_"
                       "tokens,chance_best,pareto,equals\n";
    for (const ExploreCandidate& c : e.candidates) {
        std::string values;
        for (const auto& [id, value] : c.values)
            values += (values.empty() ? "" : " ") + id + "=" + value;
        text += report::row({std::to_string(c.rank), report::field(values, texts), number(c.noiseFreeSeconds), number(c.p50.value),
                             number(c.p50.halfWidth), number(c.p95.value), number(c.p95.halfWidth), number(c.p99.value),
                             number(c.p99.halfWidth), number(c.peakMemoryGib), number(c.usdPerBillionTokens), number(c.probabilityBest),
                             c.pareto ? "1" : "0", report::field(equalsText(c), texts)});
    }
    return text;
}

std::string equalsText(const ExploreCandidate& c)
{
    std::string text;
    for (const ExploreCandidate::Values& values : c.equals) {
        ExploreCandidate::Values differs;
        std::copy_if(values.begin(), values.end(), std::back_inserter(differs),
                     [&](const auto& v) { return std::find(c.values.begin(), c.values.end(), v) == c.values.end(); });
        text += (text.empty() ? "" : "; ") + shortText(differs);
    }
    return text;
}

std::string shortText(const std::vector<std::pair<std::string, std::string>>& values)
{
    std::string text;
    for (const auto& [id, value] : values) {
        const Parameter* p = findParameter(id);
        const std::string name = p != nullptr && !p->shortName.empty() ? p->shortName : id.substr(id.rfind('.') + 1);
        text += (text.empty() ? "" : ", ") + name + " " + value;
    }
    return text;
}

} // namespace prism
