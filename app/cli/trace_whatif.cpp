// SPDX-License-Identifier: GPL-3.0-or-later
// trace whatif: what a measured job would take without the excess of a class, a worker or a stage.
#include "app/cli/tracecommand.h"
#include "core/trace/whatif.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <spdlog/fmt/fmt.h>

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

std::string whatIfJson(const TraceJob& job, const WhatIf& w)
{
    Json types = Json::object(), steps = Json::object();
    for (const auto& [type, slowdown] : w.byType)
        types[type] = slowdown;
    for (const WhatIfStep& s : w.steps)
        steps[std::to_string(s.number)] = {{"base", s.base}, {"no_delay", s.noDelay}, {"ideal", s.ideal}};
    Json notes = notesJson(job.notes);
    for (const Json& n : notesJson(w.notes))
        notes.push_back(n);
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
                         {"notes", notes}};
    return report.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string whatIfText(const TraceJob& job, const WhatIf& w)
{
    std::string text = fmt::format("{} steps of {} replicas x {} stages\n", w.steps.size(), job.replicas, job.stages);
    text += fmt::format("Slowdown S {:.4f}: a step without gaps takes {:.4g} s where every operation of a type took the same {:.4g} s\n",
                        w.slowdown, w.slowdown * w.idealSeconds, w.idealSeconds);
    text += fmt::format("Gaps between operations add {:.2f} %\n\n", 100 * (w.launchSlowdown - 1));
    for (const auto& [type, slowdown] : w.byType)
        text += fmt::format("  {:<28} S {:.4f}\n", type, slowdown);
    for (std::size_t s = 0; s < w.byStage.size(); ++s)
        text += fmt::format("  {:<28} S {:.4f}\n", fmt::format("stage {}", s), w.byStage[s]);
    text += fmt::format("\nOf the excess the worst {} workers explain {:.1f} %, the last stage {:.1f} %\n", w.worstWorkers.size(),
                        100 * w.worstWorkersShare, 100 * w.lastStageShare);
    return text + diagnosticsText(job.notes) + diagnosticsText(w.notes);
}

} // namespace

void addTraceWhatIf(CLI::App& parent, Cli& cli)
{
    auto options = std::make_shared<JobOptions>();
    CLI::App* command = parent.add_subcommand("whatif", "Slowdown figures: the excess of types, stages and workers of a measured job");
    addJob(*command, *options, cli);
    command->callback([options] {
        const TraceJob job = loadJob(*options);
        const WhatIf w = require(whatIf(job));
        writeOutput(*options, options->json ? whatIfJson(job, w) : whatIfText(job, w));
    });
}

} // namespace prism::cli
