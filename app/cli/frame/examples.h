// SPDX-License-Identifier: GPL-3.0-or-later
// One example for every command, at the end of its help, of its man page and of its part of the help page.
#pragma once

namespace CLI {
class App;
}

namespace prism::cli {

/// Gives the commands below `app` without a footer their example; a command without an example ends without a footer.
void addExamples(CLI::App& app);

} // namespace prism::cli
