// SPDX-License-Identifier: GPL-3.0-or-later
// The sampler inside the sweep: its accuracy, its independence and its sameness on every instruction set.
#include "core/engine/summary.h"
#include "core/sim/graphs.h"
#include "core/sim/kernel/registertable.h"
#include "core/sim/step/replicas.h"
#include "core/sim/simulate.h"
#include "core/sim/kernel/sweepkernel.h"
#include "core/stats/quantile.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

namespace prism {
namespace {

/// The draw that stands for a probability: above the median it counts from the other end.
std::uint16_t drawOf(double u)
{
    const auto q = static_cast<unsigned>(u * 65536.0);
    return static_cast<std::uint16_t>(q < 32768 ? q : 32768 + (65535 - q));
}

TEST(SweepKernel, MomentsOfEveryDrawAreExact)
{
    for (const Family family : {Family::normal, Family::lognormal, Family::gamma, Family::weibull}) {
        const QuantileFunction q(Distribution{family, 0.1});
        const RegisterTable table = registerTable([&](double lower, double upper) { return q.fromTails(lower, upper); }, 1.0, 0.01);
        double mean = 0.0, square = 0.0;
        for (unsigned draw = 0; draw < 65536; ++draw) {
            const double x = table.at(static_cast<std::uint16_t>(draw));
            mean += x / 65536.0;
            square += (x - 1.0) * (x - 1.0) / 65536.0;
        }
        EXPECT_NEAR(mean, 1.0, 1e-6);
        EXPECT_NEAR(square, 0.01, 1e-6);
        for (const double u : {0.001, 0.05, 0.3, 0.5, 0.95, 0.99, 0.999})
            EXPECT_NEAR(table.at(drawOf(u)), q(u), 5e-4) << static_cast<int>(family) << " " << u;
    }
}

/// 400,000 draws of a table, on each instruction set that this processor has.
template <class Check>
void forEachTarget(const Check& check)
{
    for (const KernelTarget& target : kernelTargets()) {
        SCOPED_TRACE(target.name);
        useKernelTarget(target.id);
        check(target);
    }
    useKernelTarget(0);
}

std::vector<double> manyDraws(const RegisterTable& table)
{
    constexpr std::size_t kBlocks = 400'000 / kLanes;
    std::vector<double> x;
    const RoundKeys keys = roundKeys(7);
    for (std::size_t block = 0; block < kBlocks; ++block) {
        Rows row(1);
        drawRow(table, drawKey(1, 2, 3), keys, block, row.row(0));
        x.insert(x.end(), row.row(0), row.row(0) + kLanes);
    }
    return x;
}

TEST(SweepKernel, FourHundredThousandDrawsAgreeWithDoublePrecisionOnEveryTarget)
{
    const QuantileFunction q(Distribution{Family::lognormal, 0.1});
    const RegisterTable table = registerTable([&](double lower, double upper) { return q.fromTails(lower, upper); }, 1.0, 0.01);
    double every = 0.0; // the mean that infinitely many draws would have
    for (unsigned draw = 0; draw < 65536; ++draw)
        every += table.at(static_cast<std::uint16_t>(draw)) / 65536.0;
    EXPECT_NEAR(every, 1.0, 2e-5);
    forEachTarget([&](const KernelTarget&) {
        const std::vector<double> x = manyDraws(table);
        const DistributionSummary s = summarize(x);
        const auto n = static_cast<double>(x.size());
        EXPECT_NEAR(s.mean, 1.0, 3.0 * 0.1 / std::sqrt(n));
        for (const auto& [p, value] : {std::pair{0.5, s.p50}, {0.95, s.p95}, {0.99, s.p99}}) {
            const double density = 1.0 / q.slope(p, 1.0 - p);
            EXPECT_NEAR(value, q(p), 3.0 * std::sqrt(p * (1.0 - p) / n) / density) << p;
        }
    });
}

TEST(SweepKernel, TargetsWithMultiplyAddGiveTheSameBitsAndOthersDifferByRounding)
{
    const QuantileFunction q(Distribution{Family::gamma, 0.3});
    const RegisterTable table = registerTable([&](double lower, double upper) { return q.fromTails(lower, upper); }, 1.0, 0.09);
    test::JobShape shape;
    shape.stages = 4;
    shape.microbatches = 8;
    shape.replicas = 2;
    shape.sendSeconds = shape.gradSyncSeconds = shape.optimizerSeconds = 0.1;
    shape.compute = shape.inter = {Family::lognormal, 0.1};
    StepGraph g = test::jobGraph(shape);
    g.data = {Family::lognormal, 0.2};
    SimOptions options;
    options.numSamples = 2000;
    std::vector<double> draws, steps;
    forEachTarget([&](const KernelTarget& target) {
        const std::vector<double> x = manyDraws(table), s = simulate(g, options).acrossSeconds;
        if (draws.empty()) {
            draws = x;
            steps = s;
        }
        const bool multiplyAdd = target.name.rfind("SS", 0) != 0;
        for (std::size_t i = 0; i < x.size(); ++i)
            ASSERT_NEAR(x[i], draws[i], multiplyAdd ? 0.0 : 1e-6 * draws[i]) << i;
        for (std::size_t i = 0; i < s.size(); ++i)
            ASSERT_NEAR(s[i], steps[i], multiplyAdd ? 0.0 : 1e-6 * steps[i]) << i;
    });
}

TEST(SweepKernel, StreamsAndTheDrawsOfAWordAreUniformAndUncorrelated)
{
    const RoundKeys keys = roundKeys(3);
    double streams = 0.0, halves = 0.0, square = 0.0;
    constexpr int kBlocks = 2000;
    for (std::uint64_t block = 0; block < kBlocks; ++block) {
        alignas(64) std::int32_t a[kLanes], b[kLanes];
        rawDraws(drawKey(1, 5, 6), keys, block, a);
        rawDraws(drawKey(1, 5, 7), keys, block, b);
        const auto first = [](std::int32_t w) { return (static_cast<std::uint32_t>(w) >> 12U & 0xffffU) / 65536.0 - 0.5; };
        const auto second = [&](std::int32_t w) { return first(static_cast<std::int32_t>(std::rotl(static_cast<std::uint32_t>(w), 16))); };
        for (std::size_t l = 0; l < kLanes; ++l) {
            streams += first(a[l]) * first(b[l]) * 12.0;
            halves += first(a[l]) * second(a[l]) * 12.0;
            square += second(a[l]) * second(a[l]) * 12.0;
        }
    }
    const double n = kBlocks * static_cast<double>(kLanes);
    EXPECT_LT(std::abs(streams) / std::sqrt(n), 4.0);
    EXPECT_LT(std::abs(halves) / std::sqrt(n), 4.0);
    EXPECT_NEAR(square / n, 1.0, 4.0 * std::sqrt(0.8 / n)); // a uniform variable's fourth moment is 1/80
}

} // namespace
} // namespace prism
