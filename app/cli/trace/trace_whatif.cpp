// SPDX-License-Identifier: GPL-3.0-or-later
// trace whatif: what a measured job would take without the excess of a class, a worker or a stage, and what repairs would bring.
#include "app/cli/trace/tracecommand.h"
#include "core/trace/barriers.h"
#include "core/base/valuetext.h"
#include "core/insight/report.h"
#include "core/trace/profilemodel.h"
#include "core/trace/whatif.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <spdlog/fmt/fmt.h>

#include <cmath>
#include <memory>

namespace prism::cli {

namespace {

using Json = nlohmann::ordered_json;

Json workersJson(const TraceJob& job, const std::vector<int>& workers)
{
    Json list = Json::array();
    for (const int w : workers)
        list.push_back({{"dp_rank", job.replicaNumbers[static_cast<std::size_t>(w / job.stages)]}, {"stage", w % job.stages}});
    return list;
}

Json timesJson(const StepTimes& t)
{
    return {{"mean_s", t.mean}, {"p50_s", t.p50}, {"p95_s", t.p95}, {"p99_s", t.p99}};
}

Json repairsJson(const Repairs& r, const Json& slowWorkers)
{
    Json list = Json::array(), stages = Json::array();
    for (const StageLoad& s : r.stages)
        stages.push_back({{"stage", s.stage}, {"micro_batch_s", s.seconds}, {"over_mean", s.overMean}});
    for (const Repair& repair : r.repairs)
        list.push_back(
            {{"id", repair.id},
             {"text", repair.text},
             {"after", timesJson(repair.after)},
             {"saved_s", {{"mean", repair.saved.value}, {"half_width95", repair.saved.halfWidth}, {"p95", repair.savedP95Seconds}}},
             {"steps_s", repair.seconds}});
    return {{"before", timesJson(r.before)}, {"before_steps_s", r.beforeSeconds}, {"replay_error", r.replayError},
            {"slow_workers", slowWorkers},   {"stages", std::move(stages)},       {"repairs", std::move(list)},
            {"notes", notesJson(r.notes)}};
}

std::string whatIfJson(const TraceJob& job, const WhatIf& w, const Repairs& r)
{
    Json types = Json::object(), steps = Json::object();
    for (const auto& [type, slowdown] : w.byType)
        types[type] = slowdown;
    for (const WhatIfStep& s : w.steps)
        steps[std::to_string(s.number)] = {{"base", s.base}, {"no_delay", s.noDelay}, {"ideal", s.ideal}};
    const Json report = {{"name", job.name},
                         {"dp_ranks", job.replicaNumbers},
                         {"launch_slowdown", w.launchSlowdown},
                         {"S", w.slowdown},
                         {"S_t", types},
                         {"S_stage", w.byStage},
                         {"S_dp", w.byReplica},
                         {"M_W", w.worstWorkersShare},
                         {"M_S", w.lastStageShare},
                         {"worst_workers", workersJson(job, w.worstWorkers)},
                         {"ideal_s", w.idealSeconds},
                         {"per_step", steps},
                         {"what_a_repair_brings", repairsJson(r, slowWorkersJson(job, r.slow))},
                         {"notes", notesJson(job, w.notes)}};
    return report::dump(report);
}

std::string repairsText(const Repairs& r, const std::string& slowWorkers)
{
    std::string text = "\nWhat a repair brings (the measured steps run again with one repair; not the published ideal)\n";
    const auto line = [&](const std::string& name, const StepTimes& t) {
        text += fmt::format("  {:<24} mean {:>8} s   p50 {:>8} s   p95 {:>8} s", name, amountText(t.mean, 4), amountText(t.p50, 4),
                            amountText(t.p95, 4));
    };
    line("as measured", r.before);
    text += fmt::format("   (run again within {:.2f} %)\n", 100 * r.replayError);
    for (const Repair& repair : r.repairs) {
        line(repair.id, repair.after);
        text += fmt::format("   saves {} s: {}\n", plusMinus(repair.saved.value, repair.saved.halfWidth), repair.text);
    }
    text += slowWorkers;
    for (const StageLoad& s : r.stages)
        if (std::abs(s.overMean - 1) > kUnevenStage)
            text += fmt::format("Uneven stage: stage {} takes {} s for a micro-batch, {:.2f} times the mean of the stages\n", s.stage,
                                amountText(s.seconds, 4), s.overMean);
    return text + diagnosticsText(r.notes);
}

std::string whatIfText(const TraceJob& job, const WhatIf& w, const Repairs& r)
{
    std::string text = fmt::format("{} steps of {} replicas x {} stages\n", w.steps.size(), job.replicas, job.stages);
    text += fmt::format("Slowdown S {:.4f}: a step without gaps takes {} s where every operation of a type took the same {} s\n",
                        w.slowdown, amountText(w.slowdown * w.idealSeconds, 4), amountText(w.idealSeconds, 4));
    text += fmt::format("Gaps between operations add {:.2f} %\n\n", 100 * (w.launchSlowdown - 1));
    for (const auto& [type, slowdown] : w.byType)
        text += fmt::format("  {:<28} S {:.4f}\n", type, slowdown);
    for (std::size_t s = 0; s < w.byStage.size(); ++s)
        text += fmt::format("  {:<28} S {:.4f}\n", fmt::format("stage {}", s), w.byStage[s]);
    text += fmt::format("\nOf the excess the worst {} workers explain {:.1f} %, the last stage {:.1f} %\n", w.worstWorkers.size(),
                        100 * w.worstWorkersShare, 100 * w.lastStageShare);
    return text + repairsText(r, slowWorkersText(job, r.slow)) + diagnosticsText(job.notes) + diagnosticsText(w.notes);
}

/// Repairs of profiler traces: the published slowdowns need the operations of a stage table.
void profileWhatIf(const JobOptions& options)
{
    Diagnostics notes;
    const ProfileModel model = require(profileModel(loadRanks({options.table}, options.progress, notes)));
    const Repairs r = require(profileRepairs(model, options.repairs));
    Json slow = Json::array();
    std::string text = fmt::format("{} steps of {} profiled ranks\n", model.steps.size(), model.ranks.size()), slowText;
    for (const SlowWorker& w : r.slow) {
        slow.push_back({{"rank", w.replica}, {"over_median", w.factor}});
        slowText += fmt::format("Slow worker: rank {} takes {:.3f} times as long as the median of the ranks\n", w.replica, w.factor);
    }
    const Json answer = {{"ranks", model.ranks},
                         {"rank_factors", rankFactors(model)},
                         {"what_a_repair_brings", repairsJson(r, slow)},
                         {"assumptions", model.assumptions},
                         {"notes", notesJson(notes)}};
    text += repairsText(r, slowText) + assumedText(model.assumptions, {}, notes);
    writeOutput(options, options.json ? report::dump(answer) : text);
}

} // namespace

void addTraceWhatIf(CLI::App& parent, Cli& cli)
{
    auto options = std::make_shared<JobOptions>();
    CLI::App* command =
        parent.add_subcommand("whatif", "Slowdown metrics of a measured job, and the gain from repairing workers, stages and gaps");
    addJob(*command, *options, cli);
    addRepairs(*command, *options);
    command->callback([options] {
        if (isProfile(options->table))
            return profileWhatIf(*options);
        const TraceJob job = loadJob(*options);
        const WhatIf w = require(whatIf(job));
        const RegularJob regular = require(regularJob(job, hiddenBarriers(job).sets));
        const Repairs r = require(repairsOf(regular));
        writeOutput(*options, options->json ? whatIfJson(job, w, r) : whatIfText(job, w, r));
    });
}

} // namespace prism::cli
