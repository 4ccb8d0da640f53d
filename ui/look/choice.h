// SPDX-License-Identifier: GPL-3.0-or-later
// How a value that is one of a list reads on screen.
#pragma once

#include <QString>

namespace prism::ui::format {

/// "1f1b" -> "1F1B", "rail_optimized" -> "Rail optimized"; the empty name of a preset -> "Own values".
[[nodiscard]] QString choice(const QString& value);

} // namespace prism::ui::format
