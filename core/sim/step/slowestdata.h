// SPDX-License-Identifier: GPL-3.0-or-later
// The data factor that a cell's durations follow where its groups have data factors of their own.
#pragma once

#include "core/sim/chunk/cellmodel.h"

#include <vector>

namespace prism {

/// The factor of the slowest of the groups (dataFactorOf) as durations follow it: a rare event of one group has the value that makes the
/// models' seconds, at their seconds per unit, last as long as they do with it, in the mean over the models.
[[nodiscard]] ClassModelPtr slowestData(const StepGraph& graph, const std::vector<const ChunkModel*>& models, Recall& recall);

} // namespace prism
