// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/kernel/sweepkernel.h"

#include "core/base/hash.h"

#include <algorithm>
#include <cmath>

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
namespace prism {
namespace HWY_NAMESPACE {

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

/// Start, duration and end of one chunk execution, and the arrival of what it sends, from standardised draws and, by lane, the
/// transfer's factor: in one pass where it is drawn, which is faster than by way of a row.
template <bool kData, class FactorAt>
HWY_INLINE void execute(F d, const KernelNode& node, const KernelRows& rows, const float* HWY_RESTRICT draw,
                        const float* HWY_RESTRICT routing, const FactorAt& factorAt)
{
    const auto at = [](auto* base, std::int32_t row) { return base + static_cast<std::size_t>(row) * kLanes; };
    float* HWY_RESTRICT clock = at(rows.clock, node.clockRow);
    const float* HWY_RESTRICT wait = node.waitRow >= 0 ? at(rows.slots, node.waitRow) : clock;
    float* HWY_RESTRICT send = node.sendRow >= 0 ? at(rows.slots, node.sendRow) : nullptr;
    const float *HWY_RESTRICT mean = at(rows.mean, node.durationRow), *HWY_RESTRICT spread = at(rows.spread, node.durationRow);
    const float *HWY_RESTRICT compute = at(rows.compute, node.durationRow),
                              *HWY_RESTRICT spreadData = at(rows.spreadData, node.durationRow);
    const float* HWY_RESTRICT data = kData ? at(rows.data, node.dataRow) : nullptr;
    const float* HWY_RESTRICT routed = routing != nullptr ? at(rows.routed, node.durationRow) : nullptr;
    const float* HWY_RESTRICT transfer = node.transferRow >= 0 ? at(rows.transfer, node.transferRow) : nullptr;
    const bool occupies = rows.occupiesSender, hides = node.hiddenSeconds > 0.0F || node.minExposedShare > 1.0F;
    const auto hidden = hn::Set(d, node.hiddenSeconds), share = hn::Set(d, node.minExposedShare);
    for (std::size_t l = 0; l < kLanes; l += hn::Lanes(d)) {
        const auto z = hn::Load(d, draw + l);
        auto duration = hn::MulAdd(hn::Load(d, spread + l), z, hn::Load(d, mean + l));
        if constexpr (kData) {
            auto scaled = hn::MulAdd(hn::Load(d, spreadData + l), z, hn::Load(d, compute + l));
            if (routed != nullptr)
                scaled = hn::MulAdd(hn::Load(d, routed + l), hn::Sub(hn::Load(d, routing + l), hn::Set(d, 1.0F)), scaled);
            duration = hn::MulAdd(scaled, hn::Load(d, data + l), duration);
        }
        if (!kData && routed != nullptr)
            duration = hn::MulAdd(hn::Load(d, routed + l), hn::Sub(hn::Load(d, routing + l), hn::Set(d, 1.0F)), duration);
        const auto start = hn::Max(hn::Load(d, clock + l), hn::Load(d, wait + l));
        const auto end = hn::Add(start, hn::Max(duration, hn::Zero(d)));
        auto arrival = end;
        if (transfer != nullptr) {
            const auto full = hn::Mul(hn::Load(d, transfer + l), factorAt(l));
            arrival = hn::Add(end, hides ? hn::Max(hn::Mul(full, share), hn::Sub(full, hidden)) : full);
        }
        if (occupies)
            hn::Store(arrival, d, clock + l);
        else
            hn::Store(end, d, clock + l);
        if (send != nullptr)
            hn::Store(arrival, d, send + l);
    }
}

void RunNodes(const KernelNode* nodes, std::size_t count, const KernelRows& rows, const RoundKeys& keys, std::uint64_t block)
{
    const F d;
    HWY_ALIGN std::int32_t words[kLanes];
    HWY_ALIGN float draw[kLanes];
    HWY_ALIGN float factor[kLanes];
    HWY_ALIGN float routing[kLanes];
    for (const KernelNode* node = nodes; node != nodes + count; ++node) {
        const RegisterTable* table = rows.noise ? node->table : nullptr;
        const RegisterTable* transferTable = rows.noise ? node->transferTable : nullptr;
        if (table != nullptr || transferTable != nullptr)
            drawWords(node->key, keys, block, words);
        if (table != nullptr)
            quantiles<false>(d, *table, words, draw);
        else
            std::fill_n(draw, kLanes, 0.0F);
        const bool routes = rows.noise && node->routingTable != nullptr;
        if (routes)
            DrawRow(*node->routingTable, node->routingKey, keys, block, routing);
        const auto run = [&](const auto& factorAt) {
            if (rows.data != nullptr)
                execute<true>(d, *node, rows, draw, routes ? routing : nullptr, factorAt);
            else
                execute<false>(d, *node, rows, draw, routes ? routing : nullptr, factorAt);
        };
#if PRISM_WHOLE_TABLES
        if (transferTable != nullptr && transferTable->steps.empty()) {
            const Cubics cubics(*transferTable);
            run([&](std::size_t l) { return cubics.at(d, drawsAt<true>(words + l)); });
            continue;
        }
#endif
        if (transferTable != nullptr)
            quantiles<true>(d, *transferTable, words, factor);
        else if (node->transferRow >= 0)
            std::fill_n(factor, kLanes, 1.0F);
        run([&](std::size_t l) { return hn::Load(d, factor + l); });
    }
}

#undef PRISM_WHOLE_TABLES

} // namespace HWY_NAMESPACE
} // namespace prism
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace prism {

namespace {

HWY_EXPORT(DrawRow);
HWY_EXPORT(RawDraws);
HWY_EXPORT(RunNodes);

double uniformOf(std::uint64_t bits)
{
    return (static_cast<double>(bits >> 11U) + 0.5) * 0x1.0p-53;
}

/// First random word of the rare events of a stream (half of a node's key) in a block.
std::uint64_t rareState(std::uint64_t stream, const RoundKeys& keys, std::uint64_t block)
{
    return mix64(stream ^ keys.word[0][1] ^ mix64(block + 0x7265726cULL));
}

/// Lanes of one stream and block in which a rare event happens: gaps between events are geometric. Calls use(lane, size) with
/// the event's quantile.
template <class Use>
void forEachRare(const RareEvent& rare, const RareChance& chance, std::uint64_t state, const Use& use)
{
    double u = uniformOf(state);
    if (u <= chance.noneInBlock)
        return;
    std::size_t lane = 0;
    for (;;) {
        lane += static_cast<std::size_t>(std::log(u) * chance.perLog);
        if (lane >= kLanes)
            return;
        state = mix64(state);
        const auto pick = static_cast<std::size_t>(uniformOf(state) * static_cast<double>(rare.extra.size()));
        use(lane, rare.extra[pick]);
        ++lane;
        state = mix64(state);
        u = uniformOf(state);
    }
}

const RareChance& chanceOf(const RareEvent& rare, const RareSearch& search)
{
    return rare.cause >= 0 && rare.cause == search.sought ? rare.sought : rare.chance;
}

/// Factor of a node's transfer in one lane without its rare event.
float drawnTransfer(const KernelNode& node, const std::int32_t* words, std::size_t lane)
{
    const auto word = static_cast<std::uint32_t>(words[lane]);
    return node.transferTable == nullptr ? 1.0F : node.transferTable->at(static_cast<std::uint16_t>((word << 16U | word >> 16U) >> 12U));
}

void note(const RareEvent& rare, const RareSearch& search, std::size_t lane)
{
    if (search.ratio != nullptr && rare.cause >= 0)
        search.ratio[static_cast<std::size_t>(rare.cause) * kLanes + lane] += rare.logRatio;
}

/// Stream of the k-th kind of event of a chunk.
std::uint64_t rareStream(const KernelNode& node, std::int32_t k)
{
    return k == 0 ? node.key.word[0] : mix64(node.key.word[0] + static_cast<std::uint64_t>(k));
}

/// Draws the rare events of nodes in a block and changes their rows.
class RareDraws final {
public:
    RareDraws(const KernelRows& rows, const RoundKeys& keys, std::uint64_t block) : m_rows(rows), m_keys(keys), m_block(block) {}

    [[nodiscard]] bool any(const KernelNode& node) const
    {
        for (std::int32_t k = 0; k < node.rareCount; ++k)
            if (happens(node.rare[k], rareStream(node, k)))
                return true;
        return node.transferRare != nullptr && happens(*node.transferRare, node.key.word[1]);
    }
    void apply(const KernelNode& node)
    {
        for (std::int32_t k = 0; k < node.rareCount; ++k) {
            const RareEvent& rare = node.rare[k];
            draw(rare, rareStream(node, k), [&](std::size_t lane, float extra) {
                float* place = change(m_rows.mean, node.durationRow, lane);
                const bool scaled = rare.followsData && m_rows.data != nullptr;
                const float data = scaled ? m_rows.data[static_cast<std::size_t>(node.dataRow) * kLanes + lane] : 1.0F;
                *place += extra * m_rows.regime[static_cast<std::size_t>(rare.scope) * kLanes + lane] * data;
            });
        }
        if (node.transferRare != nullptr)
            applyTransfer(node);
    }
    void undo()
    {
        for (; !m_saved.empty(); m_saved.pop_back())
            *m_saved.back().place = m_saved.back().value;
    }

private:
    /// A value before rare events changed it.
    struct Saved {
        float* place;
        float value;
    };
    void applyTransfer(const KernelNode& node)
    {
        alignas(64) std::int32_t words[kLanes];
        if (node.transferRare->replaces)
            rawDraws(node.key, m_keys, m_block, words);
        draw(*node.transferRare, node.key.word[1], [&](std::size_t lane, float factor) {
            *change(m_rows.transfer, node.transferRow, lane) *=
                node.transferRare->replaces ? factor / drawnTransfer(node, words, lane) : factor;
        });
    }
    [[nodiscard]] bool happens(const RareEvent& rare, std::uint64_t stream) const
    {
        return uniformOf(rareState(stream, m_keys, m_block)) > chanceOf(rare, m_rows.search).noneInBlock;
    }
    float* change(float* rows, std::int32_t row, std::size_t lane)
    {
        float* place = rows + static_cast<std::size_t>(row) * kLanes + lane;
        m_saved.push_back({place, *place});
        return place;
    }
    template <class Use>
    void draw(const RareEvent& rare, std::uint64_t stream, const Use& use)
    {
        forEachRare(rare, chanceOf(rare, m_rows.search), rareState(stream, m_keys, m_block), [&](std::size_t lane, float extra) {
            use(lane, extra);
            note(rare, m_rows.search, lane);
        });
    }

    const KernelRows& m_rows;
    const RoundKeys& m_keys;
    std::uint64_t m_block;
    std::vector<Saved> m_saved;
};

} // namespace

RareChance rareChance(double probability)
{
    return {probability, std::pow(1.0 - probability, static_cast<double>(kLanes)), 1.0 / std::log1p(-probability)};
}

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

void sweepNodes(const std::vector<KernelNode>& nodes, const KernelRows& rows, const RoundKeys& keys, std::uint64_t block)
{
    const auto run = [&](std::size_t first, std::size_t count) {
        HWY_DYNAMIC_DISPATCH(RunNodes)(nodes.data() + first, count, rows, keys, block);
    };
    std::size_t first = 0;
    RareDraws draws(rows, keys, block);
    for (std::size_t i = 0; rows.noise && rows.anyRare && i < nodes.size(); ++i) {
        if (!draws.any(nodes[i]))
            continue;
        run(first, i - first);
        first = i + 1;
        draws.apply(nodes[i]);
        run(i, 1);
        draws.undo();
    }
    run(first, nodes.size() - first);
}

void drawRow(const RegisterTable& table, const DrawKey& key, const RoundKeys& keys, std::uint64_t block, float* row)
{
    HWY_DYNAMIC_DISPATCH(DrawRow)(table, key, keys, block, row);
}

void rareFactors(const RareEvent& rare, const DrawKey& key, const RoundKeys& keys, std::uint64_t block, float* row,
                 const RareSearch& search)
{
    forEachRare(rare, chanceOf(rare, search), rareState(key.word[0], keys, block), [&](std::size_t lane, float factor) {
        row[lane] = rare.replaces ? factor : row[lane] * factor;
        note(rare, search, lane);
    });
}

void rareSeconds(const RareEvent& rare, const DrawKey& key, const RoundKeys& keys, std::uint64_t block, float* row)
{
    forEachRare(rare, rare.chance, rareState(key.word[0], keys, block), [row](std::size_t lane, float extra) { row[lane] += extra; });
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
