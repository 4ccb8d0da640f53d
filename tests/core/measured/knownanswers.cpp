// SPDX-License-Identifier: GPL-3.0-or-later
// Known answers of measured tables, logs and series: units, bounds just inside and outside, places and levels computed by hand.
#include "core/measured/collectivetables.h"
#include "core/measured/importmeasured.h"
#include "core/measured/seriesshape.h"
#include "core/measured/lineformat.h"
#include "core/measured/logfields.h"
#include "core/measured/operatortable.h"
#include "core/measured/steplog.h"
#include "core/measured/steptable.h"
#include "core/measured/tables.h"
#include "core/scenario/presets.h"
#include "core/scenario/scenariolimits.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>
#include <fstream>

namespace prism {
namespace {

std::vector<LoggedStep> stepsOf(const std::string& text, const StepLogOptions& options = {})
{
    const Result<StepLog> log = readStepLog(text, options);
    EXPECT_TRUE(log.ok()) << text;
    return log.ok() && !log->runs.empty() ? log->runs[0].steps : std::vector<LoggedStep>();
}

TEST(NcclTests, RowsOfBothLayoutsHaveTheOutOfPlaceTime)
{
    const std::string head = "# Collective test starting: all_gather_perf\n#  Rank  0 Group 0\n# Rank 1 on host\n#  Rank  2 Group 0\n";
    const Result<std::vector<MeasuredRow>> rows = ncclTestsRows(
        head
            + "  1024  256 float sum -1 12.5 0.08 0.11 0 77.5 0.1 0.1 0\n[1,0]<stdout>: 2048 512 half none 25 0.2 0.3 0 99 0.1 0.1 0\n"
              "4096 1024 bfloat16 50 1 2 0\n0 0 float 3 1 2 0\n8192 2048 float 0 1 2 0\nhost: done\n",
        {});
    ASSERT_TRUE(rows.ok()) << rows.errors().front().message;
    ASSERT_EQ(rows->size(), 3U) << "rows without bytes or time are omitted";
    const std::tuple<std::int64_t, std::string, double> known[] = {
        {1024, "float", 12.5e-6}, {2048, "half", 25e-6}, {4096, "bfloat16", 50e-6}};
    for (std::size_t i = 0; i < 3; ++i) {
        const MeasuredRow& r = (*rows)[i];
        EXPECT_EQ(std::tuple(r.bytes, r.dtype, r.ranks, r.op),
                  std::tuple(std::get<0>(known[i]), std::get<1>(known[i]), 3, std::string("all_gather")));
        EXPECT_NEAR(r.seconds, std::get<2>(known[i]), 1e-15);
    }
    EXPECT_EQ(ncclTestsRows(head + "4096 1024 half 50 1 2 0\n", {"all_reduce", 16})->front().ranks, 16);
    EXPECT_EQ(ncclTestsRows(head + "4096 1024 half 50 1 2 0\n", {"all_reduce", 2})->front().op, "all_reduce");
    EXPECT_FALSE(ncclTestsRows(head + "4096 1024 half 50 1 2 0\n", {"all_reduce", 1}).ok()) << "the option goes before the log";
    EXPECT_FALSE(ncclTestsRows("# Rank 0 x\n4096 1024 half 50 1 2 0\n", {"all_reduce", 0}).ok()) << "one rank";
    EXPECT_FALSE(ncclTestsRows(head + "4096 1024 half 50 1 2 0\n", {"gemm", 8}).ok());
    const auto isRead = [&](const std::string& row) { return ncclTestsRows(head + row + "\n4096 1024 half 50 1 2 0\n", {}).ok(); };
    EXPECT_TRUE(isRead("4096 1024 half 1e12 1 2 0")); // a million seconds
    EXPECT_FALSE(isRead("4096 1024 half 1.0001e12 1 2 0"));
    EXPECT_FALSE(isRead("4096 1024 half -1 1 2 0"));
    EXPECT_TRUE(isRead("1125899906842624 1024 half 5 1 2 0")); // 2^50
    EXPECT_FALSE(isRead("1125899906842625 1024 half 5 1 2 0"));
    EXPECT_TRUE(isRead("4096 1024 " + std::string(20, 'f') + " 5 1 2 0"));
    EXPECT_FALSE(isRead("4096 1024 " + std::string(21, 'f') + " 5 1 2 0"));
    for (const auto& [words, isRow] : {std::pair{6, false}, {7, true}, {9, true}, {10, false}, {11, true}, {13, true}, {14, false}}) {
        std::string row = "4096 1024 half";
        for (int i = 3; i < words; ++i)
            row += " 7";
        EXPECT_EQ(isRead(row), isRow) << words;
    }
    std::string bad = head;
    for (int i = 0; i < 150; ++i)
        bad += "4096 oops\n";
    const Diagnostics errors = ncclTestsRows(bad, {}).errors();
    ASSERT_EQ(errors.size(), 101U);
    EXPECT_EQ(errors[0].path, "line 5");
    EXPECT_EQ(errors[100].message, "there are more errors");
}

TEST(OperatorRows, UnitsAndBoundsOfEveryColumn)
{
    const auto row = [](const std::string& column, const std::string& value) {
        return operatorTableRows("op,dtype,m,n,k,ranks,bytes," + column + "\n" + value + "\n");
    };
    for (const auto& [column, unit] : {std::pair{"time_s", 1.0}, {"time_ms", 1e-3}, {"time_us", 1e-6}, {"latency_us", 1e-6}}) {
        const MeasuredRow product = row(column, "matmul,half,2,3,4,,,5").value()[0];
        EXPECT_NEAR(product.seconds, 5 * unit, 1e-15) << column;
        EXPECT_EQ(std::tuple(product.op, product.m, product.n, product.k), std::tuple(std::string("gemm"), 2, 3, 4));
        EXPECT_TRUE(row(column, "gemm,half,1,1,1,,," + std::to_string(1e6 / unit)).ok());
        EXPECT_FALSE(row(column, "gemm,half,1,1,1,,," + std::to_string(1.001e6 / unit)).ok());
    }
    const MeasuredRow call = row("time_us", "AllReduce,half,,,,8,1024,5").value()[0];
    EXPECT_EQ(std::tuple(call.op, call.ranks, call.bytes), std::tuple(std::string("all_reduce"), 8, 1024));
    const std::pair<const char*, bool> bounds[] = {
        {"gemm,half,0,1,1,,,5", false}, {"gemm,half,1,0,1,,,5", false},    {"gemm,half,1,1,0,,,5", false},     {"p2p,half,,,,1,8,5", false},
        {"p2p,half,,,,2,8,5", true},    {"p2p,half,,,,1048576,8,5", true}, {"p2p,half,,,,1048577,8,5", false}, {"p2p,half,,,,2,0,5", false},
        {"p2p,half,,,,2,1,5", true},    {"p2p,half,,,,2,8,0", false},      {"other,half,,,,2,8,5", false}};
    for (const auto& [text, isRead] : bounds)
        EXPECT_EQ(row("time_us", text).ok(), isRead) << text;
    EXPECT_EQ(row("time_us", "gemm,half,0,0,0,,,-1").errors().size(), 4U);
    EXPECT_EQ(operatorTableRows("m,n,k,dtype,time_us\n1,2,3,half,7\n")->front().op, "gemm");
    // A row of the same key is replaced; one that differs in any part of the key is another.
    MeasuredRow known = call;
    Scenario s;
    EXPECT_EQ(addMeasuredRows(s, {known}), 0);
    known.seconds = 9;
    EXPECT_EQ(addMeasuredRows(s, {known, known}), 2);
    ASSERT_EQ(s.measured.rows.size(), 1U);
    EXPECT_EQ(s.measured.rows[0].seconds, 9);
    std::vector<MeasuredRow> others(7, known);
    others[0].op = "p2p";
    others[1].dtype = "float";
    others[2].m = others[3].n = others[4].k = 1;
    others[5].ranks = 16;
    others[6].bytes = 1;
    EXPECT_EQ(addMeasuredRows(s, others), 0);
    EXPECT_EQ(s.measured.rows.size(), 8U);
}

class Folder final {
public:
    Folder() { std::filesystem::create_directories(m_path); }
    ~Folder() { std::filesystem::remove_all(m_path); }
    std::string write(const std::string& name, const std::string& text) const
    {
        std::ofstream(m_path / name) << text;
        return (m_path / name).string();
    }
    [[nodiscard]] std::string path() const { return m_path.string(); }

private:
    std::filesystem::path m_path = std::filesystem::path(testing::TempDir()) / "measured_knownanswers";
};

TEST(CollectiveTables, EveryFormatHasItsUnits)
{
    const Folder folder;
    folder.write("vtrain_a100_allreduce_4.csv", "size,count,type,time\n1024,256,float,2500,x\n");
    folder.write("perlmutter_allgather.csv", "shape,nodes,per node,us\n1000,2,4,30\n");
    folder.write("perlmutter_p2p.csv", "shape,nodes,per node,us\n1000,1,2,30\n500,2,1,10\n");
    folder.write("vista_allreduce.csv", "shape,nodes,per node,us\n1000,2,1,30\n");
    folder.write("tracelens_mi300x_llama70b_fsdp_nccl_summary_implicit_sync.csv",
                 "name,a,b,c,ranks,mib,d,us\nreduce_scatter_x,,,,16,2,,50\nallgather,,,,8,1,,40\nother,,,,1024,0.5,,30\n");
    folder.write(
        "aiconfigurator_nccl.csv",
        "system,a,op,b,ranks,bytes,c,bus\nh100_sxm,,all_reduce,,8,1e9,,400\nh100_sxm,,all_gather,,8,1e9,,350\n"
        "h100_sxm,,reduce_scatter,,4,1e9,,300\nh100_sxm,,alltoall,,2,1e9,,100\nh100_sxm,,alltoall,,2,1e9,,0.0\nx_y,,alltoall,,2,1,,1\n");
    folder.write("echo_a100_40g_nccl_2.log", "# Rank 0 a\n# Rank 1 b\n4096 1024 half 50 1 2 0\n");
    folder.write("tracelens_more.csv", "x\n");
    const Result<CollectiveFolder> read = readCollectiveFolder(folder.path());
    ASSERT_TRUE(read.ok()) << read.errors().front().message << read.errors().front().path;
    const auto table = [&](const std::string& name) {
        for (const CollectiveTable& t : read->tables)
            if (t.name.starts_with(name))
                return t;
        ADD_FAILURE() << name;
        return CollectiveTable{};
    };
    const auto expectRow = [](const CollectiveTable& t, std::size_t i, CollectiveOp op, std::int64_t size, double bytes, double seconds) {
        ASSERT_LT(i, t.rows.size()) << t.name;
        EXPECT_EQ(t.rows[i].op, op) << t.name << i;
        EXPECT_EQ(t.rows[i].group.size, size) << t.name << i;
        EXPECT_NEAR(t.rows[i].bytes, bytes, 1e-9 * bytes) << t.name << i;
        EXPECT_NEAR(t.rows[i].seconds, seconds, 1e-9 * seconds) << t.name << i;
    };
    expectRow(table("vtrain"), 0, CollectiveOp::allReduce, 4, 1024, 2.5e-6);
    const CollectiveTable gather = table("perlmutter_allgather"), pairs = table("perlmutter_p2p");
    expectRow(gather, 0, CollectiveOp::allGather, 8, 2.0 * 1000 * 8, 30e-6); // elements of 2 bytes of each of 8 ranks
    EXPECT_EQ(gather.rows[0].group.nodes, 2);
    EXPECT_EQ(gather.rows[0].group.ranksPerNode, 4);
    EXPECT_TRUE(gather.shapeOnly);
    expectRow(pairs, 0, CollectiveOp::sendRecv, 2, 2000, 30e-6);
    expectRow(pairs, 1, CollectiveOp::sendRecv, 2, 1000, 10e-6);
    expectRow(table("vista"), 0, CollectiveOp::allReduce, 2, 2000, 30e-6);
    EXPECT_FALSE(table("vista").shapeOnly);
    const CollectiveTable summary = table("tracelens_mi300x");
    expectRow(summary, 0, CollectiveOp::reduceScatter, 16, 2 * 1048576, 50e-6);
    expectRow(summary, 1, CollectiveOp::allGather, 8, 1048576, 40e-6);
    expectRow(summary, 2, CollectiveOp::allReduce, 1024, 524288, 30e-6);
    EXPECT_EQ(summary.rows[0].group.nodes, 2) << "eight GPUs to a node";
    const CollectiveTable bus =
        table("aiconfigurator"); // time = 2 (n - 1) / n bytes over the bus bandwidth for an all-reduce, half for others
    expectRow(bus, 0, CollectiveOp::allReduce, 8, 1e9, 1.75 / 400);
    expectRow(bus, 1, CollectiveOp::allGather, 8, 1e9, 0.875 / 350);
    expectRow(bus, 2, CollectiveOp::reduceScatter, 4, 1e9, 0.75 / 300);
    expectRow(bus, 3, CollectiveOp::allToAll, 2, 1e9, 0.5 / 100);
    EXPECT_EQ(bus.rows.size(), 4U);
    EXPECT_EQ(bus.gpu, "h100-sxm-80gb");
    expectRow(table("echo"), 0, CollectiveOp::allReduce, 2, 4096, 50e-6);
    EXPECT_EQ(read->notRead.size(), 2U);
    const Result<std::vector<BusRow>> rows = readBusTable(folder.path() + "/aiconfigurator_nccl.csv");
    EXPECT_EQ(rows->front().linkGbPerS, fabricPreset("dgx-h100-ndr400-rail", ClusterConfig())->intraNodeGbPerS);
    EXPECT_EQ(rows->back().linkGbPerS, 0);
    EXPECT_EQ(rows->front().type, "h100");
    EXPECT_EQ(std::tuple(rows->front().ranks, rows->front().busGbPerS), std::tuple(8, 400.0));
    folder.write("vista_bad.csv", "shape,nodes,per node,us\n1000,1001,1000,30\n1000,1000,1000,30\n1000,1,1,0\n");
    EXPECT_EQ(readCollectiveFolder(folder.path()).errors().size(), 2U) << "more than a million ranks, and no time";
}

TEST(Tables, PositiveNumbersEndBelowTenToEighteen)
{
    double value = 0;
    EXPECT_TRUE(positive("9e17", value) && !positive("1e18", value) && !positive("0", value) && !positive("", value));
}

TEST(OperatorTable, PassesUnitsAndMachines)
{
    for (const auto& [column, unit] :
         {std::pair{"time_s", 1.0}, {"time_ms", 1e-3}, {"time_us", 1e-6}, {"median_us", 1e-6}, {"mean_us", 1e-6}}) {
        const MeasuredOperator o =
            readOperatorTable("m,n,k,system,dtype," + std::string(column) + "\n2,3,4,h100,fp8,6\n", OperatorKind::qkv).value()[0];
        EXPECT_NEAR(o.seconds, 6 * unit, 1e-15) << column;
        EXPECT_EQ(std::tuple(o.m, o.n, o.k, o.system, o.kind), std::tuple(2.0, 3.0, 4.0, std::string("h100"), OperatorKind::product));
        EXPECT_EQ(o.precision, MatrixPrecision::fp8);
    }
    const std::vector<MeasuredOperator> both =
        readOperatorTable("b,l,dim,h,mp,F_dur(us),B_dur(us)\n2,128,64,8,4,10,20\n", OperatorKind::attention).value();
    ASSERT_EQ(both.size(), 2U);
    EXPECT_FALSE(both[0].backward);
    EXPECT_TRUE(both[1].backward);
    EXPECT_NEAR(both[0].seconds, 10e-6, 1e-15);
    EXPECT_NEAR(both[1].seconds, 20e-6, 1e-15);
    EXPECT_EQ(std::tuple(both[1].batch, both[1].sequence, both[1].hidden, both[1].heads, both[1].tensorRanks),
              std::tuple(2.0, 128.0, 64.0, 8.0, 4.0));
    EXPECT_FALSE(readOperatorTable("b,l,dim,F_dur(us)\n2,128,64,10\n", OperatorKind::attention).ok()) << "attention needs its heads";
    EXPECT_EQ(readOperatorTable("b,l,dim,F_dur(us)\n2,128,64,10\n", OperatorKind::norm)->size(), 1U);
    EXPECT_FALSE(readOperatorTable("m,n,k,x,time_us\n2,3,4\n", OperatorKind::qkv).ok()) << "the time's cell is missing";
}

TEST(StepTable, EveryColumnHasItsPlace)
{
    const std::string head =
        "# GPUs,global batch,micro batch,hidden size,attention heads,# layers,sequence length,tensor parallelism,data parallelism,"
        "pipeline parallelism,iteration time (ms)\n";
    const nlohmann::json file =
        nlohmann::json::parse(stepTableAsJson(head + "8,16,2,2048,32,12,1024,2,1,4,250.5\n9,16,2,2048,32,12,1024,2,1,4,250\n").value());
    ASSERT_EQ(file["rows"].size(), 2U);
    const nlohmann::json& row = file["rows"][0];
    EXPECT_EQ(row["id"], "single-node-1");
    EXPECT_EQ(file["rows"][1]["id"], "single-node-2");
    const std::pair<const char*, double> model[] = {{"layers", 12},   {"hidden", 2048}, {"heads", 32},
                                                    {"kv_heads", 32}, {"ffn", 8192},    {"seq_len", 1024}};
    for (const auto& [key, value] : model)
        EXPECT_EQ(row["model"][key], value) << key;
    EXPECT_EQ(row["gpu"]["count"], 8);
    EXPECT_EQ(row["parallel"], (nlohmann::json{{"tp", 2}, {"dp", 1}, {"pp", 4}}));
    EXPECT_EQ(row["micro_batch"], 2);
    EXPECT_EQ(row["global_batch"], 16);
    EXPECT_NEAR(row["measured"]["iteration_time_s"].get<double>(), 0.2505, 1e-12);
    EXPECT_TRUE(stepTableAsJson(head + "8,16,2,16777216,32,12,1024,2,1,4,250\n").ok());
    EXPECT_FALSE(stepTableAsJson(head + "8,16,2,16777217,32,12,1024,2,1,4,250\n").ok());
    EXPECT_FALSE(stepTableAsJson(head + "8,16,2,2048,32,12,1024,2,1,4,0\n").ok());
}

TEST(LineStamps, SecondsSince1970)
{
    const std::pair<const char*, double> known[] = {{"1970-01-01 00:00:00", 0},
                                                    {"[2000-02-29T23:59:59] x", 951868799},
                                                    {"x 2000-03-01 00:00:00", 951868800},
                                                    {"2024-02-29 12:34:56.789 y", 1709210096.789},
                                                    {"2023-12-31 23:59:59,5", 1704067199.5},
                                                    {"2024-01-01 00:00:00", 1704067200},
                                                    {"2100-03-01 00:00:00", 4107542400}};
    for (const auto& [text, seconds] : known)
        EXPECT_NEAR(stampOf(text), seconds, 1e-6) << text;
    EXPECT_EQ(lineStamp("rank 2024-01-01 00:00:00").at, 5U);
    for (const char* text : {"1969-12-31 23:59:59", "2024-13-01 00:00:00", "2024-00-01 00:00:00", "2024-01-32 00:00:00",
                             "2024-01-00 00:00:00", "2024-01-01 00:00", "2024-01-01 00-00:00"})
        EXPECT_TRUE(std::isnan(stampOf(text))) << text;
    EXPECT_EQ(stampOf(std::string(61, ' ') + "1970-01-01 00:00:01"), 1) << "in the first 80 characters";
    EXPECT_TRUE(std::isnan(stampOf(std::string(62, ' ') + "1970-01-01 00:00:01")));
    const std::pair<const char*, const char*> ranks[] = {{"3: step", "3"},
                                                         {"[rank12]: step", "12"},
                                                         {" [default0]: step", "0"},
                                                         {"[3]: step", ""},
                                                         {"3:step", ""},
                                                         {": x", ""},
                                                         {"[rank]: x", ""},
                                                         {"12", ""}};
    for (const auto& [text, rank] : ranks)
        EXPECT_EQ(rankTag(text), rank) << text;
    EXPECT_EQ(numberAfter("a: = \"-2.5e1x", 1), -25);
    EXPECT_EQ(numberAfter("a \x1b[31m7", 1), 7);
    EXPECT_TRUE(std::isnan(numberAfter("a", 99)));
    EXPECT_TRUE(std::isnan(numberAfter("a x", 1)));
}

TEST(StepLog, PausesLimitsAndRepeatsByHand)
{
    const auto megatron = [](const char* stamp, int step, double ms) {
        return " [2025-01-31 12:" + std::string(stamp) + "] iteration " + std::to_string(step) + "/ 500 | consumed samples: "
               + std::to_string(512 * step) + " | elapsed time per iteration (ms): " + std::to_string(ms) + " |\n";
    };
    const std::vector<LoggedStep> steps = stepsOf(megatron("00:00", 10, 1000) + megatron("00:20", 12, 4000) + megatron("00:30", 22, 2000));
    ASSERT_EQ(steps.size(), 3U);
    EXPECT_EQ(steps[0].pauseSeconds, -1);
    EXPECT_NEAR(steps[1].pauseSeconds, 12, 1e-9) << "two steps of 4 s in 20 s";
    EXPECT_EQ(steps[2].pauseSeconds, 0) << "ten steps of 2 s do not fit into 10 s";
    EXPECT_EQ(steps[2].samplesSeen, 512 * 22);
    EXPECT_EQ(steps[2].number, 22);
    const std::string head = "step,step_time_s,samples,pause_ms\n";
    const std::vector<LoggedStep> paused = stepsOf(head + "1,2,5,\n2,2,6,500\n3,2,7,0\n4,2,8,250\n5,2,9,\n");
    ASSERT_EQ(paused.size(), 5U);
    const double pauses[] = {-1, 0.5, 0, 0.25, -1};
    for (std::size_t i = 0; i < 5; ++i)
        EXPECT_NEAR(paused[i].pauseSeconds, pauses[i], 1e-12) << i;
    EXPECT_EQ(stepsOf(head + "1,9999999,5,\n2,1e7,6,\n3,0,7,\n4,1,8,1500\n").size(), 2U) << "a step takes less than 1e7 s and more than 0";
    EXPECT_NEAR(stepsOf(head + "1,2,5,\n2,2,6,1500\n")[1].pauseSeconds, 1.5, 1e-12);
    EXPECT_EQ(stepsOf(head + "1,2,-5,\n0,3,6,\n")[0].samplesSeen, -1);
    const StepLog log = readStepLog(head + "1,2,5,\n1,2,5,\n2,2,6,\n2,3,6,\n1,2,7,\n2,oops,8,\n").value();
    ASSERT_EQ(log.runs.size(), 2U) << "back to step 1: another run";
    EXPECT_EQ(log.runs[0].steps.size(), 3U) << "the same step with another time counts";
    EXPECT_EQ(std::tuple(log.lines, log.matched, log.repeated, log.unusable), std::tuple(7, 6, 1, 1));
    EXPECT_EQ(log.steps(), 4U);
    EXPECT_EQ(reportText(log),
              "table with a header: 6 of 7 lines report a step (step_time_s in s)\n4 steps in 2 runs, 1 repeated omitted, 1 "
              "without a usable time omitted\n");
    EXPECT_TRUE(reportText(readStepLog(head + "1,2,5,\n").value()).ends_with("1 steps in 1 run\n"));
    // Named runs begin again where the number falls below half.
    const auto runs = [&](const char* rows) { return readStepLog("step,step_time_s,run\n" + std::string(rows)).value().runs.size(); };
    EXPECT_EQ(runs("10,1,a\n5,1,a\n"), 1U);
    EXPECT_EQ(runs("10,1,a\n4,1,a\n"), 2U);
    EXPECT_EQ(runs("10,1,a\n10,1,b\n"), 2U);
    // Another rank's line of a step that is known is a repeat, a later step is not.
    const StepLog ranks = readStepLog("step,step_time_s,rank\n1,2,0\n2,2,0\n1,3,1\n2,3,1\n3,3,1\n").value();
    EXPECT_EQ(ranks.repeated, 2);
    EXPECT_EQ(ranks.steps(), 3U);
    const LoggedStep pattern = stepsOf("took 250 ms at 7 of 99\n", {.pattern = "took {ms} ms at {step} of {samples}"})[0];
    EXPECT_EQ(std::tuple(pattern.seconds, pattern.number, pattern.samplesSeen), std::tuple(0.25, 7, 99.0));
    EXPECT_EQ(stepsOf("t=3 s=0\n", {.pattern = "t={us} s={step}"})[0].seconds, 3e-6);
    EXPECT_EQ(stepsOf("t=3 s=0\n", {.pattern = "t={us} s={step}"})[0].number, 0);
    EXPECT_EQ(stepsOf("t=3 s=-1\n", {.pattern = "t={us} s={step}"})[0].number, -1);
}

TEST(StepLog, StampsAndBarsGiveMeansOfTheirSteps)
{
    const auto titan = [](const char* stamp, int step) {
        return "2025-01-31 12:" + std::string(stamp) + " step: " + std::to_string(step) + " loss: 1 tps: 5\n";
    };
    const std::vector<LoggedStep> steps =
        stepsOf(titan("00:00", 10) + titan("00:05.5", 11) + titan("00:25.5", 15) + titan("00:25.5", 15) + titan("00:28.5", 16));
    ASSERT_EQ(steps.size(), 3U);
    EXPECT_NEAR(steps[0].seconds, 5.5, 1e-6);
    EXPECT_NEAR(steps[1].seconds, 5, 1e-6) << "20 s for four steps";
    EXPECT_NEAR(steps[2].seconds, 3, 1e-6);
    EXPECT_EQ(steps[1].number, 15);
    const auto notes = [&](const std::string& text) { return readStepLog(text).value().notes.size(); };
    EXPECT_EQ(notes(titan("00:00", 1) + titan("00:05", 2) + titan("00:09", 3)), 2U) << "whole seconds";
    EXPECT_EQ(notes(titan("00:00.5", 1) + titan("00:05", 2) + titan("00:09", 3)), 1U);
    EXPECT_EQ(notes(titan("00:00.5", 1) + titan("00:05", 2) + titan("00:09", 4)), 2U) << "two steps between lines";
    const auto bar = [](int epoch, int done, const char* clock) {
        return "Epoch " + std::to_string(epoch) + ":  10%|#  | " + std::to_string(done) + "/100 [" + clock + "<03:09, 1.2it/s]\n";
    };
    const std::vector<LoggedStep> bars =
        stepsOf(bar(2, 10, "00:20") + bar(2, 11, "00:23") + bar(2, 15, "1:00:23") + bar(3, 1, "00:05") + bar(3, 2, "00:09"));
    ASSERT_EQ(bars.size(), 3U);
    EXPECT_NEAR(bars[0].seconds, 3, 1e-9);
    EXPECT_EQ(bars[0].number, 211);
    EXPECT_NEAR(bars[1].seconds, 900, 1e-9);
    EXPECT_NEAR(bars[2].seconds, 4, 1e-9) << "the first bar of an epoch gives no step";
    EXPECT_EQ(bars[2].number, 302);
}

TEST(StepLog, JsonLinesAndEventsByHand)
{
    const std::vector<LoggedStep> lines =
        stepsOf(R"({"step_time_ms": 250, "a": {"step": 3}, "step": 4, "samples": 9, "timestamp_ms": 1000})"
                "\n"
                R"({"step_time_ms": "500", "step": 5, "samples": -2, "timestamp_ms": 3000})"
                "\n");
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_EQ(std::tuple(lines[0].seconds, lines[0].number, lines[0].samplesSeen), std::tuple(0.25, 4, 9.0));
    EXPECT_EQ(std::tuple(lines[1].seconds, lines[1].samplesSeen), std::tuple(0.5, -1.0));
    EXPECT_NEAR(lines[1].pauseSeconds, 1.5, 1e-9) << "2 s between the lines, of which the step took 0.5 s";
    const std::vector<LoggedStep> events = stepsOf(
        R"(:::MLLOG {"key": "run_start", "time_ms": 0, "value": null})"
        "\n"
        R"(:::MLLOG {"key": "tracked_stats", "time_ms": 10000, "value": {"step_time_ms": 2000}, "metadata": {"step": 7}})"
        "\n"
        R"(:::MLLOG {"key": "tracked_stats", "time_ms": 15000, "value": {"step_time_ms": 2000}, "metadata": {"samples_count": 9, "step": 8}})"
        "\n");
    ASSERT_EQ(events.size(), 2U);
    EXPECT_EQ(std::tuple(events[0].seconds, events[0].samplesSeen, events[1].samplesSeen), std::tuple(2.0, 7.0, 9.0));
    EXPECT_NEAR(events[1].pauseSeconds, 3, 1e-9);
    // A column named only "time": values that rise to more than three times the first in ten lines are a clock.
    const auto notes = [](double last, int rows) {
        std::string text = "step,time\n";
        for (int i = 0; i < rows; ++i)
            text += std::to_string(i) + ',' + std::to_string(1 + (last - 1) * i / (rows - 1)) + '\n';
        return readStepLog(text).value().notes.size();
    };
    EXPECT_EQ(notes(3.1, 10), 2U);
    EXPECT_EQ(notes(2.9, 10), 1U);
    EXPECT_EQ(notes(3.1, 9), 1U);
    EXPECT_EQ(stepsOf("step;step_time_s\n1;54,713\n2;1,5\n")[0].seconds, 54.713);
}

LoggedRun runOf(const std::vector<double>& seconds)
{
    LoggedRun run;
    for (const double s : seconds)
        run.steps.push_back({s});
    return run;
}

TEST(SeriesShape, NoiseLevelsAndPlacesByHand)
{
    // Differences +0.02, -0.02 alternate (median 0): 1.4826 x 0.02 / sqrt 2.
    std::vector<double> swing(101, 1.0);
    for (std::size_t i = 1; i < swing.size(); i += 2)
        swing[i] = 1.02;
    EXPECT_NEAR(runShape(runOf(swing)).noiseSeconds, 1.4826 * 0.02 / std::sqrt(2.0), 1e-5);
    EXPECT_EQ(medianOfRange({5, 1, 3, 9}, 1, 3), 2);
    EXPECT_EQ(medianOfRange({5, 1, 3, 9}, 1, 99), 3);
    EXPECT_EQ(partMedians({1, 2, 3, 7, 8, 9}, {3}), (std::vector<double>{2, 8}));
    const auto shifted = [](double by, std::size_t at) {
        std::vector<double> x(200, 1.0);
        std::fill(x.begin() + static_cast<std::ptrdiff_t>(at), x.end(), 1 + by);
        return x;
    };
    EXPECT_EQ(shiftPlaces(shifted(0.0076, 100), 1), std::vector{100}); // 0.75 % of the level
    EXPECT_TRUE(shiftPlaces(shifted(0.0074, 100), 1).empty());
    EXPECT_EQ(shiftPlaces(shifted(-0.02, 61), 1), std::vector{61});
    EXPECT_EQ(shiftPlaces(shifted(0.02, 159), 1), std::vector{159}) << "forty values behind it";
    std::vector<double> two = shifted(0.02, 80);
    std::fill(two.begin() + 130, two.end(), 1.05);
    EXPECT_EQ(shiftPlaces(two, 1), (std::vector{80, 130}));
    const RunShape shape = runShape(runOf(two));
    ASSERT_EQ(shape.shifts.size(), 2U);
    EXPECT_NEAR(shape.shifts[0].factor, 1.02, 1e-12);
    EXPECT_NEAR(shape.shifts[1].factor, 1.05 / 1.02, 1e-12);
    EXPECT_EQ(shape.shifts[1].index, 130);
    const CleanRun clean = cleanRun(runOf(two), shape, {});
    EXPECT_NEAR(clean.medianSeconds, 1.02, 1e-12);
    for (const double s : clean.seconds)
        EXPECT_NEAR(s, 1.02, 1e-9) << "the level of the median";
    EXPECT_NE(shapeText(shape).find("level +2.0 % from step 80; level +2.9 % from step 130; no trend"), std::string::npos)
        << shapeText(shape);
}

TEST(SeriesShape, WarmUpsAndPausesAtTheirLimits)
{
    const auto warmUp = [](std::vector<double> first, std::size_t n = 100) {
        first.resize(n, 10);
        return warmUpOf(first);
    };
    EXPECT_EQ(warmUp({10.031}), 1); // 0.3 % of the level
    EXPECT_EQ(warmUp({10.029}), 0);
    EXPECT_EQ(warmUp({9.9}), 1);
    EXPECT_EQ(warmUp({20, 10, 10, 20}), 4) << "two calm steps do not end it";
    EXPECT_EQ(warmUp({20, 10, 10, 10, 20}), 1);
    EXPECT_EQ(warmUp({20}, 20), 1);
    EXPECT_EQ(warmUp({20}, 19), 0) << "fewer than twenty steps have no shape";
    EXPECT_EQ(warmUp({20, 20, 20, 20, 20, 20}, 25), 5) << "among the first fifth";
    std::vector<double> third(60, 10);
    for (std::size_t i = 0; i < third.size(); i += 3)
        third[i] = 20; // never three calm ones in a row
    EXPECT_EQ(warmUp(third, 400), 40) << "among the first forty";
    const auto pauses = [](double level, double pause) {
        LoggedRun run = runOf(std::vector<double>(60, level));
        for (LoggedStep& s : run.steps)
            s.pauseSeconds = 0;
        run.steps[30].pauseSeconds = pause;
        return runShape(run).afterPause.size();
    };
    EXPECT_EQ(pauses(10, 1.01), 1U);
    EXPECT_EQ(pauses(10, 0.99), 0U);
    EXPECT_EQ(pauses(40, 2.01), 1U) << "5 % of a step";
    EXPECT_EQ(pauses(40, 1.99), 0U);
    const auto spaced = [](int first, int period, int missing, int n = 100) {
        std::vector<double> x(static_cast<std::size_t>(n), 10);
        for (int i = first; i < n; i += period)
            if (i != missing)
                x[static_cast<std::size_t>(i)] = 12;
        return runShape(runOf(x)).afterPause;
    };
    EXPECT_EQ(spaced(22, 20, -1), (std::vector{22, 42, 62, 82})); // 2 would be called for, too: four of five
    EXPECT_TRUE(spaced(22, 20, 62).empty()) << "three";
    EXPECT_EQ(spaced(14, 15, 44), (std::vector{14, 29, 59, 74, 89}));
}

TEST(SeriesShape, CostsAreTheWarmUpAndThePausesWithTheStepsAfterThem)
{
    const auto run = [](bool isLogged) {
        std::vector<double> x(100, 10);
        x[0] = 30;
        x[1] = 12;
        for (const std::size_t i : {20U, 40U, 60U, 80U})
            x[i] = i == 20 ? 13 : 11;
        LoggedRun out = runOf(x);
        for (std::size_t i = 0; isLogged && i < x.size(); ++i)
            out.steps[i].pauseSeconds = i > 0 && i % 20 == 0 ? 5 : 0;
        return out;
    };
    const auto costsOf = [](const std::vector<LoggedRun>& runs) { return shapeCosts(runs, runShapes(runs)); };
    const ShapeCosts logged = costsOf({run(true)}), spaced = costsOf({run(false)});
    EXPECT_NEAR(logged.warmUpSeconds, 20 + 2, 1e-9);
    EXPECT_EQ(logged.pauseEverySteps, 20);
    EXPECT_NEAR(logged.pauseSeconds, 5 + (3 + 1 + 1 + 1) / 4.0, 1e-9);
    EXPECT_EQ(spaced.pauseEverySteps, 20);
    EXPECT_NEAR(spaced.pauseSeconds, 1.5, 1e-9) << "the log does not have the pause itself";
    LoggedRun once = run(true);
    for (const std::size_t i : {40U, 60U, 80U})
        once.steps[i].pauseSeconds = 0;
    EXPECT_EQ(costsOf({once}).pauseEverySteps, 0) << "one pause has no spacing";
    EXPECT_EQ(costsOf({once}).pauseSeconds, 0);
    EXPECT_EQ(costsOf({runOf(std::vector<double>(100, 10))}).warmUpSeconds, 0);
}

TEST(SeriesShape, ATrendIsThatOfItsCurve)
{
    std::vector<double> x;
    for (int i = 0; i < 101; ++i) {
        const double u = 2.0 * i / 100 - 1;
        x.push_back(10 * (1 + 0.003 * u + 0.001 * u * u));
    }
    const RunShape shape = runShape(runOf(x));
    EXPECT_NEAR(shape.trend, 0.006, 1e-4);
    EXPECT_NEAR(shape.trendTerms[0], 0.003, 1e-4);
    EXPECT_NEAR(shape.trendTerms[1], 0.001, 1e-4);
    EXPECT_NEAR(shape.trendAt(0, 101), 1 - 0.003 + 0.001, 1e-4);
    EXPECT_NEAR(shape.trendAt(100, 101), 1 + 0.003 + 0.001, 1e-4);
    EXPECT_NEAR(shape.trendAt(50, 101), 1, 1e-6);
    const CleanRun clean = cleanRun(runOf(x), shape, {});
    for (const double s : clean.seconds)
        EXPECT_NEAR(s, clean.medianSeconds, 2e-3);
    EXPECT_TRUE(shapeText(shape).ends_with("ms"));
    EXPECT_NE(shapeText(shape).find("trend +0.60 % over the run"), std::string::npos) << shapeText(shape);
}

TEST(StartUp, FourLongStepsAmongTheFirstByHand)
{
    const auto counted = [](std::initializer_list<std::size_t> longSteps, double excess = 1.01) {
        CountedSteps run{std::vector<double>(300, 10.0), std::vector<bool>(300, true), 1};
        for (const std::size_t i : longSteps)
            run.seconds[i] += excess;
        return startUpSteps({run});
    };
    EXPECT_EQ(counted({4, 14, 24, 34}), 35) << "all four of 300 among the first 35: (35/300)^4 = 0.0002";
    EXPECT_EQ(counted({4, 14, 24}), 0) << "three are too few";
    EXPECT_EQ(counted({4, 14, 24, 34}, 0.99), 0) << "not long enough";
    EXPECT_EQ(counted({4, 14, 24, 49}), 50); // (50/300)^4 = 0.0008
    EXPECT_EQ(counted({4, 14, 24, 50}), 0) << "fifty at most";
    EXPECT_EQ(counted({4, 14, 24, 34, 100, 150, 200, 250, 290}), 0) << "four of nine: chance";
    EXPECT_EQ(startUpSteps({}), 0);
}

} // namespace
} // namespace prism
