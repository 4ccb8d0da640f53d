// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/salvageread.h"

#include "core/base/jsontext.h"
#include "core/base/textfile.h"
#include "core/study/compress.h"
#include "core/study/rawpages.h"
#include "core/study/siblings.h"
#include "core/study/wal.h"

#include <nlohmann/json.hpp>
#include <sqlite3.h>

#include <algorithm>
#include <filesystem>
#include <set>

namespace prism {

using namespace study_problem;

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMaxProbes = 20'000;
constexpr double kMaxSeconds = 120;
constexpr std::uintmax_t kMaxRawFileBytes = std::uintmax_t{1} << 30;

/// A column with the value that stands for it in older formats.
struct Column {
    std::string name;
    std::string otherwise;
};
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

    void lose(const std::string& where, const std::string& what) { m_report.losses.push_back({Severity::warning, where, what}); }

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
               })
            .empty();
    }

    Database& m_db;
    SalvageReport& m_report;
};

SalvagedContent readContent(Database& db, SalvageReport& report)
{
    Reader reader(db, report);
    SalvagedContent c;
    c.study = reader.rows("study", {{"name", "''"}, {"created_ms", "0"}, {"program", "''"}, {"baseline", "NULL"}, {"cursor", "0"}});
    c.scenarios = reader.rows("scenario", {{"name", "''"},
                                           {"position", "0"},
                                           {"colour", "''"},
                                           {"line_style", "''"},
                                           {"note", "''"},
                                           {"visible", "1"},
                                           {"archived", "0"},
                                           {"removed", "0"},
                                           {"parent", "NULL"},
                                           {"current", "NULL"}});
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
        c.imports = reader.rows("attachment",
                                {{"scenario", "NULL"}, {"kind", "''"}, {"name", "''"}, {"source", "''"}, {"time_ms", "0"}, {"part", "0"}});
        c.results = reader.rows("result", {{"hash", "0"},
                                           {"kind", "''"},
                                           {"engine_version", "''"},
                                           {"seed", "0"},
                                           {"samples", "0"},
                                           {"time_ms", "0"},
                                           {"used", "0"},
                                           {"raw_bytes", "0"},
                                           {"data", "x''"}});
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

bool isText(const RawRecord& r, std::size_t i)
{
    return std::holds_alternative<std::string>(r.columns[i]) && !r.isBlob[i];
}
bool isWhole(const RawRecord& r, std::size_t i)
{
    return std::holds_alternative<std::int64_t>(r.columns[i]);
}

/// Where a record of the pages belongs, by the number and the types of its columns (schema.cpp; in the order of the tables, the
/// target in the order of readContent). Returns the id and the cells, or nothing for records that are of no use.
void addRecord(SalvagedContent& c, const RawRecord& r)
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
        c.scenarios.try_emplace(
            r.rowId, Cells{id, v[1], v[2], v[3], n == 11 ? v[10] : none, v[4], v[5], n > 8 ? v[8] : zero, n > 8 ? v[9] : zero, v[6], v[7]});
    else if (n == 4 && whole({1, 2}) && r.isBlob[3])
        c.parts.try_emplace(r.rowId, Cells{id, v[2], v[3]});
    else if (n == 7 && words({2, 3, 4}) && whole({5, 6}))
        c.imports.try_emplace(r.rowId, Cells{id, v[1], v[2], v[3], v[4], v[5], v[6]});
    else if (n == 10 && whole({1, 4, 5, 6, 7, 8}) && words({2, 3}) && r.isBlob[9])
        c.results.try_emplace(r.rowId, Cells{id, v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9]});
    else if ((n == 5 || n == 6) && r.rowId == 1 && words({1, 3}) && whole({2}))
        c.study.try_emplace(r.rowId, Cells{id, v[1], v[2], v[3], v[4], zero});
}

} // namespace

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

void requireSpace(const Diagnostics& problem)
{
    if (!problem.empty() && problem.front().path == kDiskFull)
        throw StudyError{problem.front()};
}

SalvagedContent readSalvage(const std::string& path, const std::string& copy, SalvageReport& report)
{
    SalvagedContent content;
    copyWithSiblings(path, copy);
    const Diagnostics problem = attempt([&] {
        if (usesWal(copy))
            requireSpace(attempt([&] { bringBackFromWal(copy); }));
        Database db(copy, Database::Mode::readWrite, {});
        // A schema that does not parse must not hide the tables that do. The copy is thrown away.
        sqlite3_db_config(db.handle(), SQLITE_DBCONFIG_DEFENSIVE, 0, nullptr);
        (void)attempt([&] { db.script("PRAGMA writable_schema = ON"); });
        const Deadline deadline(db, kMaxSeconds);
        content = readContent(db, report);
    });
    requireSpace(problem);
    if (!problem.empty())
        report.losses.push_back({Severity::warning, "file", problem.front().message, problem.front().found});
    if (report.losses.empty())
        return content;
    if (fs::file_size(copy) > kMaxRawFileBytes) {
        report.losses.push_back({Severity::warning, "file", "too large to look for rows page by page"});
        return content;
    }
    const Result<std::string> bytes = readBytes(copy, kMaxRawFileBytes);
    if (!bytes)
        return content;
    for (const RawRecord& record : rawRecords(*bytes))
        addRecord(content, record);
    return content;
}

std::string assembledRevision(const SalvagedContent& c, std::int64_t revision)
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
    if (!parseJson(json))
        failStudy(kDamaged, "its text is not whole");
    return json;
}

} // namespace prism
