// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/golden/metrics.h"

#include "core/cost/communication.h"
#include "core/cost/predictor.h"
#include "core/cost/quickstep.h"
#include "core/engine/evaluator.h"
#include "core/job/trainingrun.h"
#include "core/job/jobsection.h"
#include "core/job/jobtimes.h"
#include "core/schedule/generators.h"
#include "core/step/deterministicstep.h"
#include "core/workload/kernel.h"
#include "core/workload/memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace prism::golden {
namespace {

constexpr std::int64_t kJobGpus = 128; ///< whole jobs go through the simulator: those of larger ones take too long for a quick test

void addStep(const Sheet& sheet, const CostedStep& step)
{
    const Breakdown& b = step.breakdown;
    sheet.add("step.noise_free_s", step.noiseFreeSeconds);
    sheet.add("step.compute_s", b.computeSeconds);
    sheet.add("step.tensor_parallel_s", b.tensorParallelSeconds);
    sheet.add("step.context_parallel_s", b.contextParallelSeconds);
    sheet.add("step.expert_parallel_s", b.expertParallelSeconds);
    sheet.add("step.pipeline_s", b.pipelineSeconds);
    sheet.add("step.bubble_s", b.bubbleSeconds);
    sheet.add("step.data_parallel_s", b.dataParallelSeconds);
    sheet.add("step.optimizer_s", b.optimizerSeconds);
    sheet.add("step.other_s", b.otherSeconds);
    sheet.add("step.error_band", {step.errorBandLow, step.errorBandHigh});
    sheet.add("step.within_calibration", step.withinCalibration ? 1 : 0);
    const World& w = step.world;
    std::vector<double> sizes;
    for (const std::int64_t n : {w.tp, w.pp, w.vpp, w.cp, w.ep, w.dp, w.gpus, w.nodes, w.numMicrobatches})
        sizes.push_back(static_cast<double>(n));
    sheet.add("step.tp_pp_vpp_cp_ep_dp_gpus_nodes_microbatches", sizes);
    sheet.add("flops.model_per_step", step.modelFlopsPerStep);
    sheet.add("flops.causal_per_step", step.causalFlopsPerStep);
    sheet.add("flops.hardware_per_step", step.hardwareFlopsPerStep);
    sheet.add("flops.peak_tflops_per_gpu", step.peakTflopsPerGpu);
    sheet.add("model.parameters", step.parameters);
    sheet.add("model.tokens_per_step", step.tokensPerStep);
}

void addMemory(const Sheet& sheet, const MemoryReport& memory)
{
    const auto ofStages = [&](double StageMemory::*part) {
        std::vector<double> values;
        for (const StageMemory& m : memory.stages)
            values.push_back(m.*part);
        return values;
    };
    sheet.add("memory.weights_gib_by_stage", ofStages(&StageMemory::weightsGib));
    sheet.add("memory.gradients_gib_by_stage", ofStages(&StageMemory::gradientsGib));
    sheet.add("memory.optimizer_gib_by_stage", ofStages(&StageMemory::optimizerGib));
    sheet.add("memory.activations_gib_by_stage", ofStages(&StageMemory::activationsGib));
    sheet.add("memory.buffers_gib_by_stage", ofStages(&StageMemory::buffersGib));
    sheet.add("memory.total_gib_by_stage", ofStages(&StageMemory::totalGib));
    sheet.add("memory.peak_gib", memory.peakGib);
    sheet.add("memory.fits", memory.fits ? 1 : 0);
}

/// Seconds, FLOPs and bytes that the kernels of one class take in one micro-batch of the whole model, on one rank of each stage in sum.
void addKernels(const Sheet& sheet, const Scenario& scenario, const StepGraph& graph)
{
    std::vector<double> seconds(graph.classes.size()), bytes(seconds), flops(seconds);
    for (const auto& [stage, chunk] : graph.schedule.path)
        for (const int program : graph.programOf[static_cast<std::size_t>(stage)][static_cast<std::size_t>(chunk)])
            if (program >= 0)
                for (const Block& block : graph.programs[static_cast<std::size_t>(program)].blocks)
                    for (const Op& op : block.ops)
                        seconds[static_cast<std::size_t>(op.kernelClass)] += block.repeat * op.meanSeconds;
    const Shape shape = shapeOf(scenario);
    const auto count = [&](const LayerKernels& layer, double times) {
        for (const auto* kernels : {&layer.forward, &layer.backward, &layer.selectiveRecompute})
            for (const Kernel& k : *kernels) {
                bytes[static_cast<std::size_t>(k.id)] += times * k.bytes;
                flops[static_cast<std::size_t>(k.id)] += times * k.flops;
            }
    };
    for (const ChunkLayers& c : chunkLayers(scenario, graph.schedule.path)) {
        if (!scenario.model.operators.empty()) {
            count(genericKernels(scenario, shape), 1);
            continue;
        }
        for (int kind = 0; kind < kLayerKinds; ++kind)
            if (const int layers = c.count[static_cast<std::size_t>(kind)]; layers > 0)
                count(layerKernels(scenario, shape, static_cast<LayerKind>(kind)), layers);
        if (c.embedding)
            count(embeddingKernels(scenario, shape), 1);
        if (c.mtp > 0)
            count(mtpKernels(scenario, shape), c.mtp);
        if (c.head)
            count(headKernels(scenario, shape), 1);
    }
    for (std::size_t c = 0; c < seconds.size(); ++c)
        sheet.add("kernel." + graph.classes[c].name + ".seconds_bytes_flops_per_microbatch", {seconds[c], bytes[c], flops[c]});
}

void addCommunication(const Sheet& sheet, const CostedStep& step)
{
    const StepGraph& g = step.graph;
    const Communication all = communicationOf(g, step.noiseFreeSeconds);
    for (const ClassCommunication& c : all.classes) {
        const std::string name = "communication." + c.name + (c.scope == Scope::interNode ? ".between_nodes" : ".in_nodes");
        sheet.add(name + ".exposed_hidden_s_busiest_and_mean_stage",
                  {c.exposedSeconds, c.hiddenSeconds, c.meanExposedSeconds, c.meanHiddenSeconds});
    }
    sheet.add("communication.exposed_share", {all.exposedShare, all.exposedShareOfGpuHours});
    const auto ofStages = [&](const std::string& metric, const std::vector<StepOp>& ops) {
        std::vector<double> mean, hidden, groups, buckets;
        for (const StepOp& op : ops) {
            const bool present = op.kernelClass >= 0;
            mean.push_back(present ? op.meanSeconds : 0);
            hidden.push_back(present ? std::min(op.meanSeconds, op.hiddenSeconds) : 0);
            groups.push_back(present ? op.groups - 1 : 0);
            buckets.push_back(present ? op.buckets - 1 : 0);
        }
        sheet.add("graph." + metric + ".mean_s", mean);
        sheet.add("graph." + metric + ".hidden_s", hidden);
        sheet.add("graph." + metric + ".further_groups", groups);
        sheet.add("graph." + metric + ".further_buckets", buckets);
    };
    ofStages("grad_sync_by_stage", g.gradSync);
    ofStages("param_gather_by_stage", g.paramGather);
    ofStages("optimizer_by_stage", g.optimizer);
    ofStages("send_by_hop", g.sendForward);
    ofStages("grad_norm_and_embedding", {g.gradNorm, g.embeddingAllReduce});
}

/// The step when one cell is 20 % slower, over the noise-free one: first, middle and last stage.
void addPlacement(const Sheet& sheet, const StepGraph& graph)
{
    const DeterministicStep step(graph);
    const double base = step.fixedSeconds();
    std::vector<double> ratios;
    for (const int slow : {0, graph.schedule.numStages / 2, graph.schedule.numStages - 1})
        ratios.push_back(step.seconds(step.distinctReplicas(), [&](int replica, int stage) {
            return step.fixedSlowest(replica, stage) * (stage == slow && replica == 0 ? 1.2 : 1.0);
        }) / base);
    sheet.add("placement.slow_first_middle_last_ratio", ratios);
}

void addSpreads(const Sheet& sheet, const StepGraph& g)
{
    std::vector<double> cv, rare, sensitivity;
    for (const KernelClass& c : g.classes) {
        cv.push_back(c.temporal.cv);
        rare.push_back(c.temporal.mean());
        sensitivity.push_back(c.spatialSensitivity);
    }
    sheet.add("spread.cv_by_class", cv);
    sheet.add("spread.mean_by_class", rare);
    sheet.add("spread.sensitivity_by_class", sensitivity);
    sheet.add("spread.cv_spatial_data_routing_intra_inter_compute",
              {g.spatial.cv, g.data.cv, g.routing.cv, g.intraRegime.cv, g.interRegime.cv, g.computeRegime.cv});
    sheet.add("spread.lag1_links_compute_node_share", {g.regimeLag1, g.computeRegimeLag1, g.spatialNodeShare});
    sheet.add("spread.jitter_s_stalls_per_gpu_hour_mean_s_cv_rate_cv",
              {g.delays.jitterSeconds, g.delays.stallsPerGpuHour, g.delays.stallMeanSeconds, g.delays.stallCv, g.delays.stallRateCv});
    sheet.add("graph.replicas_ranks_groups_lockstep_node_ranks",
              {static_cast<double>(g.numReplicas), static_cast<double>(g.groupRanks), static_cast<double>(g.groupsPerCell),
               static_cast<double>(g.lockstepReplicas), static_cast<double>(g.nodeRanks)});
}

/// Throughput, utilisation, days and money at the noise-free step.
void addRun(const Sheet& sheet, const Scenario& scenario, const CostedStep& step)
{
    const double gpus = static_cast<double>(step.world.gpus), peak = gpus * step.peakTflopsPerGpu * 1e12 * step.noiseFreeSeconds;
    sheet.add("run.tokens_per_s", step.tokensPerStep / step.noiseFreeSeconds);
    sheet.add("run.mfu_causal_mfu_hfu", {step.causalFlopsPerStep / peak, step.modelFlopsPerStep / peak, step.hardwareFlopsPerStep / peak});
    const double hours = scenario.training.trainTokens / step.tokensPerStep * step.noiseFreeSeconds / 3600;
    sheet.add("run.days_cost_usd", {hours / 24, hours * gpus * scenario.cluster.gpuHourPriceUsd});
}

/// Without spreads one sample is the step: the whole job by its own functions.
void addJob(const Sheet& sheet, Scenario scenario)
{
    scenario.variability = VariabilityConfig();
    if (scenario.training.trainTokens <= 0)
        scenario.training.trainTokens = 1e12;
    Evaluator evaluator;
    EvaluateOptions options;
    options.numSamples = 1;
    options.varianceShares = options.systemsRange = false;
    const SnapshotPtr s = evaluator.evaluate(scenario, options);
    sheet.add("job.step_tokens_per_s_tflops_per_gpu", {s->tokensPerSecond, s->tflopsPerGpu});
    sheet.add("job.step_mfu_causal_mfu_hfu", {s->mfuCausal, s->mfu, s->hfu});
    sheet.add("job.step_days_cost_usd", {s->daysToTrain, s->costUsd});
    JobQuery query;
    query.runs = 100;
    InsightOptions insight;
    insight.samples = 1;
    const Result<JobReport> job = jobOf(evaluator, scenario, query, insight);
    ASSERT_TRUE(job.ok()) << sheet.name << ": " << job.errors().front().message;
    sheet.add("job.days_mean_p5_p50_p95_p99", {job->meanDays, job->p5Days, job->p50Days.value, job->p95Days.value, job->p99Days});
    sheet.add("job.cost_usd_mean_p95", {job->costUsdMean, job->costUsdP95});
    sheet.add("job.energy_mwh", job->energyMwhMean);
    sheet.add("job.co2_t", job->co2TonnesMean);
    sheet.add("job.mtbf_h", std::min(1e12, job->plan.mtbfHours));
    sheet.add("job.checkpoint_used_best_young_daly_s",
              {std::min(1e12, job->checkpoints.usedSeconds), std::min(1e12, job->checkpoints.bestSeconds),
               std::min(1e12, job->checkpoints.youngSeconds), std::min(1e12, job->checkpoints.dalySeconds)});
    sheet.add("job.checkpoint_used_best_ratio", {job->checkpoints.usedRatio, job->checkpoints.bestRatio});
    sheet.add("job.closed_form_days_mean_std", {job->closedForm.days.mean, job->closedForm.days.std});
    sheet.add("job.spares_for_99", job->sparesFor99);
    sheet.add("job.deadline_probability", job->deadlineProbability.value);
    for (const TimeShare& share : job->shares)
        sheet.add("job.days." + share.cause, share.days);
}

} // namespace

void addScenario(Metrics& metrics, const std::string& name, const Scenario& scenario)
{
    const Sheet sheet{metrics, name};
    const Result<CostedStep> step = costStep(scenario);
    ASSERT_TRUE(step.ok()) << name << ": " << step.errors().front().path << " " << step.errors().front().message;
    addStep(sheet, *step);
    addMemory(sheet, step->memory);
    addKernels(sheet, scenario, step->graph);
    addCommunication(sheet, *step);
    addPlacement(sheet, step->graph);
    addSpreads(sheet, step->graph);
    QuickCoster quick;
    sheet.add("step.search_noise_free_s", quick.step(scenario)->noiseFreeSeconds);
    sheet.add("memory.search_peak_gib", quick.step(scenario)->peakGib);
    addRun(sheet, scenario, *step);
    if (step->world.gpus <= kJobGpus)
        addJob(sheet, scenario);
}

void addSchedules(Metrics& metrics)
{
    for (const std::string& name : scheduleNames())
        for (const int stages : {2, 4})
            for (const int chunks : {1, 2, 3}) {
                const Result<Schedule> schedule = makeSchedule(name, stages, chunks, 3 * stages);
                if (!schedule.ok())
                    continue;
                const Sheet sheet{metrics, "schedule." + name + ".p" + std::to_string(stages) + ".v" + std::to_string(chunks) + ".m"
                                               + std::to_string(3 * stages)};
                const bool splits = schedulesWeight(name);
                const ScheduleTiming timing = scheduleTiming(*schedule, {1, splits ? 1.0 : 2.0, splits ? 1.0 : 0.0, 0.25});
                sheet.add("length_forwards", timing.endSeconds);
                sheet.add("longest_stage_forwards", timing.longestStageSeconds);
                std::vector<double> held;
                for (const int n : activationsInFlight(*schedule))
                    held.push_back(n);
                sheet.add("chunks_in_flight_by_stage", held);
            }
}

} // namespace prism::golden
