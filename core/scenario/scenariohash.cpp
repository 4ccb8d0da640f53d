// SPDX-License-Identifier: GPL-3.0-or-later
// The content hash of a scenario: every parameter that changes a number, then the lists.
#include "core/scenario/namedspreads.h"
#include "core/scenario/parametercheck.h"
#include "core/scenario/parametertable.h"

namespace prism {
namespace {

/// Parameters that change a number, found once.
const std::vector<const Parameter*>& hashedParameters()
{
    static const auto kHashed = [] {
        std::vector<const Parameter*> list;
        for (const Parameter& p : parameters())
            if (!isLabel(p))
                list.push_back(&p);
        return list;
    }();
    return kHashed;
}

void addValue(Hasher& hasher, const ParameterValue& value)
{
    std::visit([&](const auto& v) { hasher.add(v); }, value);
}

/// The size, then each item.
template <class List, class Add>
void addList(Hasher& hasher, const List& list, Add add)
{
    hasher.add(static_cast<std::uint64_t>(list.size()));
    for (const auto& item : list)
        add(item);
}

void addPool(Hasher& hasher, const Distribution& d)
{
    const std::size_t size = d.pool ? d.pool->size() : 0;
    hasher.add(static_cast<std::uint64_t>(size));
    for (std::size_t i = 0; i < size; ++i)
        hasher.add((*d.pool)[i]);
}

void addDistribution(Hasher& hasher, const Distribution& d)
{
    hasher.add(static_cast<int>(d.family)).add(d.cv).add(d.rareProbability).add(d.rareMultiplier);
    addPool(hasher, d);
}

void addModelLists(Hasher& hasher, const ModelConfig& m)
{
    addList(hasher, m.layerPattern, [&](const LayerPatternEntry& e) { hasher.add(e.kind).add(e.count); });
    addList(hasher, m.operators, [&](const GenericOperator& o) {
        hasher.add(o.name).add(o.flops).add(o.bytes).add(o.m).add(o.n).add(o.k).add(o.parameters).add(o.count);
    });
}

void addVariabilityLists(Hasher& hasher, const VariabilityConfig& v)
{
    for (const NamedSpread& s : kNamedSpreads)
        addPool(hasher, v.*s.member);
    addList(hasher, v.classOverrides, [&](const auto& named) {
        hasher.add(named.first);
        addDistribution(hasher, named.second);
    });
    addList(hasher, v.spatialSensitivity, [&](const auto& named) { hasher.add(named.first).add(named.second); });
    addList(hasher, v.slow, [&](const SlowEntry& e) { hasher.add(e.node).add(e.rank).add(e.computeFactor).add(e.linkFactor); });
}

void addJobLists(Hasher& hasher, const JobConfig& j)
{
    addList(hasher, j.failures, [&](const FailureCause& f) { hasher.add(f.name).add(f.per1000NodeDays).add(f.replacesNode); });
}

void addMeasured(Hasher& hasher, const MeasuredConfig& m)
{
    addList(hasher, m.kernels, [&](const MeasuredKernel& k) { hasher.add(k.kernelClass).add(k.meanSeconds); });
    addList(hasher, m.rows, [&](const MeasuredRow& r) {
        hasher.add(r.op).add(r.dtype).add(r.m).add(r.n).add(r.k).add(r.ranks).add(r.bytes).add(r.seconds);
    });
    addList(hasher, m.speeds, [&](const MeasuredSpeed& s) { hasher.add(s.node).add(s.gpu).add(s.relativeSpeed); });
    addList(hasher, m.nodeOrder, [&](const int node) { hasher.add(node); });
}

} // namespace

ContentHash Scenario::hash() const
{
    Hasher hasher;
    hasher.add(std::int64_t{1}); // version of what is hashed and in which order
    for (const Parameter* p : hashedParameters())
        addValue(hasher, p->get(*this));
    addModelLists(hasher, model);
    addList(hasher, parallelism.customSchedule, [&](const std::string& stage) { hasher.add(stage); });
    addVariabilityLists(hasher, variability);
    addJobLists(hasher, job);
    addMeasured(hasher, measured);
    return hasher.result();
}

} // namespace prism
