// SPDX-License-Identifier: GPL-3.0-or-later
// How wrong may all steps be together, because their passes come from tables that were sampled themselves?
#pragma once

#include "core/sim/sweep/sweepmodel.h"

#include <stop_token>

namespace prism {

/// Standard error of the step, in seconds: each pass table's own error times how much the step without noise grows with that pass.
[[nodiscard]] double tableError(const SweepModel& model, std::uint64_t seed, std::stop_token stop);

} // namespace prism
