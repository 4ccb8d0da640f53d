// SPDX-License-Identifier: GPL-3.0-or-later
// Recovers and names the pipeline schedule of a measured step.
#pragma once

#include "core/trace/tracejob.h"

namespace prism {

struct RecoveredSchedule {
    std::string name;               ///< "1f1b", "gpipe", "interleaved", "zb-h2", "none" (one stage) or "custom"
    std::vector<std::string> order; ///< of each stage in the first replica: "F0 F1 B0 ..."; "F0.1" = chunk 1
    std::vector<int> warmup;        ///< forwards before the first backward; [stages]
};

/// Names: gpipe = all forwards first; 1f1b = stage s of P starts min(M, P - s) forwards, then alternates; zb-h2 = the same with up to twice
/// as many (arXiv 2401.10241); interleaved = several chunks (Megatron-LM). Else custom.
[[nodiscard]] RecoveredSchedule recoveredSchedule(const TraceStep& step, const TraceJob& job);

} // namespace prism
