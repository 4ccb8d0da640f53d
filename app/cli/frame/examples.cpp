// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/frame/examples.h"

#include <CLI/CLI.hpp>

#include <map>
#include <string>

namespace prism::cli {

namespace {

/// By the command's name, of a command of a command with a blank between.
const std::map<std::string, std::string, std::less<>>& examples()
{
    static const std::map<std::string, std::string, std::less<>> kExamples{
        {"predict", "prism-cli predict sample-baseline --set parallelism.vpp=4 --samples 20k"},
        {"sensitivity", "prism-cli sensitivity sample-baseline --parameter parallelism.vpp --range 2,4,8"},
        {"attribution", "prism-cli attribution sample-slow-node"},
        {"placement", "prism-cli placement sample-baseline --factor 20%"},
        {"scale", "prism-cli scale sample-baseline --gpus 2k,4k,8k --mode strong"},
        {"compare", "prism-cli compare sample-baseline --b-set parallelism.vpp=4"},
        {"guarantee", R"(prism-cli guarantee sample-baseline --limit "9.5 s" --tokens 15T --deadline-days "12 weeks")"},
        {"job", "prism-cli job sample-baseline --tokens 15T --deadline-days 80"},
        {"timeline", "prism-cli timeline sample-baseline --quantile 95% --trace step.json"},
        {"explore", "prism-cli explore sample-baseline --axis vpp=2,4,8 --axis recompute=none,selective --keep 5"},
        {"merge", "prism-cli merge shard-1.json shard-2.json"},
        {"improve", "prism-cli improve sample-baseline --goal \"p95 <= 6.2 s\""},
        {"fleet", "prism-cli fleet jobs.csv cluster.json --runs 50"},
        {"figures", "prism-cli figures --markdown"},
        {"fit", "prism-cli fit mine.json train.log --output mycluster.json"},
        {"pool-fits", "prism-cli pool-fits mine.json one.json two.json --output expected.json"},
        {"join-calibration", "prism-cli join-calibration monday.json friday.json --output mycluster.json"},
        {"follow", "prism-cli follow train.log --scenario mine.json --false-alarms 0.5"},
        {"validate-published", "prism-cli validate-published presets/published/steps.json --tier A"},
        {"validate-collectives", "prism-cli validate-collectives all_reduce.log --gpu h100-sxm-80gb --fabric dgx-h100-ndr400-rail"},
        {"validate-operators", "prism-cli validate-operators gemm.csv --gpu h100-sxm-80gb"},
        {"validate-steps", "prism-cli validate-steps mine.json train.log --remove warm-up,pauses"},
        {"check", "prism-cli new | prism-cli check -"},
        {"parameters", "prism-cli parameters --markdown"},
        {"limits", "prism-cli limits"},
        {"help", "prism-cli help study add"},
        {"presets list", "prism-cli presets list"},
        {"presets show", "prism-cli presets show gpu/h100-sxm-80gb"},
        {"import hf-config", "prism-cli import hf-config config.json --base llama3-70b-256-h100 --output mine.json"},
        {"import megatron-args", "prism-cli import megatron-args launch.sh --base mine.json --output mine.json"},
        {"import nccl-tests", "prism-cli import nccl-tests all_reduce.log --base mine.json --output mine.json"},
        {"import operators", "prism-cli import operators gemm.csv --base mine.json --output mine.json"},
        {"import speeds", "prism-cli import speeds speeds.csv --base mine.json --output mine.json"},
        {"import steps", "prism-cli import steps train.log --output steps.csv"},
        {"study add", "prism-cli study add plan.prism mine.json --name base"},
        {"study list", "prism-cli study list plan.prism"},
    };
    return kExamples;
}

/// `inherited`: the closing words of the program, which CLI11 hands down to every command.
void addExamples(CLI::App& parent, const std::string& before, const std::string& inherited)
{
    const std::string parents = parent.get_footer();
    for (CLI::App* command : parent.get_subcommands({})) {
        const std::string name = before + command->get_name(), footer = command->get_footer();
        addExamples(*command, name + " ", inherited);
        const auto example = examples().find(name);
        if (footer == inherited || footer == parents)
            command->footer(example == examples().end() ? std::string() : "Example: " + example->second);
    }
}

} // namespace

void addExamples(CLI::App& app)
{
    addExamples(app, "", app.get_footer());
}

} // namespace prism::cli
