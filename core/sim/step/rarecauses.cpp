// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/step/rarecauses.h"

#include <algorithm>
#include <cmath>

namespace prism {

namespace {

constexpr std::size_t kMostCauses = 3;
/// Of more events than these the sum decides, not single ones.
constexpr double kMostExpected = 24.0;

} // namespace

void RareCounter::add(int kernelClass, double probability, double seconds)
{
    if (!(probability > 0.0))
        return;
    auto it = std::find_if(m_causes.begin(), m_causes.end(), [&](const RareCause& c) { return c.kernelClass == kernelClass; });
    if (it == m_causes.end())
        it = m_causes.insert(it, {kernelClass, 0.0, 0.0, 1.0, 0.0});
    it->expected -= std::log1p(-probability);
    it->seconds = std::max(it->seconds, seconds);
}

std::vector<RareCause> RareCounter::causes() const
{
    std::vector<RareCause> out;
    for (const RareCause& c : m_causes)
        if (c.expected <= kMostExpected && c.seconds > 0.0)
            out.push_back(c);
    std::stable_sort(out.begin(), out.end(), [](const RareCause& a, const RareCause& b) { return a.seconds > b.seconds; });
    if (out.size() > kMostCauses)
        out.resize(kMostCauses);
    for (RareCause& c : out) {
        // One event where there is hardly any; else three standard deviations of their number more.
        c.boost = std::max(1.0, c.expected + 3.0 * std::sqrt(c.expected)) / c.expected;
        c.silence = (c.boost - 1.0) * c.expected;
    }
    return out;
}

RareEvent withSearch(RareEvent event, const std::vector<RareCause>& causes, int kernelClass)
{
    for (std::size_t i = 0; i < causes.size(); ++i)
        if (causes[i].kernelClass == kernelClass) {
            const double none = std::log1p(-event.chance.probability), sought = -std::expm1(causes[i].boost * none);
            event.cause = static_cast<int>(i);
            event.sought = rareChance(sought);
            event.logRatio = std::log(sought / event.chance.probability) - (causes[i].boost - 1.0) * none;
        }
    return event;
}

int soughtIn(std::uint64_t block, std::uint64_t copy, std::size_t causes)
{
    const std::uint64_t turn = block + copy;
    return causes == 0 || turn % 2 == 0 ? -1 : static_cast<int>(turn / 2 % causes);
}

} // namespace prism
