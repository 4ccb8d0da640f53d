// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/lanes/lanes.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/sim/lanes/lanes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "core/sim/lanes/lanes-inl.h"

#include <hwy/contrib/math/math-inl.h>

HWY_BEFORE_NAMESPACE();
namespace prism::HWY_NAMESPACE {

void DrawRow(const DrawTable& table, const LaneSeeds& seeds, LaneKey key, float* HWY_RESTRICT row)
{
    const F d;
    const Quantiles body(table.body);
    for (std::size_t l = 0; l < kLanes; l += hn::Lanes(d))
        hn::Store(body.at(words(seeds, key, l)), d, row + l);
    if (table.rareBelow == 0)
        return;
    const Quantiles rare(table.rare);
    const LaneKey other = rareKey(key);
    for (std::size_t l = 0; l < kLanes; l += hn::Lanes(d))
        if (const auto hit = hn::RebindMask(d, hn::Lt(words(seeds, other, l), hn::Set(U(), table.rareBelow))); !hn::AllFalse(d, hit))
            hn::Store(hn::IfThenElse(hit, rare.at(words(seeds, key, l)), hn::Load(d, row + l)), d, row + l);
}

void DrawWords(const LaneSeeds& seeds, LaneKey key, std::uint32_t* HWY_RESTRICT row)
{
    const U d;
    for (std::size_t l = 0; l < kLanes; l += hn::Lanes(d))
        hn::Store(words(seeds, key, l), d, row + l);
}

template <class Row>
HWY_INLINE void softMaximumOf(const Row& row, std::size_t n, float beta, float* out)
{
    const F d;
    for (std::size_t l = 0; l < kLanes; l += hn::Lanes(d)) {
        auto largest = row(0, l);
        for (std::size_t i = 1; i < n; ++i)
            largest = hn::Max(largest, row(i, l));
        if (n > 1 && beta < kSharp) {
            auto sum = hn::Zero(d);
            for (std::size_t i = 0; i < n; ++i)
                sum = hn::Add(sum, hn::Exp(d, hn::Max(hn::Set(d, -80.0F), hn::Mul(hn::Set(d, beta), hn::Sub(row(i, l), largest)))));
            largest = hn::MulAdd(hn::Log(d, hn::Mul(sum, hn::Set(d, 1.0F / static_cast<float>(n)))), hn::Set(d, 1.0F / beta), largest);
        }
        hn::Store(largest, d, out + l);
    }
}

void SoftMaximum(const float* rows, std::size_t n, float beta, float* out)
{
    const F d;
    softMaximumOf([&](std::size_t i, std::size_t l) { return hn::Load(d, rows + i * kLanes + l); }, n, beta, out);
}

void SlowestOfRanks(const float* speeds, const float* slow, std::size_t ranks, float sensitivity, float beta, float* HWY_RESTRICT out)
{
    const F d;
    softMaximumOf(
        [&](std::size_t i, std::size_t l) {
            const float scale = sensitivity * (slow != nullptr ? slow[i] : 1.0F);
            return hn::MulAdd(hn::Set(d, scale), hn::Load(d, speeds + i * kLanes + l), hn::Set(d, 1.0F - sensitivity));
        },
        ranks, beta, out);
}

void WeightedSum(const float* rows, std::size_t stride, const float* weights, std::size_t n, float base, const float* scale, float* out)
{
    const F d;
    for (std::size_t l = 0; l < kLanes; l += hn::Lanes(d)) {
        auto sum = hn::Set(d, base);
        for (std::size_t i = 0; i < n; ++i)
            sum = hn::MulAdd(hn::Set(d, weights[i]), hn::Load(d, rows + i * stride + l), sum);
        hn::Store(hn::Mul(sum, hn::Load(d, scale + l)), d, out + l);
    }
}

void RunKernels(const KernelRun& run, const LaneSeeds& seeds, std::uint64_t firstKey, float* HWY_RESTRICT clocks)
{
    const F d;
    const DrawTable& table = *run.table;
    const Quantiles body(table.body);
    const bool withRare = run.withRare && table.rareBelow != 0;
    HWY_ALIGN float one[kLanes], sum[kLanes];
    for (std::size_t r = 0; r < run.ranks; ++r) {
        for (std::size_t l = 0; l < kLanes; l += hn::Lanes(d))
            hn::Store(hn::Zero(d), d, sum + l);
        for (std::size_t i = 0; i < run.kernels; ++i) {
            const LaneKey key = executionKey(firstKey + r * run.kernels + i);
            if (withRare)
                DrawRow(table, seeds, key, one);
            const float* routing = run.routing != nullptr ? run.routing[i] : nullptr;
            for (std::size_t l = 0; l < kLanes; l += hn::Lanes(d)) {
                auto e = withRare ? hn::Load(d, one + l) : table.body.isConstant() ? hn::Set(d, 1.0F) : body.at(words(seeds, key, l));
                if (routing != nullptr)
                    e = hn::Mul(e, hn::Load(d, routing + l));
                hn::Store(hn::MulAdd(hn::Set(d, run.meanSeconds[i]), e, hn::Load(d, sum + l)), d, sum + l);
            }
        }
        float* clock = clocks + r * kLanes;
        const float* data = run.data + r / run.ranksPerOwner * kLanes;
        for (std::size_t l = 0; l < kLanes; l += hn::Lanes(d)) {
            const auto speed =
                hn::MulAdd(hn::Set(d, run.sensitivity), hn::Load(d, run.speeds + r * kLanes + l), hn::Set(d, 1.0F - run.sensitivity));
            hn::Store(hn::MulAdd(hn::Mul(hn::Load(d, sum + l), speed), hn::Load(d, data + l), hn::Load(d, clock + l)), d, clock + l);
        }
    }
}

} // namespace prism::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace prism {

namespace {

HWY_EXPORT(DrawRow);
HWY_EXPORT(DrawWords);
HWY_EXPORT(SoftMaximum);
HWY_EXPORT(SlowestOfRanks);
HWY_EXPORT(WeightedSum);
HWY_EXPORT(RunKernels);

} // namespace

void drawRow(const DrawTable& table, const LaneSeeds& seeds, LaneKey key, float* row)
{
    HWY_DYNAMIC_DISPATCH(DrawRow)(table, seeds, key, row);
}

void drawWords(const LaneSeeds& seeds, LaneKey key, std::uint32_t* row)
{
    HWY_DYNAMIC_DISPATCH(DrawWords)(seeds, key, row);
}

void softMaximum(const float* rows, std::size_t n, float beta, float* out)
{
    HWY_DYNAMIC_DISPATCH(SoftMaximum)(rows, n, beta, out);
}

void slowestOfRanks(const float* speeds, const float* slow, std::size_t ranks, float sensitivity, float beta, float* out)
{
    HWY_DYNAMIC_DISPATCH(SlowestOfRanks)(speeds, slow, ranks, sensitivity, beta, out);
}

void weightedSum(const float* rows, std::size_t stride, const float* weights, std::size_t n, float base, const float* scale, float* out)
{
    HWY_DYNAMIC_DISPATCH(WeightedSum)(rows, stride, weights, n, base, scale, out);
}

void runKernels(const KernelRun& run, const LaneSeeds& seeds, std::uint64_t firstKey, float* clocks)
{
    HWY_DYNAMIC_DISPATCH(RunKernels)(run, seeds, firstKey, clocks);
}

LaneKey executionKey(std::uint64_t number)
{
    return {mixWord(static_cast<std::uint32_t>(number)), static_cast<std::uint32_t>(number >> 32U) ^ 0x3c6ef372U};
}

} // namespace prism
#endif
