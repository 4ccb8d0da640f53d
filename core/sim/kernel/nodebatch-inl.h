// SPDX-License-Identifier: GPL-3.0-or-later
// Lines of pools for some nodes of a sweep, and what rare events change in them, made before the nodes run.
// Part of sweepkernel.cpp, compiled once for each instruction set.
#if defined(PRISM_NODEBATCH_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef PRISM_NODEBATCH_INL_H
#undef PRISM_NODEBATCH_INL_H
#else
#define PRISM_NODEBATCH_INL_H
#endif

#include "core/sim/kernel/noderun-inl.h"

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace prism::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// A few nodes that follow one another, made ready together: so the random bits of one do not wait for those of another, and no load of a
/// whole register for values that were just put into some of its lanes.
class NodeBatch final {
public:
    /// `hits` ascending by node, the last one of no node.
    NodeBatch(const KernelNode* nodes, std::size_t count, const RareHit* hits, const KernelRows& rows, const RoundKeys& keys,
              std::uint64_t block)
        : m_nodes(nodes),
          m_count(count),
          m_hit(hits),
          m_rows(rows),
          m_keys(keys),
          m_block(block),
          m_hasHits(hits->node >= 0)
    {
        std::fill(m_ones, m_ones + kPoolLanes, 1.0F);
    }

    /// Makes nodes ready from `first` on; returns where they end. A node without a pool stands alone.
    HWY_INLINE std::size_t take(std::size_t first)
    {
        m_first = first;
        std::size_t end = first;
        for (; end < std::min(m_count, first + kTogether) && !drawsFromTable(m_nodes[end]); ++end)
            if (m_rows.noise)
                poolLines(m_nodes[end].key, m_keys, m_block, m_lines + (end - first) * 2 * kRowLines);
        if (end == first)
            draw(m_nodes[end++]);
        if (!m_hasHits)
            return end;
        for (std::size_t i = first; i < end; ++i)
            point(m_nodes[i], i - first);
        for (; m_hit->node >= 0 && static_cast<std::size_t>(m_hit->node) < end; ++m_hit)
            put(*m_hit);
        return end;
    }

    [[nodiscard]] HWY_INLINE NodeRows rowsOf(std::size_t node) const
    {
        NodeRows own = prism::HWY_NAMESPACE::rowsOf(m_nodes[node], m_rows);
        if (m_hasHits)
            own.meanAt = m_at[node - m_first];
        return own;
    }

    /// Calls run(draws, factors) with those of a node's duration and of its transfer.
    template <class Run>
    HWY_INLINE void withDraws(std::size_t node, const Run& run) const
    {
        const std::size_t k = node - m_first;
        const DrawSource* source = m_rows.noise ? m_nodes[node].source : nullptr;
        const auto withFactors = [&](const auto& draws) { withFactor(node, draws, run); };
        if (source == nullptr)
            withFactors(NoDraws());
        else if (source->pool != nullptr)
            withFactors(PoolDraws{source->pool, m_lines + k * 2 * kRowLines});
        else
            withFactors(RowDraws{m_draw});
    }

private:
    static constexpr std::size_t kTogether = 16;

    [[nodiscard]] HWY_INLINE bool drawsFromTable(const KernelNode& node) const
    {
        const auto fromTable = [](const DrawSource* source) { return source != nullptr && source->pool == nullptr; };
        return m_rows.noise && (fromTable(node.source) || fromTable(node.transferSource));
    }
    HWY_INLINE void draw(const KernelNode& node)
    {
        drawWords(node.key, m_keys, m_block, m_words);
        if (node.source != nullptr)
            quantiles<false>(F(), *node.source->table, m_words, m_draw);
        if (node.transferSource != nullptr && !drawsFactorLater(node))
            quantiles<true>(F(), *node.transferSource->table, m_words, m_factor);
    }
    /// A factor is drawn where it is used, which is faster than by way of a row, unless its row is needed.
    [[nodiscard]] HWY_INLINE bool drawsFactorLater(const KernelNode& node) const
    {
        return PRISM_WHOLE_TABLES && !m_hasHits && node.transferSource->table->steps.empty();
    }

    template <class Draws, class Run>
    HWY_INLINE void withFactor(std::size_t node, const Draws& draws, const Run& run) const
    {
        const std::size_t k = node - m_first;
        const DrawSource* source = m_rows.noise ? m_nodes[node].transferSource : nullptr;
        if (m_hasHits)
            run(draws, LineDraws{m_at[k] + kRowLines});
        else if (source == nullptr)
            run(draws, NoDraws());
        else if (source->pool != nullptr)
            run(draws, PoolDraws{source->pool, m_lines + k * 2 * kRowLines + kRowLines});
#if PRISM_WHOLE_TABLES
        else if (drawsFactorLater(m_nodes[node]))
            run(draws, CubicDraws{Cubics(*source->table), m_words});
#endif
        else
            run(draws, RowDraws{m_factor});
    }

    /// Says where the lines of a node's mean and factor stand before rare events.
    HWY_INLINE void point(const KernelNode& node, std::size_t k)
    {
        const float** at = m_at[k];
        const float* mean = node.durationRow >= 0 ? rowAt(static_cast<const float*>(m_rows.mean), node.durationRow) : m_ones;
        const std::size_t step = node.durationRow >= 0 ? kPoolLanes : 0;
        for (std::size_t g = 0; g < kRowLines; ++g)
            at[g] = mean + g * step;
        const DrawSource* source = node.transferSource;
        const std::uint16_t* lines = m_lines + k * 2 * kRowLines + kRowLines;
        for (std::size_t g = 0; g < kRowLines; ++g)
            at[kRowLines + g] = source == nullptr ? m_ones : source->pool != nullptr ? source->pool + lines[g] : m_factor + g * kPoolLanes;
    }

    /// Puts a rare event into its line, which is a copy from its first event on.
    HWY_INLINE void put(const RareHit& hit)
    {
        // What each kind of hit leaves of the value, how often it multiplies it, and how often it adds to it.
        static constexpr float kKept[] = {1.0F, 0.0F, 0.0F}, kTimes[] = {0.0F, 1.0F, 0.0F}, kAdded[] = {1.0F, 0.0F, 1.0F};
        const auto does = static_cast<std::size_t>(hit.does), lane = static_cast<std::size_t>(hit.lane);
        const std::size_t k = static_cast<std::size_t>(hit.node) - m_first,
                          line = (hit.does == RareHit::Does::addSeconds ? 0 : kRowLines) + lane / kPoolLanes;
        float* const copy = m_changed + (k * 2 * kRowLines + line) * kPoolLanes;
        if (m_at[k][line] != copy) {
            std::copy_n(m_at[k][line], kPoolLanes, copy);
            m_at[k][line] = copy;
        }
        float& value = copy[lane % kPoolLanes];
        value = value * (kKept[does] + hit.value * kTimes[does]) + hit.value * kAdded[does];
    }

    const KernelNode* m_nodes;
    std::size_t m_count;
    const RareHit* m_hit; ///< the next one
    const KernelRows& m_rows;
    const RoundKeys& m_keys;
    std::uint64_t m_block;
    bool m_hasHits; ///< of any node
    std::size_t m_first = 0;
    const float* m_at[kTogether][2 * kRowLines]; ///< with hits: lines of a node's mean, then of its factor
    HWY_ALIGN std::uint16_t m_lines[kTogether * 2 * kRowLines];
    HWY_ALIGN float m_changed[kTogether * 2 * kLanes]; ///< lines that rare events have changed, each in its place
    HWY_ALIGN float m_ones[kPoolLanes];
    HWY_ALIGN std::int32_t m_words[kLanes];
    HWY_ALIGN float m_draw[kLanes], m_factor[kLanes]; ///< of a node without a pool
};

} // namespace prism::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
