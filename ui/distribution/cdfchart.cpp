// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/distribution/cdfchart.h"

#include "ui/distribution/cdfview.h"
#include "ui/look/format.h"

#include <QContextMenuEvent>
#include <QGraphicsLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMenu>
#include <QToolTip>
#include <QVBoxLayout>

#include <QtCharts/QValueAxis>

#include <algorithm>
#include <iterator>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui {

namespace {

/// A series lays all its points out again when it is given the same ones.
void replacePoints(QLineSeries& series, const QList<QPointF>& points)
{
    if (series.points() != points)
        series.replace(points);
}

} // namespace

CdfChart::CdfChart(const Theme& theme, QWidget* parent) : QWidget(parent), m_state(new CdfState{theme})
{
    CdfState& d = *m_state;
    d.chart = new QChart;
    d.chart->setAnimationOptions(QChart::NoAnimation);
    d.chart->legend()->hide();
    d.chart->setBackgroundVisible(false);
    d.chart->setMargins({});
    d.chart->layout()->setContentsMargins(0, 0, 0, 0);
    for (const Qt::AlignmentFlag edge : {Qt::AlignBottom, Qt::AlignLeft}) {
        auto* shares = new QValueAxis(d.chart);
        shares->setVisible(false);
        shares->setRange(0, 1);
        d.chart->addAxis(shares, edge);
    }
    m_view = new CdfView(d, this);
    connect(m_view, &CdfView::curveClicked, this, &CdfChart::curveClicked);
    connect(m_view, &CdfView::limitMoved, this, &CdfChart::limitMoved);
    connect(m_view, &CdfView::lowerLimitMoved, this, &CdfChart::lowerLimitMoved);
    connect(m_view, &CdfView::limitReleased, this, &CdfChart::limitReleased);
    connect(m_view, &CdfView::goalDropped, this, &CdfChart::goalDropped);
    connect(m_view, &CdfView::limitEditRequested, this, &CdfChart::editLimit);
    connect(m_view, &CdfView::zoomResetRequested, this, &CdfChart::resetZoom);
    connect(m_view, &CdfView::zoomed, this, &CdfChart::refresh);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_view);
    m_view->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Ignored); // a view of a scene asks for the size that it had last
    d.editor = new QLineEdit(this);
    d.editor->setAccessibleName(tr("Limit: a time such as 9.3 s, or a probability such as 5 %"));
    d.editor->hide();
    d.editor->setAcceptDrops(false);
    d.editor->installEventFilter(this);
    setFocusPolicy(Qt::StrongFocus);
    connect(&theme, &Theme::changed, this, &CdfChart::refresh);
}

CdfChart::~CdfChart() = default;

QSize CdfChart::minimumSizeHint() const
{
    constexpr double kWidth = 320, kHeight = 240, kHeightInPresentation = 180; // there it is whole beneath two rows of values
    return {m_state->theme.px(kWidth), m_state->theme.px(m_state->theme.presentation() ? kHeightInPresentation : kHeight)};
}

void CdfChart::setMode(Mode mode)
{
    if (m_state->mode == mode)
        return;
    m_state->mode = mode;
    refresh();
}

void CdfChart::setCurves(QList<ChartCurve> curves)
{
    m_state->curves = std::move(curves);
    refresh();
}

void CdfChart::setLimit(const LimitReading& limit)
{
    m_state->limit = limit;
    m_state->labelsMoved = true;
    m_view->viewport()->update();
}

void CdfChart::setMarks(const QList<ChartMark>& marks)
{
    m_state->marks = marks;
    m_state->labelsMoved = true;
    m_view->viewport()->update();
}

void CdfChart::contextMenuEvent(QContextMenuEvent* event)
{
    const double seconds = secondsAt(event->pos().x());
    if (m_state->curves.isEmpty() || seconds <= 0 || m_state->fixed)
        return;
    QMenu menu;
    menu.addAction(tr("Mark %1…").arg(format::seconds(seconds).text()), this, [this, seconds] { Q_EMIT markRequested(seconds); });
    if (m_state->limit.seconds > 0)
        menu.addAction(tr("Explain the share beyond the limit"), this, [this] { Q_EMIT metricRequested(u"guarantee:exceedance"_s); });
    menu.exec(event->globalPos());
}

void CdfChart::setBrushed(int scenarioId)
{
    if (m_state->brushed == scenarioId)
        return;
    m_state->brushed = scenarioId;
    refresh();
}

void CdfChart::setGhost(ChartGhost ghost)
{
    m_state->ghost = std::move(ghost);
    m_view->viewport()->update();
}

void CdfChart::setNotice(const QString& text)
{
    m_state->notice = text;
    m_view->viewport()->update();
}

void CdfChart::setFixed(bool fixed)
{
    if (m_state->fixed == fixed)
        return;
    m_state->fixed = fixed;
    m_state->editor->hide();
    m_view->viewport()->update();
}

void CdfChart::setPaper(bool paper)
{
    m_state->paper = paper;
    m_state->labelsMoved = true;
    m_view->viewport()->update();
}

void CdfChart::resetZoom()
{
    m_state->zoomLow = m_state->zoomHigh = 0;
    refresh();
}

CdfChart::Mode CdfChart::mode() const
{
    return m_state->mode;
}
QRectF CdfChart::plotArea() const
{
    return m_state->plot;
}
const QList<ChartCurve>& CdfChart::curves() const
{
    return m_state->curves;
}
const ChartGhost& CdfChart::ghost() const
{
    return m_state->ghost;
}
QPointF CdfChart::goalMark() const
{
    const QRectF mark = m_state->goalRect();
    return mark.isEmpty() ? QPointF() : mark.center();
}
QList<PaintedLabel> CdfChart::labels() const
{
    return m_view->labels();
}
int CdfChart::paintCount() const
{
    return m_state->paints;
}

double CdfChart::secondsAt(double x) const
{
    return m_state->secondsAt(x);
}

double CdfChart::xAt(double seconds) const
{
    return m_state->xAt(seconds);
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
    CdfState& d = *m_state;
    if (d.fixed)
        return QWidget::keyPressEvent(event);
    const double range = d.xAxis.high - d.xAxis.low;
    const double step = range * (event->modifiers() & Qt::AltModifier ? 0.0005 : event->modifiers() & Qt::ShiftModifier ? 0.05 : 0.005);
    const bool lower = event->modifiers() & Qt::ControlModifier && d.limit.lowerSeconds > 0;
    if ((event->key() == Qt::Key_Left || event->key() == Qt::Key_Right) && lower)
        Q_EMIT lowerLimitMoved(d.limit.lowerSeconds + (event->key() == Qt::Key_Left ? -step : step), -1);
    else if (event->key() == Qt::Key_Left || event->key() == Qt::Key_Right)
        Q_EMIT limitMoved(d.limit.seconds + (event->key() == Qt::Key_Left ? -step : step), -1);
    else if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
        editLimit();
    else
        QWidget::keyPressEvent(event);
}

bool CdfChart::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::FocusOut && static_cast<QFocusEvent*>(event)->reason() != Qt::PopupFocusReason)
        closeEditor();
    const int key = event->type() == QEvent::KeyPress ? static_cast<QKeyEvent*>(event)->key() : 0;
    if (key == Qt::Key_Return || key == Qt::Key_Enter)
        Q_EMIT limitTyped(m_state->editor->text());
    else if (key == Qt::Key_Escape)
        closeEditor();
    else
        return QWidget::eventFilter(watched, event);
    return true; // Return would open the editor again
}

void CdfChart::closeEditor()
{
    const bool focused = m_state->editor->hasFocus();
    m_state->editor->hide();
    if (focused)
        setFocus();
}

void CdfChart::showLimitProblem(const QString& problem)
{
    QLineEdit* editor = m_state->editor;
    if (problem.isEmpty())
        return closeEditor();
    if (!editor->isVisible())
        return;
    editor->setProperty("state", u"error"_s);
    editor->setToolTip(problem);
    editor->setAccessibleDescription(problem);
    restyle(editor);
    QToolTip::showText(editor->mapToGlobal(QPoint(0, editor->height())), problem, editor);
}

QString CdfChart::limitHint()
{
    return tr("Type a time (9.3 s), a share of steps (5 %), or two times (9.1 s to 9.3 s).");
}

void CdfChart::editLimit()
{
    CdfState& d = *m_state;
    if (d.fixed)
        return;
    QRect at = m_view->flagRect().toRect();
    at.setWidth(std::max(at.width(), d.theme.px(180)));
    at.moveRight(std::min(at.right(), width() - 2));
    d.editor->setGeometry(at);
    const QString upper = format::seconds(d.limit.seconds).text();
    d.editor->setText(d.limit.lowerSeconds > 0 ? tr("%1 to %2").arg(format::seconds(d.limit.lowerSeconds).text(), upper) : upper);
    d.editor->setToolTip(limitHint());
    d.editor->setAccessibleDescription(limitHint());
    d.editor->setProperty("state", QVariant());
    restyle(d.editor);
    d.editor->show();
    d.editor->selectAll();
    d.editor->setFocus();
}

void CdfChart::layoutPlot()
{
    CdfState& d = *m_state;
    const Look& look = d.theme.look();
    const double left = look.px(d.mode == Mode::cdf ? 40 : 48);
    d.plot = QRectF(left, look.px(62), std::max(60.0, static_cast<double>(width()) - left - look.px(20)),
                    std::max(60.0, static_cast<double>(height() - look.px(62) - look.px(44))));
    d.chart->setPlotArea(d.plot);
    d.labelsMoved = true;
    m_view->viewport()->update();
}

void CdfChart::setAxes()
{
    CdfState& d = *m_state;
    double low = 0, high = 1, top = 0;
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
    const bool zoomed = d.zoomHigh > d.zoomLow;
    const int largest = std::max(2, static_cast<int>(d.plot.width() / d.theme.look().px(96)));
    if (zoomed) {
        low = d.zoomLow;
        high = d.zoomHigh;
    }
    d.unit = format::timeUnit(high);
    d.ticksX = coveringTicks(low * d.unit.perSecond, high * d.unit.perSecond, largest);
    d.xAxis = {zoomed ? low : d.ticksX.values.front() / d.unit.perSecond, zoomed ? high : d.ticksX.values.back() / d.unit.perSecond};
    d.ticksY = d.mode == Mode::density      ? coveringTicks(0, std::max(top, 1e-9), 4)
               : d.mode == Mode::exceedance ? Ticks{{-4, -3, -2, -1, 0}, 1, 0}
                                            : Ticks{{0, 25, 50, 75, 100}, 25, 0};
    d.yAxis = {d.ticksY.values.front(), d.ticksY.values.back()};
}

void CdfChart::growSeries()
{
    CdfState& d = *m_state;
    while (static_cast<qsizetype>(d.drawn.size()) < d.curves.size()) {
        auto* line = new QLineSeries;
        d.chart->addSeries(line);
        for (QAbstractAxis* axis : d.chart->axes())
            line->attachAxis(axis);
        d.drawn.push_back({line, {}, {}});
    }
}

void CdfChart::drawCurve(Drawn& drawn, const ChartCurve& c)
{
    const CdfState& d = *m_state;
    const CurveLines lines = d.lines(c);
    replacePoints(*drawn.line, lines.line);
    drawn.band = QPolygonF(lines.upper);
    std::copy(lines.lower.rbegin(), lines.lower.rend(), std::back_inserter(drawn.band));
    const bool back = c.stale || (d.brushed >= 0 && d.brushed != c.id);
    QPen pen = d.theme.look().seriesPen(c.colour, c.baseline);
    pen.setCapStyle(Qt::FlatCap);
    pen.setJoinStyle(Qt::BevelJoin); // between points one pixel from each other a round join is invisible, and takes most of a repaint
    QColor color = pen.color(), fill = color;
    color.setAlphaF(back ? 0.4F : 1.0F);
    pen.setColor(color);
    drawn.line->setPen(pen);
    fill.setAlphaF(back ? 0.10F : static_cast<float>(metric::bandOpacity));
    if (c.outside) // lines of the curve's own colour, which a plain band has not
        fill.setAlphaF(back ? 0.25F : 0.7F);
    drawn.fill = c.outside ? QBrush(fill, Qt::BDiagPattern) : QBrush(fill);
}

void CdfChart::refresh()
{
    CdfState& d = *m_state;
    layoutPlot();
    setAxes();
    growSeries();
    // The baseline is drawn last: curve k of the table takes series k, the baseline the last one in use.
    QList<const ChartCurve*> order;
    for (const bool baseline : {false, true})
        for (const ChartCurve& c : d.curves)
            if (c.baseline == baseline)
                order << &c;
    for (std::size_t i = 0; i < d.drawn.size(); ++i) {
        const auto at = static_cast<qsizetype>(i);
        const bool used = at < order.size() && !order[at]->cdf.empty();
        d.drawn[i].line->setVisible(used);
        if (used)
            drawCurve(d.drawn[i], *order[at]);
        if (!used || (d.mode == Mode::density && !order[at]->outside))
            d.drawn[i].band.clear();
    }
    m_view->viewport()->update();
}

} // namespace prism::ui
