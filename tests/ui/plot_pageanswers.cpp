// SPDX-License-Identifier: GPL-3.0-or-later
// The sentences on top of Placement, Scale and Pipeline, for results made by hand: another result is another sentence.
#include "ui/pages/pageanswers.h"

#include "ui/explore/candidatemodel.h"
#include "ui/pages/placescard.h"

#include <gtest/gtest.h>

#include <QLabel>

namespace prism::ui::test {

namespace {

PlacementMap mapOf(std::vector<double> ratios, int rows)
{
    PlacementMap map;
    map.rows = rows;
    map.columns = static_cast<int>(ratios.size()) / rows;
    map.probe.computeFactor = 1.15;
    for (int r = 0; r < rows; ++r)
        map.rowLabels.push_back("replica " + std::to_string(r));
    for (const double ratio : ratios) {
        PlacementCell cell;
        cell.present = ratio > 0;
        cell.p50Seconds = cell.p95Seconds = cell.p99Seconds = 10 * ratio;
        cell.p50Ratio = cell.p95Ratio = cell.p99Ratio = {ratio, 0.001};
        map.cells.push_back(cell);
    }
    return map;
}

ScalePoint point(std::int64_t gpus, double p95, double tokens, double efficiency)
{
    ScalePoint p;
    p.gpus = gpus;
    p.valid = true;
    p.step.p95 = p95;
    p.tokensPerSecond = tokens;
    p.efficiency = efficiency;
    return p;
}

std::string text(const QString& sentence)
{
    return sentence.toStdString();
}

} // namespace

TEST(PageAnswers, APlaceToKeepASlowNodeOn)
{
    const PlacementMap one = mapOf({1.03, 1.004, 0, 1.021}, 1); // the third place was not evaluated
    EXPECT_EQ(text(placementAnswer(one, PlaceMetric::p95)),
              "Keep a node that is 15 % slow on stage 1 (p95 +0.4 %) and away from stage 0 (+3.0 %).");
    EXPECT_EQ(text(placementAnswer(mapOf({1.03, 1.004, 1.05, 1.021}, 2), PlaceMetric::p50)),
              "Keep a node that is 15 % slow on stage 1 of replica 0 (p50 +0.4 %) and away from stage 0 of replica 1 (+5.0 %).");
    PlacementMap equal = one;
    equal.withinNoise = true;
    EXPECT_EQ(text(placementAnswer(equal, PlaceMetric::p99)),
              "A node that is 15 % slow changes p99 by +0.4 % to +3.0 % at any place: where it is does not matter.");
    EXPECT_TRUE(placementAnswer(mapOf({0, 0}, 1), PlaceMetric::p95).isEmpty());
    EXPECT_EQ(
        text(placementAnswer(mapOf({1.03, 1.004, 1.0292, 1.021, 1.0045, 1.005}, 1), PlaceMetric::p95)),
        "Keep a node that is 15 % slow on stage 1 or 2 places within its error (p95 +0.4 %) and away from stage 0 or stage 2 (+3.0 %).");
    EXPECT_EQ(text(placementAnswer(mapOf({1.0041, 1.004, 1.0048}, 1), PlaceMetric::p50)),
              "A node that is 15 % slow changes p50 by +0.4 % to +0.5 % at any place: where it is does not matter.")
        << "p50 is within its error, which the flag of p95 does not state";
}

TEST(PageAnswers, TheNextSizeThatFits)
{
    ScaleCurve curve;
    curve.points = {point(64, 4, 100, 1), point(128, 4.1, 196, 0.98), point(256, 4.4, 360, 0.9)};
    EXPECT_EQ(text(scaleAnswer(curve, 128)),
              "256 GPUs instead of 128 would give 1.84 times the tokens/s (91.8 % per GPU); p95 goes from 4.10 s to 4.40 s.");
    EXPECT_EQ(text(scaleAnswer(curve, 256)),
              "128 GPUs instead of 256 would give 0.544 times the tokens/s (108.9 % per GPU); p95 goes from 4.40 s to 4.10 s.");
    curve.points[2].step.p95 = 4.101;
    EXPECT_TRUE(scaleAnswer(curve, 128).endsWith(QStringLiteral("; p95 stays 4.10 s."))) << text(scaleAnswer(curve, 128));
    curve.points[2].efficiency = 0; // does not fit: the next smaller one is compared
    EXPECT_EQ(scaleAnswer(curve, 128).left(22).toStdString(), "64 GPUs instead of 128");
    EXPECT_EQ(text(scaleAnswer(curve, 256)), "256 GPUs do not hold this job; 128 would, with p95 4.10 s.");
    EXPECT_TRUE(scaleAnswer(curve, 512).isEmpty()) << "a size that the curve does not have";
}

TEST(PageAnswers, WhatIsLargestAfterCompute)
{
    CostedStep costed;
    costed.breakdown.computeSeconds = 6;
    costed.breakdown.bubbleSeconds = 1;
    costed.breakdown.tensorParallelSeconds = 3;
    EXPECT_EQ(text(breakdownAnswer(costed)),
              "Compute is 60.0 % of the noise-free 10.0 s; the largest other part is tensor parallel, 3.00 s (30.0 %).");
    costed.breakdown.bubbleSeconds = 4;
    EXPECT_NE(text(breakdownAnswer(costed)).find("the largest other part is bubble, 4.00 s"), std::string::npos);
    costed.breakdown = {};
    costed.breakdown.computeSeconds = 2;
    EXPECT_EQ(text(breakdownAnswer(costed)), "Compute is 100.0 % of the noise-free 2.00 s.");
}

TEST(PageAnswers, TheTimesOfTheCardDifferByWhatThePlaceDecides)
{
    Theme theme;
    PlacesCard card(theme);
    const auto shown = [&](double best, double worst) {
        const PlacementMap map = mapOf({best, worst}, 1);
        card.setPlaces(&map, heatDataOf(map, PlaceMetric::p95), PlaceMetric::p95);
        QStringList texts;
        for (const QLabel* label : card.findChildren<QLabel*>())
            texts << label->text();
        return text(texts.join(QLatin1Char('|')));
    };
    for (const auto& [best, worst, times] : {std::tuple{0.7068, 0.719, std::array{"decides 120 ms", "7.07 s", "7.19 s"}},
                                             {0.029951, 0.031396, {"decides 14 ms", "300 ms", "314 ms"}},
                                             {0.70312, 0.70353, {"decides 4.1 ms", "7.0312 s", "7.0353 s"}}})
        for (const char* time : times)
            EXPECT_NE(shown(best, worst).find(time), std::string::npos) << time << " in " << shown(best, worst);
}

TEST(PageAnswers, LayoutsOfDifferentBatchesAreComparedPerToken)
{
    auto search = std::make_shared<Exploration>();
    for (const double millions : {2.0, 1.0}) {
        ExploreCandidate c;
        c.tokensPerStep = 1e6 * millions;
        c.p95 = {millions > 1 ? 1.8 : 1.1, 0.001};
        search->candidates.push_back(c);
    }
    CandidateModel model;
    const auto cell = [&](int row, int column) { return text(model.index(row, column).data().toString()); };
    model.setExploration(search, -1, {1, 0.001}, 1e6);
    EXPECT_TRUE(model.isPerToken());
    EXPECT_EQ(cell(0, CandidateModel::changeColumn), "−10.0 %") << "1.8 s for twice the tokens of a step of 1 s";
    EXPECT_EQ(cell(0, CandidateModel::p95Column), "0.900");
    EXPECT_EQ(text(model.headerData(CandidateModel::p95Column, Qt::Horizontal, Qt::DisplayRole).toString()), "p95/M tokens, s");
    model.sort(CandidateModel::changeColumn, Qt::DescendingOrder);
    EXPECT_EQ(model.candidateAt(0), 1) << "+10 %";
    search->candidates.pop_back();
    model.setExploration(search, -1, {2, 0.001}, 2e6);
    EXPECT_FALSE(model.isPerToken());
    EXPECT_EQ(cell(0, CandidateModel::changeColumn), "−10.0 %");
    EXPECT_EQ(cell(0, CandidateModel::p95Column), "1.80");
}

} // namespace prism::ui::test
