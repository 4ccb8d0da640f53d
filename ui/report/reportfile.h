// SPDX-License-Identifier: GPL-3.0-or-later
// A report as a file (PDF, or one HTML file that needs nothing else), or as separate files for slides and sheets.
#pragma once

#include "ui/report/reportcharts.h"
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

/// The folder next to a report: "plan-files" of "plan.pdf".
[[nodiscard]] QString bundleFolder(const QString& reportPath);

/// Every scenario with its metrics: seconds with half-widths, changes to the baseline, P(miss), job, memory, hash and seed; round-trip
/// digits.
[[nodiscard]] TableData scenarioMetrics(const Findings& found);
/// The curves of the scenarios: seconds, P(step <= seconds), the simultaneous 95 % band.
[[nodiscard]] TableData curveMetrics(const Findings& found);
/// The causes of spread of the advised scenario and what p95 rises by when one is doubled.
[[nodiscard]] TableData causeMetrics(const Findings& found);
/// The inputs of its job and their sources.
[[nodiscard]] TableData assumptionMetrics(const Findings& found);

/// Writes the pictures (PNG, twice the size) and those tables that have rows (CSV) into the folder, which is made; each carries the
/// metadata of the advised scenario. The same findings give the same bytes. What went wrong as a sentence; empty = done.
[[nodiscard]] QString writeReportBundle(const QString& folder, const Findings& found, TableText texts = TableText::forSheets);

} // namespace prism::ui
