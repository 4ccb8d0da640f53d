// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/hosttime.h"

#include <algorithm>

namespace prism {

HostTime::HostTime(const Scenario& scenario, const SoftwareCalibration& software) : m_layerGraphs(scenario.training.cudaGraphs == "layer")
{
    const TrainingConfig& t = scenario.training;
    if (t.cudaGraphs == "full_iteration")
        return;
    m_perLaunch = software.hostSecondsPerLaunch;
    m_perExpertCall = software.expertCallSeconds;
    m_perCollective = software.collectiveCallSeconds;
    m_checkpoint = t.recomputeGranularity == "full" ? software.checkpointSecondsPerLayer : 0.0;
    m_pass = scenario.parallelism.pipelineModelParallelSize > 1 ? software.passSeconds : 0.0;
    m_routedCounts =
        scenario.model.numExperts > 0 && t.moeHostSync && scenario.model.moeCapacityFactor <= 0 ? software.routedCountsSeconds : 0.0;
}

/// An operation costs the host what its framework takes to dispatch it. Transformer Engine's grouped products are one operation that calls
/// cuBLAS for each expert of the rank (TEGroupedLinear): those calls cost less than a separate operation.
double HostTime::launchSeconds(const Kernel& kernel) const
{
    const double calls = kernel.grouped() ? std::max(0.0, kernel.batch - 1) : 0.0;
    const double collective = kernel.kind == CostKind::collective ? m_perCollective : 0.0;
    return kernel.launches * (m_perLaunch + calls * m_perExpertCall + collective);
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

double fromEmptyQueue(const std::vector<double>& launch, const std::vector<double>& kernel)
{
    double done = 0, launched = 0;
    for (std::size_t i = 0; i < kernel.size(); ++i) {
        launched += launch[i];
        done = std::max(done, launched) + kernel[i];
    }
    return done;
}

} // namespace prism
