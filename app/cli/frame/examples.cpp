// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/frame/commands.h"

#include <CLI/CLI.hpp>

#include <map>
#include <string>

namespace prism::cli {

namespace {

/// Examples by the command's name; a subcommand is "command subcommand".
const std::map<std::string, std::string, std::less<>> kExamples{
    {"predict", "prism-cli predict sample-baseline --set parallelism.vpp=4 --samples 20k"},
    {"sensitivity", "prism-cli sensitivity sample-baseline --parameter parallelism.vpp --range 2,4,8"},
    {"sensitivity attribution", "prism-cli sensitivity attribution sample-slow-node"},
    {"placement", "prism-cli placement sample-baseline --factor 20%"},
    {"scale", "prism-cli scale sample-baseline --gpus 2k,4k,8k --mode strong"},
    {"compare", "prism-cli compare sample-baseline --b-set parallelism.vpp=4"},
    {"guarantee", R"(prism-cli guarantee sample-baseline --limit "9.5 s" --tokens 15T --deadline-days "12 weeks")"},
    {"job", "prism-cli job sample-baseline --tokens 15T --deadline-days 80"},
    {"timeline", "prism-cli timeline sample-baseline --quantile 95% --trace step.json"},
    {"explore", "prism-cli explore sample-baseline --axis vpp=2,4,8 --axis recompute=none,selective --keep 5"},
    {"explore merge", "prism-cli explore mine.json --shard 1/1 --output part.jsonl && prism-cli explore merge part.jsonl"},
    {"improve", "prism-cli improve sample-baseline --goal \"p95 <= 6.2 s\""},
    {"job fleet", "prism-cli job fleet jobs.csv cluster.json --runs 50"},
    {"help metrics", "prism-cli help metrics --markdown"},
    {"calibrate fit", "prism-cli calibrate fit mine.json train.log --output mycluster.json"},
    {"calibrate pool", "prism-cli calibrate pool mine.json one.json two.json --output expected.json"},
    {"calibrate join", "prism-cli import nccl-tests all_reduce.log > coll.json && prism-cli calibrate join coll.json --output site.json"},
    {"validate follow", "prism-cli validate follow train.log --scenario mine.json --false-alarms 0.5"},
    {"validate published", "prism-cli validate published presets/published/steps.json --tier A"},
    {"validate collectives", "prism-cli validate collectives all_reduce.log --gpu h100-sxm-80gb --fabric dgx-h100-ndr400-rail"},
    {"validate logs", "prism-cli validate logs train.log friday.log"},
    {"validate operators", "prism-cli validate operators gemm.csv --gpu h100-sxm-80gb"},
    {"validate sample", "prism-cli validate sample sample-baseline --output run.csv && prism-cli validate steps sample-baseline run.csv"},
    {"validate steps", "prism-cli validate steps mine.json train.log --remove warm-up,pauses"},
    {"check", "prism-cli new | prism-cli check -"},
    {"help parameters", "prism-cli help parameters --markdown"},
    {"help limits", "prism-cli help limits"},
    {"help", "prism-cli help study add"},
    {"presets list", "prism-cli presets list"},
    {"presets show", "prism-cli presets show gpu/h100-sxm-80gb"},
    {"import hf-config", "prism-cli import hf-config config.json --base llama2-7b-8-a100 --output mine.json"},
    {"import megatron-args", "prism-cli import megatron-args launch.sh --base mine.json --output mine.json"},
    {"import nccl-tests", "prism-cli import nccl-tests all_reduce.log --base mine.json --output mine.json"},
    {"import operators", "prism-cli import operators gemm.csv --base mine.json --output mine.json"},
    {"import speeds", "prism-cli import speeds speeds.csv --base mine.json --output mine.json"},
    {"import steps", "prism-cli import steps train.log --output steps.csv"},
    {"import trace", "prism-cli import trace stages.csv --meta meta.yaml --base mine.json --output job.json"},
    {"graph simulate", "prism-cli graph mine.json --output graph.json && prism-cli graph simulate graph.json"},
    {"presets studies list", "prism-cli presets studies list"},
    {"presets studies run", "prism-cli presets studies run slow-node"},
    {"trace compare", "prism-cli trace compare stages.csv after.csv --meta meta.yaml"},
    {"trace export", "prism-cli trace export stages.csv --meta meta.yaml --output steps.json"},
    {"trace predict", "prism-cli trace predict stages.csv --meta meta.yaml --train even"},
    {"trace replicas", "prism-cli trace replicas stages.csv --meta meta.yaml --replicas 4,8"},
    {"trace report", "prism-cli trace report stages.csv --meta meta.yaml"},
    {"trace sample", "prism-cli trace sample sample-slow-node --output slow.csv && prism-cli trace whatif slow.csv"},
    {"trace whatif", "prism-cli trace whatif stages.csv --meta meta.yaml"},
    {"study check", "prism-cli study check plan.prism"},
    {"study compact", "prism-cli study compact plan.prism"},
    {"study diff", "prism-cli study diff plan.prism base tp4"},
    {"study export", "prism-cli study export plan.prism base --output base.json"},
    {"study import", "prism-cli study import plan.prism mine.json --name again"},
    {"study salvage", "prism-cli study salvage plan.prism --output recovered.prism"},
    {"study show", "prism-cli study show plan.prism base"},
    {"study add", "prism-cli study add plan.prism mine.json --name base"},
    {"study list", "prism-cli study list plan.prism"},
};

/// `inherited`: the closing words of the program, which CLI11 hands down to every command.
void addExamples(CLI::App& parent, const std::string& before, const std::string& inherited)
{
    const std::string parents = parent.get_footer();
    for (CLI::App* command : parent.get_subcommands({})) {
        const std::string name = before + command->get_name(), footer = command->get_footer();
        addExamples(*command, name + " ", inherited);
        const auto example = kExamples.find(name);
        if (footer == inherited || footer == parents)
            command->footer(example == kExamples.end() ? std::string() : "Example: " + example->second);
    }
}

} // namespace

void addExamples(CLI::App& app)
{
    addExamples(app, "", app.get_footer());
}

} // namespace prism::cli
