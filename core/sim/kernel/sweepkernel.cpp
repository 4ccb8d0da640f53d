// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/kernel/sweepkernel.h"

#include "core/base/hash.h"

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

#include "core/sim/kernel/nodebatch-inl.h"

HWY_BEFORE_NAMESPACE();
namespace prism::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

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

/// `hit` ends with one of no node.
void RunNodes(const KernelNode* nodes, std::size_t count, const RareHit* hit, const KernelRows& rows, const RoundKeys& keys,
              std::uint64_t block)
{
    NodeBatch batch(nodes, count, hit, rows, keys, block);
    HWY_ALIGN float routing[kLanes];
    for (std::size_t i = 0; i < count;)
        for (const std::size_t end = batch.take(i); i < end; ++i) {
            NodeRows own = batch.rowsOf(i);
            if (const RoutingDraw* draw = rows.noise ? nodes[i].routing : nullptr; draw != nullptr) {
                DrawRow(*draw->table, draw->key, keys, block, routing);
                own.routing = routing;
            }
            batch.withDraws(i, [&](const auto& draws, const auto& factors) { runNode(own, draws, factors); });
        }
}

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
