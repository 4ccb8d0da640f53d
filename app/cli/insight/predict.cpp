// SPDX-License-Identifier: GPL-3.0-or-later
// predict: the distribution of the step time of one scenario, with everything that the design promises in --json.
#include "app/cli/frame/commands.h"
#include "app/cli/insight/histogram.h"
#include "app/cli/frame/progressline.h"
#include "app/cli/frame/quantities.h"
#include "core/base/diagnostictext.h"
#include "core/base/valuetext.h"
#include "core/base/printable.h"
#include "core/cost/communication.h"
#include "core/engine/evaluator.h"
#include "core/insight/report.h"
#include "core/insight/snapshotreport.h"
#include "core/step/breakdown.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace prism::cli {

namespace {

constexpr std::size_t kMaxNoteBytes = 4'000; ///< of one note: a list of what is accepted may be long

struct PredictOptions : CommonOptions {
    std::string samplesOut, withinSamplesOut;
};

std::string distributionLine(const char* label, const DistributionSummary& s)
{
    const auto seconds = [](double value, double halfWidth) { return earnedDigits(value, halfWidth); };
    return fmt::format("{:<22} p5 {} s   p50 {} s   p95 {} s   p99 {} s   cv {:.2f} %\n", label, seconds(s.p5, s.ciP50),
                       seconds(s.p50, s.ciP50), seconds(s.p95, s.ciP95), seconds(s.p99, s.ciP99), 100 * s.cv);
}

/// The half-widths of the line above; without any variability there are none.
std::string intervalLine(const DistributionSummary& s, std::uint64_t seed)
{
    if (s.std == 0)
        return fmt::format("{:<22} nothing varies in this scenario   (n = {}, seed {})\n", "", s.samples, seed);
    return fmt::format("{:<22} p50 ± {} s   p95 ± {} s   p99 ± {} s   (95 %, n = {}, seed {})\n", "", halfWidthText(s.p50, s.ciP50),
                       halfWidthText(s.p95, s.ciP95), halfWidthText(s.p99, s.ciP99), s.samples, seed);
}

/// One line per class that communicates: what is overlapped with compute and what is exposed, on the busiest stage.
std::string communicationText(const Snapshot& s)
{
    const Communication c = communicationOf(s.costed->graph, s.samples->noiseFreeSeconds);
    if (c.classes.empty())
        return {};
    std::string text = fmt::format("Communication          {:.1f} % of the step exposed, {:.1f} % of the GPU-hours\n", 100 * c.exposedShare,
                                   100 * c.exposedShareOfGpuHours);
    for (const ClassCommunication& one : c.classes)
        text += fmt::format("  {:<24} {:<13} {:>9} s hidden {:>9} s exposed\n", printable(one.name),
                            one.scope == Scope::interNode ? "between nodes" : "inside nodes", amountText(one.hiddenSeconds),
                            amountText(one.exposedSeconds));
    return text;
}

/// "6.35 to 7.53" of a value that grows with the level: the error of the mean and how systems differ.
std::string rangeText(const Snapshot& s, double value)
{
    return fmt::format("{} to {}", amountText(value * s.systems->levelRatio.low), amountText(value * s.systems->levelRatio.high));
}

/// The range over systems: how far the tails of runs may lie above their medians.
std::string systemsText(const Snapshot& s)
{
    if (!s.systems)
        return {};
    if (s.systems->systems.empty())
        return "Over systems           not known: the variability preset names no systems\n";
    return fmt::format("Over systems           Median {} s with the error of the mean. {} ({})\n", rangeText(s, s.within.p50),
                       systemsSentence(*s.systems), printable(s.systems->prior.title));
}

/// Caveats are part of the report: how the samples were taken, and notes on the scenario.
bool isNote(const Snapshot& s, const Diagnostic& d)
{
    const Diagnostics& ofScenario = s.costed->warnings;
    return d.severity == Severity::note || std::find(ofScenario.begin(), ofScenario.end(), d) == ofScenario.end();
}

std::string notesText(const Snapshot& s)
{
    std::string text;
    for (const Diagnostic& d : s.diagnostics)
        if (isNote(s, d))
            text += (text.empty() ? "\nNotes\n  " : "  ") + printable(sentence(d), kMaxNoteBytes) + "\n";
    return text;
}

/// For a terminal the histogram is behind the name of the scenario; elsewhere `style` and `picture` change nothing.
std::string toText(const Snapshot& s, const Style& style, const std::string& picture)
{
    const World& w = s.costed->world;
    std::string text =
        fmt::format("{}\n{} GPUs on {} nodes: TP {} PP {} VPP {} CP {} EP {} DP {}, {} micro-batches\n\n",
                    style.bold(printable(s.scenario.name)), w.gpus, w.nodes, w.tp, w.pp, w.vpp, w.cp, w.ep, w.dp, w.numMicrobatches);
    text += picture;
    text += distributionLine("Step time across jobs", s.across);
    text += intervalLine(s.across, s.seed);
    text += distributionLine("Within one median job", s.within);
    text += fmt::format("Noise-free step        {} s   slowdown p50 {:.3f}x   p95 {:.3f}x\n", earnedDigits(s.samples->noiseFreeSeconds, 0),
                        s.slowdownP50, s.slowdownP95);
    text += fmt::format("Error of the median    {0:+.{2}f} % to {1:+.{2}f} % ({3})\n", 100 * s.costed->errorBandLow,
                        100 * s.costed->errorBandHigh, s.costed->levelMeasured ? 1 : 0, bandSource(*s.costed));
    text += systemsText(s);
    const VarianceShare& v = s.varianceShare;
    text += fmt::format(
        "Variance               spatial {:.0f} %, temporal {:.0f} %, regime {:.0f} %, data {:.0f} %, rare {:.0f} %, jitter {:.0f} %, "
        "stalls {:.0f} %, interaction {:.0f} %\n",
        100 * v.spatial, 100 * v.temporal, 100 * v.regime, 100 * v.data, 100 * v.rare, 100 * v.jitter, 100 * v.stall, 100 * v.interaction);
    text += fmt::format("Throughput             {} tokens/s   {} TFLOP/s per GPU   MFU {:.1f} % ({:.1f} % with the causal half of "
                        "attention)   HFU {:.1f} %\n",
                        amountText(s.tokensPerSecond), amountText(s.tflopsPerGpu), 100 * s.mfu, 100 * s.mfuCausal, 100 * s.hfu);
    text += fmt::format("Memory                 peak {:.1f} GiB of {:.1f} GiB, {}\n", s.costed->memory.peakGib,
                        s.costed->memory.capacityGib, s.costed->memory.fits ? "fits" : "does NOT fit");
    std::string separator = "Noise-free breakdown   ";
    for (const BreakdownPart& part : kBreakdownParts)
        text += std::exchange(separator, ", ") + fmt::format("{} {} s", part.shortName, amountText(s.costed->breakdown.*part.seconds));
    text += '\n';
    text += communicationText(s);
    if (s.daysToTrain > 0)
        text +=
            fmt::format("Training               {} days{}, {} USD\n", amountText(s.daysToTrain),
                        s.systems ? " (steps alone, nine of ten systems: " + rangeText(s, s.daysToTrain) + ")" : "", amountText(s.costUsd));
    text += notesText(s);
    text += fmt::format("\nScenario hash {}, version {}, {:.0f} ms\n", s.hash.text(), PRISM_VERSION, 1e3 * s.cost.elapsedSeconds);
    return text;
}

void predict(const PredictOptions& options)
{
    Evaluator evaluator;
    EvaluateOptions evaluate;
    evaluate.seed = options.seed;
    evaluate.numSamples = options.samples;
    evaluate.numThreads = options.threads;
    evaluate.precision = options.precision;
    ProgressLine progress(!options.quiet);
    evaluate.onProgress = [&](const SnapshotPtr& s) {
        progress.show(std::min(1.0, static_cast<double>(s->across.samples) / options.samples), "steps sampled");
    };
    const SnapshotPtr snapshot = evaluator.evaluate(loadScenario(options), evaluate);
    progress.clear();
    if (!snapshot->valid())
        throw InputError(snapshot->diagnostics);
    Diagnostics warnings = snapshot->diagnostics;
    std::erase_if(warnings, [&](const Diagnostic& d) { return isNote(*snapshot, d); });
    reportDiagnostics(options, warnings);
    writeSamples(options.samplesOut, snapshot->samples->acrossSeconds);
    writeSamples(options.withinSamplesOut, snapshot->samples->withinSeconds);
    if (isForTerminal(options)) {
        const HistogramLook look{.columns = std::min(72, terminalColumns(StandardStream::output) - 4),
                                 .style = Style(StandardStream::output)};
        const std::string picture = histogramText(snapshot->sortedAcrossSeconds, snapshot->across, look);
        return writeStyledOutput(toText(*snapshot, look.style, picture.empty() ? "" : picture + "\n"));
    }
    writeOutput(options, options.json ? report::dump(report::json(*snapshot)) : toText(*snapshot, {}, ""));
}

} // namespace

void addPredict(CLI::App& app, Cli& cli)
{
    auto options = std::make_shared<PredictOptions>();
    CLI::App* command = app.add_subcommand("predict", "Predict the distribution of the training-step time of a scenario");
    addScenario(*command, *options);
    addSampling(*command, *options);
    asShare(command->add_option("--precision", options->precision, "Sample until the 95 % half-width of p95 is below this share of p95"))
        ->check(CLI::Range(1e-5, 1.0));
    command->add_option("--samples-out", options->samplesOut, "Write the sampled step times (across jobs) to this CSV file");
    command->add_option("--within-samples-out", options->withinSamplesOut,
                        "Write the sampled step times within the median job to this CSV file");
    addOutput(*command, *options, cli);
    command->callback([options] { predict(*options); });
}

} // namespace prism::cli
