// SPDX-License-Identifier: GPL-3.0-or-later
// trace predict: the steps of a measured job predicted from a part of them, compared with the rest.
#include "app/cli/trace/tracecommand.h"
#include "core/trace/heldout.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <spdlog/fmt/fmt.h>

#include <memory>

namespace prism::cli {

namespace {

using Json = nlohmann::ordered_json;

struct TracePredictOptions : JobOptions {
    HeldOutOptions heldOut;
    int parts = 0;
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

void predictHeldOut(const TracePredictOptions& options)
{
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
    CLI::App* command = parent.add_subcommand("predict", "Train on a part of the steps of a measured job and test against the rest");
    addJob(*command, *options, cli);
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
    command->callback([options] { predictHeldOut(*options); });
}

} // namespace prism::cli
