// SPDX-License-Identifier: GPL-3.0-or-later
// A fleet's cluster with the classes of its jobs sampled.
#pragma once

#include "core/fleet/clusterread.h"
#include "core/insight/insight.h"

namespace prism {

/// readFleetCluster, and for classes that name a scenario the factors of its training time, as guarantee samples them (1,000 steps); each
/// scenario once. Errors: those of the text, unknown scenarios, cancelled.
[[nodiscard]] Result<FleetCluster> fleetCluster(Evaluator& evaluator, std::string_view json, const InsightOptions& options);

} // namespace prism
