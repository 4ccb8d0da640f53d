// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/hosttime.h"

namespace prism {

HostTime::HostTime(const Scenario& scenario, const SoftwareCalibration& software) : m_layerGraphs(scenario.training.cudaGraphs == "layer")
{
    const TrainingConfig& t = scenario.training;
    if (t.cudaGraphs == "full_iteration")
        return;
    m_perLaunch = software.hostSecondsPerLaunch;
    m_checkpoint = t.recomputeGranularity == "full" ? software.checkpointSecondsPerLayer : 0.0;
    m_pass = scenario.parallelism.pipelineModelParallelSize > 1 ? software.passSeconds : 0.0;
    m_routedCounts = scenario.model.numExperts > 0 && t.moeHostSync ? software.routedCountsSeconds : 0.0;
}

/// Transformer Engine's grouped products are one product of cuBLAS for each expert of the rank (TEGroupedLinear).
double HostTime::launchesOf(const Kernel& kernel)
{
    const bool grouped = kernel.id == KernelId::gemmMoeFc1 || kernel.id == KernelId::gemmMoeFc2;
    return kernel.launches * (grouped ? kernel.batch : 1.0);
}

bool HostTime::launched(const Kernel& kernel) const
{
    switch (kernel.id) {
    case KernelId::moePermute:
    case KernelId::gemmMoeFc1:
    case KernelId::gemmMoeFc2:
    case KernelId::epAllToAll:
        return true;
    default:
        return !m_layerGraphs;
    }
}

} // namespace prism
