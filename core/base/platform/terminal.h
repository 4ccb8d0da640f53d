// SPDX-License-Identifier: GPL-3.0-or-later
// What this system says about the terminal behind standard output and standard error.
#pragma once

namespace prism {

enum class StandardStream { output, error };

/// Whether a person reads this stream on a terminal. Any thread.
[[nodiscard]] bool isTerminal(StandardStream stream);
/// Columns of the terminal, from 40 to 400; 80 where it does not say.
[[nodiscard]] int terminalColumns(StandardStream stream);
/// A terminal that shows colours, and a user who has not set NO_COLOR (https://no-color.org).
[[nodiscard]] bool wantsColour(StandardStream stream);

} // namespace prism
