// SPDX-License-Identifier: GPL-3.0-or-later
// A report as a file: PDF, or one HTML file that needs nothing else. The same findings give the same bytes.
#pragma once

#include "ui/report/reportpages.h"

namespace prism::ui {

/// Dates and random numbers that Qt's writer puts in are pinned, so that the bytes depend on the findings, the fonts and Qt alone.
[[nodiscard]] QByteArray toPdf(const Findings& found, ReportForm form = ReportForm::paper);
/// Self-contained: style and pictures (SVG) inside, no script, nothing loaded. Text from scenarios is escaped.
[[nodiscard]] QByteArray toHtml(const Findings& found);
/// One page as a picture, for previews and tests.
[[nodiscard]] QImage toImage(const ReportPage& page, double scale = 1);

/// Writes by the name's ending, .pdf or .html; whole or not at all. What went wrong as a sentence; empty = done.
[[nodiscard]] QString writeReport(const QString& path, const Findings& found, ReportForm form = ReportForm::paper);

} // namespace prism::ui
