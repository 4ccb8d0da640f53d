// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of matrix products, by hand.
#include "bench/constants/gemmtables.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <tuple>

namespace prism {
namespace {

class Scratch final {
public:
    Scratch() { std::filesystem::create_directories(m_folder); }
    ~Scratch() { std::filesystem::remove_all(m_folder); }
    [[nodiscard]] std::string write(const std::string& name, const std::string& text) const
    {
        std::ofstream(m_folder / name) << text;
        return (m_folder / name).string();
    }
    [[nodiscard]] std::string folder() const { return m_folder.string(); }

private:
    std::filesystem::path m_folder = std::filesystem::path(testing::TempDir()) / "gemm_tables";
};

TEST(GemmTables, SecondsOfProductsByHand)
{
    const Scratch folder;
    const std::string path =
        folder.write("gemm.csv", "system,collector,dtype,m,n,k,us,x\nh100_sxm,vllm_1,bf16,16,32,64,5,\nh100_sxm,trtllm,bf16,16,32,64,5,\n"
                                 "h100_sxm,trtllm_1,fp8,16,32,64,4,\nh100_sxm,trtllm,nvfp4,16,32,64,3,\n");
    const std::vector<GemmRow> rows = readGemmTable(path).value();
    ASSERT_EQ(rows.size(), 3U) << "16 bit of the other collector is omitted";
    EXPECT_EQ(std::tuple(rows[0].m, rows[0].n, rows[0].k, rows[0].family), std::tuple(16.0, 32.0, 64.0, std::string("h100")));
    EXPECT_NEAR(rows[0].seconds, 5e-6, 1e-15);
    EXPECT_EQ(rows[1].precision, MatrixPrecision::fp8);
    EXPECT_EQ(rows[2].precision, MatrixPrecision::fp4);
    const std::string sustained = folder.write("b200.json", R"({"sys_name": "b200_x", "accelerator": {"op": {"matmul": {"tflops": 2000,
        "accurate_efficient_factor": {"b=1, m=1000, k=2000, n=500, accumulate=True": 0.5, "b=1, m=100, k=200, n=50": 0.25, "b=2, m=1, k=1, n=1": 1}}}}})");
    const std::vector<GemmRow> products = readSustainedGemms(sustained).value();
    ASSERT_EQ(products.size(), 2U) << "batched products are another kernel";
    const GemmRow& large = products[0].m == 1000 ? products[0] : products[1];
    EXPECT_EQ(std::tuple(large.m, large.n, large.k, large.outputBytes), std::tuple(1000.0, 500.0, 2000.0, 8.0));
    EXPECT_NEAR(large.seconds, 2e9 / (0.5 * 2000e12), 1e-15);
}

/// 16-bit products count as PyTorch runs them, shorter formats as TensorRT-LLM does; a GB200's are left aside.
TEST(MeasurementSources, OnlyProductsOfTrainingAreRead)
{
    const Scratch scratch;
    std::string text = "system,collector,dtype,m,n,k,latency_us,tflops\n";
    for (const char* system : {"a100_sxm", "gb200", "nobody"})
        for (const char* collector : {"vllm/1", "trtllm/1"})
            for (const char* dtype : {"bfloat16", "fp8", "nvfp4"})
                text += std::string(system) + "," + collector + "," + dtype + ",64,64,64,10,1\n";
    const Result<std::vector<GemmRow>> rows = readGemmTable(scratch.write("gemm.csv", text));
    ASSERT_TRUE(rows.ok());
    ASSERT_EQ(rows->size(), 3U);
    EXPECT_EQ((*rows)[0].precision, MatrixPrecision::bits16);
    EXPECT_EQ((*rows)[1].precision, MatrixPrecision::fp8);
    EXPECT_EQ((*rows)[2].precision, MatrixPrecision::fp4);
    EXPECT_EQ(rows->front().family, "a100");
}

/// A board on PCIe has another limit than its family: a system that is not named takes no part.
TEST(MeasurementSources, SustainedProductsOfOtherSystemsAreLeftAside)
{
    const Scratch scratch;
    const auto rowsOf = [&](const std::string& system) {
        const Result<std::vector<GemmRow>> rows = readSustainedGemms(
            scratch.write("system.json", R"({"sys_name": ")" + system + R"(", "accelerator": {"op": {"matmul": {"tflops": 1000,
                "accurate_efficient_factor": {"b=1, m=1000, k=1000, n=1000": 0.5, "b=2, m=1000, k=1000, n=1000": 0.5}}}}})"));
        return rows.ok() ? rows->size() : 99;
    };
    EXPECT_EQ(rowsOf("b200_bf16"), 1U);
    EXPECT_EQ(rowsOf("a100_pcie_bf16"), 0U);
}

/// A product that adds up in FP32 reads and writes four bytes per element, one that writes 16 bit two.
TEST(MeasurementSources, SustainedProductsReportWhatTheirOutputMoves)
{
    const Scratch scratch;
    const Result<std::vector<GemmRow>> rows = readSustainedGemms(scratch.write(
        "system.json", R"({"sys_name": "b200", "accelerator": {"op": {"matmul": {"tflops": 1000, "accurate_efficient_factor": {
            "b=1, m=1000, k=1000, n=1000, layout=TN, accumulate=False, out_dtype=bf16": 0.5,
            "b=1, m=1000, k=1000, n=1000, layout=NT, accumulate=True, out_dtype=fp32": 0.4}}}}})"));
    ASSERT_TRUE(rows.ok());
    ASSERT_EQ(rows->size(), 2U);
    for (const GemmRow& r : *rows)
        EXPECT_EQ(r.outputBytes, r.seconds > 4.5e-6 ? 8 : 2);
}

} // namespace
} // namespace prism
