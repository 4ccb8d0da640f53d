// SPDX-License-Identifier: GPL-3.0-or-later
// How things are drawn, by known answers: sizes, dashes, hatches, colours, and the edges at which a number's text changes.
#include "ui/look/change.h"
#include "ui/look/dates.h"
#include "ui/look/textruns.h"
#include "ui/look/format.h"

#include <QFontMetricsF>
#include <QImage>
#include <QPainter>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {

TEST(LookAnswers, TheTypeScaleAndSizesInPixels)
{
    const Look twice(lightPalette(), 2);
    const std::tuple<Type, double, QFont::Weight> scale[] = {
        {Type::headline, 18, QFont::DemiBold},   {Type::value, 13.5, QFont::DemiBold},      {Type::title, 11.25, QFont::DemiBold},
        {Type::body, 9.75, QFont::Normal},       {Type::bodyStrong, 9.75, QFont::DemiBold}, {Type::small, 9, QFont::Normal},
        {Type::smallStrong, 9, QFont::DemiBold}, {Type::tick, 8.25, QFont::Normal},         {Type::tickStrong, 8.25, QFont::DemiBold}};
    for (const auto& [type, points, weight] : scale) {
        EXPECT_EQ(twice.font(type).pointSizeF(), 2 * points) << static_cast<int>(type);
        EXPECT_EQ(twice.font(type).weight(), weight) << static_cast<int>(type);
    }
    const Look look(lightPalette(), 1.25);
    EXPECT_EQ(look.px(1), 1); // 1.25
    EXPECT_EQ(look.px(2), 3); // 2.5
    EXPECT_EQ(look.px(5), 6); // 6.25
    EXPECT_EQ(look.pxF(6), 7.5);
    EXPECT_EQ(look.seriesPen(1).widthF(), 2.5);
    EXPECT_EQ(look.seriesPen(1, true).widthF(), 3.75);
    EXPECT_EQ(look.pen(Role::axis).widthF(), 1.25);
    EXPECT_EQ(look.pen(Role::axis, 3).widthF(), 3.75);
}

TEST(LookAnswers, DashesOfTheSeries)
{
    const QList<QList<qreal>> dashes{{}, {6, 3}, {1.5, 2}, {8, 3, 1.5, 3}, {3.5, 2.5}, {10, 2.5}, {6, 2, 1.5, 2, 1.5, 2}, {1, 3}};
    for (int series = 0; series < 8; ++series) {
        EXPECT_EQ(seriesDash(series), dashes[series]) << series;
        EXPECT_EQ(seriesDash(series + 8), dashes[(series + 1) % 8]) << "the same colour with the next dash";
        EXPECT_EQ(seriesDash(series + 16), dashes[(series + 2) % 8]);
    }
    EXPECT_EQ(seriesDash(-1), dashes[7]);
    for (int a = 0; a < 200; ++a) // of the same colour
        for (int b = a + 8; b < 200; b += 8)
            EXPECT_NE(seriesDash(a), seriesDash(b)) << a << " and " << b;
    EXPECT_TRUE(Look().seriesPen(0).dashPattern().isEmpty());
    EXPECT_EQ(Look().seriesPen(9).dashPattern(), dashes[2]);
}

/// Every pixel of a hatch against the distance of its centre from the lines x + y = 24 k (rising) or x - y = 24 k (falling).
void expectHatch(bool rising, bool asLines, int ratio)
{
    const QRect rect(-7, -38, 90, 64); // partly above and left of the origin, as in a view that is scrolled
    QImage image(QSize(120, 100) * ratio, QImage::Format_ARGB32_Premultiplied);
    image.setDevicePixelRatio(ratio);
    image.fill(Qt::white);
    QPainter painter(&image);
    painter.translate(20, 60);
    Look(lightPalette(), 4).drawHatch(painter, rect, {rising, 6, 1}, Qt::black, asLines); // every 24 pixels, 4 wide
    painter.end();
    int misses = 0, inside = 0;
    for (int py = 0; py < image.height(); ++py)
        for (int px = 0; px < image.width(); ++px) {
            const double x = (px + 0.5) / ratio - 20, y = (py + 0.5) / ratio - 60;
            const bool dark = qGray(image.pixel(px, py)) < 128, in = QRectF(rect).contains(x, y);
            const double sum = (rising ? x + y : x - y) / 24, distance = 24 * std::abs(sum - std::round(sum)) / std::sqrt(2.0);
            inside += in;
            misses += in ? (distance < 1.2 && !dark) || (distance > 2.8 && dark) : dark;
        }
    EXPECT_EQ(inside, 90 * 64 * ratio * ratio);
    EXPECT_EQ(misses, 0) << (rising ? "rising" : "falling") << (asLines ? " lines" : " texture") << " at ratio " << ratio;
}

TEST(LookAnswers, HatchesAreTheSameLinesInEveryRectangle)
{
    for (const bool rising : {true, false})
        for (const int ratio : {1, 2}) {
            expectHatch(rising, true, ratio);
            expectHatch(rising, false, ratio);
        }
    const QBrush brush = Look(lightPalette(), 1).hatchBrush({true, 5, 1}, Qt::black, 1.5);
    EXPECT_EQ(brush.textureImage().size(), QSize(8, 8)); // 7.5 pixels
    EXPECT_NEAR(brush.transform().m11(), 1 / 1.5, 1e-12);
    EXPECT_EQ(Look().hatchBrush({true, 0.5, 1}, Qt::black, 1).textureImage().size(), QSize(2, 2)) << "at least two pixels";
}

TEST(LookAnswers, LuminanceByChannel)
{
    // Ratio to white: 1.05 / (share of the channel + 0.05); 128 of 255 is 0.21586 in linear light, 10 of 255 is 0.0030353.
    EXPECT_NEAR(contrastRatio(QColor(255, 0, 0), Qt::white), 1.05 / 0.2626, 1e-6);
    EXPECT_NEAR(contrastRatio(QColor(0, 255, 0), Qt::white), 1.05 / 0.7652, 1e-6);
    EXPECT_NEAR(contrastRatio(QColor(0, 0, 255), Qt::white), 1.05 / 0.1222, 1e-6);
    EXPECT_NEAR(contrastRatio(QColor(128, 128, 128), Qt::white), 1.05 / 0.26586, 1e-4);
    EXPECT_NEAR(contrastRatio(Qt::white, QColor(10, 10, 10)), 1.05 / 0.0530353, 1e-4);
    EXPECT_EQ(readableOn(QColor(0x76, 0x76, 0x76)), QColor(Qt::black)); // luminance 0.1812, over sqrt(1.05 × 0.05) − 0.05 = 0.1791
    EXPECT_EQ(readableOn(QColor(0x75, 0x75, 0x75)), QColor(Qt::white)); // 0.1779
}

TEST(LookAnswers, DerivedColoursAreMixtures)
{
    for (const Palette* p : {&lightPalette(), &darkPalette()}) {
        const auto mixed = [](const QColor& over, const QColor& under, double share) {
            const auto part = [share](int a, int b) { return static_cast<int>(std::lround(share * a + (1 - share) * b)); };
            return QColor(part(over.red(), under.red()), part(over.green(), under.green()), part(over.blue(), under.blue())).name();
        };
        for (std::size_t chunk : {0U, 1U})
            EXPECT_EQ(p->weight[chunk].name(), mixed((*p)[Role::bad], p->backward[chunk], 0.45));
        const std::pair<std::size_t, double> greys[] = {{0, 0.85}, {1, 0.58}, {2, 0.38}, {4, 0.2}};
        for (const auto& [part, share] : greys)
            EXPECT_EQ(p->memory[part].name(), mixed((*p)[Role::text], (*p)[Role::panel], share)) << part;
        EXPECT_EQ(p->memory[3], p->forward[0]);
        EXPECT_EQ(p->tint(Qt::black).name(), mixed(Qt::black, (*p)[Role::panel], 0.37));
        EXPECT_EQ(p->heatAt(std::numeric_limits<double>::quiet_NaN()), p->heat[0]);
        EXPECT_EQ(p->heatAt(0.5).name(), mixed(p->heat[3], p->heat[2], 0.5)) << "five parts between six stops";
        EXPECT_EQ(p->heatAt(0.95).name(), mixed(p->heat[5], p->heat[4], 0.75));
    }
}

QRect inkOf(const QImage& image)
{
    QRect ink;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            if (qGray(image.pixel(x, y)) < 160)
                ink |= QRect(x, y, 1, 1);
    return ink;
}

QImage drawn(const std::function<void(QPainter&)>& draw)
{
    QImage image(300, 80, QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::white);
    QPainter painter(&image);
    draw(painter);
    return image;
}

TEST(LookAnswers, RunsHaveOneBaseLineInTheMiddle)
{
    const Look look(lightPalette(), 2);
    const QRectF rect(20, 10, 250, 60);
    const TextRuns runs{{u"HE"_s, Type::headline}, {u"HE"_s, Type::small}};
    const QFontMetricsF large(look.font(Type::headline)), small(look.font(Type::small));
    double used = 0;
    const QRect ink = inkOf(drawn([&](QPainter& p) { used = drawRuns(p, rect, runs, look); }));
    EXPECT_DOUBLE_EQ(used, large.horizontalAdvance(u"HE"_s) + small.horizontalAdvance(u"HE"_s));
    const QRect alone = inkOf(drawn([&](QPainter& p) {
        p.setFont(look.font(Type::headline));
        p.drawText(rect, Qt::AlignLeft | Qt::AlignVCenter, u"HE"_s); // Qt centres the line that holds ascent and descent
    }));
    EXPECT_EQ(ink.left(), alone.left());
    EXPECT_NEAR(ink.bottom(), alone.bottom(), 1);
    EXPECT_NEAR(ink.top(), alone.top(), 1);
    EXPECT_NEAR(ink.right(), 20 + used, 4);
    // Without room: shortened at the right end, and nothing behind it.
    for (const bool isName : {false, true}) {
        TextRuns longer{{u"HHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHH"_s, Type::headline, Role::text, false, isName}, {u"HE"_s}};
        double width = 0;
        const QRect cut = inkOf(drawn([&](QPainter& p) { width = drawRuns(p, rect, longer, look); }));
        EXPECT_LE(cut.right(), 271);
        EXPECT_GE(cut.right(), 190);
        EXPECT_DOUBLE_EQ(width, large.horizontalAdvance(longer.front().text)) << "the second run has no room";
    }
}

TEST(LookAnswers, ASampleIsALineInTheMiddle)
{
    const QRect ink = inkOf(drawn([](QPainter& p) { drawSeriesSample(p, QRectF(30, 20, 100, 40), Look(lightPalette(), 2), 0, true); }));
    EXPECT_EQ(ink.left(), 30);
    EXPECT_EQ(ink.right(), 129);
    EXPECT_NEAR(ink.center().y(), 39.5, 0.6);
    EXPECT_NEAR(ink.height(), 6, 1); // the baseline's 3 at scale 2
}

TEST(FormatEdges, DigitsAndUnitsJustInsideAndOutside)
{
    EXPECT_EQ(format::number(123.456, 0), u"100"_s); // one digit at least
    EXPECT_EQ(format::number(123.456, 2), u"120"_s);
    EXPECT_EQ(format::number(1.0 / 3, 20), u"0.333333333333333"_s); // fifteen at most
    EXPECT_EQ(format::number(-1234567), u"−1,230,000"_s);
    EXPECT_EQ(format::fixed(1234.567, -2), u"1,235"_s);
    EXPECT_EQ(format::fixed(-0.004, 2), u"0.00"_s);
    EXPECT_EQ(format::fixed(999999.5, 1), u"999,999.5"_s);
    EXPECT_EQ(format::count(0), u"0"_s);
    EXPECT_EQ(format::count(999), u"999"_s);
    EXPECT_EQ(format::seconds(0.9994).text(), u"999 ms"_s);
    EXPECT_EQ(format::seconds(0.99951).text(), u"1.00 s"_s);
    EXPECT_EQ(format::seconds(-0.5).text(), u"−500 ms"_s);
    EXPECT_EQ(format::timeUnit(0).name, u"s"_s);
    EXPECT_EQ(format::timeUnit(-0.02).name, u"ms"_s);
    EXPECT_EQ(format::timeUnit(1e-12).perSecond, 1e9);
    EXPECT_EQ(format::timeUnit(std::numeric_limits<double>::infinity()).perSecond, 1);
    EXPECT_EQ(format::bytes(0).text(), u"0 B"_s);
    EXPECT_EQ(format::bandwidth(0).text(), u"0 GB/s"_s);
    EXPECT_EQ(format::dollars(0).text(), u"0 $"_s);
    EXPECT_EQ(format::bytes(1000).text(), u"1,000 B"_s);
    EXPECT_EQ(format::bytes(1024.0 * 1024 * 1024 * 1024 * 3).text(), u"3.00 TiB"_s);
    EXPECT_EQ(format::days(0.5).text(), u"12.0 h"_s);
    EXPECT_EQ(format::days(0.5 / 24).text(), u"30.0 min"_s);
    EXPECT_EQ(format::si(0).text(), u"0.00"_s);
    EXPECT_EQ(format::si(-0.25).text(), u"−0.250"_s);
    EXPECT_EQ(format::si(0.9999).text(), u"1.00"_s);
    EXPECT_EQ(format::signedNumber(0.0, 2), u"0.0"_s);
    EXPECT_EQ(format::signedNumber(-2.04, 2), u"−2.0"_s);
    EXPECT_EQ(format::band(-0.001, 0.004), u"−0.1 to +0.4 %"_s);
    EXPECT_EQ(format::band(0.05, 0.126), u"+5 to +13 %"_s);
}

TEST(FormatEdges, ChangesIntervalsAndShares)
{
    EXPECT_EQ(format::secondsDelta(0.0999), u"+99.9 ms"_s);
    EXPECT_EQ(format::secondsDelta(-5e-3), u"−5.0 ms"_s);
    EXPECT_EQ(format::plainInterval(0), u"± 0"_s);
    EXPECT_EQ(format::plainInterval(9.4), u"± 9"_s);
    EXPECT_EQ(format::plainInterval(9.6), u"± 10"_s);
    EXPECT_EQ(format::plainInterval(-12.4), u"± 12"_s);
    EXPECT_EQ(format::interval(-0.0021), u"± 2 ms"_s);
    for (const auto& [largest, decimals] : {std::pair{0.0996, 0}, {-0.0994, 1}, {0.00996, 1}, {-0.00994, 2}})
        EXPECT_EQ(format::deltaScale(largest).decimals, decimals) << largest;
    const format::DeltaScale tenths{{1e3, u"ms"_s}, 1};
    EXPECT_EQ(format::secondsDelta(0.000051, tenths), u"+0.1 ms"_s);
    EXPECT_EQ(format::secondsDelta(-0.000049, tenths), u"0 ms"_s);
    EXPECT_EQ(format::interval(0.000051, tenths), u"± 0.1 ms"_s);
    EXPECT_EQ(format::interval(0.000049, tenths), u"± < 0.1 ms"_s);
    EXPECT_EQ(format::interval(-0.0123, tenths), u"± 12.3 ms"_s);
    EXPECT_EQ(format::percent(-0.123), u"−12.3 %"_s);
    EXPECT_EQ(format::percent(9.994), u"999.4 %"_s);
    EXPECT_EQ(format::percent(10), u"1,000 %"_s);
    EXPECT_EQ(format::percentDelta(8.99), u"+899.0 %"_s);
    EXPECT_EQ(format::percentDelta(9), u"10.0×"_s);
    EXPECT_EQ(format::pointsDelta(-0.0004), u"0.0 points"_s);
    EXPECT_EQ(plainText(shareRuns(0.999, 0.0004)), u"99.9 % ± 0.04"_s);
    EXPECT_EQ(plainText(shareRuns(0.05, 0.0123)), u"5.0 % ± 1"_s);
    EXPECT_EQ(format::tableCell(u"0.0001"_s), u"0.0001000"_s);
    EXPECT_EQ(format::tableCell(u"0.00009"_s), u"9e−05"_s);
    EXPECT_EQ(format::tableCell(u"-0.5"_s), u"−0.5000"_s);
    EXPECT_EQ(format::tableCell(u"999999999999999"_s), u"999,999,999,999,999"_s);
    EXPECT_EQ(format::tableCell(u"H100"_s), u"H100"_s);
    EXPECT_EQ(format::tableHeader(u"p50_s"_s), u"p50 [s]"_s);
    EXPECT_EQ(format::tableHeader(u"s"_s), u"s"_s);
    EXPECT_EQ(format::tableHeader(u"seed_value"_s), u"seed value"_s);
    EXPECT_EQ(format::samplesAndSeed(20'000, 18'446'744'073'709'551'615U, u"steps"_s), u"n = 20,000 steps, seed 18446744073709551615"_s);
}

TEST(FormatEdges, AChangeIsFoundBeyondItsIntervalAndRounding)
{
    EXPECT_TRUE(format::isFound({1.01e-5, 0}, 10)); // a millionth of ten
    EXPECT_FALSE(format::isFound({0.99e-5, 0}, 10));
    EXPECT_TRUE(format::isFound({-1.01e-5, 0}, -10));
    EXPECT_FALSE(format::isFound({0.5, 0.51}));
    EXPECT_EQ(format::percentChange({0.00051, 0.00001}), u"+0.1 %"_s);
    EXPECT_EQ(format::percentChange({-0.00049, 0.00001}), u"−0.049 %"_s);
    EXPECT_EQ(format::percentChange({11.3, 0.01}), u"12.3×"_s);
    EXPECT_EQ(format::timeChange({0.0994, 1e-9}), u"+99 ms"_s); // two digits
    EXPECT_EQ(format::timeChange({0.0996, 1e-9}), u"+99.6 ms"_s);
    EXPECT_EQ(format::timeChange({1.2345, 0.0004}), u"+1.2 s"_s);
    EXPECT_EQ(format::timeChange({1.2345, 0.3}), u"+1.2 s"_s);
    EXPECT_EQ(format::signedMetric(-1234.5, 0.2), u"−1,234.5"_s);
    EXPECT_EQ(format::intervalNextTo(1, 0.0004), u"± 400 µs"_s) << "from a second on the interval has its own unit";
    EXPECT_EQ(format::intervalNextTo(0.9999, 0.04), u"± 0.04 s"_s);
    EXPECT_EQ(format::comparedSeconds(0.052, 0), u"52.0 ms (+52 ms)"_s) << "nothing is a share of zero";
    EXPECT_EQ(format::comparedSeconds(8, 10), u"8.00 s (−20.0 %, −2.0 s)"_s);
    EXPECT_EQ(format::comparedSeconds(10.1, 10, 0.2), u"10.1 s (no difference found)"_s);
    EXPECT_EQ(format::comparedSeconds(0.45, 0.4), u"450 ms (+12.5 %, +50 ms)"_s);
}

TEST(FormatEdges, DatesAtTheirLimits)
{
    EXPECT_EQ(format::dateAfter("2026-01-01", 999'999).daysTo(QDate(2026, 1, 1)), -999'999);
    EXPECT_EQ(format::dateAfter("2026-01-01", -0.5), QDate(2025, 12, 31));
    EXPECT_FALSE(format::dateAfter("2026-01-01", -1e6).isValid());
    EXPECT_EQ(format::dayOfRun("2026-06-01", -200), u"13 November 2025"_s);
    EXPECT_EQ(format::dayOfRun("", -0.5), u"day -1"_s);
    EXPECT_EQ(format::dayOfRun("", std::numeric_limits<double>::infinity()), u"day –"_s);
    EXPECT_EQ(format::byDeadline("2026-01-01", 1), u"by 1 January"_s);
    EXPECT_EQ(format::byDeadline("", 1.5), u"within 1.5 days"_s);
    EXPECT_EQ(format::byDeadline("", 1e6), u"within 1,000,000 days"_s);
    EXPECT_EQ(format::deadlineDays(u"1e-3 d"_s, ""), 1e-3);
    EXPECT_FALSE(format::deadlineDays(u"inf"_s, ""));
    EXPECT_EQ(format::spanUnit(119.9).seconds, 1);
    EXPECT_EQ(format::spanUnit(120).seconds, 60);
    EXPECT_EQ(format::spanUnit(7199).seconds, 60);
    EXPECT_EQ(format::spanUnit(7200).seconds, 3600);
}

} // namespace
} // namespace prism::ui
