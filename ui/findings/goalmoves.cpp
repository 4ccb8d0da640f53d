// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/findings/goalmoves.h"

#include "core/insight/level/level.h"
#include "ui/look/choice.h"

#include <QRegularExpression>
#include <QStringList>

#include <algorithm>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kCurvePoints = 160;

/// Steps as nextMoves draws them: the same numbers for every move. Null where the scenario cannot be computed.
SnapshotPtr stepsOf(Evaluator& evaluator, const Scenario& scenario, const InsightOptions& options, int samples)
{
    SnapshotPtr s = evaluator.evaluate(scenario, evaluateOptions(options, samples));
    return s->valid() && s->samples ? s : nullptr;
}

std::optional<MoveGoal> goalOf(const GoalQuery& query)
{
    return query.p95Seconds > 0 ? std::optional(MoveGoal{0.95, query.p95Seconds}) : std::nullopt;
}

/// The curves of the steps.
void draw(GoalMoves& moves)
{
    moves.now = cdfCurve(moves.nowSeconds, kCurvePoints);
    moves.curves.clear();
    for (const std::vector<double>& steps : moves.moveSeconds)
        moves.curves.push_back(cdfCurve(steps, kCurvePoints));
}

/// A word of a change as it reads on screen, where a parameter of the move takes it as one of a list.
QString choiceIn(const Move& move, const QString& word)
{
    for (const auto& [path, value] : move.settings)
        if (const Parameter* p = findParameter(path); p && p->type == ParameterType::choice)
            if (std::find(p->choices.begin(), p->choices.end(), word.toStdString()) != p->choices.end())
                return format::choice(word);
    return word;
}

} // namespace

QString moveText(const Move& move)
{
    static const QRegularExpression percent(u"(\\d)%"_s);
    QStringList parts;
    for (const std::string& change : move.changes) {
        const QString all = QString::fromStdString(change).replace(percent, u"\\1 %"_s);
        const QString to = all.section(u" -> "_s, 1), from = all.section(u" -> "_s, 0, 0);
        const QString value = from.section(u' ', -1), name = from.chopped(value.size());
        parts << (to.isEmpty()           ? all
                  : value.contains(u'%') ? u"%1 → %2"_s.arg(from, to)
                                         : u"%1%2 → %3"_s.arg(name, choiceIn(move, value), choiceIn(move, to)));
    }
    return parts.join(u"; "_s);
}

Result<Scenario> namedMove(const Scenario& base, const Move& move)
{
    Result<Scenario> next = movedScenario(base, move);
    if (!next.ok())
        return next;
    next.value().name = base.name + ", " + moveText(move).toStdString();
    next.value().note.clear();
    return next;
}

Result<GoalMoves> goalMoves(Evaluator& evaluator, const Scenario& scenario, const GoalQuery& query, const InsightOptions& options)
{
    MovesQuery requested;
    requested.pairs = query.pairs;
    requested.hardware = query.hardware;
    requested.goal = goalOf(query);
    Result<Moves> moves = nextMoves(evaluator, scenario, requested, options);
    if (!moves.ok())
        return moves.errors();
    GoalMoves all;
    all.moves = std::move(moves).value();
    const SnapshotPtr now = stepsOf(evaluator, scenario, options, all.moves.samples);
    if (!now)
        return cancelled();
    all.nowSeconds = now->sortedAcrossSeconds;
    all.noiseFreeSeconds = now->samples->noiseFreeSeconds;
    for (std::size_t i = 0; i < std::min(kDrawnMoves, all.moves.moves.size()); ++i) {
        if (options.stop.stop_requested())
            return cancelled();
        const Move& move = all.moves.moves[i];
        const Result<Scenario> changed = namedMove(scenario, move);
        const SnapshotPtr then = move.improves && changed.ok() ? stepsOf(evaluator, *changed, options, all.moves.samples) : nullptr;
        // A step with other tokens is another thing: its curve next to the present one would mislead.
        const bool equal = then && then->costed->tokensPerStep == now->costed->tokensPerStep;
        all.moveSeconds.push_back(equal ? then->sortedAcrossSeconds : std::vector<double>{});
    }
    draw(all);
    return all;
}

GoalMoves onLevelOf(const Snapshot& known, const GoalMoves& drawn, const GoalQuery& query)
{
    GoalMoves reported = drawn;
    reported.moves = prism::onLevelOf(known, drawn.moves, goalOf(query));
    reported.nowSeconds = known.sortedAcrossSeconds;
    for (std::vector<double>& steps : reported.moveSeconds)
        steps = prism::onLevelOf(known.sortedAcrossSeconds, drawn.nowSeconds, steps);
    draw(reported);
    return reported;
}

} // namespace prism::ui
