// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/boostedtrees.h"

#include <algorithm>
#include <numeric>

namespace prism {
namespace {

constexpr int kTrees = 80, kDepth = 3;
constexpr double kShare = 0.1;       ///< of what is left that a tree takes
constexpr std::size_t kLeafRows = 8; ///< no leaf rests on fewer
constexpr std::size_t kBins = 32;    ///< thresholds of a feature: quantiles of its values

} // namespace

/// Grows one tree after another on what is left of the targets.
class BoostedTrees::Growth final {
public:
    Growth(const std::vector<Features>& rows, std::vector<double> left) : m_rows(rows), m_left(std::move(left)), m_bins(rows.size())
    {
        for (std::size_t f = 0; f < m_thresholds.size(); ++f) {
            std::vector<double> values;
            values.reserve(rows.size());
            for (const Features& row : rows)
                values.push_back(row[f]);
            std::sort(values.begin(), values.end());
            for (std::size_t b = 1; b < kBins; ++b) {
                const double value = values[b * values.size() / kBins];
                if (value > values.front() && (m_thresholds[f].empty() || value > m_thresholds[f].back()))
                    m_thresholds[f].push_back(value);
            }
            for (std::size_t i = 0; i < rows.size(); ++i)
                m_bins[i][f] = static_cast<std::uint8_t>(std::upper_bound(m_thresholds[f].begin(), m_thresholds[f].end(), rows[i][f])
                                                         - m_thresholds[f].begin());
        }
    }

    Tree tree()
    {
        Tree tree(1);
        std::vector<std::uint32_t> all(m_rows.size());
        std::iota(all.begin(), all.end(), 0U);
        split(tree, 0, all, kDepth);
        for (std::size_t i = 0; i < m_rows.size(); ++i)
            m_left[i] -= leafOf(tree, m_rows[i]);
        return tree;
    }

private:
    struct Split {
        std::size_t feature = 0, bin = 0;
        double gain = 0;
    };

    /// The split that lowers the squares most: the gain of sums S and counts n is S1²/n1 + S2²/n2 - S²/n.
    [[nodiscard]] Split best(const std::vector<std::uint32_t>& rows) const
    {
        Split found;
        for (std::size_t f = 0; f < m_thresholds.size(); ++f) {
            std::array<double, kBins> sums{};
            std::array<std::size_t, kBins> counts{};
            double total = 0;
            for (const std::uint32_t i : rows) {
                sums[m_bins[i][f]] += m_left[i];
                ++counts[m_bins[i][f]];
                total += m_left[i];
            }
            double below = 0;
            std::size_t count = 0;
            for (std::size_t b = 0; b < m_thresholds[f].size(); ++b) {
                below += sums[b];
                count += counts[b];
                if (count < kLeafRows || rows.size() - count < kLeafRows)
                    continue;
                const double n1 = static_cast<double>(count), n2 = static_cast<double>(rows.size() - count), above = total - below;
                const double gain = below * below / n1 + above * above / n2 - total * total / (n1 + n2);
                if (gain > found.gain)
                    found = {f, b, gain};
            }
        }
        return found;
    }

    void split(Tree& tree, std::size_t at, const std::vector<std::uint32_t>& rows, int depth)
    {
        double sum = 0;
        for (const std::uint32_t i : rows)
            sum += m_left[i];
        tree[at].value = kShare * sum / static_cast<double>(std::max<std::size_t>(1, rows.size()));
        const Split found = depth > 0 ? best(rows) : Split{};
        if (!(found.gain > 0))
            return;
        std::vector<std::uint32_t> below, above;
        for (const std::uint32_t i : rows)
            (m_bins[i][found.feature] <= found.bin ? below : above).push_back(i);
        const std::size_t left = tree.size();
        tree.resize(left + 2);
        tree[at].feature = static_cast<std::int8_t>(found.feature);
        tree[at].threshold = m_thresholds[found.feature][found.bin];
        tree[at].left = static_cast<std::int32_t>(left);
        tree[at].right = static_cast<std::int32_t>(left + 1);
        split(tree, left, below, depth - 1);
        split(tree, left + 1, above, depth - 1);
    }

    const std::vector<Features>& m_rows;
    std::vector<double> m_left;
    std::vector<std::array<std::uint8_t, 3>> m_bins;
    std::array<std::vector<double>, 3> m_thresholds;
};

double BoostedTrees::leafOf(const Tree& tree, const Features& features)
{
    std::size_t at = 0;
    while (tree[at].feature >= 0)
        at = static_cast<std::size_t>(features[static_cast<std::size_t>(tree[at].feature)] < tree[at].threshold ? tree[at].left
                                                                                                                : tree[at].right);
    return tree[at].value;
}

BoostedTrees::BoostedTrees(const std::vector<Features>& rows, const std::vector<double>& targets)
{
    if (rows.empty())
        return;
    m_mean = std::accumulate(targets.begin(), targets.end(), 0.0) / static_cast<double>(rows.size());
    if (rows.size() < kEnoughRows)
        return;
    std::vector<double> left = targets;
    for (double& x : left)
        x -= m_mean;
    Growth growth(rows, std::move(left));
    for (int i = 0; i < kTrees; ++i)
        m_trees.push_back(growth.tree());
}

double BoostedTrees::at(const Features& features) const
{
    double sum = m_mean;
    for (const Tree& tree : m_trees)
        sum += leafOf(tree, features);
    return sum;
}

} // namespace prism
