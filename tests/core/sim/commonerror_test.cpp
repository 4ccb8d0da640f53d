// SPDX-License-Identifier: GPL-3.0-or-later
// What a common sample leaves uncertain, on replicas whose distribution is known.
#include "core/sim/step/commonerror.h"

#include "core/engine/summary.h"
#include "core/sim/step/influence.h"
#include "core/stats/random.h"

#include <boost/math/distributions/binomial.hpp>
#include <gtest/gtest.h>

#include <cmath>

namespace prism {
namespace {

constexpr int kReplicas = 1000;
constexpr std::size_t kSteps = 500, kSampled = 10'000;

/// Steps whose replicas take exponential times, nothing else being random, as a series leaves them behind.
Sampled exponentialReplicas(std::uint64_t seed, std::size_t count = kSampled)
{
    Sampled out;
    out.single.assign(kSteps, 0.0);
    out.location.assign(kSteps, 10.0);
    for (std::uint64_t i = 0; i < count; ++i)
        out.excess.push_back(-std::log(uniform(seed, stream(1), i)));
    out.weight.assign(count, 1.0);
    return out;
}

std::vector<double> slowest(const Sampled& sampled, const TailSample& pool, std::uint64_t seed)
{
    std::vector<double> out;
    for (std::size_t j = 0; j < kSteps; ++j)
        out.push_back(sampled.location[j] + pool.upperQuantile(tailOfMaximum(uniform(seed, stream(2), j), kReplicas)));
    return out;
}

/// The slowest of a thousand exponential replicas is below -ln(1 - p^(1/1000)) with probability p, and sum 1/k in the mean: seven sampled
/// replicas lie beyond its median, half a one beyond its p95. The error says 95 % either way; what the steps themselves add is left out.
TEST(CommonError, HoldsAsOftenAsItSaysWhereFewReplicasDecide)
{
    constexpr int kTrials = 400;
    double mean = 0.0;
    for (int k = 1; k <= kReplicas; ++k)
        mean += 1.0 / k;
    int median = 0, tail = 0, average = 0;
    for (std::uint64_t trial = 0; trial < kTrials; ++trial) {
        const Sampled sampled = exponentialReplicas(trial);
        const TailSample pool(sampled.excess, sampled.weight);
        const TailInfluence influence(sampled, pool, kReplicas);
        const SharedError error = commonError(sampled, pool, kReplicas, slowest(sampled, pool, trial));
        const auto holds = [&](double p, const SharedError::Part& part) {
            return std::abs(influence.quantile(p, 1.0) - 10.0 + std::log(-std::expm1(std::log(p) / kReplicas))) <= halfWidth95(part);
        };
        median += holds(0.5, error.p50) ? 1 : 0;
        tail += holds(0.95, error.p95) ? 1 : 0;
        double expected = 0.0;
        constexpr int kPlaces = 200;
        for (int i = 0; i < kPlaces; ++i)
            expected += pool.upperQuantile(tailOfMaximum((i + 0.5) / kPlaces, kReplicas)) / kPlaces;
        average += std::abs(expected - mean) <= halfWidth95(error.mean) ? 1 : 0;
    }
    const boost::math::binomial_distribution<> right(kTrials, 0.95);
    const double fewest = boost::math::quantile(right, 0.0005), most = boost::math::quantile(right, 0.9995);
    for (const int covered : {median, tail, average}) {
        EXPECT_GE(covered, fewest) << median << " " << tail << " " << average;
        EXPECT_LE(covered, most) << median << " " << tail << " " << average;
    }
}

/// With an event of 30 s in one of 1,500 replicas almost half the steps have one among their thousand replicas: the sampled events, 27 on
/// average, decide on which side of the gap the median lies, and from either side the gap is on one side only. Half the distance of the two
/// ends held in half of the trials.
TEST(CommonError, HoldsAsOftenAsItSaysWhereOneSideIsLonger)
{
    constexpr int kTrials = 150;
    constexpr std::size_t kMany = 4 * kSampled;
    constexpr double kEvent = 1.0 / 1500.0, kSeconds = 30.0;
    const auto tail = [](double x) { return (1.0 - kEvent) * std::exp(-x) + kEvent * std::exp(-std::max(0.0, x - kSeconds)); };
    double known = 0.0;
    for (double step = 64.0; step > 1e-9; step *= 0.5)
        known += std::pow(1.0 - tail(known + step), kReplicas) < 0.5 ? step : 0.0;
    int held = 0;
    for (std::uint64_t trial = 0; trial < kTrials; ++trial) {
        Sampled sampled = exponentialReplicas(trial, kMany);
        for (std::uint64_t i = 0; i < kMany; ++i)
            sampled.excess[i] += uniform(trial, stream(3), i) < kEvent ? kSeconds : 0.0;
        const TailSample pool(sampled.excess, sampled.weight);
        const SharedError error = commonError(sampled, pool, kReplicas, slowest(sampled, pool, trial));
        held += std::abs(TailInfluence(sampled, pool, kReplicas).quantile(0.5, 1.0) - 10.0 - known) <= halfWidth95(error.p50) ? 1 : 0;
    }
    const boost::math::binomial_distribution<> right(kTrials, 0.95);
    EXPECT_GE(held, boost::math::quantile(right, 0.0005)) << known;
    EXPECT_LE(held, boost::math::quantile(right, 0.9995)) << known;
}

/// A tail function twice as large moves the quantile of an exponential tail by ln 2; replicas simulated one by one that are always slower
/// hide it.
TEST(CommonError, AFactorOfTheTailMovesTheQuantileUnlessSingleReplicasAreSlower)
{
    Sampled sampled = exponentialReplicas(1);
    const TailSample pool(sampled.excess, sampled.weight);
    const TailInfluence free(sampled, pool, kReplicas);
    EXPECT_NEAR(free.quantile(0.99, 2.0) - free.quantile(0.99, 1.0), std::log(2.0) * pool.fitted()->scale, 1e-6);
    sampled.single.assign(kSteps, 40.0);
    const TailInfluence hidden(sampled, pool, kReplicas);
    EXPECT_NEAR(hidden.quantile(0.5, 2.0), 40.0, 1e-6);
    EXPECT_EQ(commonError(sampled, pool, kReplicas, std::vector<double>(kSteps, 40.0)).p50.stdErr, 0.0);
}

} // namespace
} // namespace prism
