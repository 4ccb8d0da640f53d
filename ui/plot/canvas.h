// SPDX-License-Identifier: GPL-3.0-or-later
// A painter with the look's fonts and roles: crisp lines, aligned text, hatches, flags. What all charts draw with.
#pragma once

#include "ui/look/look.h"

#include <QFontMetricsF>
#include <QPainter>

#include <array>
#include <optional>

namespace prism::ui {

inline constexpr int kPictureDotsPerMetre = 3780; ///< of pictures, and of what measures for them: 96 dots per inch

/// Lives for one paint. Sizes are taken through px(): scale 1 in, device-independent pixels out.
class Canvas final {
public:
    Canvas(QPainter& painter, const Look& look);

    QPainter& painter;
    const Look& look;

    [[nodiscard]] double px(double size) const { return look.pxF(size); }
    [[nodiscard]] QColor operator[](Role role) const { return look[role]; }
    [[nodiscard]] bool isVector() const { return m_vector; }

    [[nodiscard]] const QFontMetricsF& metrics(Type type) const;
    [[nodiscard]] double width(const QString& text, Type type) const { return metrics(type).horizontalAdvance(text); }
    [[nodiscard]] double lineHeight(Type type) const { return metrics(type).height(); }
    [[nodiscard]] QString elided(const QString& text, Type type, double width) const;
    /// Shortened in its middle: names of copies and of hosts differ at their ends.
    [[nodiscard]] QString elidedName(const QString& name, Type type, double width) const;
    /// The words on as many lines as they need; a word wider than a line is alone, elided.
    [[nodiscard]] QStringList wrapped(const QString& text, Type type, double width) const;

    /// Text at a point: AlignLeft, AlignHCenter or AlignRight of x; AlignTop, AlignVCenter (of the capital height) or
    /// AlignBaseline at y.
    void text(QPointF at, const QString& text, Type type, const QColor& color, Qt::Alignment alignment = Qt::AlignLeft | Qt::AlignBaseline);
    void text(QPointF at, const QString& text, Type type, Role role, Qt::Alignment alignment = Qt::AlignLeft | Qt::AlignBaseline)
    {
        this->text(at, text, type, look[role], alignment);
    }
    void rotatedText(QPointF centre, const QString& text, Type type, Role role);

    /// Lines on pixel centres.
    void horizontal(double x1, double x2, double y, const QPen& pen);
    void vertical(double x, double y1, double y2, const QPen& pen);
    void fill(const QRectF& rect, const QColor& color) { painter.fillRect(rect, color); }
    void outline(const QRectF& rect, const QPen& pen);
    void hatch(const QRectF& rect, const Hatch& hatch, Role role) { look.drawHatch(painter, rect, hatch, look[role], m_vector); }
    void rounded(const QRectF& rect, const QColor& fill, std::optional<QPen> pen = {}, double radius = metric::radius);
    /// The dark label over a limit or baseline line; centred at x, bottom at y, kept inside [left, right]. Returns its box.
    QRectF flag(double x, double bottom, const QString& label, double left, double right, Type type = Type::tickStrong);
    /// A read-out box next to a point, kept inside `within`; the first line is semibold.
    void readout(QPointF at, const QStringList& lines, const QRectF& within);

    /// The nearest pixel centre.
    [[nodiscard]] double centre(double at) const;

private:
    bool m_vector;
    mutable std::array<std::optional<QFontMetricsF>, 9> m_metrics;
};

} // namespace prism::ui
