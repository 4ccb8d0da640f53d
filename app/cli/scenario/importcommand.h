// SPDX-License-Identifier: GPL-3.0-or-later
// Common parts of the import commands: the scenario that an import starts from, and how the result is written.
#pragma once

#include "app/cli/frame/commands.h"
#include "core/measured/importmeasured.h"
#include "core/scenario/import/importers.h"

#include <string>

namespace prism::cli {

struct ImportOptions : CommonOptions {
    std::string input, base, name;
    NcclTestsOptions nccl;
};

/// The scenario named by --base; else one node of the default GPU with measured spreads. Throws InputError.
[[nodiscard]] Scenario importBase(const ImportOptions& options);
/// The scenario to the output, notes to standard error (both in one object with --json). Throws InputError where the result is none.
void writeImported(const ImportOptions& options, ImportResult imported);

void addImportTrace(CLI::App& parent, Cli& cli);

} // namespace prism::cli
