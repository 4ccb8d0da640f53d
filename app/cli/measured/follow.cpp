// SPDX-License-Identifier: GPL-3.0-or-later
// follow: a training log while it grows, each step compared with its predicted distribution, with alarms and what would explain them.
#include "app/cli/frame/commands.h"
#include "app/cli/frame/quantities.h"
#include "app/cli/frame/suggestion.h"
#include "core/base/valuetext.h"
#include "core/base/platform/childprocess.h"
#include "core/calibrate/runfit.h"
#include "core/insight/follow/follower.h"
#include "core/insight/follow/growinglog.h"
#include "core/insight/follow/whatif.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <spdlog/fmt/fmt.h>

#include <chrono>
#include <filesystem>
#include <iostream>
#include <limits>
#include <memory>
#include <sstream>
#include <thread>

namespace prism::cli {

namespace {

using Json = nlohmann::ordered_json;

struct FollowCommand : CommonOptions {
    std::string file;
    StepLogOptions log;
    FollowOptions follow;
    double idleSeconds = 0, pollSeconds = 1;
    std::string onAlarm;
    bool once = false, all = false;
};

/// Takes lines and reports the steps in them.
class Session final {
public:
    Session(const FollowCommand& options, Scenario scenario, const std::vector<double>& predicted)
        : m_options(options),
          m_whatIfs(std::move(scenario)),
          m_reader(options.log, StepLogReader::Keep::ends),
          m_follower(predicted, options.follow)
    {
    }

    void line(std::string_view text)
    {
        const bool isStep = m_reader.line(text);
        if (hasErrors(m_reader.problems()))
            throw InputError(m_reader.problems());
        if (!isStep)
            return;
        const std::vector<Deviation> found = m_follower.take(m_reader.last());
        if (m_options.all)
            placed();
        for (const Deviation& d : found)
            alarm(d);
    }

    void restarted()
    {
        ++m_restarts;
        printEvent({{"event", "restarted"}, {"text", "the log became shorter or was replaced: it is read from its start"}});
    }

    [[nodiscard]] std::size_t alarms() const { return m_alarms; }

    void finish()
    {
        const StepLog& log = m_reader.log();
        const auto level = m_follower.levelOverPredicted();
        Json summary{{"event", "summary"},
                     {"format", log.format},
                     {"lines", log.lines},
                     {"steps", m_follower.steps()},
                     {"unusable", log.unusable},
                     {"repeated", log.repeated},
                     {"restarts", m_restarts},
                     {"alarms", m_alarms},
                     {"level_threshold", m_follower.levelThreshold()},
                     {"level_over_predicted", level ? Json(*level) : Json()}};
        summary["text"] = fmt::format("{} steps followed, {} alarm{}; {} lines, {} without a usable time, {} restart{}", m_follower.steps(),
                                      m_alarms, m_alarms == 1 ? "" : "s", log.lines, log.unusable, m_restarts, m_restarts == 1 ? "" : "s");
        printEvent(summary);
    }

private:
    void printEvent(const Json& event)
    {
        const auto json = [&] { return event.dump(-1, ' ', false, Json::error_handler_t::replace); };
        writeStandardOutput((m_options.json ? json() : event["text"].get<std::string>()) + "\n");
    }

    void placed()
    {
        const PlacedStep& p = m_follower.last();
        printEvent({{"event", "step"},
                    {"step", p.number},
                    {"seconds", p.seconds},
                    {"over_level", p.overLevel},
                    {"probability", p.probability},
                    {"learning", p.learning},
                    {"text", fmt::format("step {}: {} s{}", p.number, amountText(p.seconds, 4),
                                         p.learning ? ", learning the level"
                                                    : fmt::format(", {:+.2f} % of the level, longer than {:.1f} % of predicted steps",
                                                                  100 * (p.overLevel - 1), 100 * p.probability))}});
    }

    void alarm(const Deviation& d)
    {
        ++m_alarms;
        Json event{{"event", "alarm"}, {"kind", deviationName(d.kind)}, {"step", d.step}, {"ratio", d.ratio}};
        std::string text = fmt::format("ALARM at step {}: {}", d.step, d.text);
        Json causes = Json::array();
        if (d.kind != DeviationKind::stalls)
            if (const auto found = m_whatIfs.reaching(d.ratio); found.ok())
                for (const LikelyCause& w : *found) {
                    causes.push_back({{"id", w.id}, {"factor", w.factor}, {"ratio", w.ratio}, {"reaches", w.reaches}, {"text", w.text}});
                    text += w.reaches ? "\n    " + w.text : "";
                }
        if (d.kind == DeviationKind::stalls) {
            event["events"] = d.events;
            event["expected_events"] = d.expectedEvents;
        }
        event["what_if"] = causes;
        event["text"] = text;
        printEvent(event);
        if (!m_options.onAlarm.empty())
            notify(m_options.json ? event.dump(-1, ' ', false, Json::error_handler_t::replace) : text);
    }

    /// Starts the command of --on-alarm with the alarm as its last argument and waits for its end.
    void notify(std::string alarm) const
    {
        ChildCommand command;
        std::istringstream words(m_options.onAlarm);
        for (std::string word; words >> word;)
            command.words.push_back(word);
        command.words.push_back(std::move(alarm));
        const std::optional<ChildRun> run = runChild(command);
        if (!run || run->exitCode != 0)
            reportDiagnostics(m_options,
                              {{Severity::warning, "--on-alarm",
                                run ? "the command ended with code " + std::to_string(run->exitCode) : "the command cannot be started",
                                m_options.onAlarm, "a program that can be started, and its first arguments", "", ""}});
    }

    const FollowCommand& m_options;
    WhatIfs m_whatIfs;
    StepLogReader m_reader;
    StepFollower m_follower;
    std::size_t m_alarms = 0, m_restarts = 0;
};

/// Line by line as it comes; of a line that is longer than lines may be, no more than that is kept.
void followInput(std::istream& in, Session& session)
{
    std::ios::sync_with_stdio(false);            // whole pieces at once instead of characters
    std::string text(kLongestLogLine + 2, '\0'); // one more than a line may have, and the end that getline writes
    while (in.getline(text.data(), static_cast<std::streamsize>(text.size())) || in.gcount() > 0) {
        const bool isCut = in.fail() && !in.eof(), hasEnd = !in.fail() && !in.eof();
        session.line(std::string_view(text).substr(0, static_cast<std::size_t>(in.gcount()) - (hasEnd ? 1 : 0)));
        if (isCut) {
            in.clear();
            in.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
        }
    }
}

void followFile(const FollowCommand& options, Session& session)
{
    using Clock = std::chrono::steady_clock;
    GrowingLog file(options.file);
    const LogListener listener{[&](std::string_view line) { session.line(line); }, [&] { session.restarted(); }};
    auto last = Clock::now();
    while (true) {
        if (file.read(listener, options.once))
            last = Clock::now();
        const std::chrono::duration<double> idle = Clock::now() - last;
        if (options.once || (options.idleSeconds > 0 && idle.count() > options.idleSeconds))
            return;
        std::this_thread::sleep_for(std::chrono::duration<double>(options.pollSeconds));
    }
}

void follow(FollowCommand options)
{
    if (std::error_code error; options.file != "-" && !std::filesystem::is_regular_file(options.file, error))
        throw InputError({{Severity::error, options.file, "the log cannot be read", "", "a file, or - for standard input", "", ""}});
    const Scenario scenario = loadScenario(options);
    Evaluator evaluator;
    const std::vector<double> predicted = require(withinSteps(evaluator, scenario, {options.seed, options.samples, options.threads}));
    options.follow.gpus = static_cast<double>(scenario.cluster.numGpus);
    options.follow.stallsPerGpuHour = scenario.variability.stallsPerGpuHour;
    options.follow.stallRateCv = scenario.variability.stallRateCv;
    Session session(options, scenario, predicted);
    if (options.file == "-")
        followInput(std::cin, session);
    else
        followFile(options, session);
    session.finish();
}

} // namespace

void addFollow(CLI::App& app, Cli& cli)
{
    auto options = std::make_shared<FollowCommand>();
    CLI::App* command = app.add_subcommand(
        "follow", "Compare a growing training log with its prediction: alarms for level, drift and stalls; nothing is sent anywhere");
    command->add_option("LOG", options->file, "the log, or - for standard input")->required();
    command->add_option("--scenario", options->scenario, "the job: a JSON file, a preset name, or STUDY.prism:NAME")->required();
    command->add_option("--set", options->overrides, "override one parameter of it: path=value (repeatable)")->allow_extra_args(false);
    command->add_option("--time-column", options->log.timeColumn, "field that is the time of a step");
    command->add_option("--run-column", options->log.runColumn, "lines with one value of this field belong to one run");
    command->add_option("--unit", options->log.unit, "of the time: s, ms or us")->check(oneOf({"s", "ms", "us"}));
    command->add_option("--pattern", options->log.pattern, "custom line: text with {seconds}, {ms} or {us}, {step}, {samples}, {*}");
    inUnit(command->add_option("--false-alarms", options->follow.falseAlarmsPerWeek, "expected false alarms per week"), "")
        ->check(CLI::Range(1e-6, 1000.0))
        ->capture_default_str();
    asShare(command->add_option("--least-shift", options->follow.minShift, "smallest change of level that is an alarm, as a share"))
        ->check(CLI::Range(0.001, 1.0))
        ->capture_default_str();
    auto* once = command->add_flag("--once", options->once, "read what the log has and exit");
    command->add_option("--on-alarm", options->onAlarm,
                        "program, with first arguments after blanks, started with each alarm as its last argument; no shell reads it");
    command->add_flag("--all", options->all, "print the percentile of every step");
    inUnit(command->add_option("--idle", options->idleSeconds, "exit when the log has not grown for this time; 0 = never"), "s")
        ->excludes(once);
    addSampling(*command, *options);
    command->add_flag("--json", options->json, "one JSON object per line")->each([&cli](const std::string&) { cli.json = true; });
    command->callback([options] { follow(*options); });
}

} // namespace prism::cli
