// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/explore/moves.h"

#include "core/base/diagnostictext.h"
#include "core/base/text.h"
#include "core/base/timeunits.h"
#include "core/explore/proposals.h"
#include "core/insight/paired.h"
#include "core/scenario/quantity.h"
#include "core/stats/intervals.h"

#include <boost/math/distributions/normal.hpp>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <chrono>

namespace prism {
namespace {

constexpr int kDefaultSamples = 2'000;
constexpr std::size_t kPaired = 5; ///< of the best, whose pairs are tried
constexpr double kBillion = 1e9;

/// A sampled trial.
struct Outcome {
    std::shared_ptr<const PairedSample> sample;
    double peakGib = 0, usdPerBillion = 0, gpus = 0;
};

/// The gain in the statistic of the goal; in p95 without a goal.
const Estimate& gainOf(const Move& m, const std::optional<MoveGoal>& goal)
{
    const double p = goal ? goal->probability : 0.95;
    return p < 0.9 ? m.p50Gain : p > 0.97 ? m.p99Gain : m.p95Gain;
}

/// How near a move of these comes to the goal.
void setGoal(Move& m, const MoveGoal& goal, const Moves& now)
{
    const Estimate& gain = gainOf(m, goal);
    const double before = goal.probability < 0.9 ? now.p50 : goal.probability > 0.97 ? now.p99 : now.p95, reached = before - gain.value;
    const double sigma = std::max(gain.halfWidth / normalReach(), 1e-12 * goal.seconds);
    m.reachesGoal = boost::math::cdf(boost::math::normal(0, sigma), goal.seconds - reached);
    m.shortOfGoalSeconds = std::max(0.0, reached - goal.seconds);
}

class Trials final {
public:
    Trials(Evaluator& evaluator, const MovesQuery& query, const InsightOptions& options, Moves& out)
        : m_evaluator(evaluator),
          m_query(query),
          m_options(options),
          m_out(out)
    {
    }

    /// Null where the scenario is invalid or does not fit (unless that is let pass), which is counted, and when stopped.
    std::optional<Outcome> outcome(const Scenario& scenario, bool mayNotFit = false)
    {
        const Result<CostedStep> costed = costStep(scenario);
        if (!costed.ok() || (!costed->memory.fits && !mayNotFit)) {
            ++(costed.ok() ? m_out.tooLarge : m_out.invalid);
            return std::nullopt;
        }
        const auto samples = m_evaluator.samples(costed->graph, pairedSampling(m_options, m_out.samples));
        if (!samples->complete)
            return std::nullopt;
        const auto sample = std::make_shared<const PairedSample>(samples);
        const auto gpus = static_cast<double>(scenario.cluster.numGpus);
        const double usdPerStep = sample->mean / kSecondsPerHour * gpus * scenario.cluster.gpuHourPriceUsd;
        return Outcome{sample, costed->memory.peakGib, usdPerStep / costed->tokensPerStep * kBillion, gpus};
    }

    void tryAll(const Outcome& base, const std::vector<Proposal>& proposals, double from, double to)
    {
        for (std::size_t i = 0; i < proposals.size() && !m_options.stop.stop_requested(); ++i) {
            ++m_out.tried;
            if (const auto changed = outcome(proposals[i].scenario)) {
                Move move = moveOf(base, *changed, proposals[i]);
                if (changesNothing(move))
                    ++m_out.withoutEffect;
                else
                    m_out.moves.push_back(std::move(move));
            }
            if (m_options.progress)
                m_options.progress(from + (to - from) * static_cast<double>(i + 1) / static_cast<double>(proposals.size()), "moves");
        }
        std::stable_sort(m_out.moves.begin(), m_out.moves.end(),
                         [this](const Move& a, const Move& b) { return gainOf(a, m_query.goal).value > gainOf(b, m_query.goal).value; });
    }

private:
    [[nodiscard]] static bool changesNothing(const Move& m)
    {
        return m.p50Gain.value == 0 && m.p95Gain.value == 0 && m.p99Gain.value == 0 && m.memoryChangeGib == 0
               && m.usdPerBillionTokensChange == 0 && m.gpusChange == 0;
    }
    /// A move keeps the tokens of a step (proposals.h).
    [[nodiscard]] Move moveOf(const Outcome& base, const Outcome& changed, const Proposal& proposal) const
    {
        Move m;
        m.changes = proposal.changes;
        m.settings = proposal.settings;
        m.slow = proposal.slow;
        m.memoryChangeGib = changed.peakGib - base.peakGib;
        m.usdPerBillionTokensChange = changed.usdPerBillion - base.usdPerBillion;
        m.gpusChange = changed.gpus - base.gpus;
        const PairedSample &before = *base.sample, &after = *changed.sample;
        const MetricChange paired = pairedChange(before, after);
        m.p50Gain = {before.p50 - after.p50, paired.p50.halfWidth};
        m.p95Gain = {before.p95 - after.p95, paired.p95.halfWidth};
        m.p99Gain = {before.p99 - after.p99, paired.p99.halfWidth};
        m.improves = m.p95Gain.value > m.p95Gain.halfWidth;
        if (m_query.goal)
            setGoal(m, *m_query.goal, m_out);
        return m;
    }

    Evaluator& m_evaluator;
    const MovesQuery& m_query;
    const InsightOptions& m_options;
    Moves& m_out;
};

/// The best moves two by two.
std::vector<Proposal> pairsOf(const Scenario& scenario, const std::vector<Move>& moves)
{
    std::vector<Proposal> best, pairs;
    for (const Move& m : moves)
        if (m.improves && best.size() < kPaired)
            best.push_back({m.changes, m.settings, m.slow, {}});
    for (std::size_t i = 0; i < best.size(); ++i)
        for (std::size_t j = i + 1; j < best.size(); ++j)
            if (std::optional<Proposal> both = together(scenario, best[i], best[j]))
                pairs.push_back(std::move(*both));
    return pairs;
}

} // namespace

Result<MoveGoal> moveGoal(const std::string& text)
{
    const Diagnostic invalid =
        errorAt("goal", "The goal cannot be read.", text.substr(0, 60), "such as \"p95 <= 4.0 s\": p50, p95 or p99, and a time");
    const std::size_t at = text.find("<=");
    if (at == std::string::npos)
        return invalid;
    const std::string_view name = trimmed(std::string_view(text).substr(0, at));
    MoveGoal goal;
    goal.probability = name == "p50" ? 0.5 : name == "p95" ? 0.95 : name == "p99" ? 0.99 : 0;
    const Result<double> seconds = quantityFromText(trimmed(std::string_view(text).substr(at + 2)), "s", false);
    if (goal.probability == 0 || !seconds.ok() || !(*seconds > 0))
        return invalid;
    goal.seconds = *seconds;
    return goal;
}

Moves onLevelOf(const Snapshot& known, Moves moves, const std::optional<MoveGoal>& goal)
{
    moves.p50 = known.across.p50;
    moves.p95 = known.across.p95;
    moves.p99 = known.across.p99;
    for (Move& m : moves.moves)
        if (goal)
            setGoal(m, *goal, moves);
    return moves;
}

Result<Moves> nextMoves(Evaluator& evaluator, const Scenario& scenario, const MovesQuery& query, const InsightOptions& options)
{
    const auto begin = std::chrono::steady_clock::now();
    const Result<CostedStep> costed = costStep(scenario);
    if (!costed.ok())
        return costed.errors();
    Moves out;
    out.seed = options.seed;
    out.samples = options.samples > 0 ? options.samples : kDefaultSamples;
    Trials trials(evaluator, query, options, out);
    const std::optional<Outcome> base = trials.outcome(scenario, true);
    if (!base)
        return cancelled();
    out.p50 = base->sample->p50;
    out.p95 = base->sample->p95;
    out.p99 = base->sample->p99;
    const Proposals single = proposalsOf(scenario, query.hardware);
    out.invalid += single.invalid;
    trials.tryAll(*base, single.list, 0, query.pairs ? 0.7 : 1);
    if (query.pairs)
        trials.tryAll(*base, pairsOf(scenario, out.moves), 0.7, 1);
    if (options.stop.stop_requested())
        return cancelled();
    if (!costed->memory.fits)
        out.notes.push_back(
            fmt::format("The scenario does not fit into memory ({:.1f} of {:.1f} GiB): its times are what it would take, and "
                        "only moves that fit are listed.",
                        costed->memory.peakGib, costed->memory.capacityGib));
    out.notes.emplace_back("Moves share random numbers with the present scenario and keep its tokens per step.");
    out.elapsedSeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return out;
}

Result<Scenario> movedScenario(const Scenario& scenario, const Move& move)
{
    Scenario next = scenario;
    for (const auto& [id, value] : move.settings) {
        Result<Scenario> changed = setParameter(next, id, value);
        if (!changed.ok())
            return changed;
        next = std::move(changed).value();
    }
    if (move.slow)
        next.variability.slow = move.slow.value();
    return next;
}

} // namespace prism
