// SPDX-License-Identifier: GPL-3.0-or-later
// Text on screen of a value that is one of a list.
#pragma once

#include <QString>

namespace prism::ui::format {

/// "1f1b" -> "1F1B", "rail_optimized" -> "Rail optimized"; the empty name of a preset -> "Own values".
[[nodiscard]] QString choice(const QString& value);

} // namespace prism::ui::format
