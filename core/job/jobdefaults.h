// SPDX-License-Identifier: GPL-3.0-or-later
// Defaults of the fields of a job section that the user did not set: each follows the job's GPUs, model and size.
#pragma once

#include "core/scenario/scenario.h"

#include <string_view>

namespace prism {

/// Mean draw of a node in training, kW: the section's own, or that of its boards at their limit and the rest of the node. 0 = not known.
[[nodiscard]] double nodeKilowatts(const Scenario& scenario);
/// Energy of the facility over that of its computers: the section's own, or the usual one.
[[nodiscard]] double facilityShare(const Scenario& scenario);
/// Whether the user did not set a field of the section.
[[nodiscard]] bool followsJob(std::string_view path, const Scenario& scenario);
/// Sets every field of `scenario.job` that follows the job. The failures are those of the section.
void followJob(Scenario& scenario);
/// One sentence on the default of a field; empty where a field never follows the job.
[[nodiscard]] std::string_view followSource(std::string_view path);

} // namespace prism
