// SPDX-License-Identifier: GPL-3.0-or-later
// A study as a folder of JSON and CSV that people and scripts read, and that importFolder reads back without loss.
#include "core/study/compress.h"
#include "core/base/outputfile.h"
#include "core/base/table.h"
#include "core/study/impl.h"

#include <nlohmann/json.hpp>

#include <bit>
#include <cerrno>
#include <filesystem>

namespace prism {

using namespace study_problem;

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

void writeText(const fs::path& path, const std::string& text)
{
    errno = 0;
    if (const Diagnostics problems = writeFile(path.string(), text, Flush::no); !problems.empty())
        failStudy(errno == ENOSPC ? kDiskFull : kInputOutput, problems.front().message, problems.front().path, "choose another place");
}

/// Refuses an export that would be too large, before the first file: shared and compressed sections are written once per use.
void requireSpaceFor(const Database& db)
{
    const std::int64_t bytes =
        db.integer("SELECT (SELECT coalesce(sum(length(CAST(json AS BLOB)) + length(label)), 0) FROM revision)"
                   " + (SELECT coalesce(sum(max(p.raw_bytes, 0)), 0) FROM revision_part AS r JOIN part AS p ON p.id = r.part)"
                   " + (SELECT coalesce(sum(max(p.raw_bytes, 0)), 0) FROM attachment AS a JOIN part AS p ON p.id = a.part)"
                   " + (SELECT coalesce(sum(max(raw_bytes, 0)), 0) FROM result)");
    if (bytes > kMaxExportBytes)
        failStudy(kTooLarge, "The exported study would be too large.", db.path() + ": " + std::to_string(bytes >> 20) + " MiB",
                  "up to " + std::to_string(kMaxExportBytes >> 20) + " MiB; export single scenarios, or compact it with --drop-history");
    const std::int64_t files = db.integer("SELECT (SELECT count(*) FROM revision) + (SELECT count(*) FROM attachment)"
                                          " + (SELECT count(*) FROM result)");
    const std::int64_t rows = db.integer("SELECT max((SELECT count(*) FROM step), (SELECT count(*) FROM change),"
                                         " (SELECT count(*) FROM view_state), (SELECT count(*) FROM scenario))");
    if (files > kMaxExportFiles || rows > kMaxExportFiles)
        failStudy(kTooLarge, "The exported study would have too many files or too many rows of one kind.",
                  db.path() + ": " + std::to_string(std::max(files, rows)),
                  "up to " + std::to_string(kMaxExportFiles) + "; export single scenarios, or compact it with --drop-history");
}

std::string field(const SqlValue& value)
{
    if (const auto* integer = std::get_if<std::int64_t>(&value))
        return std::to_string(*integer);
    const auto* text = std::get_if<std::string>(&value);
    return text ? *text : std::string();
}

Json jsonValue(const SqlValue& value)
{
    if (const auto* integer = std::get_if<std::int64_t>(&value))
        return *integer;
    const auto* text = std::get_if<std::string>(&value);
    return text ? Json(*text) : Json();
}

/// Part of a file name made of what a person called it.
std::string slug(const std::string& name)
{
    std::string slug;
    for (const char c : name.substr(0, 60))
        slug += (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_'
                        || (c == '.' && !slug.empty())
                    ? c
                    : '_';
    return slug;
}

std::string hex(std::int64_t value)
{
    return ContentHash{std::bit_cast<std::uint64_t>(value)}.text();
}

Json stepsJson(const Database& db)
{
    Json steps = Json::array();
    Statement rows(db.handle(), "SELECT id, time_ms, label, merge_key FROM step ORDER BY id");
    Statement changes(db.handle(), "SELECT scenario, field, before, after FROM change WHERE step = ?1 ORDER BY id");
    while (rows.row()) {
        Json list = Json::array();
        changes.reset();
        changes.bind(1, rows.integer(0));
        while (changes.row())
            list.push_back({{"scenario", jsonValue(changes.value(0))},
                            {"field", changes.text(1)},
                            {"before", jsonValue(changes.value(2))},
                            {"after", jsonValue(changes.value(3))}});
        steps.push_back({{"id", rows.integer(0)},
                         {"time_ms", rows.integer(1)},
                         {"label", rows.text(2)},
                         {"merge_key", rows.text(3)},
                         {"changes", std::move(list)}});
    }
    return steps;
}

std::string studyJson(const Database& db)
{
    Statement study(db.handle(), "SELECT name, created_ms, program, baseline, cursor FROM study");
    study.row();
    Json json{{"format", "prism-study-1"},
              {"name", study.text(0)},
              {"created_ms", study.integer(1)},
              {"program", study.text(2)},
              {"baseline", jsonValue(study.value(3))},
              {"cursor", study.integer(4)}};
    nlohmann::json views = nlohmann::json::object(); // finds a key in logarithmic time, an ordered one searches all
    Statement rows(db.handle(), "SELECT name, json FROM view_state ORDER BY name");
    while (rows.row())
        views[rows.text(0)] = rows.text(1);
    json["view_state"] = std::move(views);
    json["steps"] = stepsJson(db);
    return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string scenariosCsv(const Database& db)
{
    std::string csv = tableLine(
        {"id", "name", "position", "colour", "line_style", "note", "visible", "archived", "removed", "parent", "current_revision"});
    Statement rows(db.handle(), "SELECT id, name, position, colour, line_style, note, visible, archived, removed, parent, "
                                "current FROM scenario ORDER BY id");
    while (rows.row()) {
        std::vector<std::string> fields;
        for (int i = 0; i < 11; ++i)
            fields.push_back(field(rows.value(i)));
        csv += tableLine(fields);
    }
    return csv;
}

/// Takes back what an export that failed has made.
void removeExport(const fs::path& root, bool wasThere)
{
    std::error_code none;
    for (const char* name : {"revisions", "attachments", "results", "scenarios.csv", "revisions.csv", "attachments.csv", "results.csv"})
        fs::remove_all(root / name, none);
    if (!wasThere)
        fs::remove(root, none);
}

} // namespace

Diagnostics Study::exportFolder(const std::string& folder) const
{
    const std::lock_guard guard(m_impl->mutex);
    const Impl& impl = *m_impl;
    const fs::path root(folder);
    bool wasThere = false, isOurs = false;
    const Diagnostics problems = attempt([&] {
        wasThere = fs::exists(root);
        if (wasThere && (!fs::is_directory(root) || !fs::is_empty(root)))
            failStudy(kExists, "There is something in this place already.", folder, "an empty or new folder");
        isOurs = true;
        const Database& db = impl.db;
        requireSpaceFor(db);
        for (const char* name : {"revisions", "attachments", "results"})
            fs::create_directories(root / name);
        writeText(root / "scenarios.csv", scenariosCsv(db));

        std::string csv = tableLine({"id", "scenario", "time_ms", "label", "file"});
        ListBudget budget(db);
        RevisionReader texts(db);
        Statement revisions(db.handle(), "SELECT id, scenario, time_ms, label FROM revision ORDER BY id");
        while (revisions.row()) {
            const std::string file = "revisions/" + field(revisions.value(0)) + ".json";
            writeText(root / file, texts.text(revisions.integer(0)));
            const std::string label = revisions.text(3, kMaxTextBytesListed);
            budget.take(label.size());
            csv += tableLine({field(revisions.value(0)), field(revisions.value(1)), field(revisions.value(2)), label, file});
        }
        writeText(root / "revisions.csv", csv);

        csv = tableLine({"id", "scenario", "kind", "name", "source", "time_ms", "file"});
        Statement imports(db.handle(), "SELECT id, scenario, kind, name, source, time_ms, part FROM attachment ORDER BY id");
        while (imports.row()) {
            const std::string file = "attachments/" + field(imports.value(0)) + "-" + slug(imports.text(4));
            writeText(root / file, impl.partBytes(imports.integer(6)));
            csv += tableLine({field(imports.value(0)), field(imports.value(1)), imports.text(2), imports.text(3), imports.text(4),
                              field(imports.value(5)), file});
        }
        writeText(root / "attachments.csv", csv);

        csv = tableLine({"hash", "kind", "engine_version", "seed", "samples", "time_ms", "used", "file"});
        Statement results(db.handle(), "SELECT id, hash, kind, engine_version, seed, samples, time_ms, used, raw_bytes, data "
                                       "FROM result ORDER BY id");
        while (results.row()) {
            const std::string file = "results/" + hex(results.integer(1)) + "-" + field(results.value(0)) + ".bin";
            writeText(root / file, expandBytes(results.text(9), results.integer(8)));
            csv += tableLine({hex(results.integer(1)), results.text(2), results.text(3),
                              std::to_string(std::bit_cast<std::uint64_t>(results.integer(4))), field(results.value(5)),
                              field(results.value(6)), field(results.value(7)), file});
        }
        writeText(root / "results.csv", csv);
        writeText(root / "study.json", studyJson(db)); // last: a folder with it is complete
    });
    if (!problems.empty() && isOurs)
        removeExport(root, wasThere);
    return problems;
}

} // namespace prism
