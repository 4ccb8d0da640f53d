// SPDX-License-Identifier: GPL-3.0-or-later
// What this system reports about the terminal behind standard output and standard error.
#pragma once

namespace prism {

enum class StandardStream { output, error };

/// Whether a person reads this stream on a terminal. Any thread.
[[nodiscard]] bool isTerminal(StandardStream stream);
/// Columns of the terminal, from 40 to 400; 80 where it is not known.
[[nodiscard]] int terminalColumns(StandardStream stream);
/// True for a terminal that shows colours, if NO_COLOR is not set (https://no-color.org).
[[nodiscard]] bool wantsColour(StandardStream stream);

} // namespace prism
