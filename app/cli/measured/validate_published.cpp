// SPDX-License-Identifier: GPL-3.0-or-later
// validate published: every row of a file of published steps compared with the model, and the errors by source.
#include "app/cli/frame/commands.h"
#include "core/base/text.h"
#include "core/calibrate/published.h"
#include "core/insight/validate/validation.h"
#include "core/scenario/parameters.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <filesystem>
#include <memory>

namespace prism::cli {

namespace {

using Json = nlohmann::ordered_json;

struct ValidateOptions : CommonOptions {
    std::string file, suite, tier, scenarioOf;
};

Json rowJson(const ValidatedRow& r)
{
    const auto orNull = [](double x, bool known) { return known ? Json(x) : Json(); };
    const bool ran = r.skipped.empty();
    return {{"id", r.id},
            {"suite", r.suite},
            {"source", r.source},
            {"tier", r.tier},
            {"left_out", r.excluded.empty() ? Json() : Json(r.excluded)},
            {"predicted_tflops_per_gpu", orNull(r.predictedTflops, r.predictedTflops > 0)},
            {"published_tflops_per_gpu", orNull(r.publishedTflops, r.publishedTflops > 0)},
            {"predicted_s", orNull(r.predictedSeconds, ran)},
            {"noise_free_s", orNull(r.noiseFreeSeconds, r.noiseFreeSeconds > 0)},
            {"published_s", orNull(r.publishedSeconds, r.publishedSeconds > 0)},
            {"error", orNull(r.error, r.hasError())},
            {"band", ran ? Json::array({r.bandLowSeconds, r.bandHighSeconds}) : Json()},
            {"predicted_p50_s", orNull(r.predictedP50Seconds, r.predictedP50Seconds > 0)},
            {"predicted_p95_s", orNull(r.predictedP95Seconds, r.predictedP95Seconds > 0)},
            {"predicted_memory_gib", orNull(r.predictedMemoryGib, r.predictedMemoryGib > 0)},
            {"published_memory_gib", orNull(r.publishedMemoryGib, r.publishedMemoryGib > 0)},
            {"predicted_bubble_rate", orNull(r.predictedBubbleRate, r.predictedBubbleRate >= 0)},
            {"published_bubble_rate", orNull(r.publishedBubbleRate, r.publishedBubbleRate >= 0)},
            {"samples_per_s_per_gpu", orNull(r.samplesPerSecondPerGpu, r.samplesPerSecondPerGpu > 0)},
            {"assumed", joined(r.assumptions, "; ")},
            {"assumptions", r.assumptions},
            {"skipped", ran ? Json() : Json(r.skipped)}};
}

Json suiteJson(const SuiteErrors& e)
{
    Json j = {{"rows", e.rows},
              {"skipped", e.skipped},
              {"left_out", e.excluded},
              {"mean_abs_error", e.meanAbs},
              {"bias", e.bias},
              {"worst", e.worst},
              {"rank_correlation", e.rankCorrelation}};
    if (e.memoryMeanAbs >= 0)
        j["memory_mean_abs_error"] = e.memoryMeanAbs;
    if (e.bubbleMeanAbs >= 0)
        j["bubble_rate_mean_abs_difference"] = e.bubbleMeanAbs;
    if (!e.peer.empty())
        j["peer"] = e.peer;
    return j;
}

std::string reportJson(const ValidationReport& report)
{
    Json rows = Json::array(), suites = Json::object();
    for (const ValidatedRow& r : report.rows)
        rows.push_back(rowJson(r));
    for (const SuiteErrors& e : report.suites)
        suites[e.suite] = suiteJson(e);
    const Json out = {{"rows", std::move(rows)}, {"by_suite", std::move(suites)}, {"mean_abs_error", report.all.meanAbs},
                      {"bias", report.all.bias}, {"worst", report.all.worst},     {"band_coverage", report.bandCoverage}};
    return out.dump(2) + "\n";
}

std::string percent(double x)
{
    return fmt::format("{:+.1f} %", 100 * x);
}

std::string suiteLine(const SuiteErrors& e)
{
    std::string line = fmt::format("{:<22} {:>4} {:>7} {:>8.2f} % {:>9} {:>9} {:>8.3f}", e.suite, e.rows, e.skipped, 100 * e.meanAbs,
                                   percent(e.bias), percent(e.worst), e.rankCorrelation);
    if (e.memoryMeanAbs >= 0)
        line += fmt::format("  peak memory {:.1f} %", 100 * e.memoryMeanAbs);
    if (e.bubbleMeanAbs >= 0)
        line += fmt::format("  bubble rate {:.4f}", e.bubbleMeanAbs);
    return line + (e.peer.empty() ? "" : "  [" + e.peer + "]") + "\n";
}

std::string reportText(const ValidationReport& report)
{
    std::string out = fmt::format("{:<58} {:>11} {:>11} {:>9}  {}\n", "row", "predicted s", "published s", "error", "");
    for (const ValidatedRow& r : report.rows) {
        if (!r.skipped.empty()) {
            out += fmt::format("{:<58} not run: {}\n", r.id, r.skipped);
            continue;
        }
        std::string extra;
        if (!r.excluded.empty())
            extra += "omitted from the sums, " + r.excluded + " ";
        if (r.predictedTflops > 0 && r.publishedTflops > 0)
            extra += fmt::format("{:.0f} of {:.0f} TFLOP/s as the source counts ", r.predictedTflops, r.publishedTflops);
        if (r.publishedMemoryGib > 0)
            extra += fmt::format("memory {:.1f} of {:.1f} GiB ", r.predictedMemoryGib, r.publishedMemoryGib);
        if (r.publishedBubbleRate >= 0)
            extra += fmt::format("bubble {:.4f} of {:.4f}, {:.2f} samples/s/GPU ", r.predictedBubbleRate, r.publishedBubbleRate,
                                 r.samplesPerSecondPerGpu);
        out += fmt::format("{:<58} {:>11.3f} {:>11} {:>9}  {}\n", r.id, r.predictedSeconds,
                           r.publishedSeconds > 0 ? fmt::format("{:.3f}", r.publishedSeconds) : "-", r.hasError() ? percent(r.error) : "-",
                           extra);
        if (!r.assumptions.empty())
            out += "    assumed: " + joined(r.assumptions, "; ") + "\n";
    }
    out += fmt::format("\n{:<22} {:>4} {:>7} {:>10} {:>9} {:>9} {:>8}\n", "source", "rows", "not run", "mean |e|", "bias", "worst", "rank");
    for (const SuiteErrors& e : report.suites)
        out += suiteLine(e);
    out += suiteLine(report.all);
    return out + fmt::format("the stated band covers {:.1f} % of the rows\n", 100 * report.bandCoverage);
}

/// Values that a source does not state, set on every row that runs.
void overrideRows(std::vector<PublishedRow>& rows, const std::vector<std::string>& overrides)
{
    for (const std::string& text : overrides) {
        const auto equals = text.find('=');
        if (equals == std::string::npos)
            throw InputError({{Severity::error, "--set", "an override needs a path and a value", text, "path=value", "", ""}});
        for (PublishedRow& row : rows)
            if (row.skipped.empty() && !row.scheduleOnly)
                row.scenario = require(setParameter(row.scenario, text.substr(0, equals), text.substr(equals + 1)));
    }
}

void validate(const ValidateOptions& options)
{
    std::string path = options.file;
    if (std::error_code error; path != "-" && std::filesystem::file_size(path, error) > (std::uintmax_t{64} << 20) && !error)
        throw InputError({{Severity::error, path, "the file is too large", "", "at most 64 MiB", "", ""}});
    std::vector<PublishedRow> rows = require(readPublished(readInput(path)), path);
    if (!options.scenarioOf.empty()) {
        const auto row = std::find_if(rows.begin(), rows.end(), [&](const PublishedRow& r) { return r.id == options.scenarioOf; });
        if (row == rows.end() || row->scheduleOnly || !row->skipped.empty())
            throw InputError({{Severity::error, "--scenario", row == rows.end() ? "there is no such row" : "the row is not a scenario",
                               options.scenarioOf, row == rows.end() ? "the id of a row" : row->skipped, "", ""}});
        writeOutput(options, toJson(row->scenario));
        return;
    }
    std::erase_if(rows, [&](const PublishedRow& row) {
        return (!options.suite.empty() && row.suite != options.suite) || (!options.tier.empty() && row.tier != options.tier);
    });
    overrideRows(rows, options.overrides);
    const ValidationReport report = validationReport(validatedRows(rows, calibration(), {options.seed, options.samples, options.threads}));
    writeOutput(options, options.json ? reportJson(report) : reportText(report));
}

} // namespace

void addValidatePublished(CLI::App& app, Cli& cli)
{
    auto options = std::make_shared<ValidateOptions>();
    CLI::App* command = app.add_subcommand("published", "Run published training steps and print the error of every row and source");
    command->add_option("FILE", options->file, "file of the format prism-validation-1, for example presets/published/steps.json")
        ->required();
    command->add_option("--suite", options->suite, "only rows of this source");
    command->add_option("--tier", options->tier, "only rows of this tier: A, B or C");
    command->add_option("--scenario", options->scenarioOf, "write the scenario that describes the row with this id, and nothing else");
    command->add_option("--set", options->overrides, "Override one parameter of every row: path=value (repeatable)")
        ->allow_extra_args(false);
    options->samples = ValidationOptions{}.samples;
    addSampling(*command, *options);
    addOutput(*command, *options, cli);
    command->callback([options] { validate(*options); });
}

} // namespace prism::cli
