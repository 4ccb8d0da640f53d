// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/startup.h"

#include "core/stats/moments.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace prism {

namespace {

constexpr std::size_t kMinSteps = 6;
constexpr double kDeviations = 4, kMinShare = 0.01;

} // namespace

std::size_t startupSteps(std::span<const double> seconds)
{
    const std::size_t n = seconds.size();
    if (n < kMinSteps)
        return 0;
    std::vector<double> later(seconds.begin() + static_cast<std::ptrdiff_t>(n / 2), seconds.end());
    const double middle = medianOf(later);
    for (double& x : later)
        x = std::abs(x - middle);
    const double limit = std::max(kDeviations * kNormalOverMad * medianOf(later), kMinShare * middle);
    std::size_t startup = 0, outliers = 0;
    for (std::size_t k = 0; k < n / 3; ++k) {
        if (!(std::abs(seconds[k] - middle) > limit))
            continue;
        ++outliers;
        if (3 * outliers >= 2 * (k + 1))
            startup = k + 1;
    }
    return startup;
}

} // namespace prism
