// SPDX-License-Identifier: GPL-3.0-or-later
// The query of a search: its space, the objective, constraints, and the shard of the space for this run.
#pragma once

#include "core/explore/objective.h"
#include "core/explore/space.h"

#include <cstdint>
#include <string>
#include <vector>

namespace prism {

/// Constraints besides the axes. The global batch stays the scenario's unless it is an axis.
struct SearchConstraints {
    double memoryMarginGib = 0;    ///< that must stay free
    std::int64_t maxGpus = 0;      ///< 0 = any number
    bool tensorInsideNode = false; ///< TP at most the GPUs of a node
    bool operator==(const SearchConstraints&) const = default;
};

/// Dimensions of the Pareto front.
enum class ParetoAxis { time, memory, cost, gpus, energy };

/// Part `index` (1 to `count`) of a search that several processes share.
struct SearchShard {
    int index = 1, count = 1;
};
/// "2/4". Errors: anything else.
[[nodiscard]] Result<SearchShard> searchShard(const std::string& text);
/// "time,memory,cost": two or three different ones. Errors: anything else.
[[nodiscard]] Result<std::vector<ParetoAxis>> paretoAxes(const std::string& text);
[[nodiscard]] std::string paretoText(const std::vector<ParetoAxis>& axes);

inline constexpr int kMaxSampledPoints = 10'000; ///< that a search may sample

struct ExploreQuery {
    SearchSpace space;
    ExploreObjective objective;
    SearchConstraints constraints;
    std::vector<ParetoAxis> pareto = {ParetoAxis::time, ParetoAxis::memory, ParetoAxis::cost};
    int keep = 10;                      ///< how many of the best are to be distinguished, 1 to 100
    int maxSampled = 200;               ///< maximum number of configurations that are sampled
    double confidence = 0.95;           ///< that sampling noise eliminates none of the best `keep`, 0.5 to 0.9999
    std::int64_t maxPoints = 2'000'000; ///< a larger space is refused
    std::int64_t drawPoints = 0;        ///< > 0: this many of the space, drawn at random
    bool listRejected = false;          ///< keep what was omitted with all its reasons (10,000 at most)
    SearchShard shard;
};

/// Everything that is wrong with a query: empty and too large spaces, with the axis to narrow.
[[nodiscard]] Diagnostics check(const ExploreQuery& query);

/// The configurations of a query, ascending. Pure; any thread.
class SearchPoints final {
public:
    SearchPoints(const ExploreQuery& query, std::uint64_t seed);
    [[nodiscard]] std::int64_t size() const { return m_size; }
    /// Index in the space of the i-th one.
    [[nodiscard]] std::int64_t at(std::int64_t i) const { return m_drawn.empty() ? i : m_drawn[static_cast<std::size_t>(i)]; }

private:
    std::int64_t m_size = 0;
    std::vector<std::int64_t> m_drawn; ///< empty = all
};

} // namespace prism
