// SPDX-License-Identifier: GPL-3.0-or-later
// Results of `bench` with machine and date: as text, as JSON that can be read again, and as the page of the help.
#pragma once

#include "core/base/result.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace prism::cli {

/// A claim of the engine with its bound.
struct BenchBound {
    std::string claim, unit;
    double measured = 0, bound = 0;
    bool atLeast = false;
    [[nodiscard]] bool holds() const { return atLeast ? measured >= bound : measured <= bound; }
};

/// One tool's result for a question that several tools answer. Without a value the tool was missing.
struct PeerMetric {
    std::string question, tool, unit;
    std::optional<double> value;
    std::string origin; ///< "this run", or the source
};

struct BenchRecord {
    std::string version, date, processor, system; ///< date: YYYY-MM-DD, UTC
    int cores = 1;
    std::vector<BenchBound> bounds;
    std::vector<PeerMetric> peers; ///< empty without --peers; results of one question are together
};

[[nodiscard]] std::string benchText(const BenchRecord& record);
[[nodiscard]] std::string benchJson(const BenchRecord& record);
/// resources/help/side-by-side.md
[[nodiscard]] std::string benchPage(const BenchRecord& record);
/// Reads benchJson again. Untrusted: every error with its place, values finite.
[[nodiscard]] Result<BenchRecord> benchRecordFromJson(std::string_view text);

} // namespace prism::cli
