// SPDX-License-Identifier: GPL-3.0-or-later
// calibrate: fits the cost model's constants on a folder of measurements and writes them with their residuals.
#include "bench/commands.h"
#include "bench/constants/calibrate.h"
#include "core/insight/validate/validation.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <spdlog/fmt/fmt.h>

#include <memory>

namespace prism::cli {

namespace {

struct CalibrateOptions : CommonOptions {
    std::string folder;
    bool crossValidate = false;
};

void calibrate(const CalibrateOptions& options)
{
    const CalibrationData data = require(readCalibrationData(options.folder));
    for (const std::string& what : data.missing)
        fmt::print(stderr, "missing: {}\n", what);
    const CalibrationRun run = calibrated(
        data, {uncalibrated(), calibration()}, [](const PublishedRow& row, const Calibration& c) { return stepSpread(row, c, {}).p50; },
        options.crossValidate);
    nlohmann::ordered_json residuals = nlohmann::ordered_json::array();
    for (const FitReport& f : run.fits)
        residuals.push_back(
            fmt::format("{}: {} rows, mean |error| {:.2f} %, bias {:+.2f} %", f.what, f.rows, 100 * f.meanAbs, 100 * f.bias));
    const nlohmann::ordered_json notes = {
        {"procedure",
         "prism-develop calibrate DATA: bus-bandwidth curves (medians of nccl-tests tables), network (tables between nodes), GEMM "
         "efficiencies (operator benchmarks), then energies of matrix units and host times on published steps, each source counted "
         "once; see resources/help/cost-model.md"},
        {"sources", "aiconfigurator operator and NCCL tables (Apache-2.0); all-reduce tables of Echo, vTrain and estimate-train-time "
                    "(MIT); SimuMax B200 system file (Apache-2.0); published steps as in presets/published"},
        {"missing", data.missing},
        {"residuals", std::move(residuals)}};
    writeOutput(options, calibrationJson(run.calibration, notes.dump()));
}

} // namespace

void addCalibrate(CLI::App& app, Cli& cli)
{
    auto options = std::make_shared<CalibrateOptions>();
    CLI::App* command = app.add_subcommand(
        "calibrate", "Fit the cost model's constants on a folder of measurements (writes presets/calibration/default.json's content)");
    command
        ->add_option(
            "DATA", options->folder,
            "folder with published steps and tables of operators and collectives, or any part of them; what is missing is reported")
        ->required();
    command->add_flag("--cross-validate", options->crossValidate,
                      "also fit with every source omitted in turn: the error bands come from those rows");
    addOutput(*command, *options, cli);
    command->callback([options] { calibrate(*options); });
}

} // namespace prism::cli
