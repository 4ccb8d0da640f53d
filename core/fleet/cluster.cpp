// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/fleet/cluster.h"

#include "core/cost/predictor.h"
#include "core/insight/guarantee/guarantee.h"
#include "core/scenario/presets.h"

#include <map>

namespace prism {
namespace {

constexpr double kStepsOfAJob = 1'000;

/// How the time to train of a scenario varies from job to job, mean 1.
Result<Distribution> trainingFactor(Evaluator& evaluator, const std::string& preset, const InsightOptions& options)
{
    const Result<Scenario> scenario = scenarioPreset(preset);
    if (!scenario.ok())
        return scenario.errors();
    const Result<CostedStep> costed = costStep(*scenario);
    if (!costed.ok())
        return costed.errors();
    GuaranteeQuery query;
    query.trainTokens = kStepsOfAJob * costed->tokensPerStep;
    const Result<Guarantee> promised = guarantee(evaluator, *scenario, query, options);
    if (!promised.ok())
        return promised.errors();
    return empiricalDistribution(promised->training.sortedDays);
}

} // namespace

Result<FleetCluster> fleetCluster(Evaluator& evaluator, std::string_view json, const InsightOptions& options)
{
    Result<FleetCluster> cluster = readFleetCluster(json);
    if (!cluster.ok())
        return cluster;
    std::map<std::string, Distribution> factors; // each scenario is sampled once
    for (auto& [name, klass] : cluster->classes) {
        if (klass.scenario.empty())
            continue;
        auto known = factors.find(klass.scenario);
        if (known == factors.end()) {
            Result<Distribution> factor = trainingFactor(evaluator, klass.scenario, options);
            if (!factor.ok())
                return factor.errors();
            known = factors.emplace(klass.scenario, std::move(factor).value()).first;
        }
        klass.factor = known->second;
    }
    return cluster;
}

} // namespace prism
