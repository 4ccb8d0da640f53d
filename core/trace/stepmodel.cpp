// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/stepmodel.h"

#include "core/stats/moments.h"
#include "core/stats/random.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>

namespace prism {

namespace {

constexpr int kRun = 4;                 // micro-batches drawn together; their lengths are similar in a data loader's order
constexpr std::size_t kPlacedPairs = 8; // (step, replica) pairs from which on a run keeps its place in the step
constexpr std::size_t kJointSteps = 16; // from which on they show how heavy the replicas of a step are together
constexpr double kRedrawnReplicas = 5;  // per step, on average; the others keep the micro-batches of the measured step
constexpr double kWithoutWait = 0.1;    // quantile over the steps that holds no wait for replicas without a record
constexpr std::uint64_t kStepDraw = 0x57e9, kRunDraw = 0x4411, kReplicaDraw = 0x4e91, kKeepDraw = 0x6e01; // name the draws of this file

std::size_t pick(double u, std::size_t n)
{
    return std::min(n - 1, static_cast<std::size_t>(u * static_cast<double>(n)));
}

/// The first step's operations with replicas repeated up to `replicas`.
TraceStep patternOf(const RegularJob& job, int replicas)
{
    TraceStep pattern{job.steps.front().step->number, {}};
    const std::vector<TraceOperation>& measured = job.steps.front().step->operations;
    for (int r = 0; r < replicas; ++r)
        for (const TraceOperation& o : measured)
            if (o.replica == r % job.job->replicas) {
                pattern.operations.push_back(o);
                pattern.operations.back().replica = r;
            }
    return pattern;
}

/// Barriers for another number of replicas: a stage's barrier spans all of them.
HiddenBarriers barriersFor(const RegularJob& job, int replicas)
{
    const int stages = job.job->stages;
    HiddenBarriers barriers;
    for (const std::vector<int>& set : job.barriers) {
        const bool wholeStage =
            set.size() == static_cast<std::size_t>(job.job->replicas) && job.job->replicas > 1 && set[1] - set[0] == stages;
        const bool everyone = set.size() == static_cast<std::size_t>(job.job->workers()) && !wholeStage && job.job->replicas > 1;
        std::vector<int> workers;
        if (wholeStage)
            for (int r = 0; r < replicas; ++r)
                workers.push_back(r * stages + set[0]);
        else if (everyone)
            for (int w = 0; w < replicas * stages; ++w)
                workers.push_back(w);
        else
            for (const int w : set)
                if (w < replicas * stages)
                    workers.push_back(w);
        barriers.push_back(std::move(workers));
    }
    return barriers;
}

bool isOverReplicas(TraceOp type)
{
    return type == TraceOp::paramsAllGather || type == TraceOp::gradsReduceScatter || type == TraceOp::separateGradsAllReduce;
}

} // namespace

Result<StepModel> StepModel::make(const RegularJob& job, int replicas)
{
    StepModel m;
    m.m_job = &job;
    m.m_layout.replicas = replicas > 0 ? replicas : job.job->replicas;
    m.m_layout.stages = job.job->stages;
    m.m_layout.chunks = job.job->chunks;
    m.m_layout.transfersRecorded = job.job->transfersRecorded;
    m.m_pattern = patternOf(job, m.m_layout.replicas);
    auto graph =
        blockingGraph(m.m_pattern, m.m_layout, stepLinks(m.m_pattern, m.m_layout), barriersFor(job, m.m_layout.replicas), job.overlapped);
    if (!graph)
        return Diagnostic{Severity::error, job.job->name, "the operations wait for each other in a circle", "", "", "", ""};
    m.m_graph = std::move(*graph);
    std::map<std::tuple<int, TraceOp, int>, int> slotOf;
    for (std::size_t l = 0; l < job.slots.size(); ++l)
        slotOf[{job.slots[l].stage, job.slots[l].type, job.slots[l].ordinal}] = static_cast<int>(l);
    std::map<std::tuple<int, int, TraceOp>, int> seen;
    for (const TraceOperation& o : m.m_pattern.operations)
        m.m_slotOf.push_back(slotOf.at({o.stage, o.type, seen[{o.replica, o.stage, o.type}]++}));
    m.m_factors = computeFactors(job);
    const double before = std::max(job.job->replicasOfJob, job.job->replicas), after = m.m_layout.replicas;
    m.m_scale.assign(job.slots.size(), 1.0);
    m.m_microBatchOf.assign(job.slots.size(), -1);
    m.m_equalOf.assign(job.slots.size(), -1);
    std::map<std::tuple<int, TraceOp, int>, int> equal;
    for (std::size_t l = 0; l < job.slots.size(); ++l) {
        const OperationSlot& slot = job.slots[l];
        if (isOverReplicas(slot.type) && before > 1)
            m.m_scale[l] = ((after - 1) / after) / ((before - 1) / before);
        if (!isCompute(slot.type))
            continue;
        m.m_microBatchOf[l] = slot.microBatch;
        m.m_microBatches = std::max(m.m_microBatches, static_cast<std::size_t>(slot.microBatch) + 1);
        const auto [at, isNew] = equal.try_emplace({slot.stage, slot.type, slot.chunk}, static_cast<int>(m.m_equal.size()));
        if (isNew)
            m.m_equal.emplace_back();
        m.m_equalOf[l] = at->second;
        m.m_equal[static_cast<std::size_t>(at->second)].push_back(static_cast<int>(l)); // slots come in the order of their micro-batches
    }
    m.takeOutWaits(job.barriers);
    return m;
}

void StepModel::takeOutWaits(const HiddenBarriers& barriers)
{
    m_transferLimit.assign(m_job->size(), std::numeric_limits<double>::infinity());
    m_gapLimit = m_transferLimit;
    if (m_job->job->replicasOfJob <= m_job->job->replicas)
        return;
    std::set<int> waiting; // workers behind a barrier
    for (const std::vector<int>& set : barriers)
        waiting.insert(set.begin(), set.end());
    const std::size_t slots = m_job->slots.size();
    std::vector<double> values;
    const auto low = [&](std::vector<double> RegularStep::*member, std::size_t at) {
        values.clear();
        for (const RegularStep& s : m_job->steps)
            values.push_back((s.*member)[at]);
        std::sort(values.begin(), values.end());
        return quantileOfSorted(values, kWithoutWait);
    };
    for (std::size_t i = 0; i < m_slotOf.size(); ++i) {
        const TraceOperation& o = m_pattern.operations[i];
        if (o.replica >= m_job->job->replicas)
            continue;
        const std::size_t at = static_cast<std::size_t>(o.replica) * slots + static_cast<std::size_t>(m_slotOf[i]);
        const int worker = o.replica * m_layout.stages + o.stage;
        if (isOverReplicas(o.type) || o.type == TraceOp::optimizerClip)
            m_transferLimit[at] = low(&RegularStep::seconds, at);
        if (waiting.contains(worker) && m_graph.firstOfTail[static_cast<std::size_t>(worker)] == static_cast<int>(i))
            m_gapLimit[at] = low(&RegularStep::gaps, at);
    }
}

void StepModel::draw(std::uint64_t seed, std::uint64_t k, DrawnStep& drawn) const
{
    const std::size_t steps = m_job->steps.size(), slots = m_job->slots.size(), measured = static_cast<std::size_t>(m_job->job->replicas);
    const auto replicas = static_cast<std::size_t>(m_layout.replicas), stages = static_cast<std::size_t>(m_layout.stages);
    const std::size_t micro = m_microBatches;
    const std::size_t t = pick(uniform(seed, stream(kStepDraw), k), steps);
    const RegularStep& source = m_job->steps[t];
    const bool placed = steps * measured >= kPlacedPairs && steps > kRun;
    const bool isComplete = m_job->job->replicasOfJob <= m_job->job->replicas && replicas <= measured && steps >= kJointSteps;
    std::vector<std::size_t> from(replicas);
    // For every (replica, micro-batch): the residuals' step, replica and micro-batch.
    struct Origin {
        std::size_t step, replica, microBatch;
    };
    std::vector<Origin> origins(replicas * micro);
    const std::size_t run = placed ? kRun : 1;
    for (std::size_t r = 0; r < replicas; ++r) {
        from[r] = r < measured ? r : pick(uniform(seed, stream(kReplicaDraw, r), k), measured);
        const bool keeps = isComplete && uniform(seed, stream(kKeepDraw, r), k) < 1 - kRedrawnReplicas / static_cast<double>(replicas);
        Origin origin{t, r, 0};
        for (std::size_t b = 0; b < micro; ++b) {
            if (b % run == 0 && !keeps) {
                const StreamId s = stream(kRunDraw, r, b);
                origin.step = pick(uniform(seed, s, 3 * k), steps);
                origin.replica = pick(uniform(seed, s, 3 * k + 1), measured);
                origin.microBatch = placed ? b : pick(uniform(seed, s, 3 * k + 2), micro);
            }
            origins[r * micro + b] = origin;
            ++origin.microBatch;
        }
    }
    std::vector<double> seconds(static_cast<std::size_t>(m_graph.graph.nodes()), 0.0), gaps(seconds.size(), 0.0);
    for (std::size_t i = 0; i < m_slotOf.size(); ++i) {
        const auto l = static_cast<std::size_t>(m_slotOf[i]);
        const auto r = static_cast<std::size_t>(m_pattern.operations[i].replica);
        const std::size_t own = from[r] * slots + l;
        gaps[i] = std::min(source.gaps[own], m_gapLimit[own]);
        if (m_microBatchOf[l] < 0) {
            seconds[i] = std::min(source.seconds[own], m_transferLimit[own]) * m_scale[l];
            continue;
        }
        const Origin& o = origins[r * micro + static_cast<std::size_t>(m_microBatchOf[l])];
        const std::vector<int>& equal = m_equal[static_cast<std::size_t>(m_equalOf[l])];
        const auto otherSlot = static_cast<std::size_t>(equal[o.microBatch % equal.size()]);
        seconds[i] = m_factors.mean[l] * m_factors.step[t]
                     * m_factors.ofWorker(m_job->slots[l].type, from[r] * stages + static_cast<std::size_t>(m_job->slots[l].stage))
                     * m_factors.residual[o.step][o.replica * slots + otherSlot];
    }
    m_graph.graph.run(seconds, gaps, drawn.times);
    drawn.seconds = drawn.times.seconds();
    const double first = *std::min_element(drawn.times.start.begin(), drawn.times.start.end());
    drawn.phase.assign(replicas, 0.0);
    for (std::size_t i = 0; i < m_slotOf.size(); ++i)
        if (m_microBatchOf[static_cast<std::size_t>(m_slotOf[i])] >= 0) {
            double& end = drawn.phase[static_cast<std::size_t>(m_pattern.operations[i].replica)];
            end = std::max(end, drawn.times.end[i] - first);
        }
}

TraceStep StepModel::operations(const DrawnStep& drawn, int number) const
{
    TraceStep step = m_pattern;
    step.number = number;
    for (std::size_t i = 0; i < step.operations.size(); ++i) {
        step.operations[i].start = drawn.times.start[i];
        step.operations[i].duration = std::max(0.0, drawn.times.end[i] - drawn.times.start[i]);
    }
    return step;
}

} // namespace prism
