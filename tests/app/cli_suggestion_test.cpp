// SPDX-License-Identifier: GPL-3.0-or-later
// A name with a typo: the error names the right one first, whichever kind of name it is.
#include "run_cli.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace prism::test {

namespace {

struct Typo {
    std::string arguments; ///< of prism-cli; TABLE stands for a table with columns
    std::string meant;     ///< the name that the error has to suggest
};

/// Letters missing, doubled, swapped and wrong, other separators, and names shortened at their end.
const std::array<Typo, 60> kTypos{{
    // presets
    {"predict llama3-405b-16k-h10", "llama3-405b-16k-h100"},
    {"predict lama3-70b-256-h100", "llama3-70b-256-h100"},
    {"predict llama3_70b_256_h100", "llama3-70b-256-h100"},
    {"predict sample-baselin", "sample-baseline"},
    {"predict smaple-slow-node", "sample-slow-node"},
    {"predict sample-vpp", "sample-vpp4"},
    {"predict mixtral-8x22b", "mixtral-8x22b-256-h100"},
    {"predict deepseek-v3", "deepseek-v3-2048-h800"},
    {"check prism-64", "prism-64k"},
    {"predict gpt3-175b-1024-h100", "gpt3-175b-1024-a100"},
    {"presets show h100-sxm-80g", "h100-sxm-80gb"},
    {"presets show gpu/h100-sxm-80", "h100-sxm-80gb"},
    {"presets show dgx-h100-ndr400-rial", "dgx-h100-ndr400-rail"},
    {"presets show measured-nvida", "measured-nvidia"},
    {"presets studies run slow-nodes", "slow-node"},
    {"presets studies run power-cap", "power-caps"},
    {"presets studies run network-tail", "network-tails"},
    {"predict sample-baseline --set job.preset=llama3-16k-h10", "llama3-16k-h100"},
    {"predict sample-baseline --set cluster.gpu=h200-sxm-141", "h200-sxm-141gb"},
    // parameters
    {"predict sample-baseline --set paralelism.tp=4", "parallelism.tensor_model_parallel_size"},
    {"predict sample-baseline --set parallelism.tensor_parallel_size=4", "parallelism.tensor_model_parallel_size"},
    {"predict sample-baseline --set tpp=4", "parallelism.tensor_model_parallel_size"},
    {"predict sample-baseline --set training.global_bach_size=4", "training.global_batch_size"},
    {"predict sample-baseline --set global_batchsize=4", "training.global_batch_size"},
    {"predict sample-baseline --set micro_batch=1", "training.micro_batch_size"},
    {"predict sample-baseline --set variability.spacial.cv=1%", "variability.spatial.cv"},
    {"predict sample-baseline --set variabilty.gemm.cv=1%", "variability.gemm.cv"},
    {"predict sample-baseline --set cluster.num_gpu=64", "cluster.num_gpus"},
    {"predict sample-baseline --set model.num_layer=64", "model.num_layers"},
    {"predict sample-baseline --set seq_lenght=4096", "model.seq_length"},
    {"predict sample-baseline --set job.spare_node=4", "job.spare_nodes"},
    {"predict sample-baseline --set vpp_=4", "parallelism.virtual_pipeline_model_parallel_size"},
    // axes of a search, and of a sweep
    {"explore sample-baseline --axis tpp=2,4", "parallelism.tensor_model_parallel_size"},
    {"explore sample-baseline --axis vp=2,4", "parallelism.virtual_pipeline_model_parallel_size"},
    {"explore sample-baseline --axis micro_batch_sise=1", "training.micro_batch_size"},
    {"explore sample-baseline --axis recompte=none", "training.recompute_granularity"},
    {"sensitivity sample-baseline --parameter paralelism.vpp --range 2,4", "parallelism.virtual_pipeline_model_parallel_size"},
    // families and other words of parameters and options
    {"predict sample-baseline --set variability.gemm.family=log-normal", "lognormal"},
    {"predict sample-baseline --set variability.gemm.family=gama", "gamma"},
    {"predict sample-baseline --set variability.gemm.family=weibul", "weibull"},
    {"predict sample-baseline --set parallelism.pipeline_schedule=1fb1", "1f1b"},
    {"predict sample-baseline --set training.precision=fp6", "fp8"},
    {"explore sample-baseline --axis tp=2 --objective p59", "p95"},
    {"explore sample-baseline --axis tp=2 --objective cost_95", "cost_p95"},
    {"presets list --kind gpus", "gpu"},
    {"scale sample-baseline --mode strnog", "strong"},
    {"help completion bsah", "bash"},
    // columns
    {"validate operators TABLE --where dytpe=bf16", "dtype"},
    {"validate operators TABLE --where ti_us=1", "time_us"},
    // commands
    {"predcit sample-baseline", "predict"},
    {"sensitivty sample-baseline", "sensitivity"},
    {"explor sample-baseline", "explore"},
    {"trace whatiff x", "whatif"},
    {"study ad plan.prism mine.json", "add"},
    {"import megatron launch.sh", "megatron-args"},
    {"import hfconfig config.json", "hf-config"},
    {"help sacle", "scale"},
    // options
    {"predict sample-baseline --sample 100", "--samples"},
    {"improve sample-baseline --pars", "--pairs"},
    {"guarantee sample-baseline --deadline 30", "--deadline-days"},
}};

} // namespace

TEST(Suggestions, FiftySevenOfSixtyTyposGetTheRightNameFirst)
{
    const auto table = scratch() / "columns.csv";
    std::ofstream(table) << "op,m,n,k,dtype,time_us\ngemm,1,2,3,bf16,4\n";
    int right = 0;
    for (Typo typo : kTypos) {
        if (const std::size_t at = typo.arguments.find("TABLE"); at != std::string::npos)
            typo.arguments.replace(at, 5, table.string());
        const CliRun run = runCli(typo.arguments);
        EXPECT_NE(run.exitCode, 0) << typo.arguments;
        const bool isRight = run.err.find("id you mean \"" + typo.meant + "\"?") != std::string::npos;
        right += isRight ? 1 : 0;
        if (!isRight)
            std::printf("%s\n    %s", typo.arguments.c_str(), run.err.c_str());
    }
    EXPECT_GE(right, 57);
}

TEST(Suggestions, TheNearestNamesComeFirst)
{
    const CliRun run = runCli("predict lama3-405b");
    const std::size_t list = run.err.find("one of: ");
    ASSERT_NE(list, std::string::npos) << run.err;
    EXPECT_TRUE(run.err.substr(list + 8).starts_with("llama3-405b-")) << run.err;
}

TEST(Suggestions, AnErrorShowsAFactorAsItWasTyped)
{
    const CliRun run = runCli("placement sample-baseline --factor -5%");
    EXPECT_EQ(run.exitCode, 2);
    EXPECT_NE(run.err.find("Found: -5%."), std::string::npos) << run.err;
}

TEST(Suggestions, TheSamplesOfTheReadmePrintNothingOnStandardError)
{
    for (const char* name : {"llama3-405b-16k-h100", "sample-baseline"}) {
        const CliRun run = runCli(std::string("predict ") + name + " --samples 500");
        EXPECT_EQ(run.exitCode, 0);
        EXPECT_EQ(run.err, "");
        EXPECT_NE(run.out.find("\nNotes\n"), std::string::npos) << "the notes are part of the report";
    }
}

} // namespace prism::test
