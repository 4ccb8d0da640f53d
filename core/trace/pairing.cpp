// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/pairing.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

namespace prism {

namespace {

/// Place of a computation: replica, chunk along the path, how many of this chunk's went before, forward or backward.
using Place = std::tuple<int, int, int, bool>;

int pathChunk(const TraceOperation& o, const TraceJob& job)
{
    return std::max(0, o.chunk) * job.stages + o.stage;
}

/// Operations of one type of a worker by their start, as the step holds them.
std::vector<int> ofType(const TraceStep& step, int begin, int end, TraceOp type)
{
    std::vector<int> found;
    for (int i = begin; i < end; ++i)
        if (step.operations[static_cast<std::size_t>(i)].type == type)
            found.push_back(i);
    return found;
}

constexpr double kEdge = 5e-5; // seconds within which a transfer touches a computation

/// The transfers that were launched: a receive that starts after the last computation and a send that ends before the first one has ended
/// are entries of the profiler alone.
std::vector<int> launched(const TraceStep& step, const std::vector<int>& transfers, const std::vector<int>& computes)
{
    if (computes.empty())
        return transfers;
    double lastStart = -std::numeric_limits<double>::infinity(), firstEnd = -lastStart;
    for (const int i : computes) {
        const TraceOperation& o = step.operations[static_cast<std::size_t>(i)];
        lastStart = std::max(lastStart, o.start);
        firstEnd = std::min(firstEnd, o.end());
    }
    std::vector<int> kept;
    for (const int i : transfers) {
        const TraceOperation& o = step.operations[static_cast<std::size_t>(i)];
        if (isSend(o.type) ? o.end() >= firstEnd - kEdge : o.start <= lastStart + kEdge)
            kept.push_back(i);
    }
    return kept;
}

class Linker {
public:
    Linker(const TraceStep& step, const TraceJob& job) : m_step(step), m_job(job)
    {
        const std::size_t n = step.operations.size();
        m_links.sendOf.assign(n, -1);
        m_links.recvOf.assign(n, -1);
        m_links.computeOf.assign(n, -1);
        m_links.groupOf.assign(n, -1);
        m_links.feederOf.assign(n, -1);
    }

    StepLinks links()
    {
        const std::vector<int> begins = workerBegins(m_step, m_job);
        for (std::size_t w = 0; w + 1 < begins.size(); ++w)
            for (const bool forward : {true, false})
                linkWorker(begins[w], begins[w + 1], forward);
        pairTransfers();
        collectives();
        for (std::size_t k = 0; k < m_links.groups.size(); ++k)
            for (const int i : m_links.groups[k])
                m_links.groupOf[static_cast<std::size_t>(i)] = static_cast<int>(k);
        return std::move(m_links);
    }

private:
    [[nodiscard]] const TraceOperation& op(int i) const { return m_step.operations[static_cast<std::size_t>(i)]; }

    void linkWorker(int begin, int end, bool forward)
    {
        const std::vector<int> computes = ofType(m_step, begin, end, forward ? TraceOp::forwardCompute : TraceOp::backwardCompute);
        const int last = m_job.stages * m_job.chunks - 1;
        std::vector<int> sending, receiving;
        std::map<int, int> seen;
        for (const int i : computes) {
            const int chunk = pathChunk(op(i), m_job);
            m_places[{op(i).replica, chunk, seen[chunk]++, forward}] = i;
            if (chunk != (forward ? last : 0))
                sending.push_back(i);
            if (chunk != (forward ? 0 : last))
                receiving.push_back(i);
        }
        if (!m_job.transfersRecorded)
            return;
        match(computes, sending,
              launched(m_step, ofType(m_step, begin, end, forward ? TraceOp::forwardSend : TraceOp::backwardSend), computes),
              m_links.sendOf);
        match(computes, receiving,
              launched(m_step, ofType(m_step, begin, end, forward ? TraceOp::forwardRecv : TraceOp::backwardRecv), computes),
              m_links.recvOf);
    }

    /// Gives the transfers in their order to all computations or to those with a partner on another stage, depending on the counts.
    void match(const std::vector<int>& all, const std::vector<int>& needing, const std::vector<int>& transfers,
               std::vector<int>& transferOf)
    {
        const bool first = &transferOf == &m_links.recvOf && transfers.size() + 1 == all.size() && transfers.size() != needing.size();
        const std::vector<int>& computes = first || transfers.size() == all.size() ? all : needing;
        const std::size_t skipped = first ? 1 : 0; // interleaved: the very first receive may be missing
        const std::size_t both = std::min(computes.size() - std::min(skipped, computes.size()), transfers.size());
        for (std::size_t k = 0; k < both; ++k) {
            transferOf[static_cast<std::size_t>(computes[k + skipped])] = transfers[k];
            m_links.computeOf[static_cast<std::size_t>(transfers[k])] = computes[k + skipped];
        }
        m_links.unmatched += static_cast<int>(transfers.size() - both);
    }

    /// Joins each computation's send with the receive of the computation that it feeds.
    void pairTransfers()
    {
        for (const auto& [place, i] : m_places) {
            const auto [replica, chunk, k, forward] = place;
            const auto next = m_places.find({replica, forward ? chunk + 1 : chunk - 1, k, forward});
            if (next == m_places.end())
                continue;
            m_links.feederOf[static_cast<std::size_t>(next->second)] = i;
            const int send = m_links.sendOf[static_cast<std::size_t>(i)];
            const int recv = m_links.recvOf[static_cast<std::size_t>(next->second)];
            if (send >= 0 && recv >= 0)
                m_links.groups.push_back({send, recv});
            else if (m_job.transfersRecorded)
                ++m_links.unmatched;
        }
    }

    void collectives()
    {
        std::map<std::tuple<TraceOp, int, int, int>, std::vector<int>> groups; // type, replica or stage, chunk, how many went before
        std::map<std::tuple<int, TraceOp, int>, int> seen;                     // worker, type, chunk
        for (std::size_t k = 0; k < m_step.operations.size(); ++k) {
            const TraceOperation& o = m_step.operations[k];
            const int before = seen[{m_job.worker(o), o.type, o.chunk}]++;
            if (o.type == TraceOp::paramsAllGather || o.type == TraceOp::gradsReduceScatter || o.type == TraceOp::separateGradsAllReduce)
                groups[{o.type, o.stage, o.chunk, before}].push_back(static_cast<int>(k));
            else if (o.type == TraceOp::embeddingAllReduce)
                groups[{o.type, o.replica, 0, before}].push_back(static_cast<int>(k));
            else if (o.type == TraceOp::optimizerClip)
                groups[{o.type, 0, 0, before}].push_back(static_cast<int>(k));
        }
        for (auto& [key, members] : groups)
            if (members.size() > 1)
                m_links.groups.push_back(std::move(members));
    }

    const TraceStep& m_step;
    const TraceJob& m_job;
    StepLinks m_links;
    std::map<Place, int> m_places;
};

} // namespace

std::vector<int> workerBegins(const TraceStep& step, const TraceJob& job)
{
    std::vector<int> begins(static_cast<std::size_t>(job.workers()) + 1, 0);
    for (const TraceOperation& o : step.operations)
        ++begins[static_cast<std::size_t>(job.worker(o)) + 1];
    for (std::size_t w = 1; w < begins.size(); ++w)
        begins[w] += begins[w - 1];
    return begins;
}

StepLinks stepLinks(const TraceStep& step, const TraceJob& job)
{
    return Linker(step, job).links();
}

std::vector<double> transferSeconds(const TraceStep& step, const StepLinks& links)
{
    std::vector<double> seconds(step.operations.size());
    for (std::size_t i = 0; i < seconds.size(); ++i)
        seconds[i] = step.operations[i].duration;
    for (const std::vector<int>& group : links.groups) {
        double latest = step.operations[static_cast<std::size_t>(group.front())].start;
        for (const int i : group)
            latest = std::max(latest, step.operations[static_cast<std::size_t>(i)].start);
        for (const int i : group) {
            const double own = step.operations[static_cast<std::size_t>(i)].end() - latest;
            seconds[static_cast<std::size_t>(i)] = own <= -kClockError ? 0.0 : own;
        }
    }
    return seconds;
}

} // namespace prism
