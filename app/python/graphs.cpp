// SPDX-License-Identifier: GPL-3.0-or-later
// StepGraph for Python, with both simulators.
#include "app/python/convert.h"
#include "core/cost/predictor.h"

namespace prism::python {

namespace py = pybind11;

namespace {

GraphSamples simulated(const StepGraph& graph, int samples, std::uint64_t seed, int threads, bool reference)
{
    const py::gil_scoped_release release;
    SimOptions options;
    options.seed = seed;
    options.numSamples = samples;
    options.numThreads = threads;
    StepSamples drawn = reference ? simulateReference(graph, options) : simulate(graph, options);
    if (hasErrors(drawn.warnings))
        throw InputError(drawn.warnings);
    GraphSamples result;
    result.across = summarize(drawn.acrossSeconds, &drawn);
    result.within = summarizeWithin(drawn);
    result.samples = std::make_shared<const StepSamples>(std::move(drawn));
    return result;
}

} // namespace

void addGraphs(py::module_& module)
{
    py::class_<StepGraph>(module, "StepGraph", "One training step as cells, programs, a schedule and distributions.")
        .def_static(
            "from_dict", [](const py::object& values) { return require(stepGraphFromJson(toJsonText(values))); }, py::arg("values"))
        .def_static(
            "from_json", [](const std::string& text) { return require(stepGraphFromJson(text)); }, py::arg("text"))
        .def_static(
            "from_scenario",
            [](const Scenario& scenario) {
                const py::gil_scoped_release release;
                return require(costStep(scenario)).graph;
            },
            py::arg("scenario"))
        .def("to_dict", [](const StepGraph& g) { return fromJson(toJson(g)); })
        .def("to_json", [](const StepGraph& g) { return toJson(g); })
        .def("simulate", &simulated, py::kw_only(), py::arg("samples") = 2'000, py::arg("seed") = 1, py::arg("threads") = 0,
             py::arg("reference") = false, "Samples of its step time; reference follows every rank and every kernel and is slow.")
        .def_readonly("name", &StepGraph::name)
        .def("__eq__", [](const StepGraph& a, const StepGraph& b) { return a == b; })
        .def("__repr__", [](const StepGraph& g) { return "<prism.StepGraph " + g.name + ">"; });
}

} // namespace prism::python
