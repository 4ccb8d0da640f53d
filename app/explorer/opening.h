// SPDX-License-Identifier: GPL-3.0-or-later
// What the explorer works on without a user: a study, or any file that the window imports.
#pragma once

#include <QString>

namespace prism::ui {
class MainWindow;
}

namespace prism::explorer {

/// Opens a study (.prism), or the sample study with the scenario of another file in it; empty = the sample study. The error for
/// people, empty = done.
[[nodiscard]] QString openForBatch(ui::MainWindow& window, const QString& path);

} // namespace prism::explorer
