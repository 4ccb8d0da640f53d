// SPDX-License-Identifier: GPL-3.0-or-later
// The place of every global rank in the step graph, by the scenario's rank order.
#include "core/cost/predictor.h"
#include "core/step/layout.h"
#include "core/workload/shape.h"

#include <algorithm>

namespace prism {

std::vector<RankPosition> rankLayout(const Scenario& scenario)
{
    const Shape s = shapeOf(scenario);
    const Layout l = layoutOf(scenario);
    const std::int64_t total = s.tp * s.cp * s.dp * s.pp;
    std::vector<RankPosition> result(static_cast<std::size_t>(std::max<std::int64_t>(0, total)));
    for (std::int64_t p = 0; p < s.pp; ++p)
        for (std::int64_t d = 0; d < s.dp; ++d)
            for (std::int64_t c = 0; c < s.cp; ++c)
                for (std::int64_t t = 0; t < s.tp; ++t) {
                    RankPosition& r = result[static_cast<std::size_t>(l.rank(t, c, d, p))];
                    r.replica = static_cast<int>(d / s.groupsPerCell);
                    r.stage = static_cast<int>(p);
                    r.rankInCell = static_cast<int>((d % s.groupsPerCell) * s.tp * s.cp + c * s.tp + t);
                }
    return result;
}

} // namespace prism
