// SPDX-License-Identifier: GPL-3.0-or-later
// Errors of models on measured tables: small tables whose errors are chosen, so that every statistic follows by hand.
#include "core/calibrate/collectiveagreement.h"
#include "core/calibrate/operatoragreement.h"

#include "core/cost/costmodel.h"
#include "core/scenario/presets.h"

#include <gtest/gtest.h>

#include <cmath>

namespace prism {
namespace {

constexpr double kMiB = 1 << 20;
const GroupGeometry kTwoNodes{.size = 16, .ranksPerNode = 8, .nodes = 2};

CollectiveTable table(bool shapeOnly = false)
{
    return {"t", "h100-sxm-80gb", "dgx-h100-ndr400-rail", shapeOnly, "", {}};
}

/// Seconds of the model for a table's machine, with the bandwidth between nodes replaced where `gbPerS` > 0.
double modelSeconds(CollectiveOp op, const GroupGeometry& group, double bytes, double gbPerS = 0)
{
    ClusterConfig cluster = *clusterOf(table());
    if (gbPerS > 0) {
        cluster.interNodeEfficiency = 1;
        cluster.interNodeGbPerS = gbPerS;
    }
    return CollectiveModel(cluster, gpuCalibration(calibration(), cluster.gpu), calibration().network).seconds(op, group, bytes);
}

TEST(CollectiveAgreement, BusFactorsAreThoseOfNcclTests)
{
    EXPECT_DOUBLE_EQ(busFactor(CollectiveOp::allReduce, 4), 1.5); // 2 (n - 1) / n
    EXPECT_DOUBLE_EQ(busFactor(CollectiveOp::allGather, 8), 0.875);
    EXPECT_DOUBLE_EQ(busFactor(CollectiveOp::reduceScatter, 2), 0.5);
    EXPECT_DOUBLE_EQ(busFactor(CollectiveOp::sendRecv, 2), 1);
}

TEST(CollectiveAgreement, CountsTheRowsWithinTenAndTwentyFivePerCent)
{
    CollectiveFolder folder{{table()}, {}};
    for (const auto& [mib, error] : {std::pair{1.0, 5.0}, {2.0, 0.08}, {4.0, -0.08}, {8.0, 0.2}, {16.0, -0.3}, {32.0, 5.0}}) {
        const double bytes = mib * kMiB;
        folder.tables[0].rows.push_back(
            {CollectiveOp::allReduce, kTwoNodes, bytes, modelSeconds(CollectiveOp::allReduce, kTwoNodes, bytes) / (1 + error)});
    }
    const auto of = [&](double minBytes, double maxBytes) { return *agreement(folder, calibration(), minBytes, maxBytes); };
    ASSERT_EQ(of(2 * kMiB, 16 * kMiB).size(), 1U); // both ends are included
    const TableAgreement a = of(2 * kMiB, 16 * kMiB)[0];
    EXPECT_EQ(a.rows, 4);
    EXPECT_EQ(a.within, 2);
    EXPECT_EQ(a.near, 3);
    EXPECT_NEAR(a.meanAbs, (0.08 + 0.08 + 0.2 + 0.3) / 4, 1e-9);
    EXPECT_NEAR(a.bias, (0.08 - 0.08 + 0.2 - 0.3) / 4, 1e-9);
    EXPECT_NEAR(a.worst, -0.3, 1e-9);
    EXPECT_EQ(a.remark, "");
    EXPECT_TRUE(of(64 * kMiB, 65 * kMiB).empty()) << "a table without a row in the range is not listed";
    folder.tables[0].gpu = "abacus";
    EXPECT_FALSE(agreement(folder, calibration(), 0, 1e9).ok());
}

/// Messages of 64 MiB and more reach 8, 10 and 24 GB/s per rank of a node: their median stands for the fabric's bandwidth. A shorter one
/// and a table over the fabric have no influence.
TEST(CollectiveAgreement, AShapeTakesTheMedianBandwidthOfItsLongMessages)
{
    const auto secondsAt = [](double bytes, double gbPerS) { return 2 * 15.0 / 16 * bytes / 8 / (gbPerS * 1e9); };
    const double longest = 64 * kMiB;
    CollectiveFolder folder{{table(true), table()}, {}};
    std::vector<CollectiveRow>& rows = folder.tables[0].rows;
    for (const auto& [bytes, reached] :
         {std::pair{longest, 8.0}, {longest, 10.0}, {longest, 24.0}, {longest - 1, 90.0}, {longest - 1, 95.0}})
        rows.push_back({CollectiveOp::allReduce, kTwoNodes, bytes, secondsAt(bytes, reached)});
    folder.tables[1].rows = {{CollectiveOp::allReduce, kTwoNodes, longest, secondsAt(longest, 99)},
                             {CollectiveOp::allReduce, kTwoNodes, longest, secondsAt(longest, 98)}};
    const double model = modelSeconds(CollectiveOp::allReduce, kTwoNodes, longest, 10);
    const std::vector<TableAgreement> both = *agreement(folder, calibration(), longest, longest);
    ASSERT_EQ(both.size(), 2U);
    EXPECT_EQ(both[0].rows, 3);
    EXPECT_NEAR(both[0].bias, (model / rows[0].seconds + model / rows[1].seconds + model / rows[2].seconds) / 3 - 1, 1e-9);
    EXPECT_EQ(both[0].remark, "shape only, not over the fabric");
    EXPECT_EQ(both[1].remark, "");

    // Pairs reach a share of the fabric: what they reach is that share.
    const GroupGeometry pair{.size = 2, .ranksPerNode = 1, .nodes = 2};
    folder.tables = {table(true)};
    folder.tables[0].remark = "with NCCL 2.18";
    folder.tables[0].rows = {{CollectiveOp::sendRecv, pair, longest, longest / 10e9}};
    const TableAgreement pairs = (*agreement(folder, calibration(), 0, longest))[0];
    EXPECT_NEAR(pairs.bias + 1,
                modelSeconds(CollectiveOp::sendRecv, pair, longest, 10 / calibration().network.pairEfficiency) / (longest / 10e9), 1e-9);
    EXPECT_EQ(pairs.remark, "with NCCL 2.18, shape only, not over the fabric");
}

/// Two sequences of 512 tokens, width 1024, 16 heads over two tensor-parallel ranks.
MeasuredOperator module(OperatorKind kind, bool backward = false)
{
    MeasuredOperator o;
    o.kind = kind;
    o.backward = backward;
    o.batch = 2;
    o.sequence = 512;
    o.hidden = 1024;
    o.heads = 16;
    o.tensorRanks = 2;
    o.seconds = 1;
    return o;
}

OperatorMachine h100()
{
    return {*gpuPreset("h100-sxm-80gb"), "flash2", false};
}

TEST(OperatorAgreement, ModulesAreTheirProductsAndPassesOverMemory)
{
    Scenario s;
    s.cluster.gpu = h100().gpu;
    s.cluster.gpu.boardPowerW = 0;
    const CostModel model(s, calibration());
    const auto product = [&](double m, double n, double k) { return model.gemmSeconds(m, n, k, 1, MatrixPrecision::bits16); };
    const auto of = [](OperatorKind kind, bool backward) { return operatorSeconds(module(kind, backward), h100()); };
    const double tokens = 2 * 512, hidden = 1024, qkv = 3 * hidden / 2, ffn = 4 * hidden / 2;
    EXPECT_DOUBLE_EQ(of(OperatorKind::qkv, false), product(tokens, qkv, hidden));
    EXPECT_DOUBLE_EQ(of(OperatorKind::qkv, true), product(tokens, hidden, qkv) + product(hidden, qkv, tokens));
    EXPECT_DOUBLE_EQ(of(OperatorKind::feedForward, false), product(tokens, ffn, hidden));
    EXPECT_DOUBLE_EQ(of(OperatorKind::feedForward, true), product(tokens, hidden, ffn) + product(hidden, ffn, tokens));
    EXPECT_DOUBLE_EQ(of(OperatorKind::activation, false), model.memorySeconds(2 * 2 * tokens * ffn)); // read and written, 2 bytes each
    EXPECT_DOUBLE_EQ(of(OperatorKind::activation, true), model.memorySeconds(3 * 2 * tokens * ffn));
    EXPECT_DOUBLE_EQ(of(OperatorKind::norm, false), model.memorySeconds(2 * 2 * tokens * hidden));
    EXPECT_DOUBLE_EQ(of(OperatorKind::norm, true), model.memorySeconds(3 * 2 * tokens * hidden));
    MeasuredOperator o;
    o.m = 300;
    o.n = 5000;
    o.k = 70;
    o.precision = MatrixPrecision::fp8;
    EXPECT_DOUBLE_EQ(operatorSeconds(o, h100()), model.gemmSeconds(300, 5000, 70, 1, MatrixPrecision::fp8));
}

/// 8 of 16 heads of width 64, with and without a mask, in both directions; one head is the least that a rank has.
TEST(OperatorAgreement, AttentionTakesTwoProductsForwardAndFiveBackward)
{
    Scenario s;
    s.cluster.gpu = h100().gpu;
    s.cluster.gpu.boardPowerW = 0;
    s.training.attentionBackend = "flash3";
    const CostModel model(s, calibration());
    for (const bool backward : {false, true})
        for (const bool causal : {false, true})
            for (const double ranks : {2.0, 32.0}) {
                MeasuredOperator o = module(OperatorKind::attention, backward);
                o.tensorRanks = ranks;
                const double heads = ranks == 2 ? 8 : 1;
                Kernel k;
                k.id = KernelId::attention;
                k.kind = CostKind::attention;
                k.backward = backward;
                k.k = k.headDim = 64;
                k.m = 512;
                k.n = causal ? 512 : 1024;
                k.batch = 2 * heads;
                k.flops = 2 * (2 * heads * 512 * 512 / (causal ? 2 : 1)) * 64 * (backward ? 5 : 2);
                k.bytes = 2.0 * 2 * 512 * heads * (2 * 64) * (backward ? 4 : 2);
                OperatorMachine machine = h100();
                machine.causal = causal;
                machine.attentionBackend = "flash3";
                EXPECT_DOUBLE_EQ(operatorSeconds(o, machine), model.attentionSeconds(k)) << backward << causal << ranks;
            }
}

TEST(OperatorAgreement, GroupsRowsByKindPassAndPrecisionAndLeavesOtherGpusOut)
{
    const auto row = [](OperatorKind kind, bool backward, double error, const char* system) {
        MeasuredOperator o = module(kind, backward);
        o.system = system;
        o.seconds = operatorSeconds(o, h100()) / (1 + error);
        return o;
    };
    std::vector<MeasuredOperator> rows = {row(OperatorKind::qkv, false, 0.09, ""),
                                          row(OperatorKind::qkv, false, -0.09, "h100_sxm"),
                                          row(OperatorKind::qkv, false, 0.24, "reference/h100"),
                                          row(OperatorKind::qkv, false, 0.26, "a/b/h100-pcie"),
                                          row(OperatorKind::qkv, false, 3, "a100_sxm"),
                                          row(OperatorKind::norm, true, -0.5, "h100")};
    MeasuredOperator product;
    product.m = product.n = product.k = 4096;
    for (const MatrixPrecision precision : {MatrixPrecision::fp4, MatrixPrecision::fp8, MatrixPrecision::bits16}) {
        product.precision = precision;
        product.seconds = operatorSeconds(product, h100());
        rows.push_back(product);
    }
    const OperatorReport report = operatorReport(rows, h100());
    EXPECT_EQ(report.otherSystems, 1);
    EXPECT_EQ(report.rows.size(), rows.size() - 1);
    EXPECT_NEAR(report.rows[2].error, 0.24, 1e-9);
    EXPECT_DOUBLE_EQ(report.rows[2].predicted, operatorSeconds(rows[2], h100()));
    std::vector<std::string> names;
    for (const OperatorAgreement& g : report.groups)
        names.push_back(g.name);
    EXPECT_EQ(names, std::vector<std::string>({"gemm 16 bit", "gemm FP4", "gemm FP8", "norm backward", "qkv forward"}));
    const OperatorAgreement& qkv = report.groups.back();
    EXPECT_EQ(qkv.rows, 4);
    EXPECT_EQ(qkv.within10, 2);
    EXPECT_EQ(qkv.within25, 3);
    EXPECT_NEAR(qkv.bias, (0.09 - 0.09 + 0.24 + 0.26) / 4, 1e-9);
    EXPECT_EQ(report.groups[3].within25, 0);
    EXPECT_EQ(report.groups[3].worst, report.rows[4].error);
}

/// Every fifth of the shapes is predicted from the others. A model that is 20 % too fast everywhere is corrected almost completely by them,
/// by the logarithms of the shape; the factor depends on the depth alone.
TEST(OperatorAgreement, ACorrectionIsLearntFromTheOtherShapes)
{
    std::vector<MeasuredOperator> rows;
    for (int i = 0; i < 40; ++i)
        for (const bool deep : {false, true}) {
            MeasuredOperator o;
            o.m = 512 + 64 * i;
            o.n = 4096 - 32 * i;
            o.k = deep ? 8192 : 256;
            o.seconds = operatorSeconds(o, h100()) * (deep ? 1.25 : 1.0);
            rows.push_back(o);
        }
    const OperatorAgreement group = operatorReport(rows, h100()).groups.at(0);
    EXPECT_EQ(group.corrected.rows, 80);
    EXPECT_NEAR(group.corrected.formula, 0.2 / 2, 1e-9); // 1 / 1.25 - 1, and 0
    EXPECT_LT(group.corrected.corrected, 0.01);
}

} // namespace
} // namespace prism
