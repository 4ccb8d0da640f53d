// SPDX-License-Identifier: GPL-3.0-or-later
// A board's power from repeated matrix products: constants that made the rows are found again.
#include "bench/constants/calibrate.h"
#include "core/cost/costmodel.h"
#include "core/scenario/presets.h"

#include <gtest/gtest.h>

namespace prism {
namespace {

GpuCalibration& b200(Calibration& calibration)
{
    for (GpuCalibration& g : calibration.gpus)
        if (g.family == "b200")
            return g;
    return calibration.gpus.front();
}

/// Products of the shapes of a layer, written once and added up in FP32, as a board with these constants would take them.
std::vector<GemmRow> rowsOf(const Calibration& truth)
{
    Scenario s;
    s.cluster.gpu = *gpuPreset("b200-sxm-180gb");
    const CostModel cost(s, truth);
    std::vector<GemmRow> rows;
    for (const double n : {8192.0, 16384.0, 28672.0, 57344.0})
        for (const double outputBytes : {2.0, 8.0}) {
            GemmRow r;
            r.family = "b200";
            r.m = n;
            r.n = 32768;
            r.k = 16384;
            r.outputBytes = outputBytes;
            r.seconds = cost.sustainedGemmSeconds(r.m, r.n, r.k, 1, r.precision, outputBytes);
            rows.push_back(r);
        }
    return rows;
}

TEST(GemmFit, SustainedProductsGiveTheEnergyOfAFlop)
{
    Calibration truth = calibration();
    b200(truth).matrixEnergy = 0.37;
    Calibration fitted = truth;
    b200(fitted).matrixEnergy = 0.6;
    std::vector<GemmRow> rows = rowsOf(truth);
    rows.push_back(rows.front());
    rows.back().seconds = 1e-3; // ends before the board's limit takes effect: no information on it
    std::vector<FitReport> reports;
    fitSustained(fitted, rows, reports);
    EXPECT_NEAR(b200(fitted).matrixEnergy, 0.37, 0.002);
    ASSERT_EQ(reports.size(), 1U);
    EXPECT_EQ(reports.front().rows, 8);
    EXPECT_LT(reports.front().meanAbs, 0.003);
}

/// Long products weigh by their time: one of four that takes 1.2 times as long moves the energy as its share of the seconds says.
TEST(GemmFit, ProductsWeighByTheirTime)
{
    Calibration truth = calibration();
    b200(truth).matrixEnergy = 0.37;
    std::vector<GemmRow> rows = rowsOf(truth);
    double all = 0;
    for (const GemmRow& r : rows)
        all += r.seconds;
    const double share = rows.back().seconds / all;
    rows.back().seconds *= 1.2;
    Calibration fitted = truth;
    std::vector<FitReport> reports;
    fitSustained(fitted, rows, reports);
    // Time goes with the root of the energy where the power limits the clock.
    EXPECT_NEAR(b200(fitted).matrixEnergy / 0.37, (1 + 0.2 * share) * (1 + 0.2 * share), 0.005);
}

} // namespace
} // namespace prism
