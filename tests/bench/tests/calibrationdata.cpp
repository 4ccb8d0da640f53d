// SPDX-License-Identifier: GPL-3.0-or-later
// Folders of measurements: any part of them is enough, known by columns and schema; what is missing keeps its constants and is reported.
#include "bench/constants/calibrate.h"
#include "core/cost/costmodel.h"
#include "core/scenario/presets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace prism {
namespace {

std::filesystem::path emptyFolder(const char* name)
{
    const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / name;
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    return folder;
}

bool mentions(const std::vector<std::string>& lines, const char* part)
{
    return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) { return line.find(part) != std::string::npos; });
}

TEST(CalibrationData, AFolderWithoutMeasurementsIsAnError)
{
    const std::filesystem::path folder = emptyFolder("calibration_none");
    EXPECT_FALSE(readCalibrationData((folder / "absent").string()).ok());
    std::ofstream(folder / "notes.csv") << "one,two\n1,2\n";
    std::ofstream(folder / "old.json") << R"({"schema":"prism-validation-1","rows":[]})";
    const Diagnostics errors = readCalibrationData(folder.string()).errors();
    ASSERT_EQ(errors.size(), 1U);
    EXPECT_NE(errors.front().message.find("nothing to fit"), std::string::npos);
}

/// 81 products of an imagined A100 that reaches 0.6 of its peak: that efficiency is found, and nothing else moves.
TEST(CalibrationData, ATableOfProductsAloneMovesTheirEfficiencyAlone)
{
    const std::filesystem::path folder = emptyFolder("calibration_products");
    Scenario s;
    s.cluster.gpu = *gpuPreset("a100-sxm-80gb");
    Calibration imagined = calibration();
    for (GpuCalibration& g : imagined.gpus)
        g.gemmEfficiency = g.family == "a100" ? 0.6 : g.gemmEfficiency;
    const CostModel model(s, imagined);
    std::filesystem::create_directories(folder / "some");
    std::ofstream file(folder / "some" / "products.csv");
    file << "system,collector,dtype,m,n,k,latency_us,tflops\n";
    for (int m = 1024; m <= 9216; m += 1024)
        for (int n = 2048; n <= 18432; n += 2048)
            file << "a100_sxm,vllm,bfloat16," << m << ',' << n << ",4096,"
                 << 1e6 * model.gemmSeconds(m, n, 4096, 1, MatrixPrecision::bits16) << ",0\n";
    file.close();
    const Result<CalibrationData> data = readCalibrationData(folder.string());
    ASSERT_TRUE(data.ok());
    EXPECT_EQ(data->gemms.size(), 81U);
    for (const char* part : {"published steps", "bus bandwidths", "collectives"})
        EXPECT_TRUE(mentions(data->missing, part)) << part;
    const CalibrationRun run = calibrated(*data, {uncalibrated(), calibration()}, {}, false);
    Calibration fitted = run.calibration, old = calibration();
    const std::vector<NamedConstant> now = namedConstants(fitted), before = namedConstants(old);
    for (std::size_t i = 0; i < now.size(); ++i) {
        if (now[i].name == "a100.gemm_efficiency") {
            EXPECT_NEAR(*now[i].value, 0.6, 0.02);
        } else if (now[i].name != "a100.tile_overhead_k" && now[i].name != "a100.wave_quantisation") {
            EXPECT_DOUBLE_EQ(*now[i].value, *before[i].value) << now[i].name;
        }
    }
    EXPECT_EQ(fitted.bands.size(), old.bands.size());
    EXPECT_EQ(fitted.domain.covered, old.domain.covered);
}

TEST(CalibrationData, ABadLineOfAKnownTableIsAnErrorWithItsPlace)
{
    const std::filesystem::path folder = emptyFolder("calibration_bad");
    std::ofstream(folder / "products.csv") << "system,collector,dtype,m,n,k,latency_us,tflops\na100_sxm,vllm,bfloat16,1,2,nan,4,5\n";
    const Diagnostics errors = readCalibrationData(folder.string()).errors();
    ASSERT_EQ(errors.size(), 1U);
    EXPECT_NE(errors.front().path.find("products.csv:2"), std::string::npos) << errors.front().path;
}

} // namespace
} // namespace prism
