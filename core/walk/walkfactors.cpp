// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/walk/walkfactors.h"

#include <algorithm>
#include <cmath>

namespace prism {

namespace {

Distribution withoutRare(Distribution d)
{
    d.rareProbability = 0;
    return d;
}

} // namespace

FactorTable::FactorTable(const Distribution& d)
    : m_sampler(withoutRare(d)),
      m_rareProbability(d.rareProbability),
      m_rareMultiplier(d.rareMultiplier),
      m_variance(d.baseVariance())
{
}

// Through the lognormal of the stats layer: s = 1, so Q(u) = exp(z - 1/2) and ln Q + 1/2 is the normal quantile.
NormalTable::NormalTable() : m_lognormal({Family::lognormal, std::sqrt(std::exp(1.0) - 1.0)})
{
    for (int i = 1; i < kCells; ++i)
        m_table[static_cast<std::size_t>(i)] = exact(static_cast<double>(i) / kCells);
}

double NormalTable::exact(double u) const
{
    return std::log(m_lognormal(u)) + 0.5;
}

double Transfer::seconds() const
{
    const double factor = link * regime * (temporal + rareExtra);
    return std::max({minExposed * factor, mean * factor - hidden, 0.0});
}

void Transfer::addTo(Parts& parts) const
{
    if (kernelClass < 0)
        return;
    Transfer t{kernelClass, mean, hidden, minExposed};
    double before = t.seconds();
    parts.add(kernelClass, Cause::communicationMean, before);
    const auto step = [&](Cause cause) {
        const double now = t.seconds();
        parts.add(kernelClass, cause, now - before);
        before = now;
    };
    t.link = link;
    step(Cause::slowSpot);
    t.regime = regime;
    step(Cause::regime);
    t.temporal = temporal;
    step(Cause::temporal);
    t.rareExtra = rareExtra;
    step(Cause::rare);
}

} // namespace prism
