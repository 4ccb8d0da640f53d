// SPDX-License-Identifier: GPL-3.0-or-later
// The next best move: every single change of a scenario that a person could make, by its gain and its cost.
#pragma once

#include "core/insight/insight.h"
#include "core/scenario/parameters.h"

#include <optional>
#include <string>
#include <vector>

namespace prism {

/// A quantile of the step and the seconds that it must not exceed.
struct MoveGoal {
    double probability = 0.95; ///< of the quantile: 0.5, 0.95 or 0.99
    double seconds = 0;
};
/// "p95 <= 4.0 s", "p50<=900ms". Errors: anything else.
[[nodiscard]] Result<MoveGoal> moveGoal(const std::string& text);

struct MovesQuery {
    std::optional<MoveGoal> goal;
    bool pairs = false;    ///< also the pairs of the five best
    bool hardware = false; ///< also other GPUs and fabrics of the library, and half and twice the GPUs
};

/// One change, or two together.
struct Move {
    std::vector<std::string> changes;                          ///< "Tensor parallel 8 -> 4", and what had to follow
    std::vector<std::pair<std::string, std::string>> settings; ///< as for --set; empty for a slow node that is swapped out or moved
    std::optional<std::vector<SlowEntry>> slow;                ///< the slow places with the move, where it changes them
    Estimate p50Gain, p95Gain, p99Gain;                        ///< seconds that the step gets shorter; paired
    double memoryChangeGib = 0, usdPerBillionTokensChange = 0, gpusChange = 0;
    double reachesGoal = 0;        ///< probability that the goal is reached with it; 0 without a goal
    double shortOfGoalSeconds = 0; ///< what is missing; 0 where the goal is reached
    bool improves = false;         ///< the gain in p95 is significant
};

struct Moves {
    double p50 = 0, p95 = 0, p99 = 0; ///< of the scenario as it is, seconds
    std::vector<Move> moves;          ///< largest gain first: in p95, or in the quantile of the goal
    int tried = 0, invalid = 0, tooLarge = 0, withoutEffect = 0;
    int samples = 0;
    std::uint64_t seed = 1;
    double elapsedSeconds = 0;
    std::vector<std::string> notes;
};

/// Tries every single change of proposalsOf (proposals.h), and on request the pairs of the best. Changes that are invalid, do not fit or
/// change neither the step nor memory nor cost are counted, not shown. A scenario that does not fit gets the moves with which it does.
/// Default 2,000 samples. Errors: invalid scenario, cancelled. Any thread; the same bits on any number of threads.
[[nodiscard]] Result<Moves> nextMoves(Evaluator& evaluator, const Scenario& scenario, const MovesQuery& query,
                                      const InsightOptions& options = {});

/// The moves relative to the snapshot of the scenario, which has more samples: p50, p95, p99, and how near each move comes to
/// the goal. Gains are paired and stay. Pure; any thread.
[[nodiscard]] Moves onLevelOf(const Snapshot& known, Moves moves, const std::optional<MoveGoal>& goal);

/// The scenario with a move. Errors: a parameter that does not take its value.
[[nodiscard]] Result<Scenario> movedScenario(const Scenario& scenario, const Move& move);

[[nodiscard]] std::string toJson(const Moves& moves);
[[nodiscard]] std::string toCsv(const Moves& moves, TableText texts = TableText::forSheets);

} // namespace prism
