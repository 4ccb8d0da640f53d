// SPDX-License-Identifier: GPL-3.0-or-later
// Rare events of a sweep: which draws they hit, found by the gaps between them.
#include "core/sim/kernel/sweepkernel.h"

#include "core/base/hash.h"

#include <cmath>
#include <numeric>

namespace prism {

namespace {

double uniformOf(std::uint64_t bits)
{
    return (static_cast<double>(bits >> 11U) + 0.5) * 0x1.0p-53;
}

/// First random word of the rare events of a stream (half of a node's key) in a block.
std::uint64_t rareState(std::uint64_t stream, const RoundKeys& keys, std::uint64_t block)
{
    return mix64(stream ^ keys.word[0][1] ^ mix64(block + 0x7265726cULL));
}

/// Which of `lanes` draws of one stream and block a rare event hits: gaps between events are geometric. Calls use(lane, size) with
/// the event's quantile.
template <class Use>
void forEachRare(const RareEvent& rare, const RareChance& chance, std::size_t lanes, std::uint64_t state, const Use& use)
{
    for (std::size_t lane = 0; lane < lanes;) {
        const double gap = std::log(uniformOf(state)) * chance.perLog;
        if (!(gap < static_cast<double>(lanes - lane)))
            return;
        lane += static_cast<std::size_t>(gap);
        state = mix64(state);
        const auto pick = static_cast<std::size_t>(uniformOf(state) * static_cast<double>(rare.extra.size()));
        use(lane, rare.extra[pick]);
        ++lane;
        state = mix64(state);
    }
}

/// `found` in the order of its nodes, those of one node in the order found.
void sortByNode(const std::vector<RareHit>& found, std::size_t numNodes, std::vector<RareHit>& hits)
{
    std::vector<std::uint32_t> place(numNodes + 1, 0);
    for (const RareHit& hit : found)
        ++place[static_cast<std::size_t>(hit.node) + 1];
    std::partial_sum(place.begin(), place.end(), place.begin());
    hits.resize(found.size());
    for (const RareHit& hit : found)
        hits[place[static_cast<std::size_t>(hit.node)]++] = hit;
}

const RareChance& chanceOf(const RareEvent& rare, const RareSearch& search)
{
    return rare.cause >= 0 && rare.cause == search.sought ? rare.sought : rare.chance;
}

void note(const RareEvent& rare, const RareSearch& search, std::size_t lane)
{
    if (search.ratio != nullptr && rare.cause >= 0)
        search.ratio[static_cast<std::size_t>(rare.cause) * kLanes + lane] += rare.logRatio;
}

} // namespace

RareChance rareChance(double probability)
{
    return {probability, 1.0 / std::log1p(-probability)};
}

void rareHits(const std::vector<RareSites>& sites, const std::vector<KernelNode>& nodes, const KernelRows& rows, const RoundKeys& keys,
              std::uint64_t block, std::vector<RareHit>& hits)
{
    std::vector<RareHit> found;
    for (const RareSites& site : sites) {
        const RareEvent& rare = *site.event;
        const bool followsData = rare.followsData && rows.data != nullptr;
        const float* regime = rows.regime + static_cast<std::size_t>(rare.scope) * kLanes;
        const auto does = !site.ofTransfer ? RareHit::Does::addSeconds
                          : rare.replaces  ? RareHit::Does::setFactor
                                           : RareHit::Does::multiplyFactor;
        forEachRare(rare, chanceOf(rare, rows.search), site.nodes.size() * kLanes, rareState(site.stream, keys, block),
                    [&](std::size_t at, float extra) {
                        const std::int32_t node = site.nodes[at / kLanes];
                        const std::size_t lane = at % kLanes;
                        if (!site.ofTransfer)
                            extra *= regime[lane];
                        if (!site.ofTransfer && followsData)
                            extra *= rows.data[static_cast<std::size_t>(nodes[static_cast<std::size_t>(node)].dataRow) * kLanes + lane];
                        found.push_back({node, static_cast<std::int32_t>(lane), does, extra});
                        note(rare, rows.search, lane);
                    });
    }
    sortByNode(found, nodes.size(), hits);
    hits.push_back({-1, 0, RareHit::Does::addSeconds, 0.0F});
}

void rareFactors(const RareEvent& rare, const DrawKey& key, const RoundKeys& keys, std::uint64_t block, float* row,
                 const RareSearch& search)
{
    forEachRare(rare, chanceOf(rare, search), kLanes, rareState(key.word[0], keys, block), [&](std::size_t lane, float factor) {
        row[lane] = rare.replaces ? factor : row[lane] * factor;
        note(rare, search, lane);
    });
}

void rareSeconds(const RareEvent& rare, const DrawKey& key, const RoundKeys& keys, std::uint64_t block, float* row)
{
    forEachRare(rare, rare.chance, kLanes, rareState(key.word[0], keys, block),
                [row](std::size_t lane, float extra) { row[lane] += extra; });
}

} // namespace prism
