// SPDX-License-Identifier: GPL-3.0-or-later
// Bands of sources that were left out: their share, what a source without company gets, and how the loss counts sources.
#include "core/calibrate/leftout.h"

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

/// Errors spread evenly over -10 to +10 %: the central 90 % are -9 to +9 %; both sources are alike, so each holds 90 % of the other.
TEST(LeftOut, TheBandHoldsTheCentralNineTenths)
{
    Rows rows;
    rows.add("one", evenly(-0.1, 0.1, 100));
    rows.add("two", evenly(-0.1, 0.1, 100));
    Calibration c;
    std::vector<FitReport> reports;
    setBands(c, rows.errors(), reports);
    ASSERT_EQ(c.bands.size(), 2U); // all jobs, and dense ones
    for (const ErrorBand& band : c.bands) {
        EXPECT_NEAR(band.low, -0.09, 0.002);
        EXPECT_NEAR(band.high, 0.09, 0.002);
        EXPECT_EQ(band.rows, 200);
    }
    ASSERT_FALSE(reports.empty());
    EXPECT_NE(reports.front().what.find("90 % inside"), std::string::npos) << reports.front().what;
}

TEST(LeftOut, AKindWithFewRowsHasTheBandOfAllJobs)
{
    Rows rows;
    rows.add("dense", evenly(-0.05, 0.05, 60));
    rows.add("experts", evenly(0.2, 0.3, 10), 8);
    Calibration c;
    std::vector<FitReport> reports;
    setBands(c, rows.errors(), reports);
    EXPECT_EQ(errorBand(c, "moe").kind, "");
    EXPECT_EQ(errorBand(c, "dense").kind, "dense");
    EXPECT_GT(errorBand(c, "moe").high, 0.2);
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
