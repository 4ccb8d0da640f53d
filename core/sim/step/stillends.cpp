// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/step/stillends.h"

#include <algorithm>
#include <cmath>

namespace prism {

namespace {

/// Nodes for values: half of them as the values are spread, half of them equally far apart, from the least to the largest.
std::vector<double> nodesFor(std::vector<double> values, std::size_t count)
{
    std::sort(values.begin(), values.end());
    const double low = values.front(), range = values.back() - low, last = static_cast<double>(values.size() - 1);
    std::vector<double> nodes{low};
    std::size_t i = 0;
    for (std::size_t k = 1; k + 1 < count; ++k) {
        const double wanted = static_cast<double>(k) / static_cast<double>(count - 1);
        const auto place = [&](std::size_t at) { return 0.5 * (static_cast<double>(at) / last + (values[at] - low) / range); };
        while (place(i) < wanted)
            ++i;
        if (values[i] > nodes.back() && values[i] < values.back())
            nodes.push_back(values[i]);
    }
    nodes.push_back(values.back());
    return nodes;
}

/// Between which nodes a value lies, and how far from the lower one.
struct Between {
    std::size_t low = 0;
    double part = 0.0;
};

Between between(const std::vector<double>& nodes, double value)
{
    if (nodes.size() < 2)
        return {};
    const auto above = std::upper_bound(nodes.begin() + 1, nodes.end() - 1, value);
    const auto low = static_cast<std::size_t>(above - nodes.begin()) - 1;
    return {low, std::clamp((value - nodes[low]) / (nodes[low + 1] - nodes[low]), 0.0, 1.0)};
}

std::array<const std::vector<double>*, 3> regimesOf(const Series& series)
{
    return {&series.regimes.intra, &series.regimes.inter, &series.regimes.compute};
}

} // namespace

void StillEnds::makeAxes()
{
    const auto regimes = regimesOf(m_series);
    const auto varies = [](const std::vector<double>& r) { return std::any_of(r.begin(), r.end(), [&](double x) { return x != r[0]; }); };
    const auto varying = static_cast<double>(std::count_if(regimes.begin(), regimes.end(), [&](const auto* r) { return varies(*r); }));
    const auto each = varying > 0.0 ? static_cast<std::size_t>(std::pow(kGridBlocks * kLanes + 0.5, 1.0 / varying)) : 1;
    m_points = 1;
    for (std::size_t a = 0; a < kAxes; ++a) {
        m_axis[a].node = varies(*regimes[a]) ? nodesFor(*regimes[a], each) : std::vector<double>{regimes[a]->front()};
        m_axis[a].stride = m_points;
        m_points *= m_axis[a].node.size();
    }
}

/// The grid's points as the steps of a series.
Series StillEnds::gridded() const
{
    Series out{m_series.prepared, m_series.seed, m_series.run, {}, m_points};
    out.onGrid = true;
    std::vector<double>* const to[kAxes] = {&out.regimes.intra, &out.regimes.inter, &out.regimes.compute};
    for (std::size_t i = 0; i < out.blocks() * kLanes; ++i)
        for (std::size_t a = 0; a < kAxes; ++a)
            to[a]->push_back(m_axis[a].node[std::min(i, m_points - 1) / m_axis[a].stride % m_axis[a].node.size()]);
    return out;
}

StillEnds::StillEnds(const Series& series, int kind, const std::vector<float>& scores, Recall& recall, std::stop_token stop,
                     std::uint64_t& nodeSamples)
    : m_series(series)
{
    if (series.prepared.plan->nodes.size() >= kPooledNodes && series.blocks() >= kGridBlocks)
        makeAxes();
    const PartRequest request{"still replica", {{kind, 0, LuckSource::fixed, scores}}, false, nullptr};
    const Series swept = m_points > 0 ? gridded() : series;
    const auto parts = replicaParts(swept, {request}, 0, swept.blocks(), recall, stop, nodeSamples);
    if (!parts.empty())
        m_part = parts[0];
}

void StillEnds::ends(std::size_t block, Rows& out) const
{
    const std::size_t stages = m_series.stages();
    if (m_points == 0) {
        std::copy_n(m_part->ends.row(block * stages), stages * kLanes, out.row(0));
        return;
    }
    const auto regimes = regimesOf(m_series);
    for (std::size_t l = 0; l < kLanes; ++l) {
        // Corners of the grid's cell that the step lies in, and their weights.
        std::array<std::size_t, 8> corner{};
        std::array<float, 8> weight{};
        std::size_t corners = 1;
        weight[0] = 1.0F;
        for (std::size_t a = 0; a < kAxes; ++a) {
            const Between at = between(m_axis[a].node, (*regimes[a])[block * kLanes + l]);
            const bool both = m_axis[a].node.size() > 1;
            for (std::size_t c = 0; c < corners; ++c) {
                corner[c] += at.low * m_axis[a].stride;
                if (both) {
                    corner[corners + c] = corner[c] + m_axis[a].stride;
                    weight[corners + c] = weight[c] * static_cast<float>(at.part);
                    weight[c] -= weight[corners + c];
                }
            }
            corners *= both ? 2 : 1;
        }
        for (std::size_t s = 0; s < stages; ++s) {
            float sum = 0.0F;
            for (std::size_t c = 0; c < corners; ++c)
                sum += weight[c] * m_part->ends.row(corner[c] / kLanes * stages + s)[corner[c] % kLanes];
            out.row(s)[l] = sum;
        }
    }
}

} // namespace prism
