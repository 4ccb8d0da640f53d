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

} // namespace prism
