// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/domain.h"

#include "core/base/valuetext.h"
#include "core/workload/shape.h"

#include <algorithm>
#include <cctype>

namespace prism {
namespace {

bool covers(const CalibrationDomain& domain, const std::string& what)
{
    return std::binary_search(domain.covered.begin(), domain.covered.end(), what);
}

std::string joined(const std::vector<std::string>& words)
{
    std::string text;
    for (const std::string& w : words)
        text += (text.empty() ? "" : ", ") + w;
    return text;
}

} // namespace

std::string gpuType(const GpuSpec& gpu)
{
    std::string type;
    for (const char c : gpu.preset.empty() ? gpu.name : gpu.preset) {
        if (std::isalnum(static_cast<unsigned char>(c)) == 0)
            break;
        type += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return type;
}

std::string gpuCoverage(const Scenario& scenario)
{
    const std::string& p = scenario.training.precision;
    const char* precision = p == "fp32" ? "32 bit" : p == "nvfp4" ? "fp4" : p == "bf16" || p == "fp16" ? "16 bit" : "fp8";
    return gpuType(scenario.cluster.gpu) + " " + precision;
}

std::string modelCoverage(const Scenario& scenario)
{
    const ModelConfig& model = scenario.model;
    if (!model.operators.empty())
        return "operators";
    const std::vector<LayerKind> kinds = layerKinds(model);
    std::string kind = model.numExperts > 0 ? "moe" : "dense";
    if (std::find(kinds.begin(), kinds.end(), LayerKind::mamba) != kinds.end())
        kind = "state space";
    return kind + (scenario.parallelism.zeroStage == 3 ? " zero 3" : "");
}

std::vector<std::string> bandKinds(const Scenario& scenario)
{
    const std::string gpu = gpuCoverage(scenario), kind = modelCoverage(scenario);
    return {kind + ", " + gpu, kind + ", " + gpu.substr(gpu.find(' ') + 1), kind, ""};
}

Diagnostics outsideOf(const CalibrationDomain& domain, const Scenario& scenario)
{
    Diagnostics warnings;
    const auto warn = [&](const char* path, const std::string& message, std::string found, std::string accepted) {
        warnings.push_back(
            {Severity::warning, path, std::string(kOutsideCalibration) + message, std::move(found), std::move(accepted), "", ""});
    };
    const std::string gpu = gpuCoverage(scenario), kind = modelCoverage(scenario), covered = joined(domain.covered);
    if (!covers(domain, gpu))
        warn("cluster.gpu", "no published step of " + gpu + " was validated", gpu, covered);
    if (!covers(domain, kind))
        warn("model", "no published step of a model of this kind was validated (" + kind + ")", kind, covered);
    const auto count = [](double x) { return countText(static_cast<std::int64_t>(x)); };
    const auto gpus = static_cast<double>(scenario.cluster.numGpus);
    if (gpus > domain.maxGpus)
        warn("cluster.num_gpus", "more GPUs than in any validated row", count(gpus), "at most " + count(domain.maxGpus));
    if (kind == "operators")
        return warnings;
    const auto hidden = static_cast<double>(scenario.model.hiddenSize), sequence = static_cast<double>(scenario.model.seqLength);
    if (hidden < domain.minHiddenSize)
        warn("model.hidden_size", "a smaller model than any validated one; its steps wait for the host", count(hidden),
             "at least " + count(domain.minHiddenSize));
    if (sequence > domain.maxSeqLength)
        warn("model.seq_length", "a longer sequence than in any validated row", count(sequence), "at most " + count(domain.maxSeqLength));
    return warnings;
}

} // namespace prism
