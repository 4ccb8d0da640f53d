#include "ui/distribution/cdfchart.h"

#include "ui/distribution/axis.h"
#include "ui/theme/format.h"

#include <QtCharts/QAreaSeries>
#include <QtCharts/QChart>
#include <QtCharts/QChartView>
#include <QtCharts/QLineSeries>
#include <QtCharts/QValueAxis>

#include <QGraphicsLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui {

namespace {

constexpr double kSnapPixels = 6;      // a limit this close to a marked percentile jumps onto it
constexpr double kSmallestTail = 1e-4; // exceedance axis: one step in 10,000

struct Drawn { // the series of one curve; owned by the chart, except the edges of the area
    QLineSeries* line = nullptr;
    QAreaSeries* band = nullptr;
    std::unique_ptr<QLineSeries> upper, lower;
};

double quantileOn(const std::vector<CurvePoint>& curve, double probability)
{
    for (std::size_t i = 0; i < curve.size(); ++i)
        if (curve[i].probability >= probability) {
            if (i == 0)
                return curve[0].seconds;
            const CurvePoint &a = curve[i - 1], &b = curve[i];
            return a.seconds + (b.seconds - a.seconds) * (probability - a.probability) / (b.probability - a.probability);
        }
    return curve.empty() ? 0 : curve.back().seconds;
}

} // namespace

struct CdfChart::Impl {
    const Theme& theme;
    QChart* chart = nullptr;
    View* view = nullptr;
    QValueAxis *axisX = nullptr, *axisY = nullptr;
    std::vector<Drawn> drawn;
    QList<ChartCurve> curves;
    Mode mode = Mode::cdf;
    LimitReading limit;
    int brushed = -1;
    QString notice;
    AxisTicks ticksX, ticksY;
    double zoomLow = 0, zoomHigh = 0; // seconds; equal = everything
    QRectF plot;
    QLineEdit* editor = nullptr;
    int paints = 0;

    [[nodiscard]] const ChartCurve* readCurve() const
    {
        const ChartCurve* read = nullptr;
        for (const ChartCurve& c : curves)
            if (c.baseline || (!read && c.current))
                read = &c;
        return read ? read : curves.isEmpty() ? nullptr : &curves.front();
    }
    [[nodiscard]] double yValue(double probability) const
    {
        return mode == Mode::exceedance ? std::log10(std::max(kSmallestTail / 10, 1 - probability)) : probability * 100;
    }
    [[nodiscard]] double yPixel(double value) const
    {
        const double range = axisY->max() - axisY->min();
        return plot.bottom() - (value - axisY->min()) / range * plot.height();
    }
};

/// Draws what Qt Charts does not: ticks, limit, noise-free line, flags; and takes the mouse.
class CdfChart::View final : public QChartView {
public:
    View(CdfChart* owner, QChart* chart) : QChartView(chart, owner), m_owner(owner)
    {
        setRenderHint(QPainter::Antialiasing);
        setFrameShape(QFrame::NoFrame);
        setMouseTracking(true);
        setFocusPolicy(Qt::NoFocus);
        viewport()->setFocusPolicy(Qt::NoFocus); // the chart itself takes the keyboard
        setBackgroundBrush(Qt::NoBrush);
        viewport()->setAutoFillBackground(false);
        setStyleSheet(u"background: transparent"_s);
    }
    [[nodiscard]] QRectF flagRect() const { return m_flag; }

protected:
    void drawBackground(QPainter* painter, const QRectF& rect) override;
    void drawForeground(QPainter* painter, const QRectF& rect) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent*) override { m_hover = {-1, -1}; viewport()->update(); }
    void wheelEvent(QWheelEvent* event) override;

private:
    void drawTicks(QPainter& p, const Look& look) const;
    void drawNoiseFree(QPainter& p, const Look& look) const;
    void drawLimit(QPainter& p, const Look& look);
    void drawHover(QPainter& p, const Look& look) const;
    void moveLimit(double x, bool free);
    [[nodiscard]] bool nearLimit(const QPointF& at) const;

    CdfChart* m_owner;
    QRectF m_flag;
    QPointF m_hover{-1, -1};
    bool m_dragging = false;
};

void CdfChart::View::drawBackground(QPainter* painter, const QRectF& rect)
{
    QChartView::drawBackground(painter, rect);
    Impl& d = *m_owner->m_impl;
    const Look& look = d.theme.look();
    if (d.limit.seconds > 0) {
        const double x = std::clamp(m_owner->xAt(d.limit.seconds), d.plot.left(), d.plot.right());
        painter->fillRect(QRectF(QPointF(x, d.plot.top()), d.plot.bottomRight()), look[Role::beyondLimit]);
    }
    painter->setPen(look.pen(Role::grid));
    for (const double value : d.ticksY.values()) {
        const double y = std::round(d.yPixel(value)) + 0.5;
        painter->drawLine(QPointF(d.plot.left(), y), QPointF(d.plot.right(), y));
    }
}

void CdfChart::View::drawForeground(QPainter* painter, const QRectF& rect)
{
    QChartView::drawForeground(painter, rect);
    Impl& d = *m_owner->m_impl;
    const Look& look = d.theme.look();
    ++d.paints;
    drawTicks(*painter, look);
    drawNoiseFree(*painter, look);
    drawLimit(*painter, look);
    if (!m_dragging)
        drawHover(*painter, look);
    if (!d.notice.isEmpty()) {
        painter->setFont(look.font(Type::small));
        const QRectF box(d.plot.left(), d.plot.center().y() - look.px(14), d.plot.width(), look.px(28));
        QRectF text = painter->boundingRect(box, Qt::AlignCenter, d.notice).adjusted(-look.px(12), -look.px(6), look.px(12), look.px(6));
        painter->setPen(look.pen(Role::separator));
        painter->setBrush(look[Role::panel]);
        painter->drawRoundedRect(text, look.px(4), look.px(4));
        painter->setPen(look[Role::textSecondary]);
        painter->drawText(text, Qt::AlignCenter, d.notice);
    }
    if (m_owner->hasFocus()) {
        painter->setPen(look.pen(Role::accent, metric::focusRing));
        painter->setBrush(Qt::NoBrush);
        painter->drawRect(QRectF(viewport()->rect()).adjusted(1, 1, -1, -1));
    }
}

void CdfChart::View::drawTicks(QPainter& p, const Look& look) const
{
    const Impl& d = *m_owner->m_impl;
    p.setPen(look.pen(Role::axis));
    p.drawLine(QPointF(d.plot.left(), std::round(d.plot.bottom()) + 0.5), QPointF(d.plot.right(), std::round(d.plot.bottom()) + 0.5));
    p.setFont(look.font(Type::tick));
    const QFontMetricsF metrics(p.font());
    for (const double value : d.ticksX.values()) {
        const double x = m_owner->xAt(value);
        if (x < d.plot.left() - 1 || x > d.plot.right() + 1)
            continue;
        p.setPen(look.pen(Role::axis));
        p.drawLine(QPointF(x, d.plot.bottom()), QPointF(x, d.plot.bottom() + look.px(4)));
        p.setPen(look[Role::textSecondary]);
        p.drawText(QRectF(x - 60, d.plot.bottom() + look.px(6), 120, metrics.height()), Qt::AlignHCenter | Qt::AlignTop,
                   format::fixed(value, d.ticksX.decimals));
    }
    p.setPen(look[Role::textSecondary]);
    p.drawText(QRectF(d.plot.left(), d.plot.bottom() + look.px(24), d.plot.width(), metrics.height()), Qt::AlignHCenter, tr("Step time, s"));
    for (const double value : d.ticksY.values()) {
        const QString text = d.mode == Mode::exceedance ? format::number(std::pow(10.0, value) * 100, value > -2 ? 3 : 1)
            : format::fixed(value, d.mode == Mode::density ? d.ticksY.decimals : 0);
        p.drawText(QRectF(0, d.yPixel(value) - metrics.height() / 2, d.plot.left() - look.px(8), metrics.height()),
                   Qt::AlignRight | Qt::AlignVCenter, text);
    }
    const QString title = d.mode == Mode::cdf ? tr("Share of steps, %")
        : d.mode == Mode::density              ? tr("Density, % of steps per second")
                                               : tr("Share of steps that take longer, % (log)");
    p.drawText(QPointF(0, d.plot.top() - look.px(12)), title);
}

void CdfChart::View::drawNoiseFree(QPainter& p, const Look& look) const
{
    const Impl& d = *m_owner->m_impl;
    const ChartCurve* read = d.readCurve();
    if (!read || read->noiseFreeSeconds <= 0)
        return;
    const double x = m_owner->xAt(read->noiseFreeSeconds);
    if (x < d.plot.left() || x > d.plot.right())
        return;
    QPen pen = look.pen(Role::textSecondary, metric::limitLine);
    pen.setDashPattern({4, 3});
    p.setPen(pen);
    p.drawLine(QPointF(x, d.plot.top()), QPointF(x, d.plot.bottom()));
    // The label stands where no curve is: right of the line when there is room before the curves, else at its left.
    const double y = d.plot.top() + d.plot.height() * (d.mode == Mode::cdf ? 0.16 : 0.04);
    p.setFont(look.font(Type::tick));
    const double width = QFontMetricsF(p.font()).horizontalAdvance(tr("Noise-free step"));
    const bool leftSide = x - d.plot.left() > width + look.px(24) && d.mode != Mode::cdf;
    const QRectF box(leftSide ? x - width - look.px(8) : x + look.px(8), y, width + 2, look.px(16));
    p.setPen(look[Role::textSecondary]);
    p.drawText(box, leftSide ? Qt::AlignRight : Qt::AlignLeft, tr("Noise-free step"));
    p.setFont(look.font(Type::smallStrong));
    p.setPen(look[Role::text]);
    p.drawText(box.translated(0, look.px(15)), leftSide ? Qt::AlignRight : Qt::AlignLeft, format::seconds(read->noiseFreeSeconds).text());
}

void CdfChart::View::drawLimit(QPainter& p, const Look& look)
{
    const Impl& d = *m_owner->m_impl;
    m_flag = {};
    if (d.limit.seconds <= 0)
        return;
    const double x = m_owner->xAt(d.limit.seconds);
    const bool inside = x >= d.plot.left() - 1 && x <= d.plot.right() + 1;
    const double shown = std::clamp(x, d.plot.left(), d.plot.right());
    const double y = d.mode == Mode::density ? d.plot.bottom() : std::clamp(d.yPixel(d.yValue(d.limit.probability)), d.plot.top(), d.plot.bottom());
    if (inside && d.mode != Mode::density) {
        QPen dots = look.pen(Role::text, 1);
        dots.setDashPattern({1, 2});
        p.setPen(dots);
        p.drawLine(QPointF(d.plot.left(), y), QPointF(x, y));
        const double shownPercent = d.limit.probability * 100;
        if (x - d.plot.left() > look.px(60)) {
            p.setFont(look.font(Type::tick));
            p.setPen(look[Role::text]);
            p.drawText(QPointF(d.plot.left() + look.px(8), y - look.px(4)),
                       u"p%1"_s.arg(format::number(shownPercent, shownPercent > 99 ? 4 : std::abs(shownPercent - std::round(shownPercent)) < 0.05 ? 2 : 3)));
        }
    }
    p.setPen(look.pen(Role::text, metric::limitLine));
    if (inside)
        p.drawLine(QPointF(x, d.plot.top() - look.px(8)), QPointF(x, d.plot.bottom()));
    p.fillRect(QRectF(shown - look.px(3), d.plot.bottom() - 1, look.px(6), look.px(5)), look[Role::text]);
    if (inside && d.mode != Mode::density) {
        const ChartCurve* read = d.readCurve();
        p.setPen(QPen(look.palette().seriesAt(read ? read->colour : 0), look.pxF(2.5)));
        p.setBrush(look[Role::panel]);
        p.drawEllipse(QPointF(x, y), look.pxF(5), look.pxF(5));
    }
    // The flag stands in the lane above the plot.
    p.setFont(look.font(Type::title));
    const double width = QFontMetricsF(p.font()).horizontalAdvance(d.limit.sentence) + look.px(34);
    const double left = std::clamp(shown - look.px(13), d.plot.left(), std::max(d.plot.left(), d.plot.right() - width));
    m_flag = QRectF(left, look.px(4), width, look.px(32));
    p.setPen(Qt::NoPen);
    p.setBrush(look[Role::text]);
    p.drawRoundedRect(m_flag, look.px(4), look.px(4));
    for (int i = 0; i < 6; ++i) // the grip
        p.fillRect(QRectF(left + look.px(8) + (i % 2) * look.px(4), m_flag.center().y() + (i / 2 - 1) * look.px(4) - 1, 2, 2), look[Role::panel]);
    p.setPen(look[Role::panel]);
    p.drawText(m_flag.adjusted(look.px(22), 0, 0, 0), Qt::AlignVCenter | Qt::AlignLeft, d.limit.sentence);
    p.setFont(look.font(Type::tick));
    p.setPen(look[Role::textSecondary]);
    const QStringList lines{d.limit.note, tr("drag, or type a value")};
    double noteWidth = 0;
    for (const QString& line : lines)
        noteWidth = std::max(noteWidth, QFontMetricsF(p.font()).horizontalAdvance(line));
    const bool rightSide = m_flag.right() + noteWidth + look.px(12) < static_cast<double>(m_owner->width());
    for (int i = 0; i < 2; ++i) {
        const QRectF box(rightSide ? m_flag.right() + look.px(10) : m_flag.left() - noteWidth - look.px(10), m_flag.top() + look.px(2) + i * look.px(14), noteWidth, look.px(14));
        if (box.left() > look.px(110) || rightSide)
            p.drawText(box, (rightSide ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter, lines[i]);
    }
}

void CdfChart::View::drawHover(QPainter& p, const Look& look) const
{
    const Impl& d = *m_owner->m_impl;
    if (!d.plot.contains(m_hover) || d.mode == Mode::density || nearLimit(m_hover))
        return;
    const double seconds = m_owner->secondsAt(m_hover.x());
    p.setPen(look.pen(Role::controlOutline, 1));
    p.drawLine(QPointF(m_hover.x(), d.plot.top()), QPointF(m_hover.x(), d.plot.bottom()));
    QStringList lines{format::seconds(seconds).text()};
    QList<int> colours{-1};
    for (const ChartCurve& c : d.curves) {
        if (c.cdf.empty())
            continue;
        const auto at = std::lower_bound(c.cdf.begin(), c.cdf.end(), seconds, [](const CurvePoint& a, double s) { return a.seconds < s; });
        double probability = 1;
        if (at == c.cdf.begin())
            probability = seconds < at->seconds ? 0 : at->probability;
        else if (at != c.cdf.end())
            probability = (at - 1)->probability
                + (at->probability - (at - 1)->probability) * (seconds - (at - 1)->seconds) / (at->seconds - (at - 1)->seconds);
        lines << u"%1  %2"_s.arg(format::percent(d.mode == Mode::exceedance ? 1 - probability : probability), c.name);
        colours << c.colour;
    }
    p.setFont(look.font(Type::tick));
    const QFontMetricsF metrics(p.font());
    double width = 0;
    for (const QString& line : lines)
        width = std::max(width, metrics.horizontalAdvance(line));
    const double row = look.px(16);
    QRectF box(m_hover.x() + look.px(12), m_hover.y() + look.px(12), width + look.px(34), row * static_cast<double>(lines.size()) + look.px(10));
    if (box.right() > d.plot.right())
        box.moveRight(m_hover.x() - look.px(12));
    if (box.bottom() > d.plot.bottom())
        box.moveBottom(m_hover.y() - look.px(12));
    p.setBrush(look[Role::panel]);
    p.setPen(look.pen(Role::controlOutline));
    p.drawRoundedRect(box, look.px(4), look.px(4));
    for (int i = 0; i < lines.size(); ++i) {
        const QRectF line(box.left() + look.px(8), box.top() + look.px(5) + row * i, box.width(), row);
        if (colours[i] >= 0)
            p.fillRect(QRectF(line.left(), line.center().y() - look.px(4), look.px(8), look.px(8)), look.palette().seriesAt(colours[i]));
        p.setPen(look[Role::text]);
        p.drawText(line.adjusted(colours[i] >= 0 ? look.px(14) : 0, 0, 0, 0), Qt::AlignVCenter, lines[i]);
    }
}

bool CdfChart::View::nearLimit(const QPointF& at) const
{
    const Impl& d = *m_owner->m_impl;
    if (d.limit.seconds <= 0)
        return false;
    return m_flag.contains(at)
        || (std::abs(m_owner->xAt(d.limit.seconds) - at.x()) < 7 && at.y() > m_flag.top() && at.y() < d.plot.bottom() + 8);
}

void CdfChart::View::mousePressEvent(QMouseEvent* event)
{
    m_owner->setFocus(Qt::MouseFocusReason);
    if (event->button() != Qt::LeftButton)
        return;
    if (nearLimit(event->position())) {
        m_dragging = true;
        return;
    }
    const Impl& d = *m_owner->m_impl;
    if (d.mode == Mode::density)
        return;
    double best = 12; // pixels from a curve
    int hit = -1;
    for (const ChartCurve& c : d.curves)
        for (const CurvePoint& point : c.cdf) {
            const double distance = std::hypot(m_owner->xAt(point.seconds) - event->position().x(),
                                               d.yPixel(d.yValue(point.probability)) - event->position().y());
            if (distance < best) {
                best = distance;
                hit = c.id;
            }
        }
    Q_EMIT m_owner->curveClicked(hit);
}

void CdfChart::View::mouseMoveEvent(QMouseEvent* event)
{
    m_hover = event->position();
    if (m_dragging)
        moveLimit(m_hover.x(), event->modifiers() & Qt::AltModifier);
    viewport()->setCursor(m_dragging || nearLimit(m_hover) ? Qt::SizeHorCursor : Qt::ArrowCursor);
    viewport()->update();
}

void CdfChart::View::mouseReleaseEvent(QMouseEvent*)
{
    if (m_dragging)
        Q_EMIT m_owner->limitReleased();
    m_dragging = false;
}

void CdfChart::View::mouseDoubleClickEvent(QMouseEvent* event)
{
    m_dragging = false;
    if (m_flag.contains(event->position()))
        m_owner->editLimit();
    else
        m_owner->resetZoom();
}

void CdfChart::View::wheelEvent(QWheelEvent* event)
{
    Impl& d = *m_owner->m_impl;
    if (!(event->modifiers() & Qt::ControlModifier) || !d.plot.contains(event->position())) {
        event->ignore();
        return;
    }
    const double at = m_owner->secondsAt(event->position().x()), factor = std::pow(0.999, event->angleDelta().y());
    d.zoomLow = at + (d.axisX->min() - at) * factor;
    d.zoomHigh = at + (d.axisX->max() - at) * factor;
    m_owner->refresh();
}

void CdfChart::View::moveLimit(double x, bool free)
{
    Impl& d = *m_owner->m_impl;
    const double seconds = m_owner->secondsAt(std::clamp(x, d.plot.left(), d.plot.right()));
    double probability = -1, nearest = kSnapPixels;
    if (const ChartCurve* read = free ? nullptr : d.readCurve())
        for (const double mark : {0.05, 0.10, 0.25, 0.50, 0.75, 0.90, 0.95, 0.99})
            if (const double distance = std::abs(m_owner->xAt(quantileOn(read->cdf, mark)) - x); distance < nearest) {
                nearest = distance;
                probability = mark;
            }
    Q_EMIT m_owner->limitMoved(seconds, probability);
}

CdfChart::CdfChart(const Theme& theme, QWidget* parent) : QWidget(parent), m_impl(new Impl{theme})
{
    Impl& d = *m_impl;
    d.chart = new QChart;
    d.chart->setAnimationOptions(QChart::NoAnimation);
    d.chart->legend()->hide();
    d.chart->setBackgroundVisible(false);
    d.chart->setMargins({});
    d.chart->layout()->setContentsMargins(0, 0, 0, 0);
    d.axisX = new QValueAxis(d.chart);
    d.axisY = new QValueAxis(d.chart);
    d.axisX->setVisible(false);
    d.axisY->setVisible(false);
    d.chart->addAxis(d.axisX, Qt::AlignBottom);
    d.chart->addAxis(d.axisY, Qt::AlignLeft);
    d.view = new View(this, d.chart);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(d.view);
    d.editor = new QLineEdit(this);
    d.editor->setAccessibleName(tr("Limit: a time such as 9.3 s, or a probability such as 5 %"));
    d.editor->hide();
    connect(d.editor, &QLineEdit::returnPressed, this, [this] {
        const QString text = m_impl->editor->text();
        m_impl->editor->hide();
        setFocus();
        Q_EMIT limitTyped(text);
    });
    connect(d.editor, &QLineEdit::editingFinished, d.editor, &QWidget::hide);
    setFocusPolicy(Qt::StrongFocus);
    connect(&theme, &Theme::changed, this, &CdfChart::refresh);
}

CdfChart::~CdfChart() = default;

void CdfChart::setMode(Mode mode)
{
    m_impl->mode = mode;
    refresh();
}

void CdfChart::setCurves(QList<ChartCurve> curves)
{
    m_impl->curves = std::move(curves);
    refresh();
}

void CdfChart::setLimit(const LimitReading& limit)
{
    m_impl->limit = limit;
    m_impl->view->viewport()->update();
}

void CdfChart::setBrushed(int scenarioId)
{
    if (m_impl->brushed == scenarioId)
        return;
    m_impl->brushed = scenarioId;
    refresh();
}

void CdfChart::setNotice(const QString& text)
{
    m_impl->notice = text;
    m_impl->view->viewport()->update();
}

void CdfChart::resetZoom()
{
    m_impl->zoomLow = m_impl->zoomHigh = 0;
    refresh();
}

CdfChart::Mode CdfChart::mode() const { return m_impl->mode; }
QRectF CdfChart::plotArea() const { return m_impl->plot; }
const QList<ChartCurve>& CdfChart::curves() const { return m_impl->curves; }
int CdfChart::paintCount() const { return m_impl->paints; }

double CdfChart::secondsAt(double x) const
{
    const Impl& d = *m_impl;
    return d.axisX->min() + (x - d.plot.left()) / d.plot.width() * (d.axisX->max() - d.axisX->min());
}

double CdfChart::xAt(double seconds) const
{
    const Impl& d = *m_impl;
    return d.plot.left() + (seconds - d.axisX->min()) / (d.axisX->max() - d.axisX->min()) * d.plot.width();
}

void CdfChart::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    layoutPlot();
}

void CdfChart::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        layoutPlot();
}

void CdfChart::keyPressEvent(QKeyEvent* event)
{
    Impl& d = *m_impl;
    const double range = d.axisX->max() - d.axisX->min();
    const double step = range * (event->modifiers() & Qt::AltModifier ? 0.0005 : event->modifiers() & Qt::ShiftModifier ? 0.05 : 0.005);
    if (event->key() == Qt::Key_Left || event->key() == Qt::Key_Right)
        Q_EMIT limitMoved(d.limit.seconds + (event->key() == Qt::Key_Left ? -step : step), -1);
    else if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
        editLimit();
    else if (event->key() == Qt::Key_Escape && d.editor->isVisible())
        d.editor->hide();
    else
        QWidget::keyPressEvent(event);
}

void CdfChart::editLimit()
{
    Impl& d = *m_impl;
    QRect at = d.view->flagRect().toRect();
    at.setWidth(std::max(at.width(), d.theme.px(180)));
    at.moveRight(std::min(at.right(), width() - 2));
    d.editor->setGeometry(at);
    d.editor->setText(format::seconds(d.limit.seconds).text());
    d.editor->setToolTip(tr("A time (9.3 s) or a share of steps (5 %)"));
    d.editor->show();
    d.editor->selectAll();
    d.editor->setFocus();
}

void CdfChart::layoutPlot()
{
    Impl& d = *m_impl;
    const Look& look = d.theme.look();
    const double left = look.px(d.mode == Mode::cdf ? 40 : 48);
    d.plot = QRectF(left, look.px(62), std::max(60.0, static_cast<double>(width()) - left - look.px(12)), std::max(60.0, static_cast<double>(height() - look.px(62) - look.px(44))));
    d.chart->setPlotArea(d.plot);
    d.view->viewport()->update();
}

void CdfChart::refresh()
{
    Impl& d = *m_impl;
    const Look& look = d.theme.look();
    layoutPlot();
    double low = 0, high = 0, top = 0;
    bool first = true;
    for (const ChartCurve& c : d.curves) {
        if (c.cdf.empty())
            continue;
        low = first ? c.axisLow : std::min(low, c.axisLow);
        high = first ? c.axisHigh : std::max(high, c.axisHigh);
        first = false;
        for (const DensityPoint& point : c.density)
            top = std::max(top, point.perSecond * 100);
    }
    if (first) {
        low = 0;
        high = 1;
    }
    d.ticksX = d.zoomHigh > d.zoomLow ? roundTicks(d.zoomLow, d.zoomHigh, std::max(2, static_cast<int>(d.plot.width() / look.px(96))))
                                      : roundTicks(low, high, std::max(2, static_cast<int>(d.plot.width() / look.px(96))));
    const bool zoomed = d.zoomHigh > d.zoomLow;
    d.axisX->setRange(zoomed ? d.zoomLow : d.ticksX.low, zoomed ? d.zoomHigh : d.ticksX.high);
    d.ticksY = d.mode == Mode::density      ? roundTicks(0, std::max(top, 1e-9), 4)
        : d.mode == Mode::exceedance        ? AxisTicks{std::log10(kSmallestTail), 0, 1, 0}
                                            : AxisTicks{0, 100, 25, 0};
    d.axisY->setRange(d.ticksY.low, d.ticksY.high);
    while (static_cast<qsizetype>(d.drawn.size()) < d.curves.size()) {
        Drawn fresh{new QLineSeries, nullptr, std::make_unique<QLineSeries>(), std::make_unique<QLineSeries>()};
        fresh.band = new QAreaSeries(fresh.upper.get(), fresh.lower.get());
        for (QAbstractSeries* series : {static_cast<QAbstractSeries*>(fresh.band), static_cast<QAbstractSeries*>(fresh.line)}) {
            d.chart->addSeries(series);
            series->attachAxis(d.axisX);
            series->attachAxis(d.axisY);
        }
        d.drawn.push_back(std::move(fresh));
    }
    // The baseline is drawn last: curve k of the table takes series k, the baseline the last one in use.
    QList<const ChartCurve*> order;
    for (const ChartCurve& c : d.curves)
        if (!c.baseline)
            order << &c;
    for (const ChartCurve& c : d.curves)
        if (c.baseline)
            order << &c;
    for (std::size_t i = 0; i < d.drawn.size(); ++i) {
        Drawn& drawn = d.drawn[i];
        const bool used = static_cast<qsizetype>(i) < order.size() && !order[static_cast<qsizetype>(i)]->cdf.empty();
        drawn.line->setVisible(used);
        drawn.band->setVisible(used && d.mode != Mode::density);
        if (!used)
            continue;
        const ChartCurve& c = *order[static_cast<qsizetype>(i)];
        QList<QPointF> line, upper, lower;
        if (d.mode == Mode::density) {
            for (const DensityPoint& point : c.density)
                line << QPointF(point.seconds, point.perSecond * 100);
        } else {
            if (d.mode == Mode::cdf)
                line << QPointF(d.axisX->min(), 0) << QPointF(c.cdf.front().seconds, 0);
            for (const CurvePoint& point : c.cdf) {
                if (d.mode == Mode::exceedance && point.probability >= 1)
                    continue; // log 0
                line << QPointF(point.seconds, d.yValue(point.probability));
                upper << QPointF(point.seconds, d.yValue(point.high));
                lower << QPointF(point.seconds, d.yValue(point.low));
            }
            if (d.mode == Mode::cdf)
                line << QPointF(std::max(d.axisX->max(), c.cdf.back().seconds), 100);
        }
        drawn.line->replace(line);
        drawn.upper->replace(upper);
        drawn.lower->replace(lower);
        const bool back = c.stale || (d.brushed >= 0 && d.brushed != c.id);
        QPen pen = look.seriesPen(c.colour, c.baseline);
        pen.setCapStyle(Qt::FlatCap);
        QColor color = pen.color(), fill = color;
        color.setAlphaF(back ? 0.4F : 1.0F);
        pen.setColor(color);
        drawn.line->setPen(pen);
        fill.setAlphaF(back ? 0.10F : static_cast<float>(metric::bandOpacity));
        drawn.band->setBrush(fill);
        drawn.band->setPen(Qt::NoPen);
    }
    d.view->viewport()->update();
}

} // namespace prism::ui
