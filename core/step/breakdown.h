// SPDX-License-Identifier: GPL-3.0-or-later
// The time of the noise-free step by purpose.
#pragma once

#include "core/step/criticalpath.h"

#include <optional>
#include <string_view>

namespace prism {

/// Seconds of the noise-free step; they sum to it. The replica is that of the critical path (criticalpath.h), whose tail (synchronisation,
/// optimizer, parameter gather) counts by its purpose. The time before the tail is that of the replica's busiest stage: its kernels and
/// exposed collectives by category; of its waiting time, the path's transfers are `pipeline` and the rest is the bubble, in which the stage
/// has nothing to do while the pipeline fills and drains. For equal stages under 1F1B that is (P - 1)(t_forward + t_backward) (Narayanan et
/// al. 2021, arXiv 2104.04473, section 2.2.1).
struct Breakdown {
    double computeSeconds = 0, tensorParallelSeconds = 0, contextParallelSeconds = 0, expertParallelSeconds = 0, pipelineSeconds = 0,
           bubbleSeconds = 0, dataParallelSeconds = 0, optimizerSeconds = 0, otherSeconds = 0;
    [[nodiscard]] double sum() const
    {
        return computeSeconds + tensorParallelSeconds + contextParallelSeconds + expertParallelSeconds + pipelineSeconds + bubbleSeconds
               + dataParallelSeconds + optimizerSeconds + otherSeconds;
    }
};

/// One part of a breakdown: its names in JSON, in a line of text and on charts.
struct BreakdownPart {
    std::string_view key, shortName, label; ///< "tensor_parallel", "TP", "Tensor parallel"
    double Breakdown::*seconds;
    std::optional<Category> category; ///< of its kernel classes
    bool isWaiting = false, isCommunication = false;
};

/// In the order of the members.
inline constexpr std::array<BreakdownPart, 9> kBreakdownParts{{
    {"compute", "compute", "Compute", &Breakdown::computeSeconds, Category::compute},
    {"tensor_parallel", "TP", "Tensor parallel", &Breakdown::tensorParallelSeconds, Category::tensorParallel, false, true},
    {"context_parallel", "CP", "Context parallel", &Breakdown::contextParallelSeconds, Category::contextParallel, false, true},
    {"expert_parallel", "EP", "Expert parallel", &Breakdown::expertParallelSeconds, Category::expertParallel, false, true},
    {"pipeline", "pipeline", "Pipeline transfers", &Breakdown::pipelineSeconds, Category::pipeline, true, true},
    {"bubble", "bubble", "Bubble", &Breakdown::bubbleSeconds, {}, true},
    {"data_parallel", "DP", "Data parallel", &Breakdown::dataParallelSeconds, Category::dataParallel, false, true},
    {"optimizer", "optimizer", "Optimizer", &Breakdown::optimizerSeconds, Category::optimizer},
    {"other", "other", "Host", &Breakdown::otherSeconds, Category::other, true},
}};

/// `path`: that of the step. Precondition: check(graph) found no error. Pure; any thread.
[[nodiscard]] Breakdown breakdownOf(const StepGraph& graph, const DeterministicStep& step, const CriticalPath& path);
/// The same, computing both first: slow spots and fixedSpatial as given.
[[nodiscard]] Breakdown breakdownOf(const StepGraph& graph);

/// The noise-free step on each stage of the path's replica: its own work, synchronisation, optimizer and parameter gather; the rest is
/// waiting, divided as in `Breakdown`. Each sums to the step. The busiest stage has the breakdown of the step where the path ends on it.
[[nodiscard]] std::vector<Breakdown> stageBreakdowns(const StepGraph& graph, const DeterministicStep& step, const CriticalPath& path);

/// Neighbouring stages with nearly the same breakdown.
struct StageRange {
    int first = 0, last = 0;
};
/// All stages in at most `maxRanges` ranges. No part of a stage differs from that of the first stage of its range by more than 0.5 % of the
/// step; the tolerance is doubled until there are few enough ranges.
[[nodiscard]] std::vector<StageRange> similarStages(const std::vector<Breakdown>& stages, std::size_t maxRanges);

} // namespace prism
