// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/explore/earlystop.h"

#include "core/explore/explore.h"
#include "core/scenario/presets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

namespace prism::test {
namespace {

constexpr std::uint64_t kFirstTruthSeed = 1'001;

/// Layouts of one node whose p95 lie within a few parts in a thousand of their neighbours'.
Result<Exploration> searched(std::uint64_t seed, int keep)
{
    ExploreQuery query;
    for (const char* axis : {"tp=1,2,4", "micro_batch_size=1,2", "overlap_grad_reduce=true,false", "overlap_param_gather=true,false",
                             "tp_comm_overlap=true,false"})
        query.space.axes.push_back(*searchAxis(axis));
    query.keep = keep;
    query.maxSampled = 100;
    query.confidence = kStatedConfidence;
    InsightOptions options;
    options.seed = seed;
    Evaluator evaluator;
    return explore(evaluator, *scenarioPreset("llama2-7b-8-a100"), query, options);
}

/// p95 by configuration: mean over seeds, and its standard error.
struct Truth {
    std::map<std::int64_t, std::vector<double>> scores;
    [[nodiscard]] double mean(std::int64_t index) const
    {
        double sum = 0;
        for (const double x : scores.at(index))
            sum += x;
        return sum / static_cast<double>(scores.at(index).size());
    }
    [[nodiscard]] double error(std::int64_t index) const
    {
        const double m = mean(index);
        double squares = 0;
        for (const double x : scores.at(index))
            squares += (x - m) * (x - m);
        const auto n = static_cast<double>(scores.at(index).size());
        return std::sqrt(squares / (n - 1) / n);
    }
};

Truth truthOf(int seeds)
{
    Truth truth;
    for (int i = 0; i < seeds; ++i) {
        const Result<Exploration> all = searched(kFirstTruthSeed + static_cast<std::uint64_t>(i), 100);
        EXPECT_TRUE(all.ok());
        for (const ExploreCandidate& c : all->candidates)
            truth.scores[c.index].push_back(c.score.value);
    }
    return truth;
}

/// Configurations that are among the best beyond caveat: below the first that is not by three standard errors.
std::vector<std::int64_t> bestOf(const Truth& truth)
{
    std::vector<std::int64_t> order;
    for (const auto& [index, scores] : truth.scores)
        order.push_back(index);
    std::sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) { return truth.mean(a) < truth.mean(b); });
    const std::int64_t next = order.at(kKeptOfSpace);
    std::vector<std::int64_t> best;
    for (std::size_t i = 0; i < kKeptOfSpace; ++i)
        if (truth.mean(order[i]) + 3 * std::hypot(truth.error(order[i]), truth.error(next)) < truth.mean(next))
            best.push_back(order[i]);
    return best;
}

} // namespace

EarlyStops earlyStops(int runs, int truthSeeds)
{
    const Truth truth = truthOf(truthSeeds);
    const std::vector<std::int64_t> best = bestOf(truth);
    EXPECT_GE(best.size(), 2U); // else nothing could be omitted wrongly
    EarlyStops out;
    for (int seed = 1; seed <= runs; ++seed) {
        const Result<Exploration> e = searched(static_cast<std::uint64_t>(seed), kKeptOfSpace);
        EXPECT_TRUE(e.ok());
        std::size_t found = 0;
        for (const ExploreCandidate& c : e->candidates) {
            const bool toTheEnd = c.samples == kMaxSamples;
            out.toTheEnd += toTheEnd ? 1 : 0;
            found += toTheEnd && std::find(best.begin(), best.end(), c.index) != best.end() ? 1 : 0;
        }
        ++out.runs;
        out.invalid += found < best.size() ? 1 : 0;
        out.sampled += static_cast<int>(e->candidates.size());
        out.fitting = static_cast<int>(e->fitting);
        const ExploreCandidate& winner = e->candidates.front();
        out.otherWinners += truth.mean(winner.index) > truth.mean(best.front()) + winner.score.halfWidth ? 1 : 0;
    }
    return out;
}

} // namespace prism::test
