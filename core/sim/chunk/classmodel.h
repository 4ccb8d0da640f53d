// SPDX-License-Identifier: GPL-3.0-or-later
// A temporal factor, made ready for sums (points of its quantile function) and for draws (a table that fits in registers).
#pragma once

#include "core/base/memo.h"
#include "core/stats/griddist.h"
#include "core/sim/kernel/sweepkernel.h"
#include "core/step/stepgraph.h"

#include <memory>
#include <vector>

namespace prism {

/// One distribution of mean-1 factors. Immutable; any thread.
struct ClassModel {
    QuantilePoints base, all; ///< without and with the rare event
    RegisterTable table;
    bool isRandom = false;             ///< otherwise the table is not used: the factor is 1
    RareEvent rare;                    ///< extra = the multiplier
    double mean = 1.0, variance = 0.0; ///< with rare events
    ContentHash hash;                  ///< of the distribution
    [[nodiscard]] bool varies() const { return isRandom || rare.chance.probability > 0.0; }
};
using ClassModelPtr = std::shared_ptr<const ClassModel>;

[[nodiscard]] ContentHash contentOf(const Distribution& distribution);

/// The model of a distribution; a node ("factor") of the evaluation graph.
[[nodiscard]] ClassModelPtr classModel(const Distribution& distribution, Recall& recall);

/// A row of kLanes draws of the factor, without and with its rare event.
void baseFactorRow(const ClassModel& model, const DrawKey& key, const RoundKeys& keys, std::uint64_t block, float* row);
void factorRow(const ClassModel& model, const DrawKey& key, const RoundKeys& keys, std::uint64_t block, float* row);

} // namespace prism
