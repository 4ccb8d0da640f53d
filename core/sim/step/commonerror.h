// SPDX-License-Identifier: GPL-3.0-or-later
// What the finite common sample of replicas leaves uncertain in the steps that take their slowest replica from it.
#pragma once

#include "core/sim/step/sampled.h"
#include "core/sim/step/tail.h"
#include "core/stats/sharederror.h"

namespace prism {

/// Standard errors that the common sample adds to those of independent steps, over other samples of the same size. To first order in the
/// sample's tail function G: P(step <= s) is the mean over the steps' locations L of (1 - G(s - L))^n, so each sampled replica moves it by
/// its weight times n (1 - G)^(n - 1) where it lies beyond s - L (the delta method; van der Vaart 1998, ch. 20). The replicas of one step
/// are one cluster (Liang and Zeger 1986), and their covariance with the step's own error counts. Where a figure lies beyond the sampled
/// replicas, they move the fitted tail. Seconds: how far the figure lies from those with the tail function larger and smaller by so many
/// errors, the least half-width that holds 95 %, over the reach of a 95 % interval. `seconds`: the steps in draw order.
[[nodiscard]] SharedError commonError(const Sampled& sampled, const TailSample& pool, int pooled, const std::vector<double>& seconds);

} // namespace prism
