// SPDX-License-Identifier: GPL-3.0-or-later
// A paint device that keeps what is drawn on it as rows of text: shapes with their colours, places in tenths of a pixel.
#pragma once

#include <QPaintDevice>
#include <QPaintEngine>
#include <QPainter>
#include <QPainterPath>
#include <QStringList>

#include <cmath>

namespace prism::ui::test {

class DrawnEngine final : public QPaintEngine {
public:
    DrawnEngine() : QPaintEngine(AllFeatures) {}
    bool begin(QPaintDevice*) override { return true; }
    bool end() override { return true; }
    void updateState(const QPaintEngineState&) override {}
    void drawPixmap(const QRectF& rect, const QPixmap&, const QRectF&) override { add(QStringLiteral("picture"), corners(rect)); }
    void drawImage(const QRectF& rect, const QImage&, const QRectF&, Qt::ImageConversionFlags) override
    {
        add(QStringLiteral("picture"), corners(rect));
    }
    void drawRects(const QRectF* rects, int count) override
    {
        for (int i = 0; i < count; ++i)
            add(QStringLiteral("box"), corners(rects[i]));
    }
    void drawEllipse(const QRectF& rect) override { add(QStringLiteral("dot"), corners(rect)); }
    void drawLines(const QLineF* lines, int count) override
    {
        for (int i = 0; i < count; ++i)
            add(QStringLiteral("line"), {lines[i].p1(), lines[i].p2()});
    }
    void drawPath(const QPainterPath& path) override
    {
        QList<QPointF> points;
        for (int i = 0; i < path.elementCount(); ++i)
            points << path.elementAt(i);
        add(QStringLiteral("path"), points);
    }
    void drawPolygon(const QPointF* points, int count, PolygonDrawMode) override
    {
        add(QStringLiteral("polygon"), QList<QPointF>(points, points + count));
    }
    void drawTextItem(const QPointF& at, const QTextItem& item) override
    {
        const QPointF placed = painter()->deviceTransform().map(at);
        rows << QStringLiteral("text %1 %2 \"%3\" %4")
                    .arg(tenth(placed.x()), tenth(placed.y()), item.text(), painter()->pen().color().name());
    }
    [[nodiscard]] Type type() const override { return User; }

    QStringList rows;

private:
    static QString tenth(double value) { return QString::number(std::round(value * 10) / 10 + 0.0, 'g', 6); }
    static QList<QPointF> corners(const QRectF& r) { return {r.topLeft(), r.bottomRight()}; }
    /// Many points as their number and the means of their places.
    void add(const QString& what, QList<QPointF> points)
    {
        constexpr qsizetype kFew = 10;
        QPointF sum;
        for (QPointF& p : points) {
            p = painter()->deviceTransform().map(p);
            sum += p;
        }
        QString text = what;
        if (points.size() > kFew) {
            text += QStringLiteral(" of %1, mean").arg(points.size());
            points = {points.front(), points.back(), sum / static_cast<double>(points.size())};
        }
        for (const QPointF& p : points)
            text += u' ' + tenth(p.x()) + u' ' + tenth(p.y());
        if (painter()->brush().style() != Qt::NoBrush && what != QStringLiteral("line"))
            text += QStringLiteral(" fill ") + painter()->brush().color().name(QColor::HexArgb);
        if (painter()->pen().style() != Qt::NoPen)
            text += QStringLiteral(" pen %1 %2").arg(painter()->pen().color().name(QColor::HexArgb), tenth(painter()->pen().widthF()));
        rows << text;
    }
};

class DrawnDevice final : public QPaintDevice {
public:
    explicit DrawnDevice(QSize size) : m_size(size) {}
    [[nodiscard]] QPaintEngine* paintEngine() const override { return &m_engine; }
    [[nodiscard]] const QStringList& rows() const { return m_engine.rows; }

protected:
    [[nodiscard]] int metric(PaintDeviceMetric what) const override
    {
        constexpr int kDotsPerInch = 96;
        switch (what) {
        case PdmWidth:
            return m_size.width();
        case PdmHeight:
            return m_size.height();
        case PdmDevicePixelRatio:
            return 1;
        case PdmDevicePixelRatioScaled:
            return static_cast<int>(devicePixelRatioFScale());
        default:
            return kDotsPerInch;
        }
    }

private:
    QSize m_size;
    mutable DrawnEngine m_engine;
};

} // namespace prism::ui::test
