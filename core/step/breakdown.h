// SPDX-License-Identifier: GPL-3.0-or-later
// The time of the noise-free step by purpose.
#pragma once

#include "core/step/criticalpath.h"

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

/// `path`: that of the step. Precondition: check(graph) found no error. Pure; any thread.
[[nodiscard]] Breakdown breakdownOf(const StepGraph& graph, const DeterministicStep& step, const CriticalPath& path);
/// The same, computing both first: slow spots and fixedSpatial as given.
[[nodiscard]] Breakdown breakdownOf(const StepGraph& graph);

} // namespace prism
