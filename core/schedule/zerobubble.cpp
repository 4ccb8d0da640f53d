// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/schedule/zerobubble.h"
#include "core/schedule/generators.h"

#include "core/base/diagnostictext.h"
#include <algorithm>
#include <array>
#include <cmath>

namespace prism {

namespace {

constexpr std::array<std::array<std::string_view, 2>, 7> kNames = {{{"1F1B", "1f1b"},
                                                                    {"1F1B-I", "interleaved"},
                                                                    {"ZB-H1", "zb-h1"},
                                                                    {"ZB-H2", "zb-h2"},
                                                                    {"ZB-1p", "zb-1p"},
                                                                    {"ZB-2p", "zb-2p"},
                                                                    {"ZB-V", "zb-v"}}};

// What a run takes beyond its profile: see the header.
constexpr double kRunOverProfile = 1.03, kSecondsPerPass = 0.70e-3;

/// Passes as they take in a run. Backward and weight are one pass where the schedule does not split them.
PassTimes runTimes(const PassTimes& profiled, bool splitsWeight)
{
    PassTimes run = profiled;
    run.forward = kRunOverProfile * profiled.forward + kSecondsPerPass;
    run.backward = kRunOverProfile * profiled.backward + kSecondsPerPass;
    run.weight = kRunOverProfile * profiled.weight + (splitsWeight ? kSecondsPerPass : 0.0);
    return run;
}

} // namespace

double zeroBubbleWeightShare(double hiddenSize, double numHeads, double seqLength)
{
    return 32.0 * hiddenSize / (34.0 * hiddenSize + 5.0 * numHeads * seqLength);
}

Result<RowPrediction> predictZeroBubbleRow(std::string_view schedule, int numStages, int numChunks, int numMicrobatches,
                                           const PassProfile& profile, double samplesPerMicrobatch)
{
    const auto known =
        std::find_if(kNames.begin(), kNames.end(), [schedule](const auto& n) { return n[0] == schedule || n[1] == schedule; });
    if (known == kNames.end())
        return errorAt("schedule", "There is no published schedule of this name.", std::string(schedule),
                       "1F1B, 1F1B-I, ZB-H1, ZB-H2, ZB-1p, ZB-2p, ZB-V");
    for (const double seconds : {profile.forwardSeconds, profile.backwardSeconds, profile.weightSeconds})
        if (!(seconds > 0.0 && std::isfinite(seconds)))
            return errorAt("profile", "A profiled pass must take a positive time.", std::to_string(seconds), "> 0");
    const std::string_view name = (*known)[1];
    const int chunks = name == "zb-v" ? 2 : (name == "interleaved" ? numChunks : 1);
    const PassTimes times{profile.forwardSeconds / chunks, profile.backwardSeconds / chunks, profile.weightSeconds / chunks,
                          profile.transferSeconds, profile.weightShare};
    const auto made = makeSchedule(name, numStages, chunks, numMicrobatches, times);
    if (!made.ok())
        return made.errors();
    RowPrediction row;
    const double work = numMicrobatches * (profile.forwardSeconds + profile.backwardSeconds + profile.weightSeconds);
    row.scheduleSeconds = scheduleTiming(*made, times).longestStageSeconds;
    row.bubbleRate = (row.scheduleSeconds - work) / row.scheduleSeconds;
    row.iterationSeconds = scheduleTiming(*made, runTimes(times, made->splitsWeight)).longestStageSeconds;
    row.runOverProfile = row.iterationSeconds / row.scheduleSeconds;
    row.samplesPerSecond = samplesPerMicrobatch * numMicrobatches / row.iterationSeconds;
    return row;
}

} // namespace prism
