// SPDX-License-Identifier: GPL-3.0-or-later
// Results of traces of a measured job: pools with their families, slow workers and stages, slowdowns, gains of repairs.
#pragma once

#include "core/base/textfile.h"
#include "core/insight/change/recording.h"
#include "core/engine/summary.h"
#include "core/insight/insight.h"
#include "core/trace/kinetoreport.h"
#include "core/trace/profilemodel.h"
#include "core/trace/whatif.h"

#include <QString>
#include <QStringList>

#include <optional>

namespace prism::ui {

/// The kind of a dropped path, recognised by its content; gzip counts as what is inside it.
enum class FoundFile { other, stageTable, pipelineEvents, profilerTraces };
/// Looks at the beginning of a file (64 KiB) or at the names in a folder. Waits for the disk, briefly.
[[nodiscard]] FoundFile foundFile(const QString& path);
[[nodiscard]] bool isTrace(FoundFile kind);
/// The content of a file (core/base/textfile.h: gzip, UTF-16), at most `most` bytes. Errors: a device or pipe, not readable, larger,
/// damaged.
[[nodiscard]] Result<QByteArray> contentOf(const QString& path, std::size_t largest = kMaxTextBytes);

/// One step table or a folder of pipeline events: computations by worker and stage.
struct JobFound {
    std::shared_ptr<const TraceJob> job;
    std::vector<double> workerFactors; ///< persistent, over the median worker of the stage; [replicas * stages]
    std::optional<WhatIf> slowdowns;
    std::optional<Repairs> repairs;
};

/// Profiled ranks whose steps have barriers in common: what `trace predict` and `trace whatif` compute with their defaults.
struct ProfileFound {
    ProfileModel model;
    Repairs repairs;
    DistributionSummary forecast; ///< of the step, seconds
};

struct TraceFound {
    QString name;
    std::vector<DurationPool> pools;    ///< largest total time first
    std::optional<JobFound> job;        ///< of stage tables and pipeline events
    std::optional<KinetoReport> kineto; ///< of profiler traces; its pools are above
    std::optional<ProfileFound> profile;
    std::optional<Scenario> imported; ///< the base with the values of the traces
    QStringList notes;                ///< what was dropped, assumed or cannot be determined: one sentence each
};

/// Stop and progress of an insight for the readers of files; refers to the options.
[[nodiscard]] ReadControl controlOf(const InsightOptions& options);

/// Reads and computes everything at once. `base` gives what traces lack. Blocks its thread; memory as of the readers. Errors: nothing
/// that can be read, cancelled.
[[nodiscard]] Result<TraceFound> traceFound(const QString& path, const Scenario& base, const InsightOptions& options);
/// What can be compared with another recording of the same job. Blocks. Errors as above, or no two steps agree.
[[nodiscard]] Result<Recording> recordingOf(const QString& path, const InsightOptions& options);
/// The repairs of what was read, or null.
[[nodiscard]] const Repairs* repairsOf(const TraceFound& found);
/// "12 steps of 8 replicas × 4 stages. 3 workers are slow …": what was recognised, before anything changes.
[[nodiscard]] QString recognisedText(const TraceFound& found);

} // namespace prism::ui
