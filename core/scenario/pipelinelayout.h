// SPDX-License-Identifier: GPL-3.0-or-later
// Uneven pipelines in Megatron-Core's notation (pipeline_model_parallel_layout): the layers of every chunk.
//
// One text, chunks in model order with "|" between them: E embedding, t transformer layer, m multi-token prediction layer,
// L output layer and loss; "t*3" and "(tt|)*4" repeat, commas mean nothing. "Ettt|(tt|)*29,m|L" has 32 chunks.
#pragma once

#include "core/scenario/scenario.h"

#include <string>
#include <string_view>
#include <vector>

namespace prism {

/// What one chunk holds.
struct ChunkContents {
    int layers = 0, mtpLayers = 0;
    bool embedding = false, loss = false;
    bool operator==(const ChunkContents&) const = default;
};

/// Reads a layout; every error names the character where it was found. At most 8,192 places.
[[nodiscard]] Result<std::vector<ChunkContents>> pipelineLayout(std::string_view text);

/// Why the layout of a scenario does not fit its model and its PP x VPP; empty when it does, or when there is no layout.
[[nodiscard]] Diagnostics pipelineLayoutErrors(const Scenario& scenario);

} // namespace prism
