// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/record/spankind.h"

namespace prism {

std::string_view spanKindName(SpanKind kind)
{
    switch (kind) {
    case SpanKind::forward:
        return "forward";
    case SpanKind::backward:
        return "backward";
    case SpanKind::weight:
        return "weight";
    case SpanKind::send:
        return "send";
    case SpanKind::embeddingAllReduce:
        return "embedding_all_reduce";
    case SpanKind::gradSync:
        return "grad_sync";
    case SpanKind::gradNorm:
        return "grad_norm";
    case SpanKind::optimizer:
        return "optimizer";
    case SpanKind::paramGather:
        return "param_gather";
    case SpanKind::bubble:
        return "bubble";
    }
    return "bubble";
}

std::string_view causeName(Cause cause)
{
    switch (cause) {
    case Cause::computeMean:
        return "compute_mean";
    case Cause::communicationMean:
        return "communication_mean";
    case Cause::spatial:
        return "spatial";
    case Cause::temporal:
        return "temporal";
    case Cause::data:
        return "data";
    case Cause::routing:
        return "routing";
    case Cause::regime:
        return "regime";
    case Cause::rare:
        return "rare";
    case Cause::slowSpot:
        return "slow_spot";
    case Cause::jitter:
        return "step_jitter";
    case Cause::stall:
        return "stall";
    }
    return "temporal";
}

} // namespace prism
