// SPDX-License-Identifier: GPL-3.0-or-later
// Predicts measured zero-bubble rows from profiled pass times: the schedule model alone, without any kernel model.
#pragma once

#include "core/schedule/schedule.h"

namespace prism {

/// Profiled times of one micro-batch on one whole stage, in seconds, as arXiv 2401.10241 lists them.
struct PassProfile {
    double forwardSeconds = 0.0, backwardSeconds = 0.0, weightSeconds = 0.0, transferSeconds = 0.0;
    double weightShare = 1.0; ///< see PassTimes; zeroBubbleWeightShare gives it for a model
};

/// 32 s b h of (34 s b h + 5 a s^2 b) activation bytes per layer remain until the weight pass (arXiv 2401.10241, table 1).
[[nodiscard]] double zeroBubbleWeightShare(double hiddenSize, double numHeads, double seqLength);

struct RowPrediction {
    double scheduleSeconds = 0.0;  ///< longest stage, from its first start to its last end: the paper's cost
    double bubbleRate = 0.0;       ///< (cost - M (TF + TB + TW)) / cost
    double iterationSeconds = 0.0; ///< what a run is expected to take
    double samplesPerSecond = 0.0; ///< of the whole pipeline
    double runOverProfile = 1.0;   ///< iterationSeconds / scheduleSeconds
};

/// A row of the paper: name as it writes it (1F1B, 1F1B-I, ZB-H1, ZB-H2, ZB-1p, ZB-2p, ZB-V) or as makeSchedule does.
///
/// scheduleSeconds and bubbleRate follow from the profile alone. A run takes longer than passes profiled in isolation say: every pass
/// is launched, sends and waits for its messages, and the device is slower under lasting load. iterationSeconds runs the same order with
/// passes of 1.03 t + 0.70 ms for all schedules: least squares over the logarithms of the 24 measured rows (1.5B on 8, 14.6B on 16
/// A100), rms error 0.9 %, worst 2.1 %. Fitted on either model alone (1.030, 0.70 ms and 1.035, 0.70 ms) it predicts the other one
/// within 1.9 %; a factor per schedule does so within 5.3 % only, because the cost of a pass counts more where passes are short and
/// many. Errors: those of makeSchedule, times not > 0.
[[nodiscard]] Result<RowPrediction> predictZeroBubbleRow(std::string_view schedule, int numStages, int numChunks, int numMicrobatches,
                                                         const PassProfile& profile, double samplesPerMicrobatch);

} // namespace prism
