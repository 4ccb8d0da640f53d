// SPDX-License-Identifier: GPL-3.0-or-later
// Common parts of the insight commands: --csv, --progress, and one place that writes a result in the form requested.
#pragma once

#include "app/cli/frame/cli.h"
#include "core/insight/sensitivity/sensitivity.h"

#include <string>

namespace prism::cli {

struct InsightCommand : CommonOptions {
    bool csv = false, progress = false;
};

/// Scenario, sampling and output options with the insight's own default number of samples.
void addInsight(CLI::App& command, InsightCommand& options, Cli& cli, int defaultSamples);
[[nodiscard]] InsightOptions insightOptions(const InsightCommand& options);

/// --csv and --raw-text; after addOutput.
void addCsv(CLI::App& command, InsightCommand& options);
/// The same with --progress.
void addTableOptions(CLI::App& command, InsightCommand& options);

/// Writes JSON, CSV or text as requested.
template <class T, class Text>
void writeInsight(const InsightCommand& options, const T& result, const Text& text)
{
    if (options.csv)
        writeTable(options, toCsv(result, textsOf(options)));
    else
        writeOutput(options, options.json ? toJson(result) : text(result));
}

/// "+12.3 ± 0.4", with its unit behind it; in words where the interval covers zero.
[[nodiscard]] std::string changeText(const Estimate& change, const std::string& unit = {});
/// "+12.3 ± 0.4 ms" of a change in seconds; in words where the interval covers zero.
[[nodiscard]] std::string milliseconds(const Estimate& change);
/// "+1.2 ± 0.4 %" of a change that is a share, "12.3 ± 0.4 times" from ten on; in words where the interval covers zero.
[[nodiscard]] std::string percentChange(const Estimate& change);
/// "12.3 ± 0.4 %" of a share; one digit behind the point at most.
[[nodiscard]] std::string percent(const Estimate& share);
/// "- note" lines.
[[nodiscard]] std::string noteLines(const std::vector<std::string>& notes);
/// "p50 1.23 s ± 0.01   p95 ...   p99 ..."
[[nodiscard]] std::string metricsLine(const DistributionSummary& summary);

} // namespace prism::cli
