// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of a damaged table by ordinary SQL: from both ends, and around what cannot be read. Internal to core/study.
#pragma once

#include "core/study/database.h"

namespace prism {

/// Calls `use` for every row of `SELECT columns FROM table` that can be read, in no order; rows are found by their rowid. False where some
/// cannot be read, or the time is over. At most some 20,000 looks into the damaged ranges. What `use` throws passes through.
[[nodiscard]] bool readRows(Database& db, const std::string& table, const std::string& columns, const Deadline& deadline,
                            const std::function<void(const Statement&)>& use);

} // namespace prism
