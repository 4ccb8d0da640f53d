// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of an SQLite file read page by page, without its schema and its trees. Internal to core/study.
#pragma once

#include "core/study/database.h"

#include <string_view>
#include <vector>

namespace prism {

/// One record: the row id (0 for records of an index) and its columns; an INTEGER PRIMARY KEY is empty in its column.
struct RawRecord {
    std::int64_t rowId = 0;
    std::vector<SqlValue> columns;
    std::vector<bool> isBlob;
};

/// Every record of the leaf pages of a file with pages of 4,096 bytes, with overflow chains (SQLite file format,
/// sqlite.org/fileformat2.html, 1.6 and 2.1). What makes no sense is skipped. Never reads outside of `file`.
[[nodiscard]] std::vector<RawRecord> rawRecords(std::string_view file);

} // namespace prism
