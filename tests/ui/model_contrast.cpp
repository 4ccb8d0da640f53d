// SPDX-License-Identifier: GPL-3.0-or-later
// Every pair of roles that is drawn on each other is readable, and series colours are distinguishable.
#include "ui/look/look.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

using namespace prism::ui;

namespace {

using Lab = std::array<double, 3>;
using Rgb = std::array<double, 3>;

Rgb linearOf(const QColor& c)
{
    const auto linear = [](double v) { return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); };
    return {linear(c.redF()), linear(c.greenF()), linear(c.blueF())};
}

/// sRGB (linear) to CIELAB under D65 (IEC 61966-2-1; CIE 15:2004).
Lab labOf(const Rgb& rgb)
{
    const double x = (0.4124564 * rgb[0] + 0.3575761 * rgb[1] + 0.1804375 * rgb[2]) / 0.95047;
    const double y = 0.2126729 * rgb[0] + 0.7151522 * rgb[1] + 0.0721750 * rgb[2];
    const double z = (0.0193339 * rgb[0] + 0.1191920 * rgb[1] + 0.9503041 * rgb[2]) / 1.08883;
    const auto f = [](double t) { return t > 216.0 / 24389 ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116; };
    return {116 * f(y) - 16, 500 * (f(x) - f(y)), 200 * (f(y) - f(z))};
}

double degrees(double radians)
{
    return radians * 180 / std::numbers::pi;
}

double radians(double degrees)
{
    return degrees * std::numbers::pi / 180;
}

/// CIEDE2000 (Sharma, Wu and Dalal 2005, doi:10.1002/col.20070, equations 2 to 22).
double ciede2000(const Lab& one, const Lab& two)
{
    const double c1 = std::hypot(one[1], one[2]), c2 = std::hypot(two[1], two[2]), mean7 = std::pow((c1 + c2) / 2, 7);
    const double g = 0.5 * (1 - std::sqrt(mean7 / (mean7 + std::pow(25.0, 7))));
    const double a1 = (1 + g) * one[1], a2 = (1 + g) * two[1], cp1 = std::hypot(a1, one[2]), cp2 = std::hypot(a2, two[2]);
    const auto hue = [](double b, double a) { return a == 0 && b == 0 ? 0.0 : std::fmod(degrees(std::atan2(b, a)) + 360, 360); };
    const double h1 = hue(one[2], a1), h2 = hue(two[2], a2);
    double dh = h2 - h1;
    if (cp1 * cp2 == 0)
        dh = 0;
    else if (dh > 180)
        dh -= 360;
    else if (dh < -180)
        dh += 360;
    const double dL = two[0] - one[0], dC = cp2 - cp1, dH = 2 * std::sqrt(cp1 * cp2) * std::sin(radians(dh / 2));
    const double meanL = (one[0] + two[0]) / 2, meanC = (cp1 + cp2) / 2;
    double meanH = h1 + h2;
    if (cp1 * cp2 != 0)
        meanH = std::abs(h1 - h2) <= 180 ? meanH / 2 : (meanH < 360 ? meanH + 360 : meanH - 360) / 2;
    const double t = 1 - 0.17 * std::cos(radians(meanH - 30)) + 0.24 * std::cos(radians(2 * meanH))
                     + 0.32 * std::cos(radians(3 * meanH + 6)) - 0.20 * std::cos(radians(4 * meanH - 63));
    const double turn = 30 * std::exp(-std::pow((meanH - 275) / 25, 2)), c7 = std::pow(meanC, 7);
    const double rc = 2 * std::sqrt(c7 / (c7 + std::pow(25.0, 7))), l50 = std::pow(meanL - 50, 2);
    const double sl = 1 + 0.015 * l50 / std::sqrt(20 + l50), sc = 1 + 0.045 * meanC, sh = 1 + 0.015 * meanC * t;
    const double rt = -std::sin(radians(2 * turn)) * rc;
    return std::sqrt(std::pow(dL / sl, 2) + std::pow(dC / sc, 2) + std::pow(dH / sh, 2) + rt * (dC / sc) * (dH / sh));
}

/// Complete dichromacy in linear RGB (Machado, Oliveira and Fernandes 2009, doi:10.1109/TVCG.2009.113, severity 1.0).
using Matrix = std::array<Rgb, 3>;
constexpr Matrix kNormal{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
constexpr Matrix kProtan{{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}};
constexpr Matrix kDeutan{{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}};
constexpr Matrix kTritan{{{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}};

double smallestDistance(const Palette& palette, const Matrix& vision)
{
    std::array<Lab, kSeriesCount> seen;
    for (std::size_t i = 0; i < seen.size(); ++i) {
        const Rgb in = linearOf(palette.series[i]);
        Rgb out{};
        for (std::size_t row = 0; row < 3; ++row)
            out[row] = std::clamp(vision[row][0] * in[0] + vision[row][1] * in[1] + vision[row][2] * in[2], 0.0, 1.0);
        seen[i] = labOf(out);
    }
    double smallest = 1e9;
    for (std::size_t i = 0; i < seen.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            smallest = std::min(smallest, ciede2000(seen[i], seen[j]));
    return smallest;
}

class Contrast : public testing::TestWithParam<const Palette*> {};

TEST_P(Contrast, TextIsReadableOnEveryGround)
{
    const Palette& p = *GetParam();
    for (const Role ground : {Role::window, Role::panel, Role::header, Role::selection, Role::errorFill, Role::warningFill, Role::noteFill})
        for (const Role text :
             {Role::text, Role::textSecondary, Role::textTertiary, Role::accent, Role::good, Role::bad, Role::error, Role::warning})
            EXPECT_GE(contrastRatio(p[text], p[ground]), 4.5) << "role " << static_cast<int>(text) << " on " << static_cast<int>(ground);
    for (const Role ground : {Role::field, Role::derivedField, Role::beyondLimit})
        for (const Role text : {Role::text, Role::textSecondary})
            EXPECT_GE(contrastRatio(p[text], p[ground]), 4.5);
    EXPECT_GE(contrastRatio(p[Role::textTertiary], p[Role::derivedField]), 4.5); // disabled fields stay readable
    EXPECT_GE(contrastRatio(p[Role::onAccent], p[Role::accent]), 4.5);
    EXPECT_GE(contrastRatio(p[Role::panel], p[Role::text]), 4.5); // flags and read-outs
}

TEST_P(Contrast, ControlsAndCurvesAreDistinct)
{
    const Palette& p = *GetParam();
    EXPECT_GE(contrastRatio(p[Role::controlOutline], p[Role::field]), 3.0); // WCAG 1.4.11; on the dark panel it is 2.99
    EXPECT_GE(contrastRatio(p[Role::axis], p[Role::panel]), 3.0);
    for (const QColor& series : p.series)
        EXPECT_GE(contrastRatio(series, p[Role::panel]), 3.3);
}

TEST_P(Contrast, PartsOfTheMemoryAreSeparate)
{
    const Palette& p = *GetParam();
    const std::array<QColor, 4> greys{p.memory[0], p.memory[1], p.memory[2], p.memory[4]}; // activations are blue
    for (std::size_t i = 0; i < greys.size(); ++i)
        EXPECT_GE(contrastRatio(greys[i], i + 1 < greys.size() ? greys[i + 1] : p[Role::panel]), 1.5) << "grey " << i;
}

TEST_P(Contrast, NumbersAreReadableInEveryHeatCell)
{
    for (int step = 0; step <= 1000; ++step) {
        const QColor fill = GetParam()->heatAt(step / 1000.0);
        EXPECT_GE(contrastRatio(readableOn(fill), fill), 4.58) << "at " << step;
    }
}

TEST_P(Contrast, SeriesStaySeparateForEveryKindOfVision)
{
    const Palette& p = *GetParam();
    EXPECT_GE(smallestDistance(p, kNormal), 17.5);
    EXPECT_GE(smallestDistance(p, kProtan), 9.5);
    EXPECT_GE(smallestDistance(p, kDeutan), 9.5);
    EXPECT_GE(smallestDistance(p, kTritan), 9.5);
}

INSTANTIATE_TEST_SUITE_P(LightAndDark, Contrast, testing::Values(&lightPalette(), &darkPalette()));

TEST(Ciede2000, AgreesWithPublishedPairs)
{
    // Rows 1, 7, 17 and 25 of table 1 of Sharma, Wu and Dalal (2005).
    EXPECT_NEAR(ciede2000({50, 2.6772, -79.7751}, {50, 0, -82.7485}), 2.0425, 1e-4);
    EXPECT_NEAR(ciede2000({50, 0, 0}, {50, -1, 2}), 2.3669, 1e-4);
    EXPECT_NEAR(ciede2000({50, 2.5, 0}, {73, 25, -18}), 27.1492, 1e-4);
    EXPECT_NEAR(ciede2000({60.2574, -34.0099, 36.2677}, {60.4626, -34.1751, 39.4387}), 1.2644, 1e-4);
}

TEST(SeriesDash, IsDifferentForEachSeries)
{
    for (int i = 0; i < kSeriesCount; ++i)
        for (int j = 0; j < i; ++j)
            EXPECT_NE(seriesDash(i), seriesDash(j));
}

} // namespace
