// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/measured/steplogoptions.h"

#include "core/base/table.h"

#include <CLI/CLI.hpp>

namespace prism::cli {

void addStepLog(CLI::App& command, StepLogInput& input)
{
    command.add_option("LOG", input.file, "training log, CSV with a header or JSON lines; may be gzip")->required();
    command.add_option("--where", input.where, "COLUMN=VALUE: only these lines of a table (repeatable)");
    command.add_option("--time-column", input.options.timeColumn, "field that is the time of a step; by its name where not given");
    command.add_option("--run-column", input.options.runColumn, "lines with one value of this field belong to one run");
    command.add_option("--unit", input.options.unit, "of the time: s, ms or us; by its name where not given")
        ->check(CLI::IsMember({"s", "ms", "us"}));
    command.add_option("--pattern", input.options.pattern,
                       "a line of one's own: text with {seconds}, {ms} or {us}, and {step}, {samples}, {*} where wanted");
}

void addPart(CLI::App& command, std::string& part, const std::string& toDo)
{
    command.add_option("--part", part, "steps to " + toDo + ", of each run: all, odd or even blocks of 20, first or second half")
        ->check(CLI::IsMember({"all", "odd", "even", "first", "second"}))
        ->capture_default_str();
}

StepLog loadStepLog(const StepLogInput& input)
{
    std::string text = require(readTextFile(input.file));
    if (!input.where.empty())
        text = require(selectedRows(text, input.where), input.file);
    return require(readStepLog(text, input.options), input.file);
}

} // namespace prism::cli
