// SPDX-License-Identifier: GPL-3.0-or-later
// Time of the host that the GPU waits for: launches, passes between stages, routed counts, by what runs as a CUDA graph.
#pragma once

#include "core/cost/calibration.h"
#include "core/workload/kernel.h"

#include <vector>

namespace prism {

/// What the host spends on one scenario. Immutable; any thread.
class HostTime final {
public:
    HostTime(const Scenario& scenario, const SoftwareCalibration& software);

    /// Launching the kernels of one pass of a layer that belong to `part`-selected kernels: the layer cannot run faster. Without graphs
    /// all of them; with graphs of layers those of the experts alone; with graphs of whole passes none.
    template <class Belongs>
    [[nodiscard]] double launches(const std::vector<Kernel>& kernels, Belongs belongs) const
    {
        double seconds = 0;
        for (const Kernel& k : kernels)
            seconds += belongs(k.part) && launched(k) ? launchSeconds(k) : 0.0;
        return seconds;
    }
    /// Saving and restoring the state of a fully recomputed layer, per pass.
    [[nodiscard]] double checkpoint() const { return m_checkpoint; }
    /// One chunk pass of a pipeline: its transfer and the synchronisation with it; a graph of the whole pass has none.
    [[nodiscard]] double pass() const { return m_pass; }
    /// One forward of an MoE layer whose routed counts go to the host.
    [[nodiscard]] double routedCounts() const { return m_routedCounts; }

private:
    [[nodiscard]] bool launched(const Kernel& kernel) const;
    [[nodiscard]] double launchSeconds(const Kernel& kernel) const;

    double m_perLaunch = 0, m_perExpertCall = 0, m_perCollective = 0, m_checkpoint = 0, m_pass = 0, m_routedCounts = 0;
    bool m_layerGraphs = false;
};

} // namespace prism
