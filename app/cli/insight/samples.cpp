// SPDX-License-Identifier: GPL-3.0-or-later
// trace sample, validate sample: a trace and a log made from a scenario, to try the commands that read real ones.
#include "app/cli/frame/commands.h"
#include "core/insight/onestep/sampletrace.h"
#include "core/insight/validate/samplelog.h"

#include <CLI/CLI.hpp>

#include <iostream>
#include <memory>

namespace prism::cli {

namespace {

/// `make` takes the scenario and the options, and gives the text.
template <class Make>
void addSample(CLI::App& parent, const char* what, const Make& make)
{
    auto options = std::make_shared<CommonOptions>();
    CLI::App* command = parent.add_subcommand("sample", what);
    addScenario(*command, *options);
    command->add_option("--seed", options->seed, "Seed of all random numbers")->capture_default_str();
    command->add_option("--output", options->output, "Write to this file instead of standard output");
    command->callback([options, make] {
        InsightOptions insight;
        insight.seed = options->seed;
        writeOutput(*options, make(loadScenario(*options), insight));
    });
}

} // namespace

void addTraceSample(CLI::App& trace, Cli& /*cli*/)
{
    addSample(trace, "Make a stage table of a few replicas of a scenario, with a slow worker to be found",
              [](const Scenario& scenario, const InsightOptions& options) {
                  const SampleTrace made = require(sampleTrace(scenario, options));
                  std::cerr << made.sentence << '\n';
                  return made.table;
              });
}

void addValidateSample(CLI::App& app, Cli& /*cli*/)
{
    addSample(app, "Make a log of step times of a run of a scenario", [](const Scenario& scenario, const InsightOptions& options) {
        Evaluator evaluator;
        return require(sampleLog(evaluator, scenario, options));
    });
}

} // namespace prism::cli
