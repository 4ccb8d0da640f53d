// SPDX-License-Identifier: GPL-3.0-or-later
// Evaluator for Python: evaluation and the insights. Each releases the GIL while it computes.
#include "app/python/convert.h"
#include "core/base/text.h"
#include "core/calibrate/runfit.h"
#include "core/explore/explore.h"
#include "core/insight/placement/placement.h"
#include "core/insight/sensitivity/sensitivity.h"
#include "core/insight/validate/stepseries.h"

#include <nlohmann/json.hpp>
#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>

namespace prism::python {

namespace py = pybind11;

namespace {

InsightOptions insightOptions(int samples, std::uint64_t seed, int threads)
{
    InsightOptions options;
    options.samples = samples;
    options.seed = seed;
    options.threads = threads;
    return options;
}

/// Runs without the GIL; what it returns has a toJson, which becomes Python's values.
template <class Compute>
py::object computed(const Compute& compute)
{
    std::string json;
    {
        const py::gil_scoped_release release;
        json = toJson(require(compute()));
    }
    return fromJson(json);
}

std::shared_ptr<Snapshot> evaluated(Evaluator& evaluator, const Scenario& scenario, const EvaluateOptions& options)
{
    const py::gil_scoped_release release;
    const SnapshotPtr snapshot = evaluator.evaluate(scenario, options);
    if (!snapshot->valid())
        throw InputError(snapshot->diagnostics);
    return std::const_pointer_cast<Snapshot>(snapshot); // every binding of Result only reads
}

std::vector<std::string> texts(const py::object& values)
{
    std::vector<std::string> out;
    for (const py::handle& value : values)
        out.push_back(valueText(value));
    return out;
}

py::object sweep(Evaluator& evaluator, const Scenario& scenario, const std::string& name, const py::object& values,
                 const InsightOptions& options)
{
    const std::vector<std::string> list =
        py::isinstance<py::str>(values) ? require(sweepValues(name, values.cast<std::string>())) : texts(values);
    return computed([&] { return sweepParameter(evaluator, scenario, name, list, options); });
}

py::object search(Evaluator& evaluator, const Scenario& scenario, const py::object& axes, ExploreQuery query, const InsightOptions& options)
{
    if (axes.is_none())
        query.space = defaultSpace(scenario);
    else
        for (const auto& [name, values] : axes.cast<py::dict>()) {
            const std::string list = py::isinstance<py::str>(values) ? values.cast<std::string>()
                                                                     : joined(texts(py::reinterpret_borrow<py::object>(values)), ",");
            query.space.axes.push_back(require(searchAxis(name.cast<std::string>() + "=" + list)));
        }
    return computed([&] { return explore(evaluator, scenario, query, options); });
}

/// One run, or a list of runs.
StepSeries seriesOf(const py::object& seconds)
{
    const auto array = py::array_t<double, py::array::c_style | py::array::forcecast>::ensure(seconds);
    if (array && array.ndim() == 1)
        return {.runs = {std::vector<double>(array.data(), array.data() + array.size())}};
    PyErr_Clear(); // runs of different lengths do not form an array
    StepSeries series;
    for (const py::handle& run : seconds)
        series.runs.push_back(run.cast<std::vector<double>>());
    return series;
}

py::object validated(Evaluator& evaluator, const Scenario& scenario, const py::object& seconds, const EvaluateOptions& options)
{
    const StepSeries series = seriesOf(seconds);
    for (const std::vector<double>& run : series.runs)
        if (run.size() < static_cast<std::size_t>(kMinSteps)
            || !std::all_of(run.begin(), run.end(), [](double x) { return std::isfinite(x) && x > 0; }))
            throw InputError({{Severity::error, "seconds", "A run is too short, or has a time that is not positive and finite.",
                               std::to_string(run.size()) + " steps", "at least 20 positive times per run", "", ""}});
    if (series.runs.empty())
        throw InputError({{Severity::error, "seconds", "There is no run.", "nothing", "a list of step times", "", ""}});
    const Result<PredictedRun> predicted = predictedRun(evaluator, scenario, options, true);
    if (!predicted.ok())
        throw InputError(predicted.errors());
    return fromJson(report::json(compareSeries(series, predicted->seconds)).dump());
}

} // namespace

void addEvaluator(py::module_& module)
{
    const auto samples = [](int n) { return py::arg("samples") = n; };
    const auto seed = py::arg("seed") = 1;
    const auto threads = py::arg("threads") = 0;
    using U = std::uint64_t;
    py::class_<Evaluator>(module, "Evaluator", "Keeps what evaluations have in common: an edit recomputes only what it changes.")
        .def(py::init([](std::size_t mib) { return std::make_unique<Evaluator>(mib << 20); }), py::arg("cache_mib") = 192)
        .def(
            "evaluate",
            [](Evaluator& e, const Scenario& s, int n, U sd, int t, double precision, bool shares) {
                return evaluated(e, s, {.seed = sd, .numSamples = n, .numThreads = t, .precision = precision, .varianceShares = shares});
            },
            py::arg("scenario"), py::kw_only(), samples(2'000), seed, threads, py::arg("precision") = 0.0,
            py::arg("variance_shares") = true)
        .def(
            "sweep",
            [](Evaluator& e, const Scenario& s, const std::string& parameter, const py::object& values, int n, U sd, int t) {
                return sweep(e, s, parameter, values, insightOptions(n, sd, t));
            },
            py::arg("scenario"), py::arg("parameter"), py::arg("values"), py::kw_only(), samples(2'000), seed, threads)
        .def(
            "sensitivity",
            [](Evaluator& e, const Scenario& s, int n, U sd, int t, double limit) {
                InsightOptions options = insightOptions(n, sd, t);
                options.limitSeconds = limit;
                return computed([&] { return sensitivity(e, s, options); });
            },
            py::arg("scenario"), py::kw_only(), samples(2'000), seed, threads, py::arg("limit") = 0.0)
        .def(
            "explore",
            [](Evaluator& e, const Scenario& s, const py::object& axes, const std::string& objective, int keep, int n, U sd, int t) {
                ExploreQuery query;
                query.objective = require(exploreObjective(objective));
                query.keep = keep;
                return search(e, s, axes, query, insightOptions(n, sd, t));
            },
            py::arg("scenario"), py::arg("axes") = py::none(), py::kw_only(), py::arg("objective") = "p95", py::arg("keep") = 10,
            samples(4'096), seed, threads)
        .def(
            "placement",
            [](Evaluator& e, const Scenario& s, double factor, double link, int n, U sd, int t) {
                return computed([&] { return placementMap(e, s, {factor, link}, insightOptions(n, sd, t)); });
            },
            py::arg("scenario"), py::kw_only(), py::arg("factor") = 1.2, py::arg("link_factor") = 1.0, samples(2'000), seed, threads)
        .def(
            "validate_steps",
            [](Evaluator& e, const Scenario& s, const py::object& seconds, int n, U sd, int t) {
                return validated(e, s, seconds, {.seed = sd, .numSamples = n, .numThreads = t, .varianceShares = false});
            },
            py::arg("scenario"), py::arg("seconds"), py::kw_only(), samples(2'000), seed, threads);
}

} // namespace prism::python
