// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/measured/steplogoptions.h"

#include "app/cli/frame/progressline.h"
#include "app/cli/frame/suggestion.h"

#include <CLI/CLI.hpp>

namespace prism::cli {

void addStepLog(CLI::App& command, StepLogInput& input)
{
    command.add_option("LOG", input.file, "training log, CSV with a header or JSON lines; may be gzip")->required();
    addStepLogOptions(command, input.options);
}

void addStepLogOptions(CLI::App& command, WholeLogOptions& options)
{
    command.add_option("--where", options.where, "COLUMN=VALUE: only these lines of a table (repeatable)");
    command.add_option("--time-column", options.log.timeColumn, "field that is the time of a step; by its name where not given");
    command.add_option("--run-column", options.log.runColumn, "lines with one value of this field belong to one run");
    command.add_option("--unit", options.log.unit, "of the time: s, ms or us; by its name where not given")
        ->check(oneOf({"s", "ms", "us"}));
    command.add_option("--pattern", options.log.pattern,
                       "custom line: text with {seconds}, {ms} or {us}, and {step}, {samples}, {*} where wanted");
}

void addPart(CLI::App& command, std::string& part, const std::string& toDo)
{
    command.add_option("--part", part, "steps to " + toDo + ", of each run: all, odd or even blocks of 20, first or second half")
        ->check(oneOf({"all", "odd", "even", "first", "second"}))
        ->capture_default_str();
}

StepLog loadStepLog(const StepLogInput& input, const CommonOptions& options)
{
    ProgressLine progress(!options.quiet);
    const ReadControl control{.progress = [&](std::uint64_t done, std::uint64_t total) {
        if (total > 0)
            progress.show(static_cast<double>(done) / static_cast<double>(total), "reading the log");
    }};
    return require(readStepLogFile(input.file, input.options, control), input.file);
}

} // namespace prism::cli
