// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/chunk/scoretable.h"

#include "core/stats/normal.h"

#include <cmath>
#include <numeric>

namespace prism {

namespace {

/// One part of a table: the nodes [first, last) and what its samples say about them.
class Part final {
public:
    Part(const ScoreScale& scale, std::size_t first, std::size_t last)
        : m_scale(scale),
          m_first(first),
          m_last(last),
          m_sum(kScoreNodes, 0.0),
          m_mass(kScoreNodes, 0.0)
    {
    }

    void add(double score, double weight, double value)
    {
        const double place = std::clamp(m_scale.place(score), static_cast<double>(m_first), m_last - 1.0);
        const std::size_t j = m_scale.nodeBelow(place);
        const double part = place - static_cast<double>(j);
        for (const auto& [node, share] : {std::pair{j, 1.0 - part}, std::pair{j + 1, part}}) {
            m_sum[node] += weight * share * value;
            m_mass[node] += weight * share;
        }
        m_total += weight;
        m_value += weight * value;
    }

    void write(std::vector<float>& out) const
    {
        if (!(m_total > 0.0))
            return;
        const std::vector<double> table = filled();
        const double mean = tableMean(table), wanted = m_value / m_total;
        for (std::size_t k = m_first; k < m_last; ++k)
            out[k] = static_cast<float>(mean > 0.0 ? table[k] * wanted / mean : table[k]);
    }

private:
    /// Nodes without samples take the line between their neighbours, and the nearest value beyond the ends.
    [[nodiscard]] std::vector<double> filled() const
    {
        std::vector<double> table(kScoreNodes, 0.0);
        std::size_t known = kScoreNodes; // last node with samples
        for (std::size_t k = m_first; k < m_last; ++k) {
            if (m_mass[k] <= 0.0)
                continue;
            table[k] = m_sum[k] / m_mass[k];
            const bool none = known == kScoreNodes;
            for (std::size_t q = none ? m_first : known + 1; q < k; ++q)
                table[q] =
                    none ? table[k] : std::lerp(table[known], table[k], static_cast<double>(q - known) / static_cast<double>(k - known));
            known = k;
        }
        for (std::size_t q = known + 1; q < m_last; ++q)
            table[q] = table[known];
        return table;
    }

    [[nodiscard]] double tableMean(const std::vector<double>& table) const
    {
        constexpr int kPerNode = 8;
        double sum = 0.0, total = 0.0;
        for (std::size_t i = 0; i < kPerNode * (m_last - 1 - m_first); ++i) {
            const double node = static_cast<double>(m_first) + (static_cast<double>(i) + 0.5) / kPerNode;
            const auto j = static_cast<std::size_t>(node);
            const double z = m_scale.scoreOf(node), w = std::exp(-0.5 * z * z);
            sum += w * std::lerp(table[j], table[j + 1], node - static_cast<double>(j));
            total += w;
        }
        return total > 0.0 ? sum / total : 0.0;
    }

    const ScoreScale& m_scale;
    std::size_t m_first, m_last;
    std::vector<double> m_sum, m_mass;
    double m_total = 0.0, m_value = 0.0;
};

} // namespace

std::vector<double> sampleScores(const SpatialSamples& spatial, const std::vector<double>& key)
{
    const std::size_t count = spatial.weight.size(), firstHit = spatial.firstHit > 0 ? spatial.firstHit : count;
    std::vector<double> score(count, 0.0);
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto byKey = [&](std::size_t a, std::size_t b) { return key[a] < key[b]; };
    std::sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(firstHit), byKey);
    std::sort(order.begin() + static_cast<std::ptrdiff_t>(firstHit), order.end(), byKey);
    double below = 0.0;
    for (const std::size_t i : order) {
        score[i] = normalQuantile(std::clamp(below + 0.5 * spatial.weight[i], 1e-12, 1.0 - 1e-12));
        below += spatial.weight[i];
    }
    return score;
}

std::vector<float> scoreTable(const ScoreScale& scale, const SpatialSamples& spatial, const std::vector<double>& score,
                              const std::vector<double>& value)
{
    const auto jump = static_cast<std::size_t>(scale.firstHit);
    Part below(scale, 0, jump), above(scale, jump, kScoreNodes);
    for (std::size_t i = 0; i < score.size(); ++i)
        (score[i] < scale.jump ? below : above).add(score[i], spatial.weight[i], value[i]);
    std::vector<float> out(kScoreNodes, 0.0F);
    below.write(out);
    above.write(out);
    return out;
}

} // namespace prism
