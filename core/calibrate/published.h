// SPDX-License-Identifier: GPL-3.0-or-later
// Published training-step measurements: reading them as scenarios, running them, and the errors of the model by source.
#pragma once

#include "core/calibrate/residuals.h"
#include "core/cost/calibration.h"
#include "core/schedule/schedule.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace prism {

/// The FLOPs that a printed TFLOP/s or MFU counts; unknown fields stay empty.
struct FlopsConvention {
    std::string attention; ///< "full" or "causal"
    std::optional<bool> recomputation, vocabulary;
    double peakTflops = 0; ///< the peak that an MFU relates to; 0 = not given
};

/// One published step and the scenario that describes it. A row that cannot be described has the reason in `skipped`.
struct PublishedRow {
    std::string id, suite, source, tier;
    std::string suspect;     ///< not empty: published numbers of the row's source contradict it; by which rule
    std::string duplicateOf; ///< the same log under another name
    double publishedSeconds = 0;
    double publishedMemoryGib = 0; ///< 0 = not published
    double publishedTflops = 0;    ///< per GPU, as printed; 0 = not published
    FlopsConvention convention;
    std::string skipped;
    std::vector<std::string> assumptions; ///< values that were not printed and are assumed, one by one
    Scenario scenario;
    // Schedule-only rows (zero bubble): profiled pass times in, no cost model.
    bool scheduleOnly = false;
    std::string schedule;
    int numStages = 1, numChunks = 1, numMicrobatches = 1, numLayers = 0;
    PassTimes profiled;              ///< seconds per stage and micro-batch
    double publishedBubbleRate = -1; ///< < 0 = not published
    double microBatch = 1;

    /// False where the row is excluded from fits and sums: suspect, or the same log again.
    [[nodiscard]] bool counts() const { return suspect.empty() && duplicateOf.empty(); }
};

/// What the model predicted for one row.
struct ValidatedRow {
    std::string id, suite, source, tier, skipped;
    std::string excluded; ///< why the row stays out of sums: suspect, or a duplicate
    std::vector<std::string> assumptions;
    double noiseFreeSeconds = 0;                                  ///< every factor at its mean
    double predictedSeconds = 0, publishedSeconds = 0, error = 0; ///< error = predicted / published - 1
    double bandLowSeconds = 0, bandHighSeconds = 0;
    double predictedP50Seconds = 0, predictedP95Seconds = 0; ///< 0 when not sampled
    double predictedMemoryGib = 0, publishedMemoryGib = 0;
    double predictedBubbleRate = -1, publishedBubbleRate = -1;
    double samplesPerSecondPerGpu = 0;               ///< schedule rows
    double predictedTflops = 0, publishedTflops = 0; ///< per GPU, counted as the source counts; 0 = not known
    [[nodiscard]] bool hasError() const { return skipped.empty() && publishedSeconds > 0; }
};

struct SuiteErrors : Residuals {
    std::string suite;
    int skipped = 0, excluded = 0; ///< excluded: suspect rows and duplicates, in no sum
    double rankCorrelation = 0;
    double memoryMeanAbs = -1, bubbleMeanAbs = -1; ///< < 0 = nothing to compare
    std::string peer;                              ///< the best result that another tool published on these rows
};

struct ValidationReport {
    std::vector<ValidatedRow> rows;
    std::vector<SuiteErrors> suites;
    SuiteErrors all;
    double bandCoverage = 0;
};

/// Reads "prism-validation-1", schema version 2: a row's shape, and over it the `execution` that its source and itself state as scenario
/// paths. No free text is read. Untrusted input: at most 64 MiB and 20,000 rows; every error at once.
[[nodiscard]] Result<std::vector<PublishedRow>> readPublished(std::string_view json);

/// Prediction of one row: the noise-free step times `slowdown`, by which the median step of an uneven machine is longer
/// (insight/validation.h samples it; 1 = noise-free). Schedule rows have none.
[[nodiscard]] ValidatedRow validatedRow(const PublishedRow& row, const Calibration& calibration, double slowdown = 1);

/// Errors by suite and overall. `rows` as from validatedRow.
[[nodiscard]] ValidationReport validationReport(std::vector<ValidatedRow> rows);

/// Spearman's rank correlation; 0 with fewer than three pairs.
[[nodiscard]] double rankCorrelation(const std::vector<double>& a, const std::vector<double>& b);

} // namespace prism
