// SPDX-License-Identifier: GPL-3.0-or-later
// A stage's order as text: "F0 F1 B0 W0"; with several chunks "F0.1" is micro-batch 0 of chunk 1; "F3+B1" is one piece.
#pragma once

#include "core/schedule/schedule.h"

namespace prism {

/// Items separated by blanks, commas or line ends, those of a piece joined by +. Errors (at most 20) carry `path` and the word that is not
/// an item. Pure.
[[nodiscard]] Result<std::vector<ScheduleItem>> itemsFromText(std::string_view text, std::string_view path);
/// The inverse; chunks are written where numChunks > 1.
[[nodiscard]] std::string itemsText(const std::vector<ScheduleItem>& items, int numChunks);

} // namespace prism
