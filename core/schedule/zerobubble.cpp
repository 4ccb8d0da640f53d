#include "core/schedule/zerobubble.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace prism {

namespace {

struct PublishedName {
    std::string_view published, name;
    double runOverProfile; ///< see the header
};

constexpr std::array<PublishedName, 7> kNames = {{{"1F1B", "1f1b", 1.066},
                                                  {"1F1B-I", "interleaved", 1.141},
                                                  {"ZB-H1", "zb-h1", 1.077}, // not measured: as ZB-1p, which has the same order
                                                  {"ZB-H2", "zb-h2", 1.097}, // not measured: as ZB-2p
                                                  {"ZB-1p", "zb-1p", 1.077},
                                                  {"ZB-2p", "zb-2p", 1.097},
                                                  {"ZB-V", "zb-v", 1.077}}}; // not measured: as ZB-1p, which has its memory

} // namespace

double zeroBubbleWeightShare(double hiddenSize, double numHeads, double seqLength)
{
    return 32.0 * hiddenSize / (34.0 * hiddenSize + 5.0 * numHeads * seqLength);
}

Result<RowPrediction> predictZeroBubbleRow(std::string_view schedule, int numStages, int numChunks, int numMicrobatches,
                                           const PassProfile& profile, double samplesPerMicrobatch)
{
    const auto known = std::find_if(kNames.begin(), kNames.end(), [schedule](const PublishedName& n) {
        return n.published == schedule || n.name == schedule;
    });
    if (known == kNames.end())
        return Diagnostic{Severity::error, "schedule", "There is no published schedule of this name.", std::string(schedule),
                          "1F1B, 1F1B-I, ZB-H1, ZB-H2, ZB-1p, ZB-2p, ZB-V", "", ""};
    for (const double seconds : {profile.forwardSeconds, profile.backwardSeconds, profile.weightSeconds})
        if (!(seconds > 0.0 && std::isfinite(seconds)))
            return Diagnostic{Severity::error, "profile", "A profiled pass must take a positive time.", std::to_string(seconds), "> 0", "", ""};
    const int chunks = known->name == "zb-v" ? 2 : (known->name == "interleaved" ? numChunks : 1);
    const PassTimes times{profile.forwardSeconds / chunks, profile.backwardSeconds / chunks, profile.weightSeconds / chunks,
                          profile.transferSeconds, profile.weightShare};
    const auto made = makeSchedule(known->name, numStages, chunks, numMicrobatches, times);
    if (!made.ok())
        return made.errors();
    RowPrediction row;
    const double work = numMicrobatches * (profile.forwardSeconds + profile.backwardSeconds + profile.weightSeconds);
    row.scheduleSeconds = scheduleTiming(*made, times).longestStageSeconds;
    row.bubbleRate = (row.scheduleSeconds - work) / row.scheduleSeconds;
    row.runOverProfile = known->runOverProfile;
    row.iterationSeconds = row.scheduleSeconds * row.runOverProfile;
    row.samplesPerSecond = samplesPerMicrobatch * numMicrobatches / row.iterationSeconds;
    return row;
}

} // namespace prism
