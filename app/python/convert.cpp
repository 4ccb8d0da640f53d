// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/python/convert.h"

#include "core/base/diagnostictext.h"

#include <exception>

namespace prism::python {

namespace py = pybind11;

namespace {

/// Bytes that are not UTF-8 could come from a file's names; Python's text shows them as replacement characters.
py::str pyText(const std::string& text)
{
    return py::reinterpret_steal<py::str>(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
}

} // namespace

py::list diagnosticsList(const Diagnostics& diagnostics)
{
    py::list list;
    for (const Diagnostic& d : diagnostics) {
        py::dict entry;
        entry["severity"] = std::string(severityName(d.severity));
        entry["path"] = pyText(d.path);
        entry["message"] = pyText(d.message);
        entry["found"] = pyText(d.found);
        entry["accepted"] = pyText(d.accepted);
        if (!d.fixPath.empty())
            entry["fix"] = py::make_tuple(pyText(d.fixPath), pyText(d.fixValue));
        list.append(entry);
    }
    return list;
}

void addErrors(py::module_& module)
{
    py::object error = py::reinterpret_steal<py::object>(
        PyErr_NewExceptionWithDoc("prism.Error", "An input is wrong; diagnostics holds everything that is.", PyExc_ValueError, nullptr));
    module.attr("Error") = error;
    py::register_exception_translator([](std::exception_ptr thrown) {
        try {
            if (thrown)
                std::rethrow_exception(thrown);
        } catch (const InputError& e) {
            std::string text;
            for (const Diagnostic& d : e.diagnostics())
                text += (text.empty() ? "" : "\n") + sentence(d);
            const py::object type = py::module_::import("prism._prism").attr("Error");
            const py::object instance = type(pyText(text));
            instance.attr("diagnostics") = diagnosticsList(e.diagnostics());
            PyErr_SetObject(type.ptr(), instance.ptr());
        }
    });
}

py::object fromJson(const std::string& text)
{
    return py::module_::import("json").attr("loads")(pyText(text));
}

std::string toJsonText(const py::object& values)
{
    return py::module_::import("json").attr("dumps")(values).cast<std::string>();
}

py::array view(const std::vector<double>& values, std::shared_ptr<const void> owner)
{
    auto kept = std::make_unique<std::shared_ptr<const void>>(std::move(owner));
    const py::capsule base(kept.release(), [](void* p) { delete static_cast<std::shared_ptr<const void>*>(p); });
    py::array_t<double> array(static_cast<py::ssize_t>(values.size()), values.data(), base);
    array.attr("setflags")(py::arg("write") = false);
    return array;
}

std::string valueText(const py::handle& value)
{
    if (py::isinstance<py::bool_>(value))
        return value.cast<bool>() ? "true" : "false";
    return py::str(value).cast<std::string>();
}

} // namespace prism::python
