// SPDX-License-Identifier: GPL-3.0-or-later
// Common parts of the commands that compare two recordings of one job, before and after a change.
#pragma once

#include "app/cli/insight/insightcommand.h"
#include "core/insight/change/changedmetrics.h"

#include <array>
#include <functional>

namespace prism::cli {

struct BeforeAfterOptions : InsightCommand {
    std::array<std::string, 2> files;
};

/// BEFORE, AFTER (`what`: "training log"), and the output options.
CLI::App* addBeforeAfter(CLI::App& parent, const char* name, const char* help, const std::string& what, BeforeAfterOptions& options,
                         Cli& cli);

/// Reads both files. Throws one InputError with the errors of both, each with its file.
void readBoth(const BeforeAfterOptions& options, const std::function<void(const std::string& file, std::size_t side)>& read);

/// Writes the report in the requested format. The text has all values of the step, of the classes those beyond noise, and the
/// remainder.
void writeChanges(const BeforeAfterOptions& options, const ChangeReport& report);

} // namespace prism::cli
