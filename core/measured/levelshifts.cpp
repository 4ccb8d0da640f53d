// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measured/levelshifts.h"

#include "core/stats/moments.h"

#include <algorithm>
#include <cmath>

namespace prism {

namespace {

constexpr int kShiftWindow = 40;
constexpr double kLeastShift = 0.0075;

/// The place near `i` that parts the window best: least absolute distance from the levels at the window's two ends.
int sharpened(const std::vector<double>& x, int i)
{
    const auto first = static_cast<std::size_t>(i - kShiftWindow), last = static_cast<std::size_t>(i + kShiftWindow);
    constexpr std::size_t kHalf = kShiftWindow / 2;
    const double before = medianOfRange(x, first, first + kHalf), after = medianOfRange(x, last - kHalf, last);
    double cost = 0.0, least = 0.0; // against parting at first + kHalf
    std::size_t best = first + kHalf;
    for (std::size_t j = first + kHalf; j < last - kHalf; ++j) {
        cost += std::abs(x[j] - before) - std::abs(x[j] - after);
        if (cost < least) {
            least = cost;
            best = j + 1;
        }
    }
    return static_cast<int>(best);
}

} // namespace

double medianOfRange(const std::vector<double>& x, std::size_t first, std::size_t last)
{
    return medianOf({x.begin() + static_cast<std::ptrdiff_t>(first), x.begin() + static_cast<std::ptrdiff_t>(std::min(last, x.size()))});
}

std::vector<double> partMedians(const std::vector<double>& x, const std::vector<int>& shifts)
{
    std::vector<double> out;
    std::size_t first = 0;
    for (const int s : shifts) {
        out.push_back(medianOfRange(x, first, static_cast<std::size_t>(s)));
        first = static_cast<std::size_t>(s);
    }
    out.push_back(medianOfRange(x, first, x.size()));
    return out;
}

std::vector<int> shiftPlaces(const std::vector<double>& x, double level)
{
    const int n = static_cast<int>(x.size());
    std::vector<std::pair<double, int>> steps;
    for (int i = kShiftWindow; i + kShiftWindow <= n; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const double change = medianOfRange(x, at, at + kShiftWindow) - medianOfRange(x, at - kShiftWindow, at);
        if (std::abs(change) > kLeastShift * level)
            steps.emplace_back(-std::abs(change), i);
    }
    std::sort(steps.begin(), steps.end());
    std::vector<int> places;
    for (const auto& [change, i] : steps)
        if (std::all_of(places.begin(), places.end(), [i = i](int p) { return std::abs(p - i) >= kShiftWindow; }))
            places.push_back(i);
    for (int& place : places)
        place = sharpened(x, place);
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    while (!places.empty()) {
        const std::vector<double> medians = partMedians(x, places);
        std::size_t least = 0;
        for (std::size_t k = 1; k < places.size(); ++k)
            if (std::abs(medians[k + 1] - medians[k]) < std::abs(medians[least + 1] - medians[least]))
                least = k;
        if (std::abs(medians[least + 1] - medians[least]) >= kLeastShift * level)
            break;
        places.erase(places.begin() + static_cast<std::ptrdiff_t>(least));
    }
    return places;
}

} // namespace prism
