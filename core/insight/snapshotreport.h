// SPDX-License-Identifier: GPL-3.0-or-later
// A snapshot and its parts as JSON: what `predict --json` prints and what Python gives as dicts. Keys never change meaning; each has its
// row in the table of metrics (core/insight/figures).
#pragma once

#include "core/engine/evaluator.h"

#include <nlohmann/json_fwd.hpp>

namespace prism::report {

[[nodiscard]] nlohmann::ordered_json json(const MemoryReport& memory); ///< memory_gib: peak, capacity, fits, stages
[[nodiscard]] nlohmann::ordered_json json(const Breakdown& breakdown); ///< breakdown_s: seconds by category
[[nodiscard]] nlohmann::ordered_json json(const VarianceShare& share); ///< variance_share, with the half-widths in "ci95"
[[nodiscard]] nlohmann::ordered_json json(const World& world);         ///< GPUs, nodes, layout, micro-batches
[[nodiscard]] nlohmann::ordered_json json(const Snapshot& snapshot);   ///< all of it. Precondition: complete and valid

} // namespace prism::report
