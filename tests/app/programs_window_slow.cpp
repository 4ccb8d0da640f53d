// SPDX-License-Identifier: GPL-3.0-or-later
// The long forms: 300 kills, 20,000 actions.
#include "window_script.h"

#include <gtest/gtest.h>

#include <random>

namespace prism::test {
namespace {

TEST(SlowWindow, ThreeHundredKillsLoseNothing)
{
    if (!hasExplorer())
        GTEST_SKIP() << "built without the window";
    const WindowStudy study("kills");
    std::mt19937 random(5);
    for (int k = 0; k < 300; ++k) {
        const int saved =
            study.killed("repeat 1000000\nset training.train_tokens {i}\nsave\nend\n", "save", static_cast<int>(random() % 200));
        ASSERT_GT(saved, 0) << "kill " << k;
        ASSERT_GE(study.parameter("training", "train_tokens"), saved) << "kill " << k;
        ASSERT_EQ(runCli("study check " + study.study()).exitCode, 0) << "kill " << k;
    }
}

TEST(SlowWindow, TwentyThousandActionsKeepTheMemoryOfTwoThousand)
{
    if (!hasExplorer())
        GTEST_SKIP() << "built without the window";
    const WindowStudy study("soak");
    const std::string round = "set training.global_batch_size 32\nset training.micro_batch_size 2\nundo\npage pipeline\nduplicate\nundo\n"
                              "set parallelism.tensor_model_parallel_size 3\npage distribution\nundo\nundo\n"; // ten actions
    const CliRun run = study.run("repeat 200\n" + round + "end\nwait\nrss\nrepeat 1800\n" + round + "end\nwait\nrss\n");
    ASSERT_EQ(run.exitCode, 0) << run.err;
    const double before = std::stod(run.out.substr(run.out.find("rss ") + 4)), after = std::stod(run.out.substr(run.out.rfind("rss ") + 4));
    RecordProperty("rss_kib_after_2000", std::to_string(before));
    RecordProperty("rss_kib_after_20000", std::to_string(after));
    EXPECT_NEAR(after, before, 0.1 * before);
}

} // namespace
} // namespace prism::test
