// SPDX-License-Identifier: GPL-3.0-or-later
// Seconds of single kernels: the clock that one silicon holds on several boards, rows gathered by index, and the host time of experts.
#include "core/cost/costmodel.h"

#include "core/cost/predictor.h"
#include "core/scenario/presets.h"

#include <gtest/gtest.h>

#include <cmath>

namespace prism {
namespace {

Scenario on(const char* gpu, double boardWatts)
{
    Scenario s;
    s.cluster.gpu = *gpuPreset(gpu);
    s.cluster.gpu.boardPowerW = boardWatts;
    return s;
}

/// Seconds of a product that is far beyond its traffic.
double longProduct(const Scenario& s, const Calibration& calibration)
{
    return CostModel(s, calibration).sustainedGemmSeconds(16384, 16384, 16384, 1, MatrixPrecision::bits16);
}

/// B200 and GB200 are one silicon with 148 and 152 SMs, whose data sheets stand for 1,856 and 2,008 MHz: at 600 W, far below what either
/// clock would take, both draw the same energy for a FLOP, and the rate goes with the root of the SMs. At their own clocks GB200 is 11 %
/// faster.
TEST(CostModel, BoardsOfOneSiliconHoldTheClockThatTheirPowerAllows)
{
    Calibration c = calibration();
    for (GpuCalibration& g : c.gpus)
        if (g.family == "b200") {
            g.idleWatts = 200;
            g.matrixEnergy = 0.4; // 1,670 W at B200's boost clock
        }
    const double limited = longProduct(on("b200-sxm-180gb", 600), c) / longProduct(on("gb200-nvl72", 600), c);
    EXPECT_NEAR(limited, std::sqrt(2500 / 2.008 / (2250 / 1.856)), 0.005);
    const double free = longProduct(on("b200-sxm-180gb", 0), c) / longProduct(on("gb200-nvl72", 0), c);
    EXPECT_NEAR(free, 2500.0 / 2250, 0.005);
}

/// A stream of B200 moves 5.1 TB/s, a kernel that gathers rows 3.85 (SimuMax, B200 system file: 0.50 of 8,000 GB/s).
TEST(CostModel, RowsThatAreGatheredByIndexMoveSlowerThanAStream)
{
    const CostModel model(on("b200-sxm-180gb", 1000), calibration());
    Kernel stream, permute;
    stream.bytes = permute.bytes = 8e9;
    stream.launches = permute.launches = 0;
    permute.id = KernelId::moePermute;
    EXPECT_NEAR(8e9 / model.seconds(permute), 0.505 * 7700e9, 0.02 * 7700e9);
    EXPECT_GT(model.seconds(permute), 1.2 * model.seconds(stream));
}

/// A grouped product of eight experts is one operation and seven further calls of the library.
TEST(HostTime, FurtherExpertsOfAGroupedProductCostACallEach)
{
    SoftwareCalibration software;
    software.hostSecondsPerLaunch = 50e-6;
    software.expertCallSeconds = 8e-6;
    Kernel dense, grouped;
    dense.id = KernelId::gemmFc1;
    dense.batch = grouped.batch = 8;
    grouped.id = KernelId::gemmMoeFc1;
    const HostTime host(Scenario{}, software);
    const auto any = [](Part) { return true; };
    EXPECT_NEAR(host.launches({dense}, any), 50e-6, 1e-12);
    EXPECT_NEAR(host.launches({grouped}, any), 106e-6, 1e-12);
    EXPECT_NEAR(host.launches({grouped, dense, grouped}, any), 262e-6, 1e-12);
}

/// Three launches of 1 s: a kernel of 3 s behind the first hides the others, behind the last none; kernels of 1 s between launches of 2 s.
TEST(HostTime, AnEmptyQueueWaitsForEveryLaunchBeforeItsLongKernels)
{
    EXPECT_DOUBLE_EQ(fromEmptyQueue({1, 1, 1}, {3, 0, 0}), 4);
    EXPECT_DOUBLE_EQ(fromEmptyQueue({1, 1, 1}, {0, 0, 3}), 6);
    EXPECT_DOUBLE_EQ(fromEmptyQueue({2, 2}, {1, 1}), 5);
    EXPECT_DOUBLE_EQ(fromEmptyQueue({}, {}), 0);
}

/// Experts with a capacity have equal rows: no counts go to the host, and no rank waits for a busier one.
TEST(HostTime, ACapacityFactorNeedsNoCountsAndHasNoImbalance)
{
    Scenario s = *scenarioPreset("mixtral-8x22b-256-h100");
    SoftwareCalibration software;
    s.variability.moeImbalance = {Family::lognormal, 0.3};
    EXPECT_GT(HostTime(s, software).routedCounts(), 0);
    EXPECT_EQ(costStep(s)->graph.routing.cv, 0.3);
    s.model.moeCapacityFactor = 1;
    EXPECT_EQ(HostTime(s, software).routedCounts(), 0);
    EXPECT_TRUE(costStep(s)->graph.routing.isDeterministic());
}

/// A collective is a launch and the process group's call; with the experts alone outside of graphs those of the layer are in the graph.
TEST(HostTime, ACollectiveCostsTheCallOfItsGroupToo)
{
    SoftwareCalibration software;
    software.hostSecondsPerLaunch = 50e-6;
    software.collectiveCallSeconds = 30e-6;
    Kernel gather, exchange;
    gather.id = KernelId::tpAllGather;
    exchange.id = KernelId::epAllToAll;
    gather.kind = exchange.kind = CostKind::collective;
    Scenario s;
    const auto any = [](Part) { return true; };
    EXPECT_NEAR(HostTime(s, software).launches({gather, exchange}, any), 160e-6, 1e-12);
    s.training.cudaGraphs = "layer";
    EXPECT_NEAR(HostTime(s, software).launches({gather, exchange}, any), 80e-6, 1e-12);
}

/// Gradients of grouped products are added up in the precision of the gradients like all others. 40 experts of DeepSeek-V2 with 616
/// tokens each: 1.34 ms in FP32 (8 bytes per element), 1.00 ms in 16 bit (4 bytes; SimuMax, B200 system file, Apache-2.0).
TEST(CostModel, GradientsOfExpertsMoveTheBytesOfTheirPrecision)
{
    Scenario s = on("b200-sxm-180gb", 1000);
    Kernel gradient;
    gradient.kind = CostKind::gemm;
    gradient.id = KernelId::gemmMoeFc1;
    gradient.part = Part::wgrad;
    gradient.m = 3072;
    gradient.n = 5120;
    gradient.k = 616;
    gradient.batch = 40;
    s.training.gradReduceInFp32 = true;
    EXPECT_NEAR(CostModel(s, calibration()).seconds(gradient), 1.34e-3, 0.1 * 1.34e-3);
    s.training.gradReduceInFp32 = false;
    EXPECT_NEAR(CostModel(s, calibration()).seconds(gradient), 1.00e-3, 0.1 * 1.00e-3);
}

/// Experts' products on four streams: of 61, sixty start behind another, fifteen on each stream.
TEST(CostModel, ProductsOfExpertsStartOnFourStreams)
{
    const Scenario s = on("b200-sxm-180gb", 1000);
    const CostModel model(s, calibration());
    Kernel forward;
    forward.kind = CostKind::gemm;
    forward.id = KernelId::gemmMoeFc1;
    forward.m = 256;
    forward.n = 4096;
    forward.k = 7168;
    forward.batch = 61;
    const double together = model.sustainedGemmSeconds(256, 4096, 7168, 61, MatrixPrecision::bits16, 2);
    EXPECT_NEAR(model.seconds(forward) - together, 15 * gpuCalibration(calibration(), s.cluster.gpu).launchSeconds, 1e-12);
}

} // namespace
} // namespace prism
