// SPDX-License-Identifier: GPL-3.0-or-later
// Bands of sources that were left out: their share, what a source without company gets, and how the loss counts sources.
#include "core/calibrate/bands.h"

#include <gtest/gtest.h>

#include <cmath>
#include <deque>

namespace prism {
namespace {

/// Rows of a source with the given errors; lives as long as the test.
class Rows final {
public:
    void add(const std::string& source, const std::vector<double>& errors, std::int64_t experts = 0)
    {
        for (const double error : errors) {
            PublishedRow row;
            row.id = source + std::to_string(m_rows.size());
            row.source = source;
            row.tier = "A";
            row.scenario.model.numExperts = experts;
            m_rows.push_back(std::move(row));
            m_fit.push_back({&m_rows.back(), 1});
            m_errors.push_back({&m_fit.back(), error});
        }
    }
    [[nodiscard]] const std::vector<LeftOutError>& errors() const { return m_errors; }

private:
    std::deque<PublishedRow> m_rows;
    std::deque<FitRow> m_fit;
    std::vector<LeftOutError> m_errors;
};

std::vector<double> evenly(double low, double high, int count)
{
    std::vector<double> values;
    for (int i = 0; i < count; ++i)
        values.push_back(low + (high - low) * (i + 0.5) / count);
    return values;
}

/// Errors spread evenly over -10 to +10 %: the central 90 % are -9 to +9 %; the sources are alike, so each holds 90 % of the others.
TEST(LeftOut, TheBandHoldsTheCentralNineTenths)
{
    Rows rows;
    for (const char* source : {"one", "two", "three"})
        rows.add(source, evenly(-0.1, 0.1, 100));
    Calibration c;
    std::vector<FitReport> reports;
    setBands(c, rows.errors(), reports);
    ASSERT_EQ(c.bands.size(), 4U); // all jobs, dense ones, those in 16 bit, those on this GPU
    EXPECT_NEAR(c.bandWidening, 1, 0.02);
    for (const ErrorBand& band : c.bands) {
        EXPECT_NEAR(band.low, -0.09, 0.002);
        EXPECT_NEAR(band.high, 0.09, 0.002);
        EXPECT_EQ(band.rows, 300);
        EXPECT_EQ(band.sources, 3);
        EXPECT_EQ(band.checked, 300);
        EXPECT_NEAR(band.held, 0.9, 0.01);
    }
    ASSERT_FALSE(reports.empty());
    EXPECT_NE(reports.front().what.find("90 % inside"), std::string::npos) << reports.front().what;
}

/// A long source and three short ones that are elsewhere: the long one does not make the band, each source has a quarter of it.
TEST(LeftOut, TheBandCountsSourcesNotRows)
{
    Rows rows;
    rows.add("long", evenly(-0.01, 0.01, 400));
    for (const double at : {-0.2, 0.1, 0.2})
        rows.add("short" + std::to_string(at), evenly(at - 0.01, at + 0.01, 10));
    Calibration c;
    std::vector<FitReport> reports;
    setBands(c, rows.errors(), reports);
    EXPECT_LT(errorBand(c, "").low, -0.19);
    EXPECT_GT(errorBand(c, "").high, 0.19);
}

/// Three sources with errors of 1 % around -5, 0 and +5 %: a band of two of them holds little of the third before it is widened.
TEST(LeftOut, BandsAreWidenedByWhatSourcesDiffer)
{
    Rows rows;
    for (const double at : {-0.05, 0.0, 0.05})
        rows.add("source" + std::to_string(at), evenly(at - 0.01, at + 0.01, 50));
    Calibration c;
    std::vector<FitReport> reports;
    setBands(c, rows.errors(), reports);
    EXPECT_GT(c.bandWidening, 1.5);
    EXPECT_LT(c.bandWidening, 4);
    EXPECT_NEAR(errorBand(c, "dense").held, 0.9, 0.02);
    EXPECT_LT(errorBand(c, "dense").low, -0.07);
    EXPECT_GT(errorBand(c, "dense").high, 0.07);
}

TEST(LeftOut, AKindWithFewRowsOrOneSourceHasTheBandOfAllJobs)
{
    Rows rows;
    rows.add("dense", evenly(-0.05, 0.05, 60));
    rows.add("other", evenly(-0.05, 0.05, 60));
    rows.add("experts", evenly(0.2, 0.3, 40), 8);
    Calibration c;
    std::vector<FitReport> reports;
    setBands(c, rows.errors(), reports);
    EXPECT_EQ(errorBand(c, "moe").kind, "");
    EXPECT_EQ(errorBand(c, "dense").kind, "dense");
    EXPECT_GT(errorBand(c, "moe").high, 0.2);
}

/// The narrowest kind that has a band: H100 in FP8 has its own, other GPUs take that of FP8, other precisions that of dense jobs.
TEST(LeftOut, AJobHasTheNarrowestBandThatThereIs)
{
    Scenario s;
    s.cluster.gpu.preset = "h100-sxm-80gb";
    s.training.precision = "fp8_delayed";
    Calibration c;
    c.bands = {{"", -0.4, 0.4}, {"dense", -0.3, 0.3}, {"dense, fp8", -0.2, 0.2}, {"dense, h100 fp8", -0.1, 0.1}};
    EXPECT_EQ(errorBand(c, s).kind, "dense, h100 fp8");
    s.cluster.gpu.preset = "gb200-nvl72";
    EXPECT_EQ(errorBand(c, s).kind, "dense, fp8");
    s.training.precision = "bf16";
    EXPECT_EQ(errorBand(c, s).kind, "dense");
    s.model.numExperts = 8;
    EXPECT_EQ(errorBand(c, s).kind, "");
}

/// A source of one row weighs as much as one of a hundred.
TEST(LeftOut, TheLossCountsSourcesNotRows)
{
    std::deque<PublishedRow> published;
    std::vector<FitRow> rows;
    std::vector<double> errors;
    const auto add = [&](const char* source, double error) {
        PublishedRow row;
        row.source = source;
        row.tier = "A";
        published.push_back(std::move(row));
        rows.push_back({&published.back(), 1});
        errors.push_back(error);
    };
    for (int i = 0; i < 100; ++i)
        add("many", i % 2 == 0 ? 0.01 : -0.01);
    add("one", 0.01);
    EXPECT_NEAR(SourceLoss(rows).of(errors), 0.01, 1e-12);
    EXPECT_NEAR(SourceLoss(rows, "many").of(errors), 0.01, 1e-12);
    errors.back() = 0.012;
    EXPECT_NEAR(SourceLoss(rows).of(errors), 0.011, 1e-12);
    errors.back() = std::nan("");
    EXPECT_NEAR(SourceLoss(rows).of(errors), 0.01, 1e-12);
}

} // namespace
} // namespace prism
