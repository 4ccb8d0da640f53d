// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/kernel/sweepkernel.h"

#include "core/base/hash.h"
#include "core/sim/kernel/drawpool.h"

#include <algorithm>

// The AES and permutation instructions of Ice Lake and Zen 4 (2019, 2022).
#define HWY_WANT_AVX3_DL
// The oldest x86 processors served are those with SSSE3 (2006): the scalar target of this version has no AES.
#if defined(__x86_64__) && !defined(HWY_BASELINE_TARGETS)
#define HWY_BASELINE_TARGETS HWY_SSSE3
#endif
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/sim/kernel/sweepkernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace prism::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
#define PRISM_WHOLE_TABLES 1
#else
#define PRISM_WHOLE_TABLES 0
#endif

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

void DrawRow(const RegisterTable& table, const DrawKey& key, const RoundKeys& keys, std::uint64_t block, float* HWY_RESTRICT row)
{
    HWY_ALIGN std::int32_t words[kLanes];
    drawWords(key, keys, block, words);
    quantiles<false>(F(), table, words, row);
}

void RawDraws(const DrawKey& key, const RoundKeys& keys, std::uint64_t block, std::int32_t* HWY_RESTRICT words)
{
    drawWords(key, keys, block, words);
}

template <class Row>
HWY_INLINE Row* rowAt(Row* base, std::int32_t row)
{
    return base + static_cast<std::size_t>(row) * kLanes;
}

/// Start, duration and end of one chunk execution, and the arrival of what it sends. `durationAt` gives the duration of lanes and
/// `factorAt` the transfer's factor: in one pass where it is drawn, which is faster than by way of a row.
template <class DurationAt, class FactorAt>
HWY_INLINE void execute(F d, const KernelNode& node, const KernelRows& rows, const DurationAt& durationAt, const FactorAt& factorAt)
{
    float* HWY_RESTRICT clock = rowAt(rows.clock, node.clockRow);
    const float* HWY_RESTRICT wait = node.waitRow >= 0 ? rowAt(rows.slots, node.waitRow) : clock;
    const auto endAt = [&](std::size_t l) {
        const auto start = hn::Max(hn::Load(d, clock + l), hn::Load(d, wait + l));
        return hn::Add(start, hn::Max(durationAt(l), hn::Zero(d)));
    };
    if (node.transferRow < 0) {
        float* HWY_RESTRICT send = node.sendRow >= 0 ? rowAt(rows.slots, node.sendRow) : clock;
        for (std::size_t l = 0; l < kLanes; l += hn::Lanes(d)) {
            const auto end = endAt(l);
            hn::Store(end, d, clock + l);
            hn::Store(end, d, send + l);
        }
        return;
    }
    const TransferLimits& limits = rows.limits[node.transferRow];
    const float* HWY_RESTRICT transfer = rowAt(rows.transfer, node.transferRow);
    float* HWY_RESTRICT send = rowAt(rows.slots, node.sendRow);
    const auto run = [&](const auto& exposed) {
        for (std::size_t l = 0; !rows.occupiesSender && l < kLanes; l += hn::Lanes(d)) {
            const auto end = endAt(l);
            hn::Store(end, d, clock + l);
            hn::Store(hn::Add(end, exposed(hn::Mul(hn::Load(d, transfer + l), factorAt(l)))), d, send + l);
        }
        for (std::size_t l = 0; rows.occupiesSender && l < kLanes; l += hn::Lanes(d)) {
            const auto arrival = hn::Add(endAt(l), exposed(hn::Mul(hn::Load(d, transfer + l), factorAt(l))));
            hn::Store(arrival, d, clock + l);
            hn::Store(arrival, d, send + l);
        }
    };
    if (limits.hiddenSeconds > 0.0F || limits.minExposedShare > 1.0F) {
        const auto hidden = hn::Set(d, limits.hiddenSeconds), share = hn::Set(d, limits.minExposedShare);
        run([&](hn::Vec<F> full) { return hn::Max(hn::Mul(full, share), hn::Sub(full, hidden)); });
    } else {
        run([](hn::Vec<F> full) { return full; });
    }
}

/// The rows that one node's duration is made from.
struct DurationRows {
    const float* HWY_RESTRICT mean;    ///< null: it takes no time
    const float* HWY_RESTRICT draw;    ///< standardised; null = none
    const float* HWY_RESTRICT routing; ///< null = none
};

/// Calls execute with the sum that a node's duration is.
template <class FactorAt>
HWY_INLINE void executeNode(F d, const KernelNode& node, const KernelRows& rows, const DurationRows& own, const FactorAt& factorAt)
{
    const float* HWY_RESTRICT mean = own.mean;
    const float* HWY_RESTRICT draw = own.draw;
    if (mean == nullptr) {
        execute(
            d, node, rows, [&](std::size_t) { return hn::Zero(d); }, factorAt);
        return;
    }
    const float *HWY_RESTRICT spread = rowAt(rows.spread, node.durationRow), *HWY_RESTRICT compute = rowAt(rows.compute, node.durationRow),
                              *HWY_RESTRICT spreadData = rowAt(rows.spreadData, node.durationRow);
    const float* HWY_RESTRICT data = rows.data != nullptr ? rowAt(rows.data, node.dataRow) : nullptr;
    if (own.routing != nullptr) {
        const float *HWY_RESTRICT routed = rowAt(rows.routed, node.durationRow), *HWY_RESTRICT routing = own.routing;
        execute(
            d, node, rows,
            [&](std::size_t l) {
                const auto z = draw != nullptr ? hn::Load(d, draw + l) : hn::Zero(d);
                const auto extra = hn::Sub(hn::Load(d, routing + l), hn::Set(d, 1.0F));
                const auto duration = hn::MulAdd(hn::Load(d, spread + l), z, hn::Load(d, mean + l));
                if (data == nullptr)
                    return hn::MulAdd(hn::Load(d, routed + l), extra, duration);
                const auto scaled = hn::MulAdd(hn::Load(d, spreadData + l), z, hn::Load(d, compute + l));
                return hn::MulAdd(hn::MulAdd(hn::Load(d, routed + l), extra, scaled), hn::Load(d, data + l), duration);
            },
            factorAt);
    } else if (draw != nullptr && data != nullptr) {
        execute(
            d, node, rows,
            [&](std::size_t l) {
                const auto z = hn::Load(d, draw + l);
                const auto scaled = hn::MulAdd(hn::Load(d, spreadData + l), z, hn::Load(d, compute + l));
                return hn::MulAdd(scaled, hn::Load(d, data + l), hn::MulAdd(hn::Load(d, spread + l), z, hn::Load(d, mean + l)));
            },
            factorAt);
    } else if (draw != nullptr) {
        execute(
            d, node, rows, [&](std::size_t l) { return hn::MulAdd(hn::Load(d, spread + l), hn::Load(d, draw + l), hn::Load(d, mean + l)); },
            factorAt);
    } else if (data != nullptr) {
        execute(
            d, node, rows,
            [&](std::size_t l) { return hn::MulAdd(hn::Load(d, compute + l), hn::Load(d, data + l), hn::Load(d, mean + l)); }, factorAt);
    } else {
        execute(
            d, node, rows, [&](std::size_t l) { return hn::Load(d, mean + l); }, factorAt);
    }
}

/// Changes a node's rows in the lanes of its rare events; returns the hit after them.
HWY_INLINE const RareHit* applyHits(const RareHit* hit, std::int32_t node, float* HWY_RESTRICT mean, float* HWY_RESTRICT factor)
{
    for (; hit->node == node; ++hit) {
        if (hit->does == RareHit::Does::addSeconds)
            mean[hit->lane] += hit->value;
        else if (hit->does == RareHit::Does::multiplyFactor)
            factor[hit->lane] *= hit->value;
        else
            factor[hit->lane] = hit->value;
    }
    return hit;
}

/// Which lines of the pools a node's lanes take: first those of the chunk, then those of the transfer.
HWY_INLINE void poolLines(const DrawKey& key, const RoundKeys& keys, std::uint64_t block, std::uint16_t* HWY_RESTRICT lines)
{
    const hn::FixedTag<std::uint8_t, 16> d8;
    const hn::FixedTag<std::uint64_t, 2> d64;
    constexpr std::size_t kPerState = 8;
    for (std::size_t i = 0; i < 2 * kLanes / kPoolLanes; i += kPerState) {
        HWY_ALIGN const std::uint64_t word[2] = {key.word[0] + block * (kLanes / 4) + i / kPerState, key.word[1]};
        auto state = hn::BitCast(d8, hn::Xor(hn::Load(d64, word), hn::Load(d64, keys.word[0])));
        for (int r = 1; r <= kRounds; ++r)
            state = hn::AESRound(state, hn::BitCast(d8, hn::Load(d64, keys.word[r])));
        hn::Store(hn::BitCast(d64, state), d64, reinterpret_cast<std::uint64_t*>(lines + i));
    }
}

/// Draws of a pool: a line for every kPoolLanes lanes.
HWY_INLINE void poolRow(F d, const float* HWY_RESTRICT pool, const std::uint16_t* HWY_RESTRICT lines, float* HWY_RESTRICT row)
{
    for (std::size_t g = 0; g < kLanes / kPoolLanes; ++g) {
        const float* HWY_RESTRICT line = pool + (lines[g] % kPoolLines) * kPoolLanes;
        for (std::size_t l = 0; l < kPoolLanes; l += hn::Lanes(d))
            hn::Store(hn::Load(d, line + l), d, row + g * kPoolLanes + l);
    }
}

/// `hit` ends with one of no node.
void RunNodes(const KernelNode* nodes, std::size_t count, const RareHit* hit, const KernelRows& rows, const RoundKeys& keys,
              std::uint64_t block)
{
    const F d;
    HWY_ALIGN std::int32_t words[kLanes];
    HWY_ALIGN std::uint16_t lines[2 * kLanes / kPoolLanes];
    HWY_ALIGN float draw[kLanes];
    HWY_ALIGN float factor[kLanes];
    HWY_ALIGN float routing[kLanes];
    HWY_ALIGN float mean[kLanes];
    for (std::size_t i = 0; i < count; ++i) {
        const KernelNode& node = nodes[i];
        const DrawSource* source = rows.noise ? node.source : nullptr;
        const DrawSource* transferSource = rows.noise ? node.transferSource : nullptr;
        const bool pooled = source != nullptr ? source->pool != nullptr : transferSource != nullptr && transferSource->pool != nullptr;
        if (pooled)
            poolLines(node.key, keys, block, lines);
        else if (source != nullptr || transferSource != nullptr)
            drawWords(node.key, keys, block, words);
        if (source != nullptr && pooled)
            poolRow(d, source->pool, lines, draw);
        else if (source != nullptr)
            quantiles<false>(d, *source->table, words, draw);
        if (rows.noise && node.routing != nullptr)
            DrawRow(*node.routing->table, node.routing->key, keys, block, routing);
        const bool isHit = hit->node == static_cast<std::int32_t>(i);
        DurationRows own{node.durationRow < 0 ? nullptr : rowAt(static_cast<const float*>(rows.mean), node.durationRow),
                         source != nullptr ? draw : nullptr, rows.noise && node.routing != nullptr ? routing : nullptr};
#if PRISM_WHOLE_TABLES
        if (transferSource != nullptr && !pooled && transferSource->table->steps.empty() && !isHit) {
            const Cubics cubics(*transferSource->table);
            executeNode(d, node, rows, own, [&](std::size_t l) { return cubics.at(d, drawsAt<true>(words + l)); });
            continue;
        }
#endif
        if (transferSource == nullptr && !isHit) {
            executeNode(d, node, rows, own, [&](std::size_t) { return hn::Set(d, 1.0F); });
            continue;
        }
        if (transferSource == nullptr)
            std::fill_n(factor, kLanes, 1.0F);
        else if (pooled)
            poolRow(d, transferSource->pool, lines + kLanes / kPoolLanes, factor);
        else
            quantiles<true>(d, *transferSource->table, words, factor);
        if (isHit) {
            for (std::size_t l = 0; own.mean != nullptr && l < kLanes; l += hn::Lanes(d))
                hn::Store(hn::Load(d, own.mean + l), d, mean + l);
            hit = applyHits(hit, static_cast<std::int32_t>(i), mean, factor); // what takes no time has hits of its transfer alone
            own.mean = own.mean != nullptr ? mean : nullptr;
        }
        executeNode(d, node, rows, own, [&](std::size_t l) { return hn::Load(d, factor + l); });
    }
}

#undef PRISM_WHOLE_TABLES

} // namespace prism::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace prism {

namespace {

HWY_EXPORT(DrawRow);
HWY_EXPORT(RawDraws);
HWY_EXPORT(RunNodes);

} // namespace

DrawKey drawKey(std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t d)
{
    const std::uint64_t h = Hasher().add(a).add(b).add(c).add(d).result().value;
    // The low word is added to the counter: its low bits stay free for it.
    return {{h << 32U, mix64(h)}};
}

RoundKeys roundKeys(std::uint64_t seed, std::uint64_t copy)
{
    RoundKeys keys;
    std::uint64_t a = mix64(mix64(seed ^ 0x6a09e667f3bcc908ULL) + copy), b = mix64(a);
    for (auto& k : keys.word) {
        // Weyl sequence of ARS: the golden ratio and sqrt(3) - 1.
        k[0] = a += 0x9e3779b97f4a7c15ULL;
        k[1] = b += 0xbb67ae8584caa73bULL;
    }
    return keys;
}

void sweepNodes(const std::vector<KernelNode>& nodes, const std::vector<RareHit>& hits, const KernelRows& rows, const RoundKeys& keys,
                std::uint64_t block)
{
    static constexpr RareHit kNoHit{-1, 0, RareHit::Does::addSeconds, 0.0F};
    HWY_DYNAMIC_DISPATCH(RunNodes)(nodes.data(), nodes.size(), hits.empty() ? &kNoHit : hits.data(), rows, keys, block);
}

void drawRow(const RegisterTable& table, const DrawKey& key, const RoundKeys& keys, std::uint64_t block, float* row)
{
    HWY_DYNAMIC_DISPATCH(DrawRow)(table, key, keys, block, row);
}

void rawDraws(const DrawKey& key, const RoundKeys& keys, std::uint64_t block, std::int32_t* words)
{
    HWY_DYNAMIC_DISPATCH(RawDraws)(key, keys, block, words);
}

std::vector<KernelTarget> kernelTargets()
{
    std::vector<KernelTarget> out;
    for (const std::int64_t target : hwy::SupportedAndGeneratedTargets())
        out.push_back({target, hwy::TargetName(target)});
    return out;
}

void useKernelTarget(std::int64_t target)
{
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

} // namespace prism
#endif
