// SPDX-License-Identifier: GPL-3.0-or-later
// job: days, money and energy of a whole training run, with failures, checkpoints, spares and pauses.
#include "core/job/jobsection.h"

#include "app/cli/frame/commands.h"
#include "app/cli/insight/insightcommand.h"
#include "app/cli/frame/quantities.h"
#include "core/base/valuetext.h"
#include "core/base/timeunits.h"
#include "core/job/jobtimes.h"
#include "core/job/trainingrun.h"

#include <CLI/CLI.hpp>
#include <spdlog/fmt/fmt.h>

#include <cmath>
#include <memory>

namespace prism::cli {

namespace {

struct TrainingRunOptions : InsightCommand {
    JobQuery query;
};

std::string seconds(double value)
{
    if (!std::isfinite(value))
        return "never";
    return value < 120                   ? fmt::format("{} s", amountText(value))
           : value < 2 * kSecondsPerHour ? fmt::format("{} min", amountText(value / kSecondsPerMinute))
                                         : fmt::format("{} h", amountText(value / kSecondsPerHour));
}

std::string dated(const JobReport& r, double days)
{
    const std::string date = dateAfter(r.config.startDate, days);
    return date.empty() ? "" : " (" + date + ")";
}

std::string daysText(const JobReport& r)
{
    std::string text =
        fmt::format("{} tokens in {} steps on {} nodes; {} days without any disturbance\n\n", amountText(r.plan.tokens),
                    amountText(r.plan.steps), countText(static_cast<std::int64_t>(r.plan.nodes)), amountText(r.plan.undisturbedDays));
    text += fmt::format("Done after  p5 {}{}   p50 {}{}   p95 {}{} days\n", earnedDigits(r.p5Days, r.p50Days.halfWidth), dated(r, r.p5Days),
                        plusMinus(r.p50Days.value, r.p50Days.halfWidth), dated(r, r.p50Days.value),
                        plusMinus(r.p95Days.value, r.p95Days.halfWidth), dated(r, r.p95Days.value));
    if (r.deadlineDays > 0)
        text += fmt::format("P(done within {:g} days) {}\n", r.deadlineDays, percent(r.deadlineProbability));
    if (r.closedForm.applies)
        text += fmt::format("By renewal theory the mean is {} days and failures spread it by {} days; sampled mean {} days\n",
                            amountText(r.closedForm.days.mean, 4), amountText(r.closedForm.days.std, 2), amountText(r.meanDays, 4));
    else
        text += "No closed form: " + r.closedForm.whyNot + "\n";
    return text;
}

std::string sharesText(const JobReport& r)
{
    std::string text = fmt::format("\nEffective training time {} (p5 {:.1f} %, p95 {:.1f} %)\n", percent(r.effectiveRatio), 100 * r.ratioP5,
                                   100 * r.ratioP95);
    for (const TimeShare& s : r.shares)
        text += fmt::format("  {:<18} {:>8.2f} % {:>9.3f} days\n", s.cause, 100 * s.share.value, s.days);
    const std::string mtbf =
        std::isfinite(r.plan.mtbfHours) ? fmt::format("one every {} h", amountText(r.plan.mtbfHours)) : "none expected";
    return text
           + fmt::format("Failures: {}; p5 {:.0f}, p50 {:.0f}, p95 {:.0f} in the run\n", mtbf, r.failuresP5, r.failuresP50, r.failuresP95);
}

std::string adviceText(const JobReport& r)
{
    const CheckpointAdvice& c = r.checkpoints;
    std::string text =
        fmt::format("\nCheckpoint every {} ({:.2f} % effective); best {} ({:.2f} %), Young {}, Daly {}\n", seconds(c.usedSeconds),
                    100 * c.usedRatio, seconds(c.bestSeconds), 100 * c.bestRatio, seconds(c.youngSeconds), seconds(c.dalySeconds));
    if (!r.spares.empty())
        text += fmt::format("\nSpares: {} let a failing node find one in 99 % of the cases\n{:>8} {:>12} {:>18} {:>14}\n", r.sparesFor99,
                            "spares", "none left", "mean days", "cost, USD m");
    for (const SparePoint& p : r.spares)
        text += fmt::format("{:>8} {:>10.2f} % {:>18} {:>14.2f}\n", p.spares, 100 * p.probabilityNone,
                            plusMinus(p.meanDays.value, p.meanDays.halfWidth), p.costUsd.value / 1e6);
    text += fmt::format("\nCost {} million USD (p95 {})\n", amountText(r.costUsdMean / 1e6), amountText(r.costUsdP95 / 1e6));
    if (r.energyMwhMean > 0)
        text += fmt::format("Energy {} MWh", amountText(r.energyMwhMean, 4))
                + (r.co2TonnesMean > 0 ? fmt::format(", {} t CO2\n", amountText(r.co2TonnesMean, 4)) : "\n");
    return text;
}

std::string jobText(const JobReport& r)
{
    return daysText(r) + sharesText(r) + adviceText(r) + "\n" + noteLines(r.notes);
}

JobReport computed(const TrainingRunOptions& options)
{
    Evaluator evaluator;
    return require(jobOf(evaluator, loadScenario(options), options.query, insightOptions(options)));
}

} // namespace

void addJob(CLI::App& app, Cli& cli)
{
    auto options = std::make_shared<TrainingRunOptions>();
    CLI::App* command = app.add_subcommand("job", "The training run: end date, goodput by cause, checkpoints, spares, cost and energy");
    addInsight(*command, *options, cli, 2'000);
    inUnit(command->add_option("--tokens", options->query.tokens, "Tokens to train, for example 15T (default: the scenario's)"), "tokens");
    inUnit(command->add_option("--deadline-days", options->query.deadlineDays,
                               "Probability of being done by then (default: the job section's)"),
           "days");
    asCount(command->add_option("--runs", options->query.runs, "Training runs to sample"))->capture_default_str();
    command->callback([options] { writeInsight(*options, computed(*options), jobText); });
}

} // namespace prism::cli
