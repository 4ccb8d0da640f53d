// SPDX-License-Identifier: GPL-3.0-or-later
// A paint device that keeps what is written on it and where, for tests of layouts: text that is painted over is gone or counts as covered.
#pragma once

#include <QAbstractScrollArea>
#include <QCoreApplication>
#include <QEvent>
#include <QPaintDevice>
#include <QPaintEngine>
#include <QPainter>
#include <QPainterPath>
#include <QWidget>

#include <cmath>

namespace prism::ui::test {

/// One run of text on one line.
struct PaintedText {
    QString text;
    QRectF rect;                 ///< of the letters, on the device; not clipped
    QRectF seen;                 ///< what the views that it scrolls in show of it
    const QWidget* on = nullptr; ///< whose paint event wrote it; null on paper
    bool covered = false;        ///< something was painted over a part of it
};

/// Whether two pieces of text are in each other's way: more than the hair by which neighbours touch.
inline bool collide(const QRectF& a, const QRectF& b)
{
    const QRectF both = a & b;
    return both.width() > 3 && both.height() > 3;
}

/// Takes text and what may cover it: rectangles, boxes with round corners and pictures.
class TextEngine final : public QPaintEngine {
public:
    /// root: whose coordinates are the device's; null on paper.
    TextEngine(QSize size, const QWidget* root) : QPaintEngine(AllFeatures), m_size(size), m_root(root) {}
    bool begin(QPaintDevice*) override { return true; }
    bool end() override { return true; }
    void updateState(const QPaintEngineState&) override {}
    void drawPixmap(const QRectF& rect, const QPixmap& pixmap, const QRectF&) override
    {
        if (!pixmap.hasAlpha())
            cover(rect);
    }
    void drawImage(const QRectF& rect, const QImage& image, const QRectF&, Qt::ImageConversionFlags) override
    {
        if (!image.hasAlphaChannel())
            cover(rect);
    }
    void drawRects(const QRectF* rects, int count) override
    {
        for (int i = 0; i < count && fills(); ++i)
            cover(rects[i]);
    }
    void drawPath(const QPainterPath& path) override
    {
        constexpr int kRoundBox = 18; // elements; a curve has more and covers an area that is not a rectangle
        if (fills() && path.elementCount() <= kRoundBox && path.contains(path.boundingRect().center()))
            cover(path.boundingRect());
    }
    void drawPolygon(const QPointF*, int, PolygonDrawMode) override {}
    void drawTextItem(const QPointF& at, const QTextItem& item) override
    {
        if (item.text().trimmed().isEmpty() || painter()->opacity() == 0)
            return;
        // The height of the letters that are there: capitals and half of what hangs beneath the line.
        const QRectF own(at.x(), at.y() - item.ascent() * 0.78, item.width(), item.ascent() * 0.78 + item.descent() * 0.4);
        const QRectF placed = painter()->deviceTransform().mapRect(own);
        const QRectF seen = placed & scrolledArea();
        if ((seen & visibleArea()).isEmpty())
            return;
        if (!texts.isEmpty()) { // the next run of the same line: another script, an arrow, an ellipsis
            PaintedText& last = texts.back();
            if (last.on == painting && std::abs(last.rect.right() - placed.left()) < 1.5
                && std::abs(last.rect.bottom() - placed.bottom()) < 3) {
                last.text += item.text();
                last.rect |= placed;
                last.seen |= seen;
                return;
            }
        }
        texts << PaintedText{item.text(), placed, seen, painting};
    }
    [[nodiscard]] Type type() const override { return User; }

    QList<PaintedText> texts;
    const QWidget* painting = nullptr; ///< whose paint event it is

private:
    [[nodiscard]] bool fills() const
    {
        const QBrush brush = painter()->brush();
        return brush.style() == Qt::SolidPattern && brush.color().alpha() == 255 && painter()->opacity() == 1;
    }
    [[nodiscard]] QRectF visibleArea() const
    {
        QRectF area(QPointF(), m_size);
        if (!systemClip().isEmpty())
            area &= systemClip().boundingRect();
        if (painter()->hasClipping())
            area &= painter()->deviceTransform().mapRect(painter()->clipBoundingRect());
        return area;
    }
    /// What is at the edge of a view can be scrolled to: only the views around a text make it smaller, no other clipping does.
    [[nodiscard]] QRectF scrolledArea() const
    {
        QRectF area(QPointF(), m_size);
        for (const QWidget* part = painting; part && m_root && part != m_root; part = part->parentWidget())
            if (const auto* view = qobject_cast<const QAbstractScrollArea*>(part->parentWidget()); view && view->viewport() == part)
                area &= QRectF(part->mapTo(m_root, QPoint()), part->size());
        return area;
    }
    void cover(const QRectF& rect)
    {
        const QRectF over = painter()->deviceTransform().mapRect(rect) & visibleArea();
        texts.removeIf([&](const PaintedText& t) { return over.adjusted(-1, -1, 1, 1).contains(t.seen); });
        for (PaintedText& t : texts)
            t.covered = t.covered || collide(over, t.seen);
    }

    QSize m_size;
    const QWidget* m_root;
};

class TextDevice final : public QPaintDevice {
public:
    explicit TextDevice(QSize size, const QWidget* root = nullptr) : m_size(size), m_engine(size, root) {}
    [[nodiscard]] QPaintEngine* paintEngine() const override { return &m_engine; }
    [[nodiscard]] const QList<PaintedText>& texts() const { return m_engine.texts; }
    void setPainting(const QWidget* widget) { m_engine.painting = widget; }

protected:
    [[nodiscard]] int metric(PaintDeviceMetric what) const override
    {
        constexpr int kDotsPerInch = 96;
        constexpr double kMillimetresPerInch = 25.4;
        const auto millimetres = [](int dots) { return static_cast<int>(dots * kMillimetresPerInch / kDotsPerInch); };
        switch (what) {
        case PdmWidth:
            return m_size.width();
        case PdmHeight:
            return m_size.height();
        case PdmWidthMM:
            return millimetres(m_size.width());
        case PdmHeightMM:
            return millimetres(m_size.height());
        case PdmDevicePixelRatio:
            return 1;
        case PdmDevicePixelRatioScaled:
            return static_cast<int>(devicePixelRatioFScale());
        case PdmDepth:
            return 32;
        case PdmNumColors:
            return 1 << 24;
        default:
            return kDotsPerInch;
        }
    }

private:
    QSize m_size;
    mutable TextEngine m_engine;
};

/// Gives the device the widget whose paint event is on its way: all widgets of one rendering share a painter.
class PaintWatch final : public QObject {
public:
    explicit PaintWatch(TextDevice& device) : m_device(device) { QCoreApplication::instance()->installEventFilter(this); }
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (event->type() == QEvent::Paint)
            m_device.setPainting(qobject_cast<const QWidget*>(watched));
        return false;
    }

private:
    TextDevice& m_device;
};

/// Everything that is written on a widget and its parts now.
inline QList<PaintedText> paintedTexts(QWidget& widget)
{
    TextDevice device(widget.size(), &widget);
    const PaintWatch watch(device);
    widget.render(&device);
    return device.texts();
}

} // namespace prism::ui::test
