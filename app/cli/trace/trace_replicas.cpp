// SPDX-License-Identifier: GPL-3.0-or-later
// trace replicas: the steps of a measured job with another number of replicas.
#include "app/cli/trace/tracecommand.h"
#include "core/trace/otherreplicas.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <spdlog/fmt/fmt.h>

#include <memory>

namespace prism::cli {

namespace {

using Json = nlohmann::ordered_json;

struct ReplicasOptions : JobOptions {
    OtherReplicasOptions other;
};

std::string replicasJson(const TraceJob& job, const ReplicaScaling& s)
{
    Json list = Json::array();
    for (const OtherReplicas& o : s.drawn)
        list.push_back({{"replicas", o.replicas},
                        {"mean_s", o.step.mean},
                        {"mean_half_width95_s", o.meanHalfWidth},
                        {"p50_s", o.step.p50},
                        {"p95_s", o.step.p95},
                        {"p99_s", o.step.p99},
                        {"replica_phase_p50_s", o.phaseP50}});
    const Json report = {{"name", job.name},
                         {"measured",
                          {{"replicas", s.measuredReplicas},
                           {"mean_s", s.measured.mean},
                           {"p50_s", s.measured.p50},
                           {"p95_s", s.measured.p95},
                           {"p99_s", s.measured.p99}}},
                         {"drawn", list},
                         {"assumptions", s.assumptions},
                         {"notes", notesJson(job, s.notes)}};
    return report.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string replicasText(const TraceJob& job, const ReplicaScaling& s)
{
    std::string text = fmt::format("{:<26} {:>10} {:>10} {:>10} {:>10}\n", "replicas", "mean", "p50", "p95", "p99");
    const auto line = [&](const std::string& name, const StepTimes& t) {
        text += fmt::format("{:<26} {:>8.4g} s {:>8.4g} s {:>8.4g} s {:>8.4g} s\n", name, t.mean, t.p50, t.p95, t.p99);
    };
    line(fmt::format("{} as measured", s.measuredReplicas), s.measured);
    for (const OtherReplicas& o : s.drawn)
        line(fmt::format("{} drawn", o.replicas), o.step);
    return text + assumedText(s.assumptions, job, s.notes);
}

} // namespace

void addTraceReplicas(CLI::App& parent, Cli& cli)
{
    auto options = std::make_shared<ReplicasOptions>();
    CLI::App* command = parent.add_subcommand("replicas", "Steps of a measured job with another number of replicas, also more than it had");
    addJob(*command, *options, cli);
    command->add_option("--replicas", options->other.replicas, "Numbers of replicas, 1 to 4096")->delimiter(',')->capture_default_str();
    command->add_flag("--exclude-startup", options->other.excludeStartup, "Leave start-up steps out");
    command->add_option("--seed", options->other.seed, "Seed of all random numbers")->capture_default_str();
    command->add_option("--samples", options->other.samples, "Steps to draw for each")
        ->check(CLI::Range(100, 1'000'000))
        ->capture_default_str();
    command->callback([options] {
        const TraceJob job = loadJob(*options);
        const ReplicaScaling scaling = require(replicaScaling(job, options->other));
        writeOutput(*options, options->json ? replicasJson(job, scaling) : replicasText(job, scaling));
    });
}

} // namespace prism::cli
