// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/metrics/metrictable.h"

#include <algorithm>

namespace prism {
namespace {

constexpr std::string_view kEngine = "core/engine/evaluator.cpp", kSummary = "core/engine/summary.cpp", kSimulate = "core/sim/simulate.cpp",
                           kPredictor = "core/cost/predictor.cpp", kStageMemory = "core/cost/assemblymemory.cpp",
                           kMemory = "core/workload/memory.cpp", kBreakdown = "core/step/breakdown.cpp", kCount = "core/workload/count.cpp";

constexpr Metric kMetrics[] = {
    {"step_time_s.mean", "Mean", "s", "Mean of the sampled steps across jobs", kSummary, "summarize"},
    {"step_time_s.std", "", "s", "Standard deviation of the sampled steps, unbiased", kSummary, "summarize"},
    {"step_time_s.cv", "Spread", "1", "Standard deviation over mean", kSummary, "summarize"},
    {"step_time_s.p5", "p5", "s", "5 % of the steps are shorter: order statistics, linear between neighbours", kSummary,
     "quantileOfSorted"},
    {"step_time_s.p50", "Step time p50", "s", "Half of the steps are shorter", kSummary, "quantileOfSorted"},
    {"step_time_s.p95", "p95", "s", "95 % of the steps are shorter", kSummary, "quantileOfSorted"},
    {"step_time_s.p99", "p99", "s", "99 % of the steps are shorter", kSummary, "quantileOfSorted"},
    {"step_time_s.ci95", "±", "s",
     "Half-width of the 95 % interval of the sampling error: normal for the mean, order statistics (David and Nagaraja 2003, sec. 7.1) for "
     "a "
     "quantile, both with the error that all samples share",
     kSummary, "summarize"},
    {"step_time_s.samples", "n", "1", "Number of sampled steps", kSummary, "summarize"},
    {"within_job_s", "Within one job", "s", "The same figures for steps of one median job, whose GPUs stay as they are", kSimulate,
     "simulate"},
    {"noise_free_step_time_s", "Noise-free step", "s", "The step with every random factor at its mean and slow places as marked",
     "core/step/deterministicstep.cpp", "seconds"},
    {"slowdown_p50", "Slowdown", "×", "Median step over the noise-free step", kEngine, "describe"},
    {"slowdown_p95", "", "×", "p95 of the step over the noise-free step", kEngine, "describe"},
    {"variance_share", "", "1",
     "Share of the variance that is left when only one cause varies (first-order Sobol index); interaction is what the causes share. ci95: "
     "half-width of the 95 % interval of each",
     kSimulate, "simulate"},
    {"tokens_per_s", "Tokens/s", "tokens/s", "Tokens of a step over the median step", kEngine, "describe"},
    {"tflops_per_gpu", "", "TFLOP/s", "Model FLOPs of a step over the median step and the number of GPUs", kEngine, "describe"},
    {"mfu", "MFU", "%",
     "Model FLOPs utilisation: model FLOPs (no recomputation; PaLM, arXiv 2204.02311, appendix B) over what the GPUs' matrix peak would do "
     "in the median "
     "step",
     kEngine, "describe"},
    {"mfu_causal", "", "%", "MFU with the causal half of attention only", kEngine, "describe"},
    {"hfu", "", "%", "Hardware FLOPs utilisation: the same with recomputed FLOPs", kEngine, "describe"},
    {"memory_gib.peak", "Peak memory", "GiB", "Largest total of all stages", kStageMemory, "addMemory"},
    {"memory_gib.capacity", "", "GiB", "Memory of the GPU", kStageMemory, "addMemory"},
    {"memory_gib.fits", "", "", "Peak at most the capacity", kStageMemory, "addMemory"},
    {"memory_gib.stages.stage", "Stage", "", "Number of the pipeline stage", kStageMemory, "addMemory"},
    {"memory_gib.stages.weights", "Weights", "GiB", "Parameters of the stage in the training precision, sharded by TP, EP and ZeRO-3",
     kMemory, "stageParameters"},
    {"memory_gib.stages.gradients", "Gradients", "GiB", "A gradient per parameter, sharded from ZeRO-2 on", kMemory, "stageParameters"},
    {"memory_gib.stages.optimizer", "Optimizer", "GiB",
     "Master weights and two moments of Adam, 12 bytes per parameter, sharded from ZeRO-1 on (arXiv 1910.02054, section 3.1)", kMemory,
     "stageParameters"},
    {"memory_gib.stages.activations", "Activations", "GiB",
     "What forward passes keep until their backward (arXiv 2205.05198, equations 1 to 6, per kernel), times the passes in flight by the "
     "schedule",
     kMemory, "activationBytes"},
    {"memory_gib.stages.buffers", "Buffers", "GiB", "Communication and library buffers and the context", kMemory, "transientBytes"},
    {"memory_gib.stages.total", "Total", "GiB", "Sum of the parts", kStageMemory, "addMemory"},
    {"breakdown_s.compute", "Compute", "s", "Compute kernels along the critical path of the noise-free step", kBreakdown, "breakdownOf"},
    {"breakdown_s.tensor_parallel", "Tensor parallel", "s", "Exposed tensor-parallel communication along that path", kBreakdown,
     "breakdownOf"},
    {"breakdown_s.context_parallel", "Context parallel", "s", "Exposed context-parallel communication along that path", kBreakdown,
     "breakdownOf"},
    {"breakdown_s.expert_parallel", "Expert parallel", "s", "Exposed expert-parallel communication along that path", kBreakdown,
     "breakdownOf"},
    {"breakdown_s.pipeline", "Pipeline", "s", "Transfers between stages along that path", kBreakdown, "breakdownOf"},
    {"breakdown_s.bubble", "Bubble", "s", "Time in which the slowest stage waits for others", kBreakdown, "breakdownOf"},
    {"breakdown_s.data_parallel", "Data parallel", "s", "Exposed gradient and parameter traffic", kBreakdown, "breakdownOf"},
    {"breakdown_s.optimizer", "Optimizer", "s", "Parameter update", kBreakdown, "breakdownOf"},
    {"breakdown_s.other", "Other", "s", "Host time and what no other part names", kBreakdown, "breakdownOf"},
    {"stage_breakdown_s", "", "s", "The same parts on each stage, first to last; each stage's sum to the noise-free step", kBreakdown,
     "stageBreakdowns"},
    {"communication", "", "s",
     "Per class of communication on the busiest stage: seconds hidden behind compute and exposed seconds (exposed); shares "
     "of the step and of "
     "the GPU-hours",
     "core/cost/communication.cpp", "communicationOf"},
    {"error_band", "Model error", "1", "Relative error of the predicted median: nine of ten lie within", kPredictor, "costStep"},
    {"error_band_source", "", "", "What the error band rests on: published runs, or a measurement of this job", kPredictor, "bandSource"},
    {"over_systems", "Over systems", "1",
     "The 5 %, 50 % and 95 % quantiles, over 32 systems drawn by the variability preset's systems, of p95 and p99 over p50 in a run, and "
     "of the "
     "median step with the error of the mean",
     "core/engine/systemsrange.cpp", "systemsRange"},
    {"within_calibration", "", "", "No input lies outside of what was validated", kPredictor, "costStep"},
    {"days_to_train", "Days to train", "d", "Tokens to train over tokens per step, times the mean step", kEngine, "describe"},
    {"cost_usd", "Cost", "USD", "Days to train times GPUs times the price of a GPU-hour", kEngine, "describe"},
    {"world", "", "", "GPUs, nodes, parallel sizes and micro-batches as derived from the scenario", kPredictor, "costStep"},
    {"elapsed_s", "", "s", "Time that the evaluation took on this machine", kEngine, "secondsSince"},
    {"compare:probability_better", "Probability of being better", "%",
     "Share of paired samples (the same random numbers) in which the scenario's step is shorter than the baseline's",
     "core/insight/compare/compare.cpp", "probabilityBelow"},
    {"guarantee:exceedance", "P(step > x)", "%",
     "Share of the steps beyond x as predicted, with the interval of the score test (Wilson 1927)", "core/insight/empirical.cpp",
     "exceedance"},
    {"guarantee:training", "", "d",
     "Steps times a job's mean step, which its persistent factors shift as a whole; the rest averages out by the correlation of the "
     "regimes",
     "core/insight/guarantee/trainingtime.cpp", "trainingTime"},
    {"placement:gain", "Gain", "s", "p95 of the present order less p95 of the advised one, both sampled",
     "core/insight/placement/placement_search.cpp", "searchPlacement"},
    {"sensitivity:delta", "Change", "s", "The figure with a class's spread removed or doubled, less the figure as it is",
     "core/insight/sensitivity/sensitivity.cpp", "sensitivity"},
    {"scale:p95_s", "p95", "s", "p95 of the step at each number of GPUs", "core/insight/scale/scale.cpp", "scaleCurve"},
    {"job:days", "Done after", "d",
     "Wall time of sampled runs with failures, checkpoints, pauses, the error of the predicted mean and how systems differ",
     "core/job/timeline.cpp", "sampledRun"},
    {"job:effective_ratio", "Effective training time", "%", "Productive over wall time, mean of the runs (ETTR, arXiv 2410.21680)",
     "core/job/trainingrun.cpp", "setShares"},
    {"job:checkpoints", "Checkpoint interval", "s", "The interval with the least expected time: M (1 + W0(-exp(-d/M - 1)))",
     "core/job/checkpointing.cpp", "exactInterval"},
    {"job:spares", "Spares", "nodes", "P(a failing node finds none) = P(K >= spares), K Poisson with mean failures times repair time",
     "core/job/jobtimes.cpp", "probabilityNoSpare"},
    {"job:energy_mwh", "Energy", "MWh", "Node power times nodes, PUE and mean wall time", "core/job/trainingrun.cpp", "setMoney"},
};

} // namespace

std::span<const Metric> metrics()
{
    return kMetrics;
}

const Metric* metricOf(std::string_view key)
{
    const auto it = std::find_if(std::begin(kMetrics), std::end(kMetrics), [&](const Metric& f) {
        return key == f.key || (key.starts_with(f.key) && key.size() > f.key.size() && key[f.key.size()] == '.');
    });
    return it == std::end(kMetrics) ? nullptr : it;
}

std::string metricPage()
{
    std::string page =
        "# Metrics\n\nWhere each metric comes from: its key in `prism-cli predict sample-baseline --json` (or `command:key`), what it is "
        "called in the\n"
        "window, its unit, its formula in words, and the function that computes it. `prism-cli help metrics --markdown` prints this "
        "page.\n\n"
        "| key | label | unit | formula | computed by |\n| --- | --- | --- | --- | --- |\n";
    for (const Metric& f : kMetrics)
        for (const std::string& part :
             {"| `" + std::string(f.key) + "` | ", std::string(f.label) + " | ", std::string(f.unit) + " | ",
              std::string(f.formula) + " | ", "`" + std::string(f.function) + "` in `" + std::string(f.file) + "` |\n"})
            page += part;
    return page;
}

} // namespace prism
