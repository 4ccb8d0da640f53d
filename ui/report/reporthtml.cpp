// SPDX-License-Identifier: GPL-3.0-or-later
// The report as one HTML file: text as text, pictures as SVG inside it.
#include "ui/report/reportfile.h"

#include "ui/plot/exportmetadata.h"
#include "ui/plot/svg.h"
#include "ui/report/reportcharts.h"
#include "ui/report/sheet.h"

#include <cmath>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr double kWidth = 720, kHalf = 342; ///< of pictures, pixels

QString escaped(const QString& text)
{
    return text.toHtmlEscaped();
}

QString hex(Role role)
{
    return lightPalette()[role].name();
}

/// The picture as an <svg> element; its own prologue and fixed size are taken off.
QString svgOf(const ReportChart& chart, const Findings* legend)
{
    const double above = legend ? legendHeight(*legend, kWidth) : 0;
    const QSize size(static_cast<int>(chart.half ? kHalf : kWidth), static_cast<int>(above + chart.height));
    const QString svg = QString::fromUtf8(svgDocument(size, [&](QPainter& painter) {
        const Look look(lightPalette(), 1);
        Canvas canvas(painter, look);
        if (legend)
            Sheet(canvas, QRectF(QPointF(), QSizeF(size))).legend(*legend);
        chart.paint(canvas, QRectF(0, above, size.width(), size.height() - above));
    }));
    const qsizetype begin = svg.indexOf(u"viewBox="_s);
    return u"<svg role=\"img\" aria-label=\"%1\" xmlns=\"http://www.w3.org/2000/svg\" "_s.arg(
               escaped(chart.title + u". "_s + chart.sentence))
           + svg.mid(std::max<qsizetype>(begin, 0));
}

QString chartOf(const ReportChart& chart, const Findings& found)
{
    const Findings* legend = chart.curves ? &found : nullptr;
    QString html =
        u"<figure class=\"%1\"><h2>%2</h2>%3"_s.arg(chart.half ? u"half"_s : u"whole"_s, escaped(chart.title), svgOf(chart, legend));
    if (!chart.footnote.isEmpty())
        html += u"<figcaption>%1</figcaption>"_s.arg(escaped(chart.footnote));
    return html + u"</figure>\n"_s;
}

QString runOf(const TextRun& run)
{
    const bool strong = run.type == Type::bodyStrong || run.type == Type::smallStrong;
    constexpr qsizetype kMetric = 14; // letters; a number with its unit stays on one line
    const QString words = run.text.trimmed();
    const QString text = escaped(words.size() <= kMetric ? QString(words).replace(u' ', QChar::Nbsp) : words);
    const QString coloured = run.role == Role::text ? text : u"<span style=\"color:%1\">%2</span>"_s.arg(hex(run.role), text);
    return strong ? u"<b>%1</b>"_s.arg(coloured) : coloured;
}

QString tableOf(const ReportTable& table)
{
    if (table.rows.isEmpty())
        return {};
    QString html = table.title.isEmpty() ? QString() : u"<h2>%1</h2>"_s.arg(escaped(table.title));
    html += u"<table>"_s;
    for (const double width : table.widths)
        html += u"<col style=\"width:%1%\">"_s.arg(std::lround(100 * width));
    if (!table.header.join(QString()).isEmpty()) {
        html += u"<tr>"_s;
        for (const QString& name : table.header)
            html += u"<th>%1</th>"_s.arg(escaped(name));
        html += u"</tr>"_s;
    }
    for (const QList<TextRuns>& row : table.rows) {
        html += u"<tr>"_s;
        for (const TextRuns& runs : row) {
            QStringList parts;
            for (const TextRun& run : runs)
                parts << runOf(run);
            html += u"<td>%1</td>"_s.arg(parts.join(u' '));
        }
        html += u"</tr>\n"_s;
    }
    return html + u"</table>\n"_s;
}

QString listOf(const QString& title, const QStringList& lines)
{
    if (lines.isEmpty())
        return {};
    QString html = u"<h2>%1</h2><ul>"_s.arg(escaped(title));
    for (const QString& line : lines)
        html += u"<li>%1</li>"_s.arg(escaped(line));
    return html + u"</ul>\n"_s;
}

QString styleOf()
{
    return u"body{font:15px/1.45 Inter,'Noto Sans',system-ui,sans-serif;color:%1;max-width:720px;margin:48px auto;padding:0 "
           u"24px;background:#fff}"
           "header{display:flex;justify-content:space-between;border-bottom:2px solid %1;padding-bottom:10px;color:%2;font-size:14px}"
           "h1{font-size:28px;line-height:1.2;margin:2px 0 8px}h2{font-size:17px;margin:28px 0 "
           "6px}.label{font-size:13px;font-weight:600;color:%2;margin:24px 0 0}"
           ".question{font-size:20px;margin:2px 0}.sure{font-size:14px;color:%2;margin:2px "
           "0}figure{margin:0}figure.half{display:inline-block;width:342px;"
           "vertical-align:top;margin-right:36px}figure.half+figure.half{margin-right:0}svg{width:100%;height:auto;display:block}"
           "figcaption,footer"
           "{font-size:12px;color:%3}table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums;font-size:14px}th,td{text-"
           "align:left;"
           "padding:4px 10px 4px 0;border-bottom:1px solid "
           "%4;vertical-align:top}th{color:%2;font-weight:600;font-size:13px}ul{padding-left:18px;margin:4px 0}"
           "footer{border-top:1px solid %4;margin-top:32px;padding-top:10px}@media print{body{margin:0 auto}}"_s.arg(
               hex(Role::text), hex(Role::textSecondary), hex(Role::textTertiary), hex(Role::separator));
}

} // namespace

QByteArray toHtml(const Findings& f)
{
    QString html =
        u"<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
        "content=\"width=device-width,initial-scale=1\"><meta name=\"generator\" content=\"PRISM Explorer %2\"><title>%1</title><style>"_s
            .arg(escaped(f.title), QString::fromLatin1(metadataMark(exportMetadataOf(f))))
        + styleOf() + u"</style></head><body>\n"_s;
    html += u"<header><b>PRISM Explorer</b><span>%1</span></header>\n"_s.arg(escaped(f.title));
    html += u"<p class=\"label\">%1</p><p class=\"question\">%2</p>\n"_s.arg(escaped(QObject::tr("Question")), escaped(f.question));
    html += u"<p class=\"label\">%1</p><h1>%2</h1>\n"_s.arg(escaped(QObject::tr("Answer")), escaped(f.answer.sentence));
    for (const QString& line : f.answer.certainty)
        html += u"<p class=\"sure\">%1</p>\n"_s.arg(escaped(line));
    const std::vector<ReportChart> charts = reportCharts(f);
    bool tabled = false;
    for (const ReportChart& chart : charts) {
        if (!tabled && chart.id == u"ends") { // the scenarios are before the job
            html +=
                tableOf(scenarioTable(f))
                + u"<h2>%1</h2><p>%2</p>\n"_s.arg(escaped(QObject::tr("The whole job, %1").arg(f.best().name)), escaped(jobSentence(f)));
            tabled = true;
        }
        html += chartOf(chart, f);
    }
    if (!tabled)
        html += tableOf(scenarioTable(f));
    html += tableOf(jobTable(f));
    html += listOf(QObject::tr("What we assumed"), assumptionSentences(f));
    html += listOf(QObject::tr("Where a slow node hurts"), placeSentences(f));
    html += listOf(QObject::tr("What it omits"), limitSentences(f));
    html += tableOf(sourceTable(f)) + tableOf(metadataTable(f));
    html += u"<footer>%1</footer>\n</body></html>\n"_s.arg(escaped(metadataLine(f)));
    return html.toUtf8();
}

} // namespace prism::ui
