// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of a breakdown as a table: their names in JSON, in one line of text and on charts.
#pragma once

#include "core/step/breakdown.h"

#include <optional>
#include <string_view>

namespace prism {

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

} // namespace prism
