// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/report/reportfile.h"

#include "ui/look/wholefile.h"
#include "ui/plot/metadatamark.h"
#include "ui/report/reportcharts.h"

#include <QBuffer>
#include <QFileInfo>
#include <QHashSeed>
#include <QPageLayout>
#include <QPageSize>
#include <QPdfWriter>
#include <QRegularExpression>

#include <cmath>

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

} // namespace prism::ui
