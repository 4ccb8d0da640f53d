// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/overlappedslots.h"

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

} // namespace prism
