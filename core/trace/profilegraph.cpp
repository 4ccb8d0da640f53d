// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/schedule/generators.h"
#include "core/stats/moments.h"
#include "core/trace/profilemodel.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>

namespace prism {

namespace {

constexpr double kMinPooledFactor = 1e-9; // factors of a pool are positive: a duration of 0 counts as this share of the mean

/// Mean of the largest of n draws from a pool: each value counts with the probability that it is the largest.
double meanOfLargest(std::vector<double> values, double n)
{
    std::sort(values.begin(), values.end());
    const auto m = static_cast<double>(values.size());
    double mean = 0;
    for (std::size_t i = 0; i < values.size(); ++i)
        mean += values[i] * (std::pow(static_cast<double>(i + 1) / m, n) - std::pow(static_cast<double>(i) / m, n));
    return mean;
}

/// A factor with mean 1 from measured values; deterministic where they do not differ.
Distribution pooled(std::vector<double> values)
{
    const auto [minimum, maximum] = std::minmax_element(values.begin(), values.end());
    if (*minimum == *maximum)
        return {};
    const double floor = kMinPooledFactor * meanOf(values);
    for (double& v : values)
        v = std::max(v, floor);
    return empiricalDistribution(std::move(values));
}

/// What a segment ends with that belongs to all ranks: from the last kernel of a step to its end.
double restOf(const ProfileSegment& segment, std::size_t step)
{
    return segment.collective.empty() ? segment.transfer[step] : 0;
}

void add(StepGraph& graph, KernelClass c, double mean)
{
    const Sync sync = c.scope == Scope::none ? Sync::group : Sync::cell;
    graph.programs.front().blocks.front().ops.push_back(
        {.kernelClass = static_cast<int>(graph.classes.size()), .meanSeconds = mean, .sync = sync});
    graph.classes.push_back(std::move(c));
}

/// ", mostly gemm, ...": the kernels that take the longest part of a segment, by the name that repaired() takes; empty where all is idle.
std::string longestPool(const ProfileModel& model, const ProfileSegment& segment)
{
    constexpr std::size_t kMaxName = 80;
    std::vector<double> seconds(model.pools.size(), 0.0);
    for (const auto& step : segment.pools)
        for (const auto& rank : step)
            for (const auto& [pool, t] : rank)
                seconds[pool] += pool == kIdlePool ? 0 : t;
    const auto longest = std::max_element(seconds.begin(), seconds.end());
    return longest == seconds.end() || !(*longest > 0)
               ? ""
               : ", mostly " + model.pools[static_cast<std::size_t>(longest - seconds.begin())].signature.substr(0, kMaxName);
}

void addSegment(StepGraph& graph, const ProfileModel& model, const ProfileSegment& segment, const std::vector<double>& stepFactors)
{
    std::vector<double> factors;
    double slowest = 0;
    const std::size_t steps = model.steps.size(), ranks = model.ranks.size();
    for (std::size_t s = 0; s < steps; ++s) {
        const double rest = restOf(segment, s);
        slowest += (rest + *std::max_element(segment.seconds[s].begin(), segment.seconds[s].end())) / static_cast<double>(steps);
        for (const double v : segment.seconds[s])
            factors.push_back((v + rest) / stepFactors[s]);
    }
    Distribution temporal = pooled(std::move(factors));
    const double largest = temporal.pool ? meanOfLargest(*temporal.pool, static_cast<double>(ranks)) : 1;
    const std::string place = segment.collective.empty() ? "the end of the step" : segment.collective;
    const std::string segmentName = fmt::format("{}: segment before {}{} (empirical, {} ranks x {} steps, last rank as measured)",
                                                graph.classes.size() + 1, place, longestPool(model, segment), ranks, steps);
    add(graph, {segmentName, Scope::none, Category::compute, std::move(temporal)}, slowest / largest);
    if (segment.collective.empty())
        return;
    const std::string transferName = fmt::format("{}: transfer of {} (empirical, {} steps, {})", graph.classes.size() + 1, place, steps,
                                                 model.isComplete ? "without waiting" : "with waiting for ranks without a profile");
    add(graph, {transferName, Scope::intraNode, Category::other, pooled(segment.transfer)}, meanOf(segment.transfer));
}

} // namespace

Result<StepGraph> profileGraph(const ProfileModel& model, int ranks)
{
    StepGraph graph;
    graph.name = fmt::format("profile of {} ranks, {} steps", model.ranks.size(), model.steps.size());
    graph.groupRanks = ranks > 0 ? ranks : static_cast<int>(model.ranks.size());
    graph.programs = {Program{"step", {Block{}}}, Program{"nothing", {}}};
    graph.programOf = {std::vector{std::array{0, 1, -1}}};
    graph.schedule = makeSchedule("1f1b", 1, 1, 1).value();
    graph.gradSync = graph.optimizer = graph.paramGather = {StepOp{}};
    std::vector<double> stepFactors(model.steps.size(), 0.0);
    for (const ProfileSegment& segment : model.segments)
        for (std::size_t s = 0; s < stepFactors.size(); ++s)
            stepFactors[s] += meanOf(segment.seconds[s]) + restOf(segment, s);
    const double mean = meanOf(stepFactors);
    for (double& factor : stepFactors)
        factor = mean > 0 ? std::max(factor / mean, kMinPooledFactor) : 1;
    graph.computeRegime = pooled(stepFactors);
    for (const ProfileSegment& segment : model.segments)
        addSegment(graph, model, segment, stepFactors);
    if (Diagnostics errors = check(graph); hasErrors(errors))
        return errors;
    return graph;
}

} // namespace prism
