// SPDX-License-Identifier: GPL-3.0-or-later
// Commands of prism-develop: measurements and fits of the developers of PRISM Explorer.
#pragma once

#include "app/cli/frame/cli.h"

namespace prism::cli {

void addBench(CLI::App& app, Cli& cli);
void addCalibrate(CLI::App& app, Cli& cli);

} // namespace prism::cli
