// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/enddates.h"

#include "ui/look/dates.h"
#include "ui/look/format.h"

#include <QKeyEvent>
#include <QLocale>
#include <QMouseEvent>

#include <algorithm>
#include <cmath>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr double kLane = 34, kReach = 8; // pixels at scale 1

/// Value of each bar: its share, or all up to it.
std::vector<double> heights(const EndDates& d)
{
    std::vector<double> shares;
    double sum = 0;
    for (const DayShare& bar : d.bars)
        shares.push_back(d.cumulative ? sum += bar.share : bar.share);
    return shares;
}

double endOf(const EndDates& d, std::size_t bar)
{
    return d.bars[bar].day + d.daysPerBar;
}

QString percentLabel(double share)
{
    return share < 0.0005 ? QString() : format::fixed(share * 100, share < 0.00995 ? 1 : 0);
}

void paintBars(Canvas& canvas, const EndDates& d, const Axes& axes)
{
    const std::vector<double> shares = heights(d);
    const QColor full = canvas.look.palette().seriesAt(d.series), tint = canvas.look.palette().tint(full);
    const double slot = axes.plot.width() / static_cast<double>(d.bars.size()), gap = std::min(canvas.px(2), slot * 0.15);
    const bool labelled = slot >= canvas.width(u"00"_s, Type::tick) + canvas.px(4);
    for (std::size_t i = 0; i < d.bars.size(); ++i) {
        const double left = axes.px(d.bars[i].day), top = axes.py(shares[i]);
        const bool late = d.deadlineDays > 0 && endOf(d, i) > d.deadlineDays + 1e-9;
        const QRectF bar(QPointF(left + gap, top), QPointF(left + slot - gap, axes.plot.bottom()));
        canvas.fill(bar, late ? canvas[Role::grey] : d.bars[i].holdsMedian ? full : tint);
        if (labelled && (!d.cumulative || i + 1 == d.bars.size() || shares[i] < 0.9995))
            canvas.text({bar.center().x(), top - canvas.px(4)}, percentLabel(shares[i]),
                        d.bars[i].holdsMedian ? Type::tickStrong : Type::tick, d.bars[i].holdsMedian ? Role::text : Role::textSecondary,
                        Qt::AlignHCenter | Qt::AlignBaseline);
    }
}

/// Day of the month under each bar that has room, and the months under the first of theirs; numbers of days without a calendar.
void paintDays(Canvas& canvas, const EndDates& d, const Axes& axes)
{
    const double slot = axes.plot.width() / static_cast<double>(d.bars.size());
    const double need = canvas.width(u"000"_s, Type::tick) + canvas.px(4);
    const auto every = static_cast<std::size_t>(std::max(1.0, std::ceil(need / slot)));
    const double first = axes.plot.bottom() + canvas.px(6), second = first + canvas.lineHeight(Type::tick) + canvas.px(1);
    canvas.horizontal(axes.plot.left(), axes.plot.right(), axes.plot.bottom(), canvas.look.pen(Role::axis));
    QString month;
    double monthRight = -1e9;
    for (std::size_t i = 0; i < d.bars.size(); ++i) {
        const double x = axes.px(d.bars[i].day) + slot / 2;
        const QDate date = format::dateAfter(d.start, d.bars[i].day);
        if (i % every == 0)
            canvas.text({x, first}, date.isValid() ? QString::number(date.day()) : QString::number(d.bars[i].day),
                        d.bars[i].holdsMedian ? Type::tickStrong : Type::tick, d.bars[i].holdsMedian ? Role::text : Role::textSecondary,
                        Qt::AlignHCenter | Qt::AlignTop);
        const QString now = date.isValid() ? QLocale::c().toString(date, u"MMMM yyyy"_s) : QString();
        if (now.isEmpty() || now == month)
            continue;
        month = now;
        const double left = std::min(x - slot / 2, axes.plot.right() - canvas.width(now, Type::tick));
        if (left > monthRight + canvas.px(8)) {
            canvas.text({left, second}, now, Type::tick, Role::textSecondary, Qt::AlignLeft | Qt::AlignTop);
            monthRight = left + canvas.width(now, Type::tick);
        }
    }
    if (d.start.empty())
        canvas.text({axes.plot.center().x(), second}, QObject::tr("Days since the start"), Type::tick, Role::textSecondary,
                    Qt::AlignHCenter | Qt::AlignTop);
}

void paintDeadline(Canvas& canvas, const QRectF& area, const EndDates& d, const Axes& axes)
{
    const double lane = axes.plot.top() - canvas.px(10), x = std::clamp(axes.px(d.deadlineDays), axes.plot.left(), axes.plot.right());
    canvas.vertical(x, lane, axes.plot.bottom(), canvas.look.pen(Role::text, metric::limitLine));
    canvas.fill(QRectF(x - canvas.px(3), axes.plot.bottom() - 1, canvas.px(6), canvas.px(5)), canvas[Role::text]);
    const QRectF box = canvas.flag(x, lane, d.flag, area.left() + canvas.width(QObject::tr("Share of runs, %"), Type::tick) + canvas.px(10),
                                   area.right(), Type::bodyStrong);
    if (box.right() + canvas.px(10) + canvas.width(d.flagNote, Type::tick) <= area.right())
        canvas.text({box.right() + canvas.px(10), box.center().y()}, d.flagNote, Type::tick, Role::textSecondary,
                    Qt::AlignLeft | Qt::AlignVCenter);
}

} // namespace

Axes endDateAxes(const Canvas& canvas, const QRectF& area, const EndDates& data)
{
    double highest = 0.01;
    for (const double share : heights(data))
        highest = std::max(highest, share);
    const Ticks ticks = niceTicks(0, highest * 100, 4);
    const double head = data.deadlineDays > 0 ? canvas.px(kLane) : yAxisHead(canvas);
    Axes axes;
    axes.plot = area.adjusted(yAxisWidth(canvas, ticks), head, -canvas.px(2), -xAxisHeight(canvas));
    axes.x =
        data.bars.empty() ? AxisRange{0, 1, false} : AxisRange{double(data.bars.front().day), endOf(data, data.bars.size() - 1), false};
    axes.y = {0, highest * 1.12, false};
    return axes;
}

void paintEndDates(Canvas& canvas, const QRectF& area, const EndDates& data)
{
    if (data.bars.empty())
        return;
    const Axes axes = endDateAxes(canvas, area, data);
    const Ticks ticks = niceTicks(0, axes.y.high / 1.12 * 100, 4);
    if (data.deadlineDays > 0) {
        const double x = std::clamp(axes.px(data.deadlineDays), axes.plot.left(), axes.plot.right());
        canvas.fill(QRectF(QPointF(x, axes.plot.top()), axes.plot.bottomRight()), canvas[Role::beyondLimit]);
    }
    paintYAxis(canvas, axes, {ticks, QObject::tr("Share of runs, %"), 100}, area.left());
    paintBars(canvas, data, axes);
    paintDays(canvas, data, axes);
    if (data.deadlineDays > 0)
        paintDeadline(canvas, area, data, axes);
}

double EndDateChart::shareOf(std::size_t bar) const
{
    return heights(m_data)[bar];
}

TableData EndDateChart::asTable() const
{
    TableData table;
    table.header = {u"day"_s, u"date"_s, u"share of runs"_s};
    for (const DayShare& bar : m_data.bars)
        table.rows << QStringList{QString::number(bar.day), QString::fromStdString(bar.date), tableNumber(bar.share)};
    return table;
}

QStringList EndDateChart::itemReading(int item) const
{
    if (item < 0 || item >= itemCount())
        return {};
    const auto bar = static_cast<std::size_t>(item);
    const QString day = format::dayOfRun(m_data.start, m_data.bars[bar].day);
    return {day, m_data.cumulative ? tr("%1 of the runs are done by then").arg(format::percent(shareOf(bar)))
                                   : tr("%1 of the runs end").arg(format::percent(shareOf(bar)))};
}

void EndDateChart::paintPlot(Canvas& canvas, const QRectF& area, bool /*paper*/) const
{
    paintEndDates(canvas, area, m_data);
}

int EndDateChart::itemAt(const Canvas& canvas, const QRectF& area, QPointF at) const
{
    const Axes axes = endDateAxes(canvas, area, m_data);
    if (m_data.bars.empty() || !axes.plot.contains(at))
        return -1;
    return std::clamp(static_cast<int>((axes.xAt(at.x()) - m_data.bars.front().day) / m_data.daysPerBar), 0, itemCount() - 1);
}

QPointF EndDateChart::itemAnchor(const Canvas& canvas, const QRectF& area, int item) const
{
    const Axes axes = endDateAxes(canvas, area, m_data);
    const auto bar = static_cast<std::size_t>(item);
    return axes.place(m_data.bars[bar].day + 0.5 * m_data.daysPerBar, shareOf(bar));
}

bool EndDateChart::nearDeadline(QPointF at) const
{
    if (!(m_data.deadlineDays > 0) || m_data.bars.empty())
        return false;
    return measured([&](const Canvas& canvas, const QRectF& area) {
        const Axes axes = endDateAxes(canvas, area, m_data);
        const double elsewhere = std::abs(at.x() - std::clamp(axes.px(m_data.deadlineDays), axes.plot.left(), axes.plot.right()));
        const bool inLane = at.y() >= area.top() && at.y() <= axes.plot.top() && elsewhere < canvas.width(m_data.flag, Type::bodyStrong);
        return inLane || (axes.plot.contains(at) && elsewhere < canvas.px(kReach));
    });
}

void EndDateChart::mousePressEvent(QMouseEvent* event)
{
    m_dragging = event->button() == Qt::LeftButton && theme().isEditable() && nearDeadline(event->position());
    if (!m_dragging)
        PlotBase::mousePressEvent(event);
}

void EndDateChart::mouseMoveEvent(QMouseEvent* event)
{
    if (!m_dragging) {
        setCursor(theme().isEditable() && nearDeadline(event->position()) ? Qt::SizeHorCursor : Qt::ArrowCursor);
        return PlotBase::mouseMoveEvent(event);
    }
    const double days =
        measured([&](const Canvas& canvas, const QRectF& area) { return endDateAxes(canvas, area, m_data).xAt(event->position().x()); });
    if (const double end = std::round(days); end >= 1)
        Q_EMIT deadlineMoved(end);
}

void EndDateChart::mouseReleaseEvent(QMouseEvent* event)
{
    if (m_dragging)
        Q_EMIT deadlineReleased();
    m_dragging = false;
    PlotBase::mouseReleaseEvent(event);
}

void EndDateChart::keyPressEvent(QKeyEvent* event)
{
    const int step = event->key() == Qt::Key_Left ? -1 : event->key() == Qt::Key_Right ? 1 : 0;
    if (step == 0 || !(event->modifiers() & Qt::ShiftModifier) || !(m_data.deadlineDays + step >= 1))
        return PlotBase::keyPressEvent(event);
    Q_EMIT deadlineMoved(std::floor(m_data.deadlineDays) + step);
    Q_EMIT deadlineReleased();
}

} // namespace prism::ui
