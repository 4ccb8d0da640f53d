// validate-steps: a measured series of step times beside the predicted distribution of one job.
#include "app/cli/commands.h"
#include "core/base/table.h"
#include "core/base/textfile.h"
#include "core/insight/validate/stepseries.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <spdlog/fmt/fmt.h>

#include <memory>

namespace prism::cli {

namespace {

using Json = nlohmann::ordered_json;

struct StepsOptions : CommonOptions {
    std::string file;
    std::vector<std::string> where;
    StepSeriesQuery query;
};

Json figuresJson(const SeriesFigures& f)
{
    return {{"p5", f.p5}, {"p95", f.p95}, {"p99", f.p99}, {"cv", f.cv}, {"share_beyond_1_05", f.beyond}};
}

std::string comparisonJson(const SeriesComparison& c)
{
    const Json report = {{"runs", c.runs},
                         {"steps", c.steps},
                         {"dropped", c.dropped},
                         {"measured_median_s", c.measuredMedianSeconds},
                         {"predicted_median_s", c.predictedMedianSeconds},
                         {"error", c.predictedMedianSeconds / c.measuredMedianSeconds - 1},
                         {"measured_over_median", figuresJson(c.measured)},
                         {"predicted_over_median", figuresJson(c.predicted)},
                         {"relative_std_of_run_medians", c.medianSpread},
                         {"lag1_correlation", c.lag1},
                         {"ks", {{"value", c.ks}, {"ci95", Json::array({c.ksLow, c.ksHigh})}, {"by_chance", c.ksByChance}}}};
    return report.dump(2) + "\n";
}

std::string comparisonText(const SeriesComparison& c)
{
    std::string text = fmt::format("{} steps of {} runs, {} left out (warm-up, short runs)\n", c.steps, c.runs, c.dropped);
    text += fmt::format("Median step: measured {:.4g} s, predicted {:.4g} s ({:+.1f} %)\n\n", c.measuredMedianSeconds,
                        c.predictedMedianSeconds, 100 * (c.predictedMedianSeconds / c.measuredMedianSeconds - 1));
    text += fmt::format("{:<11} {:>8} {:>8} {:>8} {:>9} {:>14}\n", "over median", "p5", "p95", "p99", "cv", "beyond 1.05");
    const auto line = [&](const char* name, const SeriesFigures& f) {
        text +=
            fmt::format("{:<11} {:>8.4f} {:>8.4f} {:>8.4f} {:>7.2f} % {:>12.2f} %\n", name, f.p5, f.p95, f.p99, 100 * f.cv, 100 * f.beyond);
    };
    line("measured", c.measured);
    line("predicted", c.predicted);
    text += fmt::format("\nKS distance {:.2f} (95 %: {:.2f} to {:.2f}; by chance up to {:.2f})\nNeighbouring steps correlate by {:.2f}",
                        c.ks, c.ksLow, c.ksHigh, c.ksByChance, c.lag1);
    text += c.runs > 1 ? fmt::format("; medians of the runs differ by {:.2f} %\n", 100 * c.medianSpread) : "\n";
    return text;
}

void validate(const StepsOptions& options)
{
    const Scenario scenario = loadScenario(options);
    const StepSeries series =
        require(readStepSeries(require(selectedRows(require(readTextFile(options.file)), options.where)), options.query));
    Evaluator evaluator;
    EvaluateOptions evaluate;
    evaluate.seed = options.seed;
    evaluate.numSamples = options.samples;
    evaluate.numThreads = options.threads;
    evaluate.varianceShares = false;
    const SnapshotPtr snapshot = evaluator.evaluate(scenario, evaluate);
    if (!snapshot->valid())
        throw InputError(snapshot->diagnostics);
    const SeriesComparison c = compareSeries(series, snapshot->sortedWithinSeconds);
    writeOutput(options, options.json ? comparisonJson(c) : comparisonText(c));
}

} // namespace

void addValidateSteps(CLI::App& app, Cli& cli)
{
    auto options = std::make_shared<StepsOptions>();
    CLI::App* command = app.add_subcommand("validate-steps", "Compare a measured series of step times with the predicted steps of one job");
    addScenario(*command, *options);
    command->add_option("STEPS", options->file, "CSV with a header, one line per step; may be gzip")->required();
    command->add_option("--where", options->where, "COLUMN=VALUE: only these lines (repeatable)");
    command->add_option("--time-column", options->query.timeColumn, "seconds, or milliseconds where the name ends in _ms")
        ->capture_default_str();
    command->add_option("--run-column", options->query.runColumn, "lines with one value belong to one run, where there is such a column")
        ->capture_default_str();
    command->add_option("--skip", options->query.skip, "first steps of each run to leave out (warm-up)")
        ->check(CLI::Range(0, 1000))
        ->capture_default_str();
    addSampling(*command, *options);
    addOutput(*command, *options, cli);
    command->callback([options] { validate(*options); });
}

} // namespace prism::cli
