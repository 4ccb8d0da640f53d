// SPDX-License-Identifier: GPL-3.0-or-later
// A search of a large job: the best ten are those of a full run, and little is remembered for it.
#include "core/engine/summary.h"
#include "core/explore/explore.h"
#include "core/scenario/presets.h"

#include <gtest/gtest.h>

#include <sys/resource.h>

#include <cmath>

namespace prism {
namespace {

constexpr int kFullSamples = 16'384;
constexpr std::uint64_t kOtherSeed = 77;

double peakMib()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024;
}

/// p95 in seconds, by other draws and many more of them than a search takes.
Estimate fullP95(const CostedStep& costed)
{
    SimOptions options;
    options.seed = kOtherSeed;
    options.numSamples = kFullSamples;
    options.numWithinSamples = -1;
    Evaluator evaluator;
    const auto run = evaluator.samples(costed.graph, options);
    const DistributionSummary s = summarize(run->acrossSeconds, run.get());
    return {s.p95, s.ciP95};
}

TEST(LargeSearch, FindsTheBestTenOfAFullRun)
{
    const Scenario base = *scenarioPreset("llama3-405b-16k-h100");
    ASSERT_EQ(base.cluster.numGpus, 16'384);
    ExploreQuery query;
    query.space = defaultSpace(base);
    Evaluator evaluator;
    const Result<Exploration> found = explore(evaluator, base, query);
    ASSERT_TRUE(found.ok());
    EXPECT_LT(peakMib(), 512);
    EXPECT_GE(found->fitting, 1'000);
    ASSERT_GE(found->candidates.size(), 10U);
    EXPECT_FALSE(found->cut);
    // Configurations without samples take longer noise-free than the tenth best with noise: a full run can only move the sampled ones.
    const PointMaker maker = *PointMaker::make(query.space, base);
    std::vector<Estimate> full;
    for (const ExploreCandidate& c : found->candidates)
        full.push_back(fullP95(*costStep(maker.at(c.index))));
    const auto perToken = [&](std::size_t i) { return full[i].value / found->candidates[i].tokensPerStep; };
    int outside = 0;
    for (std::size_t i = 0; i < full.size(); ++i) {
        const Estimate& raced = found->candidates[i].p95;
        const double reach = std::hypot(raced.halfWidth, full[i].halfWidth);
        outside += i < 10 && std::abs(raced.value - full[i].value) > reach ? 1 : 0;
        for (std::size_t k = 0; k < 10 && i >= 10; ++k) // none of the others is really better
            EXPECT_GT(perToken(i) * (1 + reach / full[i].value), perToken(k) * (1 - reach / full[i].value)) << i << " " << k;
    }
    EXPECT_LE(outside, 2) << "of ten 95 % intervals, which share their draws"; // more, if they did not: 1 in 90
}

} // namespace
} // namespace prism
