// SPDX-License-Identifier: GPL-3.0-or-later
// step-time NAME: the step time of a scenario preset with micro-batches of one sequence, by the library's stable headers.
// Presets are looked for in $PRISM_PRESETS, or in ../share/prism-explorer next to the program.
#include "core/engine/evaluator.h"
#include "core/scenario/parameters.h"
#include "core/scenario/presets.h"

#include <cstdio>

namespace {

void say(const prism::Diagnostics& problems)
{
    for (const prism::Diagnostic& d : problems)
        std::fprintf(stderr, "%s: %s Accepted: %s\n", d.path.c_str(), d.message.c_str(), d.accepted.c_str());
}

} // namespace

int main(int argc, char** argv)
{
    const auto preset = prism::scenarioPreset(argc > 1 ? argv[1] : "sample-baseline");
    if (!preset.ok())
        return say(preset.errors()), 1;
    const auto scenario = prism::setParameter(*preset, "training.micro_batch_size", "1");
    if (!scenario.ok())
        return say(scenario.errors()), 1;
    prism::Evaluator evaluator;
    const prism::SnapshotPtr snapshot = evaluator.evaluate(*scenario, {.numSamples = 2'000});
    if (!snapshot->valid())
        return say(snapshot->diagnostics), 1;
    std::printf("%s: p50 %.4g s, p95 %.4g +- %.1g s, noise-free %.4g s\n", snapshot->scenario.name.c_str(), snapshot->across.p50,
                snapshot->across.p95, snapshot->across.ciP95, snapshot->samples->noiseFreeSeconds);
    return 0;
}
