#include "core/sim/sweepkernel.h"

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
#define HWY_TARGET_INCLUDE "core/sim/sweepkernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace prism {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
// At most 16 lanes: a table half is one 512-bit register.
using F = hn::CappedTag<float, 16>;
using I = hn::RebindToSigned<F>;

constexpr int kRounds = 5;

/// 16-bit draws of one block: 8 per AES state.
HWY_INLINE void drawBits(const DrawKey& key, const RoundKeys& keys, std::uint64_t block, std::uint16_t* HWY_RESTRICT out)
{
    using B = hn::CappedTag<std::uint8_t, 64>;
    const B d8;
    const hn::Repartition<std::uint64_t, B> d64;
    const std::size_t n64 = hn::Lanes(d64);
    const auto name = hn::LoadDup128(d64, key.word);
    // Even words count the states, odd words stay.
    const auto even = hn::Iota(d64, 0);
    const auto lane = hn::And(even, hn::Set(d64, ~std::uint64_t{1}));
    const auto isEven = hn::Eq(lane, even);
    auto counter = hn::IfThenElseZero(isEven, hn::Add(hn::ShiftRight<1>(lane), hn::Set(d64, block * (kLanes / 8))));
    const auto step = hn::IfThenElseZero(isEven, hn::Set(d64, n64 / 2));
    for (std::size_t i = 0; i < kLanes / 4; i += n64) {
        auto state = hn::BitCast(d8, hn::Xor(hn::Add(counter, name), hn::LoadDup128(d64, keys.word[0])));
        for (int r = 1; r <= kRounds; ++r)
            state = hn::AESRound(state, hn::BitCast(d8, hn::LoadDup128(d64, keys.word[r])));
        hn::StoreU(hn::BitCast(d64, state), d64, reinterpret_cast<std::uint64_t*>(out) + i);
        counter = hn::Add(counter, step);
    }
}

/// Coefficient of each lane's entry (0 ... 31, higher bits ignored).
HWY_INLINE hn::Vec<F> lookup(F d, const float* HWY_RESTRICT table, hn::Vec<I> entry)
{
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
    return hn::Vec<F>{_mm512_permutex2var_ps(_mm512_load_ps(table), entry.raw, _mm512_load_ps(table + 16))};
#else
    const I di;
    return hn::GatherIndex(d, table, hn::And(entry, hn::Set(di, 31)));
#endif
}

/// Values of a table for the lanes' draws.
HWY_INLINE hn::Vec<F> quantiles(F d, const RegisterTable& table, const std::uint16_t* HWY_RESTRICT draws)
{
    const I di;
    const hn::Rebind<std::int16_t, F> d16;
    const auto q = hn::PromoteTo(di, hn::LoadU(d16, reinterpret_cast<const std::int16_t*>(draws)));
    // Bits 0x8000 ... 0xffff are the upper half: sign-extended they are -32768 ... -1, and ~q is 32767 ... 0.
    const auto above = hn::ShiftRight<31>(q);
    const auto t = hn::Xor(q, above);
    const auto x = hn::ConvertTo(d, hn::Add(hn::Add(t, t), hn::Set(di, 1)));
    const auto bits = hn::BitCast(di, x);
    const auto entry = hn::Xor(hn::ShiftRight<23>(bits), hn::And(above, hn::Set(di, 16)));
    const auto m = hn::BitCast(d, hn::OrAnd(hn::Set(di, 0x3f800000), bits, hn::Set(di, 0x7fffff)));
    auto y = lookup(d, table.coefficient[3], entry);
    y = hn::MulAdd(y, m, lookup(d, table.coefficient[2], entry));
    y = hn::MulAdd(y, m, lookup(d, table.coefficient[1], entry));
    return hn::MulAdd(y, m, lookup(d, table.coefficient[0], entry));
}

void DrawRow(const RegisterTable& table, const DrawKey& key, const RoundKeys& keys, std::uint64_t block, float* HWY_RESTRICT row)
{
    const F d;
    HWY_ALIGN std::uint16_t draws[kLanes];
    drawBits(key, keys, block, draws);
    if (!table.steps.empty()) {
        for (std::size_t l = 0; l < kLanes; ++l)
            row[l] = table.steps[draws[l] >> 4U];
        return;
    }
    for (std::size_t l = 0; l < kLanes; l += hn::Lanes(d))
        hn::StoreU(quantiles(d, table, draws + l), d, row + l);
}

void RawDraws(const DrawKey& key, const RoundKeys& keys, std::uint64_t block, std::uint16_t* HWY_RESTRICT draws)
{
    drawBits(key, keys, block, draws);
}

/// Duration and clock of one chunk execution. `z` gives the standardised draw of the lanes at l.
template <bool kData, class Z>
HWY_INLINE void chunk(F d, const KernelNode& node, const KernelRows& rows, const Z& z)
{
    const std::size_t row = static_cast<std::size_t>(node.durationRow) * kLanes;
    float* HWY_RESTRICT clock = rows.clock + static_cast<std::size_t>(node.clockRow) * kLanes;
    const float* HWY_RESTRICT wait = node.waitRow >= 0 ? rows.slots + static_cast<std::size_t>(node.waitRow) * kLanes : clock;
    float* HWY_RESTRICT send = node.sendRow >= 0 ? rows.slots + static_cast<std::size_t>(node.sendRow) * kLanes : nullptr;
    for (std::size_t l = 0; l < kLanes; l += hn::Lanes(d)) {
        const auto draw = z(l);
        auto duration = hn::MulAdd(hn::LoadU(d, rows.spread + row + l), draw, hn::LoadU(d, rows.mean + row + l));
        if constexpr (kData) {
            const auto compute = hn::MulAdd(hn::LoadU(d, rows.spreadData + row + l), draw, hn::LoadU(d, rows.compute + row + l));
            const auto data = hn::LoadU(d, rows.data + static_cast<std::size_t>(node.dataRow) * kLanes + l);
            duration = hn::MulAdd(compute, data, duration);
        }
        const auto start = hn::Max(hn::LoadU(d, clock + l), hn::LoadU(d, wait + l));
        const auto end = hn::Add(start, hn::Max(duration, hn::Zero(d)));
        hn::StoreU(end, d, clock + l);
        if (send != nullptr)
            hn::StoreU(end, d, send + l);
    }
}

template <class E>
HWY_INLINE void transfer(F d, const KernelNode& node, const KernelRows& rows, bool occupiesSender, const E& e)
{
    float* HWY_RESTRICT send = rows.slots + static_cast<std::size_t>(node.sendRow) * kLanes;
    float* HWY_RESTRICT clock = rows.clock + static_cast<std::size_t>(node.clockRow) * kLanes;
    const float* HWY_RESTRICT mean = rows.transfer + static_cast<std::size_t>(node.transferRow) * kLanes;
    const auto hidden = hn::Set(d, node.hiddenSeconds), share = hn::Set(d, node.minExposedShare);
    for (std::size_t l = 0; l < kLanes; l += hn::Lanes(d)) {
        const auto full = hn::Mul(hn::LoadU(d, mean + l), e(l));
        const auto exposed = hn::Max(hn::Mul(full, share), hn::Sub(full, hidden));
        const auto arrival = hn::Add(hn::LoadU(d, send + l), exposed);
        hn::StoreU(arrival, d, send + l);
        if (occupiesSender)
            hn::StoreU(arrival, d, clock + l);
    }
}

template <bool kData>
HWY_INLINE void runChunk(F d, const KernelNode& node, const KernelRows& rows, const RoundKeys& keys, std::uint64_t block, bool noise)
{
    if (!noise || node.table == nullptr) {
        chunk<kData>(d, node, rows, [&](std::size_t) { return hn::Zero(d); });
        return;
    }
    HWY_ALIGN std::uint16_t draws[kLanes];
    drawBits(node.chunkKey, keys, block, draws);
    if (!node.table->steps.empty()) {
        HWY_ALIGN float z[kLanes];
        for (std::size_t l = 0; l < kLanes; ++l)
            z[l] = node.table->steps[draws[l] >> 4U];
        chunk<kData>(d, node, rows, [&](std::size_t l) { return hn::LoadU(d, z + l); });
        return;
    }
    chunk<kData>(d, node, rows, [&](std::size_t l) { return quantiles(d, *node.table, draws + l); });
}

HWY_INLINE void runTransfer(F d, const KernelNode& node, const KernelRows& rows, const RoundKeys& keys, std::uint64_t block,
                            bool occupiesSender, bool noise)
{
    if (!noise || node.transferTable == nullptr) {
        transfer(d, node, rows, occupiesSender, [&](std::size_t) { return hn::Set(d, 1.0F); });
        return;
    }
    HWY_ALIGN std::uint16_t draws[kLanes];
    drawBits(node.transferKey, keys, block, draws);
    if (!node.transferTable->steps.empty()) {
        HWY_ALIGN float e[kLanes];
        for (std::size_t l = 0; l < kLanes; ++l)
            e[l] = node.transferTable->steps[draws[l] >> 4U];
        transfer(d, node, rows, occupiesSender, [&](std::size_t l) { return hn::LoadU(d, e + l); });
        return;
    }
    transfer(d, node, rows, occupiesSender, [&](std::size_t l) { return quantiles(d, *node.transferTable, draws + l); });
}

void RunNode(const KernelNode& node, const KernelRows& rows, const RoundKeys& keys, std::uint64_t block, bool occupiesSender, bool noise)
{
    const F d;
    if (rows.data != nullptr)
        runChunk<true>(d, node, rows, keys, block, noise);
    else
        runChunk<false>(d, node, rows, keys, block, noise);
    if (node.transferRow >= 0)
        runTransfer(d, node, rows, keys, block, occupiesSender, noise);
}

void RunNodes(const KernelNode* nodes, std::size_t count, const KernelRows& rows, const RoundKeys& keys, std::uint64_t block,
              bool occupiesSender, bool noise)
{
    for (std::size_t i = 0; i < count; ++i)
        RunNode(nodes[i], rows, keys, block, occupiesSender, noise);
}

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

/// Lanes of one node and block in which a rare event happens: gaps between events are geometric. Calls use(lane, size) with
/// the event's quantile.
template <class Use>
void forEachRare(const RareEvent& rare, const DrawKey& key, std::uint64_t seedWord, std::uint64_t block, const Use& use)
{
    std::uint64_t state = mix64(key.word[0] ^ seedWord ^ mix64(block + 0x7265726cULL));
    double u = uniformOf(state);
    if (u <= rare.noneInBlock)
        return;
    std::size_t lane = 0;
    for (;;) {
        lane += static_cast<std::size_t>(std::log(u) * rare.perLog);
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

bool mayBeRare(const RareEvent* rare, const DrawKey& key, std::uint64_t seedWord, std::uint64_t block)
{
    return rare != nullptr && uniformOf(mix64(key.word[0] ^ seedWord ^ mix64(block + 0x7265726cULL))) > rare->noneInBlock;
}

/// Values of a row before rare events changed them.
struct Saved {
    float* place;
    float value;
};

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

void sweepNodes(const std::vector<KernelNode>& nodes, const KernelRows& rows, const RoundKeys& keys, std::uint64_t block,
                bool occupiesSender, bool noise)
{
    const auto run = [](const KernelNode* from, std::size_t count, const KernelRows& r, const RoundKeys& k, std::uint64_t b, bool o,
                        bool n) { HWY_DYNAMIC_DISPATCH(RunNodes)(from, count, r, k, b, o, n); };
    const std::uint64_t seedWord = keys.word[0][1];
    std::size_t first = 0;
    std::vector<Saved> saved;
    for (std::size_t i = 0; noise && i < nodes.size(); ++i) {
        const KernelNode& node = nodes[i];
        const bool chunkRare = mayBeRare(node.rare, node.chunkKey, seedWord, block);
        const bool transferRare = mayBeRare(node.transferRare, node.transferKey, seedWord, block);
        if (!chunkRare && !transferRare)
            continue;
        run(nodes.data() + first, i - first, rows, keys, block, occupiesSender, noise);
        first = i + 1;
        if (chunkRare)
            forEachRare(*node.rare, node.chunkKey, seedWord, block, [&](std::size_t lane, float extra) {
                float* place = rows.mean + static_cast<std::size_t>(node.durationRow) * kLanes + lane;
                saved.push_back({place, *place});
                *place += extra * rows.regime[static_cast<std::size_t>(node.rare->scope) * kLanes + lane];
            });
        if (transferRare)
            forEachRare(*node.transferRare, node.transferKey, seedWord, block, [&](std::size_t lane, float factor) {
                float* place = rows.transfer + static_cast<std::size_t>(node.transferRow) * kLanes + lane;
                saved.push_back({place, *place});
                *place *= factor;
            });
        run(&node, 1, rows, keys, block, occupiesSender, noise);
        for (; !saved.empty(); saved.pop_back())
            *saved.back().place = saved.back().value;
    }
    run(nodes.data() + first, nodes.size() - first, rows, keys, block, occupiesSender, noise);
}

void drawRow(const RegisterTable& table, const DrawKey& key, const RoundKeys& keys, std::uint64_t block, float* row)
{
    HWY_DYNAMIC_DISPATCH(DrawRow)(table, key, keys, block, row);
}

void rareFactors(const RareEvent& rare, const DrawKey& key, const RoundKeys& keys, std::uint64_t block, float* row)
{
    forEachRare(rare, key, keys.word[0][1], block, [row](std::size_t lane, float factor) { row[lane] *= factor; });
}

void rareSeconds(const RareEvent& rare, const DrawKey& key, const RoundKeys& keys, std::uint64_t block, float* row)
{
    forEachRare(rare, key, keys.word[0][1], block, [row](std::size_t lane, float extra) { row[lane] += extra; });
}

void rawDraws(const DrawKey& key, const RoundKeys& keys, std::uint64_t block, std::uint16_t* draws)
{
    HWY_DYNAMIC_DISPATCH(RawDraws)(key, keys, block, draws);
}

} // namespace prism
#endif
