// SPDX-License-Identifier: GPL-3.0-or-later
// Two logs or two recordings of one job, before and after something was changed, as people read them.
#pragma once

#include "core/insight/change/changedmetrics.h"
#include "core/insight/insight.h"

#include <QList>
#include <QString>

#include <string>

namespace prism::ui {

/// Of the text of a log and the file of another, of any size (core/insight/change/recordingchange.h). Errors: of both sides at once.
/// Blocks.
[[nodiscard]] Result<ChangeReport> logChangesOf(const std::string& before, const QString& after, const InsightOptions& options);
/// Of two traces (files or folders; core/insight/change/recordingchange.h). Errors: of both sides at once; cancelled. Blocks.
[[nodiscard]] Result<ChangeReport> recordingChangesOf(const QString& before, const QString& after, const InsightOptions& options);

/// One row of the table: the metrics of the step first, then what changed by more than noise, then the rest.
struct ChangeRow {
    QString subject, metric, before, after, change, interval;
    bool isBeyondNoise = false, isWorse = false; ///< worse: longer, more often, or of a wider spread
};
[[nodiscard]] QList<ChangeRow> changeRows(const ChangeReport& report);
/// What the change did to the mean and p95 of the step, in one sentence.
[[nodiscard]] QString changeSentence(const ChangeReport& report);

} // namespace prism::ui
