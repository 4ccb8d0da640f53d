// SPDX-License-Identifier: GPL-3.0-or-later
// What a user would otherwise pick, next to us: a loop of the standard library, NumPy, Calculon where it is there, and what is known of
// others.
#pragma once

#include "bench/peers/benchrecord.h"

#include <functional>

namespace prism::cli {

/// Measures in sequence. `folder` holds checkouts of other tools: `calculon`, or is one itself. `progress` hears the share done.
/// A tool that is not there, or that says something else than expected, has a figure without a value and an origin that says so.
[[nodiscard]] std::vector<PeerMetric> peerMetrics(const std::string& folder, const std::function<void(double, const char*)>& progress);

} // namespace prism::cli
