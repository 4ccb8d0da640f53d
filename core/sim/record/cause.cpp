// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/record/cause.h"

namespace prism {

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
