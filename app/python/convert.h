// SPDX-License-Identifier: GPL-3.0-or-later
// Between the library's values and Python's: diagnostics as exceptions, JSON texts as dicts, sample vectors as arrays without a copy.
#pragma once

#include "app/inputerror.h"
#include "core/engine/evaluator.h"

#include <memory>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <string>
#include <vector>

namespace prism::python {

/// Defines prism.Error in the module and turns InputError into it.
void addErrors(pybind11::module_& module);

[[nodiscard]] pybind11::list diagnosticsList(const Diagnostics& diagnostics);
/// A JSON text that the library wrote, as Python's own values.
[[nodiscard]] pybind11::object fromJson(const std::string& text);
/// Python's values as a JSON text for the library's readers.
[[nodiscard]] std::string toJsonText(const pybind11::object& values);
/// A read-only view of `values`, which live as long as `owner`.
[[nodiscard]] pybind11::array view(const std::vector<double>& values, std::shared_ptr<const void> owner);
/// "4", "0.5", "true", or the text itself, as setParameter reads it.
[[nodiscard]] std::string valueText(const pybind11::handle& value);

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
