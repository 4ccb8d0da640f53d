// SPDX-License-Identifier: GPL-3.0-or-later
// Caveats of a result: the job does not fit, is outside of the validated range, or has a fitted tail.
#pragma once

#include "core/engine/evaluator.h"

#include <string>
#include <vector>

namespace prism {

/// The highest MFU among the published steps that the model is checked on: 56.3 % (Korthikanti et al., Reducing Activation
/// Recomputation in Large Transformer Models, 2022, table 5, the 1T model).
inline constexpr double kHighestPublishedMfu = 0.563;

/// One caveat of a result, worst first.
struct Caveat {
    enum class Kind { doesNotFit, outsideCalibration, unheardOf };
    Kind kind = Kind::doesNotFit;
    std::string path;     ///< the parameter concerned, as diagnostics name it; may be empty
    std::string sentence; ///< for a person, with the values
};

struct Verdict {
    std::vector<Caveat> caveats;         ///< empty: no caveat
    [[nodiscard]] bool possible() const; ///< false: the job cannot run as described, so its days and cost mean nothing
    [[nodiscard]] bool sound() const { return caveats.empty(); }
    [[nodiscard]] bool has(Caveat::Kind kind) const;
};

/// Reads the snapshot alone; any thread.
[[nodiscard]] Verdict verdictOf(const Snapshot& snapshot);
/// Verdict::possible without the sentences: a table asks for thousands of rows.
[[nodiscard]] bool isPossible(const Snapshot& snapshot);

} // namespace prism
