// SPDX-License-Identifier: GPL-3.0-or-later
// Slowdown factors of slow spots on the ranks and the links of a cell.
#pragma once

#include "core/step/stepgraph.h"

namespace prism {

/// compute and link factors of slow spots, per cell. A rank's factor is the product over the spots that match it; a cell's link
/// factor is the largest of its ranks'.
[[nodiscard]] double slowComputeFactor(const StepGraph& graph, int replica, int stage, int rank);
[[nodiscard]] double cellLinkFactor(const StepGraph& graph, int replica, int stage);

} // namespace prism
