// Published steps against the sampled median: the curated rows hold the promise, and threads change nothing.
#include "core/insight/validation.h"

#include "core/scenario/presets.h"

#include <gtest/gtest.h>

#include <cmath>

namespace prism {
namespace {

std::vector<PublishedRow> curated()
{
    const Result<std::string> text = presetText("published", "steps");
    Result<std::vector<PublishedRow>> rows = text ? readPublished(*text) : Result<std::vector<PublishedRow>>(text.errors());
    if (!rows)
        return {};
    std::erase_if(rows.value(), [](const PublishedRow& r) { return r.tier != "A"; });
    return std::move(rows).value();
}

TEST(Validation, CuratedRowsStayWithinTheStatedErrors)
{
    const ValidationReport report = validationReport(validatedRows(curated(), calibration(), {}));
    EXPECT_EQ(report.all.skipped, 0);
    EXPECT_GE(report.all.rows, 20);
    EXPECT_LT(report.all.meanAbs, 0.05);
    EXPECT_LT(std::abs(report.all.bias), 0.03);
}

TEST(Validation, MedianIsLongerThanTheNoiseFreeStepAndP95Longer)
{
    for (const ValidatedRow& r : validatedRows(curated(), calibration(), {})) {
        if (r.noiseFreeSeconds <= 0)
            continue;
        EXPECT_GT(r.predictedP50Seconds, r.noiseFreeSeconds) << r.id;
        EXPECT_GT(r.predictedP95Seconds, r.predictedP50Seconds) << r.id;
        EXPECT_DOUBLE_EQ(r.predictedSeconds, r.predictedP50Seconds) << r.id;
    }
}

TEST(Validation, AnyNumberOfThreadsGivesTheSameBits)
{
    std::vector<PublishedRow> rows = curated();
    rows.resize(std::min<std::size_t>(rows.size(), 6));
    const std::vector<ValidatedRow> one = validatedRows(rows, calibration(), {1, 100, 1}), three = validatedRows(rows, calibration(), {1, 100, 3});
    ASSERT_EQ(one.size(), three.size());
    for (std::size_t i = 0; i < one.size(); ++i) {
        EXPECT_EQ(one[i].id, three[i].id);
        EXPECT_EQ(one[i].predictedP50Seconds, three[i].predictedP50Seconds);
        EXPECT_EQ(one[i].predictedP95Seconds, three[i].predictedP95Seconds);
    }
}

} // namespace
} // namespace prism
