#include "ui/plot/plotbase.h"

#include <QAccessible>
#include <QKeyEvent>
#include <QMouseEvent>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr double kStaleOpacity = 0.42;
constexpr int kDotsPerMetre = 3780; // 96 dots per inch
}

PlotBase::PlotBase(const Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme)
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setMinimumSize(theme.px(280), theme.px(160));
    setAttribute(Qt::WA_OpaquePaintEvent, false);
    connect(&theme, &Theme::changed, this, [this] {
        setMinimumSize(m_theme.px(280), m_theme.px(160));
        update();
    });
}

void PlotBase::prepareDevice(QImage& device)
{
    device.setDotsPerMeterX(kDotsPerMetre);
    device.setDotsPerMeterY(kDotsPerMetre);
}

void PlotBase::setText(const ChartText& text)
{
    m_text = text;
    setAccessibleName(text.subtitle.isEmpty() ? text.title : text.title + u". "_s + text.subtitle);
    update();
}

void PlotBase::setStale(const QString& note)
{
    if (note == m_stale)
        return;
    m_stale = note;
    update();
}

void PlotBase::setMessage(const QString& message)
{
    if (message == m_message)
        return;
    m_message = message;
    dataChanged();
}

void PlotBase::setReach(const std::optional<Reach>& reach)
{
    if (reach == m_reach)
        return;
    m_reach = reach;
    reachChanged();
}

void PlotBase::setFocusItem(int item)
{
    const int next = item < itemCount() ? std::max(item, -1) : -1;
    if (next == m_focusItem)
        return;
    m_focusItem = next;
    setAccessibleDescription(next >= 0 ? itemText(next) : m_message);
    QAccessibleEvent event(this, QAccessible::DescriptionChanged);
    QAccessible::updateAccessibility(&event);
    Q_EMIT focusItemChanged(next);
    update();
}

QStringList PlotBase::itemReading(int) const
{
    return {};
}

QPointF PlotBase::placeOf(int item) const
{
    return measured([&](const Canvas& canvas, const QRectF& area) { return itemAnchor(canvas, area, item); });
}

QString PlotBase::itemText(int item) const
{
    return itemReading(item).join(u", "_s);
}

void PlotBase::dataChanged()
{
    if (m_focusItem >= itemCount())
        m_focusItem = -1;
    m_hoverItem = -1;
    m_hover.reset();
    setAccessibleDescription(m_focusItem >= 0 ? itemText(m_focusItem) : m_message.isEmpty() ? m_text.footer.join(u' ') : m_message);
    update();
}

int PlotBase::itemAt(const Canvas&, const QRectF&, QPointF) const
{
    return -1;
}

int PlotBase::itemUnder(QPointF point) const
{
    return measured([&](const Canvas& canvas, const QRectF& area) { return itemAt(canvas, area, point); });
}

QPointF PlotBase::itemAnchor(const Canvas&, const QRectF& area, int) const
{
    return area.center();
}

int PlotBase::neighbour(int item, int key) const
{
    if (key == Qt::Key_Up || key == Qt::Key_Left)
        return std::max(item - 1, 0);
    return std::min(item + 1, itemCount() - 1);
}

QList<LegendEntry> PlotBase::legend(const Look&) const
{
    return {};
}

double PlotBase::footerHeight(const Canvas& canvas) const
{
    if (m_text.footer.isEmpty())
        return 0;
    return canvas.px(8) + static_cast<double>(m_text.footer.size()) * (canvas.lineHeight(Type::tick) + canvas.px(3));
}

QRectF PlotBase::plotArea(const Canvas& canvas, const QRectF& card) const
{
    const double pad = canvas.px(metric::cardPadding);
    double top = card.top() + canvas.px(12) + canvas.lineHeight(Type::title);
    if (!m_text.subtitle.isEmpty())
        top += canvas.px(2) + canvas.lineHeight(Type::small);
    if (!legend(canvas.look).isEmpty() && !legendBesideTitle())
        top += canvas.px(10) + canvas.lineHeight(Type::small);
    const double footer = footerHeight(canvas);
    const double bottom = card.bottom() - (footer > 0 ? footer + canvas.px(16) : pad);
    return QRectF(QPointF(card.left() + pad, top + canvas.px(8)), QPointF(card.right() - pad, std::max(bottom, top + canvas.px(8))));
}

void PlotBase::paintLegend(Canvas& canvas, const QRectF& card) const
{
    const QList<LegendEntry> entries = legend(canvas.look);
    if (entries.isEmpty())
        return;
    const double pad = canvas.px(metric::cardPadding), box = canvas.px(14), gap = canvas.px(22);
    const auto widthOf = [&](const LegendEntry& e) {
        const double mark = e.second.isValid() && e.mark == LegendEntry::Mark::box ? 2 * box * 0.75 : e.mark == LegendEntry::Mark::line ? canvas.px(30) : box * 1.5;
        return mark + canvas.px(7) + canvas.width(e.label, Type::small);
    };
    double x = card.left() + pad, y = card.top() + canvas.px(12) + canvas.lineHeight(Type::title) / 2;
    if (legendBesideTitle()) {
        double total = -gap;
        for (const LegendEntry& e : entries)
            total += widthOf(e) + gap;
        x = std::max(card.right() - pad - total, x + canvas.width(m_text.title, Type::title) + gap);
    } else {
        y = card.top() + canvas.px(12) + canvas.lineHeight(Type::title) + canvas.px(10) + canvas.lineHeight(Type::small) / 2;
        if (!m_text.subtitle.isEmpty())
            y += canvas.px(2) + canvas.lineHeight(Type::small);
    }
    const double high = canvas.px(11);
    for (const LegendEntry& e : entries) {
        const double width = widthOf(e) - canvas.px(7) - canvas.width(e.label, Type::small);
        const QRectF mark(std::round(x), std::round(y - high / 2), width, high);
        if (mark.right() + canvas.px(20) > card.right())
            break;
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
            canvas.outline(mark.adjusted(0.5, 0.5, -0.5, -0.5),
                           QPen(e.second, canvas.px(e.fill.isValid() ? 1 : 1.5), dashed ? Qt::DashLine : Qt::SolidLine, Qt::FlatCap, Qt::MiterJoin));
            break;
        }
        case LegendEntry::Mark::hatchedBox:
            canvas.fill(mark, e.fill);
            canvas.look.drawHatch(canvas.painter, mark, e.hatch, e.second, canvas.isVector());
            break;
        case LegendEntry::Mark::line:
            canvas.painter.setPen(QPen(e.fill, canvas.px(metric::curve)));
            canvas.painter.drawLine(QPointF(mark.left(), y), QPointF(mark.right(), y));
            break;
        }
        canvas.text({mark.right() + canvas.px(7), y}, e.label, Type::small, Role::textSecondary, Qt::AlignLeft | Qt::AlignVCenter);
        x += widthOf(e) + gap;
    }
}

void PlotBase::paintChart(QPainter& painter, const QRectF& card, const Look& look, bool interactive) const
{
    painter.save();
    Canvas canvas(painter, look);
    const double pad = canvas.px(metric::cardPadding), left = card.left() + pad, right = card.right() - pad;
    canvas.rounded(card.adjusted(0.5, 0.5, -0.5, -0.5), look[Role::panel], look.pen(Role::separator));

    double y = card.top() + canvas.px(12);
    double titleRight = right;
    if (!m_stale.isEmpty() && interactive) {
        const QString note = m_stale;
        titleRight -= canvas.width(note, Type::small) + canvas.px(20);
        if (!legendBesideTitle())
            canvas.text({right, y + canvas.lineHeight(Type::title) / 2}, note, Type::small, Role::textTertiary, Qt::AlignRight | Qt::AlignVCenter);
    }
    canvas.text({left, y}, canvas.elided(m_text.title, Type::title, std::max(titleRight - left, 0.0)), Type::title, Role::text,
                Qt::AlignLeft | Qt::AlignTop);
    y += canvas.lineHeight(Type::title) + canvas.px(2);
    if (!m_text.subtitle.isEmpty())
        canvas.text({left, y}, canvas.elided(m_text.subtitle, Type::small, right - left), Type::small, Role::textSecondary, Qt::AlignLeft | Qt::AlignTop);

    if (!m_text.footer.isEmpty()) {
        const double top = card.bottom() - footerHeight(canvas) - canvas.px(8);
        canvas.horizontal(left, right, top, look.pen(Role::separator));
        double line = top + canvas.px(8);
        for (const QString& text : m_text.footer) {
            canvas.text({left, line}, canvas.elided(text, Type::tick, right - left - (text == m_text.footer.front() ? canvas.width(m_text.footerRight, Type::tick) + canvas.px(12) : 0)),
                        Type::tick, Role::textTertiary, Qt::AlignLeft | Qt::AlignTop);
            line += canvas.lineHeight(Type::tick) + canvas.px(3);
        }
        if (!m_text.footerRight.isEmpty())
            canvas.text({right, top + canvas.px(8)}, m_text.footerRight, Type::tick, Role::textTertiary, Qt::AlignRight | Qt::AlignTop);
    }

    const QRectF area = plotArea(canvas, card);
    if (!m_stale.isEmpty() && interactive)
        painter.setOpacity(kStaleOpacity);
    if (!m_message.isEmpty() && itemCount() == 0) {
        painter.setFont(look.font(Type::body));
        painter.setPen(look[Role::textTertiary]);
        painter.drawText(area, Qt::AlignCenter | Qt::TextWordWrap, m_message);
    } else {
        paintLegend(canvas, card);
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

void PlotBase::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    paintChart(painter, rect(), look(), true);
}

void PlotBase::mouseMoveEvent(QMouseEvent* event)
{
    const int item = itemUnder(event->position());
    m_hover = event->position();
    if (item >= 0 || m_hoverItem >= 0)
        update();
    m_hoverItem = item;
}

void PlotBase::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton)
        return QWidget::mousePressEvent(event);
    const int item = itemUnder(event->position());
    setFocusItem(item);
    if (item >= 0)
        Q_EMIT itemPicked(item);
}

void PlotBase::leaveEvent(QEvent* event)
{
    m_hover.reset();
    m_hoverItem = -1;
    update();
    QWidget::leaveEvent(event);
}

void PlotBase::keyPressEvent(QKeyEvent* event)
{
    const int count = itemCount();
    switch (event->key()) {
    case Qt::Key_Up:
    case Qt::Key_Down:
    case Qt::Key_Left:
    case Qt::Key_Right:
        if (count > 0)
            setFocusItem(m_focusItem < 0 ? 0 : neighbour(m_focusItem, event->key()));
        return;
    case Qt::Key_Home: setFocusItem(count > 0 ? 0 : -1); return;
    case Qt::Key_End: setFocusItem(count - 1); return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Space:
        if (m_focusItem >= 0) {
            Q_EMIT itemPicked(m_focusItem);
            return;
        }
        break;
    case Qt::Key_Escape:
        if (m_focusItem >= 0) {
            setFocusItem(-1);
            return;
        }
        break;
    default: break;
    }
    QWidget::keyPressEvent(event);
}

void PlotBase::focusInEvent(QFocusEvent* event)
{
    update();
    QWidget::focusInEvent(event);
}

void PlotBase::focusOutEvent(QFocusEvent* event)
{
    update();
    QWidget::focusOutEvent(event);
}

QString tableNumber(double value)
{
    if (!std::isfinite(value))
        return {};
    char buffer[40];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
    return QString::fromLatin1(buffer, end - buffer);
}

} // namespace prism::ui
