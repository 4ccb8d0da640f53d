// SPDX-License-Identifier: GPL-3.0-or-later
// DualPipeV and DualPipe: two chunks per stage on a V-shaped path, forwards of one overlapped with backwards of the other.
#pragma once

#include "core/schedule/schedule.h"

#include <string_view>

namespace prism {

/// Whether makeSchedule makes one of the two of this name.
[[nodiscard]] bool isDualPipe(std::string_view name);

/// The order of one stage of DualPipeV (DeepSeek-AI, DualPipe, github.com/deepseek-ai/DualPipe, dualpipev.py; the DualPipe of the
/// DeepSeek-V3 report, arXiv 2412.19437, section 3.2.1, cut in half: DualPipe on 2P devices does on both halves what this does on P, with
/// every chunk of the model on two devices: device s takes the micro-batches of one end as chunk 0 of stage s, and those of the other end
/// as chunk 1; its mirror 2P - 1 - s does the same at the same time with the ends exchanged, so that each is a stage of this order for half
/// of the micro-batches). Eight steps: forwards of chunk 0; forwards of both; backward, weight and forward of chunk 1; the main step of
/// forward and backward pairs of both chunks; backwards with the last forwards; backwards; weights next to backwards; weights. 2P + 1 chunk
/// activations in flight. Needs numMicrobatches >= 2 numStages. Pure.
[[nodiscard]] std::vector<ScheduleItem> dualPipeVOrder(int stage, int numStages, int numMicrobatches);

/// The same order with its pieces joined (pieces.h), for stages that run a forward and a backward together: every pair of the main step
/// and of the fifth is F&B, and a whole backward sends its gradients only when its weights are done too. The last stage's first pair
/// stays separate, as there. Pure.
[[nodiscard]] std::vector<ScheduleItem> joinedDualPipeVOrder(int stage, int numStages, int numMicrobatches);

/// Gives a schedule of makeSchedule's dualpipe or dualpipev its pieces; others stay as they are.
[[nodiscard]] Schedule withPieces(Schedule schedule);

} // namespace prism
