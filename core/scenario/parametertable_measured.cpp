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
    t.push_back(
        advanced(real({"measured.level_error", "Error of the level", "", "",
                       "Relative error of the measured mean step: nine of ten lie within, 0.01 = 1 %. It replaces the error band of "
                       "published steps; 0 = the step was not measured."},
                      0, 1, PRISM_FIELD(measured.levelError))));
    t.push_back(
        advanced(text({"measured.level_job", "Job of the level", "", "",
                       "The job whose step was measured, as calibrate fit writes it: settings, a hash of model and layout, GPUs. For "
                       "another job the error band of published steps holds. Empty = this job."},
                      PRISM_FIELD(measured.levelJob))));
}

} // namespace prism::table
