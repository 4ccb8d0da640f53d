// SPDX-License-Identifier: GPL-3.0-or-later
// Schedules made by name for given sizes, and schedules given as lists.
#pragma once

#include "core/schedule/schedule.h"

#include <string>
#include <string_view>
#include <vector>

namespace prism {

/// A schedule by name for P stages, V chunks per stage and M micro-batches:
/// - gpipe: all forwards, then all backwards (Huang et al., arXiv 1811.06965). V = 1.
/// - 1f1b: stage s runs min(P - 1 - s, M) forwards, then one forward, one backward (PipeDream-flush, arXiv 2006.09503). V = 1.
/// - interleaved: Megatron-LM's interleaved 1F1B (arXiv 2104.04473): V >= 1, M a multiple of P; stage s warms up with
///   2 (P - 1 - s) + (V - 1) P chunk forwards, micro-batches in groups of P per chunk.
/// - zb-h1, zb-h2: the handcrafted schedules of Zero Bubble Pipeline Parallelism (arXiv 2401.10241, section 2). V = 1. Stage s
///   runs w forwards, then repeats (backward i, weight i - d, forward): zb-h1 has w = P - s, d = s, zb-h2 has
///   w = 2 (P - s) - 1, d = 2 s. In flight: P and 2P - 1 micro-batches on every stage.
/// - zb-1p, zb-2p: planned greedily for `times` with at most P and 2P micro-batches in flight (section 3). V = 1.
/// - zb-v: V = 2 chunks per stage on a V-shaped path (section 6), planned greedily for `times`, at most 2P chunk activations in flight.
/// - dualpipev: V = 2 chunks on the same path, forwards of one next to backwards of the other (dualpipe.h), M >= 2P, 2P + 1 in flight.
/// Pure; any thread. Errors: unknown name (with the known ones), sizes that do not fit the schedule.
[[nodiscard]] Result<Schedule> makeSchedule(std::string_view name, int numStages, int numChunks, int numMicrobatches,
                                            const PassTimes& times = {});

/// Names that makeSchedule knows, in the order of its documentation.
[[nodiscard]] const std::vector<std::string>& scheduleNames();
/// Whether a schedule of this name runs weight gradients as separate items.
[[nodiscard]] bool schedulesWeight(std::string_view name);

/// Takes lists from outside: names the schedule "custom", gives an empty path the round of the interleaved schedule, sets
/// splitsWeight when an item of phase weight occurs, and checks everything.
[[nodiscard]] Result<Schedule> customSchedule(Schedule lists);

} // namespace prism
