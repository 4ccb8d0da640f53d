// SPDX-License-Identifier: GPL-3.0-or-later
// Options of the commands that read a training log.
#pragma once

#include "app/cli/frame/cli.h"
#include "core/insight/follow/wholelog.h"

#include <string>

namespace prism::cli {

struct StepLogInput {
    std::string file; ///< may be gzip
    WholeLogOptions options;
};

/// LOG, and the options of addStepLogOptions.
void addStepLog(CLI::App& command, StepLogInput& input);
/// --where, --time-column, --run-column, --unit, --pattern.
void addStepLogOptions(CLI::App& command, WholeLogOptions& options);
/// --part: which steps of each run to take (`toDo`: "fit on"), as partOf takes them.
void addPart(CLI::App& command, std::string& part, const std::string& toDo);
/// The log, with its progress on a terminal. Throws InputError.
[[nodiscard]] StepLog loadStepLog(const StepLogInput& input, const CommonOptions& options);

} // namespace prism::cli
