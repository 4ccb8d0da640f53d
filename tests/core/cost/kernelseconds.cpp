// SPDX-License-Identifier: GPL-3.0-or-later
// Seconds of kernels by hand: bytes over the bandwidth and FLOPs over the peak with the stated efficiencies, compared with published rates.
#include "core/cost/costmodel.h"
#include "core/cost/shapecorrection.h"
#include "core/scenario/presets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace prism {
namespace {

/// Without a power limit: the clock stays.
Scenario unlimited(const char* gpu)
{
    Scenario s;
    s.cluster.gpu = *gpuPreset(gpu);
    s.cluster.gpu.boardPowerW = 0;
    return s;
}

/// 3,352 GB/s of H100 and 2,039 of A100 (data sheets) times the share that streams reach; half of the rest for rows gathered by index.
TEST(KernelSeconds, StreamsTakeTheirBytesOverTheBandwidth)
{
    for (const auto& [gpu, bandwidth] : {std::pair{"h100-sxm-80gb", 3352e9}, {"a100-sxm-80gb", 2039e9}, {"b200-sxm-180gb", 7700e9}}) {
        const Scenario s = unlimited(gpu);
        const GpuCalibration c = gpuCalibration(calibration(), s.cluster.gpu);
        const CostModel cost(s, calibration());
        Kernel k;
        k.id = KernelId::norm;
        k.bytes = 3e9;
        k.launches = 5;
        EXPECT_NEAR(cost.seconds(k), 3e9 / (bandwidth * c.memoryEfficiency) + 5 * c.launchSeconds, 1e-12) << gpu;
        k.id = KernelId::moePermute; // 0.505 of the peak where streams reach 0.666 (SimuMax, B200 system file): three quarters
        EXPECT_NEAR(cost.seconds(k), 3e9 / (0.75 * bandwidth * c.memoryEfficiency) + 5 * c.launchSeconds, 1e-12) << gpu;
    }
}

/// SimuMax's B200 system file states 0.666 of 8,000 GB/s for streams and 0.505 for permutations.
TEST(KernelSeconds, StreamsAndPermutationsOfB200ReachThePublishedBandwidth)
{
    const CostModel cost(unlimited("b200-sxm-180gb"), calibration());
    Kernel k;
    k.launches = 0;
    k.bytes = 8e9;
    EXPECT_NEAR(8e9 / cost.seconds(k) / (0.666 * 8000e9), 1, 0.05);
    k.id = KernelId::moePermute;
    EXPECT_NEAR(8e9 / cost.seconds(k) / (0.505 * 8000e9), 1, 0.05);
}

/// 3,072 x 1,408 are 132 tiles of 256 x 128: one wave over the SMs of H100, each tile k + k0 deep. Compute and traffic overlap as the
/// norm of order 4.
TEST(KernelSeconds, AProductThatFillsEveryMultiprocessorOnce)
{
    const Scenario s = unlimited("h100-sxm-80gb");
    const GpuCalibration c = gpuCalibration(calibration(), s.cluster.gpu);
    const CostModel cost(s, calibration());
    Kernel k;
    k.kind = CostKind::gemm;
    k.id = KernelId::gemmFc1;
    k.m = 3072;
    k.n = 1408;
    k.k = 8192;
    const auto expected = [&](double waves, double outputBytes, double kk) {
        const double compute = waves * 2 * 256 * 128 * (kk + c.tileOverheadK) / (989.4e12 * c.gemmEfficiency / 132);
        const double traffic = (2 * (k.m * kk + k.n * kk) + outputBytes * k.m * k.n) / (3352e9 * c.memoryEfficiency);
        return std::pow(std::pow(compute, 4) + std::pow(traffic, 4), 0.25) + c.launchSeconds;
    };
    EXPECT_NEAR(cost.seconds(k) / expected(1, 2, 8192), 1, 1e-9);
    k.n *= 3;
    EXPECT_NEAR(cost.seconds(k) / expected(3, 2, 8192), 1, 1e-9);
    k.part = Part::wgrad; // added to FP32 gradients: read and written
    EXPECT_NEAR(cost.seconds(k) / expected(3, 8, 8192), 1, 1e-9);
    k.k = 512;
    EXPECT_NEAR(cost.seconds(k) / expected(3, 8, 512), 1, 1e-9);
}

/// 9,472 x 512 are the 148 tiles of one wave on B200 (2,250, 4,500 and 9,000 TFLOP/s, 7,700 GB/s). One wave leaves the traffic to
/// decide: elements of two bytes, one and a half, and two bytes of each result.
TEST(KernelSeconds, NarrowElementsMoveFewerBytes)
{
    const Scenario s = unlimited("b200-sxm-180gb");
    const GpuCalibration c = gpuCalibration(calibration(), s.cluster.gpu);
    const CostModel cost(s, calibration());
    const double m = 256 * 37, n = 128 * 4, k = 16384;
    const std::tuple<MatrixPrecision, double, double, double> precisions[] = {{MatrixPrecision::bits16, 2, 2250e12, c.gemmEfficiency},
                                                                              {MatrixPrecision::fp8, 1, 4500e12, c.fp8Efficiency},
                                                                              {MatrixPrecision::fp4, 0.5, 9000e12, c.fp4Efficiency}};
    for (const auto& [precision, bytes, peak, efficiency] : precisions) {
        const double compute = 2 * 256 * 128 * (k + c.tileOverheadK) / (peak * efficiency / 148);
        const double traffic = (bytes * (m + n) * k + 2 * m * n) / (7700e9 * c.memoryEfficiency);
        EXPECT_NEAR(cost.gemmSeconds(m, n, k, 1, precision)
                        / (std::pow(std::pow(compute, 4) + std::pow(traffic, 4), 0.25) + c.launchSeconds),
                    1, 1e-9)
            << bytes;
    }
}

/// Below one TFLOP/s the traffic is nothing, and a tile takes its 2 x 256 x 128 x k FLOPs over the peak of a multiprocessor. FP4 that a GPU
/// lacks runs as its FP8, and FP8 as 16 bit, each with the efficiency of what runs.
TEST(KernelSeconds, APeakThatIsNotStatedIsThatOfTheNextWiderType)
{
    Scenario s = unlimited("b200-sxm-180gb");
    GpuSpec& gpu = s.cluster.gpu;
    const GpuCalibration c = gpuCalibration(calibration(), gpu);
    gpu.numSms = 100;
    gpu.peakFp32Tflops = 0.3;
    gpu.peakBf16Tflops = 0.7;
    const auto expectRates = [&](double tf32, double fp16, double fp8, double fp4) {
        const CostModel cost(s, calibration());
        const std::pair<MatrixPrecision, double> rates[] = {{MatrixPrecision::fp32, 0.3 * c.gemmEfficiency},
                                                            {MatrixPrecision::tf32, tf32 * c.gemmEfficiency},
                                                            {MatrixPrecision::bits16, fp16 * c.gemmEfficiency},
                                                            {MatrixPrecision::fp8, fp8},
                                                            {MatrixPrecision::fp4, fp4}};
        for (const auto& [precision, rate] : rates)
            EXPECT_NEAR(2 * 256 * 128 * (4096 + c.tileOverheadK) * 100
                            / (cost.gemmSeconds(25'600, 128, 4096, 1, precision) - c.launchSeconds) / 1e12,
                        rate, 1e-4 * rate)
                << static_cast<int>(precision);
    };
    s.training.precision = "fp16";
    gpu.peakTf32Tflops = 0.4;
    gpu.peakFp16Tflops = 0.5;
    gpu.peakFp8Tflops = 0.8;
    gpu.peakFp4Tflops = 0.9;
    expectRates(0.4, 0.5, 0.8 * c.fp8Efficiency, 0.9 * c.fp4Efficiency);
    gpu.peakFp4Tflops = 0;
    expectRates(0.4, 0.5, 0.8 * c.fp8Efficiency, 0.8 * c.fp8Efficiency);
    gpu.peakFp8Tflops = 0;
    expectRates(0.4, 0.5, 0.7 * c.gemmEfficiency, 0.7 * c.fp8Efficiency);
    s.training.precision = "bf16"; // what is stated of FP16 does not count
    gpu.peakTf32Tflops = 0;
    expectRates(0.7, 0.7, 0.7 * c.gemmEfficiency, 0.7 * c.fp8Efficiency);
}

/// A product of 8,192 by 8,192 by 8,192 is faster than the median of the products with m, n, k of 4,096 and more (aiconfigurator's tables:
/// 259, 735 and 1,519 TFLOP/s) and at most a tenth above the best one that is published (stas00/ml-engineering: 271, 795 and 1,745).
TEST(KernelSeconds, LargeProductsReachThePublishedRates)
{
    struct Published {
        const char* gpu;
        double median, best;
    };
    for (const Published& p : {Published{"a100-sxm-80gb", 259, 271}, {"h100-sxm-80gb", 735, 795}, {"b200-sxm-180gb", 1519, 1745}}) {
        const CostModel cost(unlimited(p.gpu), calibration());
        const double tflops = 2 * std::pow(8192, 3) / cost.gemmSeconds(8192, 8192, 8192, 1, MatrixPrecision::bits16) / 1e12;
        EXPECT_GT(tflops, p.median) << p.gpu;
        EXPECT_LT(tflops, 1.1 * p.best) << p.gpu;
    }
}

/// cuDNN on H200, 8,192 tokens, causal, heads of 128: 644 TFLOP/s forward and 541 backward (cudnn-frontend, sdpa_benchmark_training), of
/// 2 x 2 x 128 x s^2 / 2 FLOPs a head and five halves of them.
TEST(KernelSeconds, AttentionTakesItsFlopsOverTheMeasuredRate)
{
    Scenario s = unlimited("h100-sxm-80gb");
    s.model.seqLength = 8192;
    s.model.numAttentionHeads = s.model.numQueryGroups = 32;
    s.model.kvChannels = 128;
    const double launch = gpuCalibration(calibration(), s.cluster.gpu).launchSeconds, flops = 32 * 4 * 128 * 8192.0 * 8192 / 2;
    const CostModel cost(s, calibration());
    const LayerKernels layer = layerKernels(s, shapeOf(s), LayerKind::dense);
    const auto seconds = [&](const std::vector<Kernel>& kernels) {
        double t = 0;
        for (const Kernel& k : kernels)
            t += k.id == KernelId::attention ? cost.seconds(k) : 0;
        return t;
    };
    EXPECT_NEAR(seconds(layer.forward), flops / 644e12 + launch, 1e-9);
    EXPECT_NEAR(seconds(layer.backward), 2.5 * flops / 541e12 + launch, 1e-9);
    // One head of 8,192 rows is 64 tiles: of 132 multiprocessors 68 are idle.
    s.model.numAttentionHeads = s.model.numQueryGroups = 1;
    const LayerKernels one = layerKernels(s, shapeOf(s), LayerKind::dense);
    EXPECT_NEAR(
        CostModel(s, calibration())
            .seconds(*std::find_if(one.forward.begin(), one.forward.end(), [](const Kernel& k) { return k.id == KernelId::attention; })),
        flops / 32 / (644e12 * 64 / 132) + launch, 1e-9);
}

/// Kernels with FLOPs and bytes take the longer of the two; scans reach 0.24 of the peak (Triton, 68 to 80 of 312 TFLOP/s on A100).
TEST(KernelSeconds, OperatorsTakeTheLongerOfFlopsAndBytes)
{
    const Scenario s = unlimited("a100-sxm-80gb");
    const GpuCalibration c = gpuCalibration(calibration(), s.cluster.gpu);
    const CostModel cost(s, calibration());
    Kernel k;
    k.id = KernelId::genericOp;
    k.kind = CostKind::roofline;
    k.flops = 1e13;
    k.bytes = 1e6;
    EXPECT_NEAR(cost.seconds(k), 1e13 / (312e12 * c.gemmEfficiency) + c.launchSeconds, 1e-9);
    k.bytes = 1e12;
    EXPECT_NEAR(cost.seconds(k), 1e12 / (2039e9 * c.memoryEfficiency) + c.launchSeconds, 1e-9);
    k.id = KernelId::ssm;
    k.bytes = 0;
    EXPECT_NEAR(cost.seconds(k), 1e13 / (312e12 * 0.24) + c.launchSeconds, 1e-9);
}

/// At 600 W of which 200 are idle, matrix units that would add E pJ x GHz x TFLOP/s hold the root of 400 W over that (clock.h): B200 at
/// 1.856 GHz with 2,250, 4,500 and 9,000 TFLOP/s.
TEST(KernelSeconds, ThePowerLimitLowersTheClockOfEveryPrecision)
{
    Calibration c = calibration();
    for (GpuCalibration& g : c.gpus) {
        g.idleWatts = 200;
        g.matrixEnergy = 0.4;
        g.matrix8Energy = 0.3;
        g.matrix4Energy = 0.1;
    }
    Scenario s = unlimited("b200-sxm-180gb");
    s.cluster.gpu.boardPowerW = 600;
    const CostModel cost(s, c);
    for (const auto& [precision, watts] : {std::pair{MatrixPrecision::bits16, 0.4 * 1.856 * 2250},
                                           {MatrixPrecision::fp8, 0.3 * 1.856 * 4500},
                                           {MatrixPrecision::fp4, 0.1 * 1.856 * 9000},
                                           {MatrixPrecision::tf32, 0.4 * 1.856 * 2250}})
        EXPECT_NEAR(cost.gemmSeconds(16384, 16384, 16384, 1, precision) / cost.sustainedGemmSeconds(16384, 16384, 16384, 1, precision),
                    std::sqrt(400 / watts), 0.01);
    EXPECT_EQ(cost.sustainedGemmSeconds(0, 1, 1, 1, MatrixPrecision::bits16), 0);
    EXPECT_EQ(cost.gemmSeconds(1, 1, 0, 1, MatrixPrecision::bits16), 0);
}

/// A calibration written to JSON keeps every knot of every curve, to five digits.
TEST(KernelSeconds, CurvesOfACalibrationReadBack)
{
    const Calibration& written = calibration();
    const Result<Calibration> read = calibrationFromJson(calibrationJson(written));
    ASSERT_TRUE(read.ok());
    ASSERT_EQ(read->gpus.size(), written.gpus.size());
    for (std::size_t g = 0; g < written.gpus.size(); ++g)
        for (std::size_t op = 0; op < kCurveOps; ++op)
            for (std::size_t n = 0; n < kCurveSizes; ++n)
                for (std::size_t k = 0; k < kCurveKnots; ++k)
                    ASSERT_NEAR(read->gpus[g].busShare[op][n][k], written.gpus[g].busShare[op][n][k],
                                1e-4 * written.gpus[g].busShare[op][n][k])
                        << written.gpus[g].family;
}

/// A measured shape gives its measured time, in any order of the rows; without rows nothing is corrected.
TEST(KernelSeconds, AMeasuredShapeGivesItself)
{
    EXPECT_EQ(ShapeCorrection().factor({}), 1);
    std::vector<ShapePoint> points;
    for (int i = 0; i < 30; ++i) {
        ShapePoint p;
        for (std::size_t f = 0; f < p.at.size(); ++f)
            p.at[f] = std::fmod(0.618 * (i + 1) * (static_cast<double>(f) + 1), 1.0);
        p.residual = 0.1 * std::sin(7.0 * i);
        points.push_back(p);
    }
    const ShapeCorrection correction(points);
    for (const ShapePoint& p : points)
        EXPECT_NEAR(correction.factor(p.at), std::exp(p.residual), 1e-9);
    std::reverse(points.begin(), points.end());
    BoostedTrees::Features between = points[3].at;
    between[0] += 0.01;
    EXPECT_NEAR(ShapeCorrection(points).factor(between) / correction.factor(between), 1, 0.05);
}

} // namespace
} // namespace prism
