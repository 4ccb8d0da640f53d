// SPDX-License-Identifier: GPL-3.0-or-later
// The bars of a step on the Pipeline page: their parts are the breakdown's, and a part leads to its kernel class.
#include "core/cost/communication.h"
#include "core/cost/predictor.h"
#include "core/scenario/presets.h"
#include "ui/look/format.h"
#include "ui/plot/stepbreakdown.h"
#include "ui/theme/theme.h"

#include <gtest/gtest.h>

#include <numeric>

namespace prism::ui::test {

using namespace Qt::StringLiterals;

TEST(StepBreakdown, HasThePartsOfTheStepInOrder)
{
    const CostedStep costed = *costStep(*scenarioPreset("sample-baseline"));
    const WaterfallData data = stepBreakdown(costed, costed.noiseFreeSeconds).step;
    double sum = 0, waiting = 0;
    QStringList labels;
    for (const WaterfallRow& row : data.rows) {
        sum += row.value;
        waiting += row.grouped ? row.value : 0;
        labels << row.label;
    }
    const Breakdown& b = costed.breakdown;
    EXPECT_NEAR(sum, costed.noiseFreeSeconds, 1e-9 * sum);
    EXPECT_NEAR(waiting, b.pipelineSeconds + b.bubbleSeconds + b.otherSeconds, 1e-9 * sum);
    EXPECT_EQ(labels, (QStringList{u"Compute"_s, u"Tensor parallel"_s, u"Data parallel"_s, u"Optimizer"_s, u"Pipeline transfers"_s,
                                   u"Bubble"_s, u"Host"_s}))
        << labels.join(u", "_s).toStdString();
    EXPECT_EQ(data.axisTitle, u"s"_s);
    EXPECT_EQ(data.rows[0].metric, format::seconds(b.computeSeconds).text());
    ASSERT_LT(b.dataParallelSeconds, 0.1);
    EXPECT_TRUE(data.rows[2].metric.endsWith(u" ms"_s)) << "each part in its own unit: " << data.rows[2].metric.toStdString();
    EXPECT_TRUE(data.rows[0].id.startsWith(u"gemm."_s)) << "the class that computes longest: " << data.rows[0].id.toStdString();
    EXPECT_EQ(data.rows[5].id, QString()) << "nothing runs in a bubble";
    double hidden = 0;
    for (const ClassCommunication& c : communicationOf(costed.graph, costed.noiseFreeSeconds).classes)
        hidden += c.category == Category::tensorParallel ? c.hiddenSeconds : 0;
    EXPECT_TRUE(data.rows[1].id.startsWith(u"tp."_s)) << data.rows[1].id.toStdString();
    EXPECT_TRUE(hidden > 0 && data.rows[1].detail.contains(QString::number(hidden * 1000, 'f', 0).left(2)))
        << data.rows[1].detail.toStdString();
}

TEST(StepBreakdown, HasABarForEachRangeOfStages)
{
    const CostedStep costed = *costStep(*scenarioPreset("sample-baseline"));
    const StepParts parts = stepBreakdown(costed, costed.noiseFreeSeconds);
    ASSERT_EQ(costed.stages.size(), 16U);
    ASSERT_GE(parts.stages.size(), 2U) << "the first stage has the embedding";
    EXPECT_LE(parts.stages.size(), 16U);
    EXPECT_EQ(parts.stages.front().label, u"Stage 0"_s);
    const Communication communication = communicationOf(costed.graph, costed.noiseFreeSeconds);
    for (const ThinBar& bar : parts.stages) {
        ASSERT_EQ(bar.values.size(), parts.step.rows.size());
        EXPECT_NEAR(std::accumulate(bar.values.begin(), bar.values.end(), 0.0), costed.noiseFreeSeconds, 1e-9 * costed.noiseFreeSeconds);
        EXPECT_EQ(bar.values[0], costed.stages[static_cast<std::size_t>(bar.id)].computeSeconds);
        EXPECT_EQ(bar.overlapped[1],
                  communication.hidden[static_cast<std::size_t>(bar.id)][static_cast<std::size_t>(Category::tensorParallel)]);
    }
}

TEST(StepBreakdown, AShortStepIsInMilliseconds)
{
    const CostedStep costed = *costStep(*scenarioPreset("llama2-7b-8-a100"));
    const bool isShort = costed.noiseFreeSeconds < 1;
    EXPECT_EQ(costed.breakdown.bubbleSeconds, 0) << "one stage waits for nothing; what rounding leaves is not a bubble";
    for (const WaterfallRow& row : stepBreakdown(costed, costed.noiseFreeSeconds).step.rows)
        EXPECT_NE(row.label, u"Bubble"_s);
    EXPECT_EQ(stepBreakdown(costed, costed.noiseFreeSeconds).step.axisTitle, isShort ? u"ms"_s : u"s"_s);
}

TEST(StepBreakdown, TheVarianceHasAPartForEachCauseThatActs)
{
    const WaterfallData data = varianceShares({.spatial = 0.5, .data = 0.375, .interaction = -0.05, .ciSpatial = 0.125});
    ASSERT_EQ(data.rows.size(), 3U);
    EXPECT_EQ(data.rows[0].id, u"spatial"_s);
    EXPECT_EQ(data.rows[0].metric, u"50.0 ± 12.5"_s);
    EXPECT_EQ(data.rows[1].metric, u"37.5"_s);
    EXPECT_EQ(data.rows[1].id, u"data"_s);
    EXPECT_EQ(data.rows[2].metric, u"−5.0"_s) << "causes may add up to more than all";
    EXPECT_TRUE(varianceShares({}).rows.empty());
}

TEST(StepBreakdown, ThinBarsHaveTheirPartsBetweenTheirTexts)
{
    const Theme theme;
    StackedBarChart chart(theme);
    WaterfallData data;
    data.axisTitle = u"s"_s;
    data.perUnit = 1;
    for (const double value : {3.0, 1.0}) {
        data.rows.emplace_back();
        data.rows.back().label = value > 2 ? u"Work"_s : u"Waiting"_s;
        data.rows.back().value = value;
    }
    chart.setData(data, {{u"Stage 0"_s, u"2 s hidden"_s, 0, {2, 2}, {0, 0.5}}});
    ASSERT_EQ(chart.itemCount(), 4);
    const QRectF area(0, 0, 1000, 300);
    const QRectF work = chart.partRect(area, 2), waiting = chart.partRect(area, 3);
    EXPECT_NEAR(work.width(), waiting.width(), 1e-9) << "equal parts";
    EXPECT_EQ(work.right(), waiting.left());
    EXPECT_GT(work.left(), 0) << "the name is at the left";
    EXPECT_LT(waiting.right(), 1000);
    EXPECT_GT(work.top(), chart.partRect(area, 0).bottom());
    EXPECT_EQ(chart.itemReading(3), (QStringList{u"Stage 0: Waiting"_s, u"2.00 s"_s, u"500 ms more overlaps"_s}));
    EXPECT_EQ(chart.itemReading(2).size(), 2);
    EXPECT_EQ(chart.asTable().rows.size(), 4);
}

} // namespace prism::ui::test
