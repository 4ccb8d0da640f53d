// SPDX-License-Identifier: GPL-3.0-or-later
// At most 20 commands at the top; the names of earlier versions still work and name today's.
#include "run_cli.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace prism::test {

TEST(Commands, AtMostTwentyAreAtTheTop)
{
    const std::string help = runCli("--help").out;
    std::istringstream lines(help.substr(help.find("ubcommands:")));
    std::string line;
    std::getline(lines, line);
    int commands = 0;
    while (std::getline(lines, line) && line.starts_with("  "))
        commands += line[2] == ' ' ? 0 : 1;
    EXPECT_GE(commands, 15) << help;
    EXPECT_LE(commands, 20) << help;
}

TEST(Commands, OldNamesWorkAndNameTodays)
{
    for (const auto& [old, today] :
         {std::pair<std::string, std::string>{"limits", "help limits"},
          {"figures", "help metrics"},
          {"parameters --names", "help parameters --names"},
          {"completion bash", "help completion bash"},
          {"studies list", "presets studies list"},
          {"attribution llama2-7b-8-a100 --samples 100", "sensitivity attribution llama2-7b-8-a100 --samples 100"},
          {"help fit", "help calibrate fit"},
          {"validate-steps --help", "validate steps --help"},
          {"validate-published --help", "validate published --help"},
          {"validate-collectives --help", "validate collectives --help"},
          {"validate-operators --help", "validate operators --help"},
          {"follow --help", "validate follow --help"},
          {"join-calibration --help", "calibrate join --help"},
          {"pool-fits --help", "calibrate pool --help"},
          {"merge --help", "explore merge --help"},
          {"fleet --help", "job fleet --help"},
          {"simulate --help", "graph simulate --help"}}) {
        const CliRun before = runCli(old), now = runCli(today);
        EXPECT_EQ(before.exitCode, 0) << old << before.err;
        EXPECT_EQ(now.exitCode, 0) << today << now.err;
        EXPECT_EQ(before.out, now.out) << old;
        EXPECT_NE(before.err.find("The old name will be removed in the next release."), std::string::npos) << before.err;
        EXPECT_EQ(now.err, "") << today;
    }
    EXPECT_EQ(runCli("attribution llama2-7b-8-a100 --samples 100 --quiet").err, "") << "--quiet leaves only errors";
}

TEST(Commands, ACommandAboveOthersWorksByItself)
{
    EXPECT_EQ(runCli("sensitivity --help").exitCode, 0);
    EXPECT_EQ(runCli("sensitivity").exitCode, 2) << "it needs a scenario";
    EXPECT_EQ(runCli("sensitivity attribution").exitCode, 2) << "so does the one below";
    EXPECT_EQ(runCli("graph llama2-7b-8-a100 --quiet").err, "");
    const CliRun verbose = runCli("sensitivity attribution llama2-7b-8-a100 --samples 100 --verbose");
    EXPECT_EQ(verbose.exitCode, 0) << verbose.err;
    EXPECT_NE(verbose.err, "") << "an option of the program may follow the command";
}

} // namespace prism::test
