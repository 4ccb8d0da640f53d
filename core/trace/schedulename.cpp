// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/schedulename.h"

#include "core/trace/pairing.h"

#include <algorithm>
#include <map>

namespace prism {

namespace {

/// Whether forwards and backwards take turns between the warm-up and the last forward.
bool alternates(const std::vector<bool>& isForward, int warmup)
{
    const auto last = static_cast<std::size_t>(std::find(isForward.rbegin(), isForward.rend(), true).base() - isForward.begin());
    for (auto k = static_cast<std::size_t>(warmup); k < last; ++k)
        if (isForward[k] != ((k - static_cast<std::size_t>(warmup)) % 2 == 1))
            return false;
    return true;
}

std::string nameOf(const std::vector<int>& warmup, int stages, int chunks, int microBatches, bool takesTurns)
{
    if (stages == 1)
        return "none";
    if (chunks > 1)
        return "interleaved";
    bool isOneByOne = takesTurns, isAllFirst = true, isDeeper = takesTurns;
    for (int s = 0; s < stages; ++s) {
        const int w = warmup[static_cast<std::size_t>(s)];
        isOneByOne = isOneByOne && w == std::min(microBatches, stages - s);
        isAllFirst = isAllFirst && w == microBatches;
        isDeeper = isDeeper && w == std::min(microBatches, 2 * (stages - s) - 1);
    }
    return isOneByOne ? "1f1b" : isAllFirst ? "gpipe" : isDeeper ? "zb-h2" : "custom";
}

} // namespace

RecoveredSchedule recoveredSchedule(const TraceStep& step, const TraceJob& job)
{
    RecoveredSchedule schedule;
    const std::vector<int> begins = workerBegins(step, job);
    bool takesTurns = true;
    int microBatches = 0;
    for (int s = 0; s < job.stages; ++s) {
        std::vector<bool> isForward;
        std::map<std::pair<TraceOp, int>, int> seen;
        std::string order;
        for (int i = begins[static_cast<std::size_t>(s)]; i < begins[static_cast<std::size_t>(s) + 1]; ++i) {
            const TraceOperation& o = step.operations[static_cast<std::size_t>(i)];
            if (!isCompute(o.type))
                continue;
            isForward.push_back(o.type == TraceOp::forwardCompute);
            order += (order.empty() ? "" : " ") + std::string(isForward.back() ? "F" : "B") + std::to_string(seen[{o.type, o.chunk}]++)
                     + (job.chunks > 1 ? "." + std::to_string(std::max(0, o.chunk)) : "");
        }
        const int warmup = static_cast<int>(std::find(isForward.begin(), isForward.end(), false) - isForward.begin());
        takesTurns = takesTurns && alternates(isForward, warmup);
        microBatches = static_cast<int>(std::count(isForward.begin(), isForward.end(), true)) / std::max(1, job.chunks);
        schedule.warmup.push_back(warmup);
        schedule.order.push_back(std::move(order));
    }
    schedule.name = nameOf(schedule.warmup, job.stages, job.chunks, microBatches, takesTurns);
    return schedule;
}

} // namespace prism
