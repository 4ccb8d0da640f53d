// SPDX-License-Identifier: GPL-3.0-or-later
// Puts one program's segments and collectives together: moments for given spatial factors, the shape of the sum, rare events.
#pragma once

#include "core/sim/chunk/modelinputs.h"
#include "core/sim/chunk/rareextras.h"

namespace prism {

/// Works on one program in one kind of cell; one thread.
class ChunkBuilder final {
public:
    /// Rare events of the classes `apart` are left to rareEvents(); those of the others are part of the factors.
    ChunkBuilder(const ModelInputs& inputs, const CellKind& kind, const ProgramShape& shape, const std::vector<int>& apart);

    /// Segments that the program needs, in the order that setSegments takes their models.
    [[nodiscard]] std::vector<SegmentRequest> requests() const;
    void setSegments(std::vector<SegmentModelPtr> models) { m_segments = std::move(models); }

    /// Distribution of the chunk with all spatial factors and regimes at 1: its shape serves all others. Call before compute().
    [[nodiscard]] GridDist chunkAtOne();
    /// Events of the classes apart, in all cells and by ranges of their luck (luckRanges). After chunkAtOne().
    [[nodiscard]] std::vector<RareEvent> rareEvents(const LuckyCells& lucky, const std::vector<int>& ranges,
                                                    const GroupFactors& groups = {}) const;
    /// Compute part of the chunk in a spatial sample, and with several groups what their meeting adds.
    [[nodiscard]] Moments compute(std::size_t sample) const;
    /// Exposed collectives of a scope at regime factor r.
    [[nodiscard]] Moments collectives(int scope, double r) const;

    /// What groups do between two meetings of the cell; with several groups and after chunkAtOne().
    [[nodiscard]] std::size_t sections() const { return m_shape.sections.size(); }
    [[nodiscard]] double sectionCount(std::size_t section) const { return m_shape.sections[section].count; }
    /// Compute of one group; `sample` counts the groups that the segments were modelled for.
    [[nodiscard]] Moments groupCompute(std::size_t section, std::size_t sample) const;
    /// Share of its compute that follows the routing of a lockstep member.
    [[nodiscard]] double routedShare(std::size_t section) const;
    [[nodiscard]] const StandardCdf& groupShape(std::size_t section) const { return m_sectionShape[section]; }
    [[nodiscard]] const Moments& groupCollectives(std::size_t section) const { return m_sectionCollectives[section]; }

private:
    [[nodiscard]] bool isApart(int kernelClass) const;
    [[nodiscard]] const QuantilePoints& points(int kernelClass) const;
    [[nodiscard]] StandardCdf sectionShape(const Section& section, const GridDist& group);
    [[nodiscard]] int scopeIndex(int kernelClass) const;
    [[nodiscard]] double linkFactor(int kernelClass) const;
    [[nodiscard]] Moments collectives(const std::vector<OpTerm>& terms, int scope, double r) const;
    [[nodiscard]] std::vector<Summand> summands(const std::vector<OpTerm>& terms, bool bulk = false);

    const ModelInputs& m_inputs;
    const CellKind& m_kind;
    const ProgramShape& m_shape;
    const std::vector<int>& m_apart;
    std::vector<SegmentModelPtr> m_segments;
    std::vector<StandardCdf> m_sectionShape;   ///< of a group's time, only with several groups
    std::vector<Moments> m_sectionCollectives; ///< of a group, both scopes at regime 1
    std::vector<GridDist> m_groupAtOne;        ///< of a group, only with several groups and events apart
    std::vector<std::unique_ptr<QuantilePoints>> m_exposed;
};

} // namespace prism
