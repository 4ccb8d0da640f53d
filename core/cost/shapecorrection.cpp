// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/shapecorrection.h"

#include "core/stats/random.h"

#include <cmath>
#include <map>

namespace prism {
namespace {

BoostedTrees treesOf(const std::vector<ShapePoint>& points)
{
    std::vector<BoostedTrees::Features> rows;
    std::vector<double> targets;
    for (const ShapePoint& p : points) {
        rows.push_back(p.at);
        targets.push_back(p.residual);
    }
    return {rows, targets};
}

} // namespace

ShapeCorrection::ShapeCorrection(std::vector<ShapePoint> points) : m_trees(treesOf(points)), m_points(std::move(points))
{
    for (ShapePoint& p : m_points)
        p.residual -= m_trees.at(p.at);
}

/// The trees, and what they leave of the eight nearest rows, weighted by the fourth power of their nearness (Shepard 1968, inverse
/// distance): a row that is hit gives itself, far from all rows the nearest ones decide.
double ShapeCorrection::factor(const BoostedTrees::Features& at) const
{
    constexpr std::size_t kNearest = 8;
    std::array<std::pair<double, double>, kNearest> nearest; // squared distance, residual; ascending
    std::size_t n = 0;
    for (const ShapePoint& p : m_points) {
        double d = 0;
        for (std::size_t i = 0; i < at.size(); ++i)
            d += (p.at[i] - at[i]) * (p.at[i] - at[i]);
        if (n == kNearest && d >= nearest[n - 1].first)
            continue;
        std::size_t slot = n < kNearest ? n++ : kNearest - 1;
        for (; slot > 0 && nearest[slot - 1].first > d; --slot)
            nearest[slot] = nearest[slot - 1];
        nearest[slot] = {d, p.residual};
    }
    if (n == 0)
        return 1;
    constexpr double kHit = 1e-18;
    double sum = 0, weights = 0;
    for (std::size_t i = 0; i < n && (i == 0 || nearest[0].first > kHit || nearest[i].first <= kHit); ++i) {
        const double w = 1 / std::max(kHit * kHit, nearest[i].first * nearest[i].first);
        sum += w * nearest[i].second;
        weights += w;
    }
    return std::exp(m_trees.at(at) + sum / weights);
}

CrossValidation crossValidated(const std::vector<ShapePoint>& points)
{
    constexpr int kFolds = 5;
    std::map<BoostedTrees::Features, int> foldOf;
    for (const ShapePoint& p : points)
        foldOf.try_emplace(p.at, 0);
    std::uint64_t index = 0;
    for (auto& [shape, fold] : foldOf)
        fold = static_cast<int>(kFolds * uniform(1, StreamId{}, index++));
    CrossValidation result;
    for (int fold = 0; fold < kFolds; ++fold) {
        std::vector<ShapePoint> rest;
        for (const ShapePoint& p : points)
            if (foldOf[p.at] != fold)
                rest.push_back(p);
        if (rest.empty() || rest.size() == points.size())
            continue;
        const ShapeCorrection correction(std::move(rest));
        for (const ShapePoint& p : points) {
            if (foldOf[p.at] != fold)
                continue;
            result.formula += std::abs(std::exp(-p.residual) - 1);
            result.corrected += std::abs(correction.factor(p.at) * std::exp(-p.residual) - 1);
            ++result.rows;
        }
    }
    if (result.rows > 0) {
        result.formula /= result.rows;
        result.corrected /= result.rows;
    }
    return result;
}

} // namespace prism
