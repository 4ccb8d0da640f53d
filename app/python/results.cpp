// SPDX-License-Identifier: GPL-3.0-or-later
// Results of an evaluation: Distribution, Result and Samples for Python.
#include "app/python/convert.h"
#include "core/insight/report.h"
#include "core/insight/snapshotreport.h"

#include <nlohmann/json.hpp>
#include <pybind11/stl.h>

#include <map>

namespace prism::python {

namespace py = pybind11;

namespace {

std::pair<double, double> interval(const DistributionSummary& s, const std::string& metric)
{
    const std::map<std::string, std::pair<double, double>> known{
        {"mean", {s.mean, s.ciMean}}, {"p50", {s.p50, s.ciP50}}, {"p95", {s.p95, s.ciP95}}, {"p99", {s.p99, s.ciP99}}};
    const auto found = known.find(metric);
    if (found == known.end())
        throw InputError({{Severity::error, "figure", "There is no interval of this figure.", metric, "mean, p50, p95 or p99", "", ""}});
    return {found->second.first - found->second.second, found->second.first + found->second.second};
}

/// A part of a result with the keys that it has in `prism-cli predict --json`.
template <class Part>
py::object asDict(const Part& part)
{
    return fromJson(report::dump(report::json(part)));
}

void addDistribution(py::module_& module)
{
    py::class_<DistributionSummary>(module, "Distribution", "Figures of sampled step times in seconds, with 95 % intervals.")
        .def_readonly("mean", &DistributionSummary::mean)
        .def_readonly("std", &DistributionSummary::std)
        .def_readonly("cv", &DistributionSummary::cv)
        .def_readonly("p5", &DistributionSummary::p5)
        .def_readonly("p50", &DistributionSummary::p50)
        .def_readonly("p95", &DistributionSummary::p95)
        .def_readonly("p99", &DistributionSummary::p99)
        .def_readonly("count", &DistributionSummary::samples)
        .def("interval", &interval, py::arg("figure"), "Low and high of the 95 % interval of mean, p50, p95 or p99.")
        .def("__repr__", [](const DistributionSummary& s) {
            return "<prism.Distribution p50 " + std::to_string(s.p50) + " s, p95 " + std::to_string(s.p95) + " s>";
        });
}

} // namespace

void addResults(py::module_& module)
{
    addDistribution(module);
    py::class_<Snapshot, std::shared_ptr<Snapshot>>(module, "Result", "One evaluated scenario; its arrays are views of its memory.")
        .def_property_readonly("samples", [](const std::shared_ptr<Snapshot>& s) { return view(s->samples->acrossSeconds, s); })
        .def_property_readonly("within_job_samples", [](const std::shared_ptr<Snapshot>& s) { return view(s->samples->withinSeconds, s); })
        .def_property_readonly("sorted_samples", [](const std::shared_ptr<Snapshot>& s) { return view(s->sortedAcrossSeconds, s); })
        .def_readonly("step_time", &Snapshot::across)
        .def_readonly("within_job", &Snapshot::within)
        .def_property_readonly("noise_free_step_time", [](const Snapshot& s) { return s.samples->noiseFreeSeconds; })
        .def_property_readonly("breakdown", [](const Snapshot& s) { return asDict(s.costed->breakdown); })
        .def_property_readonly("memory", [](const Snapshot& s) { return asDict(s.costed->memory); })
        .def_property_readonly("variance_share", [](const Snapshot& s) { return asDict(s.varianceShare); })
        .def_readonly("mfu", &Snapshot::mfu)
        .def_readonly("tokens_per_second", &Snapshot::tokensPerSecond)
        .def_property_readonly("warnings", [](const Snapshot& s) { return diagnosticsList(s.diagnostics); })
        .def_readonly("scenario", &Snapshot::scenario)
        .def_property_readonly("graph", [](const Snapshot& s) { return s.costed->graph; })
        .def("to_dict", &asDict<Snapshot>, "Everything, as prism-cli predict --json prints it.")
        .def("__repr__",
             [](const Snapshot& s) { return "<prism.Result " + s.scenario.name + " p95 " + std::to_string(s.across.p95) + " s>"; });
    py::class_<GraphSamples>(module, "Samples", "Sampled step times of a graph; its arrays are views of its memory.")
        .def_property_readonly("samples", [](const GraphSamples& s) { return view(s.samples->acrossSeconds, s.samples); })
        .def_property_readonly("within_job_samples", [](const GraphSamples& s) { return view(s.samples->withinSeconds, s.samples); })
        .def_readonly("step_time", &GraphSamples::across)
        .def_readonly("within_job", &GraphSamples::within)
        .def_property_readonly("noise_free_step_time", [](const GraphSamples& s) { return s.samples->noiseFreeSeconds; });
}

} // namespace prism::python
