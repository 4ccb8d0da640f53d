// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/curvelabels.h"

#include <gtest/gtest.h>

namespace prism::ui::test {

namespace {

const QRectF kPlot(0, 0, 1000, 500);

/// Flat at the bottom, up between `from` and `to`, flat at the top.
QPolygonF ramp(double from, double to)
{
    return {{kPlot.left(), kPlot.bottom()}, {from, kPlot.bottom()}, {to, kPlot.top()}, {kPlot.right(), kPlot.top()}};
}

std::vector<CurveLabel> labelsOf(const std::vector<QPolygonF>& lines, QSizeF size)
{
    std::vector<CurveLabel> labels;
    for (const QPolygonF& line : lines)
        labels.push_back({size, line, 0});
    return labels;
}

void expectSeparate(const std::vector<LabelPlace>& places)
{
    for (std::size_t i = 0; i < places.size(); ++i)
        for (std::size_t k = 0; k < i; ++k)
            EXPECT_FALSE(places[i].rect.intersects(places[k].rect)) << i << " covers " << k;
}

} // namespace

TEST(CurveLabels, ALineIsHitWhereItPassesAndNowhereElse)
{
    const QPolygonF line = ramp(400, 600);
    EXPECT_DOUBLE_EQ(heightOn(line, 450), 375) << "a quarter of the way up";
    EXPECT_DOUBLE_EQ(heightOn(line, 0), 500);
    EXPECT_DOUBLE_EQ(heightOn(line, 2000), 0);
    EXPECT_TRUE(passesThrough(line, {440, 300, 60, 100}));
    EXPECT_TRUE(passesThrough(line, {410, 0, 180, 500})) << "no point of the line is inside";
    EXPECT_TRUE(passesThrough(line, {100, 490, 50, 20})) << "the flat part";
    EXPECT_FALSE(passesThrough(line, {100, 100, 300, 100}));
    EXPECT_FALSE(passesThrough(line, {560, 300, 60, 100}));
    EXPECT_FALSE(passesThrough({}, kPlot));
}

TEST(CurveLabels, AreNextToTheirLinesAndCoverNothing)
{
    const std::vector<QPolygonF> lines{ramp(300, 360), ramp(330, 390), ramp(600, 700)};
    const LabelObstacles around{kPlot, lines, {{500, 0, 6, 500}}};
    const auto places = placeLabels(labelsOf(lines, {120, 16}), around, 8);
    expectSeparate(places);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const LabelPlace& place = places[i];
        EXPECT_FALSE(place.isOver || place.isFar) << "there is room next to each line";
        EXPECT_TRUE(kPlot.contains(place.rect));
        EXPECT_FALSE(place.rect.intersects(around.taken.front()));
        for (const QPolygonF& line : lines)
            EXPECT_FALSE(passesThrough(line, place.rect));
        EXPECT_NEAR(heightOn(lines[i], place.anchor.x()), place.anchor.y(), 1e-6) << "it names a point of its line";
        EXPECT_NEAR(std::min(std::abs(place.rect.left() - place.anchor.x()), std::abs(place.rect.right() - place.anchor.x())), 8, 1e-6);
    }
}

TEST(CurveLabels, ACrowdKeepsItsLabelsSeparate)
{
    std::vector<QPolygonF> lines;
    for (int i = 0; i < 6; ++i)
        lines.push_back(ramp(480 + 4 * i, 520 + 4 * i));
    const auto places = placeLabels(labelsOf(lines, {180, 16}), {kPlot, lines, {}}, 8);
    expectSeparate(places);
    for (const LabelPlace& place : places)
        EXPECT_TRUE(kPlot.contains(place.rect) && !place.isOver);
    const auto same = placeLabels(labelsOf({lines[0], lines[0], lines[0]}, {180, 16}), {kPlot, {lines[0]}, {}}, 8);
    expectSeparate(same);
    // No room at all: the labels cover lines, not each other; a line that is not in the plot has none.
    const QRectF tiny(0, 0, 100, 60);
    const QPolygonF across{{0, 60}, {100, 0}}, outside{{-50, 300}, {-10, 200}};
    const auto tight = placeLabels(labelsOf({across, across, outside}, {90, 20}), {tiny, {across}, {}, true}, 8);
    expectSeparate({tight[0], tight[1]});
    EXPECT_TRUE(tight[0].isOver && tight[2].rect.isNull());
    EXPECT_TRUE(placeLabels(labelsOf({across}, {90, 20}), {tiny, {across}, {}}, 8)[0].rect.isNull()) << "or they are omitted";
    const auto reduced = placeLabels({{{90, 20}, across, 30}}, {tiny, {across}, {}}, 8);
    EXPECT_TRUE(reduced[0].isShort && tiny.contains(reduced[0].rect)) << "a shorter text has room";
}

TEST(CurveLabels, ReadingsAreAtTheLimit)
{
    const std::vector<QPolygonF> lines{ramp(100, 200), ramp(700, 800), ramp(720, 820), ramp(450, 550)};
    const auto places = placeReadings(labelsOf(lines, {90, 16}), {kPlot, lines, {{497, 0, 6, 500}}}, 500, 8);
    expectSeparate(places);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        EXPECT_EQ(places[i].anchor, QPointF(500, heightOn(lines[i], 500))) << i;
        EXPECT_FALSE(places[i].isOver) << i;
        EXPECT_LE(std::min(std::abs(places[i].rect.left() - 500), std::abs(places[i].rect.right() - 500)), 8 + 1e-6) << i;
        EXPECT_LE(std::abs(places[i].rect.center().y() - places[i].anchor.y()), 3 * 16) << i;
    }
}

} // namespace prism::ui::test
