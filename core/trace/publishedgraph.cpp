// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/blockinggraph.h"

#include <algorithm>
#include <map>

namespace prism {

namespace {

/// What one worker's operations wait for.
class WorkerChains {
public:
    WorkerChains(const TraceStep& step, const StepLinks& links, ReplayGraph::Builder& builder)
        : m_step(step),
          m_links(links),
          m_builder(builder)
    {
    }

    void add(int begin, int end)
    {
        for (std::vector<int>& operations : m_ofType)
            operations.clear();
        m_computes.clear();
        for (int i = begin; i < end; ++i) {
            m_ofType[static_cast<std::size_t>(type(i))].push_back(i);
            if (isCompute(type(i)))
                m_computes.push_back(i);
        }
        chain(m_computes, -1);
        for (const TraceOp t : {TraceOp::forwardSend, TraceOp::forwardRecv, TraceOp::backwardSend, TraceOp::backwardRecv})
            chain(of(t), -1);
        for (const TraceOp t : {TraceOp::forwardCompute, TraceOp::backwardCompute})
            addTransfers(of(t));
        addFirstBackward();
        addGathers();
        addTail();
    }

private:
    [[nodiscard]] TraceOp type(int i) const { return m_step.operations[static_cast<std::size_t>(i)].type; }
    [[nodiscard]] int chunk(int i) const { return m_step.operations[static_cast<std::size_t>(i)].chunk; }
    [[nodiscard]] const std::vector<int>& of(TraceOp t) const { return m_ofType[static_cast<std::size_t>(t)]; }
    void follow(int node, int on)
    {
        if (node >= 0 && on >= 0)
            m_builder.addDependency(node, on);
    }
    /// Each after the one before, the first after `before`; the last of the chain comes back.
    int chain(const std::vector<int>& nodes, int before)
    {
        for (const int i : nodes) {
            follow(i, before);
            before = i;
        }
        return before;
    }
    void addTransfers(const std::vector<int>& computes)
    {
        int before = -1;
        for (const int i : computes) {
            const int recv = m_links.recvOf[static_cast<std::size_t>(i)];
            follow(i, recv);
            follow(recv, before);
            follow(m_links.sendOf[static_cast<std::size_t>(i)], i);
            before = i;
        }
    }
    void addFirstBackward()
    {
        const auto first = std::find_if(m_computes.begin(), m_computes.end(), [&](int i) { return type(i) == TraceOp::backwardCompute; });
        if (first - m_computes.begin() < 2 || first == m_computes.end())
            return;
        for (const TraceOp t : {TraceOp::backwardRecv, TraceOp::backwardSend})
            if (!of(t).empty() && m_links.computeOf[static_cast<std::size_t>(of(t).front())] >= 0)
                follow(of(t).front(), *(first - 2));
    }
    void addGathers()
    {
        std::vector<int> both = of(TraceOp::paramsAllGather);
        both.insert(both.end(), of(TraceOp::gradsReduceScatter).begin(), of(TraceOp::gradsReduceScatter).end());
        std::sort(both.begin(), both.end());
        chain(both, -1);
        std::map<int, int> gather;
        for (const int i : of(TraceOp::paramsAllGather))
            gather[chunk(i)] = i;
        for (const int i : of(TraceOp::forwardCompute)) {
            const auto at = gather.find(chunk(i));
            if (at == gather.end())
                continue;
            follow(i, at->second);
            gather.erase(at);
        }
    }
    void addTail()
    {
        const bool overlaps = !of(TraceOp::separateGradsAllReduce).empty();
        int before = chain(of(TraceOp::garbageCollection), m_computes.empty() ? -1 : m_computes.back());
        const std::vector<int>& layernorm = of(TraceOp::layernormAllReduce);
        if (overlaps) {
            std::map<int, int> lastBackward;
            for (const int i : of(TraceOp::backwardCompute))
                lastBackward[chunk(i)] = i;
            for (const int i : of(TraceOp::gradsReduceScatter))
                if (const auto at = lastBackward.find(chunk(i)); at != lastBackward.end()) {
                    follow(i, at->second);
                    lastBackward.erase(at);
                }
            if (!layernorm.empty() && !of(TraceOp::gradsReduceScatter).empty())
                follow(layernorm.front(), of(TraceOp::gradsReduceScatter).back());
        }
        before = chain(layernorm, before);
        before = chain(of(TraceOp::embeddingAllReduce), before);
        before = chain(of(overlaps ? TraceOp::separateGradsAllReduce : TraceOp::gradsReduceScatter), before);
        before = chain(of(TraceOp::optimizerClip), before);
        chain(of(TraceOp::optimizer), before);
    }

    const TraceStep& m_step;
    const StepLinks& m_links;
    ReplayGraph::Builder& m_builder;
    std::array<std::vector<int>, kTraceOps> m_ofType;
    std::vector<int> m_computes;
};

} // namespace

std::optional<ReplayGraph> publishedGraph(const TraceStep& step, const TraceJob& job, const StepLinks& links)
{
    ReplayGraph::Builder builder;
    (void)builder.addNodes(static_cast<int>(step.operations.size()));
    const std::vector<int> begins = workerBegins(step, job);
    WorkerChains chains(step, links, builder);
    for (std::size_t w = 0; w + 1 < begins.size(); ++w)
        chains.add(begins[w], begins[w + 1]);
    for (const std::vector<int>& group : links.groups)
        builder.addGroup(group);
    return builder.graph();
}

} // namespace prism
