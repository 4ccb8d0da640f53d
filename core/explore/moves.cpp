// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/explore/moves.h"

#include "core/base/text.h"
#include "core/base/timeunits.h"
#include "core/insight/paired.h"
#include "core/insight/report.h"
#include "core/scenario/quantity.h"
#include "core/stats/intervals.h"

#include <boost/math/distributions/normal.hpp>
#include <nlohmann/json.hpp>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace prism {
namespace {

constexpr int kDefaultSamples = 2'000;
constexpr std::size_t kPaired = 5; ///< of the best, whose pairs are tried
constexpr double kBillion = 1e9;

/// A change that may be tried: what it is called, how it is set, and the scenario with it.
struct Trial {
    std::vector<std::string> changes;
    std::vector<std::pair<std::string, std::string>> settings;
    Scenario scenario;
};

/// A sampled trial.
struct Outcome {
    std::shared_ptr<const PairedSample> sample;
    double tokens = 1, peakGib = 0, usdPerBillion = 0;
};

class Proposals final {
public:
    Proposals(const Scenario& scenario, bool hardware) : m_scenario(scenario)
    {
        for (const char* id : {"parallelism.tensor_model_parallel_size", "parallelism.pipeline_model_parallel_size",
                               "parallelism.virtual_pipeline_model_parallel_size", "parallelism.context_parallel_size",
                               "parallelism.expert_model_parallel_size", "training.micro_batch_size", "training.global_batch_size"})
            addNeighbours(id);
        for (const Parameter& p : parameters()) {
            if ((p.type == ParameterType::choice && isTried(p.id, hardware))
                || (p.type == ParameterType::boolean && p.group == "parallelism"))
                addChoices(p);
            if (p.group == "variability" && p.id.ends_with(".cv"))
                addHalf(p);
        }
        for (const char* stage : {"1", "2", "3"})
            add("parallelism.zero_stage", stage);
        addSlowNodes();
    }
    [[nodiscard]] std::vector<Trial> take() { return std::move(m_trials); }
    [[nodiscard]] int invalid() const { return m_invalid; }

private:
    static bool isTried(const std::string& id, bool hardware)
    {
        if (id == "cluster.fabric" || id == "cluster.gpu.preset")
            return hardware;
        return id == "parallelism.pipeline_schedule" || id == "training.recompute_granularity";
    }
    void add(const std::string& id, const std::string& text)
    {
        const Parameter* p = findParameter(id);
        Result<Scenario> changed = setParameter(m_scenario, id, text);
        if (!changed.ok()) {
            ++m_invalid;
            return;
        }
        const std::string from = parameterText(*p, m_scenario), to = parameterText(*p, *changed);
        if (from != to)
            m_trials.push_back({{p->label + " " + from + " -> " + to}, {{id, text}}, std::move(changed).value()});
    }
    void addNeighbours(const char* id)
    {
        const auto value = std::get<std::int64_t>(findParameter(id)->get(m_scenario));
        add(id, std::to_string(value * 2));
        if (value % 2 == 0)
            add(id, std::to_string(value / 2));
    }
    void addChoices(const Parameter& p)
    {
        if (p.type == ParameterType::boolean)
            add(p.id, std::get<bool>(p.get(m_scenario)) ? "false" : "true");
        for (const std::string& choice : p.choices)
            if (!choice.empty() && choice != "custom")
                add(p.id, choice);
    }
    void addHalf(const Parameter& p)
    {
        const auto cv = std::get<double>(p.get(m_scenario));
        if (cv > 0)
            add(p.id, numberText(cv / 2));
    }
    void addSlowNodes()
    {
        for (std::size_t i = 0; i < m_scenario.variability.slow.size(); ++i) {
            const SlowEntry& e = m_scenario.variability.slow[i];
            Trial t{{e.node >= 0 ? fmt::format("Slow node {} swapped out", e.node) : fmt::format("Slow GPU {} swapped out", e.rank)},
                    {},
                    m_scenario};
            t.scenario.variability.slow.erase(t.scenario.variability.slow.begin() + static_cast<std::ptrdiff_t>(i));
            m_trials.push_back(std::move(t));
        }
    }

    const Scenario& m_scenario;
    std::vector<Trial> m_trials;
    int m_invalid = 0;
};

class Trials final {
public:
    Trials(Evaluator& evaluator, const MovesQuery& query, const InsightOptions& options, Moves& out)
        : m_evaluator(evaluator),
          m_query(query),
          m_options(options),
          m_out(out)
    {
    }

    /// Null where the scenario is invalid or does not fit, which is counted.
    std::optional<Outcome> outcome(const Scenario& scenario)
    {
        const Result<CostedStep> costed = costStep(scenario);
        if (!costed.ok() || !costed->memory.fits) {
            ++(costed.ok() ? m_out.tooLarge : m_out.invalid);
            return std::nullopt;
        }
        SimOptions sim;
        sim.seed = m_options.seed;
        sim.numSamples = m_out.samples;
        sim.numThreads = m_options.threads;
        sim.numWithinSamples = -1;
        sim.stop = m_options.stop;
        const auto samples = m_evaluator.samples(costed->graph, sim);
        if (!samples->complete)
            return std::nullopt;
        const auto sample = std::make_shared<const PairedSample>(samples);
        const double perHour = static_cast<double>(scenario.cluster.numGpus) * scenario.cluster.gpuHourPriceUsd;
        return Outcome{sample, costed->tokensPerStep, costed->memory.peakGib,
                       sample->mean / kSecondsPerHour * perHour / costed->tokensPerStep * kBillion};
    }

    void tryAll(const Outcome& base, const std::vector<Trial>& trials, double from, double to)
    {
        for (std::size_t i = 0; i < trials.size() && !m_options.stop.stop_requested(); ++i) {
            ++m_out.tried;
            if (const auto changed = outcome(trials[i].scenario))
                m_out.moves.push_back(moveOf(base, *changed, trials[i]));
            if (m_options.progress)
                m_options.progress(from + (to - from) * static_cast<double>(i + 1) / static_cast<double>(trials.size()), "moves");
        }
        std::stable_sort(m_out.moves.begin(), m_out.moves.end(),
                         [](const Move& a, const Move& b) { return a.p95Gain.value > b.p95Gain.value; });
    }

private:
    /// Another number of tokens per step makes another step: its seconds count per token of the present one.
    [[nodiscard]] Move moveOf(const Outcome& base, const Outcome& changed, const Trial& trial) const
    {
        Move m{trial.changes, trial.settings, {}, {}, {}, changed.peakGib - base.peakGib, changed.usdPerBillion - base.usdPerBillion, 0, 0,
               false};
        const double perToken = base.tokens / changed.tokens;
        const FigureChange paired = pairedChange(*base.sample, *changed.sample);
        const auto gain = [&](double before, double after, const Estimate& change) {
            return Estimate{before - after * perToken, change.halfWidth};
        };
        m.p50Gain = gain(base.sample->p50, changed.sample->p50, paired.p50);
        m.p95Gain = gain(base.sample->p95, changed.sample->p95, paired.p95);
        m.p99Gain = gain(base.sample->p99, changed.sample->p99, paired.p99);
        m.improves = m.p95Gain.value > m.p95Gain.halfWidth;
        if (m_query.goal)
            setGoal(m, base, m_query.goal.value());
        return m;
    }
    static void setGoal(Move& m, const Outcome& base, const MoveGoal& goal)
    {
        const bool median = goal.probability<0.9, tail = goal.probability> 0.97;
        const Estimate& gain = median ? m.p50Gain : tail ? m.p99Gain : m.p95Gain;
        const double reached = (median ? base.sample->p50 : tail ? base.sample->p99 : base.sample->p95) - gain.value;
        const double sigma = std::max(gain.halfWidth / normalReach(), 1e-12 * goal.seconds);
        m.reachesGoal = boost::math::cdf(boost::math::normal(0, sigma), goal.seconds - reached);
        m.shortOfGoalSeconds = std::max(0.0, reached - goal.seconds);
    }

    Evaluator& m_evaluator;
    const MovesQuery& m_query;
    const InsightOptions& m_options;
    Moves& m_out;
};

/// The best moves that are set by parameters, two by two.
std::vector<Trial> pairsOf(const Scenario& scenario, const std::vector<Move>& moves)
{
    std::vector<const Move*> best;
    for (const Move& m : moves)
        if (m.improves && !m.settings.empty() && best.size() < kPaired)
            best.push_back(&m);
    std::vector<Trial> trials;
    for (std::size_t i = 0; i < best.size(); ++i)
        for (std::size_t j = i + 1; j < best.size(); ++j) {
            if (best[i]->settings.front().first == best[j]->settings.front().first)
                continue;
            Trial t{{best[i]->changes.front(), best[j]->changes.front()}, {best[i]->settings.front(), best[j]->settings.front()}, scenario};
            for (const auto& [id, value] : t.settings)
                if (Result<Scenario> changed = setParameter(t.scenario, id, value); changed.ok())
                    t.scenario = std::move(changed).value();
            trials.push_back(std::move(t));
        }
    return trials;
}

} // namespace

Result<MoveGoal> moveGoal(const std::string& text)
{
    const Diagnostic wrong{Severity::error,
                           "goal",
                           "The goal cannot be read.",
                           text.substr(0, 60),
                           "such as \"p95 <= 4.0 s\": p50, p95 or p99, and a time",
                           "",
                           ""};
    const std::size_t at = text.find("<=");
    if (at == std::string::npos)
        return wrong;
    const std::string_view name = trimmed(std::string_view(text).substr(0, at));
    MoveGoal goal;
    goal.probability = name == "p50" ? 0.5 : name == "p95" ? 0.95 : name == "p99" ? 0.99 : 0;
    const Result<double> seconds = quantityFromText(trimmed(std::string_view(text).substr(at + 2)), "s", false);
    if (goal.probability == 0 || !seconds.ok() || !(*seconds > 0))
        return wrong;
    goal.seconds = *seconds;
    return goal;
}

Result<Moves> nextMoves(Evaluator& evaluator, const Scenario& scenario, const MovesQuery& query, const InsightOptions& options)
{
    const auto begin = std::chrono::steady_clock::now();
    if (const Result<CostedStep> costed = costStep(scenario); !costed.ok())
        return costed.errors();
    Moves out;
    out.seed = options.seed;
    out.samples = options.samples > 0 ? options.samples : kDefaultSamples;
    Scenario fits = scenario;
    Trials trials(evaluator, query, options, out);
    const std::optional<Outcome> base = trials.outcome(fits);
    if (!base)
        return Diagnostic{Severity::error,
                          "memory",
                          "The scenario does not fit into memory; moves are ranked from one that does.",
                          "",
                          "a scenario that fits",
                          "",
                          ""};
    out.p50 = base->sample->p50;
    out.p95 = base->sample->p95;
    out.p99 = base->sample->p99;
    Proposals proposals(scenario, query.hardware);
    const std::vector<Trial> single = proposals.take();
    out.invalid += proposals.invalid();
    trials.tryAll(*base, single, 0, query.pairs ? 0.7 : 1);
    if (query.pairs)
        trials.tryAll(*base, pairsOf(scenario, out.moves), 0.7, 1);
    if (options.stop.stop_requested())
        return cancelled();
    out.notes.emplace_back(
        "Moves share random numbers with the present scenario. Another number of tokens per step counts by seconds per token.");
    out.elapsedSeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return out;
}

std::string toJson(const Moves& m)
{
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const Move& move : m.moves) {
        nlohmann::ordered_json settings = nlohmann::ordered_json::object();
        for (const auto& [id, value] : move.settings)
            settings[id] = value;
        list.push_back({{"changes", move.changes},
                        {"set", std::move(settings)},
                        {"p50_gain_s", report::json(move.p50Gain)},
                        {"p95_gain_s", report::json(move.p95Gain)},
                        {"p99_gain_s", report::json(move.p99Gain)},
                        {"improves", move.improves},
                        {"memory_change_gib", move.memoryChangeGib},
                        {"usd_per_billion_tokens_change", move.usdPerBillionTokensChange},
                        {"reaches_goal", move.reachesGoal},
                        {"short_of_goal_s", move.shortOfGoalSeconds}});
    }
    return report::dump({{"p50_s", m.p50},
                         {"p95_s", m.p95},
                         {"p99_s", m.p99},
                         {"moves", std::move(list)},
                         {"tried", m.tried},
                         {"invalid", m.invalid},
                         {"does_not_fit", m.tooLarge},
                         {"samples", m.samples},
                         {"seed", m.seed},
                         {"elapsed_s", m.elapsedSeconds},
                         {"notes", m.notes}});
}

std::string toCsv(const Moves& m)
{
    using report::number;
    std::string text = "change,p50_gain_s,p50_ci95_s,p95_gain_s,p95_ci95_s,memory_change_gib,usd_per_billion_tokens_change,reaches_goal\n";
    for (const Move& move : m.moves) {
        std::string changes;
        for (const std::string& c : move.changes)
            changes += (changes.empty() ? "" : "; ") + c;
        text += report::row({report::field(changes), number(move.p50Gain.value), number(move.p50Gain.halfWidth), number(move.p95Gain.value),
                             number(move.p95Gain.halfWidth), number(move.memoryChangeGib), number(move.usdPerBillionTokensChange),
                             number(move.reachesGoal)});
    }
    return text;
}

} // namespace prism
