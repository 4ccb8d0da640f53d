// SPDX-License-Identifier: GPL-3.0-or-later
// Tables over a cell's luck: what sampled cells take, ordered by how slow they are, as functions of one normal score.
#pragma once

#include "core/sim/chunk/cellkind.h"

namespace prism {

/// Normal scores of the spatial samples by their key (time of all chunks); those with a rare event above all others.
[[nodiscard]] std::vector<double> sampleScores(const SpatialSamples& spatial, const std::vector<double>& key);

/// Conditional averages of per-sample values at the nodes, by a triangular kernel over the samples' own scores, rescaled so that the
/// means over a normal score are the samples' means: of cells with a rare event and of the others apart.
[[nodiscard]] std::vector<float> scoreTable(const ScoreScale& scale, const SpatialSamples& spatial, const std::vector<double>& score,
                                            const std::vector<double>& value);

} // namespace prism
