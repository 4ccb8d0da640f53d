// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measured/seriesshape.h"

#include "core/stats/moments.h"
#include "core/stats/rangemedian.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>
#include <utility>

namespace prism {

namespace {

constexpr int kShiftWindow = 40;
constexpr double kMinShift = 0.0075;

/// The smallest change that counts: a share of the level, and more than the medians of two windows of independent steps differ by chance.
double smallestShift(const std::vector<double>& x, double level)
{
    constexpr double kErrors = 5.0; // standard errors; neighbours that correlate by 0.35 leave 3.5 of them
    const double medianError = std::sqrt(std::numbers::pi / 2.0 / kShiftWindow); // over the standard deviation, of a normal sample
    std::vector<double> noise;
    for (std::size_t first = 0; first < x.size(); first += kShiftWindow) {
        const double median = medianOfRange(x, first, first + kShiftWindow);
        for (std::size_t i = first; i < std::min(first + kShiftWindow, x.size()); ++i)
            noise.push_back(std::abs(x[i] - median));
    }
    return std::max(kMinShift * level, kErrors * std::numbers::sqrt2 * medianError * kNormalOverMad * medianOf(std::move(noise)));
}

/// The place near `i` that parts the window best: least absolute distance from the levels at the window's two ends.
int sharpened(const std::vector<double>& x, int i)
{
    const auto first = static_cast<std::size_t>(i - kShiftWindow), last = static_cast<std::size_t>(i + kShiftWindow);
    constexpr std::size_t kHalf = kShiftWindow / 2;
    const double before = medianOfRange(x, first, first + kHalf), after = medianOfRange(x, last - kHalf, last);
    double cost = 0.0, smallest = 0.0; // against parting at first + kHalf
    std::size_t best = first + kHalf;
    for (std::size_t j = first + kHalf; j < last - kHalf; ++j) {
        cost += std::abs(x[j] - before) - std::abs(x[j] - after);
        if (cost < smallest) {
            smallest = cost;
            best = j + 1;
        }
    }
    return static_cast<int>(best);
}

/// Shifts of which the smallest goes first. Each knows its neighbours that still are.
class Shifts final {
public:
    Shifts(const std::vector<double>& x, const std::vector<int>& places) : m_median(x), m_steps(x.size()), m_places(places)
    {
        const std::size_t n = places.size();
        m_neighbours.resize(n);
        m_changes.resize(n);
        for (std::size_t k = 0; k < n; ++k)
            m_neighbours[k] = {k == 0 ? kNone : k - 1, k + 1 == n ? kNone : k + 1};
        for (std::size_t k = 0; k < n; ++k)
            measure(k);
    }

    /// Until all that are left change the median by `least` and more.
    void drop(double smallest)
    {
        while (!m_bySize.empty() && m_bySize.begin()->first < smallest) {
            const std::size_t k = m_bySize.begin()->second;
            m_bySize.erase(m_bySize.begin());
            const auto [before, after] = m_neighbours[k];
            if (before != kNone)
                m_neighbours[before].second = after;
            if (after != kNone)
                m_neighbours[after].first = before;
            for (const std::size_t neighbour : {before, after})
                if (neighbour != kNone) {
                    m_bySize.erase({m_changes[neighbour], neighbour});
                    measure(neighbour);
                }
        }
    }
    [[nodiscard]] std::vector<int> places() const
    {
        std::vector<int> left;
        for (const auto& [change, k] : m_bySize)
            left.push_back(m_places[k]);
        std::sort(left.begin(), left.end());
        return left;
    }

private:
    static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

    /// Between the medians of the parts before and behind it.
    void measure(std::size_t k)
    {
        const auto [before, after] = m_neighbours[k];
        const auto place = [&](std::size_t i) { return static_cast<std::size_t>(m_places[i]); };
        const double low = m_median.of(before == kNone ? 0 : place(before), place(k));
        m_changes[k] = std::abs(m_median.of(place(k), after == kNone ? m_steps : place(after)) - low);
        m_bySize.emplace(m_changes[k], k);
    }

    RangeMedian m_median;
    std::size_t m_steps;
    const std::vector<int>& m_places;
    std::vector<std::pair<std::size_t, std::size_t>> m_neighbours; ///< before and after
    std::vector<double> m_changes;
    std::set<std::pair<double, std::size_t>> m_bySize;
};

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
    const double smallest = smallestShift(x, level);
    std::vector<std::pair<double, int>> steps;
    std::array<double, kShiftWindow> medians{}; // of the windows that begin at the last places: the window before a place is one of them
    for (int i = 0; i + kShiftWindow <= n; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const double before = std::exchange(medians[at % kShiftWindow], medianOfRange(x, at, at + kShiftWindow));
        if (i < kShiftWindow)
            continue;
        const double change = medians[at % kShiftWindow] - before;
        if (std::abs(change) > smallest)
            steps.emplace_back(-std::abs(change), i);
    }
    std::sort(steps.begin(), steps.end());
    std::vector<int> places;
    std::vector<bool> isNear(x.size(), false); // a place that was taken
    for (const auto& [change, i] : steps)
        if (!isNear[static_cast<std::size_t>(i)]) {
            places.push_back(i);
            std::fill_n(isNear.begin() + (i - kShiftWindow + 1), 2 * kShiftWindow - 1, true);
        }
    for (int& place : places)
        place = sharpened(x, place);
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    if (places.empty())
        return places;
    Shifts shifts(x, places);
    shifts.drop(smallest);
    return shifts.places();
}

} // namespace prism
