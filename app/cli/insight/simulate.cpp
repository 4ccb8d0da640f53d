// SPDX-License-Identifier: GPL-3.0-or-later
// simulate: the step-time distribution of a step graph file, by the fast or the reference simulator.
#include "app/cli/frame/commands.h"
#include "core/base/valuetext.h"
#include "core/base/printable.h"
#include "core/engine/summary.h"
#include "core/insight/report.h"
#include "core/sim/simulate.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <spdlog/fmt/fmt.h>

#include <chrono>
#include <memory>

namespace prism::cli {

namespace {

using Json = nlohmann::ordered_json;

struct SimulateOptions : CommonOptions {
    std::string samplesOut, withinSamplesOut;
    bool reference = false;
};

struct Outcome {
    StepGraph graph;
    StepSamples samples;
    DistributionSummary across, within;
    double elapsedSeconds = 0;
};

Json toJson(const Outcome& o, const SimulateOptions& options)
{
    Json warnings = Json::array();
    for (const Diagnostic& d : o.samples.warnings)
        warnings.push_back({{"path", d.path}, {"text", d.message}});
    return {{"graph", o.graph.name},
            {"hash", o.graph.hash().text()},
            {"engine_version", PRISM_VERSION},
            {"simulator", options.reference ? "reference" : "fast"},
            {"seed", options.seed},
            {"samples", o.across.samples},
            {"elapsed_s", o.elapsedSeconds},
            {"step_time_s", report::json(o.across)},
            {"within_job_s", report::json(o.within)},
            {"noise_free_step_time_s", o.samples.noiseFreeSeconds},
            {"node_samples", o.samples.nodeSamples},
            {"warnings", std::move(warnings)}};
}

std::string line(const char* label, const DistributionSummary& s)
{
    return fmt::format("{:<22} p5 {} s   p50 {} s   p95 {} s   p99 {} s   cv {:.2f} %\n", label, earnedDigits(s.p5, s.ciP50),
                       earnedDigits(s.p50, s.ciP50), earnedDigits(s.p95, s.ciP95), earnedDigits(s.p99, s.ciP99), 100 * s.cv);
}

std::string toText(const Outcome& o, const SimulateOptions& options)
{
    const Schedule& s = o.graph.schedule;
    std::string text = fmt::format("{}\n{} replicas x {} stages x {} ranks, {} chunks, {} micro-batches, schedule {}, {} simulator\n\n",
                                   printable(o.graph.name), o.graph.numReplicas, s.numStages, o.graph.cellRanks(), s.numChunks,
                                   s.numMicrobatches, printable(s.name), options.reference ? "reference" : "fast");
    text += line("Step time across jobs", o.across);
    text += fmt::format("{:<22} p50 ± {} s   p95 ± {} s   p99 ± {} s   (95 %, n = {}, seed {})\n", "",
                        halfWidthText(o.across.p50, o.across.ciP50), halfWidthText(o.across.p95, o.across.ciP95),
                        halfWidthText(o.across.p99, o.across.ciP99), o.across.samples, options.seed);
    text += line("Within one median job", o.within);
    text += fmt::format("Noise-free step        {} s\n", earnedDigits(o.samples.noiseFreeSeconds, 0));
    for (const Diagnostic& d : o.samples.warnings)
        text += fmt::format("warning: {}\n", d.message);
    return text
           + fmt::format("\nGraph hash {}, {} node-samples, {:.0f} ms\n", o.graph.hash().text(), o.samples.nodeSamples,
                         1e3 * o.elapsedSeconds);
}

void simulateFile(const SimulateOptions& options)
{
    Outcome outcome;
    outcome.graph = require(stepGraphFromJson(readInput(options.scenario)), options.scenario);
    requireAffordable(options, evaluationSize(outcome.graph, options.samples));
    SimOptions simulation;
    simulation.seed = options.seed;
    simulation.numSamples = options.samples;
    simulation.numThreads = options.threads;
    const auto start = std::chrono::steady_clock::now();
    outcome.samples = options.reference ? simulateReference(outcome.graph, simulation) : simulate(outcome.graph, simulation);
    outcome.elapsedSeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (hasErrors(outcome.samples.warnings))
        throw InputError(outcome.samples.warnings);
    outcome.across = summarize(outcome.samples.acrossSeconds, &outcome.samples);
    outcome.within = summarizeWithin(outcome.samples);
    writeSamples(options.samplesOut, outcome.samples.acrossSeconds);
    writeSamples(options.withinSamplesOut, outcome.samples.withinSeconds);
    writeOutput(options, options.json ? toJson(outcome, options).dump(2) + "\n" : toText(outcome, options));
}

} // namespace

void addSimulate(CLI::App& app, Cli& cli)
{
    auto options = std::make_shared<SimulateOptions>();
    CLI::App* command = app.add_subcommand("simulate", "Simulate a step graph file (as `graph` writes it, or from another tool)");
    command->add_option("graph", options->scenario, "Step graph: a JSON file, or - for standard input")->required();
    command->add_flag("--reference", options->reference, "Every rank and every kernel: slow, for small jobs and for comparison");
    addSampling(*command, *options);
    command->add_option("--samples-out", options->samplesOut, "Write the sampled step times (across jobs) to this CSV file");
    command->add_option("--within-samples-out", options->withinSamplesOut,
                        "Write the sampled step times within the median job to this CSV file");
    addOutput(*command, *options, cli);
    command->callback([options] { simulateFile(*options); });
}

} // namespace prism::cli
