// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/schema.h"

#include <array>
#include <map>

namespace prism {

namespace {

// Scenarios with order, colour, note, visibility, parent; their revisions; baseline; view state.
constexpr const char* kVersion1 = R"sql(
CREATE TABLE study (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  name TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  program TEXT NOT NULL,
  baseline INTEGER REFERENCES scenario (id) ON DELETE SET NULL
) STRICT;
CREATE TABLE scenario (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  position INTEGER NOT NULL,
  colour TEXT NOT NULL DEFAULT '',
  note TEXT NOT NULL DEFAULT '',
  visible INTEGER NOT NULL DEFAULT 1 CHECK (visible IN (0, 1)),
  parent INTEGER REFERENCES scenario (id) ON DELETE SET NULL,
  current INTEGER REFERENCES revision (id) DEFERRABLE INITIALLY DEFERRED
) STRICT;
CREATE TABLE revision (
  id INTEGER PRIMARY KEY,
  scenario INTEGER NOT NULL REFERENCES scenario (id) ON DELETE CASCADE,
  time_ms INTEGER NOT NULL,
  label TEXT NOT NULL,
  json TEXT NOT NULL
) STRICT;
CREATE INDEX revision_by_scenario ON revision (scenario);
CREATE TABLE view_state (name TEXT PRIMARY KEY, json TEXT NOT NULL) STRICT;
INSERT INTO study (id, name, created_ms, program) VALUES (1, '', 0, '');
)sql";

// One undo history over everything; removed scenarios stay for undo. The history of a version 1 file follows from its
// revisions: each one after the first of its scenario is a step.
constexpr const char* kVersion2 = R"sql(
ALTER TABLE study ADD COLUMN cursor INTEGER NOT NULL DEFAULT 0;
ALTER TABLE scenario ADD COLUMN archived INTEGER NOT NULL DEFAULT 0 CHECK (archived IN (0, 1));
ALTER TABLE scenario ADD COLUMN removed INTEGER NOT NULL DEFAULT 0 CHECK (removed IN (0, 1));
CREATE TABLE step (
  id INTEGER PRIMARY KEY,
  time_ms INTEGER NOT NULL,
  label TEXT NOT NULL,
  merge_key TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE TABLE change (
  id INTEGER PRIMARY KEY,
  step INTEGER NOT NULL REFERENCES step (id) ON DELETE CASCADE,
  scenario INTEGER REFERENCES scenario (id) ON DELETE CASCADE,
  field TEXT NOT NULL,
  before ANY,
  after ANY
) STRICT;
CREATE INDEX change_by_step ON change (step);
INSERT INTO step (id, time_ms, label)
  SELECT id, time_ms, label FROM revision AS r
  WHERE EXISTS (SELECT 1 FROM revision AS p WHERE p.scenario = r.scenario AND p.id < r.id);
INSERT INTO change (step, scenario, field, before, after)
  SELECT s.id, r.scenario, 'current', (SELECT max(p.id) FROM revision AS p WHERE p.scenario = r.scenario AND p.id < r.id), r.id
  FROM step AS s JOIN revision AS r ON r.id = s.id ORDER BY s.id;
INSERT INTO step (id, time_ms, label)
  SELECT (SELECT max(id) FROM revision) + s.id, r.time_ms, 'Revert' FROM scenario AS s JOIN revision AS r ON r.id = s.current
  WHERE s.current < (SELECT max(id) FROM revision WHERE scenario = s.id);
INSERT INTO change (step, scenario, field, before, after)
  SELECT (SELECT max(id) FROM revision) + s.id, s.id, 'current', (SELECT max(id) FROM revision WHERE scenario = s.id), s.current
  FROM scenario AS s WHERE s.current < (SELECT max(id) FROM revision WHERE scenario = s.id);
UPDATE study SET cursor = coalesce((SELECT max(id) FROM step), 0);
)sql";

// Imports and long parts of revisions, compressed and stored once; results with their provenance; line styles.
constexpr const char* kVersion3 = R"sql(
ALTER TABLE scenario ADD COLUMN line_style TEXT NOT NULL DEFAULT '';
CREATE TABLE part (
  id INTEGER PRIMARY KEY,
  hash INTEGER NOT NULL,
  raw_bytes INTEGER NOT NULL,
  data BLOB NOT NULL
) STRICT;
CREATE INDEX part_by_hash ON part (hash);
CREATE TABLE revision_part (
  revision INTEGER NOT NULL REFERENCES revision (id) ON DELETE CASCADE,
  at INTEGER NOT NULL,
  part INTEGER NOT NULL REFERENCES part (id),
  PRIMARY KEY (revision, at)
) STRICT, WITHOUT ROWID;
CREATE TABLE attachment (
  id INTEGER PRIMARY KEY,
  scenario INTEGER REFERENCES scenario (id) ON DELETE SET NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  source TEXT NOT NULL,
  time_ms INTEGER NOT NULL,
  part INTEGER NOT NULL REFERENCES part (id)
) STRICT;
CREATE TABLE result (
  id INTEGER PRIMARY KEY,
  hash INTEGER NOT NULL,
  kind TEXT NOT NULL,
  engine_version TEXT NOT NULL,
  seed INTEGER NOT NULL,
  samples INTEGER NOT NULL,
  time_ms INTEGER NOT NULL,
  used INTEGER NOT NULL,
  raw_bytes INTEGER NOT NULL,
  data BLOB NOT NULL,
  UNIQUE (hash, kind, engine_version, seed)
) STRICT;
)sql";

constexpr std::array<const char*, kStudySchemaVersion> kSteps = {kVersion1, kVersion2, kVersion3};

std::map<std::string, std::string> schemaOf(Database& db)
{
    std::map<std::string, std::string> schema;
    Statement rows(db.handle(), "SELECT type, name, sql FROM sqlite_schema LIMIT 1000");
    while (rows.row())
        schema[rows.text(0) + " " + rows.text(1)] = rows.text(2);
    return schema;
}

} // namespace

void migrateStudy(Database& db, int version)
{
    for (auto from = db.integer("PRAGMA user_version"); from < version; ++from) {
        Transaction transaction(db);
        db.script(kSteps.at(static_cast<std::size_t>(from)));
        db.script("PRAGMA user_version = " + std::to_string(from + 1));
        if (from == 0)
            db.script("PRAGMA application_id = " + std::to_string(kStudyApplicationId));
        transaction.commit();
    }
}

void withReferenceIndexes(const Database& db, const std::function<void()>& change)
{
    constexpr std::array<const char*, 6> kReferences = {"scenario (parent)",     "scenario (current)", "change (scenario)",
                                                        "attachment (scenario)", "attachment (part)",  "revision_part (part)"};
    for (std::size_t i = 0; i < kReferences.size(); ++i)
        db.script("CREATE INDEX reference_" + std::to_string(i) + " ON " + kReferences.at(i));
    change();
    for (std::size_t i = 0; i < kReferences.size(); ++i)
        db.script("DROP INDEX reference_" + std::to_string(i));
}

std::string schemaDifference(Database& db, int version)
{
    Database fresh(":memory:", Database::Mode::create, {});
    migrateStudy(fresh, version);
    const auto expected = schemaOf(fresh);
    const auto found = schemaOf(db);
    for (const auto& [name, sql] : expected) {
        const auto it = found.find(name);
        if (it == found.end())
            return name + " is missing";
        if (it->second != sql)
            return name + " is defined differently";
    }
    for (const auto& [name, sql] : found)
        if (!expected.contains(name))
            return name + " does not belong there";
    return {};
}

} // namespace prism
