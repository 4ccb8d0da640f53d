// SPDX-License-Identifier: GPL-3.0-or-later
// The program of an item of the schedule: alone, or in one piece with a pass of the other direction.
#pragma once

#include "core/step/stepgraph.h"

#include <vector>

namespace prism {

/// Rows of programOf: one for each chunk, and as many again where passes in pieces have separate programs.
[[nodiscard]] int programRows(const StepGraph& graph);

/// Row of programOf[stage] with the programs of an item; `paired`: it runs in one piece with a pass of the other direction.
[[nodiscard]] int programRow(const StepGraph& graph, const ScheduleItem& item, bool paired);

/// Program in a slot of programOf, (stage * rows + row) * kPhases + phase; -1 = none.
[[nodiscard]] int programInSlot(const StepGraph& graph, int slot);

/// By row * kPhases + phase: the share of the micro-batches that run the row's program on a stage. 1 for all where there is one row a
/// chunk; else the two rows of a chunk have 1 together.
[[nodiscard]] std::vector<double> passShares(const StepGraph& graph, int stage);

} // namespace prism
