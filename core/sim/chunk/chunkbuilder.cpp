// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/chunk/chunkbuilder.h"

#include "core/stats/quantile.h"
#include "core/stats/random.h"

#include <algorithm>
#include <cmath>

namespace prism {

namespace {

constexpr std::size_t kRareSamples = 1024;

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

/// One kind of rare event in a program: where, and how often per execution.
struct RareSource {
    const OpTerm* term;
    int segment; ///< -1: a collective
    double rate;
};

std::vector<RareSource> rareSources(const StepGraph& graph, const ProgramShape& shape)
{
    std::vector<RareSource> out;
    const auto add = [&](const OpTerm& t, int segment, double count) {
        const Distribution& d = graph.classes[static_cast<std::size_t>(t.kernelClass)].temporal;
        if (d.rareProbability > 0.0 && d.rareMultiplier != 1.0)
            out.push_back({&t, segment, count * t.count * -std::log1p(-d.rareProbability)});
    };
    for (const Section& section : shape.sections) {
        for (const SegmentUse& use : section.segments)
            for (const OpTerm& t : shape.segments[static_cast<std::size_t>(use.segment)])
                add(t, use.segment, section.count * use.count * graph.cellRanks());
        for (const OpTerm& t : section.groupCollectives)
            add(t, -1, section.count * graph.groupsPerCell);
        for (const OpTerm& t : section.cellCollectives)
            add(t, -1, section.count);
    }
    return out;
}

} // namespace

ChunkBuilder::ChunkBuilder(const ModelInputs& inputs, const CellKind& kind, const ProgramShape& shape, bool withRare)
    : m_inputs(inputs),
      m_kind(kind),
      m_shape(shape),
      m_withRare(withRare)
{
}

std::vector<SegmentRequest> ChunkBuilder::requests() const
{
    std::vector<SegmentRequest> out;
    for (const SegmentTerms& terms : m_shape.segments) {
        const bool anyRare = std::any_of(terms.begin(), terms.end(),
                                         [&](const OpTerm& t) { return m_inputs.classes.rare[static_cast<std::size_t>(t.kernelClass)]; });
        out.push_back({terms, m_withRare && anyRare});
    }
    return out;
}

const QuantilePoints& ChunkBuilder::points(int kernelClass) const
{
    const ClassModel& factor = *m_inputs.classes.factor[static_cast<std::size_t>(kernelClass)];
    return m_withRare ? factor.all : factor.base;
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
            m_sectionShape.push_back(StandardCdf(group));
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

/// Collectives as summands: those with a hidden part through the points of their exposed part.
std::vector<Summand> ChunkBuilder::summands(const std::vector<OpTerm>& terms)
{
    std::vector<Summand> out;
    for (const OpTerm& t : terms) {
        const QuantilePoints& p = points(t.kernelClass);
        if (t.hiddenSeconds <= 0.0) {
            out.push_back({&p, t.meanSeconds * linkFactor(t.kernelClass), t.count});
            continue;
        }
        auto q = std::make_unique<QuantilePoints>(p);
        const Moments m = exposed(t, p, linkFactor(t.kernelClass));
        q->mean = m.mean;
        q->variance = m.variance;
        q->largest = 0.0;
        for (double& v : q->value) {
            v = std::max(0.0, linkFactor(t.kernelClass) * t.meanSeconds * v - t.hiddenSeconds);
            q->largest = std::max(q->largest, v);
        }
        out.push_back({q.get(), 1.0, t.count});
        m_exposed.push_back(std::move(q));
    }
    return out;
}

double ChunkBuilder::rareRate(const ModelInputs& inputs, const ProgramShape& shape)
{
    double total = 0.0;
    for (const RareSource& s : rareSources(inputs.graph, shape))
        total += s.rate;
    return total;
}

RareEvent ChunkBuilder::rareEvent() const
{
    const StepGraph& graph = m_inputs.graph;
    const std::vector<RareSource> sources = rareSources(graph, m_shape);
    double total = 0.0, byScope[kRegimeRows] = {};
    for (const RareSource& s : sources) {
        total += s.rate;
        byScope[s.segment < 0 ? static_cast<std::size_t>(scopeIndex(s.term->kernelClass)) : kComputeRegimeRow] += s.rate;
    }
    RareEvent out;
    if (!(total > 0.0))
        return out;
    out.probability = -std::expm1(-total);
    out.scope = static_cast<int>(std::max_element(byScope, byScope + kRegimeRows) - byScope);
    const auto draw = [&](std::uint64_t what, std::uint64_t i) { return uniform(0x52, stream(what), i); };
    for (std::size_t i = 0; i < kRareSamples; ++i) {
        // The number of events, given that there is one: a zero-truncated Poisson variable.
        double left = -std::log1p(-out.probability * draw(1, i)), extra = 0.0;
        int events = 1;
        for (double p = total * std::exp(-total), sum = p; sum < -std::expm1(-left) && events < 4; ++events) {
            p *= total / (events + 1);
            sum += p;
        }
        for (int e = 0; e < events; ++e) {
            const auto at = static_cast<std::uint64_t>(e) * kRareSamples + i;
            double pick = draw(2, at) * total;
            std::size_t k = 0;
            while (k + 1 < sources.size() && pick >= sources[k].rate)
                pick -= sources[k++].rate;
            const OpTerm& t = *sources[k].term;
            const KernelClass& c = graph.classes[static_cast<std::size_t>(t.kernelClass)];
            const double factor = c.temporal.family == Family::deterministic ? 1.0 : baseQuantile(c.temporal, draw(3, at));
            const double mean = t.meanSeconds * factor * (sources[k].segment < 0 ? linkFactor(t.kernelClass) : 1.0);
            if (sources[k].segment < 0) {
                extra += std::max(0.0, mean * c.temporal.rareMultiplier - t.hiddenSeconds) - std::max(0.0, mean - t.hiddenSeconds);
                continue;
            }
            // One rank is late by (m - 1) mu e: the meeting waits for what exceeds the slowest of the others.
            const GridDist& atOne = m_segments[static_cast<std::size_t>(sources[k].segment)]->sum.atOne;
            const double own = atOne.quantile(draw(4, at));
            const double others = graph.groupRanks > 1 ? atOne.quantile(std::pow(draw(5, at), 1.0 / (graph.groupRanks - 1))) : 0.0;
            extra += std::max(others, own + (c.temporal.rareMultiplier - 1.0) * mean) - std::max(others, own);
        }
        out.extra.push_back(static_cast<float>(extra));
    }
    std::sort(out.extra.begin(), out.extra.end());
    out.noneInBlock = std::pow(1.0 - out.probability, static_cast<double>(kLanes));
    out.perLog = 1.0 / std::log1p(-out.probability);
    return out;
}

} // namespace prism
