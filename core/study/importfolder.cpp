// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the folder that exportFolder writes. It may come from a stranger or have been edited by hand: every problem says its
// file, and the new study appears complete or not at all.
#include "core/study/compress.h"
#include "core/base/jsontext.h"
#include "core/base/table.h"
#include "core/base/textfile.h"
#include "core/study/impl.h"
#include "core/study/schema.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>
#include <charconv>
#include <filesystem>

namespace prism {

using namespace study_problem;

namespace {

namespace fs = std::filesystem;
using Row = std::map<std::string, std::string>;

[[noreturn]] void failAt(const std::string& place, const std::string& message, const std::string& found = {},
                         const std::string& accepted = {})
{
    throw StudyError{{Severity::error, place, message, found.substr(0, 200), accepted}};
}

/// The bytes of a file of the folder. Neither its name nor a link leads out of the folder.
std::string readText(const fs::path& root, const std::string& file)
{
    const fs::path relative(file);
    for (const fs::path& part : relative)
        if (relative.is_absolute() || part == "..")
            failAt(file, "A file of the study must lie in its folder.", file);
    std::error_code error;
    const fs::path home = fs::canonical(root, error), real = fs::canonical(root / relative, error);
    if (error)
        failAt(file, "The file is missing from the folder.", (root / relative).string());
    if (std::mismatch(home.begin(), home.end(), real.begin(), real.end()).first != home.end())
        failAt(file, "A file of the study must lie in its folder.", "a link to " + real.string());
    Result<std::string> bytes = readBytes(real.string(), static_cast<std::size_t>(kMaxRawBytes));
    if (!bytes)
        failAt(file, bytes.errors().front().message, (root / relative).string(), bytes.errors().front().accepted);
    return std::move(bytes).value();
}

/// Calls `use` for each row of a table of the folder. One row is kept in memory.
template <class Use>
void eachRow(const fs::path& root, const std::string& file, const std::vector<std::string>& columns, Use use)
{
    const std::string text = readText(root, file);
    TableRows table(text, {.quotedLines = true});
    if (!table.next() || table.problem() || table.cells() != columns)
        failAt(file + ":1", "The first line does not name the expected columns.", std::string(table.text().substr(0, 200)),
               tableLine(columns));
    Row row;
    while (table.next()) {
        const std::string place = file + ":" + std::to_string(table.line());
        if (table.problem())
            failAt(place, table.problem()->message, table.problem()->found, table.problem()->accepted);
        if (table.cells().size() != columns.size())
            failAt(place, "The line has another number of fields than the first.", std::to_string(table.cells().size()),
                   std::to_string(columns.size()));
        row[""] = place;
        for (std::size_t k = 0; k < columns.size(); ++k)
            row[columns[k]] = table.cells()[k];
        use(row);
    }
}

template <class T>
T number(const Row& row, const std::string& column, int base = 10)
{
    const std::string& text = row.at(column);
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (error != std::errc() || end != text.data() + text.size() || text.empty())
        failAt(row.at("") + "." + column, "This is not a whole number.", text);
    return value;
}

std::int64_t integer(const Row& row, const std::string& column)
{
    return number<std::int64_t>(row, column);
}

SqlValue optionalInteger(const Row& row, const std::string& column)
{
    return row.at(column).empty() ? SqlValue{} : SqlValue{integer(row, column)};
}

SqlValue sqlValue(const nlohmann::json& json, const std::string& place)
{
    if (json.is_null())
        return {};
    if (json.is_number_integer())
        return json.get<std::int64_t>();
    if (json.is_string())
        return json.get<std::string>();
    failAt(place, "This is not a value of the history.", json.dump().substr(0, 100), "a whole number, a text or null");
}

/// A member of an object, of the type of `kind`.
const nlohmann::json& member(const nlohmann::json& json, const std::string& key, nlohmann::json::value_t kind, const std::string& place)
{
    const bool there = json.is_object() && json.contains(key);
    const nlohmann::json::value_t type = there ? json[key].type() : nlohmann::json::value_t::null;
    const bool integers = kind == nlohmann::json::value_t::number_integer && type == nlohmann::json::value_t::number_unsigned;
    if (!there || (type != kind && !integers))
        failAt(place + "." + key, "The entry is missing or of another type.", there ? json[key].type_name() : "missing",
               nlohmann::json(kind).type_name());
    return json[key];
}

nlohmann::json readStudyJson(const fs::path& root)
{
    Result<nlohmann::json> document = parseJson(readText(root, "study.json"));
    if (!document)
        failAt("study.json", document.errors().front().message, document.errors().front().path, document.errors().front().accepted);
    nlohmann::json json = std::move(document).value();
    if (!json.is_object())
        failAt("study.json", "This is not a JSON object.");
    if (!json.contains("format") || json["format"] != "prism-study-1")
        failAt("study.json.format", "This is not the folder of a study.", json.contains("format") ? json["format"].dump() : "",
               "prism-study-1");
    return json;
}

void importSteps(Database& db, const nlohmann::json& json)
{
    using Type = nlohmann::json::value_t;
    const nlohmann::json& steps = member(json, "steps", Type::array, "study.json");
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const std::string place = "study.json.steps[" + std::to_string(i) + "]";
        const auto id = member(steps[i], "id", Type::number_integer, place).get<std::int64_t>();
        db.run("INSERT INTO step (id, time_ms, label, merge_key) VALUES (?1, ?2, ?3, ?4)", id,
               member(steps[i], "time_ms", Type::number_integer, place).get<std::int64_t>(),
               member(steps[i], "label", Type::string, place).get<std::string>(),
               member(steps[i], "merge_key", Type::string, place).get<std::string>());
        for (const nlohmann::json& change : member(steps[i], "changes", Type::array, place))
            db.run("INSERT INTO change (step, scenario, field, before, after) VALUES (?1, ?2, ?3, ?4, ?5)", id,
                   sqlValue(change.value("scenario", nlohmann::json()), place),
                   member(change, "field", Type::string, place).get<std::string>(),
                   sqlValue(change.value("before", nlohmann::json()), place), sqlValue(change.value("after", nlohmann::json()), place));
    }
}

void importStudyRow(Database& db, const nlohmann::json& json)
{
    using Type = nlohmann::json::value_t;
    const auto text = [&](const char* key) { return member(json, key, Type::string, "study.json").get<std::string>(); };
    const auto whole = [&](const char* key) { return member(json, key, Type::number_integer, "study.json").get<std::int64_t>(); };
    db.run("UPDATE study SET name = ?1, created_ms = ?2, program = ?3, baseline = ?4, cursor = ?5", text("name"), whole("created_ms"),
           text("program"), sqlValue(json.value("baseline", nlohmann::json()), "study.json.baseline"), whole("cursor"));
    for (const auto& [name, view] : member(json, "view_state", Type::object, "study.json").items()) {
        if (!view.is_string())
            failAt("study.json.view_state." + name, "View state must be a text.", view.type_name());
        db.run("INSERT INTO view_state (name, json) VALUES (?1, ?2)", name, view.get<std::string>());
    }
}

void importResults(Database& db, const fs::path& root)
{
    const std::vector<std::string> columns = {"hash", "kind", "engine_version", "seed", "samples", "time_ms", "used", "file"};
    eachRow(root, "results.csv", columns, [&](const Row& row) {
        const std::string bytes = readText(root, row.at("file"));
        const std::string data = compressBytes(bytes);
        db.run("INSERT INTO result (hash, kind, engine_version, seed, samples, time_ms, used, raw_bytes, data) "
               "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
               std::bit_cast<std::int64_t>(number<std::uint64_t>(row, "hash", 16)), row.at("kind"), row.at("engine_version"),
               std::bit_cast<std::int64_t>(number<std::uint64_t>(row, "seed")), integer(row, "samples"), integer(row, "time_ms"),
               integer(row, "used"), static_cast<std::int64_t>(bytes.size()), SqlBlob{data});
    });
}

void importScenarios(Database& db, const fs::path& root)
{
    const std::vector<std::string> columns = {"id",      "name",     "position", "colour", "line_style",      "note",
                                              "visible", "archived", "removed",  "parent", "current_revision"};
    eachRow(root, "scenarios.csv", columns, [&](const Row& row) {
        db.run("INSERT INTO scenario (id, name, position, colour, line_style, note, visible, archived, removed, parent, "
               "current) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
               integer(row, "id"), row.at("name"), integer(row, "position"), row.at("colour"), row.at("line_style"), row.at("note"),
               integer(row, "visible"), integer(row, "archived"), integer(row, "removed"), optionalInteger(row, "parent"),
               optionalInteger(row, "current_revision"));
    });
}

void importRevisions(Study::Impl& impl, const fs::path& root)
{
    eachRow(root, "revisions.csv", {"id", "scenario", "time_ms", "label", "file"}, [&](const Row& row) {
        const std::string text = readText(root, row.at("file"));
        if (!parseJson(text))
            failAt(row.at("file"), "The revision is not a JSON text.");
        impl.db.run("INSERT INTO revision (id, scenario, time_ms, label, json) VALUES (?1, ?2, ?3, ?4, '')", integer(row, "id"),
                    integer(row, "scenario"), integer(row, "time_ms"), row.at("label"));
        impl.setRevisionText(integer(row, "id"), text);
    });
}

void importAttachments(Study::Impl& impl, const fs::path& root)
{
    eachRow(root, "attachments.csv", {"id", "scenario", "kind", "name", "source", "time_ms", "file"}, [&](const Row& row) {
        impl.db.run("INSERT INTO attachment (id, scenario, kind, name, source, time_ms, part) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                    integer(row, "id"), optionalInteger(row, "scenario"), row.at("kind"), row.at("name"), row.at("source"),
                    integer(row, "time_ms"), impl.addPart(readText(root, row.at("file"))));
    });
}

/// What import accepts, the check of the whole file accepts.
void requireSound(const std::string& file, const StudyOptions& options)
{
    StudyOptions whole = options;
    whole.access = StudyAccess::readOnly;
    whole.checkBudgetSeconds = 0;
    const Result<Study> made = Study::open(file, whole);
    const Diagnostics found = made.ok() ? made->check() : made.errors();
    if (!found.empty())
        failAt("study.json", "The folder holds no sound study: " + found.front().message, found.front().found);
}

} // namespace

Result<Study> Study::importFolder(const std::string& folder, const std::string& path, const StudyOptions& options)
{
    const Diagnostics problem = attempt([&] {
        const fs::path root(folder);
        const nlohmann::json json = readStudyJson(root);
        Impl impl;
        impl.options = options;
        (void)makeFile(path, {impl.me()}, [&](const NewStudy& made) {
            impl.db = Database(made.path, Database::Mode::create, options.vfs);
            Database& db = impl.db;
            migrateStudy(db);
            Transaction transaction(db);
            db.script("PRAGMA defer_foreign_keys = ON");
            withReferenceIndexes(db, [&] {
                importScenarios(db, root);
                importRevisions(impl, root);
                importAttachments(impl, root);
                importResults(db, root);
                importSteps(db, json);
                importStudyRow(db, json);
            });
            transaction.commit();
            impl.db = Database();
            requireSound(made.path, options);
        });
    });
    if (!problem.empty())
        return problem;
    return Study::open(path, options);
}

} // namespace prism
