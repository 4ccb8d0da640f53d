#include "ui/distribution/cdfchart.h"

#include "ui/distribution/cdfview.h"
#include "ui/theme/format.h"

#include <QGraphicsLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui {

const ChartCurve* CdfChart::Impl::readCurve() const
{
    const ChartCurve* read = nullptr;
    for (const ChartCurve& c : curves)
        if (c.baseline || (!read && c.current))
            read = &c;
    return read ? read : curves.isEmpty() ? nullptr : &curves.front();
}

double CdfChart::Impl::yValue(double probability) const
{
    return mode == Mode::exceedance ? std::log10(std::max(kSmallestTail / 10, 1 - probability)) : probability * 100;
}

double CdfChart::Impl::yPixel(double value) const
{
    return plot.bottom() - (value - axisY->min()) / (axisY->max() - axisY->min()) * plot.height();
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

QSize CdfChart::minimumSizeHint() const
{
    return {m_impl->theme.px(320), m_impl->theme.px(240)};
}

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

CdfChart::Mode CdfChart::mode() const
{
    return m_impl->mode;
}
QRectF CdfChart::plotArea() const
{
    return m_impl->plot;
}
const QList<ChartCurve>& CdfChart::curves() const
{
    return m_impl->curves;
}
int CdfChart::paintCount() const
{
    return m_impl->paints;
}

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
    d.plot = QRectF(left, look.px(62), std::max(60.0, static_cast<double>(width()) - left - look.px(20)),
                    std::max(60.0, static_cast<double>(height() - look.px(62) - look.px(44))));
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
    const bool zoomed = d.zoomHigh > d.zoomLow;
    const int most = std::max(2, static_cast<int>(d.plot.width() / look.px(96)));
    d.ticksX = zoomed ? coveringTicks(d.zoomLow, d.zoomHigh, most) : coveringTicks(low, high, most);
    d.axisX->setRange(zoomed ? d.zoomLow : d.ticksX.values.front(), zoomed ? d.zoomHigh : d.ticksX.values.back());
    d.ticksY = d.mode == Mode::density      ? coveringTicks(0, std::max(top, 1e-9), 4)
               : d.mode == Mode::exceedance ? Ticks{{-4, -3, -2, -1, 0}, 1, 0}
                                            : Ticks{{0, 25, 50, 75, 100}, 25, 0};
    d.axisY->setRange(d.ticksY.values.front(), d.ticksY.values.back());
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
            if (d.mode == Mode::cdf) {
                line << QPointF(d.axisX->min(), 0) << QPointF(c.cdf.front().seconds, 0);
                upper << QPointF(std::min(d.axisX->min(), c.cdf.front().seconds),
                                 c.cdf.front().high * 100); // the band holds the whole curve
                lower << QPointF(std::min(d.axisX->min(), c.cdf.front().seconds), c.cdf.front().low * 100);
            }
            for (const CurvePoint& point : c.cdf) {
                if (d.mode == Mode::exceedance && point.probability >= 1)
                    continue; // log 0
                line << QPointF(point.seconds, d.yValue(point.probability));
                upper << QPointF(point.seconds, d.yValue(point.high));
                lower << QPointF(point.seconds, d.yValue(point.low));
            }
            if (d.mode == Mode::cdf) {
                const double end = std::max(d.axisX->max(), c.cdf.back().seconds);
                line << QPointF(end, 100);
                upper << QPointF(end, c.cdf.back().high * 100);
                lower << QPointF(end, c.cdf.back().low * 100);
            }
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
