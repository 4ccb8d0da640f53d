// SPDX-License-Identifier: GPL-3.0-or-later
// Scenario, presets and parameters for Python.
#include "app/python/convert.h"
#include "core/base/diagnostictext.h"
#include "core/base/text.h"
#include "core/base/textfile.h"
#include "core/calibrate/clustercalibration.h"
#include "core/scenario/parametercheck.h"
#include "core/scenario/parameternames.h"
#include "core/scenario/parameters.h"
#include "core/scenario/presets.h"

#include <pybind11/stl.h>

#include <filesystem>

namespace prism::python {

namespace py = pybind11;

namespace {

/// The part of a calibration for another chip was omitted: Python's own warning.
Scenario warned(ImportResult read)
{
    for (const Diagnostic& d : read.notes)
        if (PyErr_WarnEx(PyExc_UserWarning, sentence(d).c_str(), 1) != 0)
            throw py::error_already_set();
    return std::move(read.scenario);
}

Scenario scenarioFromText(const std::string& text, const std::string& folder = {})
{
    ImportResult read;
    {
        const py::gil_scoped_release release;
        read = require(withCalibrationFile(require(scenarioFromJson(text)), folder));
    }
    return warned(std::move(read));
}

Scenario scenarioFromFile(const std::string& path)
{
    std::string text;
    {
        const py::gil_scoped_release release;
        text = require(readTextFile(path));
    }
    return scenarioFromText(text, std::filesystem::path(path).parent_path().string());
}

/// The value as text; errors for an unknown parameter are those of setting it.
std::string parameterValue(const Scenario& scenario, const std::string& name)
{
    const Parameter* p = parameterByName(name);
    if (p == nullptr)
        throw InputError({unknownParameter(name)});
    return parameterText(*p, scenario);
}

py::list parameterList()
{
    py::list list;
    for (const Parameter& p : parameters()) {
        py::dict entry;
        entry["id"] = p.id;
        entry["label"] = p.label;
        entry["short_name"] = p.shortName;
        entry["unit"] = p.unit;
        entry["accepted"] = acceptedText(p);
        entry["default"] = fromJson(valueJson(p.defaultValue));
        entry["help"] = p.help;
        list.append(entry);
    }
    return list;
}

} // namespace

void addScenarios(py::module_& module)
{
    py::class_<Scenario>(module, "Scenario", "What is trained, on what, and how it varies. Never changed: set() gives a new one.")
        .def_static(
            "preset", [](const std::string& name) { return require(scenarioPreset(name)); }, py::arg("name"), "A scenario of the library.")
        .def_static("from_file", &scenarioFromFile, py::arg("path"), "A scenario file; comments are allowed.")
        .def_static(
            "from_json", [](const std::string& text) { return scenarioFromText(text); }, py::arg("text"))
        .def_static(
            "from_dict", [](const py::object& values) { return scenarioFromText(toJsonText(values)); }, py::arg("values"))
        .def(
            "set",
            [](const Scenario& s, const std::string& name, const py::object& value) {
                return warned(require(setParameterAndRead(s, name, valueText(value))));
            },
            py::arg("parameter"), py::arg("value"),
            "A scenario with one parameter changed: its path or short name; text with units is read.")
        .def("get", &parameterValue, py::arg("parameter"))
        .def(
            "check", [](const Scenario& s) { return diagnosticsList(check(s)); }, "Everything that is wrong or doubtful.")
        .def("to_json", [](const Scenario& s) { return toJson(s); })
        .def("to_dict", [](const Scenario& s) { return fromJson(toJson(s)); })
        .def_property_readonly("name", [](const Scenario& s) { return s.name; })
        .def_property_readonly("hash", [](const Scenario& s) { return s.hash().text(); })
        .def("__eq__", [](const Scenario& a, const Scenario& b) { return a.hash() == b.hash(); })
        .def("__hash__", [](const Scenario& s) { return py::hash(py::str(s.hash().text())); })
        .def("__repr__", [](const Scenario& s) { return "<prism.Scenario " + s.name + " " + s.hash().text() + ">"; });
    module.def(
        "presets", [](const std::string& kind) { return presetNames(kind); }, py::arg("kind") = "scenario",
        "Names of the library: scenario, model, gpu, fabric, variability or job.");
    module.def("parameters", &parameterList, "Everything that set() can change.");
}

} // namespace prism::python
