// SPDX-License-Identifier: GPL-3.0-or-later
// Alternatives to this program, for comparison: a loop of the standard library, NumPy, Calculon where it is there, and what is known of
// others.
#pragma once

#include "bench/peers/benchrecord.h"

#include <functional>

namespace prism::cli {

/// Measures in sequence. `folder` holds checkouts of other tools: `calculon`, or is one itself. `progress` gets the share done.
/// A tool that is missing, or whose output is not as expected, has an entry without a value and an origin that gives the reason.
[[nodiscard]] std::vector<PeerMetric> peerMetrics(const std::string& folder, const std::function<void(double, const char*)>& progress);

} // namespace prism::cli
