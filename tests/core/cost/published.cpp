// Published steps: the curated rows hold the promise, untrusted files give errors, measured tables agree with the model.
#include "core/cost/published.h"

#include "core/cost/costmodel.h"
#include "core/cost/tables.h"
#include "core/scenario/presets.h"
#include "datafolder.h"

#include <gtest/gtest.h>

#include <cmath>

namespace prism {
namespace {

TEST(Published, RowsCarryTheMeasuredSpreadOfTheirGpus)
{
    const Result<std::vector<PublishedRow>> rows = readPublished(*presetText("published", "steps"));
    ASSERT_TRUE(rows.ok());
    for (const PublishedRow& r : *rows) {
        if (r.skipped.empty() && !r.scheduleOnly) {
            EXPECT_GT(r.scenario.variability.spatial.cv, 0.0) << r.id;
        }
    }
}

TEST(Published, SlowdownMultipliesTheNoiseFreeStep)
{
    const Result<std::vector<PublishedRow>> rows = readPublished(*presetText("published", "steps"));
    ASSERT_TRUE(rows.ok());
    const ValidatedRow plain = validatedRow(rows->front(), calibration()), slow = validatedRow(rows->front(), calibration(), 1.05);
    EXPECT_DOUBLE_EQ(plain.noiseFreeSeconds, slow.noiseFreeSeconds);
    EXPECT_DOUBLE_EQ(plain.predictedSeconds, plain.noiseFreeSeconds);
    EXPECT_DOUBLE_EQ(slow.predictedSeconds, 1.05 * plain.noiseFreeSeconds);
}

TEST(Published, SchedulesReproduceTheirBubbleRates)
{
    const Result<std::string> text = presetText("published", "steps");
    ASSERT_TRUE(text.ok());
    const Result<std::vector<PublishedRow>> rows = readPublished(*text);
    ASSERT_TRUE(rows.ok());
    for (const PublishedRow& r : *rows)
        if (r.scheduleOnly) {
            const ValidatedRow v = validatedRow(r, calibration());
            EXPECT_NEAR(v.predictedBubbleRate, r.publishedBubbleRate, 0.01) << r.id;
        }
}

TEST(Published, HostileFilesAreErrors)
{
    EXPECT_FALSE(readPublished("").ok());
    EXPECT_FALSE(readPublished("[1,2").ok());
    EXPECT_FALSE(readPublished("{\"schema\":\"other\"}").ok());
    EXPECT_FALSE(readPublished(R"({"schema":"prism-validation-1","rows":[1,{}]})").ok());
    const Result<std::vector<PublishedRow>> rows = readPublished(
        R"({"schema":"prism-validation-1","rows":[{"id":"x","suite":"y","model":{"layers":1e300,"hidden":-4},"gpu":{"type":"abacus"},"measured":{"iteration_time_s":1}}]})");
    ASSERT_TRUE(rows.ok());
    EXPECT_NE(rows->front().skipped.find("layers"), std::string::npos);
    EXPECT_NE(rows->front().skipped.find("abacus"), std::string::npos);
    EXPECT_FALSE(validatedRow(rows->front(), calibration()).hasError());
}

TEST(Published, RankCorrelationOfReversedListsIsMinusOne)
{
    EXPECT_DOUBLE_EQ(rankCorrelation({1, 2, 3, 4}, {8, 6, 4, 2}), -1.0);
    EXPECT_DOUBLE_EQ(rankCorrelation({1, 5, 9}, {10, 20, 90}), 1.0);
}

TEST(Calibration, JsonKeepsEveryConstant)
{
    Calibration a = calibration();
    const Result<Calibration> b = calibrationFromJson(calibrationJson(a));
    ASSERT_TRUE(b.ok());
    Calibration copy = *b;
    const std::vector<NamedConstant> left = namedConstants(a), right = namedConstants(copy);
    ASSERT_EQ(left.size(), right.size());
    for (std::size_t i = 0; i < left.size(); ++i)
        EXPECT_NEAR(*left[i].value, *right[i].value, 1e-4 * std::abs(*left[i].value)) << left[i].name;
    ASSERT_EQ(a.curves.size(), b->curves.size());
    EXPECT_GE(a.curves.size(), 4U);
    for (std::size_t i = 0; i < a.curves.size(); ++i) {
        EXPECT_EQ(a.curves[i].type, b->curves[i].type);
        EXPECT_NEAR(a.curves[i].share[1][2][10], b->curves[i].share[1][2][10], 1e-4);
    }
    EXPECT_FALSE(calibrationFromJson("{}").ok());
}

/// Rows of 1 MB and more, by GPU type: the curves are medians over library versions, which differ among themselves.
TEST(Collectives, AgreeWithNcclTestsTables)
{
    if (dataFolder().empty())
        GTEST_SKIP() << "no measured data";
    const Result<std::vector<BusRow>> rows = readBusTable(dataFolder() + "/collectives/aiconfigurator_nccl_all.csv.gz");
    ASSERT_TRUE(rows.ok());
    for (const auto& [type, gpu] : {std::pair<const char*, const char*>{"a100", "a100-sxm-80gb"}, {"h100", "h100-sxm-80gb"}, {"h200", "h200-sxm-141gb"},
                                    {"b200", "b200-sxm-180gb"}, {"gb200", "gb200-nvl72"}}) {
        int within = 0, n = 0;
        Scenario s;
        s.cluster.gpu = *gpuPreset(gpu);
        s.cluster.nvlsSupported = std::string(type) != "a100";
        for (const BusRow& r : *rows) {
            if (r.type != type || r.bytes < 1 << 20)
                continue;
            s.cluster.intraNodeGbPerS = r.linkGbPerS;
            const CostModel cost(s, calibration());
            within += std::abs(cost.intraBusBandwidth(static_cast<CollectiveOp>(r.op), r.ranks, r.bytes) / (r.busGbPerS * 1e9) - 1) <= 0.1 ? 1 : 0;
            ++n;
        }
        ASSERT_GT(n, 100) << type;
        EXPECT_GE(within, 0.94 * n) << type;
    }
}

} // namespace
} // namespace prism
