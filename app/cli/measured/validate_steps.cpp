// SPDX-License-Identifier: GPL-3.0-or-later
// validate steps: a measured series of step times compared with the predicted distribution of one job.
#include "app/cli/frame/commands.h"
#include "app/cli/frame/suggestion.h"
#include "app/cli/measured/steplogoptions.h"
#include "core/base/valuetext.h"
#include "core/base/printable.h"
#include "core/calibrate/runfit.h"
#include "core/insight/insight.h"
#include "core/insight/validate/stepseries.h"
#include "core/scenario/scenariolimits.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <memory>

namespace prism::cli {

namespace {

using Json = nlohmann::ordered_json;

struct StepsOptions : CommonOptions {
    StepLogInput log;
    std::vector<std::string> remove = {"warm-up", "pauses"};
    std::string part = "all";
};

/// The comparison and its context: the range over systems and notes.
struct Report {
    StepLog log;
    std::vector<RunShape> shapes;
    SeriesComparison c;
    SpreadCauses measured;
    CountRange stalls;
    std::shared_ptr<const SystemsRange> systems;
};

/// Whether a measured value is in the range that covers nine of ten systems.
bool holds(const OverSystems& o, double measured)
{
    return measured >= o.low && measured <= o.high;
}

Json overSystemsJson(const Report& r)
{
    if (r.systems->systems.empty())
        return nullptr;
    const auto range = [](const OverSystems& o, double measured) {
        return Json{{"p5", o.low}, {"p50", o.median}, {"p95", o.high}, {"inside", holds(o, measured)}};
    };
    return {{"systems", r.systems->prior.title},
            {"p95_over_p50", range(r.systems->p95OverP50, r.c.measured.p95)},
            {"p99_over_p50", range(r.systems->p99OverP50, r.c.measured.p99)},
            {"steps_over_p50", r.systems->stepsOverP50}};
}

std::string overSystemsText(const Report& r)
{
    if (r.systems->systems.empty())
        return {};
    const auto range = [](const char* name, const OverSystems& o, double measured) {
        return fmt::format("{} {:.4f} to {:.4f}, measured {:.4f} is {}", name, o.low, o.high, measured,
                           holds(o, measured) ? "inside" : "outside");
    };
    return fmt::format("Over systems   nine of ten: {}; {}\n", range("p95/p50", r.systems->p95OverP50, r.c.measured.p95),
                       range("p99/p50", r.systems->p99OverP50, r.c.measured.p99));
}

SeriesRemoval removalOf(const std::vector<std::string>& names)
{
    const auto has = [&](const char* name) {
        return std::any_of(names.begin(), names.end(), [name](const std::string& n) { return n == name || n == "all"; });
    };
    return {has("warm-up"), has("pauses"), has("shifts"), has("trend")};
}

Json shapesJson(const Report& r)
{
    Json runs = Json::array();
    for (std::size_t i = 0; i < r.shapes.size(); ++i) {
        const RunShape& s = r.shapes[i];
        Json shifts = Json::array();
        for (const LevelShift& shift : s.shifts)
            shifts.push_back({{"step", shift.index}, {"factor", shift.factor}});
        runs.push_back({{"run", r.log.runs[i].name},
                        {"steps", r.log.runs[i].steps.size()},
                        {"warm_up_steps", s.warmUp},
                        {"start_up_steps", s.startUp},
                        {"steps_after_pauses", s.afterPause},
                        {"pauses_logged", s.pausesLogged},
                        {"level_shifts", shifts},
                        {"trend", s.trend},
                        {"noise_s", s.noiseSeconds}});
    }
    return runs;
}

std::string reportJson(const Report& r)
{
    Json report = {{"format", r.log.format},     {"lines", r.log.lines},       {"matched", r.log.matched},
                   {"repeated", r.log.repeated}, {"unusable", r.log.unusable}, {"series", shapesJson(r)}};
    report.update(report::json(r.c));
    report["over_systems"] = overSystemsJson(r);
    report["stalls"] = {{"measured", r.measured.stalls}, {"predicted_ci95", Json::array({r.stalls.low, r.stalls.high})}};
    return report.dump(2) + "\n";
}

std::string errorLine(const char* name, const MetricError& e, const char* unit)
{
    return fmt::format("{:<14} {:>+8.2f} {}  (95 %: {:+.2f} to {:+.2f}; halves of the series differ by up to {:.2f})\n", name,
                       100 * e.error, unit, 100 * e.low, 100 * e.high, 100 * e.halves);
}

std::string reportText(const Report& r)
{
    const SeriesComparison& c = r.c;
    std::string text = reportText(r.log);
    for (std::size_t i = 0; i < r.shapes.size(); ++i)
        text += fmt::format("  {}: {}\n", printable(r.log.runs[i].name, kMaxNameBytes), shapeText(r.shapes[i]));
    text += fmt::format("{} steps of {} runs compared, {} omitted\n", c.steps, c.runs, c.dropped);
    text += fmt::format("Median step: measured {} s, predicted {} s\n\n", amountText(c.measuredMedianSeconds, 4),
                        amountText(c.predictedMedianSeconds, 4));
    text += fmt::format("{:<11} {:>8} {:>8} {:>8} {:>9} {:>14}\n", "over median", "p5", "p95", "p99", "cv", "beyond 1.05");
    const auto line = [&](const char* name, const SeriesMetrics& f) {
        text +=
            fmt::format("{:<11} {:>8.4f} {:>8.4f} {:>8.4f} {:>7.2f} % {:>12.2f} %\n", name, f.p5, f.p95, f.p99, 100 * f.cv, 100 * f.beyond);
    };
    line("measured", c.measured);
    line("predicted", c.predicted);
    text += "\nErrors, predicted against measured\n" + errorLine("p50", c.p50, "%    ") + errorLine("p95 / p50", c.p95, "points");
    text += errorLine("p99 / p50", c.p99, "points") + errorLine("P(> 1.05 p50)", c.beyond, "points");
    text += fmt::format("KS distance    {:.3f}  (95 %: {:.3f} to {:.3f}; by chance up to {:.3f}; between halves up to {:.3f})\n", c.ks,
                        c.ksLow, c.ksHigh, c.ksSamplingBound, c.ksHalves);
    text += fmt::format("Stalls         {} measured, 95 % of systems: {} to {}\n", r.measured.stalls, r.stalls.low, r.stalls.high);
    text += overSystemsText(r);
    text += fmt::format("Neighbouring steps correlate by {:.2f}, predicted {:.2f}", c.lag1, c.predictedLag1);
    text += c.runs > 1 ? fmt::format("; medians of the runs differ by {:.2f} %\n", 100 * c.medianSpread) : "\n";
    for (const std::string& note : c.notes)
        text += "Note: " + note + "\n";
    return text;
}

void validate(const StepsOptions& options)
{
    const Scenario scenario = loadScenario(options);
    Report report;
    report.log = loadStepLog(options.log, options);
    const SeriesRemoval removal = removalOf(options.remove);
    std::vector<CleanRun> clean;
    report.shapes = runShapes(report.log.runs);
    for (std::size_t i = 0; i < report.shapes.size(); ++i)
        clean.push_back(partOf(cleanRun(report.log.runs[i], report.shapes[i], removal), options.part));
    const StepSeries series = require(seriesOf(clean, report.log.steps()));
    Evaluator evaluator;
    const EvaluateOptions evaluate = evaluateOptions({.seed = options.seed, .threads = options.threads}, options.samples);
    const PredictedRun predicted = require(predictedRun(evaluator, scenario, evaluate, !removal.trend));
    report.systems = predicted.systems;
    report.c = compareSeries(series, predicted.seconds);
    report.measured = spreadCauses(clean, static_cast<double>(scenario.cluster.numGpus), 0);
    const VariabilityConfig& v = scenario.variability;
    report.stalls = stallRange(v.stallsPerGpuHour, v.stallRateCv, report.measured.gpuHours);
    writeOutput(options, options.json ? reportJson(report) : reportText(report));
}

} // namespace

void addValidateSteps(CLI::App& app, Cli& cli)
{
    auto options = std::make_shared<StepsOptions>();
    CLI::App* command = app.add_subcommand("steps", "Compare a measured series of step times with the predicted steps of one job");
    addScenario(*command, *options);
    addStepLog(*command, options->log);
    command
        ->add_option("--remove", options->remove, "remove what is not noise of single steps: warm-up, pauses, shifts, trend, all or none")
        ->delimiter(',')
        ->check(oneOf({"warm-up", "pauses", "shifts", "trend", "all", "none"}))
        ->capture_default_str();
    addPart(*command, options->part, "compare");
    addSampling(*command, *options);
    addOutput(*command, *options, cli);
    command->callback([options] { validate(*options); });
}

} // namespace prism::cli
