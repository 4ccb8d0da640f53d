// SPDX-License-Identifier: GPL-3.0-or-later
// The pictures and tables of a report, each with a sentence; paper, slides and HTML draw the same ones.
#pragma once

#include "ui/findings/findings.h"
#include "ui/look/textruns.h"
#include "ui/plot/export.h"
#include "ui/plot/canvas.h"

#include <functional>

namespace prism::ui {

/// One picture.
struct ReportChart {
    QString id, title, sentence, footnote;
    double height = 0;   ///< on a column of paper, at scale 1
    bool half = false;   ///< half a column is wide enough
    bool curves = false; ///< one for each scenario: their names are above
    std::function<void(Canvas&, const QRectF&)> paint;
};

/// A table: text for people, the first column left, the others with their values.
struct ReportTable {
    QString title;
    QStringList header;
    QList<QList<TextRuns>> rows;
    QList<double> widths; ///< shares of the line, sum 1
};

/// Step times, misses, causes, ends and losses, where they were found. They keep what they draw; `found` must outlive them.
[[nodiscard]] std::vector<ReportChart> reportCharts(const Findings& found);
/// Every scenario with median, p95, days and cost, and their changes to the baseline.
[[nodiscard]] ReportTable scenarioTable(const Findings& found);
/// Failures, goodput, spares, cost, energy of the advised scenario; no rows without a job.
[[nodiscard]] ReportTable jobTable(const Findings& found);
/// The inputs of the job with their sources.
[[nodiscard]] ReportTable sourceTable(const Findings& found);
/// Data to reproduce the report: hash, seed, samples of every scenario.
[[nodiscard]] ReportTable metadataTable(const Findings& found);
/// "Half of all runs end by 12 March …": the job in one sentence; empty without one.
[[nodiscard]] QString jobSentence(const Findings& found);
/// The table of the job in a sentence: failures and cost; empty without a job.
[[nodiscard]] QString costSentence(const Findings& found);
/// The table of scenarios in a sentence: the shortest and the longest p95.
[[nodiscard]] QString scenarioSentence(const Findings& found);
/// The least and the most costly place of one slow node; empty when it was not found.
[[nodiscard]] QStringList placeSentences(const Findings& found);
/// "10,000 sampled steps per scenario, seed 7, …"
[[nodiscard]] QString metadataLine(const Findings& found);
/// The export metadata of the scenario that the answer takes.
[[nodiscard]] ExportMetadata exportMetadataOf(const Findings& found);

} // namespace prism::ui
