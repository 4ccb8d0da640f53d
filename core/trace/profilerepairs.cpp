// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/diagnostictext.h"
#include "core/base/text.h"
#include "core/stats/moments.h"
#include "core/trace/profilemodel.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace prism {

namespace {

constexpr double kJitterKept = 0.5;

/// What a repair changes, from the segment as measured; empty = nothing.
struct Change {
    std::function<double(const ProfileSegment& measured, std::size_t step, std::size_t rank, std::size_t pool)> divisor;
    std::function<double(const ProfileSegment& measured, std::size_t step)> transfer; ///< seconds
};

void apply(ProfileModel& model, const Change& change)
{
    for (ProfileSegment& segment : model.segments) {
        const ProfileSegment measured = segment;
        for (std::size_t s = 0; s < model.steps.size(); ++s) {
            segment.transfer[s] = change.transfer ? change.transfer(measured, s) : measured.transfer[s];
            for (std::size_t r = 0; change.divisor && r < model.ranks.size(); ++r) {
                segment.seconds[s][r] = 0;
                for (auto& [pool, seconds] : segment.pools[s][r])
                    segment.seconds[s][r] += seconds /= change.divisor(measured, s, r, pool);
            }
        }
    }
}

/// "WORDS=FACTOR"; nothing where no pool or transfer has the words.
std::optional<Change> faster(const ProfileModel& model, const std::string& text)
{
    const std::size_t equals = text.rfind('=');
    const auto factor = equals == std::string::npos ? std::nullopt : doubleFromText(text.substr(equals + 1));
    const auto hasWords = [words = lowered(text.substr(0, equals))](const std::string& signature) {
        return !words.empty() && lowered(signature).find(words) != std::string::npos;
    };
    std::vector<double> divisors;
    for (const ProfilePool& pool : model.pools)
        divisors.push_back(hasWords(pool.signature) ? factor.value_or(0) : 1);
    if (!(factor.value_or(0) > 0) || std::all_of(divisors.begin(), divisors.end(), [](double d) { return d == 1; }))
        return std::nullopt;
    return Change{
        [divisors](const auto&, auto, auto, std::size_t pool) { return divisors[pool]; },
        [hasWords, factor](const ProfileSegment& m, std::size_t s) { return m.transfer[s] / (hasWords(m.collective) ? *factor : 1); }};
}

Change steadyTransfers(const ProfileModel& model)
{
    std::map<std::string, std::vector<double>> transfers;
    for (const ProfileSegment& segment : model.segments)
        transfers[segment.collective].insert(transfers[segment.collective].end(), segment.transfer.begin(), segment.transfer.end());
    std::map<std::string, double> medians;
    for (auto& [collective, seconds] : transfers)
        medians[collective] = medianOf(std::move(seconds));
    return {{}, [medians](const ProfileSegment& m, std::size_t s) {
                return m.collective.empty() ? m.transfer[s] : std::min(m.transfer[s], medians.at(m.collective));
            }};
}

Change halfJitter()
{
    const auto kept = [](double own, double mean) { return mean + kJitterKept * (own - mean); };
    return {[kept](const ProfileSegment& m, std::size_t s, std::size_t r, auto) {
                double mean = 0;
                for (const std::vector<double>& step : m.seconds)
                    mean += step[r] / static_cast<double>(m.seconds.size());
                return m.seconds[s][r] > 0 ? m.seconds[s][r] / kept(m.seconds[s][r], mean) : 1;
            },
            [kept](const ProfileSegment& m, std::size_t s) { return kept(m.transfer[s], meanOf(m.transfer)); }};
}

/// The change of a repair; nothing where there is no such one.
std::optional<Change> changeOf(const ProfileModel& model, const std::string& id)
{
    if (id.starts_with("faster:"))
        return faster(model, id.substr(7));
    if (id == "steady_transfers")
        return steadyTransfers(model);
    if (id == "half_jitter")
        return halfJitter();
    if (id == "no_gaps")
        return Change{
            [](const auto&, auto, auto, std::size_t pool) { return pool == kIdlePool ? std::numeric_limits<double>::infinity() : 1.0; },
            {}};
    std::vector<double> factors = rankFactors(model);
    bool isKnown = id == "slow_workers";
    for (std::size_t r = 0; r < factors.size(); ++r) {
        const bool isNamed = id == fmt::format("worker:{}", model.ranks[r]);
        isKnown = isKnown || isNamed;
        factors[r] = isNamed || (id == "slow_workers" && factors[r] >= kSlowWorker) ? std::max(1.0, factors[r]) : 1;
    }
    return isKnown ? std::optional(Change{[&model, factors](const auto&, auto, std::size_t r, std::size_t pool) {
                                              return model.pools[pool].computes ? factors[r] : 1;
                                          },
                                          {}})
                   : std::nullopt;
}

} // namespace

std::vector<double> stepSeconds(const ProfileModel& model)
{
    std::vector<double> result(model.steps.size(), 0.0);
    for (const ProfileSegment& segment : model.segments)
        for (std::size_t s = 0; s < result.size(); ++s)
            result[s] += *std::max_element(segment.seconds[s].begin(), segment.seconds[s].end()) + segment.transfer[s];
    return result;
}

std::vector<double> rankFactors(const ProfileModel& model)
{
    std::vector<double> own(model.ranks.size(), 0.0), median(own);
    for (const ProfileSegment& segment : model.segments) {
        std::map<std::size_t, std::map<std::size_t, double>> seconds; // over all steps, by pool and rank
        for (const auto& step : segment.pools)
            for (std::size_t r = 0; r < step.size(); ++r)
                for (const auto& [pool, t] : step[r])
                    if (model.pools[pool].computes)
                        seconds[pool][r] += t;
        for (const auto& [pool, byRank] : seconds) {
            std::vector<double> values;
            for (const auto& [r, t] : byRank)
                values.push_back(t);
            const double middle = medianOf(std::move(values));
            for (const auto& [r, t] : byRank) {
                own[r] += t;
                median[r] += middle;
            }
        }
    }
    for (std::size_t r = 0; r < own.size(); ++r)
        own[r] = median[r] > 0 ? own[r] / median[r] : 1;
    return own;
}

Result<ProfileModel> repaired(ProfileModel model, const std::vector<std::string>& repairs)
{
    for (const std::string& id : repairs) {
        const std::optional<Change> change = changeOf(model, id);
        if (!change)
            return errorAt("--repair", "the profiles hold nothing that this repairs", id,
                           fmt::format("worker:RANK with a rank of {}, slow_workers, no_gaps, steady_transfers, half_jitter, or "
                                       "faster:WORDS=FACTOR with words of a class",
                                       fmt::join(model.ranks, ", ")));
        apply(model, *change);
    }
    return model;
}

Result<Repairs> profileRepairs(const ProfileModel& model, const std::vector<std::string>& more)
{
    Repairs result{.beforeSeconds = stepSeconds(model)};
    result.before = stepTimes(result.beforeSeconds);
    for (std::size_t s = 0; s < model.steps.size(); ++s)
        result.replayError = std::max(result.replayError, std::abs(result.beforeSeconds[s] / model.stepSeconds[s] - 1));
    std::map<std::string, std::string> repairs{{"no_gaps", "no gaps between kernels (launches, logging, input)"},
                                               {"steady_transfers", "no transfer of a barrier longer than its median"},
                                               {"half_jitter", "every segment and transfer half as far from its mean over the steps"}};
    if (model.steps.size() < 2)
        repairs.erase("half_jitter");
    const std::vector<double> factors = rankFactors(model);
    for (std::size_t r = 0; r < factors.size(); ++r)
        if (factors[r] >= kSlowWorker) {
            result.slow.push_back({model.ranks[r], 0, factors[r]});
            repairs[fmt::format("worker:{}", model.ranks[r])] =
                fmt::format("rank {} as fast as the median of the ranks (it takes {:.2f} times as long)", model.ranks[r], factors[r]);
        }
    std::stable_sort(result.slow.begin(), result.slow.end(), [](const auto& a, const auto& b) { return a.factor > b.factor; });
    if (result.slow.size() > 1)
        repairs["slow_workers"] = fmt::format("all {} slow ranks as fast as the median of the ranks", result.slow.size());
    for (const std::string& id : more)
        repairs.try_emplace(id, "as requested");
    for (const auto& [id, text] : repairs) {
        const Result<ProfileModel> after = repaired(model, {id});
        if (!after)
            return after.errors();
        addRepair(result, id, text, stepSeconds(*after));
    }
    return result;
}

} // namespace prism
