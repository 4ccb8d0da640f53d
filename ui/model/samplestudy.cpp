// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/model/samplestudy.h"

#include "core/scenario/presets.h"

#include <QObject>

namespace prism::ui {

namespace {

constexpr const char* kNoLibrary = "No preset library";

std::string layoutName(const Scenario& s)
{
    const ParallelismConfig& p = s.parallelism;
    if (s.name == kNoLibrary)
        return s.name;
    std::string name = "TP" + std::to_string(p.tensorModelParallelSize) + " PP" + std::to_string(p.pipelineModelParallelSize);
    return name + " DP" + std::to_string(s.dataParallelSize());
}

/// A preset of the sample study; the default scenario where there is no preset library, as its name then states.
Scenario samplePreset(std::string_view name)
{
    Result<Scenario> preset = scenarioPreset(name);
    if (preset)
        return std::move(preset).value();
    Scenario scenario;
    scenario.name = kNoLibrary;
    return scenario;
}

} // namespace

QString missingLibrary()
{
    const Result<Scenario> preset = scenarioPreset("sample-baseline");
    if (preset)
        return {};
    const Diagnostic reason = preset.errors().front();
    return QObject::tr("%1 Needed: %2.").arg(QString::fromStdString(reason.message), QString::fromStdString(reason.accepted));
}

StudyState sampleStudy()
{
    // The same presets that packaging/run.sh predicts without a display.
    Scenario base = samplePreset("sample-baseline"), other = samplePreset("sample-vpp4"), slow = samplePreset("sample-slow-node");
    base.name = layoutName(base);
    base.note = "As run";
    other.name = layoutName(other) + " VPP" + std::to_string(other.parallelism.virtualPipelineModelParallelSize);
    other.note = "VPP " + std::to_string(other.parallelism.virtualPipelineModelParallelSize);
    slow.name = "Baseline + slow node";
    slow.note = "1 node";

    StudyState state;
    int id = 0;
    for (Scenario* scenario : {&base, &other, &slow}) {
        ++id;
        state.entries.push_back({id, std::make_shared<const Scenario>(std::move(*scenario)), id - 1, true, false});
    }
    state.baselineId = 1;
    return state;
}

} // namespace prism::ui
