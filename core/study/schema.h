// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of a study file, as the steps that lead from each version to the next. Internal to core/study.
#pragma once

#include "core/study/database.h"

namespace prism {

/// "PRSM" in the header of every study file.
inline constexpr std::int64_t kStudyApplicationId = 0x5052534d;
/// The version that this program writes.
inline constexpr int kStudySchemaVersion = 3;

/// Brings an open database from its user_version (0 = empty) to `version`, one transaction per step with the version inside.
void migrateStudy(Database& db, int version = kStudySchemaVersion);
/// Whether tables and indexes are exactly those of the file's version: anything else in a schema is not ours.
/// Empty = they are; otherwise what differs.
[[nodiscard]] std::string schemaDifference(Database& db, int version);

} // namespace prism
