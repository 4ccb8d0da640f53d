// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/insight/insightcommand.h"

#include "app/cli/frame/progressline.h"
#include "core/base/valuetext.h"

#include <CLI/CLI.hpp>
#include <spdlog/fmt/fmt.h>

#include <cstdio>
#include <memory>

namespace prism::cli {

void addInsight(CLI::App& command, InsightCommand& options, Cli& cli, int defaultSamples)
{
    options.samples = defaultSamples;
    addScenario(command, options);
    addSampling(command, options);
    addOutput(command, options, cli);
    addTableOptions(command, options);
}

void addCsv(CLI::App& command, InsightCommand& options)
{
    command.add_flag("--csv", options.csv, "Print CSV instead of text")->excludes(command.get_option("--json"));
    addRawText(command, options);
}

void addTableOptions(CLI::App& command, InsightCommand& options)
{
    addCsv(command, options);
    command.add_flag("--progress", options.progress, "Report progress on standard error as lines, also where it is not a terminal")
        ->excludes(command.get_option("--quiet"));
}

InsightOptions insightOptions(const InsightCommand& options)
{
    InsightOptions insight;
    insight.seed = options.seed;
    insight.samples = options.samples;
    insight.threads = options.threads;
    if (options.progress)
        insight.progress = [](double fraction, std::string_view what) {
            std::fputs(fmt::format("{:3.0f} % {}\n", 100 * fraction, what).c_str(), stderr);
        };
    else
        insight.progress = [line = std::make_shared<ProgressLine>(!options.quiet)](double fraction, std::string_view what) {
            if (fraction < 1)
                line->show(fraction, what);
            else
                line->clear();
        };
    return insight;
}

std::string changeText(const Estimate& change, const std::string& unit)
{
    if (!change.significant())
        return "no difference found";
    return (change.value > 0 ? "+" : "") + plusMinus(change.value, change.halfWidth) + (unit.empty() ? "" : " " + unit);
}

std::string milliseconds(const Estimate& change)
{
    return changeText({1e3 * change.value, 1e3 * change.halfWidth}, "ms");
}

std::string percentChange(const Estimate& change)
{
    return change.significant() ? relativeChange(change.value, change.halfWidth) : changeText(change);
}

std::string percent(const Estimate& share)
{
    constexpr double kTenth = 0.1; // of a percent, the last digit that is shown
    const double value = 100 * share.value, half = 100 * share.halfWidth;
    const double shown = std::abs(value) < kTenth / 2 ? 0.0 : value; // no "-0.0"
    return half > 0 ? plusMinus(shown, std::max(half, kTenth)) + " %" : earnedDigits(shown, kTenth) + " %";
}

std::string noteLines(const std::vector<std::string>& notes)
{
    std::string text;
    for (const std::string& note : notes)
        text += "- " + note + "\n";
    return text;
}

std::string metricsLine(const DistributionSummary& s)
{
    return fmt::format("p50 {} s   p95 {} s   p99 {} s   (95 %, n = {})", plusMinus(s.p50, s.ciP50), plusMinus(s.p95, s.ciP95),
                       plusMinus(s.p99, s.ciP99), s.samples);
}

} // namespace prism::cli
