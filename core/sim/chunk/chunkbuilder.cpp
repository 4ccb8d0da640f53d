// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/chunk/chunkbuilder.h"

#include <algorithm>
#include <cmath>

namespace prism {

namespace {

/// Exposed part of a collective at regime factor r: mean and variance of max(0, r mu e - hidden).
Moments exposed(const OpTerm& t, const QuantilePoints& p, double r)
{
    if (t.hiddenSeconds <= 0.0)
        return {t.meanSeconds * r * p.mean, t.meanSeconds * t.meanSeconds * r * r * p.variance};
    double mean = 0.0, square = 0.0;
    for (std::size_t i = 0; i < p.value.size(); ++i) {
        const double x = std::max(0.0, r * t.meanSeconds * p.value[i] - t.hiddenSeconds);
        mean += p.weight[i] * x;
        square += p.weight[i] * x * x;
    }
    return {mean, std::max(0.0, square - mean * mean)};
}

/// Quantiles over all cells from those of the ranges, each of which is sorted.
std::vector<float> inAllCells(const std::vector<EventSeconds>& atLuck, const std::vector<LuckyCells>& cells)
{
    constexpr std::size_t kQuantiles = 4096;
    std::vector<std::pair<float, double>> all;
    for (std::size_t k = 0; k < atLuck.size(); ++k)
        for (const float x : atLuck[k].extra)
            all.emplace_back(x, cells[k].share / static_cast<double>(atLuck[k].extra.size()));
    std::sort(all.begin(), all.end());
    std::vector<float> out;
    double below = 0.0;
    for (const auto& [x, weight] : all) {
        below += weight;
        while (out.size() < kQuantiles && (static_cast<double>(out.size()) + 0.5) / kQuantiles <= below)
            out.push_back(x);
    }
    if (!all.empty())
        out.resize(kQuantiles, all.back().first);
    return out;
}

} // namespace

ChunkBuilder::ChunkBuilder(const ModelInputs& inputs, const CellKind& kind, const ProgramShape& shape, const std::vector<int>& apart)
    : m_inputs(inputs),
      m_kind(kind),
      m_shape(shape),
      m_apart(apart)
{
}

std::vector<SegmentRequest> ChunkBuilder::requests() const
{
    std::vector<SegmentRequest> out;
    for (const SegmentTerms& terms : m_shape.segments) {
        SegmentRequest request{terms, {}};
        for (const OpTerm& t : terms)
            request.withRare.push_back(m_inputs.classes.rare[static_cast<std::size_t>(t.kernelClass)] && !isApart(t.kernelClass));
        out.push_back(std::move(request));
    }
    return out;
}

bool ChunkBuilder::isApart(int kernelClass) const
{
    return std::find(m_apart.begin(), m_apart.end(), kernelClass) != m_apart.end();
}

const QuantilePoints& ChunkBuilder::points(int kernelClass) const
{
    const ClassModel& factor = *m_inputs.classes.factor[static_cast<std::size_t>(kernelClass)];
    return isApart(kernelClass) ? factor.base : factor.all;
}

int ChunkBuilder::scopeIndex(int kernelClass) const
{
    return m_inputs.graph.classes[static_cast<std::size_t>(kernelClass)].scope == Scope::interNode ? 1 : 0;
}

double ChunkBuilder::linkFactor(int kernelClass) const
{
    return scopeIndex(kernelClass) == 1 ? m_kind.linkFactor : 1.0;
}

Moments ChunkBuilder::collectives(const std::vector<OpTerm>& terms, int scope, double r) const
{
    Moments out;
    for (const OpTerm& t : terms) {
        if (scopeIndex(t.kernelClass) != scope)
            continue;
        const Moments m = exposed(t, points(t.kernelClass), r * linkFactor(t.kernelClass));
        out.mean += t.count * m.mean;
        out.variance += t.count * m.variance;
    }
    return out;
}

Moments ChunkBuilder::collectives(int scope, double r) const
{
    Moments sum;
    for (const Section& section : m_shape.sections)
        for (const std::vector<OpTerm>* terms : {&section.groupCollectives, &section.cellCollectives}) {
            const Moments m = collectives(*terms, scope, r);
            sum.mean += section.count * m.mean;
            sum.variance += section.count * m.variance;
        }
    return sum;
}

Moments ChunkBuilder::groupCompute(std::size_t section, std::size_t sample) const
{
    Moments sum;
    for (const SegmentUse& use : m_shape.sections[section].segments) {
        const Moments& m = m_segments[static_cast<std::size_t>(use.segment)]->group[sample];
        sum.mean += use.count * m.mean;
        sum.variance += use.count * m.variance;
    }
    return sum;
}

double ChunkBuilder::routedShare(std::size_t section) const
{
    double all = 0.0, routed = 0.0;
    for (const SegmentUse& use : m_shape.sections[section].segments)
        for (const OpTerm& t : m_shape.segments[static_cast<std::size_t>(use.segment)]) {
            const double seconds = use.count * t.count * t.meanSeconds;
            all += seconds;
            routed += t.routed ? seconds : 0.0;
        }
    return all > 0.0 ? routed / all : 0.0;
}

Moments ChunkBuilder::compute(std::size_t sample) const
{
    const auto groups = static_cast<std::size_t>(m_inputs.graph.groupsPerCell);
    Moments total;
    std::vector<double> groupMean(groups), groupSigma(groups);
    for (std::size_t s = 0; s < m_shape.sections.size(); ++s) {
        const Section& section = m_shape.sections[s];
        for (std::size_t group = 0; group < groups; ++group) {
            const Moments sum = groupCompute(s, sample * groups + group);
            if (groups == 1) {
                total.mean += section.count * sum.mean;
                total.variance += section.count * sum.variance;
                continue;
            }
            groupMean[group] = sum.mean + m_sectionCollectives[s].mean;
            groupSigma[group] = std::sqrt(sum.variance + m_sectionCollectives[s].variance);
        }
        if (groups == 1)
            continue;
        const Moments meeting = maximumMoments(m_sectionShape[s], groupMean.data(), groupSigma.data(), m_inputs.graph.groupsPerCell);
        total.mean += section.count * (meeting.mean - m_sectionCollectives[s].mean);
        total.variance += section.count * std::max(0.0, meeting.variance - m_sectionCollectives[s].variance);
    }
    return total;
}

GridDist ChunkBuilder::chunkAtOne()
{
    std::vector<GridDist> sections;
    m_sectionShape.clear();
    m_sectionCollectives.clear();
    for (const Section& section : m_shape.sections) {
        std::vector<GridPart> parts;
        for (const SegmentUse& use : section.segments)
            parts.push_back({&m_segments[static_cast<std::size_t>(use.segment)]->maximumAtOne, use.count});
        const GridDist groupComm = sumDistribution(summands(section.groupCollectives), 0.0);
        if (!section.groupCollectives.empty())
            parts.push_back({&groupComm, 1});
        GridDist group = sumOfGrids(parts);
        if (m_inputs.graph.groupsPerCell > 1) {
            m_sectionShape.push_back(sectionShape(section, group));
            if (!m_apart.empty())
                m_groupAtOne.push_back(group);
            Moments own;
            for (int scope = 0; scope < 2; ++scope) {
                const Moments m = collectives(section.groupCollectives, scope, 1.0);
                own.mean += m.mean;
                own.variance += m.variance;
            }
            m_sectionCollectives.push_back(own);
            group = maximumOf(group, m_inputs.graph.groupsPerCell);
        }
        const GridDist cellComm = sumDistribution(summands(section.cellCollectives), 0.0);
        std::vector<GridPart> all = {{&group, 1}};
        if (!section.cellCollectives.empty())
            all.push_back({&cellComm, 1});
        sections.push_back(sumOfGrids(all));
    }
    if (sections.size() == 1 && m_shape.sections[0].count == 1)
        return std::move(sections[0]);
    std::vector<GridPart> parts;
    for (std::size_t s = 0; s < sections.size(); ++s)
        parts.push_back({&sections[s], m_shape.sections[s].count});
    return sumOfGrids(parts);
}

/// A group's time in one section; with rare events, where its bulk lies.
StandardCdf ChunkBuilder::sectionShape(const Section& section, const GridDist& group)
{
    std::vector<GridPart> parts;
    bool anyRare = false;
    for (const SegmentUse& use : section.segments) {
        const SegmentModel& segment = *m_segments[static_cast<std::size_t>(use.segment)];
        anyRare = anyRare || !segment.bulkMaximumAtOne.mass.empty();
        parts.push_back({segment.bulkMaximumAtOne.mass.empty() ? &segment.maximumAtOne : &segment.bulkMaximumAtOne, use.count});
    }
    for (const OpTerm& t : section.groupCollectives)
        anyRare = anyRare || (m_inputs.classes.rare[static_cast<std::size_t>(t.kernelClass)] && !isApart(t.kernelClass));
    if (!anyRare)
        return StandardCdf(group);
    const GridDist comm = sumDistribution(summands(section.groupCollectives, true), 0.0);
    if (!section.groupCollectives.empty())
        parts.push_back({&comm, 1});
    return {group, sumOfGrids(parts), m_inputs.graph.groupsPerCell};
}

/// Collectives as summands: those with a hidden part through the points of their exposed part.
std::vector<Summand> ChunkBuilder::summands(const std::vector<OpTerm>& terms, bool bulk)
{
    std::vector<Summand> out;
    for (const OpTerm& t : terms) {
        const QuantilePoints& p = bulk ? m_inputs.classes.factor[static_cast<std::size_t>(t.kernelClass)]->base : points(t.kernelClass);
        if (t.hiddenSeconds <= 0.0) {
            out.push_back({&p, t.meanSeconds * linkFactor(t.kernelClass), t.count});
            continue;
        }
        auto q = std::make_unique<QuantilePoints>(p);
        const Moments m = exposed(t, p, linkFactor(t.kernelClass));
        q->mean = m.mean;
        q->variance = m.variance;
        const double scale = linkFactor(t.kernelClass) * t.meanSeconds;
        q->bulkVariance = std::min(scale * scale * p.bulkVariance, m.variance);
        q->largest = 0.0;
        for (double& v : q->value) {
            v = std::max(0.0, scale * v - t.hiddenSeconds);
            q->largest = std::max(q->largest, v);
        }
        out.push_back({q.get(), 1.0, t.count});
        m_exposed.push_back(std::move(q));
    }
    return out;
}

std::vector<RareEvent> ChunkBuilder::rareEvents(const LuckyCells& lucky, const std::vector<int>& ranges, const GroupFactors& groups) const
{
    std::vector<double> routed;
    for (std::size_t s = 0; s < sections(); ++s)
        routed.push_back(routedShare(s));
    const auto eventIn = [&](const LuckyCells& cells, int kernelClass) {
        return rareEventOf({m_inputs.graph, m_inputs.classes, cells, m_shape, m_segments, m_groupAtOne, m_sectionCollectives, groups,
                            routed, m_kind.linkFactor},
                           kernelClass);
    };
    std::vector<RareEvent> out;
    std::vector<LuckyCells> byLuck;
    for (std::size_t k = 0; k < ranges.size() && ranges.size() > 1; ++k)
        byLuck.push_back(cellsOfRange(lucky, ranges[k], k + 1 < ranges.size() ? ranges[k + 1] : kScoreNodes));
    for (const int c : m_apart) {
        const bool isLate = m_inputs.graph.groupsPerCell > 1 || m_inputs.graph.classes[static_cast<std::size_t>(c)].scope == Scope::none;
        if (byLuck.empty() || !isLate) {
            out.push_back(eventIn(lucky, c));
            continue;
        }
        RareEvent event;
        std::vector<EventSeconds> atLuck;
        for (const LuckyCells& cells : byLuck) {
            event = eventIn(cells, c);
            atLuck.push_back({std::move(event.extra), {}});
        }
        event.extra = inAllCells(atLuck, byLuck);
        event.atLuck = std::move(atLuck);
        out.push_back(std::move(event));
    }
    return out;
}

} // namespace prism
