// SPDX-License-Identifier: GPL-3.0-or-later
// Runs a schedule item by item: an order of all stages in which every dependency comes first.
#include "core/schedule/pieces.h"

namespace prism {
namespace {

/// What has run so far: forwards and backwards by path index and micro-batch. Forwards run along the path, backwards against it.
class Progress final {
public:
    explicit Progress(const Schedule& s)
        : m_last(s.path.size() - 1),
          m_microbatches(static_cast<std::size_t>(s.numMicrobatches)),
          m_forward(s.path.size() * m_microbatches, 0),
          m_backward(m_forward)
    {
    }
    [[nodiscard]] bool ready(const PassStep& step, std::size_t p) const
    {
        if (!step.waits)
            return true;
        const ScheduleItem& i = step.item;
        const std::size_t at = p * m_microbatches + i.microbatch;
        if (i.phase == Phase::forward)
            return p == 0 || m_forward[at - m_microbatches] != 0;
        if (i.phase == Phase::backward)
            return m_forward[at] != 0 && (p == m_last || m_backward[at + m_microbatches] != 0);
        return m_backward[at] != 0;
    }
    void run(const PassStep& step, std::size_t p)
    {
        const ScheduleItem& i = step.item;
        if (i.phase != Phase::weight && step.handsOn)
            (i.phase == Phase::forward ? m_forward : m_backward)[p * m_microbatches + i.microbatch] = 1;
    }

private:
    std::size_t m_last, m_microbatches;
    std::vector<char> m_forward, m_backward;
};

} // namespace

std::vector<ScheduleNode> executionOrder(const Schedule& s)
{
    const auto numChunks = static_cast<std::size_t>(s.numChunks);
    std::vector<int> indices; // on the path, of each stage * chunks + chunk
    for (const std::vector<int>& ofStage : pathIndices(s))
        indices.insert(indices.end(), ofStage.begin(), ofStage.end());
    const int last = static_cast<int>(s.path.size()) - 1;
    const std::vector<StageSteps> steps(s.order.begin(), s.order.end());
    std::size_t total = 0;
    for (const StageSteps& ofStage : steps)
        total += ofStage.size();
    std::vector<ScheduleNode> nodes;
    nodes.reserve(total);
    Progress progress(s);
    std::vector<std::size_t> next(static_cast<std::size_t>(s.numStages), 0);
    // Stages whose next item may have become ready; a finished item can only wake its neighbours on the path.
    std::vector<int> work;
    for (int stage = s.numStages - 1; stage >= 0; --stage)
        work.push_back(stage);
    while (!work.empty()) {
        const int stage = work.back();
        work.pop_back();
        const StageSteps& order = steps[static_cast<std::size_t>(stage)];
        std::size_t& at = next[static_cast<std::size_t>(stage)];
        for (; at < order.size(); ++at) {
            const PassStep step = order[at];
            const ScheduleItem& i = step.item;
            const int p = indices[static_cast<std::size_t>(stage) * numChunks + i.chunk];
            if (!progress.ready(step, static_cast<std::size_t>(p)))
                break;
            progress.run(step, static_cast<std::size_t>(p));
            nodes.push_back({stage, i, p, step.waits, step.runs, step.handsOn, step.paired});
            const int wakes = i.phase == Phase::forward ? p + 1 : p - 1;
            if (i.phase != Phase::weight && step.handsOn && wakes >= 0 && wakes <= last)
                work.push_back(s.path[static_cast<std::size_t>(wakes)][0]);
        }
    }
    return nodes;
}

} // namespace prism
