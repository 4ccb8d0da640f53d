// predict: the distribution of the step time of one scenario, with everything that the design promises in --json.
#include "app/cli/commands.h"
#include "core/engine/evaluator.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <spdlog/fmt/fmt.h>

#include <memory>

namespace prism::cli {

namespace {

using Json = nlohmann::ordered_json;

struct PredictOptions : CommonOptions {
    std::string samplesOut, withinSamplesOut;
};

Json stepTimeJson(const DistributionSummary& s)
{
    return {{"mean", s.mean}, {"std", s.std},         {"cv", s.cv},
            {"p5", s.p5},     {"p50", s.p50},         {"p95", s.p95},
            {"p99", s.p99},   {"samples", s.samples}, {"ci95", {{"mean", s.ciMean}, {"p50", s.ciP50}, {"p95", s.ciP95}, {"p99", s.ciP99}}}};
}

Json memoryJson(const MemoryReport& memory)
{
    Json stages = Json::array();
    for (const StageMemory& m : memory.stages)
        stages.push_back({{"stage", m.stage},
                          {"weights", m.weightsGib},
                          {"gradients", m.gradientsGib},
                          {"optimizer", m.optimizerGib},
                          {"activations", m.activationsGib},
                          {"buffers", m.buffersGib},
                          {"total", m.totalGib}});
    return {{"peak", memory.peakGib}, {"capacity", memory.capacityGib}, {"fits", memory.fits}, {"stages", std::move(stages)}};
}

Json breakdownJson(const Breakdown& b)
{
    return {{"compute", b.computeSeconds},
            {"tensor_parallel", b.tensorParallelSeconds},
            {"context_parallel", b.contextParallelSeconds},
            {"expert_parallel", b.expertParallelSeconds},
            {"pipeline", b.pipelineSeconds},
            {"bubble", b.bubbleSeconds},
            {"data_parallel", b.dataParallelSeconds},
            {"optimizer", b.optimizerSeconds},
            {"other", b.otherSeconds}};
}

Json warningsJson(const Snapshot& snapshot)
{
    Json list = Json::array();
    const auto add = [&list](const Diagnostics& diagnostics) {
        for (const Diagnostic& d : diagnostics)
            if (d.severity == Severity::warning)
                list.push_back({{"path", d.path}, {"text", d.message}});
    };
    add(snapshot.diagnostics);
    return list;
}

Json toJson(const Snapshot& s)
{
    const World& w = s.costed->world;
    Json within = stepTimeJson(s.within);
    return {{"scenario", s.scenario.name},
            {"hash", s.hash.text()},
            {"engine_version", PRISM_VERSION},
            {"seed", s.seed},
            {"samples", s.across.samples},
            {"elapsed_s", s.cost.elapsedSeconds},
            {"step_time_s", stepTimeJson(s.across)},
            {"within_job_s", std::move(within)},
            {"noise_free_step_time_s", s.samples->noiseFreeSeconds},
            {"slowdown_p50", s.slowdownP50},
            {"slowdown_p95", s.slowdownP95},
            {"variance_share",
             {{"spatial", s.varianceShare.spatial},
              {"temporal", s.varianceShare.temporal},
              {"regime", s.varianceShare.regime},
              {"data", s.varianceShare.data},
              {"rare", s.varianceShare.rare},
              {"interaction", s.varianceShare.interaction},
              {"ci95",
               {{"spatial", s.varianceShare.ciSpatial},
                {"temporal", s.varianceShare.ciTemporal},
                {"regime", s.varianceShare.ciRegime},
                {"data", s.varianceShare.ciData},
                {"rare", s.varianceShare.ciRare}}}}},
            {"tokens_per_s", s.tokensPerSecond},
            {"tflops_per_gpu", s.tflopsPerGpu},
            {"mfu", s.mfu},
            {"hfu", s.hfu},
            {"memory_gib", memoryJson(s.costed->memory)},
            {"breakdown_s", breakdownJson(s.costed->breakdown)},
            {"error_band", {s.costed->errorBandLow, s.costed->errorBandHigh}},
            {"within_calibration", s.costed->withinCalibration},
            {"days_to_train", s.daysToTrain},
            {"cost_usd", s.costUsd},
            {"world",
             {{"gpus", w.gpus},
              {"nodes", w.nodes},
              {"tp", w.tp},
              {"pp", w.pp},
              {"vpp", w.vpp},
              {"cp", w.cp},
              {"ep", w.ep},
              {"dp", w.dp},
              {"num_microbatches", w.numMicrobatches}}},
            {"warnings", warningsJson(s)}};
}

std::string distributionLine(const char* label, const DistributionSummary& s)
{
    return fmt::format("{:<22} p5 {:.4g} s   p50 {:.4g} s   p95 {:.4g} s   p99 {:.4g} s   cv {:.2f} %\n", label, s.p5, s.p50, s.p95, s.p99,
                       100 * s.cv);
}

std::string toText(const Snapshot& s)
{
    const World& w = s.costed->world;
    const Breakdown& b = s.costed->breakdown;
    std::string text = fmt::format("{}\n{} GPUs on {} nodes: TP {} PP {} VPP {} CP {} EP {} DP {}, {} micro-batches\n\n", s.scenario.name,
                                   w.gpus, w.nodes, w.tp, w.pp, w.vpp, w.cp, w.ep, w.dp, w.numMicrobatches);
    text += distributionLine("Step time across jobs", s.across);
    text += fmt::format("{:<22} p50 ± {:.2g} s   p95 ± {:.2g} s   p99 ± {:.2g} s   (95 %, n = {}, seed {})\n", "", s.across.ciP50,
                        s.across.ciP95, s.across.ciP99, s.across.samples, s.seed);
    text += distributionLine("Within one median job", s.within);
    text += fmt::format("Noise-free step        {:.4g} s   slowdown p50 {:.3f}x   p95 {:.3f}x\n", s.samples->noiseFreeSeconds,
                        s.slowdownP50, s.slowdownP95);
    text += fmt::format("Error of the median    {:+.0f} % to {:+.0f} % ({})\n", 100 * s.costed->errorBandLow, 100 * s.costed->errorBandHigh,
                        s.costed->withinCalibration
                            ? "90 % of the published runs"
                            : "outside of what was validated, see the warnings: 90 % of the runs of other software and machines");
    const VarianceShare& v = s.varianceShare;
    text += fmt::format(
        "Variance               spatial {:.0f} %, temporal {:.0f} %, regime {:.0f} %, data {:.0f} %, rare {:.0f} %, interaction {:.0f} %\n",
        100 * v.spatial, 100 * v.temporal, 100 * v.regime, 100 * v.data, 100 * v.rare, 100 * v.interaction);
    text += fmt::format("Throughput             {:.4g} tokens/s   {:.4g} TFLOP/s per GPU   MFU {:.1f} %   HFU {:.1f} %\n",
                        s.tokensPerSecond, s.tflopsPerGpu, 100 * s.mfu, 100 * s.hfu);
    text += fmt::format("Memory                 peak {:.1f} GiB of {:.1f} GiB, {}\n", s.costed->memory.peakGib,
                        s.costed->memory.capacityGib, s.costed->memory.fits ? "fits" : "does NOT fit");
    text += fmt::format(
        "Noise-free breakdown   compute {:.3g} s, TP {:.3g} s, CP {:.3g} s, EP {:.3g} s, pipeline {:.3g} s, bubble {:.3g} s, DP {:.3g} s, "
        "optimizer {:.3g} s, other {:.3g} s\n",
        b.computeSeconds, b.tensorParallelSeconds, b.contextParallelSeconds, b.expertParallelSeconds, b.pipelineSeconds, b.bubbleSeconds,
        b.dataParallelSeconds, b.optimizerSeconds, b.otherSeconds);
    if (s.daysToTrain > 0)
        text += fmt::format("Training               {:.4g} days, {:.3g} USD\n", s.daysToTrain, s.costUsd);
    for (const Diagnostic& d : s.diagnostics)
        if (d.severity == Severity::warning)
            text += fmt::format("warning: {}: {}\n", d.path, d.message);
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
    const SnapshotPtr snapshot = evaluator.evaluate(loadScenario(options), evaluate);
    if (!snapshot->valid())
        throw InputError(snapshot->diagnostics);
    writeSamples(options.samplesOut, snapshot->samples->acrossSeconds);
    writeSamples(options.withinSamplesOut, snapshot->samples->withinSeconds);
    writeOutput(options, options.json ? toJson(*snapshot).dump(2) + "\n" : toText(*snapshot));
}

} // namespace

void addPredict(CLI::App& app, Cli& cli)
{
    auto options = std::make_shared<PredictOptions>();
    CLI::App* command = app.add_subcommand("predict", "Predict the distribution of the training-step time of a scenario");
    addScenario(*command, *options);
    addSampling(*command, *options);
    command->add_option("--precision", options->precision, "Sample until the 95 % half-width of p95 is below this share of p95")
        ->check(CLI::Range(1e-5, 1.0));
    command->add_option("--samples-out", options->samplesOut, "Write the sampled step times (across jobs) to this CSV file");
    command->add_option("--within-samples-out", options->withinSamplesOut,
                        "Write the sampled step times within the median job to this CSV file");
    addOutput(*command, *options, cli);
    command->callback([options] { predict(*options); });
}

} // namespace prism::cli
