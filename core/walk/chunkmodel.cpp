// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/walk/chunkmodel.h"

#include "core/stats/normal.h"

#include <algorithm>
#include <cmath>

namespace prism {

namespace {

constexpr int kUnrolled = 64;

bool same(const SegmentSums& a, const SegmentSums& b)
{
    return a.baseSeconds == b.baseSeconds && a.sensitiveSeconds == b.sensitiveSeconds && a.variance == b.variance;
}

bool same(const SectionSums& a, const SectionSums& b)
{
    return a.segments.size() == b.segments.size()
           && std::equal(a.segments.begin(), a.segments.end(), b.segments.begin(),
                         [](const SegmentSums& x, const SegmentSums& y) { return same(x, y) && x.count == y.count; });
}

/// Collects the ops of a program in execution order.
class Builder final {
public:
    Builder(const StepGraph& graph, ProgramModel& model) : m_graph(graph), m_model(model) {}

    void add(const Op& op, double scale)
    {
        const KernelClass& kernelClass = m_graph.classes[static_cast<std::size_t>(op.kernelClass)];
        if (kernelClass.scope == Scope::none)
            addCompute(op, kernelClass, scale);
        else
            addCollective(op, scale);
    }

    void finish()
    {
        closeSegment();
        closeSection();
    }

private:
    void addCompute(const Op& op, const KernelClass& kernelClass, double scale)
    {
        const double sensitive = op.meanSeconds * kernelClass.spatialSensitivity;
        const double variance = op.meanSeconds * op.meanSeconds * kernelClass.temporal.baseVariance();
        m_open.count = std::max(m_open.count, scale);
        m_open.baseSeconds += op.meanSeconds;
        m_open.sensitiveSeconds += sensitive;
        m_open.variance += variance;
        ComputeSums& total = computeOf(op.kernelClass);
        total.count += scale;
        total.seconds += scale * op.meanSeconds;
        total.sensitiveSeconds += scale * sensitive;
        total.variance += scale * variance;
        m_model.computeSeconds += scale * op.meanSeconds;
    }

    void addCollective(const Op& op, double scale)
    {
        closeSegment();
        if (op.sync != Sync::group)
            closeSection();
        m_model.collectiveSeconds += scale * std::max(0.0, op.meanSeconds - op.hiddenSeconds);
        for (CollectiveSums& c : m_model.collectives)
            if (c.kernelClass == op.kernelClass && c.meanSeconds == op.meanSeconds && c.hiddenSeconds == op.hiddenSeconds) {
                c.count += scale;
                return;
            }
        m_model.collectives.push_back({op.kernelClass, scale, op.meanSeconds, op.hiddenSeconds});
    }

    ComputeSums& computeOf(int kernelClass)
    {
        for (ComputeSums& c : m_model.compute)
            if (c.kernelClass == kernelClass)
                return c;
        m_model.compute.push_back({kernelClass});
        return m_model.compute.back();
    }

    void closeSegment()
    {
        if (m_open.baseSeconds > 0) {
            const auto at = std::find_if(m_section.segments.begin(), m_section.segments.end(),
                                         [this](const SegmentSums& s) { return same(s, m_open); });
            if (at != m_section.segments.end())
                at->count += m_open.count;
            else
                m_section.segments.push_back(m_open);
        }
        m_open = {0, 0, 0, 0};
    }

    void closeSection()
    {
        if (!m_section.segments.empty()) {
            const auto at =
                std::find_if(m_model.sections.begin(), m_model.sections.end(), [this](const SectionSums& s) { return same(s, m_section); });
            if (at != m_model.sections.end())
                at->count += 1;
            else
                m_model.sections.push_back(m_section);
        }
        m_section = {};
    }

    const StepGraph& m_graph;
    ProgramModel& m_model;
    SegmentSums m_open{0, 0, 0, 0};
    SectionSums m_section;
};

Moments segmentMoments(const SegmentSums& segment, const double* speed, int ranks)
{
    const auto rank = [&](int r) {
        const double seconds = segment.baseSeconds + segment.sensitiveSeconds * (speed[r] - 1);
        const double ratio = segment.baseSeconds > 0 ? seconds / segment.baseSeconds : 1;
        return Moments{seconds, segment.variance * ratio * ratio};
    };
    Moments longest = rank(0);
    for (int r = 1; r < ranks; ++r)
        longest = maximumOf(longest, rank(r));
    return longest;
}

} // namespace

Moments maximumOf(const Moments& a, const Moments& b)
{
    const double spread = std::sqrt(a.variance + b.variance);
    const double gap = a.mean - b.mean;
    if (spread <= 0 || std::abs(gap) > 8 * spread)
        return gap >= 0 ? a : b;
    const double alpha = gap / spread, phi = normalDensity(alpha), above = normalCdf(alpha), below = 1 - above;
    const double first = a.mean * above + b.mean * below + spread * phi;
    const double second =
        (a.mean * a.mean + a.variance) * above + (b.mean * b.mean + b.variance) * below + (a.mean + b.mean) * spread * phi;
    return {first, std::max(0.0, second - first * first)};
}

ProgramModel programModel(const StepGraph& graph, const Program& program)
{
    ProgramModel model;
    Builder builder(graph, model);
    for (const Block& block : program.blocks) {
        const int times = std::min(block.repeat, kUnrolled);
        for (int i = 0; i < times; ++i)
            for (const Op& op : block.ops)
                builder.add(op, static_cast<double>(block.repeat) / times);
    }
    builder.finish();
    return model;
}

Moments computeMoments(const ProgramModel& program, const double* speed, int groupRanks, int groupsPerCell)
{
    Moments total;
    for (const SectionSums& section : program.sections) {
        Moments longest;
        for (int g = 0; g < groupsPerCell; ++g) {
            Moments sum;
            for (const SegmentSums& segment : section.segments) {
                const Moments one = segmentMoments(segment, speed + g * groupRanks, groupRanks);
                sum.mean += segment.count * one.mean;
                sum.variance += segment.count * one.variance;
            }
            longest = g == 0 ? sum : maximumOf(longest, sum);
        }
        total.mean += section.count * longest.mean;
        total.variance += section.count * longest.variance;
    }
    return total;
}

} // namespace prism
