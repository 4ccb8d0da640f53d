// SPDX-License-Identifier: GPL-3.0-or-later
// Output to files and terminals, and inputs that become large: links, devices, control characters, bombs.
#include "prism_paths.h"
#include "run_cli.h"

#include <nlohmann/json.hpp>
#include <zlib.h>

#include <gtest/gtest.h>

namespace prism::test {
namespace {

namespace fs = std::filesystem;

struct CliFiles : testing::Test {
    CliFiles() { fs::remove_all(folder), fs::create_directories(folder); }
    ~CliFiles() override { fs::remove_all(folder); }
    [[nodiscard]] std::string at(const std::string& name) const { return (folder / name).string(); }
    void write(const std::string& name, const std::string& text) const { std::ofstream(folder / name, std::ios::binary) << text; }
    void writeGzip(const std::string& name, const std::string& line, int count) const
    {
        const gzFile file = gzopen(at(name).c_str(), "wb9");
        for (int i = 0; i < count; ++i)
            gzwrite(file, line.data(), static_cast<unsigned>(line.size()));
        gzclose(file);
    }
    fs::path folder = scratch() / "files";
};

TEST_F(CliFiles, OutputFollowsNoLinkAndReplacesNoDevice)
{
    write("victim", "precious");
    fs::create_symlink("victim", at("out.part"));
    fs::create_symlink("victim", at("out"));
    EXPECT_EQ(runCli("presets list --output " + at("out")).exitCode, 0);
    EXPECT_EQ(slurp(at("victim")), "precious");
    EXPECT_FALSE(fs::is_symlink(at("out")));
    EXPECT_EQ(runCli("presets list --output /dev/full").exitCode, 1);
    EXPECT_TRUE(fs::is_character_file("/dev/full"));
    EXPECT_GT(runCli("presets list --output /dev/stdout").out.size(), 1000U);
    EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 3) << "nothing is left behind";
}

/// The exit code of a shell line in which $0 is the program.
int exitCodeOf(const std::string& line)
{
    const int status = std::system(("bash -c '" + line + "' \"" PRISM_CLI "\"").c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST_F(CliFiles, HelpThatCannotBePrintedIsAnError)
{
    for (const std::string what : {"--help", "--version", "predict --help", "help limits"}) {
        EXPECT_EQ(exitCodeOf("\"$0\" " + what + " >/dev/full 2>/dev/null"), 1) << what;
        EXPECT_EQ(exitCodeOf("\"$0\" " + what + " >&-"), 1) << what;
        EXPECT_EQ(exitCodeOf("\"$0\" " + what + " >/dev/null"), 0) << what;
    }
}

TEST_F(CliFiles, WhatIsPrintedOnClosedDescriptorsGoesIntoNoFile)
{
    EXPECT_EQ(exitCodeOf("\"$0\" --log-file " + at("log") + " limits >&-"), 1);
    EXPECT_EQ(slurp(at("log")).find("Scenario"), std::string::npos) << "the log got the number of standard output";
    const std::string study = at("plan.prism");
    (void)exitCodeOf("\"$0\" study add " + study + " llama2-7b-8-a100 --name b <&- >&- 2>&-");
    EXPECT_EQ(runCli("study check " + study).exitCode, 0);
}

TEST_F(CliFiles, AFileThatMayNotGrowIsReportedLikeAFullDisk)
{
    const std::string study = at("plan.prism");
    EXPECT_EQ(exitCodeOf("ulimit -f 1; \"$0\" predict llama2-7b-8-a100 --samples 100 --json --output " + at("out.json") + " 2>/dev/null"),
              1);
    EXPECT_EQ(exitCodeOf("ulimit -f 1; \"$0\" study add " + study + " llama2-7b-8-a100 --name a 2>/dev/null"), 1);
    EXPECT_TRUE(fs::is_empty(folder)) << "nothing is left behind";
}

TEST_F(CliFiles, WhatIsReadIsNotOverwritten)
{
    write("in", "precious");
    write("plan.prism", "precious");
    fs::create_symlink("in", at("link"));
    fs::create_hard_link(at("in"), at("twin"));
    const std::string in = at("in"), to = " --output " + in, study = at("plan.prism");
    for (const std::string& command : {"predict " + in + to,
                                       "predict " + at("link") + to,
                                       "predict - <" + in + to,
                                       "predict " + in + " --output " + at("twin"),
                                       "predict " + in + " --samples-out " + in,
                                       "predict " + in + " --within-samples-out " + in,
                                       "predict " + in + " --log-file " + in,
                                       "predict sample-baseline --set measured.calibration=" + in + to,
                                       "predict " + study + ":base --output " + study,
                                       "graph simulate " + in + to,
                                       "compare sample-baseline " + in + to,
                                       "explore " + in + " --records " + in,
                                       "explore " + in + " --slurm " + in,
                                       "explore merge x " + in + " --records " + in,
                                       "placement sample-baseline --speeds " + in + " --hostfile " + in,
                                       "timeline " + in + " --trace " + in,
                                       "new " + study + ":base --output " + study,
                                       "check " + in + to,
                                       "graph " + in + to,
                                       "import steps " + in + to,
                                       "import trace " + folder.string() + to,
                                       "trace report " + in + to,
                                       "calibrate fit sample-baseline " + in + " --scenario-out " + in,
                                       "calibrate pool sample-baseline a " + in + to,
                                       "calibrate join x " + in + to,
                                       "validate follow " + in + " --scenario " + in + " --log-file " + in,
                                       "validate steps sample-baseline " + in + to,
                                       "validate collectives " + in + to,
                                       "validate operators " + in + to,
                                       "validate published " + in + to,
                                       "job fleet " + in + " x" + to,
                                       "study salvage " + study + " --output " + study,
                                       "study show " + study + " base --output " + study}) {
        const CliRun run = runCli(command);
        EXPECT_EQ(run.exitCode, 1) << command << run.out << run.err;
        EXPECT_NE(run.err.find("take the place of"), std::string::npos) << command << run.err;
        EXPECT_EQ(slurp(in) + slurp(study), "preciousprecious") << command;
    }
    EXPECT_EQ(
        runCli("predict sample-baseline --samples 100 --samples-out " + at("new") + " --output " + folder.string() + "/./new").exitCode, 1)
        << "two outputs in one file";
    EXPECT_FALSE(fs::exists(at("new")));
}

TEST_F(CliFiles, WhatIsBroughtUpToDateMayBeWrittenBack)
{
    write("s.json", R"({"version": 1, "name": "s"})");
    write("speeds.csv", "host,relative_speed\nn1,1\nn2,0.9\n");
    const std::string command = "import speeds " + at("speeds.csv") + " --base " + at("s.json") + " --output " + at("s.json");
    for (int i = 0; i < 2; ++i) {
        const CliRun run = runCli(command);
        EXPECT_EQ(run.exitCode, 0) << run.err;
    }
    EXPECT_EQ(runCli("predict sample-baseline --samples 100 --output " + at("out")).exitCode, 0);
    EXPECT_EQ(runCli("predict sample-baseline --samples 100 --output " + at("out")).exitCode, 0) << "an earlier output is replaced";
    EXPECT_EQ(runCli("check /dev/null --output /dev/null").err.find("take the place"), std::string::npos) << "a device is not a file";
}

TEST_F(CliFiles, NewAnnotatesAScenarioFileInPlace)
{
    write("s.json", R"({"version": 2, "name": "s"})");
    const CliRun run = runCli("new " + at("s.json") + " --output " + at("s.json"));
    EXPECT_EQ(run.exitCode, 0) << run.err;
    EXPECT_NE(slurp(at("s.json")).find("// "), std::string::npos) << "every parameter has a comment";
    EXPECT_NE(slurp(at("s.json")).find("\"name\": \"s\""), std::string::npos) << "it is the same scenario";
    const std::string before = slurp(at("s.json"));
    EXPECT_EQ(runCli("new " + at("s.json") + " --set no.such=1 --output " + at("s.json")).exitCode, 1);
    EXPECT_EQ(slurp(at("s.json")), before) << "an error leaves the file as it was";
    ASSERT_EQ(runCli("study add " + at("s.prism") + " " + at("s.json")).exitCode, 0);
    const std::string study = slurp(at("s.prism"));
    for (const std::string& input : {at("s.prism"), at("s.prism") + ":s"})
        EXPECT_EQ(runCli("new " + input + " --output " + at("s.prism")).exitCode, 1) << "a study is not replaced by one of its scenarios";
    EXPECT_EQ(slurp(at("s.prism")), study);
}

TEST_F(CliFiles, WithoutPresetsNoneAreNamed)
{
    fs::create_directories(at("empty"));
    setenv("PRISM_PRESETS", at("empty").c_str(), 1);
    const CliRun run = runCli("predict no-such");
    unsetenv("PRISM_PRESETS");
    EXPECT_EQ(run.exitCode, 1);
    EXPECT_NE(run.err.find("there are no presets here"), std::string::npos) << run.err;
    EXPECT_EQ(run.err.find("or one of"), std::string::npos) << run.err;
}

TEST_F(CliFiles, ControlCharactersOfNamesStayInTheFile)
{
    const std::string name = R"(plan \u001b[2J\u009b31m\u202e)";
    write("s.json", R"({"version": 1, "name": ")" + name + R"("})");
    for (const std::string& command :
         {"check " + at("s.json"), "predict " + at("s.json") + " --samples 100", "check " + at("s.json") + " --json",
          "study add " + at("a.prism") + " " + at("s.json"), "study list " + at("a.prism"), "graph " + at("s.json")}) {
        const CliRun run = runCli(command);
        EXPECT_EQ(run.exitCode, 0) << command << run.err;
        EXPECT_EQ((run.out + run.err).find('\x1b'), std::string::npos) << command;
        EXPECT_EQ((run.out + run.err).find("\xc2\x9b"), std::string::npos) << command;
        EXPECT_EQ((run.out + run.err).find("\xe2\x80\xae"), std::string::npos) << command;
    }
}

TEST_F(CliFiles, HostNamesThatALauncherWouldObeyAreRefused)
{
    for (const char* host : {"n1 slots=999", "$(reboot)", "-oProxyCommand=x"}) {
        write("speeds.csv", std::string("host,relative_speed\n") + host + ",1\nn2,0.9\n");
        const CliRun run = runCli("placement prism-64k --speeds " + at("speeds.csv") + " --hostfile " + at("hosts"));
        EXPECT_EQ(run.exitCode, 1) << host;
        EXPECT_NE(run.err.find("Not a host name"), std::string::npos) << run.err;
        EXPECT_FALSE(fs::exists(at("hosts")));
    }
}

TEST_F(CliFiles, SmallFilesThatBecomeLargeAreRefused)
{
    writeGzip("steps.gz", "run,step_time_s\n" + std::string(1 << 16, ','), 4'000); // 250 MiB of commas
    writeGzip("log.gz", "x x x x x x x x x x x x x x x x\n", 8'000'000);
    write("commas.csv", "op,time_us\n" + std::string(std::size_t{63} << 20, ','));
    ASSERT_LT(fs::file_size(at("steps.gz")), 400'000U);
    for (const std::string& command : {"validate steps llama3-405b-16k-h100 " + at("steps.gz"), "validate collectives " + at("log.gz"),
                                       "import operators " + at("commas.csv"), "import nccl-tests " + at("log.gz")}) {
        const CliRun run = runCli(command, 1024);
        EXPECT_EQ(run.exitCode, 1) << command << "\n" << run.err.substr(0, 300);
        EXPECT_EQ(run.err.find("bad_alloc"), std::string::npos) << command;
        EXPECT_LT(run.err.size(), 50'000U);
    }
}

TEST_F(CliFiles, DocumentsThatAreDeepOrBlankAreRefusedInLittleMemory)
{
    write("deep.json", std::string(std::size_t{32} << 20, '['));
    write("blank.json", std::string(std::size_t{60} << 20, '\n'));
    for (const char* file : {"deep.json", "blank.json"})
        for (const std::string command : {"check ", "graph simulate ", "import hf-config ", "validate published "}) {
            const CliRun run = runCli(command + at(file), 600);
            EXPECT_EQ(run.exitCode, 1) << command << file << run.err.substr(0, 300);
            EXPECT_LT(run.err.size(), 2'000U) << command << file;
        }
}

TEST_F(CliFiles, WhatImportAcceptsCheckAccepts)
{
    write("args.sh", "--num-layers 32 --hidden-size 4096 --num-attention-heads 33 --tensor-model-parallel-size 8");
    const CliRun refused = runCli("import megatron-args " + at("args.sh"));
    EXPECT_EQ(refused.exitCode, 1) << "invalid arguments are an error";
    EXPECT_TRUE(refused.out.empty());
    write("ops.csv", "op,ranks,bytes,time_us\nall_reduce,1125899906842624,1125899906842624,5\n");
    const CliRun rows = runCli("import operators " + at("ops.csv") + " --output " + at("rows.json"));
    if (rows.exitCode == 0) {
        EXPECT_EQ(runCli("check " + at("rows.json")).exitCode, 0);
    }
}

TEST_F(CliFiles, MoreThreadsThanCoresAreNoWorthAWarning)
{
    const CliRun run = runCli("predict llama3-405b-16k-h100 --samples 200 --threads 512");
    EXPECT_EQ(run.exitCode, 0);
    EXPECT_EQ(run.err.find("TBB"), std::string::npos) << run.err;
}

/// Every range, default, formula and limit that a page states.
TEST_F(CliFiles, PagesOfReferenceAreMadeFromTheCode)
{
    for (const auto& [page, arguments] : {std::pair<std::string, std::string>{"limits", "help limits --markdown"},
                                          {"parameters", "help parameters --markdown"},
                                          {"kernel-classes", "help parameters --classes"},
                                          {"metrics", "help metrics --markdown"}})
        EXPECT_EQ(runCli(arguments).out, slurp(PRISM_SOURCE_DIR "/resources/help/" + page + ".md"))
            << "renew it: prism-cli " << arguments << " --output resources/help/" << page << ".md";
}

TEST_F(CliFiles, OptionsWithoutEffectAreErrors)
{
    write("s.json", R"({"version": 1, "name": "s"})");
    const CliRun run = runCli("guarantee " + at("s.json") + " --deadline-days 30");
    EXPECT_EQ(run.exitCode, 1);
    EXPECT_NE(run.err.find("--deadline-days"), std::string::npos);
}

TEST_F(CliFiles, AJobThatDoesNotFitIsReported)
{
    write("s.json", R"({"version": 1, "name": "s", "model": {"preset": "llama3-405b"}, "cluster": {"num_gpus": 8}})");
    const CliRun run = runCli("predict " + at("s.json") + " --samples 100 --json");
    EXPECT_EQ(run.exitCode, 0) << run.err;
    EXPECT_NE(run.err.find("does not fit"), std::string::npos);
    EXPECT_NE(nlohmann::json::parse(run.out)["warnings"].dump().find("does not fit"), std::string::npos);
    const CliRun checked = runCli("check " + at("s.json"));
    EXPECT_EQ(checked.exitCode, 0);
    EXPECT_NE(checked.err.find("does not fit"), std::string::npos);
    EXPECT_EQ(runCli("check " + at("s.json") + " --strict").exitCode, 1);
}

} // namespace
} // namespace prism::test
