// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/distribution/scenariolegend.h"

#include "ui/distribution/figuredelegate.h"

#include <QPainter>

#include <algorithm>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr double kSample = 30, kGap = 8, kBetween = 20, kLine = 22, kWidestName = 260; // at scale 1
constexpr int kMostLines = 4;
} // namespace

ScenarioLegend::ScenarioLegend(const Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme)
{
    setAccessibleName(tr("Legend"));
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Minimum);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

void ScenarioLegend::setScenarios(const QList<ShownScenario>& scenarios)
{
    QList<ShownScenario> shown = scenarios;
    shown.removeIf([](const ShownScenario& s) { return !s.visible || (s.invalid && !s.snapshot); }); // those have no curve
    const auto same = [](const ShownScenario& a, const ShownScenario& b) {
        return a.name == b.name && a.colour == b.colour && a.isBaseline == b.isBaseline;
    };
    const bool changed = !std::equal(shown.begin(), shown.end(), m_scenarios.begin(), m_scenarios.end(), same);
    m_scenarios = std::move(shown);
    if (!changed)
        return;
    QStringList names;
    for (const ShownScenario& s : m_scenarios)
        names << s.name;
    setAccessibleDescription(names.join(u", "_s));
    setToolTip(names.join(u'\n'));
    updateGeometry();
    update();
}

void ScenarioLegend::setWhole(bool whole)
{
    m_whole = whole;
    updateGeometry();
    update();
}

QList<ScenarioLegend::Line> ScenarioLegend::lines(double width, bool whole) const
{
    const Look& look = m_theme.look();
    const QFontMetricsF metrics(look.font(Type::body));
    QList<Line> found{Line()};
    const double widestName = std::min<double>(look.px(kWidestName), width - look.px(kSample) - look.px(kGap));
    double used = 0;
    for (qsizetype i = 0; i < m_scenarios.size(); ++i) {
        const ShownScenario& s = m_scenarios[i];
        Entry entry{&s, metrics.elidedText(s.isBaseline ? tr("%1 (baseline)").arg(s.name) : s.name, Qt::ElideMiddle, widestName), 0};
        entry.width = look.px(kSample) + look.px(kGap) + metrics.horizontalAdvance(entry.text);
        if (!found.back().isEmpty() && used + entry.width > width + 1) {
            if (found.size() == kMostLines && !whole) {
                found.back().back() = {nullptr, u"+%1"_s.arg(m_scenarios.size() - i + 1), 0};
                break;
            }
            found << Line();
            used = 0;
        }
        used += entry.width + look.px(kBetween);
        found.back() << entry;
    }
    return found;
}

QSize ScenarioLegend::sizeHint() const
{
    double width = 0;
    const QList<Line> one = lines(1e6, m_whole);
    for (const Entry& entry : one.front())
        width += entry.width + m_theme.px(kBetween);
    return {static_cast<int>(width), m_theme.px(kLine)};
}

QSize ScenarioLegend::minimumSizeHint() const
{
    return {m_theme.px(kSample + kWidestName / 2), m_theme.px(kLine)};
}

int ScenarioLegend::heightForWidth(int width) const
{
    return static_cast<int>(lines(width, m_whole).size()) * m_theme.px(kLine);
}

int ScenarioLegend::wholeHeight(int width) const
{
    return static_cast<int>(lines(width, true).size()) * m_theme.px(kLine);
}

void ScenarioLegend::paintEvent(QPaintEvent* /*event*/)
{
    QPainter p(this);
    const Look& look = m_theme.look();
    p.setFont(look.font(Type::body));
    const QList<Line> all = lines(width(), m_whole);
    const double height = std::min<double>(look.px(kLine), this->height() / static_cast<double>(all.size()));
    double y = all.size() == 1 ? (this->height() - height) / 2 : 0;
    for (const Line& line : all) {
        double x = width() + look.px(kBetween);
        for (const Entry& entry : line)
            x -= entry.width + look.px(kBetween);
        x = std::max(0.0, x);
        for (const Entry& entry : line) {
            if (!entry.scenario) {
                p.setPen(look[Role::textSecondary]);
                p.drawText(QRectF(x, y, look.px(60), height), Qt::AlignVCenter, entry.text);
                break;
            }
            drawSeriesSample(p, QRectF(x, y, look.px(kSample), height), look, entry.scenario->colour, entry.scenario->isBaseline);
            p.setPen(look[Role::text]);
            const double left = x + look.px(kSample) + look.px(kGap);
            p.drawText(QRectF(left, y, x + entry.width - left + 2, height), Qt::AlignVCenter, entry.text);
            x += entry.width + look.px(kBetween);
        }
        y += height;
    }
}

} // namespace prism::ui
