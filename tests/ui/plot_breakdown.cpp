// SPDX-License-Identifier: GPL-3.0-or-later
// The bar of a step on the Pipeline page: its parts are the breakdown's, and a part of the network leads to its kernel class.
#include "core/cost/communication.h"
#include "core/cost/predictor.h"
#include "core/scenario/presets.h"
#include "ui/plot/stepbreakdown.h"

#include <gtest/gtest.h>

namespace prism::ui::test {

using namespace Qt::StringLiterals;

TEST(StepBreakdown, HasThePartsOfTheStepInOrder)
{
    const CostedStep costed = *costStep(*scenarioPreset("sample-baseline"));
    const WaterfallData data = stepBreakdown(costed, costed.noiseFreeSeconds);
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
    EXPECT_EQ(data.rows[0].id, QString()) << "compute is many classes";
    double hidden = 0;
    for (const ClassCommunication& c : communicationOf(costed.graph, costed.noiseFreeSeconds).classes)
        hidden += c.category == Category::tensorParallel ? c.hiddenSeconds : 0;
    EXPECT_TRUE(data.rows[1].id.startsWith(u"tp."_s)) << data.rows[1].id.toStdString();
    EXPECT_TRUE(hidden > 0 && data.rows[1].detail.contains(QString::number(hidden * 1000, 'f', 0).left(2)))
        << data.rows[1].detail.toStdString();
}

TEST(StepBreakdown, AShortStepIsInMilliseconds)
{
    const CostedStep costed = *costStep(*scenarioPreset("llama2-7b-8-a100"));
    const bool isShort = costed.noiseFreeSeconds < 1;
    EXPECT_EQ(stepBreakdown(costed, costed.noiseFreeSeconds).axisTitle, isShort ? u"ms"_s : u"s"_s);
}

} // namespace prism::ui::test
