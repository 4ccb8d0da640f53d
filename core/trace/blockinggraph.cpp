// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/blockinggraph.h"

#include "core/trace/pairing.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <span>

namespace prism {

namespace {

constexpr double kMinOverlapSeconds = 1e-4, kMinOverlapShare = 0.05;

/// Calls `use` with the operations of each worker of each step.
void eachWorker(const TraceJob& job, const std::function<void(std::span<const TraceOperation>)>& use)
{
    for (const TraceStep& step : job.steps) {
        const std::vector<int> begins = workerBegins(step, job);
        for (std::size_t w = 0; w + 1 < begins.size(); ++w)
            use(std::span(step.operations)
                    .subspan(static_cast<std::size_t>(begins[w]), static_cast<std::size_t>(begins[w + 1] - begins[w])));
    }
}

/// Seconds of each operation during which computations of its worker run; 0 for operations that are always in order.
std::vector<double> overlaps(std::span<const TraceOperation> worker)
{
    std::vector<double> seconds(worker.size(), 0.0);
    double busyUntil = -std::numeric_limits<double>::infinity(); // of computations that started before
    for (std::size_t i = 0; i < worker.size(); ++i) {
        const TraceOperation& o = worker[i];
        if (isCompute(o.type)) {
            busyUntil = std::max(busyUntil, o.end());
            continue;
        }
        if (!isTransfer(o.type) && !isDataParallel(o.type) && o.type != TraceOp::garbageCollection)
            continue;
        seconds[i] = std::max(0.0, std::min(o.end(), busyUntil) - o.start);
        for (std::size_t k = i + 1; k < worker.size() && worker[k].start < o.end(); ++k)
            if (isCompute(worker[k].type))
                seconds[i] += std::min(o.end(), worker[k].end()) - worker[k].start;
    }
    return seconds;
}

} // namespace

double clockGrain(const TraceJob& job)
{
    double grain = 0;
    eachWorker(job, [&](std::span<const TraceOperation> worker) {
        const TraceOperation* before = nullptr;
        for (const TraceOperation& o : worker) {
            if (!isCompute(o.type))
                continue;
            const double overlap = before != nullptr ? before->end() - o.start : 0.0;
            if (before != nullptr && overlap < kMinOverlapShare * std::min(before->duration, o.duration))
                grain = std::max(grain, overlap);
            before = &o;
        }
    });
    return grain;
}

OverlappedSlots overlappedSlots(const TraceJob& job)
{
    const double limit = std::max(kMinOverlapSeconds, 2 * clockGrain(job));
    std::map<std::tuple<int, TraceOp, int>, int> balance; // workers in which the slot is overlapped less those in which it is not
    eachWorker(job, [&](std::span<const TraceOperation> worker) {
        const std::vector<double> seconds = overlaps(worker);
        std::map<TraceOp, int> ordinal;
        for (std::size_t i = 0; i < worker.size(); ++i) {
            const TraceOperation& o = worker[i];
            const bool isMark = o.type == TraceOp::garbageCollection && o.duration < kMinOverlapSeconds;
            const bool isOverlapped = isMark || (seconds[i] > limit && seconds[i] > kMinOverlapShare * o.duration);
            balance[{o.stage, o.type, ordinal[o.type]++}] += isOverlapped ? 1 : -1;
        }
    });
    OverlappedSlots slots;
    for (const auto& [slot, excess] : balance)
        if (excess > 0)
            slots.insert(slot);
    return slots;
}

namespace {

constexpr double kTogether = 1e-4; // seconds within which transfers are posted together

bool isPipeline(TraceOp type)
{
    return isCompute(type) || isTransfer(type) || type == TraceOp::garbageCollection;
}

/// One worker's program.
class WorkerProgram {
public:
    /// `feeds`: transfers are not recorded, a computation waits for the one that feeds it.
    WorkerProgram(const TraceStep& step, const StepLinks& links, ReplayGraph::Builder& builder, const OverlappedSlots& overlapped,
                  bool feeds)
        : m_step(step),
          m_links(links),
          m_builder(builder),
          m_overlapped(overlapped),
          m_feeds(feeds)
    {
    }

    /// Adds the worker's dependencies and returns its first operation after the pipeline; -1 = none. Its operations from there on wait for
    /// what `last` names afterwards.
    int add(int begin, int end)
    {
        m_before.clear();
        m_batch.clear();
        m_last.fill(-1);
        m_chunkGather.clear();
        markOverlapped(begin, end);
        int lastOfPipeline = begin - 1;
        for (int i = begin; i < end; ++i)
            if (isPipeline(op(i).type) && !m_isOverlapped[static_cast<std::size_t>(i - begin)])
                lastOfPipeline = i;
        int tail = -1;
        for (int i = begin; i < end; ++i) {
            if (m_isOverlapped[static_cast<std::size_t>(i - begin)]) {
                addOverlapped(i);
                continue;
            }
            if (i > lastOfPipeline && tail < 0) {
                tail = i;
                closeBatch();
                m_pipelineEnd = m_before;
            }
            addInOrder(i, i == tail);
        }
        if (tail < 0) {
            closeBatch();
            m_pipelineEnd = m_before;
        }
        return tail;
    }
    /// What the first operation of the tail follows.
    [[nodiscard]] const std::vector<int>& pipelineEnd() const { return m_pipelineEnd; }

private:
    [[nodiscard]] const TraceOperation& op(int i) const { return m_step.operations[static_cast<std::size_t>(i)]; }

    void markOverlapped(int begin, int end)
    {
        m_isOverlapped.clear();
        std::array<int, kTraceOps> ordinal{};
        for (int i = begin; i < end; ++i)
            m_isOverlapped.push_back(m_overlapped.contains({op(i).stage, op(i).type, ordinal[static_cast<std::size_t>(op(i).type)]++}));
    }
    void follow(int node, int on)
    {
        if (node >= 0 && on >= 0)
            m_builder.addDependency(node, on);
    }
    void closeBatch()
    {
        if (!m_batch.empty())
            m_before = std::move(m_batch);
        m_batch.clear();
    }
    void addInOrder(int i, bool afterBarrier)
    {
        const auto isPostedWith = [&](int j) {
            const double overlap = std::min(op(i).end(), op(j).end()) - op(i).start;
            return isTransfer(op(j).type) && op(i).start - op(j).start <= kTogether
                   && overlap >= 0.5 * std::min(op(i).duration, op(j).duration);
        };
        const bool together = isTransfer(op(i).type) && !m_batch.empty() && std::all_of(m_batch.begin(), m_batch.end(), isPostedWith);
        if (!together)
            closeBatch();
        if (!afterBarrier)
            for (const int j : m_before)
                follow(i, j);
        m_batch.push_back(i);
        if (isCompute(op(i).type))
            addCompute(i);
        m_last[static_cast<std::size_t>(op(i).type)] = i;
    }
    /// A computation waits for its receive also where that is overlapped, and for its feeder where no transfers are recorded.
    void addCompute(int i)
    {
        follow(i, m_links.recvOf[static_cast<std::size_t>(i)]);
        if (m_feeds)
            follow(i, m_links.feederOf[static_cast<std::size_t>(i)]);
        if (op(i).type == TraceOp::forwardCompute)
            if (const auto at = m_chunkGather.find(op(i).chunk); at != m_chunkGather.end()) {
                follow(i, at->second);
                m_chunkGather.erase(at);
            }
    }
    void addOverlapped(int i)
    {
        const TraceOp type = op(i).type;
        int& last = m_last[static_cast<std::size_t>(type)];
        follow(i, last);
        if (isSend(type))
            follow(i, m_links.computeOf[static_cast<std::size_t>(i)]);
        if (type == TraceOp::paramsAllGather)
            m_chunkGather[op(i).chunk] = i;
        if (type == TraceOp::gradsReduceScatter || type == TraceOp::garbageCollection)
            follow(i, m_last[static_cast<std::size_t>(TraceOp::backwardCompute)]);
        last = i;
    }

    const TraceStep& m_step;
    const StepLinks& m_links;
    ReplayGraph::Builder& m_builder;
    const OverlappedSlots& m_overlapped;
    std::vector<bool> m_isOverlapped;
    std::vector<int> m_before, m_batch, m_pipelineEnd;
    std::array<int, kTraceOps> m_last{};
    std::map<int, int> m_chunkGather;
    bool m_feeds;
};

} // namespace

std::optional<BlockingGraph> blockingGraph(const TraceStep& step, const TraceJob& job, const StepLinks& links,
                                           const HiddenBarriers& barriers, const OverlappedSlots& overlapped)
{
    ReplayGraph::Builder builder;
    (void)builder.addNodes(static_cast<int>(step.operations.size()));
    const std::vector<int> begins = workerBegins(step, job);
    std::vector<std::vector<int>> ends; // of each worker's pipeline, then of the barriers behind it
    BlockingGraph result;
    WorkerProgram program(step, links, builder, overlapped, !job.transfersRecorded);
    for (std::size_t w = 0; w + 1 < begins.size(); ++w) {
        result.firstOfTail.push_back(program.add(begins[w], begins[w + 1]));
        ends.push_back(program.pipelineEnd());
    }
    for (const std::vector<int>& workers : barriers) {
        const int first = builder.addNodes(static_cast<int>(workers.size()));
        std::vector<int> members;
        for (std::size_t k = 0; k < workers.size(); ++k) {
            std::vector<int>& end = ends[static_cast<std::size_t>(workers[k])];
            members.push_back(first + static_cast<int>(k));
            for (const int node : end)
                builder.addDependency(members.back(), node);
            end = {members.back()};
        }
        builder.addGroup(members);
        result.barriers.push_back(std::move(members));
    }
    for (std::size_t w = 0; w < ends.size(); ++w)
        for (const int node : ends[w])
            if (result.firstOfTail[w] >= 0)
                builder.addDependency(result.firstOfTail[w], node);
    for (const std::vector<int>& group : links.groups)
        builder.addGroup(group);
    std::optional<ReplayGraph> graph = builder.graph();
    if (!graph)
        return std::nullopt;
    result.graph = std::move(*graph);
    return result;
}

std::vector<double> launchGaps(const TraceStep& step, const BlockingGraph& graph)
{
    const auto nodes = static_cast<std::size_t>(graph.graph.nodes());
    const double begin = step.begin();
    std::vector<double> end(nodes, begin), gaps(nodes, 0.0);
    for (std::size_t i = 0; i < step.operations.size(); ++i)
        end[i] = step.operations[i].end();
    const auto ready = [&](int node) {
        const std::span<const int> on = graph.graph.dependencies(node);
        double latest = on.empty() ? begin : -std::numeric_limits<double>::infinity();
        for (const int d : on)
            latest = std::max(latest, end[static_cast<std::size_t>(d)]);
        return latest;
    };
    for (const std::vector<int>& members : graph.barriers) {
        double latest = begin;
        for (const int member : members)
            latest = std::max(latest, ready(member));
        for (const int member : members)
            end[static_cast<std::size_t>(member)] = latest;
    }
    for (std::size_t i = 0; i < step.operations.size(); ++i) {
        gaps[i] = step.operations[i].start - ready(static_cast<int>(i));
        if (gaps[i] <= -kClockError)
            gaps[i] = 0;
    }
    return gaps;
}

std::vector<double> nodeSeconds(const TraceStep& step, const StepLinks& links, const BlockingGraph& graph)
{
    std::vector<double> seconds = transferSeconds(step, links);
    seconds.resize(static_cast<std::size_t>(graph.graph.nodes()), 0.0);
    return seconds;
}

} // namespace prism
