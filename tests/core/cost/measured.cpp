// SPDX-License-Identifier: GPL-3.0-or-later
// Measured tables: a row's own shape gives the row's time, shapes next to it follow the formula, kernels take measured means.
#include "core/cost/measured.h"

#include "core/cost/costmodel.h"
#include "core/measured/importmeasured.h"
#include "core/cost/predictor.h"
#include "core/scenario/presets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace prism {
namespace {

Scenario base()
{
    const Result<Scenario> s = scenarioPreset("llama2-7b-8-a100");
    EXPECT_TRUE(s.ok());
    return s ? *s : Scenario{};
}

Kernel gemm(double m, double n, double k)
{
    Kernel g;
    g.id = KernelId::gemmFc1;
    g.kind = CostKind::gemm;
    g.m = m;
    g.n = n;
    g.k = k;
    g.flops = 2 * m * n * k;
    return g;
}

TEST(Measured, GemmRowReplacesTheFormulaAtItsShape)
{
    Scenario s = base();
    s.measured.rows = {{"gemm", "bf16", 4096, 4096, 4096, 0, 0, 1e-3}, {"gemm", "bf16", 8192, 4096, 4096, 0, 0, 3e-3}};
    const CostModel measured(s, calibration());
    EXPECT_NEAR(measured.seconds(gemm(4096, 4096, 4096)), 1e-3, 1e-9);
    EXPECT_NEAR(measured.seconds(gemm(8192, 4096, 4096)), 3e-3, 1e-9);
    const double between = measured.seconds(gemm(5792, 4096, 4096));
    EXPECT_GT(between, 1e-3);
    EXPECT_LT(between, 3e-3);
}

TEST(Measured, OneFactorOnAllRowsIsThatFactorEverywhere)
{
    Scenario s = base();
    const CostModel formula(s, calibration());
    for (const std::int64_t m : {1024, 4096, 16384})
        s.measured.rows.push_back({"gemm", "bf16", m, 4096, 4096, 0, 0,
                                   1.25 * formula.gemmSeconds(static_cast<double>(m), 4096, 4096, 1, MatrixPrecision::bits16)});
    const CostModel measured(s, calibration());
    for (const double m : {512.0, 3000.0, 40000.0})
        EXPECT_NEAR(measured.seconds(gemm(m, 5000, 3000)), 1.25 * formula.gemmSeconds(m, 5000, 3000, 1, MatrixPrecision::bits16), 1e-9)
            << m;
}

TEST(Measured, RowsOfAnotherPrecisionChangeNothing)
{
    Scenario s = base();
    const double before = CostModel(s, calibration()).seconds(gemm(4096, 4096, 4096));
    s.measured.rows = {{"gemm", "fp8", 4096, 4096, 4096, 0, 0, 1e-3}};
    EXPECT_DOUBLE_EQ(CostModel(s, calibration()).seconds(gemm(4096, 4096, 4096)), before);
}

TEST(Measured, CollectivesInsideAndBetweenNodesAreSeparate)
{
    Scenario s = base();
    const CostModel formula(s, calibration());
    const GroupGeometry inside = groupOf(8, 8), between = groupOf(32, 8);
    s.measured.rows = {{"all_reduce", "half", 0, 0, 0, 8, 1 << 26, 2e-3}, {"all_reduce", "half", 0, 0, 0, 32, 1 << 26, 9e-3}};
    const CostModel measured(s, calibration());
    EXPECT_NEAR(measured.collectiveSeconds(CollectiveOp::allReduce, inside, 1 << 26), 2e-3, 1e-9);
    EXPECT_NEAR(measured.collectiveSeconds(CollectiveOp::allReduce, between, 1 << 26), 9e-3, 1e-9);
    EXPECT_DOUBLE_EQ(measured.collectiveSeconds(CollectiveOp::allGather, inside, 1 << 26),
                     formula.collectiveSeconds(CollectiveOp::allGather, inside, 1 << 26));
}

TEST(Measured, KernelMeansReplaceFormulasAndUnknownClassesAreErrors)
{
    Scenario s = base();
    s.measured.kernels = {{"optimizer", 0.25}, {"gemm.fc1", 1e-3}};
    const Result<CostedStep> step = costStep(s);
    ASSERT_TRUE(step.ok());
    EXPECT_DOUBLE_EQ(step->graph.optimizer.front().meanSeconds, 0.25);
    EXPECT_DOUBLE_EQ(CostModel(s, calibration()).seconds(gemm(1, 1, 1)), 1e-3);
    s.measured.kernels.push_back({"gemm.fc3", 1e-3});
    const Diagnostics errors = costStep(s).errors();
    EXPECT_TRUE(std::any_of(errors.begin(), errors.end(),
                            [](const Diagnostic& d) { return d.path == "measured.kernels[2].kernel_class" && d.found == "gemm.fc3"; }));
}

TEST(Measured, ImpossibleRowsAreErrorsOfTheScenario)
{
    Scenario s = base();
    s.measured.rows = {{"gemm", "bf16", 0, 1, 1, 0, 0, 1e-3}, {"all_reduce", "", 0, 0, 0, 1, 8, 1e-3}, {"gemm", "", 1, 1, 1, 0, 0, 0}};
    const Result<CostedStep> step = costStep(s);
    ASSERT_FALSE(step.ok());
    EXPECT_EQ(step.errors().size(), 3U);
}

TEST(ImportMeasured, ReadsLogsOfOldAndNewVersions)
{
    const char* old = "#   Rank  0 Pid 1 on a device 0\n#   Rank  1 Pid 2 on a device 1\n"
                      "#       size  count  type  redop  time  algbw  busbw  error  time  algbw  busbw  error\n"
                      "     1048576 262144 float sum 59.46 17.63 17.63 0e+00 58.0 18.0 18.0 0e+00\n";
    NcclTestsOptions options;
    options.op = "all_reduce";
    const Result<std::vector<MeasuredRow>> a = ncclTestsRows(old, options);
    ASSERT_TRUE(a.ok());
    ASSERT_EQ(a->size(), 1U);
    EXPECT_EQ(a->front().ranks, 2);
    EXPECT_EQ(a->front().bytes, 1048576);
    EXPECT_NEAR(a->front().seconds, 59.46e-6, 1e-12);

    const char* tagged =
        "[1,0]<stdout>:# Collective test starting: all_gather_perf\n[1,0]<stdout>:#  Rank  0 Group 0\n[1,0]<stdout>:#  Rank  1 Group 0\n"
        "[1,0]<stdout>:  0 0 float none -1 0.2 0 0 0 0.2 0 0 0\n"
        "[1,0]<stdout>:  8388608 262144 float none -1 103.3 81.2 81.2 N/A 101.0 83.0 83.0 0\n# Avg bus bandwidth : 80\n";
    const Result<std::vector<MeasuredRow>> b = ncclTestsRows(tagged, {});
    ASSERT_TRUE(b.ok());
    ASSERT_EQ(b->size(), 1U);
    EXPECT_EQ(b->front().op, "all_gather");
    EXPECT_NEAR(b->front().seconds, 103.3e-6, 1e-12);
}

TEST(ImportMeasured, BadLogsGiveEveryErrorWithItsLine)
{
    const Result<std::vector<MeasuredRow>> rows = ncclTestsRows("1048576 262144 float sum x 1 1 0 1 1 1 0\n1048576 2\n", {});
    ASSERT_FALSE(rows.ok());
    ASSERT_EQ(rows.errors().size(), 4U); // two lines, no op, no ranks
    EXPECT_EQ(rows.errors()[0].path, "line 1");
    EXPECT_EQ(rows.errors()[1].path, "line 2");
    EXPECT_FALSE(ncclTestsRows("", {}).ok());
    EXPECT_FALSE(ncclTestsRows(std::string(1000, '\0'), {}).ok());
    EXPECT_FALSE(ncclTestsRows("nothing of the kind\n", {"all_reduce", 8}).ok());
    EXPECT_LE(ncclTestsRows(
                  [] {
                      std::string s;
                      for (int i = 0; i < 5000; ++i)
                          s += "1 2\n";
                      return s;
                  }(),
                  {"all_reduce", 8})
                  .errors()
                  .size(),
              101U);
}

TEST(ImportMeasured, ReadsOperatorTablesInAnyUnitAndOrder)
{
    const Result<std::vector<MeasuredRow>> rows =
        operatorTableRows("\xEF\xBB\xBFtime_us,op,k,n,m,dtype,extra\n120.5,gemm,64,128,256,bf16,x\n\n7,matmul,1,2,3,,\n");
    ASSERT_TRUE(rows.ok());
    ASSERT_EQ(rows->size(), 2U);
    EXPECT_EQ((*rows)[0], (MeasuredRow{"gemm", "bf16", 256, 128, 64, 0, 0, (*rows)[0].seconds}));
    EXPECT_NEAR((*rows)[0].seconds, 120.5e-6, 1e-12);
    const Result<std::vector<MeasuredRow>> collectives = operatorTableRows("op,num_gpus,bytes,latency_us\nalltoall,8,1024,30\n");
    ASSERT_TRUE(collectives.ok());
    EXPECT_EQ(collectives->front().op, "all_to_all");
}

TEST(ImportMeasured, BadTablesGiveEveryErrorWithItsLine)
{
    const Result<std::vector<MeasuredRow>> rows = operatorTableRows("m,n,k,time_us\n1,2,3,4\n0,2,-3,nan\n1,2\n1,2,3,1e30\n");
    ASSERT_FALSE(rows.ok());
    ASSERT_EQ(rows.errors().size(), 6U); // line 3: m, k and the time; line 4: k and the time; line 5: the time
    EXPECT_EQ(rows.errors().front().path, "line 3");
    EXPECT_EQ(rows.errors().back().path, "line 5");
    EXPECT_FALSE(operatorTableRows("m,n,k\n1,2,3\n").ok());
    EXPECT_FALSE(operatorTableRows("op,time_s\nconv,1\n").ok());
    EXPECT_FALSE(operatorTableRows("").ok());
}

TEST(ImportMeasured, NamesOfNumberTypesAreNames)
{
    const NcclTestsOptions options{"all_reduce", 8};
    EXPECT_TRUE(ncclTestsRows(" 1024 256 fp8_e4m3 sum -1 11.5 0.09 0.16 0 11.2 0.09 0.16 0\n", options).ok());
    EXPECT_FALSE(ncclTestsRows(" 1024 256 fl\xff\xfeoat sum -1 11.5 0.09 0.16 0 11.2 0.09 0.16 0\n", options).ok());
    EXPECT_TRUE(operatorTableRows("op,m,n,k,dtype,time_us\ngemm,1,2,3,torch.bfloat16,4\n").ok());
    EXPECT_FALSE(operatorTableRows("op,m,n,k,dtype,time_us\ngemm,1,2,3,a name of more than twenty,4\n").ok());
}

TEST(ImportMeasured, ARowOfTheSameShapeIsReplaced)
{
    Scenario s = base();
    EXPECT_EQ(addMeasuredRows(s, {{"gemm", "bf16", 1, 2, 3, 0, 0, 1e-3}, {"gemm", "bf16", 4, 5, 6, 0, 0, 1e-3}}), 0);
    EXPECT_EQ(addMeasuredRows(s, {{"gemm", "bf16", 1, 2, 3, 0, 0, 2e-3}}), 1);
    ASSERT_EQ(s.measured.rows.size(), 2U);
    EXPECT_DOUBLE_EQ(s.measured.rows.front().seconds, 2e-3);
}

} // namespace
} // namespace prism
