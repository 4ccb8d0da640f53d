// SPDX-License-Identifier: GPL-3.0-or-later
// sensitivity: how every input moves the distribution; or one parameter over a range.
#include "core/insight/sensitivity/sensitivity.h"

#include "app/cli/frame/commands.h"
#include "app/cli/insight/insightcommand.h"
#include "app/cli/frame/quantities.h"
#include "core/base/valuetext.h"

#include <CLI/CLI.hpp>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <memory>

namespace prism::cli {

namespace {

struct SensitivityOptions : InsightCommand {
    std::string parameter, range;
    double limitSeconds = 0;
};

int smallest(const SensitivityTable& table)
{
    int samples = table.samples;
    for (const SensitivityRow& row : table.rows)
        samples = std::min(samples, row.samples);
    return samples;
}

std::string sensitivityText(const SensitivityTable& table)
{
    std::string text = "Step time  " + metricsLine(table.base) + "\n\n";
    text += fmt::format("{:<28} {:>7} {:>24} {:>24} {:>24} {:>16} {:>16}\n", "input", "cv", "p95, spread removed", "p95, spread doubled",
                        "p95, mean +10 %", "elasticity p95", "total effect");
    for (const SensitivityRow& r : table.rows)
        text += fmt::format("{:<28} {:>7.3f} {:>24} {:>24} {:>24} {:>16} {:>16}{}\n", r.id, r.cv,
                            r.varies ? milliseconds(r.spreadRemoved.p95) : "-", r.varies ? milliseconds(r.spreadDoubled.p95) : "-",
                            r.hasMean ? milliseconds(r.meanUp.p95) : "-",
                            r.hasMean ? plusMinus(r.elasticityP95.value, r.elasticityP95.halfWidth) : "-",
                            r.varies ? percent(r.totalEffectShare) : "-", r.nonMonotonic ? "  non-monotonic" : "");
    text += fmt::format("\nP(step > {} s) = {} as predicted; --json and --csv give every input's change of it, guarantee what other "
                        "systems add\nInteraction {}   {} to {} samples "
                        "each, {} variations, seed {}, {:.0f} ms\n",
                        amountText(table.limitSeconds, 5), percent(table.exceedance), percent(table.interactionShare), smallest(table),
                        table.samples, table.evaluations, table.seed, 1e3 * table.elapsedSeconds);
    return text + noteLines(table.notes);
}

std::string sweepText(const ParameterSweep& sweep)
{
    std::string text =
        fmt::format("{} ({}), now {}\nStep time  {}\n\n", sweep.label, sweep.parameter, sweep.baseText, metricsLine(sweep.base));
    text += fmt::format("{:>16} {:>11} {:>11} {:>11} {:>24} {:>8}\n", sweep.unit.empty() ? "value" : "value, " + sweep.unit, "p50, s",
                        "p95, s", "p99, s", "p95 change", "MFU, %");
    for (const SweepPoint& p : sweep.points)
        text += p.valid ? fmt::format("{:>16} {:>11} {:>11} {:>11} {:>24} {:>8.1f}{}\n", p.text, amountText(p.step.p50, 5),
                                      amountText(p.step.p95, 5), amountText(p.step.p99, 5), milliseconds(p.change.p95), 100 * p.mfu,
                                      p.memoryFits ? "" : "  does not fit in memory")
                        : fmt::format("{:>16} {}\n", p.text, p.problem);
    return text
           + fmt::format("\nElasticity of p95 {}{}\n", plusMinus(sweep.elasticityP95.value, sweep.elasticityP95.halfWidth),
                         sweep.nonMonotonic ? "; p95 turns within the range" : "");
}

void run(const SensitivityOptions& options)
{
    Evaluator evaluator;
    const Scenario scenario = loadScenario(options);
    InsightOptions insight = insightOptions(options);
    insight.limitSeconds = options.limitSeconds;
    if (options.parameter.empty())
        return writeInsight(options, require(sensitivity(evaluator, scenario, insight)), sensitivityText);
    const std::vector<std::string> values = require(sweepValues(options.parameter, options.range));
    writeInsight(options, require(sweepParameter(evaluator, scenario, options.parameter, values, insight)), sweepText);
}

} // namespace

void addSensitivity(CLI::App& app, Cli& cli)
{
    auto options = std::make_shared<SensitivityOptions>();
    CLI::App* command =
        app.add_subcommand("sensitivity", "Causes of variability: every kernel class, scope and factor, or one parameter over a range");
    addInsight(*command, *options, cli, 500);
    auto* range = command->add_option("--range", options->range, "lo:hi:n, lo:hi:n:log, or a list a,b,c for --parameter");
    auto* parameter = command->add_option("--parameter", options->parameter, "Sweep this parameter (its JSON path)")->needs(range);
    range->needs(parameter);
    inUnit(command->add_option("--limit", options->limitSeconds, "Limit of the changes of P(step > limit) (default: the p95)"), "s")
        ->excludes(parameter) // a sweep shows the step time itself
        ->check(CLI::NonNegativeNumber);
    command->callback([options] { run(*options); });
}

} // namespace prism::cli
