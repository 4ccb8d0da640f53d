// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of the module, each in a separate file.
#pragma once

#include "core/engine/evaluator.h"

#include <pybind11/pybind11.h>
#include <string>

namespace prism::python {

/// Samples with the summaries that are made of them.
struct GraphSamples {
    std::shared_ptr<const StepSamples> samples;
    DistributionSummary across, within;
};

void addScenarios(pybind11::module_& module);
void addResults(pybind11::module_& module); ///< Distribution, Result, Samples
void addGraphs(pybind11::module_& module);
void addEvaluator(pybind11::module_& module);

} // namespace prism::python
