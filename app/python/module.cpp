// SPDX-License-Identifier: GPL-3.0-or-later
// The Python module prism._prism; prism/__init__.py is what users import.
#include "app/python/convert.h"
#include "core/base/logging.h"

PYBIND11_MODULE(_prism, module)
{
    using namespace prism::python;
    prism::logQuietly();
    module.doc() = "PRISM Explorer: the distribution of training-step time.";
    module.attr("__version__") = PRISM_VERSION;
    addErrors(module);
    addScenarios(module);
    addResults(module);
    addGraphs(module);
    addEvaluator(module);
}
