// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/report/reportfile.h"

#include "ui/look/wholefile.h"
#include "ui/plot/exportmetadata.h"
#include "ui/plot/plotbase.h"
#include "ui/report/reportcharts.h"
#include "ui/report/sheet.h"

#include <QBuffer>
#include <QDir>
#include <QFileInfo>
#include <QHashSeed>
#include <QPageLayout>
#include <QPageSize>
#include <QPdfWriter>
#include <QRegularExpression>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr double kDotsPerInch = 96, kPointsPerInch = 72;

/// Qt's PDF engine walks hashes (fonts): their order is fixed while a file is written.
class FixedHashes final {
public:
    FixedHashes() { QHashSeed::setDeterministicGlobalSeed(); }
    ~FixedHashes() { QHashSeed::resetRandomGlobalSeed(); }
    FixedHashes(const FixedHashes&) = delete;
    FixedHashes& operator=(const FixedHashes&) = delete;
};

/// The moment of writing, replaced by one of the same length, so that every offset in the file stays right.
QByteArray withoutMoment(QByteArray pdf)
{
    constexpr auto kKey = "/CreationDate (D:";
    for (qsizetype at = pdf.indexOf(kKey); at >= 0; at = pdf.indexOf(kKey, at + 1))
        for (qsizetype i = at + qsizetype(qstrlen(kKey)); i < pdf.size() && pdf[i] != ')'; ++i)
            if (pdf[i] >= '0' && pdf[i] <= '9')
                pdf[i] = '0';
    return pdf;
}

QPageSize pageSizeOf(const QSizeF& pixels)
{
    return QPageSize(pixels * kPointsPerInch / kDotsPerInch, QPageSize::Point, QString(), QPageSize::ExactMatch);
}

} // namespace

QByteArray toPdf(const Findings& found, ReportForm form)
{
    const std::vector<ReportPage> pages = reportPages(found, form);
    const FixedHashes fixed;
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    {
        QPdfWriter writer(&buffer);
        writer.setResolution(static_cast<int>(kDotsPerInch));
        writer.setTitle(found.title + u" - "_s + metadataLine(found));
        writer.setCreator(u"PRISM Explorer %1 %2"_s.arg(found.version, QString::fromLatin1(metadataMark(exportMetadataOf(found)))));
        writer.setPageSize(pageSizeOf(pages.front().size));
        writer.setPageMargins(QMarginsF());
        QPainter painter(&writer);
        for (std::size_t i = 0; i < pages.size(); ++i) {
            if (i > 0)
                writer.newPage();
            pages[i].paint(painter);
        }
    }
    return withoutMoment(buffer.data());
}

QImage toImage(const ReportPage& page, double scale)
{
    QImage image((page.size * scale).toSize(), QImage::Format_ARGB32_Premultiplied);
    image.setDevicePixelRatio(scale);
    image.setDotsPerMeterX(3780);
    image.setDotsPerMeterY(3780);
    image.fill(Qt::white);
    QPainter painter(&image);
    page.paint(painter);
    return image;
}

QString writeReport(const QString& path, const Findings& found, ReportForm form)
{
    const QString ending = QFileInfo(path).suffix().toLower();
    QByteArray content;
    if (ending == u"pdf")
        content = toPdf(found, form);
    else if (ending == u"html" || ending == u"htm")
        content = toHtml(found);
    else
        return QObject::tr("%1 has no ending that a report can have: use .pdf or .html.").arg(QFileInfo(path).fileName());
    return writeWholeFile(path, content);
}

using namespace Qt::StringLiterals;

namespace {

constexpr int kPictureWidth = 720, kMargin = 16; ///< of a picture, pixels

QString textOf(const std::string& s)
{
    return QString::fromStdString(s);
}

QString yesOrNo(bool yes)
{
    return yes ? u"yes"_s : u"no"_s;
}

QStringList fieldsOf(const Estimate& chart)
{
    return {tableNumber(chart.value), tableNumber(chart.halfWidth)};
}

/// A picture of the report on white ground under its title, and under the names of the scenarios where it has a curve for each.
Picture pictureOf(const ReportChart& chart, const Findings& found)
{
    constexpr int kInner = kPictureWidth - 2 * kMargin;
    const int names = chart.curves ? static_cast<int>(legendHeight(found, kInner)) : 0;
    Picture picture;
    picture.title = chart.title;
    picture.metadata = exportMetadataOf(found);
    const Look look(lightPalette(), 1);
    const int head = static_cast<int>(look.px(metric::button));
    picture.size = {kPictureWidth, static_cast<int>(chart.height) + head + names + 2 * kMargin};
    picture.paint = [chart, found, size = picture.size, head, names](QPainter& painter) {
        const Look paper(lightPalette(), 1);
        painter.fillRect(QRect(QPoint(), size), Qt::white);
        Canvas canvas(painter, paper);
        canvas.text(QPointF(kMargin, kMargin), chart.title, Type::title, Role::text, Qt::AlignLeft | Qt::AlignTop);
        if (chart.curves)
            Sheet(canvas, QRectF(kMargin, kMargin + head, kInner, names)).legend(found);
        chart.paint(canvas, QRectF(kMargin, kMargin + head + names, kInner, chart.height));
    };
    return picture;
}

} // namespace

QString bundleFolder(const QString& reportPath)
{
    const QFileInfo report(reportPath);
    return QDir(report.path()).filePath(report.completeBaseName() + u"-files"_s);
}

TableData scenarioMetrics(const Findings& found)
{
    const QString half = u"half-width 95 %"_s;
    TableData table;
    table.header = {u"scenario"_s, u"baseline"_s, u"advised"_s, u"fits"_s};
    for (const QString& chart : {u"mean"_s, u"p50"_s, u"p95"_s, u"p99"_s, u"p50 change"_s, u"p95 change"_s})
        table.header << chart + u" [s]"_s << u"%1 %2 [s]"_s.arg(chart, half);
    table.header << u"P(miss)"_s << u"P(miss) "_s + half << u"days p50"_s << u"cost mean [USD]"_s << u"peak memory [GiB]"_s << u"n"_s
                 << u"seed"_s << u"hash"_s;
    table.names = {0};
    for (const FoundScenario& s : found.scenarios) {
        const DistributionSummary& step = s.snapshot->across;
        QStringList row{s.name, yesOrNo(s.baseline && found.pinned), yesOrNo(&s == &found.best()), yesOrNo(s.possible)};
        row << fieldsOf({step.mean, step.ciMean}) << fieldsOf({step.p50, step.ciP50}) << fieldsOf({step.p95, step.ciP95})
            << fieldsOf({step.p99, step.ciP99}) << fieldsOf(s.changes.p50.delta) << fieldsOf(s.changes.p95.delta) << fieldsOf(s.misses);
        row << (s.job ? tableNumber(s.job->p50Days.value) : QString()) << (s.job ? tableNumber(s.job->costUsdMean) : QString())
            << tableNumber(s.snapshot->costed ? s.snapshot->costed->memory.peakGib : 0) << QString::number(step.samples)
            << QString::number(s.snapshot->seed) << textOf(s.snapshot->hash.text());
        table.rows << row;
    }
    return table;
}

TableData curveMetrics(const Findings& found)
{
    TableData table;
    table.header = {u"scenario"_s, u"step time [s]"_s, u"P(step <= time)"_s, u"band low"_s, u"band high"_s};
    table.names = {0};
    for (const FoundScenario& s : found.scenarios)
        for (const CurvePoint& p : s.cdf)
            table.rows << QStringList{s.name, tableNumber(p.seconds), tableNumber(p.probability), tableNumber(p.low), tableNumber(p.high)};
    return table;
}

TableData causeMetrics(const Findings& found)
{
    TableData table;
    table.header = {u"cause"_s, u"label"_s, u"input"_s, u"p95 change, spread doubled [s]"_s, u"half-width 95 % [s]"_s};
    for (const FoundCause& c : found.causes)
        table.rows << (QStringList{c.id, c.name, c.input} << fieldsOf(c.rise));
    return table;
}

TableData assumptionMetrics(const Findings& found)
{
    TableData table;
    table.header = {u"parameter"_s, u"label"_s, u"value"_s, u"source"_s};
    for (const JobAssumption& a : found.assumptions)
        table.rows << QStringList{textOf(a.path), textOf(a.label), textOf(a.value), textOf(a.source)};
    return table;
}

QString writeReportBundle(const QString& folder, const Findings& found, TableText texts)
{
    const QDir place(folder);
    if (!place.mkpath(u"."_s))
        return QObject::tr("The folder %1 could not be made.").arg(QFileInfo(folder).fileName());
    const ExportMetadata metadata = exportMetadataOf(found);
    for (const ReportChart& chart : reportCharts(found))
        if (QString invalid = writeExport(place.filePath(chart.id + u".png"_s), pictureOf(chart, found), {}); !invalid.isEmpty())
            return invalid;
    Picture none;
    none.metadata = metadata;
    for (const auto& [name, table] : {std::pair{u"scenarios.csv"_s, scenarioMetrics(found)},
                                      {u"curves.csv"_s, curveMetrics(found)},
                                      {u"causes.csv"_s, causeMetrics(found)},
                                      {u"assumptions.csv"_s, assumptionMetrics(found)}})
        if (QString invalid = table.rows.isEmpty() ? QString() : writeExport(place.filePath(name), none, table, texts); !invalid.isEmpty())
            return invalid;
    return {};
}

} // namespace prism::ui
