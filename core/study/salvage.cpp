// SPDX-License-Identifier: GPL-3.0-or-later
// Copies what can be read from a damaged study, and what its last good backup holds besides, into a fresh one.
#include "core/base/jsontext.h"
#include "core/study/backup.h"
#include "core/study/compress.h"
#include "core/study/impl.h"
#include "core/study/salvagerows.h"
#include "core/study/schema.h"
#include "core/study/siblings.h"

#include <nlohmann/json.hpp>
#include <sqlite3.h>

#include <filesystem>
#include <set>

namespace prism {

using namespace study_problem;

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxListed = 100; ///< losses of one kind that are named

/// A column, what stands for it where an older format lacks it, how long a text of it may be (0 = not cut), and how it is read.
struct Column {
    const char* name;
    const char* otherwise;
    std::size_t largest = 0;
    const char* expression = nullptr;
};
struct Table {
    const char* name;
    std::vector<Column> columns;
};

const Table kStudy{"study",
                   {{"name", "''", kMaxStudyNameBytes},
                    {"created_ms", "0"},
                    {"program", "''", kMaxStudyNameBytes},
                    {"baseline", "NULL"},
                    {"cursor", "0"}}};
const Table kScenario{"scenario",
                      {{"name", "''", kMaxStudyNameBytes},
                       {"position", "0"},
                       {"colour", "''", kMaxStudyNameBytes},
                       {"line_style", "''", kMaxStudyNameBytes},
                       {"note", "''", kMaxScenarioNoteBytes},
                       {"visible", "1", 0, "visible <> 0"},
                       {"archived", "0", 0, "archived <> 0"},
                       {"removed", "0", 0, "removed <> 0"},
                       {"parent", "NULL"},
                       {"current", "NULL"}}};
const Table kPart{"part", {{"hash", "0"}, {"raw_bytes", "0"}, {"data", "x''"}}};
const Table kRevision{"revision", {{"scenario", "0"}, {"time_ms", "0"}, {"label", "''", kMaxTextBytesListed}, {"json", "''"}}};
const Table kView{"view_state", {{"name", "''", kMaxStudyNameBytes}, {"json", "''"}}};
const Table kImport{"attachment",
                    {{"scenario", "NULL"},
                     {"kind", "''", kMaxStudyNameBytes},
                     {"name", "''", kMaxStudyNameBytes},
                     {"source", "''", kMaxStudyNameBytes},
                     {"time_ms", "0"},
                     {"part", "0"}}};
const Table kResult{"result",
                    {{"hash", "0"},
                     {"kind", "''", kMaxStudyNameBytes},
                     {"engine_version", "''", kMaxStudyNameBytes},
                     {"seed", "0"},
                     {"samples", "0"},
                     {"time_ms", "0"},
                     {"used", "0"},
                     {"raw_bytes", "0"},
                     {"data", "x''"}}};
const Table kStep{"step", {{"time_ms", "0"}, {"label", "''", kMaxTextBytesListed}, {"merge_key", "''", kMaxStudyNameBytes}}};
const Table kChange{"change", {{"step", "0"}, {"scenario", "NULL"}, {"field", "''"}, {"before", "NULL"}, {"after", "NULL"}}};

/// The losses of a salvage, up to kMaxListed of each kind by name.
class Losses final {
public:
    explicit Losses(SalvageReport& report) : m_report(report) {}
    void add(const std::string& kind, const std::string& where, const std::string& what)
    {
        const std::size_t count = ++m_counts[kind];
        if (count <= kMaxListed)
            m_report.losses.push_back({Severity::warning, where, what});
        else if (count == kMaxListed + 1)
            m_report.losses.push_back({Severity::warning, kind, "more of this kind are not listed"});
    }
    [[nodiscard]] bool any() const { return !m_report.losses.empty(); }

private:
    SalvageReport& m_report;
    std::map<std::string, std::size_t> m_counts;
};

/// Copies the rows of one file into the new study; rows that it has already stay.
class Pass final {
public:
    Pass(Database& from, Database& to, std::uint64_t fileBytes, const Deadline& deadline, Losses& losses)
        : m_from(from),
          m_to(to),
          m_bytesLeft(fileBytes),
          m_deadline(deadline),
          m_losses(losses)
    {
        // A value that claims to be longer than the file is refused before it is read.
        sqlite3_limit(m_from.handle(), SQLITE_LIMIT_LENGTH, static_cast<int>(std::min<std::uint64_t>(fileBytes, kMaxRawBytes)));
    }

    void run()
    {
        copy(kScenario, {});
        copy(kPart, [&](const Statement& row) { (void)expandBytes(row.view(3), row.integer(2)); });
        copyRevisions();
        copy(kImport, {});
        copy(kView, {});
        copy(kResult, [&](const Statement& row) { (void)expandBytes(row.view(9), row.integer(8)); });
        copy(kStep, {});
        copy(kChange, {});
        copy(kStudy, {});
    }
    [[nodiscard]] std::int64_t copied() const { return m_copied; }

private:
    using Verify = std::function<void(const Statement&)>;

    /// The columns of a real table; none for a view, a virtual table and a table that is not there.
    std::set<std::string> columnsOf(const std::string& table)
    {
        std::set<std::string> names;
        (void)attempt([&] {
            if (m_from.integer("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?1 AND rootpage > 0", table) != 1)
                return;
            Statement info(m_from.handle(), "SELECT name FROM pragma_table_info(?1)");
            info.bind(1, table);
            while (info.row())
                names.insert(info.text(0));
        });
        return names;
    }

    void copy(const Table& table, const Verify& verify)
    {
        const std::set<std::string> names = columnsOf(table.name);
        if (names.empty() && oldFormatLacks(table.name))
            return;
        std::string read, write = "rowid", marks = "?1";
        for (std::size_t i = 0; i < table.columns.size(); ++i) {
            const Column& column = table.columns[i];
            const char* known = column.expression ? column.expression : column.name;
            read += std::string(i == 0 ? "" : ", ") + (names.contains(column.name) ? known : column.otherwise);
            write += std::string(", ") + column.name;
            marks += ", ?" + std::to_string(i + 2);
        }
        Statement insert(m_to.handle(),
                         "INSERT INTO " + std::string(table.name) + " (" + write + ") VALUES (" + marks + ") ON CONFLICT DO NOTHING");
        const auto use = [&](const Statement& row) { take(table, row, insert, verify); };
        if (names.empty() || !readRows(m_from, table.name, read, m_deadline, use))
            m_losses.add(table.name, table.name, names.empty() ? "the table cannot be found" : "some rows cannot be read");
    }

    bool oldFormatLacks(const std::string& table)
    {
        std::int64_t version = 0;
        (void)attempt([&] { version = m_from.integer("PRAGMA user_version"); });
        const bool first = table == "study" || table == "scenario" || table == "revision" || table == "view_state";
        return version >= 1 && ((version < 2 && !first) || (version < 3 && !first && table != "step" && table != "change"));
    }

    void take(const Table& table, const Statement& row, Statement& insert, const Verify& verify)
    {
        const std::string where = std::string(table.name) + " " + std::to_string(row.integer(0));
        const Diagnostics problem = attempt([&] {
            requireRoom(table, row);
            if (verify)
                verify(row);
            insert.reset();
            insert.bind(1, row.integer(0));
            for (std::size_t i = 0; i < table.columns.size(); ++i)
                bind(insert, table.columns[i], row, static_cast<int>(i) + 1, where);
            insert.run();
            m_copied += sqlite3_changes(m_to.handle());
        });
        if (!problem.empty() && problem.front().path == kDiskFull) // no loss of the damaged study
            throw StudyError{problem.front()};
        if (!problem.empty())
            m_losses.add(table.name, where, problem.front().message + (problem.front().found.empty() ? "" : " " + problem.front().found));
    }

    /// Rows that share their pages, or a chain of pages without an end, claim more than the file holds.
    void requireRoom(const Table& table, const Statement& row)
    {
        std::uint64_t bytes = 0;
        for (std::size_t i = 1; i <= table.columns.size(); ++i)
            bytes += row.bytes(static_cast<int>(i));
        if (bytes > m_bytesLeft)
            failStudy(kTooLarge, "it would make the content larger than the file", std::to_string(bytes) + " bytes");
        m_bytesLeft -= bytes;
    }

    /// Binds a cell; a text that is longer than a study takes is cut at a character.
    void bind(Statement& insert, const Column& column, const Statement& row, int at, const std::string& where)
    {
        if (column.largest == 0 || row.bytes(at) <= column.largest) {
            insert.bind(at + 1, row, at);
            return;
        }
        const std::string_view text = row.view(at);
        m_losses.add("texts", where, "a text of " + std::to_string(text.size()) + " bytes is cut after " + std::to_string(column.largest));
        std::size_t end = column.largest;
        while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80)
            --end;
        insert.bind(at + 1, text.substr(0, end));
    }

    /// A revision is whole when its sections are there and its text is JSON; otherwise it is left to the next file.
    void copyRevisions()
    {
        std::unique_ptr<Statement> sections;
        (void)attempt([&] {
            sections =
                std::make_unique<Statement>(m_from.handle(), "SELECT r.at, r.part, p.hash, p.raw_bytes FROM revision_part AS r "
                                                             "LEFT JOIN part AS p ON p.id = r.part WHERE r.revision = ?1 ORDER BY r.at");
        });
        RevisionReader texts(m_to);
        Statement add(m_to.handle(), "INSERT INTO revision_part (revision, at, part) SELECT ?1, ?2, id FROM part "
                                     "WHERE id = ?3 AND hash = ?4 AND raw_bytes = ?5"); // a backup may have the id for other bytes
        Statement exists(m_to.handle(), "SELECT 1 FROM revision WHERE id = ?1");
        Statement insert(m_to.handle(), "INSERT INTO revision (id, scenario, time_ms, label, json) VALUES (?1, ?2, ?3, ?4, ?5)");
        const std::set<std::string> names = columnsOf("revision");
        const auto use = [&](const Statement& row) {
            exists.reset();
            exists.bind(1, row.integer(0));
            if (!exists.row())
                takeRevision(row, insert, sections.get(), add, texts);
        };
        if (names.empty() || !readRows(m_from, "revision", "scenario, time_ms, label, json", m_deadline, use))
            m_losses.add("revision", "revision", names.empty() ? "the table cannot be found" : "some rows cannot be read");
    }

    void takeRevision(const Statement& row, Statement& insert, Statement* sections, Statement& add, RevisionReader& texts)
    {
        const std::int64_t id = row.integer(0);
        const std::int64_t before = m_copied;
        take(kRevision, row, insert, {});
        if (m_copied == before)
            return;
        const Diagnostics problem = attempt([&] {
            if (sections) {
                sections->reset();
                sections->bind(1, id);
                for (std::size_t n = 0; n <= kMaxRevisionParts && sections->row(); ++n) {
                    add.reset();
                    add.bind(1, id).bind(2, sections->integer(0)).bind(3, sections->integer(1));
                    add.bind(4, sections->integer(2)).bind(5, sections->integer(3));
                    add.run();
                    if (sqlite3_changes(m_to.handle()) != 1)
                        failStudy(kDamaged, "a measured section is lost");
                }
            }
            if (!parseJson(texts.outline(id)))
                failStudy(kDamaged, "its text is not whole");
        });
        if (problem.empty())
            return;
        add.reset();
        if (sections)
            sections->reset();
        m_to.run("DELETE FROM revision WHERE id = ?1", id);
        --m_copied;
        m_losses.add("revision", "revision " + std::to_string(id), problem.front().message);
    }

    Database& m_from;
    Database& m_to;
    std::uint64_t m_bytesLeft;
    const Deadline& m_deadline;
    Losses& m_losses;
    std::int64_t m_copied = 0;
};

/// Makes the references of what was copied fit.
class Repair final {
public:
    Repair(Database& db, Losses& losses) : m_db(db), m_losses(losses) {}

    void run()
    {
        m_db.script("DELETE FROM revision WHERE scenario <= 0;"
                    "INSERT INTO scenario (id, name, position, note) SELECT DISTINCT scenario, 'recovered ' || scenario, scenario, "
                    "'Recovered by salvage' FROM revision WHERE scenario NOT IN (SELECT id FROM scenario);");
        each("scenario", "SELECT id FROM scenario AS s WHERE NOT EXISTS (SELECT 1 FROM revision WHERE scenario = s.id)",
             "none of its revisions can be read");
        m_db.script("DELETE FROM scenario AS s WHERE NOT EXISTS (SELECT 1 FROM revision WHERE scenario = s.id)");
        const std::string lost = " WHERE NOT EXISTS (SELECT 1 FROM revision AS r WHERE r.id = s.current AND r.scenario = s.id)";
        each("scenario", "SELECT id FROM scenario AS s" + lost,
             "its last revision cannot be read; the newest readable one is in its place");
        m_db.script("UPDATE scenario AS s SET current = (SELECT max(id) FROM revision WHERE scenario = s.id)" + lost);
        m_db.script("UPDATE scenario AS s SET parent = NULL WHERE NOT EXISTS "
                    "(SELECT 1 FROM scenario AS p WHERE p.id = s.parent AND p.removed <= s.removed);"
                    "UPDATE study SET baseline = NULL WHERE baseline NOT IN (SELECT id FROM scenario WHERE removed = 0);");
        each("attachment", "SELECT id FROM attachment WHERE part NOT IN (SELECT id FROM part)", "its content is lost");
        m_db.script("DELETE FROM attachment WHERE part NOT IN (SELECT id FROM part);"
                    "UPDATE attachment SET scenario = NULL WHERE scenario NOT IN (SELECT id FROM scenario);");
        each("change", "SELECT id FROM change WHERE step NOT IN (SELECT id FROM step) OR scenario NOT IN (SELECT id FROM scenario)",
             "what it refers to is lost");
        if (m_losses.any()) // undo is only right over a complete history
            m_db.script("DELETE FROM change; DELETE FROM step; UPDATE study SET cursor = 0;");
    }

private:
    void each(const std::string& kind, const std::string& sql, const std::string& what)
    {
        Statement rows(m_db.handle(), sql);
        while (rows.row())
            m_losses.add(kind + "s", kind + " " + rows.text(0), what);
    }
    Database& m_db;
    Losses& m_losses;
};

void count(const Database& db, SalvageReport& report)
{
    const auto rows = [&](const char* table) { return static_cast<int>(db.integer(std::string("SELECT count(*) FROM ") + table)); };
    report.scenarios = rows("scenario");
    report.revisions = rows("revision");
    report.attachments = rows("attachment");
    report.results = rows("result");
    report.viewStates = rows("view_state");
    report.steps = rows("step");
}

/// What the damaged file gives, then what its backups do.
void fill(Database& to, const std::string& path, const StudyOptions& options, SalvageReport& report)
{
    const PrivateFolder folder;
    const std::string copy = folder.path() + "/study";
    copyWithSiblings(path, copy);
    Losses losses(report);
    const Deadline deadline(to, kMaxSalvageSeconds, Deadline::Clock::processor);
    const auto pass = [&](const std::string& file) {
        if (usesWal(file))
            bringBackFromWal(file);
        Database from(file, Database::Mode::salvage, {});
        const Deadline reading(from, kMaxSalvageSeconds, Deadline::Clock::processor);
        Pass rows(from, to, fs::file_size(file), deadline, losses);
        rows.run();
        return rows.copied();
    };
    const Diagnostics problem = attempt([&] { (void)pass(copy); });
    if (!problem.empty() && problem.front().path == kDiskFull)
        throw StudyError{problem.front()};
    if (!problem.empty())
        losses.add("file", "file", problem.front().message + " " + problem.front().found);
    for (const StudyBackup& backup : losses.any() ? backupsOf(path, options.backupFolder) : std::vector<StudyBackup>()) {
        std::int64_t more = 0;
        const Diagnostics unread = attempt([&] {
            copyFile(backup.path, copy + "-backup");
            more = pass(copy + "-backup");
        });
        removeFile(copy + "-backup");
        if (!unread.empty())
            continue;
        losses.add("backup", "backup", std::to_string(more) + " rows come from the backup of " + backup.timeText());
        break;
    }
    if (deadline.passed())
        losses.add("time", path,
                   "salvage was stopped after " + std::to_string(static_cast<int>(kMaxSalvageSeconds)) + " s of processor time");
}

} // namespace

Result<SalvageReport> salvageStudy(const std::string& path, const std::string& output, const StudyOptions& options)
{
    return attemptFor<SalvageReport>([&] {
        if (!fs::is_regular_file(path))
            failStudy(kNotFound, "There is no such study file.", path);
        SalvageReport report;
        Study::Impl out;
        out.options = options;
        (void)makeFile(output, {out.me()}, [&](const NewStudy& made) {
            out.db = Database(made.path, Database::Mode::create, {});
            migrateStudy(out.db);
            {
                Transaction transaction(out.db);
                out.db.script("PRAGMA defer_foreign_keys = ON; DELETE FROM study");
                withReferenceIndexes(out.db, [&] {
                    fill(out.db, path, options, report);
                    if (out.db.integer("SELECT count(*) FROM revision") == 0)
                        failStudy(kDamaged, "Nothing of a study can be read from this file.",
                                  path + (report.losses.empty() ? "" : ": " + report.losses.front().message));
                    out.db.script("INSERT OR IGNORE INTO study (id, name, created_ms, program) VALUES (1, '', 0, '')");
                    Losses losses(report);
                    Repair(out.db, losses).run();
                });
                transaction.commit();
            }
            count(out.db, report);
            out.db.close();
        });
        return report;
    });
}

} // namespace prism
