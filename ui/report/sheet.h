// SPDX-License-Identifier: GPL-3.0-or-later
// A sheet of paper that is filled from the top: headings, paragraphs, lists, tables and places for pictures.
#pragma once

#include "ui/report/reportcharts.h"

namespace prism::ui {

/// Lives for one paint. Every part takes the height that it needs and moves on; what does not fit is for the caller to ask first.
class Sheet final {
public:
    Sheet(Canvas& canvas, const QRectF& area) : m_canvas(canvas), m_area(area), m_y(area.top()) {}

    // fill it
    void space(double size) { m_y += m_canvas.px(size); }
    void rule(Role role = Role::separator, double width = metric::line);
    void label(const QString& text);    ///< "Question"
    void headline(const QString& text); ///< the answer
    void lead(const QString& text);     ///< a large sentence in regular weight
    void heading(const QString& text);
    void paragraph(const QString& text, Type type = Type::body, Role role = Role::text);
    void bullets(const QStringList& lines);
    void table(const ReportTable& table);
    /// Title, legend next to it, picture, footnote.
    void chart(const ReportChart& chart, const Findings* legend = nullptr);
    /// The scenarios in their colours, on as many lines as they need.
    void legend(const Findings& found);
    /// Two pictures next to each other.
    void charts(const ReportChart& first, const ReportChart* second);

    // look at it
    [[nodiscard]] double left() const { return m_area.bottom() - m_y; } ///< height that is left
    [[nodiscard]] double heightOf(const QStringList& bullets) const;
    [[nodiscard]] double heightOf(const ReportTable& table) const;
    [[nodiscard]] double y() const { return m_y; }
    [[nodiscard]] const QRectF& area() const { return m_area; }

private:
    double columnChart(const ReportChart& chart, const QRectF& column);
    [[nodiscard]] bool fitsNextTo(const Findings& found, double left) const;
    void paintLegend(const Findings& found, double middle); ///< on one line, from the right
    [[nodiscard]] double rowHeight(const ReportTable& table, const QList<TextRuns>& row) const;
    void tableRow(const ReportTable& table, const QList<TextRuns>& row);

    Canvas& m_canvas;
    QRectF m_area;
    double m_y;
};

/// Pixels that the lines of a legend take at scale 1 in this width.
[[nodiscard]] double legendHeight(const Findings& found, double width);

} // namespace prism::ui
