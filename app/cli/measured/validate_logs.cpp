// SPDX-License-Identifier: GPL-3.0-or-later
// validate logs: two logs of one job, before and after a change; and common parts with trace compare.
#include "app/cli/measured/beforeafter.h"

#include "app/cli/frame/commands.h"
#include "app/cli/measured/steplogoptions.h"
#include "core/base/valuetext.h"
#include "core/base/printable.h"
#include "core/insight/change/recordingchange.h"

#include <CLI/CLI.hpp>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <memory>

namespace prism::cli {

namespace {

constexpr std::size_t kSubjectBytes = 36;

std::string metricLine(const ChangedMetric& f)
{
    const std::string ends = std::isfinite(f.change.low) ? fmt::format("{:+.3g} to {:+.3g}", f.change.low, f.change.high) : "not known";
    const std::string relative = f.before != 0 ? fmt::format("{:+.2f} %", 100 * f.change.value / std::abs(f.before)) : "";
    return fmt::format("{:<36} {:<19} {:>11} {:>11} {:>10} {:>24}  {:<7} {}\n", printable(f.subject, kSubjectBytes), f.name,
                       amountText(f.before, 4), amountText(f.after, 4), relative, ends, f.isBeyondNoise() ? "CHANGED" : "", f.unit);
}

std::string changesText(const ChangeReport& report)
{
    std::string text;
    for (const std::string& note : report.notes)
        text += note + "\n";
    text +=
        fmt::format("\n{:<36} {:<19} {:>11} {:>11} {:>10} {:>24}\n", "", "figure", "before", "after", "relative", "change, 95 % in all");
    std::size_t shown = 0, changed = 0;
    for (const ChangedMetric& f : report.metrics) {
        changed += f.isBeyondNoise() ? 1 : 0;
        if (f.subject != "step" && f.subject != "remainder" && !f.isBeyondNoise())
            continue;
        text += metricLine(f);
        ++shown;
    }
    text += fmt::format("\n{} of {} figures changed by more than noise", changed, report.metrics.size());
    return text
           + (shown < report.metrics.size() ? fmt::format("; {} without a change are in --json and --csv\n", report.metrics.size() - shown)
                                            : "\n");
}

} // namespace

CLI::App* addBeforeAfter(CLI::App& parent, const char* name, const char* help, const std::string& what, BeforeAfterOptions& options,
                         Cli& cli)
{
    CLI::App* command = parent.add_subcommand(name, help);
    command->add_option("BEFORE", options.files[0], what)->required();
    command->add_option("AFTER", options.files[1], "The same kind of file after the change")->required();
    addOutput(*command, options, cli);
    addCsv(*command, options);
    return command;
}

void readBoth(const BeforeAfterOptions& options, const std::function<void(const std::string& file, std::size_t side)>& read)
{
    Diagnostics errors;
    for (std::size_t side = 0; side < options.files.size(); ++side)
        try {
            read(options.files[side], side);
        } catch (const InputError& e) {
            for (Diagnostic d : e.diagnostics()) {
                if (!d.path.starts_with(options.files[side]))
                    d.path = options.files[side] + (d.path.empty() ? "" : ": " + d.path);
                errors.push_back(std::move(d));
            }
        }
    if (!errors.empty())
        throw InputError(errors);
}

void writeChanges(const BeforeAfterOptions& options, const ChangeReport& report)
{
    writeInsight(options, report, changesText);
}

void addValidateLogs(CLI::App& app, Cli& cli)
{
    struct LogsOptions : BeforeAfterOptions {
        WholeLogOptions log;
    };
    auto options = std::make_shared<LogsOptions>();
    CLI::App* command = addBeforeAfter(
        app, "logs", "Compare two logs of one job: which of level, percentiles, jitter, stalls, trend and warm-up changed beyond noise",
        "training log, CSV with a header or JSON lines; may be gzip", *options, cli);
    addStepLogOptions(*command, options->log);
    command->callback([options] {
        std::array<StepLog, 2> logs;
        readBoth(*options, [&](const std::string& file, std::size_t side) { logs[side] = loadStepLog({file, options->log}, *options); });
        writeChanges(*options, require(logChanges(logs[0], logs[1])));
    });
}

} // namespace prism::cli
