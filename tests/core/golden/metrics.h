// SPDX-License-Identifier: GPL-3.0-or-later
// The metrics of a scenario and of the schedules that no sample moves, by name.
#pragma once

#include "core/scenario/scenario.h"

#include <map>
#include <string>
#include <vector>

namespace prism::golden {

/// By name with its unit; several values where a metric has one for each stage or class.
using Metrics = std::map<std::string, std::vector<double>>;

/// Step, breakdown, memory, FLOPs, bytes, communication and spreads of the noise-free step, and the training run.
void addScenario(Metrics& metrics, const std::string& name, const Scenario& scenario);
/// Length in units of one forward, and activations in flight, of every kind of schedule.
void addSchedules(Metrics& metrics);

} // namespace prism::golden
