// SPDX-License-Identifier: GPL-3.0-or-later
// Waiting for a window that is driven by a program instead of a user.
#pragma once

namespace prism::ui {
class MainWindow;
}

namespace prism::explorer {

/// Lets the window work until its page and all background jobs are done and the study is kept (or cannot be). False: it took too long.
[[nodiscard]] bool settle(ui::MainWindow& window);

} // namespace prism::explorer
