// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/record/passcauses.h"

#include "core/base/index.h"

#include <algorithm>

namespace prism {

namespace {

double& of(CauseSeconds& seconds, Cause cause)
{
    return seconds[static_cast<std::size_t>(cause)];
}

/// Adds seconds to classes in proportion to weights, or to others where these are all 0.
void share(Parts& parts, Cause cause, double seconds, const std::vector<double>& weights, const std::vector<double>& otherwise)
{
    if (seconds == 0.0)
        return;
    const std::vector<double>& by = sumOf(weights) != 0.0 ? weights : otherwise;
    const double all = sumOf(by);
    for (std::size_t c = 0; c < by.size() && all != 0.0; ++c)
        if (by[c] != 0.0)
            parts.add(static_cast<int>(c), cause, seconds * by[c] / all);
}

} // namespace

PassCauses::PassCauses(const SweepModel& model, int program, int kind)
    : m_table(model.passes[index(model.passOf[index(program)][index(kind)])].get())
{
    const StepGraph& graph = model.graph;
    const UnitKind& unit = model.job.kinds[index(kind)];
    for (ByClass* list : {&m_mean, &m_sensitive, &m_routed, &m_exposedOf, &m_byLinksOf, &m_variance, &m_rare})
        list->assign(graph.classes.size(), 0.0);
    for (const KernelClass& k : graph.classes)
        m_scope.push_back(k.scope);
    const auto addKernel = [&](int kernelClass, double mean, double times, bool routed) {
        const std::size_t c = index(kernelClass);
        const KernelClass& kernel = graph.classes[c];
        m_mean[c] += times * mean;
        m_sensitive[c] += times * kernel.spatialSensitivity * mean;
        m_routed[c] += routed ? times * mean : 0.0;
        m_variance[c] += times * mean * mean * kernel.temporal.variance();
        m_rare[c] += times * mean * kernel.temporal.rareProbability * (kernel.temporal.rareMultiplier - 1.0) * model.job.unitRanks();
    };
    if (index(program) < graph.programs.size()) {
        for (const Block& block : graph.programs[index(program)].blocks)
            for (const Op& op : block.ops)
                if (graph.classes[index(op.kernelClass)].scope == Scope::none)
                    addKernel(op.kernelClass, op.meanSeconds, block.repeat, op.routed);
    } else {
        const auto stage = std::find(model.optimizerOfStage.begin(), model.optimizerOfStage.end(), program);
        const StepOp& op = graph.optimizer[static_cast<std::size_t>(stage - model.optimizerOfStage.begin())];
        addKernel(op.kernelClass, op.meanSeconds, 1.0, false);
    }
    for (const Segment& segment : model.programs[index(program)].segments) {
        if (segment.collective < 0)
            continue;
        const std::size_t c = index(segment.collective);
        const KernelClass& kernel = graph.classes[c];
        const double mean = segment.meanSeconds;
        const auto link = static_cast<double>(linkOf(graph, segment, unit));
        const double plain = std::max(0.0, mean - segment.hiddenSeconds), linked = std::max(0.0, mean * link - segment.hiddenSeconds);
        m_exposedOf[c] += plain;
        m_byLinksOf[c] += linked - plain;
        m_variance[c] += linked > 0.0 || mean * link * 1.1 > segment.hiddenSeconds ? mean * mean * kernel.temporal.variance() : 0.0;
        m_rare[c] += mean * kernel.temporal.rareProbability * (kernel.temporal.rareMultiplier - 1.0);
    }
    m_seconds = sumOf(m_mean);
    m_exposed = sumOf(m_exposedOf);
    m_byLinks = sumOf(m_byLinksOf);
    m_varies = !m_table->usual.shape.isConstant() || m_table->rareHazard > 0.0 || m_table->perNode > 0.0F;
}

CauseSeconds PassCauses::seconds(const PassRecord& record, const RegimeFactors& regimes) const
{
    const RegimeFactors one;
    const auto lengthOf = [&](LengthOf factors) { return static_cast<double>(record.length[static_cast<std::size_t>(factors)]); };
    const double all = lengthOf(LengthOf::all);
    CauseSeconds out{};
    of(out, Cause::computeMean) = m_seconds;
    of(out, Cause::communicationMean) = m_exposed;
    of(out, Cause::spatial) = m_seconds * (lengthOf(LengthOf::speeds) - 1.0);
    of(out, Cause::slowSpot) = m_seconds * (lengthOf(LengthOf::slowSpots) - lengthOf(LengthOf::speeds)) + m_byLinks;
    of(out, Cause::data) = m_seconds * (lengthOf(LengthOf::data) - lengthOf(LengthOf::slowSpots));
    of(out, Cause::routing) = m_seconds * (all - lengthOf(LengthOf::data));
    of(out, Cause::regime) =
        all * (m_table->regimeSeconds(regimes) - m_table->computeSeconds) + m_table->exposedSeconds(regimes) - m_table->exposedSeconds(one);
    of(out, Cause::rare) = static_cast<double>(record.rareSeconds);
    if (m_varies) // else what is left is the rounding of the sweep's single precision
        of(out, Cause::temporal) = static_cast<double>(record.seconds) - sumOf(out);
    return out;
}

void PassCauses::addTo(Parts& parts, const PassRecord& record, const RegimeFactors& regimes) const
{
    CauseSeconds seconds = this->seconds(record, regimes);
    ByClass regime(m_mean.size(), 0.0);
    for (std::size_t c = 0; c < regime.size(); ++c) {
        regime[c] = m_mean[c] * (regimes.compute - 1.0) + m_routed[c] * (regimes.routing - 1.0) * regimes.compute
                    + (m_exposedOf[c] + m_byLinksOf[c]) * (regimes.of(m_scope[c]) - 1.0);
    }
    share(parts, Cause::computeMean, of(seconds, Cause::computeMean), m_mean, m_mean);
    share(parts, Cause::communicationMean, of(seconds, Cause::communicationMean), m_exposedOf, m_exposedOf);
    share(parts, Cause::spatial, of(seconds, Cause::spatial), m_sensitive, m_mean);
    share(parts, Cause::slowSpot, of(seconds, Cause::slowSpot) - m_byLinks, m_sensitive, m_mean);
    share(parts, Cause::slowSpot, m_byLinks, m_byLinksOf, m_byLinksOf);
    share(parts, Cause::data, of(seconds, Cause::data), m_mean, m_mean);
    share(parts, Cause::routing, of(seconds, Cause::routing), m_routed, m_mean);
    share(parts, Cause::regime, of(seconds, Cause::regime), regime, m_mean);
    share(parts, Cause::rare, of(seconds, Cause::rare), m_rare, m_mean);
    share(parts, Cause::temporal, of(seconds, Cause::temporal), m_variance, m_mean);
}

CauseSeconds communicationCauses(const StepGraph& graph, const StepOp& op, double link, const RegimeFactors& regimes, double seconds,
                                 double rareSeconds)
{
    if (op.kernelClass < 0)
        return {};
    const KernelClass& kernel = graph.classes[index(op.kernelClass)];
    const double regime = regimes.of(kernel.scope);
    const double slow = kernel.scope == Scope::interNode ? link : 1.0;
    CauseSeconds out{};
    of(out, Cause::communicationMean) = exposedSeconds(op, 1.0);
    of(out, Cause::slowSpot) = exposedSeconds(op, slow) - exposedSeconds(op, 1.0);
    of(out, Cause::regime) = exposedSeconds(op, slow * regime) - exposedSeconds(op, slow);
    of(out, Cause::rare) = rareSeconds;
    if (!kernel.temporal.isDeterministic())
        of(out, Cause::temporal) = seconds - sumOf(out);
    return out;
}

} // namespace prism
