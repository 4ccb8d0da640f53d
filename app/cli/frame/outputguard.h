// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps a command from overwriting its input.
#pragma once

namespace CLI {
class App;
}

namespace prism::cli {

/// Every option that names a file to write refuses (InputError) a file that another argument of the same command line names: an input, a
/// file in a folder that is read, another output. Two inputs may be written back: --base, which an import updates, and the scenario file of
/// `new`, which gets its comments. Call it when all commands have their options.
void guardOutputs(CLI::App& program);

} // namespace prism::cli
