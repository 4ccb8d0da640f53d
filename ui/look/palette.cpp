// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/look/palette.h"

#include <algorithm>
#include <cmath>

namespace prism::ui {
namespace {

void set(Palette& palette, Role role, QRgb value)
{
    palette.roles[static_cast<std::size_t>(role)] = QColor::fromRgb(value);
}

QColor rgb(QRgb value)
{
    return QColor::fromRgb(value);
}

Palette makeLight()
{
    Palette p;
    set(p, Role::window, 0xF3F4F6);
    set(p, Role::panel, 0xFFFFFF);
    set(p, Role::header, 0xF7F8FA);
    set(p, Role::field, 0xFFFFFF);
    set(p, Role::derivedField, 0xECEEF1);
    set(p, Role::separator, 0xDADEE3);
    set(p, Role::grid, 0xE8EBEE);
    set(p, Role::controlOutline, 0x868F9A);
    set(p, Role::axis, 0x8A929C);
    set(p, Role::selection, 0xDFE9F8);
    set(p, Role::beyondLimit, 0xF4F5F7);
    set(p, Role::text, 0x171B21);
    set(p, Role::textSecondary, 0x48515C);
    set(p, Role::textTertiary, 0x5C6570);
    set(p, Role::accent, 0x1D4E9E);
    set(p, Role::onAccent, 0xFFFFFF);
    set(p, Role::good, 0x00665A);
    set(p, Role::bad, 0xA83A00);
    set(p, Role::error, 0xB3201A);
    set(p, Role::errorFill, 0xFCEDEB);
    set(p, Role::warning, 0x7A4B00);
    set(p, Role::warningFill, 0xFFF3DA);
    set(p, Role::noteFill, 0xEAF0F9);
    set(p, Role::hatch, 0x868F9A);
    set(p, Role::comm, 0x48515C);
    set(p, Role::commFill, 0xDADEE3);
    set(p, Role::bubble, 0xDADEE3);
    set(p, Role::grey, 0x9BA5B0);
    p.series = {rgb(0x1450D2), rgb(0xC85208), rgb(0x009A7C), rgb(0x9A5A8C), rgb(0x5A3A1E), rgb(0x8182EC), rgb(0x4B5258), rgb(0x4C1080)};
    p.heat = {rgb(0xFBF3EA), rgb(0xF7D9B5), rgb(0xEDAE6D), rgb(0xD67B33), rgb(0xA94A12), rgb(0x6B2A08)};
    p.forward = {rgb(0x2F6FC1), rgb(0x8DB4E3)};
    p.backward = {rgb(0xC77A1E), rgb(0xEBBE82)};
    p.optimizer = rgb(0x00806A);
    return p;
}

Palette makeDark()
{
    Palette p;
    p.dark = true;
    set(p, Role::window, 0x15181C);
    set(p, Role::panel, 0x1D2126);
    set(p, Role::header, 0x22262C);
    set(p, Role::field, 0x15181C);
    set(p, Role::derivedField, 0x262B31);
    set(p, Role::separator, 0x363D46);
    set(p, Role::grid, 0x2A3037);
    set(p, Role::controlOutline, 0x616B77);
    set(p, Role::axis, 0x707A86);
    set(p, Role::selection, 0x22395C);
    set(p, Role::beyondLimit, 0x23272D);
    set(p, Role::text, 0xECEFF2);
    set(p, Role::textSecondary, 0xBAC2CB);
    set(p, Role::textTertiary, 0x9BA5B0);
    set(p, Role::accent, 0x8FB3F5);
    set(p, Role::onAccent, 0x10141A);
    set(p, Role::good, 0x4FD1B0);
    set(p, Role::bad, 0xF59A62);
    set(p, Role::error, 0xFF8F86);
    set(p, Role::errorFill, 0x3A2223);
    set(p, Role::warning, 0xEDBE5C);
    set(p, Role::warningFill, 0x352C18);
    set(p, Role::noteFill, 0x212C3B);
    set(p, Role::hatch, 0x616B77);
    set(p, Role::comm, 0xBAC2CB);
    set(p, Role::commFill, 0x363D46);
    set(p, Role::bubble, 0x363D46);
    set(p, Role::grey, 0x707A86);
    p.series = {rgb(0x7FA6F2), rgb(0xEE7D2E), rgb(0x58E8B4), rgb(0xB5659F), rgb(0xE8C65D), rgb(0xDADBFF), rgb(0xA3A5A8), rgb(0x9560FF)};
    p.heat = {rgb(0x2A2622), rgb(0x4F3620), rgb(0x7F4B1C), rgb(0xB5671F), rgb(0xE39347), rgb(0xFFD3A1)};
    p.forward = {rgb(0x5B8FDD), rgb(0x34568A)};
    p.backward = {rgb(0xE09A45), rgb(0x8A5E2A)};
    p.optimizer = rgb(0x4FD1B0);
    return p;
}

/// Colours that follow from the others: weight-gradient fills lie between backward and text, memory greys between panel and text.
void derive(Palette& p)
{
    for (std::size_t chunk = 0; chunk < 2; ++chunk)
        p.weight[chunk] = blend(p[Role::bad], p.backward[chunk], 0.45);
    const auto grey = [&p](double share) { return blend(p[Role::text], p[Role::panel], share); };
    p.memory = {grey(0.85), grey(0.58), grey(0.38), p.forward[0], grey(0.2)};
}

double linear(double channel)
{
    return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

double luminance(const QColor& c)
{
    return 0.2126 * linear(c.redF()) + 0.7152 * linear(c.greenF()) + 0.0722 * linear(c.blueF());
}

} // namespace

QColor Palette::heatAt(double position) const
{
    const double at = std::clamp(std::isfinite(position) ? position : 0.0, 0.0, 1.0) * (kHeatStops - 1);
    const auto lower = std::min(static_cast<std::size_t>(at), std::size_t{kHeatStops - 2});
    return blend(heat[lower + 1], heat[lower], at - static_cast<double>(lower));
}

QColor Palette::seriesAt(int index) const
{
    const int wrapped = ((index % kSeriesCount) + kSeriesCount) % kSeriesCount;
    return series[static_cast<std::size_t>(wrapped)];
}

QColor Palette::tint(const QColor& color) const
{
    return blend(color, (*this)[Role::panel], 0.37);
}

const Palette& lightPalette()
{
    static const Palette palette = [] {
        Palette p = makeLight();
        derive(p);
        return p;
    }();
    return palette;
}

const Palette& darkPalette()
{
    static const Palette palette = [] {
        Palette p = makeDark();
        derive(p);
        return p;
    }();
    return palette;
}

QColor blend(const QColor& over, const QColor& under, double share)
{
    const auto mix = [share](float a, float b) { return static_cast<float>(share * a + (1 - share) * b); };
    return QColor::fromRgbF(mix(over.redF(), under.redF()), mix(over.greenF(), under.greenF()), mix(over.blueF(), under.blueF()));
}

double contrastRatio(const QColor& a, const QColor& b)
{
    const double la = luminance(a), lb = luminance(b);
    return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

QColor readableOn(const QColor& fill)
{
    return contrastRatio(fill, QColor(Qt::black)) >= contrastRatio(fill, QColor(Qt::white)) ? QColor(Qt::black) : QColor(Qt::white);
}

} // namespace prism::ui
