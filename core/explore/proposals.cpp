// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/explore/proposals.h"

#include "core/base/text.h"
#include "core/cost/scheduleof.h"
#include "core/schedule/shape.h"
#include "core/step/layout.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

namespace prism {
namespace {

constexpr int kMaxRepairs = 3, kMaxPlaces = 16;
constexpr std::int64_t kLargestFactor = 8;
constexpr const char* kSchedule = "parallelism.pipeline_schedule";
constexpr const char* kChunks = "parallelism.virtual_pipeline_model_parallel_size";

constexpr std::array kSizes = {"parallelism.tensor_model_parallel_size",  "parallelism.pipeline_model_parallel_size",
                               "parallelism.context_parallel_size",       "parallelism.expert_model_parallel_size",
                               "parallelism.expert_tensor_parallel_size", "training.micro_batch_size"};
constexpr std::array kChoices = {"parallelism.cp_comm_type",      "parallelism.moe_token_dispatcher_type",
                                 "parallelism.rank_order",        "training.attention_backend",
                                 "training.cuda_graphs",          "training.moe_host_sync",
                                 "training.recompute_granularity"};
constexpr std::array kHardware = {"cluster.gpu.preset", "cluster.fabric"};
constexpr std::array kDelays = {"variability.step_jitter_s", "variability.stalls_per_gpu_hour"};
/// What may follow a change: nothing else of the training or the cluster is touched.
constexpr std::array<std::string_view, 3> kFollowing = {kChunks, kSchedule, "parallelism.sequence_parallel"};

using Settings = std::vector<std::pair<std::string, std::string>>;

/// A fix of check() for a parameter that may follow, and that the change itself did not set.
std::optional<std::pair<std::string, std::string>> followingFix(const Scenario& scenario, const Settings& settings)
{
    for (const Diagnostic& d : check(scenario)) {
        const bool follows = d.severity == Severity::error && !d.fixValue.empty()
                             && std::find(kFollowing.begin(), kFollowing.end(), d.fixPath) != kFollowing.end()
                             && std::none_of(settings.begin(), settings.end(), [&](const auto& s) { return s.first == d.fixPath; });
        if (!follows)
            continue;
        std::string value = d.fixValue; // JSON text of a word or a number
        std::erase(value, '"');
        return std::pair{d.fixPath, value};
    }
    return std::nullopt;
}

/// The scenario with the settings, in sequence; nothing where a parameter does not take its value.
std::optional<Scenario> withSettings(const Scenario& scenario, const Settings& settings)
{
    Scenario changed = scenario;
    for (const auto& [id, text] : settings) {
        Result<Scenario> next = setParameter(changed, id, text);
        if (!next.ok())
            return std::nullopt;
        changed = std::move(next).value();
    }
    return changed;
}

std::vector<std::string> changesOf(const Scenario& scenario, const Scenario& changed, const Settings& settings)
{
    std::vector<std::string> changes;
    for (const auto& [id, text] : settings) {
        const Parameter& p = *findParameter(id);
        const std::string from = parameterText(p, scenario), to = parameterText(p, changed);
        if (from != to)
            changes.push_back(p.label + (p.type == ParameterType::boolean ? (to == "true" ? " on" : " off") : " " + from + " -> " + to));
        else if (changes.empty()) // a preset whose values had been edited
            changes.push_back(p.label + " as " + to + " has it");
    }
    return changes;
}

class MoveProposer final {
public:
    MoveProposer(const Scenario& scenario, bool hardware) : m_scenario(scenario)
    {
        for (const char* id : kSizes)
            addFactors(id, kLargestFactor);
        addChunks();
        addSchedules();
        for (const char* id : kChoices)
            addChoices(*findParameter(id));
        for (const Parameter& p : parameters())
            if (p.type == ParameterType::boolean && p.group == "parallelism")
                addChoices(p);
        for (const char* stage : {"0", "1", "2", "3"})
            add({{"parallelism.zero_stage", stage}});
        addSpreads();
        addSlow();
        if (hardware) {
            for (const char* id : kHardware)
                addChoices(*findParameter(id));
            addFactors("cluster.num_gpus", 2);
        }
    }
    [[nodiscard]] Proposals take() { return std::move(m_out); }

private:
    void add(Settings settings)
    {
        std::optional<Scenario> changed = withSettings(m_scenario, settings);
        for (int repairs = 0; changed && repairs < kMaxRepairs; ++repairs) {
            const auto fix = followingFix(*changed, settings);
            if (!fix)
                break;
            settings.push_back(*fix);
            changed = withSettings(*changed, {*fix});
        }
        if (!changed || hasErrors(check(*changed)))
            ++m_out.invalid;
        else if (!differences(m_scenario, *changed).empty())
            m_out.list.push_back({changesOf(m_scenario, *changed, settings), std::move(settings), std::nullopt, std::move(*changed)});
    }
    void addFactors(const char* id, std::int64_t largest)
    {
        const auto value = std::get<std::int64_t>(findParameter(id)->get(m_scenario));
        for (std::int64_t factor = 2; factor <= largest; factor *= 2) {
            add({{id, std::to_string(value * factor)}});
            if (value % factor == 0)
                add({{id, std::to_string(value / factor)}});
        }
    }
    void addChunks()
    {
        const std::int64_t inStage = m_scenario.model.numLayers / std::max(1, m_scenario.parallelism.pipelineModelParallelSize);
        for (std::int64_t chunks = 1; chunks <= inStage; ++chunks)
            if (inStage % chunks == 0)
                add({{kChunks, std::to_string(chunks)}});
    }
    /// A schedule with a fixed number of chunks is proposed together with that number.
    void addSchedules()
    {
        for (const std::string& name : findParameter(kSchedule)->choices)
            if (const int chunks = virtualStagesOf(name); chunks > 0 && name != scheduleName(m_scenario.parallelism))
                add({{kSchedule, name}, {kChunks, std::to_string(chunks)}});
    }
    void addChoices(const Parameter& p)
    {
        if (p.type == ParameterType::boolean)
            add({{p.id, std::get<bool>(p.get(m_scenario)) ? "false" : "true"}});
        for (const std::string& choice : p.choices)
            if (!choice.empty())
                add({{p.id, choice}});
    }
    void addHalf(const Parameter& p)
    {
        if (const auto value = std::get<double>(p.get(m_scenario)); value > 0)
            add({{p.id, numberText(value / 2)}});
    }
    void addSpreads()
    {
        for (const Parameter& p : parameters())
            if (p.group == "variability" && (p.id.ends_with(".cv") || p.id.ends_with(".rare_probability")))
                addHalf(p);
        for (const char* id : kDelays)
            addHalf(*findParameter(id));
    }
    void addSlow(std::string change, std::vector<SlowEntry> slow)
    {
        Proposal p{{std::move(change)}, {}, slow, m_scenario};
        p.scenario.variability.slow = std::move(slow);
        m_out.list.push_back(std::move(p));
    }
    void addSlow()
    {
        const std::vector<SlowEntry>& slow = m_scenario.variability.slow;
        for (std::size_t i = 0; i < slow.size(); ++i) {
            std::vector<SlowEntry> left = slow;
            left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
            addSlow(slow[i].node >= 0 ? fmt::format("Slow node {} swapped out", slow[i].node)
                                      : fmt::format("Slow GPU {} swapped out", slow[i].rank),
                    std::move(left));
            if (slow[i].node >= 0)
                addPlaces(i);
        }
    }
    /// The slow node exchanged with the first node of other stages that is not slow itself.
    void addPlaces(std::size_t entry)
    {
        const Layout layout = layoutOf(m_scenario);
        std::set<std::int64_t> taken;
        for (const SlowEntry& e : m_scenario.variability.slow)
            taken.insert(e.node >= 0 ? e.node : e.rank / layout.gpusPerNode);
        const std::int64_t places = std::min<std::int64_t>(layout.pp, kMaxPlaces);
        for (std::int64_t i = 0; i < places; ++i) {
            const std::int64_t stage = places == 1 ? 0 : i * (layout.pp - 1) / (places - 1);
            const std::int64_t node = layout.rank(0, 0, 0, stage) / layout.gpusPerNode;
            if (!taken.insert(node).second)
                continue;
            std::vector<SlowEntry> moved = m_scenario.variability.slow;
            moved[entry].node = static_cast<int>(node);
            addSlow(fmt::format("Slow node {} moved to node {}, in stage {}", m_scenario.variability.slow[entry].node, node, stage),
                    std::move(moved));
        }
    }

    const Scenario& m_scenario;
    Proposals m_out;
};

} // namespace

Proposals proposalsOf(const Scenario& scenario, bool hardware)
{
    return MoveProposer(scenario, hardware).take();
}

std::optional<Proposal> together(const Scenario& scenario, const Proposal& a, const Proposal& b)
{
    if (a.slow && b.slow)
        return std::nullopt;
    for (const auto& [id, text] : b.settings)
        if (std::any_of(a.settings.begin(), a.settings.end(), [&id = id](const auto& s) { return s.first == id; }))
            return std::nullopt;
    Proposal both = a;
    both.changes.insert(both.changes.end(), b.changes.begin(), b.changes.end());
    both.settings.insert(both.settings.end(), b.settings.begin(), b.settings.end());
    both.slow = a.slow ? a.slow : b.slow;
    std::optional<Scenario> changed = withSettings(scenario, both.settings);
    if (!changed)
        return std::nullopt;
    both.scenario = std::move(*changed);
    if (both.slow)
        both.scenario.variability.slow = both.slow.value();
    return both;
}

} // namespace prism
