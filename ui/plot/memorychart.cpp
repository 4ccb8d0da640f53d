// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/memorychart.h"

#include "ui/plot/ticks.h"
#include "ui/look/format.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {

std::array<double, 5> partsOf(const StageMemory& m)
{
    return {m.weightsGib, m.gradientsGib, m.optimizerGib, m.activationsGib, m.buffersGib};
}

const std::array<QString, 5>& partNames()
{
    static const std::array<QString, 5> names{u"Weights"_s, u"Gradients"_s, u"Optimizer"_s, u"Activations"_s, u"Buffers"_s};
    return names;
}

} // namespace

void MemoryChart::setMemory(const MemoryReport& memory)
{
    m_memory = memory;
    dataChanged();
}

void MemoryChart::setBrushed(int stage)
{
    m_brushed = stage;
    update();
}

TableData MemoryChart::asTable() const
{
    TableData table;
    table.header << u"stage"_s;
    for (const QString& name : partNames())
        table.header << name.toLower() + u" [GiB]"_s;
    table.header << u"total [GiB]"_s << u"capacity [GiB]"_s;
    for (const StageMemory& stage : m_memory.stages) {
        QStringList row{QString::number(stage.stage)};
        for (const double part : partsOf(stage))
            row << tableNumber(part);
        table.rows << (row << tableNumber(stage.totalGib) << tableNumber(m_memory.capacityGib));
    }
    return table;
}

QStringList MemoryChart::itemReading(int item) const
{
    if (item < 0 || item >= itemCount())
        return {};
    const StageMemory& stage = m_memory.stages[static_cast<std::size_t>(item)];
    QStringList lines{
        u"Stage %1, %2 of %3"_s.arg(stage.stage).arg(format::gib(stage.totalGib).text(), format::gib(m_memory.capacityGib).text())};
    const auto parts = partsOf(stage);
    for (std::size_t i = 0; i < parts.size(); ++i)
        lines << partNames()[i] + u' ' + format::gib(parts[i]).text();
    if (stage.totalGib > m_memory.capacityGib && m_memory.capacityGib > 0)
        lines << u"Does not fit"_s;
    return lines;
}

QList<LegendEntry> MemoryChart::legend(const Look& look) const
{
    QList<LegendEntry> entries;
    for (std::size_t i = 0; i < partNames().size(); ++i)
        entries << LegendEntry{LegendEntry::Mark::box, look.palette().memory[i], {}, {}, partNames()[i]};
    return entries;
}

std::optional<Reach> MemoryChart::ownReach() const
{
    if (m_memory.stages.empty())
        return std::nullopt;
    Reach own{0, m_memory.capacityGib};
    for (const StageMemory& stage : m_memory.stages)
        own.high = std::max(own.high, stage.totalGib);
    return own;
}

MemoryChart::Layout MemoryChart::layout(const Canvas& canvas, const QRectF& area) const
{
    Layout at;
    at.plot = QRectF(QPointF(area.left() + canvas.px(44), area.top() + canvas.px(14)),
                     QPointF(area.right() - canvas.px(12), area.bottom() - canvas.px(20)));
    const double highest = std::max(ownReach().value_or(Reach{}).high, reach() ? reach()->high : 0.0);
    at.perGib = at.plot.height() / (highest > 0 ? highest * 1.04 : 1);
    at.slot = at.plot.width() / std::max<std::size_t>(m_memory.stages.size(), 1);
    at.barWidth = std::min(at.slot * 0.6, canvas.px(64));
    return at;
}

void MemoryChart::paintPlot(Canvas& canvas, const QRectF& area, bool interactive) const
{
    if (m_memory.stages.empty())
        return;
    const Layout at = layout(canvas, area);
    paintScale(canvas, at);
    const int stride =
        std::max(1, static_cast<int>(std::ceil((canvas.width(u"000"_s, Type::tick) + canvas.px(4)) / std::max(at.slot, 0.01))));
    for (std::size_t i = 0; i < m_memory.stages.size(); ++i) {
        const QRectF bar = paintBar(canvas, at, i);
        const bool brushed = interactive && static_cast<int>(i) == m_brushed;
        if (brushed)
            canvas.fill(QRectF(bar.left(), bar.bottom() + 1, bar.width(), canvas.px(metric::brushBar)), canvas.look[Role::accent]);
        if (static_cast<int>(i) % stride == 0)
            canvas.text({bar.center().x(), bar.bottom() + canvas.px(6)}, QString::number(m_memory.stages[i].stage),
                        brushed ? Type::tickStrong : Type::tick, brushed ? Role::text : Role::textSecondary,
                        Qt::AlignHCenter | Qt::AlignTop);
        if (interactive && hasFocus() && static_cast<int>(i) == focusItem())
            canvas.outline(bar.adjusted(-2, -2, 2, 2), canvas.look.pen(Role::accent, metric::focusRing));
    }
    const double base = at.plot.bottom();
    canvas.horizontal(at.plot.left(), at.plot.right(), base, canvas.look.pen(Role::axis));
    canvas.text({area.left(), base + canvas.px(6)}, u"Stage"_s, Type::tick, Role::textSecondary, Qt::AlignLeft | Qt::AlignTop);
}

void MemoryChart::paintScale(Canvas& canvas, const Layout& at) const
{
    const Look& look = canvas.look;
    const double base = at.plot.bottom(), capacity = base - m_memory.capacityGib * at.perGib;
    const Ticks ticks = niceTicks(0, at.plot.height() / at.perGib, std::max(2, static_cast<int>(at.plot.height() / canvas.px(30))));
    for (const double value : ticks.values) {
        const double y = base - value * at.perGib;
        if (value > 0)
            canvas.horizontal(at.plot.left(), at.plot.right(), y, look.pen(Role::grid));
        if (m_memory.capacityGib <= 0 || std::abs(y - capacity) > canvas.lineHeight(Type::tick))
            canvas.text({at.plot.left() - canvas.px(10), y}, ticks.label(value), Type::tick, Role::textSecondary,
                        Qt::AlignRight | Qt::AlignVCenter);
    }
    if (m_memory.capacityGib <= 0)
        return;
    QPen pen = look.pen(Role::error, metric::limitLine);
    pen.setDashPattern({5, 3});
    canvas.horizontal(at.plot.left(), at.plot.right(), capacity, pen);
    canvas.text({at.plot.left() - canvas.px(10), capacity}, format::fixed(m_memory.capacityGib, 1), Type::tick, Role::error,
                Qt::AlignRight | Qt::AlignVCenter);
}

QRectF MemoryChart::paintBar(Canvas& canvas, const Layout& at, std::size_t index) const
{
    const StageMemory& stage = m_memory.stages[index];
    const double base = at.plot.bottom();
    const double left = std::round(at.plot.left() + at.slot * (static_cast<double>(index) + 0.5) - at.barWidth / 2);
    double y = base;
    const auto parts = partsOf(stage);
    for (std::size_t part = 0; part < parts.size(); ++part) {
        const double high = parts[part] * at.perGib;
        QRectF rect(left, y - high, at.barWidth, high);
        if (high >= 3)
            rect.setTop(rect.top() + 1); // a gap between parts
        canvas.fill(rect, canvas.look.palette().memory[part]);
        y -= high;
    }
    if (at.slot >= canvas.width(u"000.0"_s, Type::tick)) {
        const bool over = m_memory.capacityGib > 0 && stage.totalGib > m_memory.capacityGib;
        const QString total = format::fixed(stage.totalGib, stage.totalGib < 100 ? 1 : 0);
        const double capacity = base - m_memory.capacityGib * at.perGib, above = canvas.px(8);
        const bool onLine = m_memory.capacityGib > 0 && !over && y - above < capacity + above; // the label is then above the line
        const QPointF label(left + at.barWidth / 2, onLine ? capacity - above : y - above);
        canvas.text(label, total, over ? Type::tickStrong : Type::tick, over ? Role::error : Role::textSecondary,
                    Qt::AlignHCenter | Qt::AlignVCenter);
    }
    return {left, y, at.barWidth, base - y};
}

int MemoryChart::itemAt(const Canvas& canvas, const QRectF& area, QPointF point) const
{
    const Layout at = layout(canvas, area);
    if (!at.plot.adjusted(0, 0, 0, canvas.px(20)).contains(point))
        return -1;
    const int item = static_cast<int>((point.x() - at.plot.left()) / at.slot);
    return item < itemCount() ? item : -1;
}

QPointF MemoryChart::itemAnchor(const Canvas& canvas, const QRectF& area, int item) const
{
    const Layout at = layout(canvas, area);
    return {at.plot.left() + at.slot * (item + 0.5), at.plot.top() + at.plot.height() / 2};
}

} // namespace prism::ui
