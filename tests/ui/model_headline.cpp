// SPDX-License-Identifier: GPL-3.0-or-later
// The headline is honest: both errors are shown, no colour without a difference, nothing impossible in green.
#include "ui/workspace/headline.h"

#include "core/cost/domain.h"
#include "core/insight/metrics/metrictable.h"
#include "ui/workspace/distributiondata.h"
#include "ui/workspace/scenariotablemodel.h"

#include <gtest/gtest.h>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui {

namespace {

/// Steps of 6.47 s; `shift` of the draws against the baseline's in seconds, alternating by `noise`.
std::shared_ptr<Snapshot> snapshotOf(double shift, double noise, std::uint64_t hash)
{
    auto s = std::make_shared<Snapshot>();
    s->hash.value = hash;
    auto samples = std::make_shared<StepSamples>();
    for (int i = 0; i < 4000; ++i)
        samples->acrossSeconds.push_back(6.0 + 0.0002 * ((i * 1103) % 4000) + shift + (i % 2 == 0 ? noise : -noise));
    s->sortedAcrossSeconds = samples->acrossSeconds;
    std::sort(s->sortedAcrossSeconds.begin(), s->sortedAcrossSeconds.end());
    s->across = {.mean = 6.4 + shift, .p50 = 6.4 + shift, .p95 = 6.76 + shift, .p99 = 6.79 + shift};
    s->across.ciP50 = s->across.ciP95 = s->across.ciP99 = 0.008;
    s->across.samples = 4000;
    samples->noiseFreeSeconds = 6.0;
    s->samples = samples;
    auto costed = std::make_shared<CostedStep>();
    costed->errorBandLow = -0.14;
    costed->errorBandHigh = 0.07;
    costed->memory = {{}, 60, 80, true};
    s->costed = costed;
    s->tokensPerSecond = 1e6;
    s->mfu = 0.4;
    s->daysToTrain = 12;
    s->costUsd = 5e6;
    return s;
}

struct Strip {
    explicit Strip(SnapshotPtr baseline, SnapshotPtr current)
    {
        context.scenarios = {{1, u"base"_s, 0, true, true, false, false, std::move(baseline)},
                             {2, u"other"_s, 1, true, false, true, false, std::move(current)}};
        context.baselineId = 1;
        context.currentId = 2;
        cells = headlineCells(context, cache, {}, {});
    }
    PageContext context;
    ChangesCache cache;
    QList<HeadlineCell> cells;
};

} // namespace

TEST(Headline, ShowsSamplingAndModelErrorTogether)
{
    const Strip strip(snapshotOf(0, 0, 1), snapshotOf(1, 0, 2));
    EXPECT_EQ(strip.cells[0].number + u' ' + strip.cells[0].unit, u"7.40 s"_s);
    EXPECT_EQ(strip.cells[0].note, u"± 8 ms"_s);
    EXPECT_EQ(strip.cells[0].model, u"−14 to +7 % model"_s);
    EXPECT_TRUE(strip.cells[0].reading().contains(u"model"_s));
}

TEST(Headline, ADifferenceNeedsAnIntervalThatExcludesZero)
{
    const Strip clear(snapshotOf(0, 0, 1), snapshotOf(-1, 0, 2));
    EXPECT_EQ(clear.cells[0].deltaRole, Role::good);
    EXPECT_TRUE(clear.cells[0].delta.startsWith(u"−15.6 %, −1.0 s"_s)) << clear.cells[0].delta.toStdString();
    const Strip none(snapshotOf(0, 0, 1), snapshotOf(0, 0.05, 2));
    for (const int cell : {0, 1, 2}) {
        EXPECT_EQ(none.cells[cell].delta, u"no difference found"_s) << cell;
        EXPECT_EQ(none.cells[cell].deltaRole, Role::textSecondary) << cell;
    }
    for (const int cell : {3, 4, 5, 7, 8})
        EXPECT_EQ(none.cells[cell].deltaRole, Role::textSecondary) << cell;
}

TEST(Headline, TheSameInputIsReportedAsTheSame)
{
    const SnapshotPtr one = snapshotOf(0, 0, 1), twin = snapshotOf(0, 0, 1);
    const Strip strip(one, twin);
    for (const HeadlineCell& cell : strip.cells)
        EXPECT_EQ(cell.delta, u"same"_s) << cell.label.toStdString();
    EXPECT_EQ(plainText(comparisonRuns(*one, *twin, headlineChanges(*one, *twin))), u"Identical to the baseline"_s);
}

TEST(Headline, AShorterStepOfOtherTokensIsNotAGain)
{
    auto other = snapshotOf(-1, 0, 2);
    auto costed = std::make_shared<CostedStep>(*other->costed);
    costed->tokensPerStep += 1e6;
    other->costed = costed;
    const Strip strip(snapshotOf(0, 0, 1), other);
    for (const int cell : {0, 1, 2})
        EXPECT_EQ(strip.cells[cell].deltaRole, Role::textSecondary) << cell;
}

TEST(Headline, NothingImpossibleIsGreen)
{
    auto tooLarge = snapshotOf(-1, 0, 2);
    auto costed = std::make_shared<CostedStep>(*tooLarge->costed);
    costed->memory = {{}, 144, 80, false};
    tooLarge->costed = costed;
    const Strip strip(snapshotOf(0, 0, 1), tooLarge);
    for (const HeadlineCell& cell : strip.cells)
        EXPECT_NE(cell.deltaRole, Role::good) << cell.label.toStdString();
    EXPECT_TRUE(strip.cells[7].struck);
    EXPECT_TRUE(strip.cells[8].struck);
    EXPECT_EQ(strip.cells[6].note, u"64.0 too much"_s);
    EXPECT_EQ(strip.cells[6].noteRole, Role::error);
    const HeadlineBadge badge = headlineBadge(*tooLarge);
    EXPECT_TRUE(badge.impossible);
    EXPECT_EQ(badge.label, u"Does not fit"_s);
    ASSERT_EQ(badge.reasons.size(), 1);
    EXPECT_EQ(badge.reasons.front(), u"The fullest stage needs 144.0 GiB on a GPU of 80.0 GiB."_s);
}

TEST(Headline, ABadgeNamesEveryCaveat)
{
    auto caveatful = snapshotOf(0, 0, 2);
    EXPECT_TRUE(headlineBadge(*caveatful).label.isEmpty());
    caveatful->mfu = 0.76;
    auto costed = std::make_shared<CostedStep>(*caveatful->costed);
    costed->withinCalibration = false;
    caveatful->costed = costed;
    caveatful->diagnostics.push_back(
        {Severity::warning, "cluster.gpu", "outside of the calibration: no step of b200", "b200", "h100", "", ""});
    const HeadlineBadge badge = headlineBadge(*caveatful);
    EXPECT_FALSE(badge.impossible);
    EXPECT_EQ(badge.label, u"Outside calibration"_s);
    ASSERT_EQ(badge.reasons.size(), 2);
    EXPECT_TRUE(badge.reasons[0].contains(u"no step of b200"_s));
    EXPECT_TRUE(badge.reasons[1].startsWith(u"An MFU of 76 %"_s));
}

TEST(DistributionTable, ExportsReportWhichMeasurementIsMissing)
{
    auto outside = snapshotOf(0.2, 0, 2);
    auto costed = std::make_shared<CostedStep>(*outside->costed);
    costed->withinCalibration = false;
    outside->costed = costed;
    std::string message(kOutsideCalibration);
    message += "GPUs";
    outside->diagnostics.push_back({Severity::warning, "cluster.num_gpus", message, "70000", "8 to 16384", "", ""});
    EXPECT_EQ(outsideCalibration(*snapshotOf(0, 0, 1)), QString());
    EXPECT_EQ(outsideCalibration(*outside), u"outside of the calibration: GPUs (here 70,000; validated: 8 to 16,384)"_s);
    const Strip strip(snapshotOf(0, 0, 1), outside);
    ChangesCache cache;
    const TableData table = distributionTable(strip.context, cache, {}, false);
    const auto column = table.header.indexOf(u"outside_calibration"_s);
    ASSERT_GE(column, 0);
    EXPECT_EQ(table.rows[0][column], QString());
    EXPECT_EQ(table.rows[1][column], outsideCalibration(*outside));
}

TEST(Headline, EveryCellAndColumnHasItsRowInTheTableOfMetrics)
{
    ChangesCache cache;
    const QList<HeadlineCell> cells = headlineCells(PageContext(), cache, ScenarioResult(), {});
    ASSERT_EQ(cells.size(), 9);
    for (const HeadlineCell& cell : cells)
        EXPECT_NE(metricOf(cell.key.toStdString()), nullptr) << cell.label.toStdString();
    for (const int column : {ScenarioTableModel::rangeColumn, ScenarioTableModel::p95Column, ScenarioTableModel::changeColumn}) {
        EXPECT_FALSE(ScenarioTableModel::metricKeys(column).isEmpty()) << column;
        for (const QString& key : ScenarioTableModel::metricKeys(column))
            EXPECT_NE(metricOf(key.toStdString()), nullptr) << key.toStdString();
    }
}

} // namespace prism::ui
