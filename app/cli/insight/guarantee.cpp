// SPDX-License-Identifier: GPL-3.0-or-later
// guarantee: guarantees about a step, a training run and a deadline.
#include "core/job/jobsection.h"

#include "app/cli/frame/commands.h"
#include "app/cli/insight/insightcommand.h"
#include "app/cli/frame/quantities.h"
#include "core/base/valuetext.h"

#include <CLI/CLI.hpp>
#include <spdlog/fmt/fmt.h>

#include <memory>

namespace prism::cli {

namespace {

struct GuaranteeOptions : InsightCommand {
    GuaranteeQuery query;
    double deadlineDays = 0;
};

std::string guaranteeText(const Guarantee& g)
{
    std::string text = "Across jobs       " + metricsLine(g.across) + "\nWithin one job    " + metricsLine(g.within) + "\n\n";
    for (const Exceedance& e : g.exceedances)
        text += fmt::format("P(step > {} s) {}, nine of ten systems {} to {}   as predicted: across jobs {}   within a job {}{}\n",
                            amountText(e.limitSeconds, 5), percent(e.overSystems.probability), probabilityText(e.overSystems.low),
                            probabilityText(e.overSystems.high), plusMinus(e.acrossProbability.value, e.acrossProbability.halfWidth),
                            plusMinus(e.withinProbability.value, e.withinProbability.halfWidth),
                            e.resolved ? "" : "   (no sample beyond: the interval is an upper bound)");
    for (const LimitFor& l : g.limits)
        text += fmt::format("P(step > x) = {:<8g} x = {} s   as predicted: across jobs {} s   within a job {} s{}\n", l.probability,
                            amountText(l.overSystemsSeconds, 4), plusMinus(l.acrossSeconds.value, l.acrossSeconds.halfWidth),
                            plusMinus(l.withinSeconds.value, l.withinSeconds.halfWidth), l.resolved ? "" : "   (too few samples)");
    if (g.hasTraining) {
        const TrainingTime& t = g.training;
        text +=
            fmt::format("\n{} tokens in {} steps, the steps alone as predicted: p5 {}, p50 {}, p95 {}, p99 {} days\n", amountText(t.tokens),
                        amountText(t.steps), earnedDigits(t.p5Days, t.p50.halfWidth), plusMinus(t.p50.value, t.p50.halfWidth),
                        plusMinus(t.p95.value, t.p95.halfWidth), earnedDigits(t.p99Days, t.p95.halfWidth));
        text += fmt::format("With the error of the mean and how systems differ: p5 {}, p50 {}, p95 {} days\n",
                            amountText(t.overSystems.low), amountText(t.overSystems.median), amountText(t.overSystems.high));
        text += fmt::format("Standard deviation: persistent factors {} days, steps {} days (independent steps would claim {} days)\n",
                            amountText(t.stdJobDays), amountText(t.stdStepsDays), amountText(t.stdIfIndependentDays));
        if (g.deadlineDays > 0)
            text += fmt::format("P(done within {:g} days) {}\n", g.deadlineDays, percent(g.deadlineProbability));
    }
    return text + noteLines(g.notes);
}

} // namespace

void addGuarantee(CLI::App& app, Cli& cli)
{
    auto options = std::make_shared<GuaranteeOptions>();
    CLI::App* command = app.add_subcommand("guarantee", "P(step > x), x for a probability, time to train, probability of a deadline");
    addInsight(*command, *options, cli, 2'000);
    inUnit(command->add_option("--limit", options->query.limitsSeconds, "Limits such as 9.5s, separated by commas: P(step > limit)"), "s")
        ->delimiter(',');
    asShare(command->add_option("--probability", options->query.probabilities,
                                "Probabilities such as 1%, separated by commas: the limit that is exceeded with this probability"))
        ->delimiter(',');
    asShare(command->add_option("--trend", options->query.trend,
                                "Change of the step time over the run, such as 0.8%, as fit and validate steps name it"))
        ->check(CLI::Range(-0.99, 0.99));
    inUnit(command->add_option("--tokens", options->query.trainTokens, "Tokens to train, for example 15T (default: the scenario's)"),
           "tokens");
    inUnit(command->add_option("--deadline-days", options->deadlineDays, "Probability that the whole job is done by then, as job has it"),
           "days");
    command->callback([options] {
        Evaluator evaluator;
        GuaranteeQuery query = options->query;
        if (query.limitsSeconds.empty() && query.probabilities.empty())
            query.probabilities = {0.5, 0.1, 0.05, 0.01, 0.001};
        const Scenario scenario = loadScenario(*options);
        if (options->deadlineDays > 0 && query.trainTokens <= 0 && scenario.training.trainTokens <= 0)
            throw InputError({{Severity::error, "--deadline-days", "A deadline needs the number of tokens to train.", "no tokens",
                               "--tokens N, or training.train_tokens in the scenario", "", ""}});
        writeInsight(*options, require(promise(evaluator, scenario, query, options->deadlineDays, insightOptions(*options))),
                     guaranteeText);
    });
}

} // namespace prism::cli
