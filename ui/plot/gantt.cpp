#include "ui/plot/gantt.h"

#include "ui/plot/ticks.h"
#include "ui/theme/format.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr double kZoomStep = 1.25;
constexpr double kSmallestView = 1e-4; // of the step

enum class Fill { forward0, forward1, backward0, backward1, weight0, weight1, communication, optimizer };

Fill fillOf(const TimelineSpan& span)
{
    const bool odd = span.chunk % 2 == 1;
    switch (span.kind) {
    case SpanKind::forward: return odd ? Fill::forward1 : Fill::forward0;
    case SpanKind::backward: return odd ? Fill::backward1 : Fill::backward0;
    case SpanKind::weight: return odd ? Fill::weight1 : Fill::weight0;
    case SpanKind::optimizer: return Fill::optimizer;
    default: return Fill::communication;
    }
}

QColor colorOf(Fill fill, const Look& look)
{
    const Palette& p = look.palette();
    switch (fill) {
    case Fill::forward0: return p.forward[0];
    case Fill::forward1: return p.forward[1];
    case Fill::backward0: return p.backward[0];
    case Fill::backward1: return p.backward[1];
    case Fill::weight0: return p.weight[0];
    case Fill::weight1: return p.weight[1];
    case Fill::optimizer: return p.optimizer;
    case Fill::communication: return p[Role::commFill];
    }
    return p[Role::grey];
}

QString kindText(const TimelineSpan& span)
{
    switch (span.kind) {
    case SpanKind::forward: return u"Forward"_s;
    case SpanKind::backward: return u"Backward"_s;
    case SpanKind::weight: return u"Weight gradient"_s;
    case SpanKind::send: return u"Send to stage %1"_s.arg(span.toStage);
    case SpanKind::embeddingAllReduce: return u"Embedding all-reduce"_s;
    case SpanKind::gradSync: return u"Gradient synchronisation"_s;
    case SpanKind::gradNorm: return u"Gradient norm"_s;
    case SpanKind::optimizer: return u"Optimizer"_s;
    case SpanKind::paramGather: return u"Parameter all-gather"_s;
    case SpanKind::bubble: return u"Bubble"_s;
    }
    return {};
}

} // namespace

void GanttChart::setTimeline(std::shared_ptr<const Timeline> timeline)
{
    m_timeline = std::move(timeline);
    m_stageSpans.assign(m_timeline ? static_cast<std::size_t>(std::max(m_timeline->stages, 0)) : 0, {0, 0});
    if (m_timeline) {
        for (std::size_t i = 0; i < m_timeline->spans.size(); ++i) {
            const auto stage = static_cast<std::size_t>(m_timeline->spans[i].stage);
            if (stage >= m_stageSpans.size())
                continue;
            auto& [first, last] = m_stageSpans[stage];
            if (last == 0)
                first = i;
            last = i + 1;
        }
    }
    m_start = 0;
    m_end = wholeSeconds();
    setBrushed(m_brushedStage, m_brushedName);
    dataChanged();
}

void GanttChart::setBrushed(int stage, const QString& kernelClass)
{
    m_brushedStage = stage;
    m_brushedName = kernelClass;
    m_brushedClass = -1;
    if (m_timeline && !kernelClass.isEmpty()) {
        const auto& names = m_timeline->classNames;
        const auto found = std::find(names.begin(), names.end(), kernelClass.toStdString());
        m_brushedClass = found == names.end() ? -1 : static_cast<int>(found - names.begin());
    }
    update();
}

std::optional<Reach> GanttChart::ownReach() const
{
    return m_timeline && m_timeline->stepSeconds > 0 ? std::optional(Reach{0, m_timeline->stepSeconds}) : std::nullopt;
}

double GanttChart::wholeSeconds() const
{
    const std::optional<Reach> own = ownReach();
    return std::max(own ? own->high : 0.0, reach() ? reach()->high : own ? 0.0 : 1.0);
}

void GanttChart::setView(double startSeconds, double endSeconds)
{
    const double step = wholeSeconds();
    const double length = std::clamp(endSeconds - startSeconds, step * kSmallestView, step);
    m_start = std::clamp(startSeconds, 0.0, step - length);
    m_end = m_start + length;
    Q_EMIT viewChanged();
    update();
}

void GanttChart::resetView()
{
    setView(0, wholeSeconds());
}

TableData GanttChart::asTable() const
{
    TableData table;
    table.header = {u"stage"_s, u"kind"_s, u"chunk"_s, u"micro-batch"_s, u"kernel class"_s, u"start [s]"_s, u"end [s]"_s, u"critical"_s};
    if (!m_timeline)
        return table;
    for (const TimelineSpan& span : m_timeline->spans) {
        const bool named = span.kernelClass >= 0 && span.kernelClass < static_cast<int>(m_timeline->classNames.size());
        table.rows << QStringList{QString::number(span.stage), kindText(span), span.chunk < 0 ? QString() : QString::number(span.chunk),
                                  span.microbatch < 0 ? QString() : QString::number(span.microbatch),
                                  named ? QString::fromStdString(m_timeline->classNames[static_cast<std::size_t>(span.kernelClass)]) : QString(),
                                  tableNumber(span.startSeconds), tableNumber(span.endSeconds), span.critical ? u"yes"_s : u"no"_s};
    }
    return table;
}

QStringList GanttChart::itemReading(int item) const
{
    if (!m_timeline || item < 0 || item >= itemCount())
        return {};
    const TimelineSpan& span = m_timeline->spans[static_cast<std::size_t>(item)];
    QString where = u"Stage %1"_s.arg(span.stage);
    if (span.microbatch >= 0)
        where += u", micro-batch %1"_s.arg(span.microbatch);
    if (span.chunk >= 0 && m_timeline->chunks > 1)
        where += u", chunk %1"_s.arg(span.chunk);
    QStringList lines{kindText(span) + u", "_s + format::seconds(span.endSeconds - span.startSeconds).text(), where,
                      u"from %1 to %2"_s.arg(format::seconds(span.startSeconds).text(), format::seconds(span.endSeconds).text())};
    for (std::size_t i = 0; i < std::min<std::size_t>(span.parts.size(), 4); ++i) {
        const SpanPart& part = span.parts[i];
        if (part.kernelClass >= 0 && part.kernelClass < static_cast<int>(m_timeline->classNames.size()))
            lines << QString::fromStdString(m_timeline->classNames[static_cast<std::size_t>(part.kernelClass)]) + u' ' + format::seconds(part.seconds).text();
    }
    if (span.critical)
        lines << u"On the critical path"_s;
    return lines;
}

QList<LegendEntry> GanttChart::legend(const Look& look) const
{
    const Palette& p = look.palette();
    const bool chunks = m_timeline && m_timeline->chunks > 1;
    bool weights = false;
    if (m_timeline)
        weights = std::any_of(m_timeline->spans.begin(), m_timeline->spans.end(), [](const TimelineSpan& s) { return s.kind == SpanKind::weight; });
    const QString chunkNote = chunks ? (m_timeline->chunks == 2 ? u", chunk 0 and 1"_s : u", chunks even and odd"_s) : QString();
    const auto second = [&](const QColor& color) { return chunks ? color : QColor(); };
    QList<LegendEntry> entries{{LegendEntry::Mark::box, p.forward[0], second(p.forward[1]), {}, u"Forward"_s + chunkNote},
                               {LegendEntry::Mark::box, p.backward[0], second(p.backward[1]), {}, u"Backward"_s + chunkNote}};
    if (weights)
        entries << LegendEntry{LegendEntry::Mark::box, p.weight[0], second(p.weight[1]), {}, u"Weight gradient"_s};
    entries << LegendEntry{LegendEntry::Mark::hatchedBox, p[Role::commFill], p[Role::comm], kCommunicationHatch, u"Communication"_s}
            << LegendEntry{LegendEntry::Mark::box, p.optimizer, {}, {}, u"Optimizer"_s}
            << LegendEntry{LegendEntry::Mark::hatchedBox, p[Role::panel], p[Role::bubble], kBubbleHatch, u"Bubble"_s}
            << LegendEntry{LegendEntry::Mark::outlinedBox, {}, p[Role::text], {}, u"Critical path"_s};
    return entries;
}

GanttChart::Layout GanttChart::layout(const Canvas& canvas, const QRectF& area) const
{
    Layout at;
    const int stages = m_timeline ? std::max(m_timeline->stages, 1) : 1;
    const double left = area.left() + canvas.px(44), top = area.top() + canvas.px(14), bottom = area.bottom() - canvas.px(38);
    const double height = std::max(bottom - top, canvas.px(20));
    at.rowHeight = std::min(height / stages, std::max(canvas.px(44), height * 0.25));
    at.rows = QRectF(left, top, std::max(area.right() - canvas.px(12) - left, canvas.px(40)), at.rowHeight * stages);
    at.start = m_start;
    at.perSecond = at.rows.width() / std::max(m_end - m_start, 1e-12);
    return at;
}

bool GanttChart::isDimmed(const TimelineSpan& span) const
{
    if (m_brushedClass < 0)
        return false;
    if (span.kernelClass == m_brushedClass)
        return false;
    return std::none_of(span.parts.begin(), span.parts.end(), [this](const SpanPart& p) { return p.kernelClass == m_brushedClass; });
}

void GanttChart::paintStage(Canvas& canvas, const Layout& at, int stage) const
{
    const auto [first, last] = m_stageSpans[static_cast<std::size_t>(stage)];
    const QRectF row = at.row(stage);
    const double gap = at.rowHeight >= canvas.px(8) ? canvas.px(1.5) : 0;
    const double top = row.top() + gap, height = row.height() - 2 * gap;
    const Look& look = canvas.look;

    struct Run {
        Fill fill = Fill::forward0;
        double left = 0, right = 0;
        bool dimmed = false, open = false;
    } run;
    const auto flush = [&] {
        if (!run.open)
            return;
        QRectF rect(QPointF(run.left, top), QPointF(std::max(run.right, run.left + 0.5), top + height));
        if (rect.width() >= canvas.px(4))
            rect.setRight(rect.right() - 1); // a seam between neighbours
        QColor fill = colorOf(run.fill, look);
        if (run.dimmed)
            fill = blend(fill, look[Role::panel], 0.25);
        canvas.fill(rect, fill);
        if (run.fill == Fill::communication && rect.width() >= canvas.px(2)) {
            const QColor line = run.dimmed ? blend(look[Role::comm], look[Role::panel], 0.25) : look[Role::comm];
            look.drawHatch(canvas.painter, rect, kCommunicationHatch, line, canvas.isVector());
        }
        ++m_painted;
        run.open = false;
    };
    canvas.painter.setRenderHint(QPainter::Antialiasing, canvas.isVector());
    for (std::size_t i = first; i < last; ++i) {
        const TimelineSpan& span = m_timeline->spans[i];
        if (span.stage != stage || span.kind == SpanKind::bubble || span.kind == SpanKind::send || span.endSeconds < m_start || span.startSeconds > m_end)
            continue;
        const double left = std::max(at.x(span.startSeconds), row.left()), right = std::min(at.x(span.endSeconds), row.right());
        const Fill fill = fillOf(span);
        const bool dimmed = isDimmed(span);
        const bool thin = right - left < 1.5;
        if (run.open && run.fill == fill && run.dimmed == dimmed && thin && run.right - run.left < 64 && left - run.right < 0.5) {
            run.right = std::max(run.right, right);
            continue;
        }
        flush();
        run = {fill, left, right, dimmed, true};
    }
    flush();
    canvas.painter.setRenderHint(QPainter::Antialiasing, true);

    // Overlapped sends have a lane of their own at the lower edge, once there is room to see them.
    if (at.rowHeight < canvas.px(18))
        return;
    for (std::size_t i = first; i < last; ++i) {
        const TimelineSpan& span = m_timeline->spans[i];
        const double left = std::max(at.x(span.startSeconds), row.left()), right = std::min(at.x(span.endSeconds), row.right());
        if (span.kind == SpanKind::send && right - left >= canvas.px(3)) {
            const QRectF lane(left, top + height - canvas.px(4), right - left, canvas.px(4));
            canvas.fill(lane, look[Role::commFill]);
            canvas.hatch(lane, kCommunicationHatch, Role::comm);
            ++m_painted;
        }
    }
}

void GanttChart::paintRows(Canvas& canvas, const Layout& at, bool interactive) const
{
    m_painted = 0;
    canvas.hatch(at.rows, kBubbleHatch, Role::bubble);
    const int stages = m_timeline->stages;
    const int stride = std::max(1, static_cast<int>(std::ceil(canvas.lineHeight(Type::tick) / at.rowHeight)));
    for (int stage = 0; stage < stages; ++stage) {
        const QRectF row = at.row(stage);
        if (stage > 0 && at.rowHeight >= canvas.px(6))
            canvas.horizontal(row.left(), row.right(), row.top(), canvas.look.pen(Role::panel, 2));
        const bool brushed = interactive && stage == m_brushedStage;
        if (brushed)
            canvas.fill(QRectF(row.left() - canvas.px(6), row.top() + 1, canvas.px(metric::brushBar), row.height() - 2), canvas[Role::accent]);
        if (stage % stride == 0)
            canvas.text({row.left() - canvas.px(12), row.center().y()}, QString::number(stage), brushed ? Type::tickStrong : Type::tick,
                        brushed ? Role::text : Role::textSecondary, Qt::AlignRight | Qt::AlignVCenter);
        paintStage(canvas, at, stage);
    }
}

void GanttChart::paintCritical(Canvas& canvas, const Layout& at) const
{
    struct Piece {
        int stage;
        double start, end;
    };
    std::vector<Piece> pieces;
    const double join = 1.5 / at.perSecond;
    for (int stage = 0; stage < m_timeline->stages; ++stage) {
        const auto [first, last] = m_stageSpans[static_cast<std::size_t>(stage)];
        bool open = false;
        for (std::size_t i = first; i < last; ++i) {
            const TimelineSpan& span = m_timeline->spans[i];
            if (!span.critical || span.kind == SpanKind::bubble || span.kind == SpanKind::send)
                continue;
            if (open && span.startSeconds - pieces.back().end <= join)
                pieces.back().end = std::max(pieces.back().end, span.endSeconds);
            else
                pieces.push_back({stage, span.startSeconds, span.endSeconds});
            open = true;
        }
    }
    std::sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) { return a.start != b.start ? a.start < b.start : a.stage < b.stage; });
    QPen pen = canvas.look.pen(Role::text, metric::limitLine);
    canvas.painter.save();
    canvas.painter.setClipRect(at.rows.adjusted(-2, -2, 2, 2), Qt::IntersectClip);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        const Piece& piece = pieces[i];
        const QRectF row = at.row(piece.stage);
        const double left = std::max(at.x(piece.start), at.rows.left() - 4), right = std::min(at.x(piece.end), at.rows.right() + 4);
        if (right > at.rows.left() && left < at.rows.right()) {
            const QRectF box(QPointF(canvas.centre(left), canvas.centre(row.top() + 1)), QPointF(canvas.centre(std::max(right, left + 2)), canvas.centre(row.bottom() - 1)));
            canvas.outline(box, pen);
        }
        // The path goes on on another stage: the hop at the time it arrives there.
        if (i + 1 < pieces.size() && pieces[i + 1].stage != piece.stage && pieces[i + 1].start >= piece.end - join) {
            const QRectF next = at.row(pieces[i + 1].stage);
            const bool down = next.top() > row.top();
            const double from = down ? row.bottom() - 1 : row.top() + 1, to = down ? next.top() + 1 : next.bottom() - 1;
            if (std::abs(to - from) > 3)
                canvas.vertical(at.x(pieces[i + 1].start), from, to, pen);
        }
    }
    canvas.painter.restore();
}

void GanttChart::paintAxis(Canvas& canvas, const QRectF& area, const Layout& at) const
{
    const format::TimeUnit unit = format::timeUnit(m_end);
    const Ticks ticks = niceTicks(m_start * unit.perSecond, m_end * unit.perSecond, std::max(3, static_cast<int>(at.rows.width() / canvas.px(90))));
    canvas.horizontal(at.rows.left(), at.rows.right(), at.rows.bottom() + canvas.px(3), canvas.look.pen(Role::axis));
    for (const double value : ticks.values) {
        const double x = at.x(value / unit.perSecond);
        canvas.vertical(x, at.rows.bottom() + canvas.px(3), at.rows.bottom() + canvas.px(7), canvas.look.pen(Role::axis));
        canvas.text({x, at.rows.bottom() + canvas.px(10)}, ticks.label(value), Type::tick, Role::textSecondary, Qt::AlignHCenter | Qt::AlignTop);
    }
    canvas.text({at.rows.center().x(), at.rows.bottom() + canvas.px(26)}, u"Time since the start of the step, "_s + unit.name, Type::tick, Role::textSecondary,
                Qt::AlignHCenter | Qt::AlignTop);
    canvas.text({area.left(), at.rows.top() - canvas.px(9)}, u"Stage"_s, Type::tick, Role::textSecondary, Qt::AlignLeft | Qt::AlignVCenter);
    if (const double end = at.x(m_timeline->stepSeconds); end <= at.rows.right() + 1) {
        canvas.vertical(end, at.rows.top() - canvas.px(3), at.rows.bottom() + canvas.px(3), canvas.look.pen(Role::text, metric::limitLine));
        canvas.text({end, at.rows.top() - canvas.px(11)}, format::seconds(m_timeline->stepSeconds).text(), Type::tickStrong, Role::text, Qt::AlignRight | Qt::AlignVCenter);
    }
}

void GanttChart::paintPlot(Canvas& canvas, const QRectF& area, bool interactive) const
{
    if (!m_timeline || m_timeline->stages <= 0)
        return;
    const Layout at = layout(canvas, area);
    paintRows(canvas, at, interactive);
    paintCritical(canvas, at);
    paintAxis(canvas, area, at);
    if (!interactive)
        return;
    const auto outlineItem = [&](int item) {
        if (item < 0 || item >= itemCount())
            return;
        const TimelineSpan& span = m_timeline->spans[static_cast<std::size_t>(item)];
        const QRectF row = at.row(span.stage);
        const double left = std::max(at.x(span.startSeconds), at.rows.left()), right = std::min(at.x(span.endSeconds), at.rows.right());
        if (right >= left)
            canvas.outline(QRectF(QPointF(left - 1, row.top()), QPointF(std::max(right, left + 2) + 1, row.bottom())), canvas.look.pen(Role::accent, metric::focusRing));
    };
    if (hasFocus())
        outlineItem(focusItem());
    if (hoverItem() >= 0)
        outlineItem(hoverItem());
}

int GanttChart::itemAt(const Canvas& canvas, const QRectF& area, QPointF point) const
{
    if (!m_timeline)
        return -1;
    const Layout at = layout(canvas, area);
    if (!at.rows.contains(point))
        return -1;
    const auto stage = static_cast<std::size_t>((point.y() - at.rows.top()) / at.rowHeight);
    if (stage >= m_stageSpans.size())
        return -1;
    const double seconds = m_start + (point.x() - at.rows.left()) / at.perSecond, slack = 1 / at.perSecond;
    int bubble = -1, near = -1;
    for (std::size_t i = m_stageSpans[stage].first; i < m_stageSpans[stage].second; ++i) {
        const TimelineSpan& span = m_timeline->spans[i];
        if (span.kind == SpanKind::send)
            continue;
        if (seconds >= span.startSeconds && seconds <= span.endSeconds) {
            if (span.kind != SpanKind::bubble)
                return static_cast<int>(i);
            bubble = static_cast<int>(i);
        } else if (span.kind != SpanKind::bubble && seconds >= span.startSeconds - slack && seconds <= span.endSeconds + slack) {
            near = static_cast<int>(i);
        }
    }
    return near >= 0 ? near : bubble;
}

QPointF GanttChart::itemAnchor(const Canvas& canvas, const QRectF& area, int item) const
{
    if (!m_timeline || item < 0 || item >= itemCount())
        return area.center();
    const Layout at = layout(canvas, area);
    const TimelineSpan& span = m_timeline->spans[static_cast<std::size_t>(item)];
    return {std::clamp(at.x((span.startSeconds + span.endSeconds) / 2), at.rows.left(), at.rows.right()), at.row(span.stage).bottom() - canvas.px(8)};
}

int GanttChart::neighbour(int item, int key) const
{
    const TimelineSpan& span = m_timeline->spans[static_cast<std::size_t>(item)];
    if (key == Qt::Key_Left || key == Qt::Key_Right) {
        const int next = item + (key == Qt::Key_Left ? -1 : 1);
        return next >= 0 && next < itemCount() && m_timeline->spans[static_cast<std::size_t>(next)].stage == span.stage ? next : item;
    }
    const int stage = span.stage + (key == Qt::Key_Up ? -1 : 1);
    if (stage < 0 || stage >= static_cast<int>(m_stageSpans.size()))
        return item;
    const double middle = (span.startSeconds + span.endSeconds) / 2;
    int best = item;
    double distance = 1e300;
    for (std::size_t i = m_stageSpans[static_cast<std::size_t>(stage)].first; i < m_stageSpans[static_cast<std::size_t>(stage)].second; ++i) {
        const TimelineSpan& other = m_timeline->spans[i];
        const double d = std::abs((other.startSeconds + other.endSeconds) / 2 - middle);
        if (d < distance) {
            distance = d;
            best = static_cast<int>(i);
        }
    }
    return best;
}

void GanttChart::zoom(double factor, double aroundSeconds)
{
    setView(aroundSeconds - (aroundSeconds - m_start) * factor, aroundSeconds + (m_end - aroundSeconds) * factor);
}

void GanttChart::wheelEvent(QWheelEvent* event)
{
    const double turns = event->angleDelta().y() / 120.0;
    if (turns == 0 || !m_timeline)
        return QWidget::wheelEvent(event);
    const double at = measured([&](const Canvas& c, const QRectF& area) {
        const Layout l = layout(c, area);
        return m_start + (event->position().x() - l.rows.left()) / l.perSecond;
    });
    zoom(std::pow(kZoomStep, -turns), std::clamp(at, m_start, m_end));
    event->accept();
}

void GanttChart::mousePressEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton) {
        m_panFrom = event->position();
        m_panStart = m_start;
        m_panned = false;
    }
    setFocus(Qt::MouseFocusReason);
}

void GanttChart::mouseMoveEvent(QMouseEvent* event)
{
    if (m_panFrom && (event->buttons() & Qt::LeftButton)) {
        const double dx = event->position().x() - m_panFrom->x();
        if (m_panned || std::abs(dx) > 4) {
            m_panned = true;
            const double perSecond = measured([&](const Canvas& c, const QRectF& area) { return layout(c, area).perSecond; });
            const double length = m_end - m_start, start = m_panStart - dx / perSecond;
            setView(start, start + length);
            return;
        }
    }
    PlotBase::mouseMoveEvent(event);
}

void GanttChart::mouseReleaseEvent(QMouseEvent* event)
{
    m_panFrom.reset();
    if (!m_panned && event->button() == Qt::LeftButton)
        PlotBase::mousePressEvent(event);
    m_panned = false;
}

void GanttChart::mouseDoubleClickEvent(QMouseEvent*)
{
    resetView();
}

void GanttChart::keyPressEvent(QKeyEvent* event)
{
    switch (event->key()) {
    case Qt::Key_Plus:
    case Qt::Key_Equal: zoom(1 / kZoomStep, (m_start + m_end) / 2); return;
    case Qt::Key_Minus: zoom(kZoomStep, (m_start + m_end) / 2); return;
    case Qt::Key_0: resetView(); return;
    default: PlotBase::keyPressEvent(event);
    }
}

} // namespace prism::ui
