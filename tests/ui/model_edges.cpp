// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers on both sides of the edges at which their text, unit, colour or dash changes.
#include "ui/look/change.h"
#include "ui/look/dates.h"
#include "ui/look/textruns.h"
#include "ui/look/format.h"

#include <QFontMetricsF>
#include <QImage>
#include <QPainter>

#include <gtest/gtest.h>

#include <limits>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {

TEST(EdgeAnswers, ANumberThatRoundsUpToTenHasOneDigitLess)
{
    EXPECT_EQ(format::number(-9.999), u"−10.0"_s);
    EXPECT_EQ(format::secondsDelta(99.5), u"+99.5 s"_s); // three digits from here on; two digits would be 100
    EXPECT_EQ(format::secondsDelta(-99.49), u"−99 s"_s);
    EXPECT_EQ(format::timeChange({0.00997, 1e-9}), u"+10 ms"_s); // two digits of 9.97
    EXPECT_EQ(format::timeChange({-0.00997, 1e-9}), u"−10 ms"_s);
    EXPECT_EQ(format::timeChange({0.00994, 1e-9}), u"+9.9 ms"_s);
    EXPECT_EQ(format::timeChange({99.5, 1e-6}), u"+99.5 s"_s);
    EXPECT_EQ(format::timeChange({99.49, 1e-6}), u"+99 s"_s);
    EXPECT_EQ(format::timeChange({-412.4, 1e-6}), u"−412 s"_s);
    EXPECT_EQ(format::percent(-10.5), u"−1,050 %"_s);
    EXPECT_EQ(format::band(-0.62, 0.71), u"−62 to +71 %"_s);
    EXPECT_EQ(format::tableCell(u"1234567890123456"_s), u"1,235,000,000,000,000"_s); // beyond 1e15 four digits
    EXPECT_EQ(format::tableCell(u"1023456789012345"_s), u"1,023,000,000,000,000"_s);
    EXPECT_EQ(format::tableCell(u"-1234567890123456"_s), u"−1,235,000,000,000,000"_s);
    EXPECT_EQ(format::tableCell(u"-987654321012345"_s), u"−987,654,321,012,345"_s);
    EXPECT_EQ(format::deltaScale(99.5).decimals, 0);
    EXPECT_EQ(format::deltaScale(-99.4).decimals, 1);
    EXPECT_EQ(format::deltaScale(9.95).decimals, 1);
    EXPECT_EQ(format::deltaScale(9.94).decimals, 2);
    EXPECT_EQ(format::timeUnit(std::numeric_limits<double>::quiet_NaN()).name, u"s"_s);
    EXPECT_EQ(format::timeUnit(std::numeric_limits<double>::quiet_NaN()).perSecond, 1);
}

TEST(EdgeAnswers, AShareThatIsSmallHasTheDigitsOfItsInterval)
{
    EXPECT_EQ(format::percentChange({0.0005, 1e-9}), u"+0.1 %"_s);              // prints with one decimal from here on
    EXPECT_EQ(format::percentChange({-0.0002449, 0.0000995}), u"−0.024 %"_s);   // 0.02449 to the place of 0.00995
    EXPECT_EQ(format::percentChange({0.0002449, 0.000101}), u"+0.02 %"_s);      // to the place of 0.0101
    EXPECT_EQ(format::percentChange({1.5e-6, 1e-9}), u"+0.00015 %"_s);          // beyond a millionth
    EXPECT_EQ(format::percentChange({0.9e-6, 1e-9}), u"no difference found"_s); // rounding
    EXPECT_FALSE(format::isFound({2e-6, 0}, 2)) << "a millionth of it exactly";
    EXPECT_FALSE(format::isFound({0.99e-5, 0}, -10));
    EXPECT_EQ(format::signedMetric(0, 0.1), u"+0.0"_s);
    EXPECT_EQ(format::intervalNextTo(0.0003, -0.002), u"± 2 ms"_s) << "the unit of the half-width, of either sign";
}

TEST(EdgeAnswers, DatesNextToTheirLimits)
{
    EXPECT_EQ(format::dayOfRun("2026-12-31", 0.5), u"31 December"_s) << "the year of the start";
    EXPECT_EQ(format::dayOfRun("2026-12-31", 1), u"1 January 2027"_s);
    EXPECT_TRUE(format::byDeadline("2026-01-01", 1'000'000.5).startsWith(u"by "_s)) << "its last day is the 999,999th after the start";
    EXPECT_EQ(format::byDeadline("2026-01-01", 1'000'001), u"within 1,000,001 days"_s);
    EXPECT_TRUE(format::byDeadline("2026-01-01", -999'998.5).startsWith(u"by "_s));
    EXPECT_EQ(format::byDeadline("2026-12-31", 2), u"by 1 January 2027"_s);
    EXPECT_EQ(format::byDeadline("", 2), u"within 2 days"_s);
}

TEST(EdgeAnswers, DashesCountRoundsOfEightInBothDirections)
{
    EXPECT_TRUE(seriesDash(-9).isEmpty());            // the seventh dash, and one more for the second round
    EXPECT_EQ(seriesDash(-8), (QList<qreal>{6, 3}));  // the colour of 0 in the second round
    EXPECT_EQ(seriesDash(-17), (QList<qreal>{6, 3})); // 7 + 2
    EXPECT_EQ(seriesDash(-2), (QList<qreal>{6, 2, 1.5, 2, 1.5, 2}));
    EXPECT_EQ(Look().font(static_cast<Type>(99)).pointSizeF(), 9.75) << "anything else is body text";
}

QImage paintedEdge(int ratio, const std::function<void(QPainter&)>& draw)
{
    QImage image(QSize(160, 120) * ratio, QImage::Format_ARGB32_Premultiplied);
    image.setDevicePixelRatio(ratio);
    image.fill(Qt::white);
    QPainter painter(&image);
    draw(painter);
    return image;
}

int differingPixels(const QImage& a, const QImage& b)
{
    int count = 0;
    for (int y = 0; y < a.height(); ++y)
        for (int x = 0; x < a.width(); ++x)
            count += std::abs(qGray(a.pixel(x, y)) - qGray(b.pixel(x, y))) > 64;
    return count;
}

TEST(EdgeAnswers, SeriesColoursComeAgainAfterEight)
{
    const Palette& p = lightPalette();
    for (int i = 0; i < 8; ++i) {
        EXPECT_EQ(p.seriesAt(i), p.series[static_cast<std::size_t>(i)]) << i;
        EXPECT_EQ(p.seriesAt(i + 16), p.series[static_cast<std::size_t>(i)]) << i;
        EXPECT_EQ(p.seriesAt(i - 16), p.series[static_cast<std::size_t>(i)]) << i;
    }
    // 2779 of 65535 is 0.0424048, over the linear part of sRGB: ((0.0424048 + 0.055) / 1.055) ^ 2.4 = 0.0032869.
    EXPECT_NEAR(contrastRatio(QColor::fromRgba64(2779, 2779, 2779), Qt::white), 19.70465, 2e-4);
}

/// The lines of a small rectangle are those of a large one around it, wherever it is; 24 pixels between two of them.
TEST(EdgeAnswers, NoLineOfAHatchIsMissingInAnyQuadrant)
{
    const Look look(lightPalette(), 4);
    for (const bool rising : {true, false})
        for (const QPointF& corner : {QPointF(200, 200), {-300, 200}, {200, -300}, {-300, -300}, {-20, -30}}) {
            const QRectF small(corner, QSizeF(100, 80)), large = small.adjusted(-90, -90, 90, 90);
            const Hatch hatch{rising, 6, 1};
            const auto lines = [&](const QRectF& rect) {
                return paintedEdge(1, [&](QPainter& p) {
                    p.translate(20 - corner.x(), 20 - corner.y());
                    p.setClipRect(small);
                    look.drawHatch(p, rect, hatch, Qt::black, true);
                });
            };
            EXPECT_GT(differingPixels(lines(small), paintedEdge(1, [](QPainter&) {})), 500) << "there are lines";
            EXPECT_LT(differingPixels(lines(small), lines(large)), 60) << rising << ' ' << corner.x() << ' ' << corner.y();
        }
}

TEST(EdgeAnswers, ATextureHasThePixelsOfItsDevice)
{
    const Look look;
    const Hatch hatch{true, 5, 1.6};
    const QRectF rect(11, 7, 90, 60);
    const QImage drawn = paintedEdge(2, [&](QPainter& p) { look.drawHatch(p, rect, hatch, Qt::black); });
    const QImage filled = paintedEdge(2, [&](QPainter& p) { p.fillRect(rect, look.hatchBrush(hatch, Qt::black, 2)); });
    EXPECT_EQ(drawn, filled);
}

TEST(EdgeAnswers, RunsTakeTheSumOfTheirWidthsAndHalfAPixelMore)
{
    const Look look(lightPalette(), 2);
    const TextRuns runs{{u"12.5"_s, Type::headline}, {u"GiB"_s, Type::small}, {u"of 80"_s, Type::bodyStrong}};
    double sum = 0;
    for (const TextRun& run : runs)
        sum += QFontMetricsF(look.font(run.type)).horizontalAdvance(run.text);
    EXPECT_DOUBLE_EQ(widthOf(runs, look), sum);
    EXPECT_EQ(widthOf({}, look), 0);
    const double first = QFontMetricsF(look.font(Type::headline)).horizontalAdvance(u"12.5"_s);
    const double second = QFontMetricsF(look.font(Type::small)).horizontalAdvance(u"GiB"_s);
    const auto used = [&](double room) {
        double width = 0;
        paintedEdge(1, [&](QPainter& p) { width = drawRuns(p, QRectF(0, 10, room, 60), runs, look); });
        return width;
    };
    EXPECT_DOUBLE_EQ(used(first), first) << "no room is left";
    EXPECT_DOUBLE_EQ(used(first + 0.5), first + second);
    const TextRuns one{{u"12.5 GiB"_s, Type::headline}};
    const auto image = [&](double room) { return paintedEdge(1, [&](QPainter& p) { drawRuns(p, QRectF(0, 10, room, 60), one, look); }); };
    const double whole = widthOf(one, look);
    EXPECT_EQ(image(whole - 0.4), image(whole + 9)) << "what lacks less than half a pixel is not shortened";
    EXPECT_NE(image(whole - 0.6), image(whole + 9));
}

} // namespace
} // namespace prism::ui
