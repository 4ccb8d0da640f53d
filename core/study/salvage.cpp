// Copies what can be read from a damaged study: through SQLite where it can, around damaged rows, and where trees or the schema
// are broken from the pages themselves. Everything is read from a private copy.
#include "core/study/compress.h"
#include "core/study/impl.h"
#include "core/study/rawpages.h"
#include "core/study/schema.h"

#include <nlohmann/json.hpp>
#include <sqlite3.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

namespace prism {

using namespace study_problem;

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMaxProbes = 20'000;
constexpr std::size_t kMaxListed = 100;
constexpr double kMaxSeconds = 120;
constexpr std::uintmax_t kMaxRawFileBytes = std::uintmax_t{1} << 30;

using Cells = std::vector<SqlValue>;

/// A column with the value that stands for it in older formats.
struct Column {
    std::string name;
    std::string otherwise;
};

std::int64_t integerOf(const SqlValue& value)
{
    const auto* integer = std::get_if<std::int64_t>(&value);
    return integer ? *integer : 0;
}

std::string textOf(const SqlValue& value)
{
    const auto* text = std::get_if<std::string>(&value);
    return text ? *text : std::string();
}

/// Reads tables of a damaged database; what cannot be read is counted as a loss.
class Reader final {
public:
    Reader(Database& db, SalvageReport& report) : m_db(db), m_report(report) {}

    /// Rows by id; the first cell is the id.
    std::map<std::int64_t, Cells> rows(const std::string& table, const std::vector<Column>& columns)
    {
        std::map<std::int64_t, Cells> rows;
        std::string list = "id";
        const std::set<std::string> names = columnNames(table);
        for (const Column& column : columns)
            list += ", " + (names.contains(column.name) ? column.name : column.otherwise);
        const std::string select = "SELECT " + list + " FROM " + table + " NOT INDEXED ";
        const int count = static_cast<int>(columns.size()) + 1;
        if (names.empty()) {
            lose(table, "the table cannot be found");
            return rows;
        }
        const bool whole = scan(select + "ORDER BY id", count, rows);
        if (whole)
            return rows;
        // Behind the damage: from the other end, then id by id in between.
        const std::int64_t last = rows.empty() ? 0 : rows.rbegin()->first;
        scan(select + "ORDER BY id DESC", count, rows);
        const std::int64_t end = rows.empty() || rows.rbegin()->first == last ? last + 1000 : rows.rbegin()->first;
        probe(select + "WHERE id = ?1", count, last + 1, std::min(end, last + kMaxProbes), rows);
        lose(table, "some rows cannot be read");
        return rows;
    }

    void lose(const std::string& where, const std::string& what)
    {
        m_report.losses.push_back({Severity::warning, where, what});
    }

private:
    std::set<std::string> columnNames(const std::string& table)
    {
        std::set<std::string> names;
        (void)attempt([&] {
            Statement info(m_db.handle(), "PRAGMA table_info(" + table + ")");
            while (info.row())
                names.insert(info.text(1));
        });
        return names;
    }

    static void take(const Statement& statement, int count, std::map<std::int64_t, Cells>& rows)
    {
        Cells cells;
        for (int i = 0; i < count; ++i)
            cells.push_back(statement.value(i));
        rows.try_emplace(statement.integer(0), std::move(cells));
    }

    void probe(const std::string& sql, int count, std::int64_t from, std::int64_t to, std::map<std::int64_t, Cells>& rows)
    {
        (void)attempt([&] {
            Statement statement(m_db.handle(), sql);
            for (std::int64_t id = from; id < to; ++id) {
                if (rows.contains(id))
                    continue;
                statement.reset();
                statement.bind(1, id);
                (void)attempt([&] {
                    if (statement.row())
                        take(statement, count, rows);
                });
            }
        });
    }

    bool scan(const std::string& sql, int count, std::map<std::int64_t, Cells>& rows)
    {
        return attempt([&] {
                   Statement statement(m_db.handle(), sql);
                   while (statement.row())
                       take(statement, count, rows);
               }).empty();
    }

    Database& m_db;
    SalvageReport& m_report;
};

/// Everything that was read.
struct Content {
    std::map<std::int64_t, Cells> study, scenarios, revisions, parts, imports, results, steps, changes;
    std::vector<std::pair<std::string, std::string>> views;
    std::map<std::int64_t, std::vector<std::pair<std::int64_t, std::int64_t>>> revisionParts; ///< at, part
    [[nodiscard]] std::size_t size() const { return scenarios.size() + revisions.size(); }
};

Content readContent(Database& db, SalvageReport& report)
{
    Reader reader(db, report);
    Content c;
    c.study = reader.rows("study", {{"name", "''"}, {"created_ms", "0"}, {"program", "''"}, {"baseline", "NULL"}, {"cursor", "0"}});
    c.scenarios = reader.rows("scenario", {{"name", "''"}, {"position", "0"}, {"colour", "''"}, {"line_style", "''"}, {"note", "''"},
                                           {"visible", "1"}, {"archived", "0"}, {"removed", "0"}, {"parent", "NULL"}, {"current", "NULL"}});
    c.revisions = reader.rows("revision", {{"scenario", "0"}, {"time_ms", "0"}, {"label", "''"}, {"json", "''"}});
    (void)attempt([&] {
        Statement views(db.handle(), "SELECT name, json FROM view_state NOT INDEXED");
        while (views.row())
            c.views.emplace_back(views.text(0), views.text(1));
    });
    const auto version = [&] {
        std::int64_t value = 0;
        (void)attempt([&] { value = db.integer("PRAGMA user_version"); });
        return value;
    }();
    if (version >= 2) {
        c.steps = reader.rows("step", {{"time_ms", "0"}, {"label", "''"}, {"merge_key", "''"}});
        c.changes = reader.rows("change", {{"step", "0"}, {"scenario", "NULL"}, {"field", "''"}, {"before", "NULL"}, {"after", "NULL"}});
    }
    if (version >= 3) {
        c.parts = reader.rows("part", {{"raw_bytes", "0"}, {"data", "x''"}});
        c.imports = reader.rows("attachment", {{"scenario", "NULL"}, {"kind", "''"}, {"name", "''"}, {"source", "''"},
                                               {"time_ms", "0"}, {"part", "0"}});
        c.results = reader.rows("result", {{"hash", "0"}, {"kind", "''"}, {"engine_version", "''"}, {"seed", "0"}, {"samples", "0"},
                                           {"time_ms", "0"}, {"used", "0"}, {"raw_bytes", "0"}, {"data", "x''"}});
        const Diagnostics problem = attempt([&] {
            Statement rows(db.handle(), "SELECT revision, at, part FROM revision_part ORDER BY revision, at");
            while (rows.row())
                c.revisionParts[rows.integer(0)].emplace_back(rows.integer(1), rows.integer(2));
        });
        if (!problem.empty())
            reader.lose("revision_part", "some rows cannot be read");
    }
    return c;
}

/// The text of a revision, put together; throws when a part of it is lost.
std::string assemble(const Content& c, std::int64_t revision)
{
    std::string json = textOf(c.revisions.at(revision)[4]);
    const auto it = c.revisionParts.find(revision);
    if (it != c.revisionParts.end())
        for (const auto& [at, part] : it->second) {
            if (!c.parts.contains(part) || at < 0 || static_cast<std::size_t>(at) > json.size())
                failStudy(kDamaged, "a measured section is lost");
            const std::string bytes = expandBytes(textOf(c.parts.at(part)[2]), integerOf(c.parts.at(part)[1]));
            if (json.size() + bytes.size() > kMaxScenarioBytes)
                failStudy(kDamaged, "the text does not fit together");
            json.insert(static_cast<std::size_t>(at), bytes);
        }
    // A cut-out section leaves a hole that only its part fills.
    if (!nlohmann::json::accept(json))
        failStudy(kDamaged, "its text is not whole");
    return json;
}

/// Writes what was read into a fresh study.
class Writer final {
public:
    Writer(Study::Impl& out, const Content& content, SalvageReport& report) : m_out(out), m_c(content), m_report(report) {}

    void write()
    {
        Transaction transaction(m_out.db);
        m_out.db.script("PRAGMA defer_foreign_keys = ON");
        writeScenarios();
        writeRevisions();
        chooseCurrent();
        writeStudyRow();
        writeRest();
        writeHistory();
        transaction.commit();
    }

private:
    bool insert(const std::string& where, const std::function<void()>& f)
    {
        const Diagnostics problem = attempt(f);
        if (!problem.empty())
            m_report.losses.push_back({Severity::warning, where,
                                       problem.front().message + (problem.front().found.empty() ? "" : " " + problem.front().found)});
        return problem.empty();
    }

    void insertScenario(std::int64_t id, const std::string& name, const Cells& cells)
    {
        const auto flag = [&](int i) { return std::int64_t{integerOf(cells[static_cast<std::size_t>(i)]) != 0}; };
        m_out.db.run("INSERT INTO scenario (id, name, position, colour, line_style, note, visible, archived, removed) "
                     "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
                     id, name, integerOf(cells[2]), textOf(cells[3]), textOf(cells[4]), textOf(cells[5]), flag(6), flag(7), flag(8));
        m_scenarios.insert(id);
    }

    void writeScenarios()
    {
        std::set<std::int64_t> owners;
        for (const auto& [id, cells] : m_c.revisions)
            owners.insert(integerOf(cells[1]));
        std::size_t empty = 0;
        for (const auto& [id, cells] : m_c.scenarios) {
            if (owners.contains(id))
                insert("scenario " + std::to_string(id), [&] { insertScenario(id, textOf(cells[1]), cells); });
            else if (++empty <= kMaxListed)
                m_report.losses.push_back({Severity::warning, "scenario " + std::to_string(id), "none of its revisions can be read"});
        }
        if (empty > kMaxListed)
            m_report.losses.push_back({Severity::warning, "scenarios", std::to_string(empty) + " have no revision that can be read"});
        for (const auto& [id, cells] : m_c.revisions) {
            const std::int64_t owner = integerOf(cells[1]);
            if (owner <= 0 || m_scenarios.contains(owner))
                continue;
            // The revisions outlived their scenario: it comes back under a name that says so.
            const Cells blank = {owner, std::string(), owner, std::string(), std::string(), std::string("Recovered by salvage"),
                                 std::int64_t{1}, std::int64_t{0}, std::int64_t{0}, SqlValue{}, SqlValue{}};
            insert("scenario " + std::to_string(owner),
                   [&] { insertScenario(owner, "recovered " + std::to_string(owner), blank); });
        }
        for (const auto& [id, cells] : m_c.scenarios)
            if (m_scenarios.contains(id) && m_scenarios.contains(integerOf(cells[9])))
                m_out.db.run("UPDATE scenario SET parent = ?1 WHERE id = ?2", integerOf(cells[9]), id);
    }

    void writeRevisions()
    {
        for (const auto& [id, cells] : m_c.revisions) {
            const std::int64_t owner = integerOf(cells[1]);
            insert("revision " + std::to_string(id), [&] {
                const std::string json = assemble(m_c, id);
                if (!m_scenarios.contains(owner))
                    failStudy(kDamaged, "its scenario is lost");
                m_out.db.run("INSERT INTO revision (id, scenario, time_ms, label, json) VALUES (?1, ?2, ?3, ?4, '')", id, owner,
                             integerOf(cells[2]), textOf(cells[3]));
                m_out.setRevisionText(id, json);
                m_newest[owner] = id;
                m_revisions.insert(id);
                ++m_report.revisions;
            });
        }
    }

    void chooseCurrent()
    {
        for (const std::int64_t id : std::set<std::int64_t>(m_scenarios)) {
            const auto it = m_c.scenarios.find(id);
            const std::int64_t wanted = it == m_c.scenarios.end() ? 0 : integerOf(it->second[10]);
            const bool kept = m_revisions.contains(wanted) && integerOf(m_c.revisions.at(wanted)[1]) == id;
            const std::int64_t current = kept ? wanted : m_newest[id];
            if (current == 0) {
                m_report.losses.push_back({Severity::warning, "scenario " + std::to_string(id), "none of its revisions can be read"});
                m_out.db.run("DELETE FROM scenario WHERE id = ?1", id);
                m_scenarios.erase(id);
                continue;
            }
            if (!kept)
                m_report.losses.push_back({Severity::warning, "scenario " + std::to_string(id),
                                           "its last revision cannot be read; the newest readable one stands in its place"});
            m_out.db.run("UPDATE scenario SET current = ?1 WHERE id = ?2", current, id);
            ++m_report.scenarios;
        }
    }

    void writeStudyRow()
    {
        if (m_c.study.empty())
            return;
        const Cells& cells = m_c.study.begin()->second;
        m_out.db.run("UPDATE study SET name = ?1, created_ms = ?2, program = ?3", textOf(cells[1]), integerOf(cells[2]), textOf(cells[3]));
        if (m_scenarios.contains(integerOf(cells[4])))
            m_out.setField(0, "baseline", cells[4]);
    }

    void writeRest()
    {
        for (const auto& [name, json] : m_c.views)
            m_report.viewStates += insert("view_state " + name, [&] {
                m_out.db.run("INSERT INTO view_state (name, json) VALUES (?1, ?2)", name, json);
            });
        for (const auto& [id, cells] : m_c.imports)
            m_report.attachments += insert("attachment " + std::to_string(id), [&] {
                const auto part = m_c.parts.find(integerOf(cells[6]));
                if (part == m_c.parts.end())
                    failStudy(kDamaged, "its content is lost");
                const std::string bytes = expandBytes(textOf(part->second[2]), integerOf(part->second[1]));
                const SqlValue owner = m_scenarios.contains(integerOf(cells[1])) ? cells[1] : SqlValue{};
                m_out.db.run("INSERT INTO attachment (scenario, kind, name, source, time_ms, part) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                             owner, textOf(cells[2]), textOf(cells[3]), textOf(cells[4]), integerOf(cells[5]), m_out.addPart(bytes));
            });
        for (const auto& [id, cells] : m_c.results)
            m_report.results += insert("result " + std::to_string(id), [&] {
                const std::string data = textOf(cells[9]);
                (void)expandBytes(data, integerOf(cells[8]));
                m_out.db.run("INSERT INTO result (hash, kind, engine_version, seed, samples, time_ms, used, raw_bytes, data) "
                             "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
                             integerOf(cells[1]), textOf(cells[2]), textOf(cells[3]), integerOf(cells[4]), integerOf(cells[5]),
                             integerOf(cells[6]), integerOf(cells[7]), integerOf(cells[8]), SqlBlob{data});
            });
    }

    /// Undo is only right over a complete history; otherwise it starts afresh.
    void writeHistory()
    {
        if (m_c.steps.empty() || m_c.study.empty())
            return;
        if (!m_report.losses.empty()) {
            m_report.losses.push_back({Severity::warning, "undo history", "left out, because not everything that it refers to can be read"});
            return;
        }
        for (const auto& [id, cells] : m_c.steps)
            m_report.steps += insert("step " + std::to_string(id), [&] {
                m_out.db.run("INSERT INTO step (id, time_ms, label, merge_key) VALUES (?1, ?2, ?3, ?4)", id, integerOf(cells[1]),
                             textOf(cells[2]), textOf(cells[3]));
            });
        for (const auto& [id, cells] : m_c.changes)
            insert("change " + std::to_string(id), [&] {
                m_out.db.run("INSERT INTO change (step, scenario, field, before, after) VALUES (?1, ?2, ?3, ?4, ?5)",
                             integerOf(cells[1]), cells[2], textOf(cells[3]), cells[4], cells[5]);
            });
        m_out.db.run("UPDATE study SET cursor = ?1", integerOf(m_c.study.begin()->second[5]));
    }

    Study::Impl& m_out;
    const Content& m_c;
    SalvageReport& m_report;
    std::set<std::int64_t> m_scenarios, m_revisions;
    std::map<std::int64_t, std::int64_t> m_newest;
};

bool isText(const RawRecord& r, std::size_t i) { return std::holds_alternative<std::string>(r.columns[i]) && !r.isBlob[i]; }
bool isWhole(const RawRecord& r, std::size_t i) { return std::holds_alternative<std::int64_t>(r.columns[i]); }

/// Where a record of the pages belongs, by the number and the types of its columns (schema.cpp; in the order of the tables, the
/// target in the order of readContent). Returns the id and the cells, or nothing for records that are of no use.
void addRecord(Content& c, const RawRecord& r)
{
    const std::size_t n = r.columns.size();
    const auto whole = [&](std::initializer_list<std::size_t> at) {
        return std::all_of(at.begin(), at.end(), [&](std::size_t i) { return isWhole(r, i); });
    };
    const auto words = [&](std::initializer_list<std::size_t> at) {
        return std::all_of(at.begin(), at.end(), [&](std::size_t i) { return isText(r, i); });
    };
    const auto& v = r.columns;
    if (r.rowId == 0) {
        if (n == 3 && whole({0, 1, 2})) {
            auto& parts = c.revisionParts[integerOf(v[0])];
            const std::pair part(integerOf(v[1]), integerOf(v[2]));
            if (std::find(parts.begin(), parts.end(), part) == parts.end())
                parts.insert(std::upper_bound(parts.begin(), parts.end(), part), part);
        }
        return;
    }
    if (!std::holds_alternative<std::monostate>(v[0]))
        return;
    const SqlValue id = r.rowId;
    const SqlValue none = std::string();
    const SqlValue zero = std::int64_t{0};
    if (n == 5 && whole({1, 2}) && words({3, 4}))
        c.revisions.try_emplace(r.rowId, Cells{id, v[1], v[2], v[3], v[4]});
    else if ((n == 8 || n == 10 || n == 11) && words({1, 3, 4}) && whole({2, 5}))
        c.scenarios.try_emplace(r.rowId, Cells{id, v[1], v[2], v[3], n == 11 ? v[10] : none, v[4], v[5], n > 8 ? v[8] : zero,
                                               n > 8 ? v[9] : zero, v[6], v[7]});
    else if (n == 4 && whole({1, 2}) && r.isBlob[3])
        c.parts.try_emplace(r.rowId, Cells{id, v[2], v[3]});
    else if (n == 7 && words({2, 3, 4}) && whole({5, 6}))
        c.imports.try_emplace(r.rowId, Cells{id, v[1], v[2], v[3], v[4], v[5], v[6]});
    else if (n == 10 && whole({1, 4, 5, 6, 7, 8}) && words({2, 3}) && r.isBlob[9])
        c.results.try_emplace(r.rowId, Cells{id, v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9]});
    else if ((n == 5 || n == 6) && r.rowId == 1 && words({1, 3}) && whole({2}))
        c.study.try_emplace(r.rowId, Cells{id, v[1], v[2], v[3], v[4], zero});
}

/// Reads a private copy of the file, so that rolling back its last change leaves the original alone.
Content readCopy(const std::string& path, const std::string& copy, SalvageReport& report)
{
    Content content;
    const Diagnostics problem = attempt([&] {
        for (const char* suffix : {"", "-journal"}) {
            removeFile(copy + suffix);
            if (fileExists(path + suffix))
                fs::copy_file(path + suffix, copy + suffix);
        }
        fs::permissions(copy, fs::perms::owner_read | fs::perms::owner_write);
        Database db(copy, Database::Mode::readWrite, {});
        // A schema that does not parse must not hide the tables that do. The copy is thrown away.
        sqlite3_db_config(db.handle(), SQLITE_DBCONFIG_DEFENSIVE, 0, nullptr);
        (void)attempt([&] { db.script("PRAGMA writable_schema = ON"); });
        const Deadline deadline(db, kMaxSeconds);
        content = readContent(db, report);
    });
    if (!problem.empty())
        report.losses.push_back({Severity::warning, "file", problem.front().message, problem.front().found});
    if (report.losses.empty())
        return content;
    if (fs::file_size(copy) > kMaxRawFileBytes) {
        report.losses.push_back({Severity::warning, "file", "too large to look for rows page by page"});
        return content;
    }
    std::string bytes(fs::file_size(copy), '\0');
    std::ifstream(copy, std::ios::binary).read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    for (const RawRecord& record : rawRecords(bytes))
        addRecord(content, record);
    return content;
}

} // namespace

Result<SalvageReport> salvageStudy(const std::string& path, const std::string& output, const StudyOptions& options)
{
    return attemptFor<SalvageReport>([&] {
        if (!fs::is_regular_file(path))
            failStudy(kNotFound, "There is no such study file.", path);
        SalvageReport report;
        makeFile(output, false, [&](const std::string& temporary) {
            const std::string copy = temporary + "-damaged";
            const auto cleanUp = [&] {
                removeFile(copy);
                removeFile(copy + "-journal");
            };
            const Content content = readCopy(path, copy, report);
            cleanUp();
            if (content.size() == 0)
                failStudy(kDamaged, "Nothing of a study can be read from this file.", path);
            Study::Impl out;
            out.options = options;
            out.db = Database(temporary, Database::Mode::create, {});
            migrateStudy(out.db);
            Writer(out, content, report).write();
        });
        return report;
    });
}

} // namespace prism
