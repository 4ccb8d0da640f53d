// SPDX-License-Identifier: GPL-3.0-or-later
// The shared error of all steps due to the sampled tables of passes.
#pragma once

#include "core/sim/sweep/sweepmodel.h"

#include <stop_token>

namespace prism {

/// Standard error of the step, in seconds: the error of each pass table times the derivative of the noise-free step by that pass.
[[nodiscard]] double tableError(const SweepModel& model, std::uint64_t seed, std::stop_token stop);

} // namespace prism
