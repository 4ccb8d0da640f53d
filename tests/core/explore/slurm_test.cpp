// SPDX-License-Identifier: GPL-3.0-or-later
// The batch script: the text that the shell reads back, the array, and that a task may be requeued.
#include "core/explore/slurm.h"

#include <gtest/gtest.h>

namespace prism {
namespace {

TEST(Slurm, QuotesWhatAShellWouldRead)
{
    EXPECT_EQ(shellQuoted("plain"), "'plain'");
    EXPECT_EQ(shellQuoted("a 'b' $(c)"), "'a '\\''b'\\'' $(c)'");
}

TEST(Slurm, TheScriptIsAnArrayThatMayBeRequeued)
{
    const SlurmJob job{"/opt/prism/bin/prism-cli", {"my scenario.json", "--axis", "tp=1,2"}, 4, "/data/search"};
    const std::string script = slurmScript(job);
    EXPECT_TRUE(script.starts_with("#!/bin/sh\n"));
    for (const char* part : {"--array=1-4\n", "--requeue\n", "--open-mode=append\n", "'my scenario.json' '--axis' 'tp=1,2'",
                             "--shard \"$SLURM_ARRAY_TASK_ID/4\"", "merge '/data/search-1.jsonl'"})
        EXPECT_NE(script.find(part), std::string::npos) << part;
    EXPECT_EQ(shardFile(job, 3), "/data/search-3.jsonl");
}

TEST(Slurm, NothingEndsALineOfTheScript)
{
    EXPECT_TRUE(check(SlurmJob{"/opt/prism-cli", {"s.json"}, 4, "/data/search"}).empty());
    EXPECT_FALSE(check(SlurmJob{"/opt/prism-cli", {"s.json"}, 4, "/data/x\n#SBATCH --partition=all\nreboot"}).empty());
    EXPECT_FALSE(check(SlurmJob{"/opt/prism-cli", {"--set", "name=a\nb"}, 4, "/data/search"}).empty());
    EXPECT_FALSE(check(SlurmJob{"/opt/\x1b[2J", {}, 4, "/data/search"}).empty());
}

} // namespace
} // namespace prism
