// SPDX-License-Identifier: GPL-3.0-or-later
// Next moves as JSON and CSV.
#include "core/explore/moves.h"

#include "core/insight/report.h"

#include <nlohmann/json.hpp>

namespace prism {
namespace {

/// As the section variability has them.
nlohmann::ordered_json slowJson(const std::vector<SlowEntry>& slow)
{
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const SlowEntry& e : slow)
        list.push_back({{e.node >= 0 ? "node" : "rank", e.node >= 0 ? e.node : e.rank},
                        {"compute_factor", e.computeFactor},
                        {"link_factor", e.linkFactor}});
    return list;
}

} // namespace

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
                        {"gpus_change", move.gpusChange},
                        {"reaches_goal", move.reachesGoal},
                        {"short_of_goal_s", move.shortOfGoalSeconds}});
        if (move.slow)
            list.back()["slow"] = slowJson(*move.slow);
    }
    return report::dump({{"p50_s", m.p50},
                         {"p95_s", m.p95},
                         {"p99_s", m.p99},
                         {"moves", std::move(list)},
                         {"tried", m.tried},
                         {"invalid", m.invalid},
                         {"does_not_fit", m.tooLarge},
                         {"without_effect", m.withoutEffect},
                         {"samples", m.samples},
                         {"seed", m.seed},
                         {"elapsed_s", m.elapsedSeconds},
                         {"notes", m.notes}});
}

std::string toCsv(const Moves& m, TableText texts)
{
    using report::number;
    std::string text = "change,p50_gain_s,p50_ci95_s,p95_gain_s,p95_ci95_s,memory_change_gib,usd_per_billion_tokens_change,reaches_goal\n";
    for (const Move& move : m.moves) {
        std::string changes;
        for (const std::string& c : move.changes)
            changes += (changes.empty() ? "" : "; ") + c;
        text += report::row({report::field(changes, texts), number(move.p50Gain.value), number(move.p50Gain.halfWidth),
                             number(move.p95Gain.value), number(move.p95Gain.halfWidth), number(move.memoryChangeGib),
                             number(move.usdPerBillionTokensChange), number(move.reachesGoal)});
    }
    return text;
}

} // namespace prism
