// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/export.h"

#include "core/base/printable.h"
#include "ui/look/wholefile.h"
#include "ui/plot/canvas.h"
#include "ui/plot/exportmetadata.h"
#include "ui/plot/svg.h"

#include <QBuffer>
#include <QFileInfo>
#include <QImageReader>
#include <QImageWriter>
#include <QMimeData>
#include <QPageLayout>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>

#include <algorithm>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kDotsPerInch = 96;

QString textOf(const ExportMetadata& r)
{
    return u"scenario %1, hash %2, seed %3, n = %4, PRISM Explorer %5"_s.arg(r.scenario, r.hash, QString::number(r.seed),
                                                                             QString::number(r.samples), r.version);
}

QByteArray separated(const TableData& table, char separator, TableText texts)
{
    QByteArray text;
    const auto line = [&](const QStringList& fields, bool isHeader) {
        std::vector<std::string> cells;
        for (qsizetype i = 0; i < fields.size(); ++i) {
            bool isNumber = false;
            (void)fields[i].toDouble(&isNumber);
            const bool isText = isHeader || !isNumber || table.names.contains(i);
            cells.push_back(isText ? tableText(fields[i].toStdString(), texts) : fields[i].toStdString());
        }
        text += QByteArray::fromStdString(tableLine(cells, separator, separator == ',' ? "\r\n" : "\n"));
    };
    line(table.header, true);
    for (const QStringList& row : table.rows)
        line(row, false);
    return text;
}

} // namespace

QImage toImage(const Picture& picture, double scale)
{
    const double ratio = std::clamp(scale, 1.0, 4.0);
    QImage image(picture.size * ratio, QImage::Format_ARGB32_Premultiplied);
    image.setDevicePixelRatio(ratio);
    image.setDotsPerMeterX(kPictureDotsPerMetre);
    image.setDotsPerMeterY(kPictureDotsPerMetre);
    image.fill(Qt::white);
    if (!picture.title.isEmpty())
        image.setText(u"Title"_s, picture.title);
    if (const ExportMetadata& r = picture.metadata; !r.isEmpty()) {
        image.setText(u"Software"_s, u"PRISM Explorer "_s + r.version);
        image.setText(u"prism.version"_s, r.version);
        image.setText(u"prism.scenario"_s, r.scenario);
        image.setText(u"prism.hash"_s, r.hash);
        image.setText(u"prism.seed"_s, QString::number(r.seed));
        image.setText(u"prism.samples"_s, QString::number(r.samples));
        image.setText(u"prism.page"_s, r.page);
        if (!r.scenarioJson.isEmpty())
            image.setText(u"prism.scenario.json"_s, r.scenarioJson);
    }
    QPainter painter(&image);
    picture.paint(painter);
    return image;
}

QByteArray toPng(const Picture& picture, double scale)
{
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    QImageWriter writer(&buffer, "png");
    writer.write(toImage(picture, scale));
    return buffer.data();
}

QByteArray toSvg(const Picture& picture)
{
    return svgDocument(
        picture.size, picture.paint, picture.title,
        picture.metadata.isEmpty() ? QString() : textOf(picture.metadata) + u"; "_s + QString::fromLatin1(metadataMark(picture.metadata)));
}

QByteArray toPdf(const Picture& picture)
{
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    {
        QPdfWriter writer(&buffer);
        writer.setResolution(kDotsPerInch);
        writer.setTitle(picture.metadata.isEmpty() ? picture.title : picture.title + u" - "_s + textOf(picture.metadata));
        writer.setCreator(u"PRISM Explorer %1 %2"_s.arg(picture.metadata.version, QString::fromLatin1(metadataMark(picture.metadata))));
        const QSizeF points = QSizeF(picture.size) * 72.0 / kDotsPerInch;
        writer.setPageSize(QPageSize(points, QPageSize::Point, QString(), QPageSize::ExactMatch));
        writer.setPageMargins(QMarginsF());
        QPainter painter(&writer);
        picture.paint(painter);
    }
    return buffer.data();
}

QByteArray toCsv(const TableData& table, const ExportMetadata& metadata, TableText texts)
{
    // A quote after a comma of the name would begin a cell that ends nowhere.
    const std::string words = withoutControls(textOf(metadata).replace(u'"', u'\'').toStdString());
    const QByteArray head =
        metadata.isEmpty() ? QByteArray() : "# " + QByteArray::fromStdString(words) + "; " + metadataMark(metadata) + "\r\n";
    return head + separated(table, ',', texts);
}

QByteArray toTsv(const TableData& table, TableText texts)
{
    return separated(table, '\t', texts);
}

QString writeExport(const QString& path, const Picture& picture, const TableData& table, TableText texts)
{
    const QString ending = QFileInfo(path).suffix().toLower();
    QByteArray content;
    if (ending == u"png")
        content = toPng(picture);
    else if (ending == u"svg")
        content = toSvg(picture);
    else if (ending == u"pdf")
        content = toPdf(picture);
    else if (ending == u"csv")
        content = toCsv(table, picture.metadata, texts);
    else if (ending == u"tsv" || ending == u"txt")
        content = toTsv(table, texts);
    else
        return u"%1 has no ending that can be written: use .png, .svg, .pdf, .csv or .tsv."_s.arg(QFileInfo(path).fileName());
    return writeWholeFile(path, content);
}

QMimeData* toMimeData(const Picture& picture, const TableData& table)
{
    auto* data = new QMimeData;
    const QImage image = toImage(picture);
    data->setImageData(image);
    data->setData(u"image/png"_s, toPng(picture));
    const QByteArray tsv = toTsv(table);
    data->setText(QString::fromUtf8(tsv));
    data->setData(u"text/tab-separated-values"_s, tsv);
    return data;
}

std::optional<ExportMetadata> exportMetadataOf(const QString& pngFile)
{
    QImageReader reader(pngFile);
    if (!reader.canRead() || reader.text(u"prism.hash"_s).isEmpty())
        return std::nullopt;
    return ExportMetadata{.scenario = reader.text(u"prism.scenario"_s),
                          .hash = reader.text(u"prism.hash"_s),
                          .seed = reader.text(u"prism.seed"_s).toULongLong(),
                          .samples = reader.text(u"prism.samples"_s).toLongLong(),
                          .version = reader.text(u"prism.version"_s),
                          .page = reader.text(u"prism.page"_s),
                          .scenarioJson = reader.text(u"prism.scenario.json"_s)};
}

} // namespace prism::ui
