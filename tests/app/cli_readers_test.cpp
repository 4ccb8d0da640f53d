// SPDX-License-Identifier: GPL-3.0-or-later
// Traces, logs, searches and fleets from strangers: what is large, endless, no file at all, or made to steer a terminal is refused in
// bounded time and memory.
#include "run_cli.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <zlib.h>

#include <algorithm>

namespace prism::test {
namespace {

namespace fs = std::filesystem;

/// A run that must not wait for anybody; 124 where it did.
int exitCodeInTime(const std::string& arguments)
{
    const std::string command = "timeout 30 \"" PRISM_CLI "\" " + arguments + " >/dev/null 2>&1";
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

struct CliReaders : testing::Test {
    CliReaders() { fs::remove_all(folder), fs::create_directories(folder); }
    ~CliReaders() override { fs::remove_all(folder); }
    [[nodiscard]] std::string at(const std::string& name) const { return (folder / name).string(); }
    void write(const std::string& name, const std::string& text) const { std::ofstream(folder / name, std::ios::binary) << text; }
    fs::path folder = scratch() / "readers";
};

std::string collectiveEvent(int i, int device)
{
    const std::string number = std::to_string(i);
    return R"({"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce_)" + number + R"(", "ts": )" + number
           + R"(, "dur": 1, "tid": 7, "args": {"device": )" + std::to_string(device)
           + R"(, "stream": 7, "Collective name": "allreduce", "Process Group Name": ")" + number + R"("}},)";
}

TEST_F(CliReaders, ATraceOfManyDevicesTakesTheMemoryOfItsKernels)
{
    std::string few = R"({"traceEvents": [)", many = few;
    for (int i = 0; i < 20'000; ++i) {
        few += collectiveEvent(i, i % 200);
        many += collectiveEvent(i, i);
    }
    write("few.json", few + "{}]}");
    write("many.json", many + "{}]}");
    const CliRun read = runCli("trace report " + at("few.json") + " --json", 700);
    EXPECT_EQ(read.exitCode, 0) << read.err.substr(0, 300);
    const CliRun refused = runCli("trace report " + at("many.json"), 700);
    EXPECT_EQ(refused.exitCode, 1);
    EXPECT_NE(refused.err.find("more devices than a host has"), std::string::npos) << refused.err.substr(0, 300);
}

TEST_F(CliReaders, ManySmallFilesOfPipelineEventsCostLittle)
{
    for (int rank = 0; rank < 1'500; ++rank)
        write("pp_rank_" + std::to_string(rank) + ".json",
              R"({"0": {"fwd_start": [1], "fwd_end": [2], "bwd_start": [3], "bwd_end": [4]}})");
    EXPECT_EQ(runCli("trace report " + folder.string() + " --json", 1024, 12).exitCode, 0);
}

/// 68 MiB and 1,200 steps.
std::string longLog()
{
    std::string text;
    for (int i = 1; i <= 1'200; ++i)
        text += " iteration " + std::to_string(i) + "/ 9 | elapsed time per iteration (ms): " + std::to_string(5'000 + i * 37 % 101)
                + ".5 |\n" + std::string(60'000, 'x') + '\n';
    EXPECT_GT(text.size(), std::size_t{68} << 20U);
    return text;
}

TEST_F(CliReaders, ALogBeyond64MiBIsImportedFromAFileAndAPipe)
{
    write("long.log", longLog());
    for (const char* from : {"import steps ", "import steps - --quiet <"}) {
        const CliRun run = runCli(from + at("long.log"), 1024, 10);
        EXPECT_EQ(run.exitCode, 0) << from << run.err.substr(0, 300);
        EXPECT_EQ(std::count(run.out.begin(), run.out.end(), '\n'), 1'201) << from;
    }
}

TEST_F(CliReaders, ALogBeyond64MiBIsComparedAndFitted)
{
    write("long.log", longLog());
    for (const char* command : {"validate steps llama2-7b-8-a100 --samples 200 ", "calibrate fit llama2-7b-8-a100 --samples 200 "}) {
        const CliRun run = runCli(command + at("long.log") + " --json", 1024, 10);
        EXPECT_EQ(run.exitCode, 0) << command << run.err.substr(0, 300);
    }
}

TEST_F(CliReaders, PipesWithoutAWriterAreNotOpened)
{
    fs::create_directories(at("events"));
    ASSERT_EQ(mkfifo(at("events/pp_rank_0.json").c_str(), 0600), 0);
    write("events/pp_rank_1.json", R"({"0": {"fwd_start": [1], "fwd_end": [2], "bwd_start": [3], "bwd_end": [4]}})");
    EXPECT_NE(exitCodeInTime("trace report " + at("events")), 124);
    ASSERT_EQ(mkfifo(at("calibration").c_str(), 0600), 0);
    write("s.json", R"({"version": 1, "name": "s", "measured": {"calibration": "calibration"}})");
    EXPECT_EQ(exitCodeInTime("check " + at("s.json")), 1) << "a scenario names what is opened";
    write("s.json", R"({"version": 1, "name": "s", "measured": {"calibration": "/dev/zero"}})");
    EXPECT_EQ(exitCodeInTime("check " + at("s.json")), 1);
}

TEST_F(CliReaders, ALogOfManyRunsIsReadInOnePass)
{
    std::string text = "run,step,step_time_s\n";
    for (int i = 0; i < 1'000'000; ++i)
        text += "r" + std::to_string(i * 7919LL % 10'000) + "," + std::to_string(i) + ",1\n";
    write("runs.csv", text);
    EXPECT_EQ(runCli("import steps " + at("runs.csv") + " --output " + at("steps.csv"), 2048, 15).exitCode, 0);
}

TEST_F(CliReaders, AFollowedLineWithoutAnEndIsNotKept)
{
    const std::string command = "ulimit -v 500000; ulimit -t 60; head -c 300000000 /dev/zero | \"" PRISM_CLI
                                "\" follow - --scenario llama2-7b-8-a100 --samples 200 >/dev/null 2>&1";
#ifndef __SANITIZE_ADDRESS__
    EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 0);
#endif
    EXPECT_EQ(exitCodeInTime("validate follow - --scenario llama2-7b-8-a100 --samples 200 < /dev/null"), 0);
    const std::string full = "\"" PRISM_CLI "\" follow - --scenario llama2-7b-8-a100 --samples 200 < /dev/null > /dev/full 2>/dev/null";
    EXPECT_EQ(WEXITSTATUS(std::system(full.c_str())), 1) << "what is not written is reported";
}

TEST_F(CliReaders, RecordsOfASearchThatAreNoneEndTheReading)
{
    const gzFile file = gzopen(at("blank.gz").c_str(), "wb9");
    const std::string lines(std::size_t{1} << 20, '\n');
    for (int i = 0; i < 128; ++i)
        gzwrite(file, lines.data(), static_cast<unsigned>(lines.size()));
    gzclose(file);
    const CliRun run = runCli("explore merge " + at("blank.gz"), 1024, 15);
    EXPECT_EQ(run.exitCode, 1);
    EXPECT_LT(run.err.size(), 5'000U);
}

TEST_F(CliReaders, ATextThatInflatesBeyondItsLimitIsHeldOnce)
{
    const gzFile file = gzopen(at("blank.gz").c_str(), "wb9");
    const std::string blanks(std::size_t{1} << 20, ' ');
    for (int i = 0; i < 600; ++i)
        gzwrite(file, blanks.data(), static_cast<unsigned>(blanks.size()));
    gzclose(file);
    const CliRun run = runCli("explore merge " + at("blank.gz"), 900, 15); // 512 MiB of text, and half of it while it grows
    EXPECT_EQ(run.exitCode, 1) << run.err;
    EXPECT_NE(run.err.find("at most 512 MiB"), std::string::npos) << run.err;
}

TEST_F(CliReaders, TooLittleMemoryIsReportedAndNoInternalError)
{
#ifndef __SANITIZE_ADDRESS__
    const gzFile file = gzopen(at("blank.gz").c_str(), "wb9");
    const std::string blanks(std::size_t{1} << 20, ' ');
    for (int i = 0; i < 400; ++i)
        gzwrite(file, blanks.data(), static_cast<unsigned>(blanks.size()));
    gzclose(file);
    for (const char* option : {"", " --json"}) {
        const CliRun run = runCli("explore merge " + at("blank.gz") + option, 300, 15);
        EXPECT_EQ(run.exitCode, 1) << run.err;
        EXPECT_NE(run.err.find("not enough memory"), std::string::npos) << run.err;
    }
#endif
}

TEST_F(CliReaders, ASmallStackIsEnough)
{
#ifndef __SANITIZE_ADDRESS__
    for (const char* command :
         {"explore llama2-7b-8-a100 --axis tp=1,2 --samples 200", "sensitivity attribution llama2-7b-8-a100 --samples 200"}) {
        const std::string line = std::string("ulimit -s 48; \"" PRISM_CLI "\" ") + command + " >/dev/null 2>&1";
        const int status = std::system(line.c_str());
        EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << command << ": " << status;
    }
#endif
}

TEST_F(CliReaders, ErrorsNameTheFileThatTheyAreIn)
{
    write("bad.json", "{\"version\": 1,\n\"name\" 3}");
    write("wrong.json", R"({"version": 1, "name": "s", "model": {"num_layers": -1}})");
    write("bad.csv", "a,b\n1,2\n");
    for (const std::string& command :
         {"check " + at("bad.json"), "graph --validate " + at("bad.json"), "graph simulate " + at("bad.json"),
          "import hf-config " + at("bad.json"), "calibrate join " + at("bad.json"), "validate published " + at("bad.json"),
          "check " + at("wrong.json"), "import operators " + at("bad.csv"), "import nccl-tests " + at("bad.csv"),
          "import steps " + at("bad.csv"), "validate operators " + at("bad.csv"), "validate collectives " + at("bad.csv"),
          "job fleet " + at("wrong.json") + " " + at("bad.json")}) {
        const CliRun run = runCli(command);
        EXPECT_EQ(run.exitCode, 1) << command << run.err;
        const std::size_t begin = std::min(run.err.find("error: "), run.err.size()), end = run.err.find('\n', begin);
        const std::string error = run.err.substr(begin, end - begin).substr(std::min<std::size_t>(7, end - begin)); // the first one
        EXPECT_TRUE(error.starts_with(folder.string())) << command << ": " << run.err.substr(0, 300);
        EXPECT_EQ(error.find(folder.string(), 5), std::string::npos) << command << ": " << run.err.substr(0, 300);
    }
    const CliRun json = runCli("check " + at("wrong.json") + " --json");
    EXPECT_NE(json.err.find("\"path\": \"model.num_layers\""), std::string::npos) << json.err;
    EXPECT_NE(json.err.find("\"file\": \"" + at("wrong.json")), std::string::npos) << json.err;
}

TEST_F(CliReaders, LongNamesOfFilesAreShownShortened)
{
    const std::string name(50'000, 'n');
    write("s.json", R"({"version": 1, "name": "s", ")" + name + R"(": 1, "model": {")" + name + R"(": 1}})");
    write("log.csv", "run,step," + name + "_step_time_s\n" + name + ",1,1\n" + name + ",2,1\n");
    for (const std::string& command :
         {"check " + at("s.json"), "check " + at("s.json") + " --json", "import steps " + at("log.csv"),
          "validate steps llama2-7b-8-a100 " + at("log.csv"), "calibrate fit llama2-7b-8-a100 " + at("log.csv")}) {
        const CliRun run = runCli(command);
        EXPECT_FALSE(run.err.empty()) << command;
        EXPECT_LT(run.err.size(), 20'000U) << command;
    }
}

TEST_F(CliReaders, ThousandsOfErrorsAreCounted)
{
    std::string text = R"({"version": 1, "name": "s")";
    for (int i = 0; i < 100'000; ++i)
        text += ", \"k" + std::to_string(i) + "\": 1";
    write("s.json", text + "}");
    for (const char* option : {"", " --json"}) {
        const CliRun run = runCli("check " + at("s.json") + option, 1024, 5);
        EXPECT_EQ(run.exitCode, 1);
        EXPECT_LT(run.err.size(), 100'000U);
        EXPECT_NE(run.err.find(" more "), std::string::npos);
    }
}

TEST_F(CliReaders, ControlCharactersOfTracesLogsAndJobsStayThere)
{
    const std::string name = "k\\u001b[2J\\u009b31m\\u202e";
    write("s.json", R"({"version": 1, "name": ")" + name + R"(", "note": ")" + name + R"("})");
    write("t.json", R"({"traceEvents": [{"ph": "X", "cat": "kernel", "name": ")" + name + R"(", "ts": 1, "dur": 1}, {}]})");
    write("log.csv", "run,step,step_time_s\n\x1b[2Jr,1,1\n\x1b[2Jr,2,1\n\xc2\x9bq,1,1\n");
    write("jobs.csv", "job_id,gpus,submit,duration,gpu_type\n\x1b[2J,1,0,10,\x1b[31mT\n");
    for (const std::string& command :
         {"new " + at("s.json"), "job " + at("s.json") + " --samples 100 --runs 10", "trace report " + at("t.json"),
          "trace report " + at("t.json") + " --json", "trace export " + at("t.json") + " --as pools", "import trace " + at("t.json"),
          "import steps " + at("log.csv"), "import steps " + at("log.csv") + " --json",
          "job fleet " + at("jobs.csv") + " shared-1280 --runs 1", "explore merge " + at("log.csv"),
          "explore merge " + at("log.csv") + " --json", "calibrate join " + at("s.json"), std::string("check \x1b[2J --json"),
          "explore " + at("s.json") + " --axis tp=8 --axis '\x1b[2J=1'"}) {
        const CliRun run = runCli(command);
        EXPECT_LE(run.exitCode, 2) << command << run.err;
        for (const char* bytes : {"\x1b", "\xc2\x9b", "\xe2\x80\xae"})
            EXPECT_EQ((run.out + run.err).find(bytes), std::string::npos) << command;
    }
}

TEST_F(CliReaders, ManyReplicasTakeAFewHundredBytesEach)
{
    const std::string gpus = "graph llama2-7b-8-a100 --set cluster.num_gpus=262144 --set training.global_batch_size=262144 --output ";
    ASSERT_EQ(runCli(gpus + at("graph.json")).exitCode, 0);
    const CliRun run = runCli("graph simulate " + at("graph.json") + " --samples 100 --threads 1 --allow-long", 380, 40);
    EXPECT_EQ(run.exitCode, 0) << run.err;
}

TEST_F(CliReaders, ALongEvaluationIsNotStartedWithoutARequest)
{
    const std::string longOne =
        "predict llama2-7b-8-a100 --set model.num_layers=1024 --set cluster.num_gpus=16 "
        "--set parallelism.pipeline_model_parallel_size=16 --set parallelism.virtual_pipeline_model_parallel_size=64 "
        "--set parallelism.schedule=1f1b --set parallelism.tensor_model_parallel_size=1 "
        "--set training.micro_batch_size=1 --set training.global_batch_size=1296";
    const CliRun run = runCli(longOne, 1024, 10);
    EXPECT_EQ(run.exitCode, 1);
    for (const char* part : {"training.global_batch_size", "1,327,104 passes", "s of CPU", "--allow-long"})
        EXPECT_NE(run.err.find(part), std::string::npos) << run.err;
}

TEST_F(CliReaders, AHundredThousandAlarmsAreFollowedInSeconds)
{
    std::string log = "step,step_time_s\n";
    for (int i = 0; i < 200'000; ++i)
        log += std::to_string(i) + ",1." + std::to_string(10 + i % 90) + "\n";
    write("saw.csv", log);
    const CliRun run = runCli("validate follow " + at("saw.csv") + " --once --scenario llama2-7b-8-a100 --samples 200", 1024, 5);
    EXPECT_EQ(run.exitCode, 0) << run.err;
    EXPECT_NE(run.out.find("200000 steps followed"), std::string::npos) << run.out.substr(run.out.size() - 200);
}

TEST_F(CliReaders, TablesAreSafeForSheetsAndExactWhereRequested)
{
    write("log.csv", "run,step,step_time_s\n=cmd|' /C calc'!A0,1,1\n=cmd|' /C calc'!A0,2,1\n\"\x1b[31mr,x\",1,1\n\"\x1b[31mr,x\",2,1\n");
    const std::string command = "import steps " + at("log.csv");
    const std::string sheet = runCli(command).out, exact = runCli(command + " --raw-text").out;
    EXPECT_NE(sheet.find("\n'=cmd|' /C calc'!A0,1,,,1\n"), std::string::npos) << sheet;
    EXPECT_NE(sheet.find("\n\"[31mr,x\",2,,,1\n"), std::string::npos) << sheet;
    EXPECT_NE(exact.find("\n=cmd|' /C calc'!A0,1,,,1\n"), std::string::npos) << exact;
    EXPECT_NE(exact.find("\n\"\x1b[31mr,x\",2,,,1\n"), std::string::npos) << exact;
    ASSERT_EQ(runCli(command + " --raw-text --output " + at("again.csv")).exitCode, 0);
    EXPECT_EQ(slurp(at("again.csv")), exact);
}

TEST_F(CliReaders, WhatIsNoFileOfItsKindIsReported)
{
    fs::create_directories(at("folder"));
    write("empty", "");
    write("bytes", std::string("\x7f\x45\x4c\x46\xff\xfe\x00\x01\x80\x81", 10));
    for (const std::string& input : {at("folder"), at("empty"), at("bytes"), at("no-such"), std::string("/dev/null")})
        for (const char* command :
             {"trace report", "trace whatif", "trace predict", "import trace", "import steps", "import speeds",
              "calibrate fit llama2-7b-8-a100", "job fleet", "explore merge", "calibrate join", "validate steps llama2-7b-8-a100",
              "validate operators", "new", "job", "improve", "presets studies run", "explore"}) {
            const std::string rest = std::string(command) == "job fleet" ? " shared-1280" : "";
            const CliRun run = runCli(std::string(command) + " " + input + rest);
            EXPECT_EQ(run.exitCode, 1) << command << " " << input << "\n" << run.err.substr(0, 300);
            EXPECT_TRUE(run.out.empty()) << command << " " << input;
        }
}

} // namespace
} // namespace prism::test
