// SPDX-License-Identifier: GPL-3.0-or-later
// The metrics of a scenario and of the schedules that no sample moves, by name.
#pragma once

#include "core/scenario/scenario.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

namespace prism::golden {

/// By name with its unit; several values where a metric has one for each stage or class.
using Metrics = std::map<std::string, std::vector<double>>;

inline constexpr double kNothing = 1e-11; ///< what rounding leaves of a sum that is zero

/// Adds metrics below one name.
struct Sheet {
    Metrics& metrics;
    std::string name;
    /// Metrics that are zero have no row.
    void add(const std::string& metric, std::vector<double> values) const
    {
        if (std::any_of(values.begin(), values.end(), [](double x) { return std::abs(x) > kNothing; }))
            metrics[name + " " + metric] = std::move(values);
    }
    void add(const std::string& metric, double value) const { add(metric, std::vector<double>{value}); }
};

/// Step, breakdown, memory, FLOPs, bytes, communication and spreads of the noise-free step, and the training run.
void addScenario(Metrics& metrics, const std::string& name, const Scenario& scenario);
/// Length in units of one forward, and activations in flight, of every kind of schedule.
void addSchedules(Metrics& metrics);
/// Results of a synthetic trace, logs, speed tables, fits of their spread and a fleet.
void addMeasurements(Metrics& metrics);

} // namespace prism::golden
