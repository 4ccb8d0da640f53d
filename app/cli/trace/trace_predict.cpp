// SPDX-License-Identifier: GPL-3.0-or-later
// trace predict: the steps of a measured job predicted from a part of them, compared with the rest.
#include "app/cli/trace/tracecommand.h"
#include "core/base/diagnostictext.h"
#include "core/base/valuetext.h"
#include "core/engine/summary.h"
#include "core/insight/report.h"
#include "core/stats/moments.h"
#include "core/trace/heldout.h"
#include "core/trace/profilemodel.h"
#include "core/trace/stagetable.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <memory>

namespace prism::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kCdfPoints = 100;

struct TracePredictOptions : JobOptions {
    HeldOutOptions heldOut;
    int parts = 0, ranks = 0;
};

Json secondsJson(double mean, double p50, double p95)
{
    return {{"mean_s", mean}, {"p50_s", p50}, {"p95_s", p95}};
}

Json errorsJson(const DistributionScore& s)
{
    return {{"mean_error", s.meanError},
            {"p50_error", s.p50Error},
            {"p95_error", s.p95Error},
            {"ks", s.ks},
            {"wasserstein_s", s.wassersteinSeconds}};
}

/// Common parts of HeldOut and RandomParts.
template <class Scores>
Json scoresJson(const Scores& r)
{
    Json report = errorsJson(r.predicted);
    report["ks_floor"] = r.ksFloor;
    report["mean_floor"] = r.meanFloor;
    report["p95_floor"] = r.p95Floor;
    report["baseline"] = errorsJson(r.baseline);
    report["replica_phase_ks"] = r.replicaPhaseKs;
    report["train_steps"] = r.trainSteps;
    report["held_out_steps"] = r.heldOutSteps;
    return report;
}

/// The table of both: `measured` is its first line, `critical` ends the line of the noise floor.
template <class Scores>
std::string scoresText(const Scores& r, const std::string& measured, const std::string& critical)
{
    std::string text = fmt::format("\n{:<22} {:>9} {:>9} {:>9} {:>7} {:>12}\n", "", "mean", "p50", "p95", "KS", "Wasserstein") + measured;
    const auto line = [&](const char* name, const DistributionScore& s) {
        text += fmt::format("{:<22} {:>+7.2f} % {:>+7.2f} % {:>+7.2f} % {:>7.3f} {:>10.4f} s\n", name, 100 * s.meanError, 100 * s.p50Error,
                            100 * s.p95Error, s.ks, s.wassersteinSeconds);
    };
    line("predicted", r.predicted);
    line("plain distribution", r.baseline);
    text += fmt::format("{:<22} {:>7.2f} % {:>9} {:>7.2f} % {:>7.3f}{}\n", "noise floor", 100 * r.meanFloor, "", 100 * r.p95Floor,
                        r.ksFloor, critical);
    return text + fmt::format("{:<22} {:>37.3f}\n", "replicas' pipeline end", r.replicaPhaseKs);
}

std::string predictJson(const TraceJob& job, const HeldOut& h)
{
    Json report = scoresJson(h);
    report["ks_critical"] = h.ksCritical;
    report["measured"] = secondsJson(h.measuredMean, h.measuredP50, h.measuredP95);
    report["predicted"] = secondsJson(h.predicted.mean, h.predicted.p50, h.predicted.p95);
    report["startup_steps"] = h.startupSteps;
    report["replicas"] = {{"learnt_from", h.trainReplicas}, {"predicted", h.replicas}};
    report["noise_share"] = {{"worker", h.workerNoiseShare}, {"step", h.stepNoiseShare}};
    report["micro_batch_correlation"] = h.microBatchCorrelation;
    report["hidden_barriers"] = h.barriers;
    report["assumptions"] = h.assumptions;
    report["notes"] = notesJson(job, h.notes);
    return report.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string predictText(const TraceJob& job, const HeldOut& h)
{
    std::string text =
        fmt::format("{} steps learnt from, {} held out; {} start-up steps among the first\n", h.trainSteps, h.heldOutSteps, h.startupSteps);
    text +=
        scoresText(h, fmt::format("{:<22} {:>7.3f} s {:>7.3f} s {:>7.3f} s\n", "held out", h.measuredMean, h.measuredP50, h.measuredP95),
                   fmt::format("   (critical at 5 %: {:.3f})", h.ksCritical))
        + "\n";
    for (const std::string& b : h.barriers)
        text += "found: " + b + "\n";
    return text + assumedText(h.assumptions, job, h.notes);
}

std::string partsJson(const RandomParts& r)
{
    Json report = scoresJson(r);
    report["parts"] = r.parts;
    return report.dump(2) + "\n";
}

std::string partsText(const RandomParts& r)
{
    return fmt::format("Means over {} random parts, absolute errors: {} steps learnt from, {} held out\n", r.parts, r.trainSteps,
                       r.heldOutSteps)
           + scoresText(r, "", "");
}

/// Whether a measured step is expected beyond a percentile.
const char* tailText(const ProfileModel& model, double p)
{
    return (1 - p) * static_cast<double>(model.steps.size()) >= 1 - 1e-9 ? "covered by the profiled steps" : "extrapolated";
}

/// The distribution of the step of profiler traces, with the source of each class.
void predictProfile(const TracePredictOptions& options)
{
    Diagnostics notes;
    const ProfileModel model =
        require(repaired(require(profileModel(loadRanks({options.table}, options.progress, notes))), options.repairs));
    const StepGraph graph = require(profileGraph(model, options.ranks));
    std::vector<double> seconds = simulate(graph, {.seed = options.heldOut.seed, .numSamples = options.heldOut.samples}).acrossSeconds;
    const DistributionSummary s = summarize(seconds);
    std::sort(seconds.begin(), seconds.end());
    Json cdf = Json::array(), classes = Json::array();
    for (int i = 0; i <= kCdfPoints; ++i)
        cdf.push_back({static_cast<double>(i) / kCdfPoints, quantileOfSorted(seconds, static_cast<double>(i) / kCdfPoints)});
    std::string text =
        fmt::format("{} profiled ranks, {} steps: measured mean {} s, p50 {} s; predicted for {} ranks\n"
                    "mean {} s   p5 {} s   p50 {} s   p95 {} s ({})   p99 {} s ({})\n\n",
                    model.ranks.size(), model.steps.size(), amountText(meanOf(model.stepSeconds), 4),
                    amountText(medianOf(model.stepSeconds), 4), graph.cellRanks(), amountText(s.mean, 4), amountText(s.p5, 4),
                    amountText(s.p50, 4), amountText(s.p95, 4), tailText(model, 0.95), amountText(s.p99, 4), tailText(model, 0.99));
    for (const Op& op : graph.programs.front().blocks.front().ops) {
        const KernelClass& c = graph.classes[static_cast<std::size_t>(op.kernelClass)];
        classes.push_back({{"class", c.name}, {"mean_s", op.meanSeconds}, {"cv", c.temporal.cv}});
        text += fmt::format("{}: mean {} s, cv {:.1f} %\n", c.name, amountText(op.meanSeconds), 100 * c.temporal.cv);
    }
    for (const std::string& id : options.repairs)
        text += "repaired: " + id + "\n";
    for (const std::string& a : model.assumptions)
        text += "assumed: " + a + "\n";
    const Json answer = {{"ranks", graph.cellRanks()},
                         {"repairs", options.repairs},
                         {"measured", {{"ranks", model.ranks}, {"step_s", model.stepSeconds}}},
                         {"step_time_s", report::json(s)},
                         {"tail", {{"p95", tailText(model, 0.95)}, {"p99", tailText(model, 0.99)}}},
                         {"cdf", cdf},
                         {"classes", classes},
                         {"assumptions", model.assumptions},
                         {"notes", notesJson(notes)}};
    writeOutput(options, options.json ? report::dump(answer) : text + diagnosticsText(notes));
}

/// Options that do not apply to this kind of trace, each an error.
void requireApplicable(const CLI::App& command, bool isOfProfile)
{
    static const std::vector<std::string> kOfTables{"--exclude-startup", "--meta", "--parts", "--train", "--train-replicas"},
        kOfProfiles{"--ranks"};
    Diagnostics errors;
    for (const std::string& name : isOfProfile ? kOfTables : kOfProfiles)
        if (command.count(name) > 0)
            errors.push_back(
                errorAt(name, "this option does not apply to the trace", "", isOfProfile ? "stage tables" : "profiler traces"));
    if (!errors.empty())
        throw InputError(errors);
}

void predictHeldOut(const TracePredictOptions& options)
{
    if (isProfile(options.table))
        return predictProfile(options);
    const TraceJob job = loadJob(options);
    if (options.parts > 0) {
        const RandomParts parts = require(randomParts(job, options.heldOut, options.parts));
        writeOutput(options, options.json ? partsJson(parts) : partsText(parts));
        return;
    }
    const HeldOut h = require(heldOutPrediction(job, options.heldOut));
    writeOutput(options, options.json ? predictJson(job, h) : predictText(job, h));
}

} // namespace

void addTracePredict(CLI::App& parent, Cli& cli)
{
    auto options = std::make_shared<TracePredictOptions>();
    CLI::App* command =
        parent.add_subcommand("predict", "Predict the steps of a measured job: tables from a part of their steps, profiles from segments");
    addJob(*command, *options, cli);
    addRepairs(*command, *options);
    command
        ->add_option("--train", options->heldOut.train,
                     "Steps to learn from: even, odd, first-half, a fraction (drawn with --seed), or step numbers")
        ->capture_default_str();
    command->add_flag("--exclude-startup", options->heldOut.excludeStartup, "Leave start-up steps out of both parts");
    command->add_option("--train-replicas", options->heldOut.trainReplicas, "Train on the first N replicas only (0 = all)")
        ->check(CLI::Range(0, 65'536));
    command->add_option("--seed", options->heldOut.seed, "Seed of all random numbers")->capture_default_str();
    command->add_option("--samples", options->heldOut.samples, "Steps to draw")->check(CLI::Range(100, 1'000'000))->capture_default_str();
    command->add_option("--parts", options->parts, "Train on N random parts in sequence and print the means (0 = one)")
        ->check(CLI::Range(0, kMaxParts));
    command->add_option("--ranks", options->ranks, "Number of ranks for which profiler traces are predicted (0 = the profiled ones)")
        ->check(CLI::Range(0, 65'536));
    command->callback([command, options] {
        requireApplicable(*command, isProfile(options->table));
        predictHeldOut(*options);
    });
}

} // namespace prism::cli
