// SPDX-License-Identifier: GPL-3.0-or-later
// Everything that can still be read from a damaged study; salvage.cpp writes it into a fresh one.
#pragma once

#include "core/study/impl.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace prism {

/// The cells of a row; the first is its id.
using Cells = std::vector<SqlValue>;

/// The tables that were read, rows by id, cells in the order of the columns that readSalvage lists.
struct SalvagedContent {
    std::map<std::int64_t, Cells> study, scenarios, revisions, parts, imports, results, steps, changes;
    std::vector<std::pair<std::string, std::string>> views;
    std::map<std::int64_t, std::vector<std::pair<std::int64_t, std::int64_t>>> revisionParts; ///< at, part
    [[nodiscard]] std::size_t size() const { return scenarios.size() + revisions.size(); }
};

/// A cell as a number or a text; zero or empty where it is something else.
[[nodiscard]] std::int64_t integerOf(const SqlValue& value);
[[nodiscard]] std::string textOf(const SqlValue& value);

/// Reads `path` through the private copy `copy` (left to the caller to remove, with its -journal and -wal), so that rolling back its last
/// change leaves the original alone: through SQLite where it can, around damaged rows, and where that loses something from the pages
/// themselves. What is lost is listed in `report`. Throws StudyError where there is no space for the copy. At most two minutes; files
/// beyond 1 GiB are not searched page by page.
[[nodiscard]] SalvagedContent readSalvage(const std::string& path, const std::string& copy, SalvageReport& report);

/// A full disk is no loss of the damaged study: throws what `problem` says of it, so that nothing half is made.
void requireSpace(const Diagnostics& problem);

/// The text of a revision, put together; throws when a part of it is lost.
[[nodiscard]] std::string assembledRevision(const SalvagedContent& content, std::int64_t revision);

} // namespace prism
