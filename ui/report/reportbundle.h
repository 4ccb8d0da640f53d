// SPDX-License-Identifier: GPL-3.0-or-later
// The contents of a report as separate files: the pictures for slides, the numbers for a sheet.
#pragma once

#include "ui/report/reportcharts.h"

namespace prism::ui {

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
