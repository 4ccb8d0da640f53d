// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/chunk/classmodel.h"

#include "core/stats/quantile.h"

#include <algorithm>
#include <cmath>

namespace prism {

namespace {

ClassModel made(const Distribution& d, ContentHash hash)
{
    ClassModel out;
    out.hash = hash;
    out.base = quantilePoints(d);
    out.all = withRareEvent(out.base, d);
    out.mean = out.all.mean;
    out.variance = out.all.variance;
    if (d.family != Family::deterministic && d.cv > 0.0) {
        const QuantileFunction quantile(d);
        out.table = registerTable([&](double lower, double upper) { return quantile.fromTails(lower, upper); }, 1.0, d.baseVariance());
        out.isRandom = true;
    }
    if (d.rareProbability > 0.0 && d.rareMultiplier != 1.0) {
        out.rare.chance = rareChance(d.rareProbability);
        out.rare.extra = {static_cast<float>(d.rareMultiplier)};
    }
    return out;
}

} // namespace

ContentHash contentOf(const Distribution& distribution)
{
    Hasher h;
    distribution.addTo(h);
    return h.result();
}

ClassModelPtr classModel(const Distribution& distribution, Recall& recall)
{
    const ContentHash hash = contentOf(distribution);
    return recall.node<ClassModel>(
        "factor", Hasher().add("factor").add(hash).result(), [&] { return made(distribution, hash); },
        [](const ClassModel& m) { return sizeof m + 16 * (m.base.value.size() + m.all.value.size()) + 4 * m.table.steps.size(); });
}

void baseFactorRow(const ClassModel& model, const DrawKey& key, const RoundKeys& keys, std::uint64_t block, float* row)
{
    if (model.isRandom)
        drawRow(model.table, key, keys, block, row);
    else
        std::fill_n(row, kLanes, 1.0F);
}

void factorRow(const ClassModel& model, const DrawKey& key, const RoundKeys& keys, std::uint64_t block, float* row)
{
    baseFactorRow(model, key, keys, block, row);
    if (model.rare.chance.probability > 0.0)
        rareFactors(model.rare, key, keys, block, row);
}

} // namespace prism
