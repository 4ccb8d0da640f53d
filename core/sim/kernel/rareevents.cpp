// SPDX-License-Identifier: GPL-3.0-or-later
// Rare events of a sweep: which draws they hit, found by the gaps between them.
#include "core/sim/kernel/sweepkernel.h"

#include "core/base/hash.h"

#include <algorithm>
#include <array>
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

/// Random words of a stream, each made from the one before it. The next ones may have been made already.
class RareWords final {
public:
    explicit RareWords(std::uint64_t first, const std::uint64_t* made = nullptr, std::size_t count = 0)
        : m_word(first),
          m_next(made),
          m_end(made + count)
    {
    }
    [[nodiscard]] std::uint64_t word() const { return m_word; }
    void advance() { m_word = m_next < m_end ? *m_next++ : mix64(m_word); }

private:
    std::uint64_t m_word;
    const std::uint64_t *m_next, *m_end;
};

/// Which of `lanes` draws of one stream and block a rare event hits: gaps between events are geometric. Calls use(lane, size) with
/// the number of the event's quantile.
template <class Use>
void forEachRare(const RareEvent& rare, const RareChance& chance, std::size_t lanes, RareWords words, const Use& use)
{
    const auto sizes = static_cast<double>(rare.extra.size());
    for (std::size_t lane = 0; lane < lanes;) {
        const double gap = std::log(uniformOf(words.word())) * chance.perLog;
        if (!(gap < static_cast<double>(static_cast<std::int64_t>(lanes - lane))))
            return;
        lane += static_cast<std::size_t>(static_cast<std::int64_t>(gap));
        words.advance();
        use(lane, static_cast<std::size_t>(static_cast<std::int64_t>(uniformOf(words.word()) * sizes)));
        ++lane;
        words.advance();
    }
}

/// Words of several sites side by side: a word waits for the one before it, not for those of other sites.
class WordsAhead final {
public:
    static constexpr std::size_t kSites = 4;

    /// Makes about as many words as the sites from `first` on need.
    void make(const std::vector<RareSites>& sites, std::size_t first, const RareSearch& search, const RoundKeys& keys, std::uint64_t block);
    [[nodiscard]] RareWords of(std::size_t site) const { return RareWords(m_first[site], m_made[site].data(), m_count); }

private:
    static constexpr std::size_t kMost = 256;
    std::array<std::uint64_t, kSites> m_first{};
    std::array<std::array<std::uint64_t, kMost>, kSites> m_made;
    std::size_t m_count = 0;
};

const RareChance& chanceOf(const RareEvent& rare, const RareSearch& search)
{
    return rare.cause >= 0 && rare.cause == search.sought ? rare.sought : rare.chance;
}

void note(const RareEvent& rare, const RareSearch& search, std::size_t lane)
{
    if (search.ratio != nullptr && rare.cause >= 0)
        search.ratio[static_cast<std::size_t>(rare.cause) * kLanes + lane] += rare.logRatio;
}

void WordsAhead::make(const std::vector<RareSites>& sites, std::size_t first, const RareSearch& search, const RoundKeys& keys,
                      std::uint64_t block)
{
    double most = 0.0;
    for (std::size_t k = 0; k < kSites; ++k) {
        const RareSites& site = sites[std::min(first + k, sites.size() - 1)];
        m_first[k] = rareState(site.stream, keys, block);
        most = std::max(most, chanceOf(*site.event, search).probability * static_cast<double>(site.nodes.size() * kLanes));
    }
    m_count = static_cast<std::size_t>(std::min(static_cast<double>(kMost), 2.0 * (most + std::sqrt(most))));
    auto word = m_first;
    for (std::size_t i = 0; i < m_count; ++i)
        for (std::size_t k = 0; k < kSites; ++k)
            m_made[k][i] = word[k] = mix64(word[k]);
}

/// Routing factors of nodes, drawn where an event asks for them.
class RoutingAt final {
public:
    RoutingAt(const std::vector<KernelNode>& nodes, const RoundKeys& keys, std::uint64_t block)
        : m_nodes(nodes),
          m_keys(keys),
          m_block(block)
    {
    }
    /// `own` of an event as it is in a lane of a node; `size` its number in `extra`.
    [[nodiscard]] float seconds(const RareEvent& event, const EventSeconds& own, std::int32_t node, std::size_t lane, std::size_t size)
    {
        const std::size_t i = size * own.extra.size() / event.extra.size();
        const float extra = own.extra[i];
        const RoutingDraw* const draw = m_nodes[static_cast<std::size_t>(node)].routing;
        if (draw == nullptr || event.routedShare <= 0.0F)
            return extra;
        if (draw != m_drawn)
            drawRow(*draw->table, draw->key, m_keys, m_block, m_row);
        m_drawn = draw;
        const float more = m_row[lane] - 1.0F;
        if (own.extraTypical.empty())
            return extra * (1.0F + event.routedShare * more);
        return std::max(0.0F, extra + more / draw->unit * (own.extraTypical[i] - extra));
    }

private:
    const std::vector<KernelNode>& m_nodes;
    const RoundKeys& m_keys;
    std::uint64_t m_block;
    const RoutingDraw* m_drawn = nullptr;
    alignas(64) float m_row[kLanes];
};

/// Adds the events of one kind in the nodes of one stage.
void findHits(const RareSites& site, const std::vector<KernelNode>& nodes, const KernelRows& rows, RareWords words, RoutingAt& routing,
              std::vector<RareHit>& found)
{
    const RareEvent& rare = *site.event;
    const bool followsRegime = !site.ofTransfer, followsData = followsRegime && rare.followsData && rows.data != nullptr,
               noted = rows.search.ratio != nullptr && rare.cause >= 0;
    const float* regime = rows.regime + static_cast<std::size_t>(rare.scope) * kLanes;
    const auto does = !site.ofTransfer ? RareHit::Does::addSeconds
                      : rare.replaces  ? RareHit::Does::setFactor
                                       : RareHit::Does::multiplyFactor;
    forEachRare(rare, chanceOf(rare, rows.search), site.nodes.size() * kLanes, words, [&](std::size_t at, std::size_t size) {
        const std::int32_t node = site.nodes[at / kLanes];
        const std::size_t lane = at % kLanes;
        const EventSeconds& own =
            rare.atLuck.empty() || rows.luck == nullptr
                ? rare
                : rare.atLuck[rows.luck[static_cast<std::size_t>(nodes[static_cast<std::size_t>(node)].clockRow) * kLanes + lane]];
        float extra = routing.seconds(rare, own, node, lane, size);
        if (followsRegime)
            extra *= regime[lane];
        if (followsData)
            extra *= rows.data[static_cast<std::size_t>(nodes[static_cast<std::size_t>(node)].dataRow) * kLanes + lane];
        found.push_back({node, static_cast<std::int32_t>(lane), does, extra});
        if (noted)
            note(rare, rows.search, lane);
    });
}

} // namespace

RareChance rareChance(double probability)
{
    return {probability, 1.0 / std::log1p(-probability)};
}

const std::vector<RareHit>& RareHits::draw(const std::vector<RareSites>& sites, const std::vector<KernelNode>& nodes,
                                           const KernelRows& rows, const RoundKeys& keys, std::uint64_t block)
{
    m_found.clear();
    WordsAhead ahead;
    RoutingAt routing(nodes, keys, block);
    for (std::size_t i = 0; i < sites.size(); ++i) {
        if (i % WordsAhead::kSites == 0)
            ahead.make(sites, i, rows.search, keys, block);
        findHits(sites[i], nodes, rows, ahead.of(i % WordsAhead::kSites), routing, m_found);
    }
    // In the order of their nodes, those of one node in the order found.
    m_place.assign(nodes.size() + 1, 0);
    for (const RareHit& hit : m_found)
        ++m_place[static_cast<std::size_t>(hit.node) + 1];
    std::partial_sum(m_place.begin(), m_place.end(), m_place.begin());
    m_sorted.resize(m_found.size() + 1);
    for (const RareHit& hit : m_found)
        m_sorted[m_place[static_cast<std::size_t>(hit.node)]++] = hit;
    m_sorted.back() = {-1, 0, RareHit::Does::addSeconds, 0.0F};
    return m_sorted;
}

void rareFactors(const RareEvent& rare, const DrawKey& key, const RoundKeys& keys, std::uint64_t block, float* row,
                 const RareSearch& search)
{
    forEachRare(rare, chanceOf(rare, search), kLanes, RareWords(rareState(key.word[0], keys, block)),
                [&](std::size_t lane, std::size_t size) {
                    const float factor = rare.extra[size];
                    row[lane] = rare.replaces ? factor : row[lane] * factor;
                    note(rare, search, lane);
                });
}

void rareSeconds(const RareEvent& rare, const DrawKey& key, const RoundKeys& keys, std::uint64_t block, float* row)
{
    forEachRare(rare, rare.chance, kLanes, RareWords(rareState(key.word[0], keys, block)),
                [&](std::size_t lane, std::size_t size) { row[lane] += rare.extra[size]; });
}

} // namespace prism
