// SPDX-License-Identifier: GPL-3.0-or-later
// Charts as files and on the clipboard: PNG, SVG, PDF, CSV, TSV; pictures carry export metadata of the state that made them.
#pragma once

#include "core/base/table.h"
#include "ui/look/tabledata.h"
#include "ui/plot/exportmetadata.h"

#include <QImage>
#include <QSize>
#include <QString>

#include <functional>
#include <optional>

class QMimeData;

namespace prism::ui {

using PaintFunction = std::function<void(QPainter&)>;

/// A picture to be exported: its size in device-independent pixels and what draws it.
struct Picture {
    QSize size;
    PaintFunction paint;
    QString title;
    ExportMetadata metadata;
};

/// The picture as pixels with the export metadata in its text chunks; scale 1 to 4.
[[nodiscard]] QImage toImage(const Picture& picture, double scale = 2);
[[nodiscard]] QByteArray toPng(const Picture& picture, double scale = 2);
[[nodiscard]] QByteArray toSvg(const Picture& picture);
[[nodiscard]] QByteArray toPdf(const Picture& picture);
/// Texts by core/base/table.h. RFC 4180, with a comment line of the export metadata (in words, then packed) in front if any; C locale.
[[nodiscard]] QByteArray toCsv(const TableData& table, const ExportMetadata& metadata = {}, TableText texts = TableText::forSheets);
[[nodiscard]] QByteArray toTsv(const TableData& table, TableText texts = TableText::forSheets);

/// Writes by the file name's ending: .png, .svg, .pdf (picture), .csv, .tsv (table). Whole or not at all. Returns what went wrong,
/// as a sentence; empty = done.
[[nodiscard]] QString writeExport(const QString& path, const Picture& picture, const TableData& table,
                                  TableText texts = TableText::forSheets);
/// Image and TSV together, for one paste into slides or a sheet.
[[nodiscard]] QMimeData* toMimeData(const Picture& picture, const TableData& table);
/// The export metadata that a PNG carries (PNG text chunks), or nothing.
[[nodiscard]] std::optional<ExportMetadata> exportMetadataOf(const QString& pngFile);

} // namespace prism::ui
