// SPDX-License-Identifier: GPL-3.0-or-later
// fit: the level and spread of a scenario from the step times of a run; joins calibrations of a cluster into one file, and pools the fits
// of several systems for another one.
#include "app/cli/frame/commands.h"
#include "app/cli/measured/steplogoptions.h"
#include "core/base/jsontext.h"
#include "core/base/printable.h"
#include "core/calibrate/pooledfits.h"
#include "core/calibrate/runfit.h"
#include "core/scenario/scenariolimits.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <spdlog/fmt/fmt.h>

#include <filesystem>
#include <memory>

namespace prism::cli {

namespace {

using Json = nlohmann::ordered_json;

struct FitOptions : CommonOptions {
    StepLogInput log;
    std::string part = "all", scenarioOut;
};

Json boundedJson(const Bounded& b)
{
    return {{"value", b.value}, {"ci95", Json::array({b.low, b.high})}};
}

std::string fitJson(const RunFit& fit, const ClusterCalibration& calibration)
{
    const SpreadCauses& c = fit.causes;
    const Json report = {{"steps", c.steps},
                         {"runs", c.runs},
                         {"gpu_hours", c.gpuHours},
                         {"measured_median_s", fit.measuredMedianSeconds},
                         {"predicted_median_s", fit.predictedMedianSeconds},
                         {"compute_level", boundedJson(fit.computeLevel)},
                         {"step_jitter_s", boundedJson(c.jitterSeconds)},
                         {"compute_regime_cv", boundedJson(c.regimeCv)},
                         {"compute_regime_lag1", c.regimeLag1},
                         {"compute_share", fit.computeShare},
                         {"compute_regime_shape", fit.fitted.variability.computeRegime.family == Family::empirical ? "steps" : "family"},
                         {"stalls", c.stalls},
                         {"stalls_per_gpu_hour", boundedJson(c.stallsPerGpuHour)},
                         {"stall_mean_s", boundedJson(c.stallMeanSeconds)},
                         {"stall_cv", c.stallCv},
                         {"relative_std_of_run_medians", c.runMedianSpread},
                         {"explained_by_other_causes_cv", fit.explainedCv},
                         {"other_spread_factor", fit.otherSpread},
                         {"warm_up_s", fit.costs.warmUpSeconds},
                         {"pause_every_steps", fit.costs.pauseEverySteps},
                         {"pause_s", fit.costs.pauseSeconds},
                         {"trend", fit.costs.trend},
                         {"notes", fit.notes},
                         {"calibration", require(parseOrderedJson(toJson(calibration)))}};
    return report.dump(2) + "\n";
}

void fit(const FitOptions& options)
{
    const Scenario scenario = loadScenario(options);
    const StepLog log = loadStepLog(options.log, options);
    reportLine(options, reportText(log));
    Evaluator evaluator;
    const RunFit fitted = require(fittedLog(evaluator, scenario, log.runs, options.part, {options.seed, options.samples, options.threads}));
    for (std::size_t i = 0; i < fitted.shapes.size(); ++i)
        reportLine(options, "  " + printable(log.runs[i].name, kMaxNameBytes) + ": " + shapeText(fitted.shapes[i]) + "\n");
    const ClusterCalibration calibration = calibrationOf(fitted, std::filesystem::path(options.log.file).filename().string());
    for (const std::string& fact : calibration.sources.front().facts)
        reportLine(options, fact + "\n");
    if (!options.scenarioOut.empty()) {
        CommonOptions out;
        out.output = options.scenarioOut;
        writeOutput(out, toJson(fitted.fitted));
    }
    writeOutput(options, options.json ? fitJson(fitted, calibration) : toJson(calibration));
}

struct JoinOptions : CommonOptions {
    std::vector<std::string> files;
};

/// A calibration, or the measured section of a scenario that an import wrote.
ClusterCalibration partFrom(const std::string& path)
{
    const std::string text = readInput(path);
    Result<ClusterCalibration> calibration = clusterCalibrationFromJson(text);
    if (calibration.ok())
        return std::move(calibration).value();
    const Result<Scenario> scenario = draftFromJson(text);
    if (!scenario.ok())
        throw InputError(calibration.errors(), path);
    ClusterCalibration part;
    part.measured = scenario->measured;
    part.sources.push_back({"measured tables of a scenario",
                            std::filesystem::path(path).filename().string(),
                            {fmt::format("{} rows, {} kernels, {} speeds", part.measured.rows.size(), part.measured.kernels.size(),
                                         part.measured.speeds.size())}});
    return part;
}

void join(const JoinOptions& options)
{
    ClusterCalibration all;
    for (const std::string& file : options.files)
        all = joined(std::move(all), partFrom(file));
    writeOutput(options, toJson(all));
}

/// `scenario`: of the system to which the files' systems are the others.
struct PoolOptions : CommonOptions {
    std::vector<std::string> files;
};

void pool(const PoolOptions& options)
{
    const Scenario scenario = loadScenario(options);
    std::vector<FittedSystem> systems;
    for (const std::string& file : options.files)
        systems.push_back(require(fittedSystemFromJson(readInput(file), std::filesystem::path(file).filename().string()), file));
    const ClusterCalibration calibration = require(pooledCalibration(systems, scenario.cluster.gpu));
    for (const std::string& fact : calibration.sources.front().facts)
        reportLine(options, fact + "\n");
    writeOutput(options, toJson(calibration));
}

void addPoolFits(CLI::App& app, Cli& cli)
{
    auto options = std::make_shared<PoolOptions>();
    CLI::App* command = app.add_subcommand("pool", "Expected variability of a system without a log, from the fits of others");
    addScenario(*command, *options);
    command->add_option("FITS", options->files, "reports that fit --json wrote, of two systems or more")->required();
    addOutput(*command, *options, cli);
    command->callback([options] { pool(*options); });
}

} // namespace

void addFit(CLI::App& app, Cli& cli)
{
    auto options = std::make_shared<FitOptions>();
    CLI::App* command =
        app.add_subcommand("fit", "Fit level and variability to the step times of a run; writes a calibration of the cluster");
    addScenario(*command, *options);
    addStepLog(*command, options->log);
    addPart(*command, options->part, "fit on");
    command->add_option("--scenario-out", options->scenarioOut, "also write the fitted scenario to this file");
    addSampling(*command, *options);
    addOutput(*command, *options, cli);
    command->callback([options] { fit(*options); });

    auto joining = std::make_shared<JoinOptions>();
    CLI::App* together = app.add_subcommand("join", "Join fits and imported tables of a cluster into one calibration file");
    together->add_option("FILES", joining->files, "files of fit, or scenarios that import nccl-tests, operators or speeds wrote")
        ->required();
    addOutput(*together, *joining, cli);
    together->callback([joining] { join(*joining); });
    addPoolFits(app, cli);
}

} // namespace prism::cli
