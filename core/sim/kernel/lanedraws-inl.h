// SPDX-License-Identifier: GPL-3.0-or-later
// Random bits for all lanes of a block, and what tables and pools give for them.
// Part of sweepkernel.cpp, compiled once for each instruction set.
#if defined(PRISM_LANEDRAWS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef PRISM_LANEDRAWS_INL_H
#undef PRISM_LANEDRAWS_INL_H
#else
#define PRISM_LANEDRAWS_INL_H
#endif

#include "core/sim/kernel/drawpool.h"
#include "core/sim/kernel/kernelnode.h"

#include <hwy/highway.h>

#include <bit>

#undef PRISM_WHOLE_TABLES
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
#define PRISM_WHOLE_TABLES 1
#else
#define PRISM_WHOLE_TABLES 0
#endif

HWY_BEFORE_NAMESPACE();
namespace prism::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// At most 16 lanes: a table half is one 512-bit register.
using F = hn::CappedTag<float, PRISM_WHOLE_TABLES ? 16 : (HWY_TARGET == HWY_AVX2 ? 8 : 4)>;
using I = hn::RebindToSigned<F>;

constexpr int kRounds = 5;

/// 32 random bits per lane, four lanes per AES state. A pass of its own: the rounds' latency would keep what follows waiting.
HWY_INLINE void drawWords(const DrawKey& key, const RoundKeys& keys, std::uint64_t block, std::int32_t* HWY_RESTRICT words)
{
    // Only the targets from Ice Lake on have AES on more than one state; splitting wider registers would cost more than it saves.
    const hn::CappedTag<std::uint8_t, HWY_TARGET <= HWY_AVX3_DL ? 64 : 16> d8;
    const hn::Repartition<std::uint64_t, decltype(d8)> d64;
    // Even 64-bit words count the states, odd words stay.
    const auto even = hn::Iota(d64, 0);
    const auto lane = hn::And(even, hn::Set(d64, ~std::uint64_t{1}));
    const auto isEven = hn::Eq(lane, even);
    const auto step = hn::IfThenElseZero(isEven, hn::Set(d64, hn::Lanes(d64) / 2));
    auto counter = hn::IfThenElseZero(isEven, hn::Add(hn::ShiftRight<1>(lane), hn::Set(d64, block * (kLanes / 4))));
    counter = hn::Add(counter, hn::LoadDup128(d64, key.word));
    for (std::size_t i = 0; i < kLanes / 2; i += hn::Lanes(d64)) {
        auto state = hn::BitCast(d8, hn::Xor(counter, hn::LoadDup128(d64, keys.word[0])));
        for (int r = 1; r <= kRounds; ++r)
            state = hn::AESRound(state, hn::BitCast(d8, hn::LoadDup128(d64, keys.word[r])));
        hn::Store(hn::BitCast(d64, state), d64, reinterpret_cast<std::uint64_t*>(words) + i);
        counter = hn::Add(counter, step);
    }
}

/// A word holds two draws, in bits 12 ... 27 and in the rest: turned by half, the other one is in place.
template <bool kOther>
HWY_INLINE hn::Vec<I> drawsAt(const std::int32_t* words)
{
    const I di;
    const hn::RebindToUnsigned<I> du;
    const auto w = hn::Load(di, words);
    return kOther ? hn::BitCast(di, hn::RotateRight<16>(hn::BitCast(du, w))) : w;
}

/// Argument x of a table's cubics for the draws in bits 12 ... 27 of the words, and the entry in bits 23 ... 27: registertable.h.
/// Sums, not ternary logic: on Zen 4 instructions with three sources share their read ports with lookups and multiply-adds.
HWY_INLINE hn::Vec<F> argument(F d, hn::Vec<I> words)
{
    const I di;
    return hn::ConvertTo(d, hn::Add(hn::And(words, hn::Set(di, 0x7fff << 12)), hn::Set(di, 1 << 11)));
}

HWY_INLINE hn::Vec<I> entryBits(hn::Vec<F> x, hn::Vec<I> words)
{
    const I di;
    return hn::Add(hn::BitCast(di, x), hn::And(words, hn::Set(di, 1 << 27)));
}

#if PRISM_WHOLE_TABLES

/// A table in eight registers. This version of Highway has no lookup in two registers.
class Cubics final {
public:
    explicit HWY_INLINE Cubics(const RegisterTable& table)
    {
        for (std::size_t k = 0; k < 4; ++k) {
            m_low[k] = _mm512_load_ps(table.coefficient[k]);
            m_high[k] = _mm512_load_ps(table.coefficient[k] + 16);
        }
    }
    HWY_INLINE hn::Vec<F> at(F d, hn::Vec<I> words) const
    {
        const auto x = argument(d, words);
        const auto entry = hn::ShiftRight<23>(entryBits(x, words)).raw;
        const auto c = [&](std::size_t k) { return hn::Vec<F>{_mm512_permutex2var_ps(m_low[k], entry, m_high[k])}; };
        return hn::MulAdd(hn::MulAdd(hn::MulAdd(c(3), x, c(2)), x, c(1)), x, c(0));
    }

private:
    __m512 m_low[4], m_high[4];
};

template <bool kOther>
HWY_INLINE void cubicRow(F d, const RegisterTable& table, const std::int32_t* HWY_RESTRICT words, float* HWY_RESTRICT row)
{
    const Cubics cubics(table);
    for (std::size_t l = 0; l < kLanes; l += hn::Lanes(d))
        hn::Store(cubics.at(d, drawsAt<kOther>(words + l)), d, row + l);
}

#else

/// One load per lane brings its four coefficients; four lanes are turned into four vectors. The entries go through memory in a pass
/// of their own: taking them out of a register lane by lane would cost as much as the rest.
template <bool kOther>
HWY_INLINE void cubicRow(F d, const RegisterTable& table, const std::int32_t* HWY_RESTRICT words, float* HWY_RESTRICT row)
{
    const I di;
    const hn::Repartition<double, F> d64;
    HWY_ALIGN std::int32_t place[kLanes];
    for (std::size_t l = 0; l < kLanes; l += hn::Lanes(d)) {
        const auto w = drawsAt<kOther>(words + l);
        const auto x = argument(d, w);
        hn::Store(x, d, row + l);
        hn::Store(hn::And(hn::ShiftRight<21>(entryBits(x, w)), hn::Set(di, 31 << 2)), di, place + l);
    }
    for (std::size_t l = 0; l < kLanes; l += hn::Lanes(d)) {
        const auto lanes = [&](std::size_t i) {
            const hn::FixedTag<float, 4> d4;
#if HWY_TARGET == HWY_AVX2
            return hn::Combine(d, hn::Load(d4, table.row[0] + place[l + i + 4]), hn::Load(d4, table.row[0] + place[l + i]));
#else
            return hn::Load(d4, table.row[0] + place[l + i]);
#endif
        };
        const auto a = lanes(0), b = lanes(1), e = lanes(2), f = lanes(3);
        const auto ab01 = hn::BitCast(d64, hn::InterleaveLower(d, a, b)), ab23 = hn::BitCast(d64, hn::InterleaveUpper(d, a, b));
        const auto ef01 = hn::BitCast(d64, hn::InterleaveLower(d, e, f)), ef23 = hn::BitCast(d64, hn::InterleaveUpper(d, e, f));
        const auto c0 = hn::BitCast(d, hn::InterleaveLower(d64, ab01, ef01)), c1 = hn::BitCast(d, hn::InterleaveUpper(d64, ab01, ef01));
        const auto c2 = hn::BitCast(d, hn::InterleaveLower(d64, ab23, ef23)), c3 = hn::BitCast(d, hn::InterleaveUpper(d64, ab23, ef23));
        const auto x = hn::Load(d, row + l);
        hn::Store(hn::MulAdd(hn::MulAdd(hn::MulAdd(c3, x, c2), x, c1), x, c0), d, row + l);
    }
}

#endif

/// Values of a table for the words' draws.
template <bool kOther>
HWY_INLINE void quantiles(F d, const RegisterTable& table, const std::int32_t* HWY_RESTRICT words, float* HWY_RESTRICT row)
{
    const I di;
    if (table.steps.empty()) {
        cubicRow<kOther>(d, table, words, row);
        return;
    }
    for (std::size_t l = 0; l < kLanes; l += hn::Lanes(d)) {
        const auto step = hn::And(hn::ShiftRight<16>(drawsAt<kOther>(words + l)), hn::Set(di, 0xfff));
        hn::Store(hn::GatherIndex(d, table.steps.data(), step), d, row + l);
    }
}

/// Lines of a pool that make a row.
constexpr std::size_t kRowLines = kLanes / kPoolLanes;

/// Where the lines begin that a node takes from pools: first those of the chunk, then those of the transfer.
HWY_INLINE void poolLines(const DrawKey& key, const RoundKeys& keys, std::uint64_t block, std::uint16_t* HWY_RESTRICT lines)
{
    const hn::FixedTag<std::uint8_t, 16> d8;
    const hn::FixedTag<std::uint64_t, 2> d64;
    const hn::FixedTag<std::uint16_t, 8> d16;
    static_assert(kPoolLines * kPoolLanes <= 65536);
    for (std::size_t i = 0; i < 2 * kRowLines; i += hn::Lanes(d16)) {
        HWY_ALIGN const std::uint64_t word[2] = {key.word[0] + block * (kLanes / 4) + i / hn::Lanes(d16), key.word[1]};
        auto state = hn::BitCast(d8, hn::Xor(hn::Load(d64, word), hn::Load(d64, keys.word[0])));
        for (int r = 1; r <= kRounds; ++r)
            state = hn::AESRound(state, hn::BitCast(d8, hn::Load(d64, keys.word[r])));
        const auto line = hn::And(hn::BitCast(d16, state), hn::Set(d16, kPoolLines - 1));
        hn::Store(hn::ShiftLeft<std::countr_zero(kPoolLanes)>(line), d16, lines + i);
    }
}

} // namespace prism::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
