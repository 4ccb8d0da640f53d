// SPDX-License-Identifier: GPL-3.0-or-later
// What the pieces of a walked step consist of, by kernel class and cause. Draws are pure functions, so they are made again.
#include "core/walk/walk.h"
#include "core/walk/walkmodel.h"

#include <algorithm>
#include <numeric>

namespace prism {

namespace {

/// The replica of a walked step, without times.
WalkedReplica rebuilt(const WalkModel& model, const WalkedStep& step)
{
    WalkedReplica replica;
    replica.index = step.replica;
    for (int s = 0; s < model.stages(); ++s)
        replica.link.push_back(model.linkOf(step.replica, s));
    return replica;
}

/// What multiplies the compute of one chunk on every rank.
struct ComputeFactors {
    double data = 1, regime = 1;
};

/// Compute of a chunk that took `seconds`: the slowest rank of the cell stands for it; what its factors do not explain is temporal.
void addCompute(const WalkModel& model, const WalkedStep& step, const WalkNode& node, const ComputeFactors& factors, double seconds,
                Parts& parts)
{
    const ProgramModel& program = model.programs[static_cast<std::size_t>(node.program)];
    const auto first = static_cast<std::size_t>(node.stage) * model.ranks();
    const auto begin = step.speed.begin() + static_cast<std::ptrdiff_t>(first);
    const auto slowest =
        first + static_cast<std::size_t>(std::max_element(begin, begin + static_cast<std::ptrdiff_t>(model.ranks())) - begin);
    const double drawn = step.drawnSpeed[slowest] - 1, slow = step.speed[slowest] - step.drawnSpeed[slowest];
    double known = 0, variance = 0;
    for (const ComputeSums& c : program.compute) {
        parts.add(c.kernelClass, Cause::computeMean, c.seconds);
        parts.add(c.kernelClass, Cause::spatial, c.sensitiveSeconds * drawn);
        parts.add(c.kernelClass, Cause::slowSpot, c.sensitiveSeconds * slow);
        const double so = c.seconds + c.sensitiveSeconds * (drawn + slow);
        parts.add(c.kernelClass, Cause::data, so * (factors.data - 1));
        parts.add(c.kernelClass, Cause::regime, so * factors.data * (factors.regime - 1));
        known += so * factors.data * factors.regime;
        variance += c.variance;
    }
    for (const ComputeSums& c : program.compute) {
        const double share = variance > 0 ? c.variance / variance : c.seconds / program.computeSeconds;
        parts.add(c.kernelClass, Cause::temporal, (seconds - known) * share);
    }
}

} // namespace

double Parts::sum() const
{
    return std::accumulate(byClass.begin(), byClass.end(), 0.0);
}

Parts StepWalker::nodeParts(const WalkedStep& step, int node) const
{
    const WalkNode& n = m_model->nodes[static_cast<std::size_t>(node)];
    Parts parts(m_model->graph->classes.size());
    if (n.program < 0)
        return parts;
    const ProgramModel& program = m_model->programs[static_cast<std::size_t>(n.program)];
    const StepRegimes regimes = m_model->regimes(step.sample);
    const WalkedReplica replica = rebuilt(*m_model, step);
    double seconds = step.end[static_cast<std::size_t>(node)] - step.start[static_cast<std::size_t>(node)];
    for (std::size_t c = 0; c < program.collectives.size(); ++c) {
        const Transfer transfer = m_model->collective(regimes, replica, step.sample, node, c);
        transfer.addTo(parts);
        seconds -= transfer.seconds();
    }
    if (program.compute.empty())
        return parts;
    const ComputeFactors factors{m_model->dataOf(step.sample, step.replica, n.microbatch), regimes.compute};
    seconds -= m_model->rareComputeSeconds(step.sample, step.replica, node, &parts, factors.data * factors.regime);
    addCompute(*m_model, step, n, factors, seconds, parts);
    return parts;
}

Parts StepWalker::transferParts(const WalkedStep& step, int node) const
{
    Parts parts(m_model->graph->classes.size());
    const WalkNode& n = m_model->nodes[static_cast<std::size_t>(node)];
    m_model->hopTransfer(m_model->regimes(step.sample), rebuilt(*m_model, step), step.sample, n.hop, n.hopForward, n.microbatch)
        .addTo(parts);
    return parts;
}

Parts StepWalker::outgoingParts(const WalkedStep& step, int node) const
{
    Parts parts(m_model->graph->classes.size());
    const WalkNode& n = m_model->nodes[static_cast<std::size_t>(node)];
    m_model->hopTransfer(m_model->regimes(step.sample), rebuilt(*m_model, step), step.sample, n.outHop, n.outForward, n.microbatch)
        .addTo(parts);
    return parts;
}

Parts StepWalker::stageOpParts(const WalkedStep& step, int stage, StageOp op) const
{
    if (op == StageOp::optimizer)
        return m_model->optimizerParts(step.sample, stage, step.slowest[static_cast<std::size_t>(stage)]);
    Parts parts(m_model->graph->classes.size());
    const StepRegimes regimes = m_model->regimes(step.sample);
    if (op == StageOp::embedding)
        m_model->embeddingTransfer(regimes, rebuilt(*m_model, step), step.sample).addTo(parts);
    else
        m_model->stageTransfer(regimes, step.sample, stage, op).addTo(parts);
    return parts;
}

} // namespace prism
