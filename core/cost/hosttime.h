// SPDX-License-Identifier: GPL-3.0-or-later
// Time of the host that the GPU waits for: launches, passes between stages, routed counts, by what runs as a CUDA graph.
#pragma once

#include "core/cost/calibration.h"
#include "core/workload/kernel.h"

#include <vector>

namespace prism {

/// Host time of one scenario. Immutable; any thread.
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
            seconds += belongs(k.part) ? launch(k) : 0.0;
        return seconds;
    }
    /// Launching one kernel; 0 in a graph.
    [[nodiscard]] double launch(const Kernel& kernel) const { return launched(kernel) ? launchSeconds(kernel) : 0.0; }
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

/// Seconds until the last kernel of a queue that was empty is done: a kernel starts when it is launched and the one before it is done, so
/// all take as long as the launches up to some kernel and the kernels from it on. `launch` and `kernel` are of equal length.
[[nodiscard]] double fromEmptyQueue(const std::vector<double>& launch, const std::vector<double>& kernel);

} // namespace prism
