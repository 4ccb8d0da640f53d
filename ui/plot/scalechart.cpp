// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/scalechart.h"

#include "ui/plot/ticks.h"
#include "ui/look/format.h"

#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {

/// p95 to p99 lies beyond the band of p50 to p95: fainter, but seen on a dark panel too.
constexpr double kOuterBandOpacity = 0.15;

} // namespace

void ScaleChart::setData(const ScaleData& data)
{
    m_data = data;
    m_gpus.clear();
    for (const ScaleSeries& series : m_data.series)
        for (const ScaleSample& sample : series.samples)
            if (sample.gpus > 0)
                m_gpus.push_back(sample.gpus);
    std::sort(m_gpus.begin(), m_gpus.end());
    m_gpus.erase(std::unique(m_gpus.begin(), m_gpus.end()), m_gpus.end());
    dataChanged();
}

TableData ScaleChart::asTable() const
{
    const QString unit = m_data.unit.isEmpty() ? QString() : u" [%1]"_s.arg(m_data.unit);
    TableData table;
    table.header = {u"scenario"_s, u"GPUs"_s};
    if (m_data.hasSpread)
        table.header << u"p5"_s + unit << u"p50"_s + unit << u"p50 half-width 95 %"_s + unit << u"p95"_s + unit
                     << u"p95 half-width 95 %"_s + unit << u"p99"_s + unit;
    else
        table.header << m_data.quantity + unit;
    table.header << u"note"_s;
    table.names = {0};
    for (const ScaleSeries& series : m_data.series)
        for (const ScaleSample& s : series.samples) {
            QStringList row{series.name, QString::number(static_cast<qint64>(s.gpus))};
            const auto put = [&](double value) { row << (s.valid ? tableNumber(value) : QString()); };
            if (m_data.hasSpread)
                for (const double value : {s.low, s.middle, s.middleHalfWidth, s.high, s.highHalfWidth, s.top})
                    put(value);
            else
                put(s.middle);
            table.rows << (row << (s.possible && !s.outside ? QString() : s.reading.join(u' ')));
        }
    return table;
}

QStringList ScaleChart::itemReading(int item) const
{
    if (item < 0 || item >= itemCount())
        return {};
    const double gpus = m_gpus[static_cast<std::size_t>(item)];
    QStringList lines{format::count(static_cast<std::int64_t>(gpus)) + u" GPUs"_s};
    for (const ScaleSeries& series : m_data.series)
        for (const ScaleSample& s : series.samples) {
            if (s.gpus != gpus)
                continue;
            const QString prefix = m_data.series.size() > 1 ? series.name + u": "_s : QString();
            const QString unit = m_data.unit.isEmpty() ? QString() : u' ' + m_data.unit;
            if (s.valid && m_data.hasSpread)
                lines << u"%1p50 %2%5, p95 %3%5, p99 %4%5"_s.arg(prefix, format::number(s.middle), format::number(s.high),
                                                                 format::number(s.top), unit);
            else if (s.valid)
                lines << u"%1%2 %3%4"_s.arg(prefix, m_data.quantity, format::number(s.middle), unit);
            else
                lines << prefix + u"not possible"_s;
            lines << s.reading;
        }
    return lines;
}

bool ScaleChart::any(bool (*is)(const ScaleSample&)) const
{
    return std::any_of(m_data.series.begin(), m_data.series.end(),
                       [is](const ScaleSeries& series) { return std::any_of(series.samples.begin(), series.samples.end(), is); });
}

QList<LegendEntry> ScaleChart::legend(const Look& look) const
{
    QList<LegendEntry> entries;
    for (const ScaleSeries& series : m_data.series) {
        const QColor color = look.palette().seriesAt(series.series);
        const QString name = m_data.series.size() > 1 ? series.name + u", "_s : QString();
        if (m_data.hasSpread) {
            entries << LegendEntry{LegendEntry::Mark::line, color, {}, {}, name + u"p50"_s};
            entries << LegendEntry{
                LegendEntry::Mark::box, blend(color, look[Role::panel], metric::bandOpacity), {}, {}, name + u"p50 to p95"_s};
            entries << LegendEntry{
                LegendEntry::Mark::box, blend(color, look[Role::panel], kOuterBandOpacity), {}, {}, name + u"p95 to p99"_s};
        } else {
            entries << LegendEntry{LegendEntry::Mark::line, color, {}, {}, series.name};
        }
    }
    if (!m_data.ideal.isEmpty())
        entries << LegendEntry{LegendEntry::Mark::line,
                               look[Role::textSecondary],
                               {},
                               {},
                               u"linear from %1 GPUs"_s.arg(format::count(static_cast<std::int64_t>(m_data.ideal.front().x()))),
                               {4, 2}};
    const QColor ground = look[Role::panel], lines = look[Role::hatch];
    if (any([](const ScaleSample& s) { return !s.possible; }))
        entries << LegendEntry{LegendEntry::Mark::hatchedBox, look[Role::derivedField], lines, kMissingHatch, u"not possible"_s};
    if (any([](const ScaleSample& s) { return s.outside; }))
        entries << LegendEntry{LegendEntry::Mark::hatchedBox, ground, lines, kUncalibratedHatch, u"outside of the calibration"_s};
    return entries;
}

std::optional<Reach> ScaleChart::ownReach() const
{
    Reach own{std::numeric_limits<double>::infinity(), 0};
    for (const ScaleSeries& series : m_data.series)
        for (const ScaleSample& s : series.samples) {
            if (!s.valid)
                continue;
            const double top = m_data.hasSpread ? std::max(s.top, s.high + s.highHalfWidth) : s.middle + s.middleHalfWidth;
            const double bottom = s.middle - s.middleHalfWidth;
            if (std::isfinite(top))
                own.high = std::max(own.high, top);
            if (std::isfinite(bottom))
                own.low = std::min(own.low, bottom);
        }
    for (const QPointF& p : m_data.ideal)
        own = {std::min(own.low, p.y()), std::max(own.high, p.y())};
    own = {own.low / m_data.perUnit, own.high / m_data.perUnit};
    return std::isfinite(own.low) && own.high > 0 ? std::optional(own) : std::nullopt;
}

AxisRange ScaleChart::valueRange() const
{
    Reach all = ownReach().value_or(Reach{0, 1});
    if (reach())
        all = {std::min(all.low, reach()->low), std::max(all.high, reach()->high)};
    const double low = all.low * m_data.perUnit, high = all.high * m_data.perUnit;
    if (m_data.logarithmic && low > 0)
        return coveringLogRange(low, high);
    AxisRange range;
    range.low = m_data.fromZero ? 0 : std::max(0.0, low - 0.1 * (high - low) - 1e-9 * high);
    const Ticks ticks = niceTicks(range.low, high + (high - range.low) * 0.06, 7);
    if (!ticks.values.empty()) {
        range.low = m_data.fromZero ? 0 : std::floor(range.low / ticks.step) * ticks.step;
        range.high = std::ceil((high + (high - range.low) * 0.02) / ticks.step) * ticks.step;
    } else {
        range.high = high * 1.1;
    }
    if (!(range.high > range.low))
        range.high = range.low + 1;
    return range;
}

Ticks ScaleChart::valueTicks(const AxisRange& range, int largest) const
{
    return range.logarithmic ? logTicks(range.low, range.high) : niceTicks(range.low, range.high, largest);
}

Axes ScaleChart::layout(const Canvas& canvas, const QRectF& area) const
{
    Axes at;
    at.y = valueRange();
    const double labels = yAxisWidth(canvas, valueTicks(at.y, 7)) + canvas.px(2);
    at.plot = QRectF(QPointF(area.left() + labels, area.top() + canvas.px(42)),
                     QPointF(area.right() - canvas.px(20), area.bottom() - canvas.px(40)));
    const double margin = std::exp2(0.15); // a factor on both sides of the sizes
    if (!m_gpus.empty())
        at.x = {m_gpus.front() / margin, m_gpus.back() * margin, true};
    return at;
}

void ScaleChart::paintAxes(Canvas& canvas, const QRectF& area, const Axes& at) const
{
    const Look& look = canvas.look;
    const Ticks ticks = valueTicks(at.y, std::max(3, static_cast<int>(at.plot.height() / canvas.px(44))));
    for (const double value : ticks.values) {
        const double y = at.py(value);
        canvas.horizontal(at.plot.left(), at.plot.right(), y, look.pen(value == at.y.low ? Role::axis : Role::grid));
        canvas.text({at.plot.left() - canvas.px(8), y}, ticks.label(value), Type::tick, Role::textSecondary,
                    Qt::AlignRight | Qt::AlignVCenter);
    }
    canvas.horizontal(at.plot.left(), at.plot.right(), at.plot.bottom(), look.pen(Role::axis));
    const QString unit = (m_data.unit.isEmpty() ? QString() : u", "_s + m_data.unit) + (at.y.logarithmic ? u", log scale"_s : QString());
    canvas.text({area.left(), area.top() + canvas.px(6)}, m_data.quantity + unit, Type::tick, Role::textSecondary,
                Qt::AlignLeft | Qt::AlignVCenter);
    double last = -1e9;
    for (const double gpus : m_gpus) {
        const double x = at.px(gpus);
        canvas.vertical(x, at.plot.bottom(), at.plot.bottom() + canvas.px(4), look.pen(Role::axis));
        const QString label = format::count(static_cast<std::int64_t>(gpus));
        if (const double half = canvas.width(label, Type::tick) / 2; x - half > last + canvas.px(8)) {
            canvas.text({x, at.plot.bottom() + canvas.px(8)}, label, Type::tick, Role::textSecondary, Qt::AlignHCenter | Qt::AlignTop);
            last = x + half;
        }
    }
    canvas.text({at.plot.center().x(), at.plot.bottom() + canvas.px(24)}, u"GPUs, log scale"_s, Type::tick, Role::textSecondary,
                Qt::AlignHCenter | Qt::AlignTop);
    if (m_data.currentGpus > 0 && !m_gpus.empty() && m_data.currentGpus >= m_gpus.front() && m_data.currentGpus <= m_gpus.back()) {
        const double x = at.px(m_data.currentGpus);
        canvas.vertical(x, at.plot.top(), at.plot.bottom(), look.pen(Role::text, metric::limitLine));
        canvas.flag(x, at.plot.top(), m_data.currentLabel, at.plot.left(), at.plot.right() + canvas.px(20));
    }
}

void ScaleChart::paintReservations(Canvas& canvas, const Axes& at, const ScaleSeries& series)
{
    const double half = canvas.px(6);
    for (std::size_t i = 0; i < series.samples.size(); ++i) {
        const ScaleSample& s = series.samples[i];
        const double x = at.px(s.gpus);
        const auto column = [&](double from, double to) { return QRectF(from, at.plot.top(), to - from, at.plot.height()); };
        if (!s.possible) {
            canvas.fill(column(x - half, x + half), canvas.look[Role::derivedField]);
            canvas.hatch(column(x - half, x + half), kMissingHatch, Role::hatch);
        }
        if (!s.outside)
            continue;
        const auto middle = [&](std::size_t other) { return (x + at.px(series.samples[other].gpus)) / 2; };
        canvas.hatch(column(i > 0 ? middle(i - 1) : x - half, i + 1 < series.samples.size() ? middle(i + 1) : x + half), kUncalibratedHatch,
                     Role::hatch);
    }
}

void ScaleChart::paintSeries(Canvas& canvas, const Axes& at, const ScaleSeries& series) const
{
    const Look& look = canvas.look;
    const QColor color = look.palette().seriesAt(series.series);
    std::vector<const ScaleSample*> valid;
    for (const ScaleSample& s : series.samples)
        if (s.valid)
            valid.push_back(&s);
    if (valid.empty())
        return;
    const auto line = [&](double ScaleSample::*value) {
        QPainterPath path;
        for (std::size_t i = 0; i < valid.size(); ++i) {
            const QPointF point(at.px(valid[i]->gpus), at.py(valid[i]->*value));
            i == 0 ? path.moveTo(point) : path.lineTo(point);
        }
        return path;
    };
    const auto band = [&](double ScaleSample::*from, double ScaleSample::*to, double opacity) {
        QPainterPath path = line(from);
        path.connectPath(line(to).toReversed());
        path.closeSubpath();
        QColor fill = color;
        fill.setAlphaF(static_cast<float>(opacity));
        canvas.painter.fillPath(path, fill);
    };
    if (m_data.hasSpread) {
        band(&ScaleSample::middle, &ScaleSample::high, metric::bandOpacity);
        band(&ScaleSample::high, &ScaleSample::top, kOuterBandOpacity);
        canvas.painter.setBrush(Qt::NoBrush);
        QPen thin = look.seriesPen(series.series);
        thin.setWidthF(canvas.px(1));
        canvas.painter.setPen(thin);
        canvas.painter.drawPath(line(&ScaleSample::high));
    }
    canvas.painter.setBrush(Qt::NoBrush);
    canvas.painter.setPen(look.seriesPen(series.series, series.baseline));
    canvas.painter.drawPath(line(&ScaleSample::middle));
    for (const ScaleSample* s : valid) {
        const double x = at.px(s->gpus);
        const auto whisker = [&](double value, double halfWidth) {
            const double top = at.py(value + halfWidth), bottom = at.py(value - halfWidth);
            if (halfWidth <= 0 || bottom - top < canvas.px(5))
                return;
            canvas.vertical(x, top, bottom, look.pen(Role::text));
            canvas.horizontal(x - canvas.px(3), x + canvas.px(3), top, look.pen(Role::text));
            canvas.horizontal(x - canvas.px(3), x + canvas.px(3), bottom, look.pen(Role::text));
        };
        whisker(s->middle, s->middleHalfWidth);
        if (m_data.hasSpread)
            whisker(s->high, s->highHalfWidth);
        canvas.painter.setPen(QPen(color, canvas.px(1.5)));
        canvas.painter.setBrush(look[Role::panel]);
        canvas.painter.drawEllipse(QPointF(x, at.py(s->middle)), canvas.px(3), canvas.px(3));
    }
}

void ScaleChart::paintPlot(Canvas& canvas, const QRectF& area, bool interactive) const
{
    if (m_gpus.empty())
        return;
    const Axes at = layout(canvas, area);
    for (const ScaleSeries& series : m_data.series)
        paintReservations(canvas, at, series);
    paintAxes(canvas, area, at);
    QPolygonF ideal;
    for (const QPointF& p : m_data.ideal)
        ideal << at.place(p.x(), p.y());
    paintLine(canvas, at, ideal, canvas.look.pen(Role::textSecondary, metric::line, Qt::DashLine));
    for (const ScaleSeries& series : m_data.series)
        paintSeries(canvas, at, series);
    if (!interactive)
        return;
    const int item = hoverItem() >= 0 ? hoverItem() : hasFocus() ? focusItem() : -1;
    if (item >= 0)
        canvas.vertical(at.px(m_gpus[static_cast<std::size_t>(item)]), at.plot.top(), at.plot.bottom(), canvas.look.pen(Role::accent, 1));
}

int ScaleChart::itemAt(const Canvas& canvas, const QRectF& area, QPointF point) const
{
    const Axes at = layout(canvas, area);
    if (!at.plot.adjusted(-10, 0, 10, 20).contains(point))
        return -1;
    int best = -1;
    double distance = 1e300;
    for (int i = 0; i < itemCount(); ++i)
        if (const double d = std::abs(at.px(m_gpus[static_cast<std::size_t>(i)]) - point.x()); d < distance) {
            distance = d;
            best = i;
        }
    return best;
}

QPointF ScaleChart::itemAnchor(const Canvas& canvas, const QRectF& area, int item) const
{
    const Axes at = layout(canvas, area);
    return {at.px(m_gpus[static_cast<std::size_t>(item)]), at.plot.top() + canvas.px(20)};
}

} // namespace prism::ui
