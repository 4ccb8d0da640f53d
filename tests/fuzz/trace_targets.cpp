// SPDX-License-Identifier: GPL-3.0-or-later
// Traces of jobs: profiler traces, stage tables with their sizes, pipeline events, and a log that is followed line by line.
#include "core/base/outputfile.h"
#include "core/insight/follow/follower.h"
#include "core/trace/barriers.h"
#include "core/trace/chrometrace.h"
#include "core/trace/jobpools.h"
#include "core/trace/kinetoreport.h"
#include "core/trace/stagetable.h"
#include "core/trace/repairs.h"
#include "core/trace/schedulename.h"
#include "core/trace/whatif.h"
#include "fuzz/scratch.h"
#include "fuzz/structure.h"
#include "fuzz/target.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>

namespace prism::fuzz {
namespace {

void kineto(std::string_view bytes)
{
    const std::string path = scratchFile("trace.json");
    holds(writeFile(path, bytes).empty(), "the scratch file can be written");
    const auto ranks = readKineto(path);
    if (!ranks)
        return;
    for (const KinetoRank& rank : *ranks)
        for (const KinetoKernel& k : rank.kernels)
            holds(std::isfinite(k.start) && std::isfinite(k.duration) && k.duration >= 0 && k.name < rank.names.size(),
                  "kept activities have times and names");
    const KinetoReport report = kinetoReport(*ranks);
    holds(report.matchedKernels <= report.collectiveKernels, "no more collectives are matched than there are");
    for (const DurationPool& pool : report.pools)
        for (const double seconds : pool.seconds)
            holds(std::isfinite(seconds) && seconds >= 0, "pools hold durations");
    (void)poolsCsv(report.pools);
    holds(nlohmann::json::accept(chromeTrace(*ranks)), "what is written is JSON");
}

/// Everything that is asked of a job.
void ask(const TraceJob& job)
{
    holds(!job.steps.empty() && job.replicas > 0 && job.stages > 0, "a job has steps and workers");
    const FoundBarriers barriers = hiddenBarriers(job);
    (void)recoveredSchedule(job.steps.back(), job);
    if (const auto w = whatIf(job))
        holds(!std::isnan(w->idealSeconds), "an ideal step is a number");
    holds(nlohmann::json::accept(chromeTrace(job.steps.front(), job)), "what is written is JSON");
    const auto regular = regularJob(job, barriers.sets);
    if (!regular)
        return;
    (void)durationPools(*regular, computeFactors(*regular));
    if (const auto r = repairsOf(*regular))
        for (const Repair& repair : r->repairs)
            holds(std::isfinite(repair.after.mean), "repaired steps are numbers");
}

void stageTable(std::string_view bytes)
{
    const std::string path = scratchFile("table.csv");
    holds(writeFile(path, bytes).empty(), "the scratch file can be written");
    if (const auto job = readStageTable(path))
        ask(*job);
    if (const auto job = readStageTable(path, {.name = "stated", .replicas = 2, .stages = 2, .chunks = 1}))
        ask(*job);
}

void stageMeta(std::string_view bytes)
{
    const std::string path = scratchFile("meta.yaml");
    holds(writeFile(path, bytes).empty(), "the scratch file can be written");
    if (const auto meta = readStageTableMeta(path))
        holds(meta->replicas >= 0 && meta->stages >= 0 && meta->chunks >= 0, "sizes are not negative");
}

void pipelineEvents(std::string_view bytes)
{
    const std::string folder = scratchFile("events");
    std::error_code none;
    std::filesystem::create_directory(folder, none);
    for (const char* name : {"pp_rank_0.json", "pp_rank_1.json"})
        holds(writeFile((std::filesystem::path(folder) / name).string(), bytes).empty(), "the scratch file can be written");
    if (const auto job = readPipelineEvents(folder))
        ask(*job);
}

void follow(std::string_view bytes)
{
    std::vector<double> predicted;
    for (int i = 0; i < 200; ++i)
        predicted.push_back(10 + 0.01 * (i % 7));
    StepFollower follower(predicted, {});
    StepLogReader reader;
    for (std::size_t begin = 0; begin < bytes.size();) {
        const std::size_t end = std::min(bytes.find('\n', begin), bytes.size());
        if (reader.line(bytes.substr(begin, end - begin)))
            for (const Deviation& d : follower.take(reader.last()))
                holds(std::isfinite(d.ratio) && !d.text.empty(), "an alarm says what it is");
        begin = end + 1;
    }
    holds(!std::isnan(follower.last().probability), "a step has a place");
}

constexpr Target kTargets[] = {{"kineto", kineto, 1 << 16, nullptr, mutateJson},
                               {"stage_table", stageTable},
                               {"stage_meta", stageMeta},
                               {"pipeline_events", pipelineEvents},
                               {"follow", follow}};

} // namespace

std::span<const Target> traceTargets()
{
    return kTargets;
}

} // namespace prism::fuzz
