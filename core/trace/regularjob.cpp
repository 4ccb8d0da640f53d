// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/regularjob.h"

#include "core/base/diagnostictext.h"
#include <algorithm>
#include <map>

namespace prism {

namespace {

using Slotted = std::vector<std::pair<OperationSlot, int>>; // with the operation's index

/// Slots of one replica's operations [begin, end), sorted.
Slotted slotsOf(const TraceStep& step, int begin, int end)
{
    Slotted slots;
    std::map<std::pair<int, TraceOp>, int> ordinal;
    std::map<std::tuple<int, TraceOp, int>, int> microBatch;
    for (int i = begin; i < end; ++i) {
        const TraceOperation& o = step.operations[static_cast<std::size_t>(i)];
        OperationSlot slot{.stage = o.stage, .type = o.type, .ordinal = ordinal[{o.stage, o.type}]++};
        if (isCompute(o.type)) {
            slot.chunk = std::max(0, o.chunk);
            slot.microBatch = microBatch[{o.stage, o.type, slot.chunk}]++;
        }
        slots.emplace_back(slot, i);
    }
    std::sort(slots.begin(), slots.end());
    return slots;
}

/// Slots of the first replica where all replicas have the same; else none.
std::vector<OperationSlot> structureOf(const TraceStep& step, const TraceJob& job, std::vector<int>& operation)
{
    std::vector<OperationSlot> structure;
    const std::vector<int> begins = workerBegins(step, job);
    operation.clear();
    for (int r = 0; r < job.replicas; ++r) {
        const Slotted slots =
            slotsOf(step, begins[static_cast<std::size_t>(r * job.stages)], begins[static_cast<std::size_t>((r + 1) * job.stages)]);
        std::vector<OperationSlot> own;
        for (const auto& [slot, i] : slots) {
            own.push_back(slot);
            operation.push_back(i);
        }
        if (r == 0)
            structure = std::move(own);
        else if (own != structure)
            return {};
    }
    return structure;
}

bool measure(RegularStep& s, const RegularJob& regular)
{
    const TraceJob& job = *regular.job;
    const StepLinks links = stepLinks(*s.step, job);
    const auto graph = blockingGraph(*s.step, job, links, regular.barriers, regular.overlapped);
    if (!graph)
        return false;
    const std::vector<double> seconds = transferSeconds(*s.step, links), gaps = launchGaps(*s.step, *graph);
    for (const int i : s.operation) {
        s.seconds.push_back(seconds[static_cast<std::size_t>(i)]);
        s.gaps.push_back(gaps[static_cast<std::size_t>(i)]);
    }
    s.begin = s.step->begin();
    s.stepSeconds = s.step->seconds();
    s.phaseSeconds = phaseSeconds(*s.step, job);
    return true;
}

} // namespace

std::vector<double> phaseSeconds(const TraceStep& step, const TraceJob& job)
{
    std::vector<double> end(static_cast<std::size_t>(job.replicas), 0.0);
    const double begin = step.begin();
    for (const TraceOperation& o : step.operations)
        if (isCompute(o.type))
            end[static_cast<std::size_t>(o.replica)] = std::max(end[static_cast<std::size_t>(o.replica)], o.end() - begin);
    return end;
}

Result<RegularJob> regularJob(const TraceJob& job, const HiddenBarriers& barriers)
{
    std::map<std::vector<OperationSlot>, std::vector<RegularStep>> byStructure;
    for (const TraceStep& step : job.steps) {
        RegularStep s{.step = &step};
        std::vector<OperationSlot> structure = structureOf(step, job, s.operation);
        if (!structure.empty())
            byStructure[std::move(structure)].push_back(std::move(s));
    }
    const auto commonest = std::max_element(byStructure.begin(), byStructure.end(),
                                            [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
    RegularJob regular{.job = &job, .barriers = barriers, .overlapped = overlappedSlots(job)};
    if (commonest != byStructure.end()) {
        regular.slots = commonest->first;
        regular.steps = std::move(commonest->second);
        std::erase_if(regular.steps, [&](RegularStep& s) { return !measure(s, regular); });
    }
    if (regular.steps.empty())
        return errorAt(job.name, "the replicas of no step have the same operations", "", "a step with equal replicas");
    if (regular.steps.size() < job.steps.size())
        regular.notes.push_back({Severity::warning, job.name,
                                 std::to_string(job.steps.size() - regular.steps.size()) + " of " + std::to_string(job.steps.size())
                                     + " steps have other operations than most and were omitted",
                                 "", "", "", ""});
    return regular;
}

} // namespace prism
