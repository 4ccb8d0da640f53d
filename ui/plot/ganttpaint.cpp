// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/gantt.h"

#include "ui/plot/ticks.h"
#include "ui/look/format.h"

#include <algorithm>
#include <cmath>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {

enum class Fill { forward0, forward1, backward0, backward1, weight0, weight1, communication, optimizer };

Fill fillOf(const TimelineSpan& span)
{
    const bool odd = span.chunk % 2 == 1;
    switch (span.kind) {
    case SpanKind::forward:
        return odd ? Fill::forward1 : Fill::forward0;
    case SpanKind::backward:
        return odd ? Fill::backward1 : Fill::backward0;
    case SpanKind::weight:
        return odd ? Fill::weight1 : Fill::weight0;
    case SpanKind::optimizer:
        return Fill::optimizer;
    default:
        return Fill::communication;
    }
}

QColor colorOf(Fill fill, const Look& look)
{
    const Palette& p = look.palette();
    switch (fill) {
    case Fill::forward0:
        return p.forward[0];
    case Fill::forward1:
        return p.forward[1];
    case Fill::backward0:
        return p.backward[0];
    case Fill::backward1:
        return p.backward[1];
    case Fill::weight0:
        return p.weight[0];
    case Fill::weight1:
        return p.weight[1];
    case Fill::optimizer:
        return p.optimizer;
    case Fill::communication:
        return p[Role::commFill];
    }
    return p[Role::grey];
}
/// Paints the spans of one row from left to right; neighbours of one kind that are thinner than a pixel become one rectangle.
class RunPainter {
public:
    struct Run {
        Fill fill = Fill::forward0;
        double left = 0, right = 0; ///< pixels
        bool dimmed = false;
    };

    RunPainter(Canvas& canvas, const QRectF& row) : m_canvas(canvas), m_row(row) {}

    void add(const Run& next)
    {
        const bool thin = next.right - next.left < 1.5;
        if (m_open && m_run.fill == next.fill && m_run.dimmed == next.dimmed && thin && m_run.right - m_run.left < 64
            && next.left - m_run.right < 0.5) {
            m_run.right = std::max(m_run.right, next.right);
            return;
        }
        flush();
        m_run = next;
        m_open = true;
    }
    /// Paints what is left; how many rectangles were painted in all.
    int finish()
    {
        flush();
        return m_painted;
    }

private:
    void flush()
    {
        if (!m_open)
            return;
        const Look& look = m_canvas.look;
        QRectF rect(QPointF(m_run.left, m_row.top()), QPointF(std::max(m_run.right, m_run.left + 0.5), m_row.bottom()));
        if (rect.width() >= m_canvas.px(4))
            rect.setRight(rect.right() - 1); // a seam between neighbours
        const auto shade = [&](const QColor& color) { return m_run.dimmed ? blend(color, look[Role::panel], 0.25) : color; };
        m_canvas.fill(rect, shade(colorOf(m_run.fill, look)));
        if (m_run.fill == Fill::communication && rect.width() >= m_canvas.px(2))
            look.drawHatch(m_canvas.painter, rect, kCommunicationHatch, shade(look[Role::comm]), m_canvas.isVector());
        ++m_painted;
        m_open = false;
    }

    Canvas& m_canvas;
    QRectF m_row;
    Run m_run;
    bool m_open = false; ///< m_run waits to be painted
    int m_painted = 0;
};

} // namespace

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
    if (!m_found.empty())
        return !isFound(span);
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
    RunPainter runs(canvas, row.adjusted(0, gap, 0, -gap));
    canvas.painter.setRenderHint(QPainter::Antialiasing, canvas.isVector());
    for (std::size_t i = first; i < last; ++i) {
        const TimelineSpan& span = m_timeline->spans[i];
        if (span.stage != stage || span.kind == SpanKind::bubble || span.kind == SpanKind::send || span.endSeconds < m_start
            || span.startSeconds > m_end)
            continue;
        const double left = std::max(at.x(span.startSeconds), row.left()), right = std::min(at.x(span.endSeconds), row.right());
        runs.add({fillOf(span), left, right, isDimmed(span)});
    }
    m_painted += runs.finish();
    canvas.painter.setRenderHint(QPainter::Antialiasing, true);
    paintPieces(canvas, at, stage);
    if (at.rowHeight >= canvas.px(18))
        paintSends(canvas, at, stage);
}

/// A bar along the passes that run as one piece, once there is room to see it.
void GanttChart::paintPieces(Canvas& canvas, const Layout& at, int stage) const
{
    const auto [first, last] = m_stageSpans[static_cast<std::size_t>(stage)];
    const QRectF row = at.row(stage);
    for (std::size_t i = first; i < last; ++i) {
        const TimelineSpan& span = m_timeline->spans[i];
        if (span.kind != SpanKind::forward || span.pairedMicrobatch < 0)
            continue;
        const double left = std::max(at.x(span.pieceStart), row.left()), right = std::min(at.x(span.pieceEnd), row.right());
        if (right - left >= canvas.px(6))
            canvas.horizontal(left + canvas.px(1.5), right - canvas.px(2.5), row.top() + canvas.px(3),
                              canvas.look.pen(Role::text, metric::limitLine));
    }
}

/// Overlapped sends have a separate lane at the lower edge, once there is room to see them.
void GanttChart::paintSends(Canvas& canvas, const Layout& at, int stage) const
{
    const auto [first, last] = m_stageSpans[static_cast<std::size_t>(stage)];
    const QRectF row = at.row(stage);
    const double bottom = row.bottom() - canvas.px(1.5);
    for (std::size_t i = first; i < last; ++i) {
        const TimelineSpan& span = m_timeline->spans[i];
        const double left = std::max(at.x(span.startSeconds), row.left()), right = std::min(at.x(span.endSeconds), row.right());
        if (span.kind == SpanKind::send && right - left >= canvas.px(3)) {
            const QRectF lane(left, bottom - canvas.px(4), right - left, canvas.px(4));
            canvas.fill(lane, canvas.look[Role::commFill]);
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
            canvas.fill(QRectF(row.left() - canvas.px(6), row.top() + 1, canvas.px(metric::brushBar), row.height() - 2),
                        canvas[Role::accent]);
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
    std::sort(pieces.begin(), pieces.end(),
              [](const Piece& a, const Piece& b) { return a.start != b.start ? a.start < b.start : a.stage < b.stage; });
    QPen pen = canvas.look.pen(Role::text, metric::limitLine);
    canvas.painter.save();
    canvas.painter.setClipRect(at.rows.adjusted(-2, -2, 2, 2), Qt::IntersectClip);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        const Piece& piece = pieces[i];
        const QRectF row = at.row(piece.stage);
        const double left = std::max(at.x(piece.start), at.rows.left() - 4), right = std::min(at.x(piece.end), at.rows.right() + 4);
        if (right > at.rows.left() && left < at.rows.right()) {
            const QRectF box(QPointF(canvas.centre(left), canvas.centre(row.top() + 1)),
                             QPointF(canvas.centre(std::max(right, left + 2)), canvas.centre(row.bottom() - 1)));
            canvas.outline(box, pen);
        }
        // The path moves on to another stage: the hop at the time it arrives there.
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
    const Ticks ticks =
        niceTicks(m_start * unit.perSecond, m_end * unit.perSecond, std::max(3, static_cast<int>(at.rows.width() / canvas.px(90))));
    canvas.horizontal(at.rows.left(), at.rows.right(), at.rows.bottom() + canvas.px(3), canvas.look.pen(Role::axis));
    for (const double value : ticks.values) {
        const double x = at.x(value / unit.perSecond);
        canvas.vertical(x, at.rows.bottom() + canvas.px(3), at.rows.bottom() + canvas.px(7), canvas.look.pen(Role::axis));
        canvas.text({x, at.rows.bottom() + canvas.px(10)}, ticks.label(value), Type::tick, Role::textSecondary,
                    Qt::AlignHCenter | Qt::AlignTop);
    }
    canvas.text({at.rows.center().x(), at.rows.bottom() + canvas.px(26)}, u"Time since the start of the step, "_s + unit.name, Type::tick,
                Role::textSecondary, Qt::AlignHCenter | Qt::AlignTop);
    canvas.text({area.left(), at.rows.top() - canvas.px(9)}, u"Stage"_s, Type::tick, Role::textSecondary, Qt::AlignLeft | Qt::AlignVCenter);
    if (const double end = at.x(m_timeline->stepSeconds); end <= at.rows.right() + 1) {
        canvas.vertical(end, at.rows.top() - canvas.px(3), at.rows.bottom() + canvas.px(3), canvas.look.pen(Role::text, metric::limitLine));
        canvas.text({end, at.rows.top() - canvas.px(11)}, format::seconds(m_timeline->stepSeconds).text(), Type::tickStrong, Role::text,
                    Qt::AlignRight | Qt::AlignVCenter);
    }
}

void GanttChart::paintRange(Canvas& canvas, const Layout& at) const
{
    if (!m_range)
        return;
    const double left = std::max(at.x(m_range->start), at.rows.left()), right = std::min(at.x(m_range->end), at.rows.right());
    if (right <= left)
        return;
    constexpr float kVeil = 0.55F; // what lies outside steps back
    QColor veil = canvas[Role::panel];
    veil.setAlphaF(kVeil);
    canvas.fill(QRectF(at.rows.topLeft(), QPointF(left, at.rows.bottom())), veil);
    canvas.fill(QRectF(QPointF(right, at.rows.top()), at.rows.bottomRight()), veil);
    for (const double x : {left, right})
        canvas.vertical(x, at.rows.top() - canvas.px(3), at.rows.bottom() + canvas.px(3), canvas.look.pen(Role::accent, metric::limitLine));
}

void GanttChart::paintMark(Canvas& canvas, const Layout& at) const
{
    if (!m_mark || m_mark->seconds <= m_start || m_mark->seconds >= m_end)
        return;
    constexpr float kTint = 0.16F;
    const double x = at.x(m_mark->seconds), end = std::min(at.x(m_timeline->stepSeconds), at.rows.right());
    QColor tint = canvas[Role::warning];
    tint.setAlphaF(kTint);
    if (end > x)
        canvas.fill(QRectF(QPointF(x, at.rows.top()), QPointF(end, at.rows.bottom())), tint);
    canvas.vertical(x, at.rows.top() - canvas.px(3), at.rows.bottom() + canvas.px(3),
                    canvas.look.pen(Role::text, metric::limitLine, Qt::DashLine));
    const double own = canvas.width(format::seconds(m_timeline->stepSeconds).text(), Type::tickStrong) + canvas.px(10);
    canvas.text({std::min(x, end - own), at.rows.top() - canvas.px(11)}, m_mark->label, Type::tick, Role::textSecondary,
                Qt::AlignRight | Qt::AlignVCenter);
}

void GanttChart::paintPlot(Canvas& canvas, const QRectF& area, bool interactive) const
{
    if (!m_timeline || m_timeline->stages <= 0)
        return;
    const Layout at = layout(canvas, area);
    paintRows(canvas, at, interactive);
    paintCritical(canvas, at);
    paintAxis(canvas, area, at);
    paintMark(canvas, at);
    paintRange(canvas, at);
    if (!interactive)
        return;
    const auto outlineItem = [&](int item) {
        if (!hasItem(item))
            return;
        const TimelineSpan& span = spanOf(item);
        const QRectF row = at.row(span.stage);
        const double left = std::max(at.x(span.startSeconds), at.rows.left()), right = std::min(at.x(span.endSeconds), at.rows.right());
        if (right >= left)
            canvas.outline(QRectF(QPointF(left - 1, row.top()), QPointF(std::max(right, left + 2) + 1, row.bottom())),
                           canvas.look.pen(Role::accent, metric::focusRing));
    };
    if (hasFocus())
        outlineItem(focusItem());
    if (hoverItem() >= 0)
        outlineItem(hoverItem());
}

} // namespace prism::ui
