// SPDX-License-Identifier: GPL-3.0-or-later
// Parameter table: the single values of the measured section.
#include "core/scenario/scenariolimits.h"
#include "core/scenario/parameterentry.h"

namespace prism::table {

void addMeasured(std::vector<Parameter>& t)
{
    t.push_back(advanced(text({"measured.calibration", "Calibration of the cluster", "", "",
                               "File with what was measured on this cluster: levels, spreads, collectives, operators and speeds. It is "
                               "read when the scenario is loaded; a relative path starts at the scenario's folder."},
                              PRISM_FIELD(measured.calibration))));
    t.push_back(advanced(real({"measured.compute_level", "Compute level", "", "x",
                               "Measured over predicted time of all compute kernels: 1.03 = this cluster takes 3 % longer."},
                              kMinComputeLevel, kMaxComputeLevel, PRISM_FIELD(measured.computeLevel))));
    t.push_back(advanced(
        real({"measured.network_level", "Network level", "", "x", "Measured over predicted time of all communication between nodes."}, 0.1,
             20, PRISM_FIELD(measured.networkLevel))));
}

} // namespace prism::table
