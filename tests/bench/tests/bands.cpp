// SPDX-License-Identifier: GPL-3.0-or-later
// Bands of sources that were omitted: their share, their kinds, and the check with each source omitted once more.
#include "bench/constants/bands.h"

#include <gtest/gtest.h>

#include <cmath>
#include <deque>

namespace prism {
namespace {

/// Rows of a source with the given errors; lives as long as the test.
class Rows final {
public:
    void add(const std::string& source, const std::vector<double>& errors, std::int64_t experts = 0, const char* tier = "A")
    {
        for (const double error : errors) {
            PublishedRow row;
            row.id = source + std::to_string(m_rows.size());
            row.source = source;
            row.tier = tier;
            row.scenario.model.numExperts = experts;
            m_rows.push_back(std::move(row));
            m_fit.push_back({&m_rows.back(), 1});
            m_errors.push_back({&m_fit.back(), error});
        }
    }
    [[nodiscard]] const std::vector<HeldOutError>& errors() const { return m_errors; }

private:
    std::deque<PublishedRow> m_rows;
    std::deque<FitRow> m_fit;
    std::vector<HeldOutError> m_errors;
};

std::vector<double> evenly(double low, double high, int count)
{
    std::vector<double> values;
    for (int i = 0; i < count; ++i)
        values.push_back(low + (high - low) * (i + 0.5) / count);
    return values;
}

/// The relative error of a logarithm.
double relative(double logarithm)
{
    return std::expm1(logarithm);
}

std::vector<double> relative(std::vector<double> logarithms)
{
    for (double& x : logarithms)
        x = relative(x);
    return logarithms;
}

/// Logarithms spread uniformly over -0.1 to 0.1: nine tenths of their distances are below 0.09, at any scale; both sources have the same
/// errors, so each one's band covers 90 % of the other.
TEST(Bands, TheBandHoldsNineTenthsOfASourceThatItHasNotSeen)
{
    Rows rows;
    rows.add("one", relative(evenly(-0.1, 0.1, 100)));
    rows.add("two", relative(evenly(-0.1, 0.1, 100)));
    Calibration c;
    std::vector<FitReport> reports;
    setBands(c, rows.errors(), reports);
    ASSERT_FALSE(c.bands.empty());
    for (const ErrorBand& band : c.bands) {
        EXPECT_NEAR(band.low, relative(-0.09), 0.002) << band.kind;
        EXPECT_NEAR(band.high, relative(0.09), 0.002) << band.kind;
        EXPECT_EQ(band.rows, 200);
        EXPECT_EQ(band.sources, 2);
        EXPECT_NEAR(band.held, 0.9, 0.011);
    }
    EXPECT_EQ(c.bands.front().kind, "");
    EXPECT_NE(reports.front().what.find("90 % inside"), std::string::npos) << reports.front().what;
}

/// Ten sources, nine of them within 2 % and one 20 % off in every row: the band without that one is narrow and covers none of its rows,
/// the bands without another cover all of theirs. 90 of 100 rows are covered, and the band states this coverage.
TEST(Bands, ASourceThatTheBandHasSeenDoesNotCountAsHeld)
{
    Rows rows;
    for (int source = 0; source < 9; ++source)
        rows.add("near" + std::to_string(source), evenly(-0.02, 0.02, 10));
    rows.add("far", std::vector<double>(10, 0.2));
    Calibration c;
    std::vector<FitReport> reports;
    setBands(c, rows.errors(), reports);
    const ErrorBand all = errorBand(c, "");
    EXPECT_EQ(all.rows, 100);
    EXPECT_LT(all.held, 0.91);
    EXPECT_GT(all.held, 0.8);
}

/// Experts ten times as far off as dense models, in two sources each: separate bands, wider and narrower than that of all, and a
/// kind nearer to its own rows than one without neighbours would be.
TEST(Bands, EachKindHasItsOwnScale)
{
    Rows rows;
    for (const char* source : {"one", "two", "three"}) {
        rows.add(source, evenly(-0.02, 0.02, 30));
        rows.add(source, evenly(-0.2, 0.2, 30), 8);
    }
    Calibration c;
    std::vector<FitReport> reports;
    setBands(c, rows.errors(), reports);
    const ErrorBand all = errorBand(c, ""), dense = errorBand(c, "dense"), experts = errorBand(c, "moe");
    EXPECT_EQ(dense.kind, "dense");
    EXPECT_EQ(experts.kind, "moe");
    EXPECT_LT(dense.high, all.high);
    EXPECT_GT(experts.high, all.high);
    // Mean distances 0.01 and 0.1, of all 0.055; three sources and the wider kind as one more: 0.02125 and 0.08875.
    EXPECT_NEAR(std::log1p(experts.high) / std::log1p(dense.high), 0.08875 / 0.02125, 0.1);
}

TEST(Bands, AKindWithFewRowsHasTheBandOfAllJobs)
{
    Rows rows;
    rows.add("dense", evenly(-0.05, 0.05, 60));
    rows.add("another", evenly(-0.05, 0.05, 60));
    rows.add("experts", evenly(0.2, 0.3, 10), 8);
    Calibration c;
    std::vector<FitReport> reports;
    setBands(c, rows.errors(), reports);
    EXPECT_EQ(errorBand(c, "moe").kind, "");
    EXPECT_EQ(errorBand(c, "dense").kind, "dense");
}

/// Rows of incomplete configuration (tier B) are predictions of the same program: their errors widen a band like any other's.
TEST(Bands, IncompleteRowsCountLikeOthers)
{
    const auto bandOf = [](const char* tier) {
        Rows rows;
        for (const char* source : {"one", "two", "three"})
            rows.add(source, relative(evenly(-0.02, 0.02, 30)));
        for (const char* source : {"four", "five"})
            rows.add(source, relative(evenly(-0.2, 0.2, 40)), 8, tier);
        Calibration c;
        std::vector<FitReport> reports;
        setBands(c, rows.errors(), reports);
        return errorBand(c, "moe");
    };
    const ErrorBand complete = bandOf("A"), incomplete = bandOf("B");
    EXPECT_EQ(incomplete.kind, "moe");
    EXPECT_EQ(incomplete.rows, 80);
    EXPECT_EQ(incomplete.high, complete.high);
    // Mean distances 0.01, 0.1 and, of all, 0.046. Scales of the narrowest kinds 0.01056 and 0.098, of all experts 0.082. A tenth of the
    // weight has scores beyond 1.753: 0.6 (1 - x 0.01056 / 0.02) + 0.4 (1 - x 0.098 / 0.2) = 0.1.
    EXPECT_NEAR(std::log1p(incomplete.high), 1.753 * 0.082, 0.002);
}

TEST(Bands, OneSourceAloneGivesNothingOfOthers)
{
    Rows rows;
    rows.add("one", evenly(-0.05, 0.05, 60));
    Calibration c;
    std::vector<FitReport> reports;
    setBands(c, rows.errors(), reports);
    EXPECT_TRUE(c.bands.empty());
}

} // namespace
} // namespace prism
