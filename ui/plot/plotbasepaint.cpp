// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/plotbase.h"

#include <algorithm>
#include <cmath>

namespace prism::ui {

namespace {

/// Sizes of a legend, in pixels of the canvas.
struct LegendMetrics {
    explicit LegendMetrics(const Canvas& canvas) : canvas(canvas), box(canvas.px(14)), gap(canvas.px(22)) {}
    [[nodiscard]] double markWidth(const LegendEntry& e) const
    {
        return e.second.isValid() && e.mark == LegendEntry::Mark::box ? 2 * box * 0.75
               : e.mark == LegendEntry::Mark::line                    ? canvas.px(30)
                                                                      : box * 1.5;
    }
    [[nodiscard]] double width(const LegendEntry& e) const { return markWidth(e) + canvas.px(7) + canvas.width(e.label, Type::small); }

    const Canvas& canvas;
    double box, gap;
};

} // namespace

/// Texts around the plot, with their places in this card.
struct PlotBase::Frame {
    double left = 0, right = 0;          ///< inside the padding
    QStringList title, subtitle, footer; ///< lines
    qsizetype hints = 0;                 ///< number of last footer lines that explain pointer and keys
    double titleMiddle = 0;              ///< vertical middle of the title's first line
    double noteMiddle = 0;               ///< vertical middle of the stale note: next to the title, or below it if both do not fit
    QList<LegendEntry> legend;
    QList<QPointF> places; ///< of the legend's entries: left edge, middle
    bool legendNextTo = false;
    double subtitleTop = 0, footerTop = 0;
    QRectF plot;
    [[nodiscard]] double width() const { return std::max(right - left, 1.0); }
};

double PlotBase::placeTitle(const Canvas& canvas, double top, Frame& at) const
{
    const double titleHeight = canvas.lineHeight(Type::title), small = canvas.lineHeight(Type::small), width = at.width();
    const double note = m_stale.isEmpty() ? 0 : canvas.width(m_stale, Type::small);
    at.title = canvas.wrapped(m_text.title, Type::title, width);
    const bool beneath = note > 0 && (at.title.size() > 1 || canvas.width(m_text.title, Type::title) + canvas.px(20) + note > width);
    at.titleMiddle = at.noteMiddle = top + titleHeight / 2;
    top += static_cast<double>(at.title.size()) * titleHeight;
    if (beneath) {
        at.noteMiddle = top + small / 2;
        top += small;
    }
    at.subtitleTop = top + canvas.px(2);
    if (m_text.subtitle.isEmpty())
        return top;
    at.subtitle = canvas.wrapped(m_text.subtitle, Type::small, width);
    return at.subtitleTop + static_cast<double>(at.subtitle.size()) * small;
}

double PlotBase::placeLegend(const Canvas& canvas, double top, Frame& at) const
{
    at.legend = legend(canvas.look);
    if (at.legend.isEmpty())
        return top;
    const LegendMetrics sizes(canvas);
    const double small = canvas.lineHeight(Type::small);
    double total = -sizes.gap;
    for (LegendEntry& e : at.legend) {
        e.label = canvas.elidedName(e.label, Type::small, at.width() - sizes.width(e) + canvas.width(e.label, Type::small));
        total += sizes.width(e) + sizes.gap;
    }
    const double note = m_stale.isEmpty() ? 0 : canvas.width(m_stale, Type::small) + sizes.gap; // is between them
    at.legendNextTo = legendNextToTitle() && at.left + canvas.width(m_text.title, Type::title) + sizes.gap + note + total <= at.right;
    double x = at.legendNextTo ? at.right - total : at.left, y = at.legendNextTo ? at.titleMiddle : top + canvas.px(10) + small / 2;
    for (const LegendEntry& e : at.legend) {
        if (!at.legendNextTo && x > at.left && x + sizes.width(e) > at.right) {
            x = at.left;
            y += small + canvas.px(4);
        }
        at.places << QPointF(x, y);
        x += sizes.width(e) + sizes.gap;
    }
    return at.legendNextTo ? top : y + small / 2;
}

PlotBase::Frame PlotBase::frame(const Canvas& canvas, const QRectF& card) const
{
    Frame at;
    const double pad = canvas.px(metric::cardPadding);
    at.left = card.left() + pad;
    at.right = card.right() - pad;
    const double top = placeLegend(canvas, placeTitle(canvas, card.top() + canvas.px(12), at), at), width = at.width();
    for (const QString& text : m_text.footer)
        at.footer << canvas.wrapped(text, Type::tick,
                                    width
                                        - (text == m_text.footer.front() && !m_text.footerRight.isEmpty()
                                               ? canvas.width(m_text.footerRight, Type::tick) + canvas.px(12)
                                               : 0));
    if (!m_text.hint.isEmpty()) {
        const QStringList hints = canvas.wrapped(m_text.hint, Type::tick, width);
        at.hints = hints.size();
        at.footer << hints;
    }
    const double footer =
        at.footer.isEmpty() ? 0 : canvas.px(8) + static_cast<double>(at.footer.size()) * (canvas.lineHeight(Type::tick) + canvas.px(3));
    at.footerTop = card.bottom() - footer - canvas.px(8);
    const double bottom = footer > 0 ? at.footerTop - canvas.px(8) : card.bottom() - pad;
    at.plot = QRectF(QPointF(at.left, top + canvas.px(8)), QPointF(at.right, std::max(bottom, top + canvas.px(8))));
    return at;
}

QRectF PlotBase::plotArea(const Canvas& canvas, const QRectF& card) const
{
    return frame(canvas, card).plot;
}

void PlotBase::paintLegend(Canvas& canvas, const Frame& at)
{
    const LegendMetrics sizes(canvas);
    const double high = canvas.px(11);
    for (qsizetype i = 0; i < at.legend.size(); ++i) {
        const LegendEntry& e = at.legend[i];
        const double y = at.places[i].y();
        const QRectF mark(std::round(at.places[i].x()), std::round(y - high / 2), sizes.markWidth(e), high);
        switch (e.mark) {
        case LegendEntry::Mark::box:
            canvas.fill(mark, e.fill);
            if (e.second.isValid())
                canvas.fill(mark.adjusted(mark.width() / 2, 0, 0, 0), e.second);
            break;
        case LegendEntry::Mark::outlinedBox:
        case LegendEntry::Mark::dashedBox: {
            if (e.fill.isValid())
                canvas.fill(mark, e.fill);
            const bool dashed = e.mark == LegendEntry::Mark::dashedBox;
            canvas.outline(mark.adjusted(0.5, 0.5, -0.5, -0.5), QPen(e.second, canvas.px(e.fill.isValid() ? 1 : 1.5),
                                                                     dashed ? Qt::DashLine : Qt::SolidLine, Qt::FlatCap, Qt::MiterJoin));
            break;
        }
        case LegendEntry::Mark::hatchedBox:
            canvas.fill(mark, e.fill);
            canvas.look.drawHatch(canvas.painter, mark, e.hatch, e.second, canvas.isVector());
            break;
        case LegendEntry::Mark::line: {
            QPen pen(e.fill, canvas.px(metric::curve));
            pen.setCapStyle(Qt::FlatCap);
            if (!e.dash.isEmpty())
                pen.setDashPattern(e.dash);
            canvas.painter.setPen(pen);
            canvas.painter.drawLine(QPointF(mark.left(), y), QPointF(mark.right(), y));
            break;
        }
        }
        canvas.text({mark.right() + canvas.px(7), y}, e.label, Type::small, Role::textSecondary, Qt::AlignLeft | Qt::AlignVCenter);
    }
}

void PlotBase::paintText(Canvas& canvas, const QRectF& card, const Frame& at, bool interactive) const
{
    if (!m_stale.isEmpty() && interactive) {
        const bool beneath = at.noteMiddle > at.titleMiddle;
        const double after = at.left + canvas.width(m_text.title, Type::title) + LegendMetrics(canvas).gap;
        canvas.text({beneath           ? at.left
                     : at.legendNextTo ? after
                                       : at.right,
                     at.noteMiddle},
                    m_stale, Type::small, Role::textTertiary,
                    (beneath || at.legendNextTo ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    }
    double line = card.top() + canvas.px(12);
    for (const QString& text : at.title) {
        canvas.text({at.left, line}, text, Type::title, Role::text, Qt::AlignLeft | Qt::AlignTop);
        line += canvas.lineHeight(Type::title);
    }
    line = at.subtitleTop;
    for (const QString& text : at.subtitle) {
        canvas.text({at.left, line}, text, Type::small, Role::textSecondary, Qt::AlignLeft | Qt::AlignTop);
        line += canvas.lineHeight(Type::small);
    }
    if (at.footer.isEmpty())
        return;
    canvas.horizontal(at.left, at.right, at.footerTop, canvas.look.pen(Role::separator));
    line = at.footerTop + canvas.px(8);
    canvas.text({at.right, line}, m_text.footerRight, Type::tick, Role::textTertiary, Qt::AlignRight | Qt::AlignTop);
    for (const QString& text : at.footer.first(at.footer.size() - (interactive ? 0 : at.hints))) {
        canvas.text({at.left, line}, text, Type::tick, Role::textTertiary, Qt::AlignLeft | Qt::AlignTop);
        line += canvas.lineHeight(Type::tick) + canvas.px(3);
    }
}

void PlotBase::paintChart(QPainter& painter, const QRectF& card, const Look& look, bool interactive) const
{
    painter.save();
    Canvas canvas(painter, look);
    canvas.rounded(card.adjusted(0.5, 0.5, -0.5, -0.5), look[Role::panel], look.pen(Role::separator));
    const Frame at = frame(canvas, card);
    const QRectF& area = at.plot;
    paintText(canvas, card, at, interactive);
    if (!m_stale.isEmpty() && interactive)
        painter.setOpacity(metric::staleOpacity);
    if (!m_message.isEmpty() && itemCount() == 0) {
        painter.setFont(look.font(Type::body));
        painter.setPen(look[Role::textTertiary]);
        painter.drawText(area, Qt::AlignCenter | Qt::TextWordWrap, m_message);
    } else {
        paintLegend(canvas, at);
        paintPlot(canvas, area, interactive);
    }
    painter.setOpacity(1);

    if (interactive) {
        const bool keyboard = hasFocus() && m_focusItem >= 0;
        if (showsReadout() && m_hoverItem >= 0 && m_hover)
            canvas.readout(*m_hover, itemReading(m_hoverItem), card.adjusted(4, 4, -4, -4));
        else if (showsReadout() && keyboard)
            canvas.readout(itemAnchor(canvas, area, m_focusItem), itemReading(m_focusItem), card.adjusted(4, 4, -4, -4));
        if (hasFocus() && m_focusItem < 0) {
            painter.setBrush(Qt::NoBrush);
            painter.setPen(look.pen(Role::accent, metric::focusRing));
            painter.drawRoundedRect(card.adjusted(1, 1, -1, -1), look.pxF(metric::radius), look.pxF(metric::radius));
        }
    }
    painter.restore();
}

} // namespace prism::ui
