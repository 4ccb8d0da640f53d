// SPDX-License-Identifier: GPL-3.0-or-later
// How long the pieces of a walked step take.
#include "core/stats/poisson.h"
#include "core/walk/walkmodel.h"

#include <algorithm>
#include <cmath>

namespace prism {

namespace {

/// Invocations of a collective per chunk that are drawn one by one.
constexpr int kDrawnOneByOne = 8;
/// Up to this relative spread the mean of several invocations is drawn as a normal quantity: a lognormal's skew, 3 cv / sqrt(n),
/// is below 0.1 then.
constexpr double kNormalUpTo = 0.03;

} // namespace

double WalkModel::regimeOf(int kernelClass, const StepRegimes& r) const
{
    const Scope scope = graph->classes[static_cast<std::size_t>(kernelClass)].scope;
    return scope == Scope::intraNode ? r.intra : scope == Scope::interNode ? r.inter : 1.0;
}

double WalkModel::computeSeconds(const WalkedReplica& replica, int sample, int node) const
{
    const WalkNode& n = nodes[static_cast<std::size_t>(node)];
    const Moments& m = replica.moments[static_cast<std::size_t>(n.stage) * programs.size() + static_cast<std::size_t>(n.program)];
    if (m.variance <= 0)
        return m.mean;
    const double z = m_normal(uniform(seed, m_nodeStream[static_cast<std::size_t>(node)], drawIndex(sample, replica.index)));
    return std::max(0.1 * m.mean, m.mean + std::sqrt(m.variance) * z);
}

double WalkModel::rareComputeSeconds(int sample, int replica, int node, Parts* parts, double factor) const
{
    const WalkNode& n = nodes[static_cast<std::size_t>(node)];
    double seconds = 0;
    for (const ComputeSums& c : programs[static_cast<std::size_t>(n.program)].compute) {
        const FactorTable& table = m_classFactor[static_cast<std::size_t>(c.kernelClass)];
        if (table.rareProbability() <= 0)
            continue;
        // A rare event on any rank delays the segment.
        const double expected = c.count * table.rareProbability() * static_cast<double>(ranks());
        const StreamId id{m_nodeStream[static_cast<std::size_t>(node)].value
                          ^ mix64(kComputeRare + static_cast<std::uint64_t>(c.kernelClass))};
        const int events = poissonCount(expected, uniform(seed, id, drawIndex(sample, replica)));
        const double extra = factor * events * c.seconds / c.count * (table.rareMultiplier() - 1);
        seconds += extra;
        if (parts && extra != 0)
            parts->add(c.kernelClass, Cause::rare, extra);
    }
    return seconds;
}

Transfer WalkModel::collective(const StepRegimes& regimes, const WalkedReplica& replica, int sample, int node, std::size_t which) const
{
    const WalkNode& n = nodes[static_cast<std::size_t>(node)];
    const CollectiveSums& c = programs[static_cast<std::size_t>(n.program)].collectives[which];
    const FactorTable& factor = m_classFactor[static_cast<std::size_t>(c.kernelClass)];
    const bool inter = graph->classes[static_cast<std::size_t>(c.kernelClass)].scope == Scope::interNode;
    Transfer t{c.kernelClass, c.count * c.meanSeconds, c.count * c.hiddenSeconds};
    t.regime = regimeOf(c.kernelClass, regimes);
    t.link = inter ? replica.link[static_cast<std::size_t>(n.stage)] : 1.0;
    const StreamId id{m_collectiveStream[static_cast<std::size_t>(node)].value ^ mix64(which)};
    const StreamId rareId{id.value ^ mix64(kCollectiveRare)};
    const std::uint64_t index = drawIndex(sample, replica.index);
    if (!factor.deterministic()) {
        const double spread = std::sqrt(factor.variance() / c.count);
        if (c.count > kDrawnOneByOne || spread < kNormalUpTo) {
            t.temporal = std::max(0.1, 1 + spread * m_normal(uniform(seed, id, index)));
        } else {
            const int draws = std::max(1, static_cast<int>(std::lround(c.count)));
            double sum = 0;
            for (int i = 0; i < draws; ++i)
                sum += factor(uniform(seed, id, index * kDrawnOneByOne + static_cast<std::uint64_t>(i)));
            t.temporal = sum / draws;
        }
    }
    if (factor.rareProbability() > 0) {
        const int events = poissonCount(c.count * factor.rareProbability(), uniform(seed, rareId, index));
        t.rareExtra = events * (factor.rareMultiplier() - 1) / c.count;
    }
    return t;
}

double WalkModel::nodeSeconds(const StepRegimes& regimes, const WalkedReplica& replica, int sample, int node) const
{
    const WalkNode& n = nodes[static_cast<std::size_t>(node)];
    if (n.program < 0)
        return 0;
    const ProgramModel& program = programs[static_cast<std::size_t>(n.program)];
    double seconds = 0;
    if (!program.compute.empty()) {
        const double factor = regimes.compute * replica.data[static_cast<std::size_t>(n.microbatch)];
        seconds = factor * computeSeconds(replica, sample, node) + rareComputeSeconds(sample, replica.index, node, nullptr, factor);
    }
    for (std::size_t c = 0; c < program.collectives.size(); ++c)
        seconds += collective(regimes, replica, sample, node, c).seconds();
    return seconds;
}

double WalkModel::hopLink(const WalkedReplica& replica, const StepOp& op, int hop) const
{
    if (graph->classes[static_cast<std::size_t>(op.kernelClass)].scope != Scope::interNode)
        return 1;
    const auto& path = graph->schedule.path;
    const auto h = static_cast<std::size_t>(hop);
    return std::max(replica.link[static_cast<std::size_t>(path[h][0])], replica.link[static_cast<std::size_t>(path[h + 1][0])]);
}

Transfer WalkModel::drawnTransfer(const StepRegimes& regimes, const StepOp& op, double link, std::uint64_t purpose,
                                  std::uint64_t rarePurpose, std::uint64_t name, std::uint64_t index) const
{
    const FactorTable& factor = m_classFactor[static_cast<std::size_t>(op.kernelClass)];
    Transfer t{op.kernelClass, op.meanSeconds, op.hiddenSeconds, op.minExposedSeconds};
    t.regime = regimeOf(op.kernelClass, regimes);
    t.link = graph->classes[static_cast<std::size_t>(op.kernelClass)].scope == Scope::interNode ? link : 1.0;
    if (!factor.deterministic()) {
        // The slowest of equal groups: a quantile. The mean of a group's buckets is taken as normal.
        const double u = std::pow(uniform(seed, quickStream(purpose, name), index), 1.0 / op.groups);
        t.temporal = op.buckets == 1 ? factor(u) : std::max(0.1, 1 + std::sqrt(factor.variance() / op.buckets) * m_normal(u));
    }
    if (factor.rareProbability() > 0) {
        const double draws = static_cast<double>(op.groups) * op.buckets;
        const int events =
            poissonCount(-draws * std::log1p(-factor.rareProbability()), uniform(seed, quickStream(rarePurpose, name), index));
        const int ofSlowest = op.groups == 1 ? std::min(events, op.buckets) : std::min(events, 1);
        t.rareExtra = ofSlowest * t.temporal * (factor.rareMultiplier() - 1) / op.buckets;
        if (op.groups > 1)
            t.rareExtra = std::max(0.0, t.rareExtra);
    }
    return t;
}

Transfer WalkModel::hopTransfer(const StepRegimes& regimes, const WalkedReplica& replica, int sample, int hop, bool forward,
                                int microbatch) const
{
    if (hop < 0)
        return {};
    const StepOp& op = (forward ? graph->sendForward : graph->sendBackward)[static_cast<std::size_t>(hop)];
    if (op.kernelClass < 0)
        return {};
    const auto name = ((static_cast<std::uint64_t>(hop) * 2 + (forward ? 0 : 1)) << 20) + static_cast<std::uint64_t>(microbatch);
    return drawnTransfer(regimes, op, hopLink(replica, op, hop), kTransfer, kTransferRare, name, drawIndex(sample, replica.index));
}

Transfer WalkModel::embeddingTransfer(const StepRegimes& regimes, const WalkedReplica& replica, int sample) const
{
    const StepOp* op = stageOp(0, StageOp::embedding);
    if (!op)
        return {};
    const double link = std::max(replica.link[firstStage()], replica.link[lastStage()]);
    return drawnTransfer(regimes, *op, link, kStageOp, kStageOpRare, 0, drawIndex(sample, replica.index));
}

Transfer WalkModel::stageTransfer(const StepRegimes& regimes, int sample, int stage, StageOp which) const
{
    const StepOp* op = stageOp(stage, which);
    if (!op)
        return {};
    const bool ofJob = which == StageOp::gradNorm;
    const auto name = static_cast<std::uint64_t>(which) * 4'096 + (ofJob ? 0 : static_cast<std::uint64_t>(stage));
    return drawnTransfer(regimes, *op, ofJob ? jobLink : stageLink[static_cast<std::size_t>(stage)], kStageOp, kStageOpRare, name,
                         drawIndex(sample, -1));
}

Parts WalkModel::optimizerParts(int sample, int stage, const SlowestRank& slowest) const
{
    Parts parts(graph->classes.size());
    const StepOp* op = stageOp(stage, StageOp::optimizer);
    if (!op)
        return parts;
    const KernelClass& kernelClass = graph->classes[static_cast<std::size_t>(op->kernelClass)];
    const FactorTable& factor = m_classFactor[static_cast<std::size_t>(op->kernelClass)];
    const double s = kernelClass.spatialSensitivity;
    const double drawn = 1 + s * (slowest.drawn - 1), whole = 1 + s * (slowest.speed - 1);
    parts.add(op->kernelClass, Cause::computeMean, op->meanSeconds);
    parts.add(op->kernelClass, Cause::spatial, op->meanSeconds * (drawn - 1));
    parts.add(op->kernelClass, Cause::slowSpot, op->meanSeconds * (whole - drawn));
    const double regime = regimes(sample).compute;
    parts.add(op->kernelClass, Cause::regime, op->meanSeconds * whole * (regime - 1));
    if (!factor.deterministic()) {
        const std::uint64_t name = static_cast<std::uint64_t>(StageOp::optimizer) * 4'096 + static_cast<std::uint64_t>(stage);
        const double e = factor(uniform(seed, quickStream(kStageOp, name), static_cast<std::uint64_t>(sample)));
        parts.add(op->kernelClass, Cause::temporal, op->meanSeconds * whole * regime * (e - 1));
    }
    return parts;
}

} // namespace prism
