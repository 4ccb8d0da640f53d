// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/scenario.h"

namespace prism {

std::int64_t Scenario::dataParallelSize() const
{
    const ParallelismConfig& p = parallelism;
    const std::int64_t ranks = static_cast<std::int64_t>(p.tensorModelParallelSize) * p.pipelineModelParallelSize * p.contextParallelSize;
    return ranks > 0 && cluster.numGpus % ranks == 0 ? cluster.numGpus / ranks : 0;
}

std::int64_t Scenario::numMicrobatches() const
{
    const std::int64_t perPass = training.microBatchSize * dataParallelSize();
    return perPass > 0 && training.globalBatchSize % perPass == 0 ? training.globalBatchSize / perPass : 0;
}

} // namespace prism
