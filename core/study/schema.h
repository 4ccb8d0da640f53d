// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of a study file, as the steps that lead from each version to the next. Internal to core/study.
#pragma once

#include "core/study/database.h"

#include <functional>

namespace prism {

/// "PRSM" in the header of every study file.
inline constexpr std::int64_t kStudyApplicationId = 0x5052534d;
/// The version that this program writes.
inline constexpr int kStudySchemaVersion = 3;

/// Brings an open database from its user_version (0 = empty) to `version`, one transaction per step with the version inside.
void migrateStudy(Database& db, int version = kStudySchemaVersion);
/// Runs changes of many rows inside a transaction with an index for each reference between tables: SQLite checks a reference by searching
/// the table that holds it, and a study of thousands of rows is searched once per row. The indexes are gone when the call returns.
void withReferenceIndexes(const Database& db, const std::function<void()>& change);
/// Whether tables and indexes are exactly those of the file's version: anything else in a schema is not ours.
/// Empty = they are; otherwise what differs.
[[nodiscard]] std::string schemaDifference(Database& db, int version);

} // namespace prism
