// SPDX-License-Identifier: GPL-3.0-or-later
// The place of every global rank in the step graph, by the scenario's rank order.
#include "core/cost/predictor.h"
#include "core/step/layout.h"
#include "core/workload/shape.h"

#include <algorithm>

namespace prism {

namespace {

/// Where ranks are when a stage is a pair of devices (scheduledSize): the upper half of its data-parallel ranks are on the mirror,
/// counted from the other end of the pipeline. For all other schedules as in the layout.
class RankGrid final {
public:
    RankGrid(const Layout& layout, std::int64_t devices)
        : m_layout(layout),
          m_devices(std::max(layout.pp, devices)),
          m_dataOfDevice(std::max<std::int64_t>(1, layout.dp * layout.pp / m_devices))
    {
        const std::int64_t pair = m_devices / std::max<std::int64_t>(1, layout.pp);
        const bool stagesOutside = layout.ppStride > layout.dpStride;
        m_ppStride = layout.ppStride / (stagesOutside ? pair : 1);
        m_dpStride = layout.dpStride * (stagesOutside ? 1 : pair);
    }
    [[nodiscard]] std::int64_t rank(std::int64_t t, std::int64_t c, std::int64_t d, std::int64_t p) const
    {
        const std::int64_t device = d < m_dataOfDevice ? p : m_devices - 1 - p;
        return t * m_layout.tpStride + c * m_layout.cpStride + d % m_dataOfDevice * m_dpStride + device * m_ppStride;
    }

private:
    const Layout& m_layout;
    std::int64_t m_devices, m_dataOfDevice, m_ppStride = 1, m_dpStride = 1;
};

} // namespace

std::vector<RankPosition> rankLayout(const Scenario& scenario)
{
    const Shape s = shapeOf(scenario);
    const Layout l = layoutOf(scenario);
    const RankGrid grid(l, scenario.parallelism.pipelineModelParallelSize);
    const std::int64_t total = s.tp * s.cp * s.dp * s.pp;
    std::vector<RankPosition> result(static_cast<std::size_t>(std::max<std::int64_t>(0, total)));
    for (std::int64_t p = 0; p < s.pp; ++p)
        for (std::int64_t d = 0; d < s.dp; ++d)
            for (std::int64_t c = 0; c < s.cp; ++c)
                for (std::int64_t t = 0; t < s.tp; ++t) {
                    RankPosition& r = result[static_cast<std::size_t>(grid.rank(t, c, d, p))];
                    r.replica = static_cast<int>(d / s.groupsPerCell);
                    r.stage = static_cast<int>(p);
                    r.rankInCell = static_cast<int>((d % s.groupsPerCell) * s.tp * s.cp + c * s.tp + t);
                }
    return result;
}

} // namespace prism
