// SPDX-License-Identifier: GPL-3.0-or-later
// A chart or page as a table of texts.
#pragma once

#include <QList>
#include <QStringList>

namespace prism::ui {

/// A chart as a table: what a screen reader reads, what Copy puts on the clipboard as TSV, what Export writes as CSV.
/// Numbers with round-trip digits in the C locale; units are in the header.
/// Texts of the columns `names` are always texts; elsewhere a text that is a number is one.
struct TableData {
    QStringList header;
    QList<QStringList> rows;
    QList<qsizetype> names;
};

} // namespace prism::ui
