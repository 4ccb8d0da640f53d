// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/measuredlevel.h"

#include "core/scenario/parameters.h"

#include <cmath>
#include <initializer_list>
#include <string_view>

namespace prism {

namespace {

/// "precision=bf16, fusion=auto", by the last words of the paths
std::string valuesText(const Scenario& scenario, std::initializer_list<std::string_view> paths)
{
    std::string out;
    for (const std::string_view path : paths)
        out +=
            (out.empty() ? "" : ", ") + std::string(path.substr(path.rfind('.') + 1)) + '=' + parameterText(*findParameter(path), scenario);
    return out;
}

/// The scenario without what leaves the mean step of one replica as it is, and without what is known about its level.
Scenario jobAlone(Scenario scenario)
{
    const Scenario plain;
    scenario.variability = plain.variability;
    scenario.job = plain.job;
    scenario.cluster.numGpus = plain.cluster.numGpus;
    scenario.training.globalBatchSize = plain.training.globalBatchSize;
    scenario.training.trainTokens = plain.training.trainTokens;
    scenario.measured.calibration.clear();
    scenario.measured.levelJob.clear();
    scenario.measured.levelError = 0;
    return scenario;
}

std::string jobText(const Scenario& scenario)
{
    return levelSettings(scenario) + ", job=" + jobAlone(scenario).hash().text();
}

std::string sizeText(const Scenario& scenario)
{
    return valuesText(scenario, {"cluster.num_gpus", "training.global_batch_size"});
}

} // namespace

std::string levelSettings(const Scenario& scenario)
{
    return valuesText(scenario, {"training.precision", "training.fusion", "training.attention_backend", "cluster.gpu.boost_clock_mhz",
                                 "cluster.gpu.board_power_w"});
}

std::string measuredJob(const Scenario& scenario)
{
    return jobText(scenario) + ", " + sizeText(scenario);
}

MeasuredLevel measuredLevel(const Scenario& scenario)
{
    const std::string& of = scenario.measured.levelJob;
    const double error = scenario.measured.levelError;
    if (of.empty())
        return {error};
    const std::string job = jobText(scenario) + ", ";
    if (of.starts_with(job))
        return {of == job + sizeText(scenario) || error == 0 ? error : std::hypot(error, kScaleError)};
    return {0, !(of + ", ").starts_with(levelSettings(scenario) + ", ")};
}

} // namespace prism
