// SPDX-License-Identifier: GPL-3.0-or-later
// timeline: one sampled step as stages and intervals; --trace writes it for Perfetto.
#include "core/insight/onestep/timeline.h"

#include "app/cli/frame/commands.h"
#include "app/cli/insight/insightcommand.h"
#include "app/cli/frame/quantities.h"
#include "core/base/valuetext.h"

#include <CLI/CLI.hpp>
#include <spdlog/fmt/fmt.h>

#include <memory>

namespace prism::cli {

namespace {

struct TimelineOptions : InsightCommand {
    double quantile = 0.5;
    int sample = -1;
    int replica = -1;
    std::string trace;
};

std::string timelineText(const Timeline& t)
{
    std::string text = fmt::format("{} (draw {}): {} s, replica {} of {}, {} stages, {} micro-batches, schedule {}\n\n", t.draw, t.sample,
                                   amountText(t.stepSeconds, 5), t.replica, t.replicas, t.stages, t.microbatches, t.scheduleName);
    for (int s = 0; s < t.stages; ++s) {
        double critical = 0;
        int largest = 0;
        double gib = 0;
        for (const TimelineSpan& span : t.spans)
            if (span.stage == s && span.critical)
                critical += span.endSeconds - span.startSeconds;
        for (const InFlightPoint& point : t.inFlight[static_cast<std::size_t>(s)]) {
            largest = std::max(largest, point.microbatches);
            gib = std::max(gib, point.activationGib);
        }
        text += fmt::format("stage {:>3}   idle {:>5.1f} %   on the critical path {:>6.1f} %   at most {} in flight ({:.2f} GiB)\n", s,
                            100 * t.bubbleFraction[static_cast<std::size_t>(s)], 100 * critical / t.stepSeconds, largest, gib);
    }
    return text + noteLines(t.notes);
}

} // namespace

void addTimeline(CLI::App& app, Cli& cli)
{
    auto options = std::make_shared<TimelineOptions>();
    CLI::App* command = app.add_subcommand("timeline", "One sampled step: operations over time, critical path, bubbles");
    addInsight(*command, *options, cli, 500);
    auto* quantile = asShare(command->add_option("--quantile", options->quantile, "The step at this quantile of the sampled ones"))
                         ->capture_default_str();
    command->add_option("--sample", options->sample, "The sample of this number instead")
        ->excludes(quantile)
        ->check(CLI::NonNegativeNumber);
    command->add_option("--replica", options->replica, "The replica of this number instead of the slowest")->check(CLI::NonNegativeNumber);
    command->add_option("--trace", options->trace, "Write a Chrome trace (opens in Perfetto) to this file");
    command->callback([options] {
        Evaluator evaluator;
        DrawChoice draw;
        draw.quantile = options->quantile;
        if (options->sample >= 0) {
            draw.kind = DrawChoice::Kind::sample;
            draw.sample = options->sample;
        }
        draw.replica = options->replica;
        const Timeline result = require(timeline(evaluator, loadScenario(*options), draw, insightOptions(*options)));
        if (!options->trace.empty()) {
            CommonOptions file;
            file.output = options->trace;
            writeOutput(file, toChromeTrace(result));
        }
        writeInsight(*options, result, timelineText);
    });
}

} // namespace prism::cli
