// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/calibrate/stallsteps.h"

#include "core/stats/moments.h"

#include <algorithm>
#include <cmath>

namespace prism {

namespace {

constexpr int kHalfWindow = 4;

double medianAround(const std::vector<double>& run, std::size_t i)
{
    const auto first = static_cast<std::ptrdiff_t>(i >= kHalfWindow ? i - kHalfWindow : 0);
    const auto last = static_cast<std::ptrdiff_t>(std::min(run.size(), i + kHalfWindow + 1));
    return medianOf({run.begin() + first, run.begin() + last});
}

/// Seconds of a step over the local median where it is one of a stall; else 0.
double stallExcess(const CleanRun& run, std::size_t i, double noise)
{
    const double excess = run.seconds[i] - medianAround(run.seconds, i);
    return excess > std::max(kMinStallSeconds, kStallNoises * noise * run.medianSeconds) ? excess : 0.0;
}

} // namespace

double robustSpread(const std::vector<double>& x, double around)
{
    std::vector<double> distance;
    for (const double v : x)
        distance.push_back(std::abs(v - around));
    return kNormalOverMad * medianOf(std::move(distance));
}

double neighbourSpread(const RelativeRuns& runs)
{
    std::vector<double> differences;
    for (const std::vector<double>& run : runs)
        for (std::size_t i = 1; i < run.size(); ++i)
            differences.push_back(run[i] - run[i - 1]);
    return robustSpread(differences, 0.0) / std::sqrt(2.0);
}

double stepNoise(const std::vector<CleanRun>& runs)
{
    RelativeRuns relative;
    for (const CleanRun& run : runs) {
        relative.emplace_back();
        for (const double s : run.seconds)
            relative.back().push_back(s / run.medianSeconds);
    }
    return neighbourSpread(relative);
}

std::vector<double> stallSizes(const std::vector<CleanRun>& runs, double noise)
{
    std::vector<double> sizes;
    for (const CleanRun& run : runs) {
        bool before = false;
        for (std::size_t i = 0; i < run.seconds.size(); ++i) {
            const double excess = stallExcess(run, i, noise);
            const bool stalls = excess > 0;
            if (stalls && before)
                sizes.back() += excess;
            else if (stalls)
                sizes.push_back(excess);
            before = stalls;
        }
    }
    return sizes;
}

std::vector<double> stepsWithoutStalls(const std::vector<CleanRun>& runs)
{
    const double noise = stepNoise(runs);
    std::vector<double> steps;
    for (const CleanRun& run : runs)
        for (std::size_t i = 0; i < run.seconds.size(); ++i)
            if (!(stallExcess(run, i, noise) > 0))
                steps.push_back(run.seconds[i] / run.medianSeconds);
    std::sort(steps.begin(), steps.end());
    return steps;
}

} // namespace prism
