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
    hasher.add(static_cast<std::uint64_t>(m.layerPattern.size()));
    for (const LayerPatternEntry& e : m.layerPattern)
        hasher.add(e.kind).add(e.count);
    hasher.add(static_cast<std::uint64_t>(m.operators.size()));
    for (const GenericOperator& o : m.operators)
        hasher.add(o.name).add(o.flops).add(o.bytes).add(o.m).add(o.n).add(o.k).add(o.parameters).add(o.count);
}

void addVariabilityLists(Hasher& hasher, const VariabilityConfig& v)
{
    for (const NamedSpread& s : kNamedSpreads)
        addPool(hasher, v.*s.member);
    hasher.add(static_cast<std::uint64_t>(v.classOverrides.size()));
    for (const auto& [name, distribution] : v.classOverrides) {
        hasher.add(name);
        addDistribution(hasher, distribution);
    }
    hasher.add(static_cast<std::uint64_t>(v.spatialSensitivity.size()));
    for (const auto& [name, sensitivity] : v.spatialSensitivity)
        hasher.add(name).add(sensitivity);
    hasher.add(static_cast<std::uint64_t>(v.slow.size()));
    for (const SlowEntry& e : v.slow)
        hasher.add(e.node).add(e.rank).add(e.computeFactor).add(e.linkFactor);
}

void addJobLists(Hasher& hasher, const JobConfig& j)
{
    hasher.add(static_cast<std::uint64_t>(j.failures.size()));
    for (const FailureCause& f : j.failures)
        hasher.add(f.name).add(f.per1000NodeDays).add(f.replacesNode);
}

void addMeasured(Hasher& hasher, const MeasuredConfig& m)
{
    hasher.add(static_cast<std::uint64_t>(m.kernels.size()));
    for (const MeasuredKernel& k : m.kernels)
        hasher.add(k.kernelClass).add(k.meanSeconds);
    hasher.add(static_cast<std::uint64_t>(m.rows.size()));
    for (const MeasuredRow& r : m.rows)
        hasher.add(r.op).add(r.dtype).add(r.m).add(r.n).add(r.k).add(r.ranks).add(r.bytes).add(r.seconds);
    hasher.add(static_cast<std::uint64_t>(m.speeds.size()));
    for (const MeasuredSpeed& s : m.speeds)
        hasher.add(s.node).add(s.gpu).add(s.relativeSpeed);
    hasher.add(static_cast<std::uint64_t>(m.nodeOrder.size()));
    for (const int node : m.nodeOrder)
        hasher.add(node);
}

} // namespace

ContentHash Scenario::hash() const
{
    Hasher hasher;
    hasher.add(std::int64_t{1}); // version of what is hashed and in which order
    for (const Parameter* p : hashedParameters())
        addValue(hasher, p->get(*this));
    addModelLists(hasher, model);
    hasher.add(static_cast<std::uint64_t>(parallelism.customSchedule.size()));
    for (const std::string& stage : parallelism.customSchedule)
        hasher.add(stage);
    addVariabilityLists(hasher, variability);
    addJobLists(hasher, job);
    addMeasured(hasher, measured);
    return hasher.result();
}

} // namespace prism
