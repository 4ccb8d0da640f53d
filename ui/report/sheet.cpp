// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/report/sheet.h"

#include <QImage>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace prism::ui {

namespace {

constexpr double kTableRow = 24, kBulletIndent = 15, kColumnGap = 36; // at scale 1
constexpr double kSample = 28, kSampleGap = 6, kEntryGap = 16;        ///< of a legend
constexpr double kLeading = 1.28;                                     ///< line over line, of the type's height

} // namespace

void Sheet::rule(Role role, double width)
{
    m_canvas.horizontal(m_area.left(), m_area.right(), m_y, m_canvas.look.pen(role, width));
}

void Sheet::label(const QString& text)
{
    m_canvas.text({m_area.left(), m_y}, text, Type::smallStrong, Role::textSecondary, Qt::AlignLeft | Qt::AlignTop);
    m_y += m_canvas.lineHeight(Type::smallStrong) + m_canvas.px(3);
}

void Sheet::headline(const QString& text)
{
    paragraph(text, Type::headline);
}

void Sheet::lead(const QString& text)
{
    QFont font = m_canvas.look.font(Type::value);
    font.setWeight(QFont::Normal);
    const QFontMetricsF metrics(font, m_canvas.painter.device());
    for (const QString& line : m_canvas.wrapped(text, Type::value, m_area.width())) {
        m_canvas.painter.setFont(font);
        m_canvas.painter.setPen(m_canvas[Role::text]);
        m_canvas.painter.drawText(QPointF(m_area.left(), m_y + metrics.ascent()), line);
        m_y += metrics.height() * 1.1;
    }
}

void Sheet::heading(const QString& text)
{
    paragraph(text, Type::title);
    m_y += m_canvas.px(5);
}

void Sheet::paragraph(const QString& text, Type type, Role role)
{
    const double line = m_canvas.lineHeight(type) * (type == Type::headline ? 1.12 : 1.1);
    for (const QString& part : m_canvas.wrapped(text, type, m_area.width())) {
        m_canvas.text({m_area.left(), m_y}, part, type, role, Qt::AlignLeft | Qt::AlignTop);
        m_y += line;
    }
}

double Sheet::heightOf(const QStringList& bullets) const
{
    double height = 0;
    for (const QString& text : bullets)
        height += m_canvas.lineHeight(Type::body) * kLeading
                  * static_cast<double>(m_canvas.wrapped(text, Type::body, m_area.width() - m_canvas.px(kBulletIndent)).size());
    return height;
}

void Sheet::bullets(const QStringList& lines)
{
    const double indent = m_canvas.px(kBulletIndent), height = m_canvas.lineHeight(Type::body);
    for (const QString& text : lines) {
        m_canvas.painter.setPen(Qt::NoPen);
        m_canvas.painter.setBrush(m_canvas[Role::textSecondary]);
        m_canvas.painter.drawEllipse(QPointF(m_area.left() + m_canvas.px(4), m_y + height / 2), m_canvas.px(2.2), m_canvas.px(2.2));
        for (const QString& line : m_canvas.wrapped(text, Type::body, m_area.width() - indent)) {
            m_canvas.text({m_area.left() + indent, m_y}, line, Type::body, Role::text, Qt::AlignLeft | Qt::AlignTop);
            m_y += height * kLeading;
        }
    }
}

double Sheet::rowHeight(const ReportTable& table, const QList<TextRuns>& row) const
{
    // Cells of one run wrap; values with their changes stay on one line.
    qsizetype lines = 1;
    for (qsizetype i = 0; i < row.size(); ++i)
        if (row[i].size() == 1)
            lines = std::max(
                lines,
                m_canvas.wrapped(row[i].front().text, row[i].front().type, table.widths[i] * m_area.width() - m_canvas.px(10)).size());
    return m_canvas.px(kTableRow) + static_cast<double>(lines - 1) * m_canvas.lineHeight(Type::small) * 1.05;
}

double Sheet::heightOf(const ReportTable& table) const
{
    double height = table.title.isEmpty() ? 0 : m_canvas.lineHeight(Type::title) + m_canvas.px(6);
    if (!table.header.join(QString()).isEmpty())
        height += m_canvas.px(kTableRow);
    for (const QList<TextRuns>& row : table.rows)
        height += rowHeight(table, row);
    return height;
}

void Sheet::tableRow(const ReportTable& table, const QList<TextRuns>& row)
{
    const double height = rowHeight(table, row), first = m_y + m_canvas.px(kTableRow) / 2;
    double x = m_area.left();
    for (qsizetype i = 0; i < row.size(); ++i) {
        const double width = table.widths[i] * m_area.width() - m_canvas.px(10);
        if (row[i].size() == 1) {
            const TextRun& run = row[i].front();
            double y = first;
            for (const QString& line : m_canvas.wrapped(run.text, run.type, width)) {
                m_canvas.text({x, y}, line, run.type, run.role, Qt::AlignLeft | Qt::AlignVCenter);
                y += m_canvas.lineHeight(Type::small) * 1.05;
            }
        } else {
            double at = x;
            for (const TextRun& run : row[i]) {
                m_canvas.text({at, first}, run.text, run.type, run.role, Qt::AlignLeft | Qt::AlignVCenter);
                at += m_canvas.width(run.text, run.type);
            }
        }
        x += table.widths[i] * m_area.width();
    }
    m_y += height;
    m_canvas.horizontal(m_area.left(), m_area.right(), m_y, m_canvas.look.pen(Role::grid));
}

void Sheet::table(const ReportTable& table)
{
    if (!table.title.isEmpty())
        heading(table.title);
    if (!table.header.join(QString()).isEmpty()) {
        QList<TextRuns> head;
        for (const QString& name : table.header)
            head << TextRuns{{name, Type::smallStrong, Role::textSecondary}};
        tableRow(table, head);
    }
    for (const QList<TextRuns>& row : table.rows)
        tableRow(table, row);
}

bool Sheet::fitsNextTo(const Findings& found, double left) const
{
    double need = 0;
    for (const FoundScenario& s : found.scenarios)
        need += m_canvas.width(s.name, Type::small) + m_canvas.px(kSample + kSampleGap + kEntryGap);
    return left + need <= m_area.right();
}

void Sheet::paintLegend(const Findings& found, double middle)
{
    double right = m_area.right();
    for (auto s = found.scenarios.rbegin(); s != found.scenarios.rend(); ++s) {
        const double sample = m_canvas.px(kSample), gap = m_canvas.px(kSampleGap), width = m_canvas.width(s->name, Type::small);
        m_canvas.text({right, middle}, s->name, Type::small, Role::text, Qt::AlignRight | Qt::AlignVCenter);
        drawSeriesSample(m_canvas.painter, QRectF(right - width - gap - sample, middle - 4, sample, 8), m_canvas.look, s->colour,
                         s->baseline);
        right -= width + gap + sample + m_canvas.px(kEntryGap);
    }
}

void Sheet::legend(const Findings& found)
{
    const double sample = m_canvas.px(kSample), gap = m_canvas.px(kSampleGap), line = m_canvas.lineHeight(Type::small);
    double x = m_area.left();
    for (const FoundScenario& s : found.scenarios) {
        const QString name = m_canvas.elidedName(s.name, Type::small, m_area.width() - sample - gap);
        const double width = sample + gap + m_canvas.width(name, Type::small);
        if (x > m_area.left() && x + width > m_area.right()) {
            x = m_area.left();
            m_y += line;
        }
        drawSeriesSample(m_canvas.painter, QRectF(x, m_y + line / 2 - 4, sample, 8), m_canvas.look, s.colour, s.baseline);
        m_canvas.text({x + sample + gap, m_y + line / 2}, name, Type::small, Role::text, Qt::AlignLeft | Qt::AlignVCenter);
        x += width + m_canvas.px(kEntryGap);
    }
    m_y += line + m_canvas.px(4);
}

void Sheet::chart(const ReportChart& chart, const Findings* legend)
{
    const double after = m_area.left() + m_canvas.width(chart.title, Type::title) + m_canvas.px(kEntryGap);
    const bool nextTo = legend && fitsNextTo(*legend, after);
    if (nextTo)
        paintLegend(*legend, m_y + m_canvas.lineHeight(Type::title) / 2);
    heading(chart.title);
    if (legend && !nextTo)
        this->legend(*legend);
    QRectF place(m_area.left(), m_y, m_area.width(), m_canvas.px(chart.height));
    chart.paint(m_canvas, place);
    m_y = place.bottom() + m_canvas.px(4);
    if (!chart.footnote.isEmpty())
        paragraph(chart.footnote, Type::tick, Role::textTertiary);
}

double Sheet::columnChart(const ReportChart& chart, const QRectF& column)
{
    Sheet part(m_canvas, column);
    part.chart(chart);
    return part.y();
}

void Sheet::charts(const ReportChart& first, const ReportChart* second)
{
    const double width = (m_area.width() - m_canvas.px(kColumnGap)) / 2;
    double bottom = columnChart(first, QRectF(m_area.left(), m_y, width, left()));
    if (second)
        bottom = std::max(bottom, columnChart(*second, QRectF(m_area.right() - width, m_y, width, left())));
    m_y = bottom;
}

double legendHeight(const Findings& found, double width)
{
    QImage nowhere(1, 1, QImage::Format_ARGB32_Premultiplied); // painted off screen
    QPainter painter(&nowhere);
    const Look look(lightPalette(), 1);
    Canvas canvas(painter, look);
    Sheet sheet(canvas, QRectF(0, 0, width, 1));
    sheet.legend(found);
    return std::ceil(sheet.y());
}

} // namespace prism::ui
