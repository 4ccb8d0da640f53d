// SPDX-License-Identifier: GPL-3.0-or-later
// What a command writes does not take the place of what it reads.
#pragma once

namespace CLI {
class App;
}

namespace prism::cli {

/// Every option that names a file to write refuses (InputError) a file that another argument of the same command line names: an input, a
/// file in a folder that is read, another output. Only --base may be written back: an import brings that file up to date. Call it when
/// all commands have their options.
void guardOutputs(CLI::App& program);

} // namespace prism::cli
