// SPDX-License-Identifier: GPL-3.0-or-later
// Single changes that come near a goal, each with the curve that it would give.
#pragma once

#include "core/explore/moves.h"
#include "core/insight/curve.h"

#include <QString>

namespace prism::ui {

/// The query: a p95 of at most `p95Seconds` (0 = no goal), with or without pairs and other hardware.
struct GoalQuery {
    double p95Seconds = 0;
    bool pairs = false, hardware = false;
};

/// The moves of core, and curves of the scenario and of its first moves.
struct GoalMoves {
    Moves moves;
    std::vector<double> nowSeconds; ///< ascending steps of the scenario
    std::vector<std::vector<double>>
        moveSeconds;             ///< of the first moves, at most kDrawnMoves; empty where a step would hold another number of tokens
    std::vector<CurvePoint> now; ///< of nowSeconds
    std::vector<std::vector<CurvePoint>> curves; ///< of moveSeconds
    double noiseFreeSeconds = 0;
};
inline constexpr std::size_t kDrawnMoves = 4;

/// Blocks its thread. Errors as nextMoves.
[[nodiscard]] Result<GoalMoves> goalMoves(Evaluator& evaluator, const Scenario& scenario, const GoalQuery& query,
                                          const InsightOptions& options);
/// The same on the level of the scenario's known steps. Pure.
[[nodiscard]] GoalMoves onLevelOf(const Snapshot& known, const GoalMoves& drawn, const GoalQuery& query);
/// movedScenario of core under a name that describes the move. Errors: values that a parameter does not take.
[[nodiscard]] Result<Scenario> namedMove(const Scenario& base, const Move& move);
/// "TP 8 → 4; ZeRO stage 1 → 2"
[[nodiscard]] QString moveText(const Move& move);

} // namespace prism::ui
