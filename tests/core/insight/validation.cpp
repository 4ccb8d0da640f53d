// SPDX-License-Identifier: GPL-3.0-or-later
// Published steps against the sampled median: the curated rows hold the promise, and threads change nothing.
#include "core/insight/validate/validation.h"

#include "core/measured/tables.h"
#include "core/scenario/presets.h"
#include "core/stats/moments.h"
#include "datafolder.h"

#include <gtest/gtest.h>

#include <algorithm>
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

/// Half of the curated rows: every second from the first or the second.
std::vector<PublishedRow> curatedHalf(std::size_t from)
{
    const std::vector<PublishedRow> rows = curated();
    std::vector<PublishedRow> chosen;
    for (std::size_t i = from; i < rows.size(); i += 2)
        chosen.push_back(rows[i]);
    return chosen;
}

/// The first half, sampled once. Medians of 100 steps are known to about 0.3 %, errors are of some per cent.
const std::vector<ValidatedRow>& sampledHalf()
{
    static const std::vector<ValidatedRow> rows = validatedRows(curatedHalf(0), calibration(), {.samples = 100});
    return rows;
}

void expectStatedErrors(const std::vector<ValidatedRow>& half)
{
    const ValidationReport report = validationReport(half);
    EXPECT_EQ(report.all.skipped, 0);
    EXPECT_EQ(report.all.rows, 22);
    EXPECT_LT(report.all.meanAbs, 0.05);        // 0.044 and 0.042: a row of 22 that errs by 13 % more shows
    EXPECT_LT(std::abs(report.all.bias), 0.02); // -0.008 and +0.002; errors of 5 % on 22 rows leave 0.011
}

TEST(Validation, CuratedRowsStayWithinTheStatedErrors)
{
    expectStatedErrors(sampledHalf());
}

/// The second half, noise-free, each longer by the median factor by which sampled steps of the first half are: all rows are sampled with
/// the measured ones.
TEST(Validation, TheOtherHalfOfTheCuratedRowsDoesToo)
{
    std::vector<double> slowdowns;
    for (const ValidatedRow& r : sampledHalf())
        if (r.noiseFreeSeconds > 0)
            slowdowns.push_back(r.predictedP50Seconds / r.noiseFreeSeconds);
    std::vector<ValidatedRow> half;
    for (const PublishedRow& row : curatedHalf(1))
        half.push_back(validatedRow(row, calibration(), medianOf(slowdowns)));
    expectStatedErrors(half);
}

/// Every complete published configuration with a direct step time; schedule rows have their own bubble rates.
TEST(Validation, AllMeasuredRowsStayWithinTheStatedErrors)
{
    if (dataFolder().empty())
        GTEST_SKIP() << "no measured data";
    const Result<std::string> text = readTextFile(dataFolder() + "/published2.json");
    ASSERT_TRUE(text.ok());
    Result<std::vector<PublishedRow>> rows = readPublished(*text);
    ASSERT_TRUE(rows.ok());
    std::erase_if(rows.value(), [](const PublishedRow& r) { return r.tier != "A" || r.scheduleOnly; });
    const ValidationReport report = validationReport(validatedRows(*rows, calibration(), {}));
    EXPECT_GE(report.all.rows, 90);
    EXPECT_EQ(report.all.skipped, 0);
    EXPECT_EQ(report.all.excluded, 12); // suspect rows
    EXPECT_LT(report.all.meanAbs, 0.045);
    EXPECT_GE(report.bandCoverage, 0.9); // the band covers 0.89 of the rows of tiers A and B (tests/accuracy/record.md)
    EXPECT_LT(report.bandCoverage, 1.0); // one that covers every row states nothing
    EXPECT_LT(std::abs(report.all.bias), 0.02);
    // Beyond 12 %: Llama 3 70B with TP 8 on B200, FP8 on GB200, sharded experts, and one row of vTrain (resources/help/validation.md).
    const auto far = std::count_if(report.rows.begin(), report.rows.end(),
                                   [](const ValidatedRow& r) { return r.hasError() && r.excluded.empty() && std::abs(r.error) > 0.12; });
    EXPECT_LE(far, 6);
    for (const SuiteErrors& s : report.suites) {
        EXPECT_LT(std::abs(s.bias), s.rows >= 10 ? 0.03 : 0.07) << s.suite;
        EXPECT_LT(s.memoryMeanAbs, 0.016) << s.suite; // 1.1 % of 31 peaks; half as much again for another fit
    }
}

TEST(Validation, MedianIsLongerThanTheNoiseFreeStepAndP95Longer)
{
    for (const ValidatedRow& r : sampledHalf()) {
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
    rows.resize(std::min<std::size_t>(rows.size(), 4));
    const std::vector<ValidatedRow> one = validatedRows(rows, calibration(), {1, 100, 1}),
                                    three = validatedRows(rows, calibration(), {1, 100, 3});
    ASSERT_EQ(one.size(), three.size());
    for (std::size_t i = 0; i < one.size(); ++i) {
        EXPECT_EQ(one[i].id, three[i].id);
        EXPECT_EQ(one[i].predictedP50Seconds, three[i].predictedP50Seconds);
        EXPECT_EQ(one[i].predictedP95Seconds, three[i].predictedP95Seconds);
    }
}

} // namespace
} // namespace prism
