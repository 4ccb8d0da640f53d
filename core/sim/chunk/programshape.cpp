// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/chunk/programshape.h"

#include <algorithm>

namespace prism {

namespace {

void addTerm(std::vector<OpTerm>& terms, const Op& op, bool routed = false)
{
    for (OpTerm& t : terms)
        if (t.kernelClass == op.kernelClass && t.meanSeconds == op.meanSeconds && t.hiddenSeconds == op.hiddenSeconds
            && t.routed == routed) {
            ++t.count;
            return;
        }
    terms.push_back({op.kernelClass, op.meanSeconds, op.hiddenSeconds, 1, routed});
}

/// Collects the running segment and section while the program is walked.
class Walker final {
public:
    explicit Walker(bool oneGroup) : m_oneGroup(oneGroup) {}

    void compute(const Op& op, bool routed) { addTerm(m_segment, op, routed); }

    void collective(const Op& op)
    {
        closeSegment();
        if (!m_oneGroup && op.sync == Sync::group) {
            addTerm(m_section.groupCollectives, op);
            return;
        }
        addTerm(m_section.cellCollectives, op);
        if (!m_oneGroup)
            closeSection();
    }

    ProgramShape finish()
    {
        closeSegment();
        closeSection();
        return std::move(m_shape);
    }

private:
    void closeSegment()
    {
        if (m_segment.empty())
            return;
        auto& known = m_shape.segments;
        auto it = std::find(known.begin(), known.end(), m_segment);
        const int index = static_cast<int>(it - known.begin());
        if (it == known.end())
            known.push_back(m_segment);
        m_segment.clear();
        for (SegmentUse& use : m_section.segments)
            if (use.segment == index) {
                ++use.count;
                return;
            }
        m_section.segments.push_back({index, 1});
    }

    void closeSection()
    {
        if (m_section.segments.empty() && m_section.groupCollectives.empty() && m_section.cellCollectives.empty())
            return;
        for (Section& s : m_shape.sections)
            if (s.segments == m_section.segments && s.groupCollectives == m_section.groupCollectives
                && s.cellCollectives == m_section.cellCollectives) {
                ++s.count;
                m_section = {};
                return;
            }
        m_shape.sections.push_back(std::move(m_section));
        m_section = {};
    }

    bool m_oneGroup;
    SegmentTerms m_segment;
    Section m_section;
    ProgramShape m_shape;
};

} // namespace

bool routesByMember(const StepGraph& graph)
{
    return graph.lockstepReplicas > 1 && !graph.routing.isDeterministic();
}

ProgramShape programShape(const StepGraph& graph, const Program& program)
{
    Walker walker(graph.groupsPerCell <= 1);
    for (const Block& block : program.blocks)
        for (int i = 0; i < block.repeat; ++i)
            for (const Op& op : block.ops) {
                if (graph.classes[static_cast<std::size_t>(op.kernelClass)].scope == Scope::none)
                    walker.compute(op, op.routed && routesByMember(graph));
                else
                    walker.collective(op);
            }
    return walker.finish();
}

} // namespace prism
