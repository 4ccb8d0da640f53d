// SPDX-License-Identifier: GPL-3.0-or-later
// Statistics of a measured job before and after a change, and which differences are significant.
#pragma once

#include "core/base/table.h"
#include "core/calibrate/spreadcauses.h"
#include "core/stats/redraws.h"

#include <functional>
#include <string>
#include <vector>

namespace prism {

struct ChangedMetric {
    std::string subject; ///< "step", or a class of operations
    std::string name, unit;
    double before = 0, after = 0;
    Bounded
        change; ///< after - before; all intervals of a report have a joint coverage of 95 %. Infinite ends: too few values for an interval

    [[nodiscard]] bool isBeyondNoise() const { return change.low > 0 || change.high < 0; }
};

struct ChangeReport {
    std::vector<ChangedMetric> metrics;
    std::vector<std::string> notes; ///< what was read and omitted, what is assumed
};

/// {"figures": [{subject, figure, unit, before, after, change: {value, ci95}, relative, beyond_noise}], "changed", "notes"}.
[[nodiscard]] std::string toJson(const ChangeReport& report);
/// One line for each statistic, the same columns.
[[nodiscard]] std::string toCsv(const ChangeReport& report, TableText texts);

/// A statistic of a series, and by how much identical runs differ in it, as a share of it.
struct SeriesStatistic {
    std::string name, unit;
    double betweenRuns = 0;
    std::function<double(const SeriesRuns& runs, const std::vector<double>& sorted)> of; ///< `sorted`: all values, ascending
};

/// Median step times of identical runs differ by 0.3 % (12 runs of MLPerf Training 5.0 and 5.1, Llama 3.1 405B: up to 0.5 %).
inline constexpr double kBetweenRuns = 0.003;

/// Each statistic before and after. Variance of a side: that of redrawn blocks of 20 neighbours (of a tenth of a short run) plus that
/// between runs, by its own runs, at least `betweenRuns`. Student's t with the degrees of freedom of the blocks, for one of `together`
/// intervals. No interval below kMinValues values on a side. Deterministic; any thread.
[[nodiscard]] std::vector<ChangedMetric> changedMetrics(const std::string& subject, const std::vector<SeriesStatistic>& statistics,
                                                        const SeriesRuns& before, const SeriesRuns& after, std::size_t together);
inline constexpr std::size_t kMinValues = 4;

/// Mean, median, p95 and p99 of step times in seconds.
[[nodiscard]] std::vector<SeriesStatistic> stepStatistics();

} // namespace prism
