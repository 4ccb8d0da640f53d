// SPDX-License-Identifier: GPL-3.0-or-later
// Maintenance of a study file: the complete check, compaction, and its structure as text.
#include "core/base/jsontext.h"
#include "core/study/compress.h"
#include "core/study/impl.h"
#include "core/study/schema.h"

#include <nlohmann/json.hpp>

#include <unordered_set>

namespace prism {

using namespace study_problem;

namespace {

constexpr std::size_t kMaxFindings = 100;

Diagnostic damage(const std::string& where, const std::string& what)
{
    return {Severity::error, std::string(kDamaged), where + ": " + what, "", "`prism-cli study salvage` copies what can be read"};
}

std::string quoted(const std::string& text)
{
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string valueText(const SqlValue& value)
{
    if (const auto* integer = std::get_if<std::int64_t>(&value))
        return std::to_string(*integer);
    if (const auto* text = std::get_if<std::string>(&value))
        return quoted(*text);
    return "none";
}

/// Every row of a query, one line each: "<title> column=value ...".
void dumpRows(const Database& db, std::string& out, const std::string& title, const std::string& columns, const std::string& rest)
{
    std::vector<std::string> names;
    for (std::size_t i = 0; i < columns.size();) {
        const std::size_t comma = std::min(columns.find(", ", i), columns.size());
        names.push_back(columns.substr(i, comma - i));
        i = comma + 2;
    }
    Statement rows(db.handle(), "SELECT " + columns + " " + rest);
    while (rows.row()) {
        out += title;
        for (std::size_t i = 0; i < names.size(); ++i)
            out += " " + names[i] + "=" + valueText(rows.value(static_cast<int>(i)));
        out += "\n";
    }
}

/// The complete check of one file, within kMaxCheckSeconds.
class Check final {
public:
    explicit Check(const Database& db) : m_db(db), m_deadline(db, kMaxCheckSeconds, Deadline::Clock::processor) {}

    Diagnostics run()
    {
        checkFile();
        checkReferences();
        checkTexts();
        checkRevisions();
        checkContents();
        if (m_deadline.passed())
            m_findings.push_back({Severity::error, std::string(kTooLarge), "The check was stopped before its end.", m_db.path(),
                                  "up to " + std::to_string(static_cast<int>(kMaxCheckSeconds)) + " s of processor time"});
        return std::move(m_findings);
    }

private:
    void add(const std::string& where, const std::string& what)
    {
        if (m_findings.size() < kMaxFindings && !m_deadline.passed())
            m_findings.push_back(damage(where, what));
    }
    void tryOut(const std::string& where, const std::function<void()>& f)
    {
        for (const Diagnostic& problem : attempt(f))
            add(where, problem.message + (problem.found.empty() ? "" : " (" + problem.found + ")"));
    }
    /// Calls `f` for each row of a query until the time limit.
    void each(const std::string& where, const std::string& sql, const std::function<void(const Statement&)>& f)
    {
        tryOut(where, [&] {
            Statement rows(m_db.handle(), sql);
            while (!m_deadline.passed() && rows.row())
                f(rows);
        });
    }

    void checkFile()
    {
        each("file", "PRAGMA integrity_check(100)", [&](const Statement& row) {
            if (row.text(0) != "ok")
                add("file", row.text(0));
        });
        each("file", "PRAGMA foreign_key_check",
             [&](const Statement& row) { add(row.text(0), "row " + row.text(1) + " refers to something that is not there"); });
    }
    /// References to removed scenarios, and scenarios whose revision is missing or of another scenario.
    void checkReferences()
    {
        each("study", "SELECT s.id FROM study JOIN scenario AS s ON s.id = study.baseline WHERE s.removed = 1",
             [&](const Statement& row) { add("study", "its baseline is scenario " + row.text(0) + ", which is removed"); });
        each("scenario", "SELECT s.id, p.id FROM scenario AS s JOIN scenario AS p ON p.id = s.parent WHERE s.removed = 0 AND p.removed = 1",
             [&](const Statement& row) { add("scenario " + row.text(0), "its parent is scenario " + row.text(1) + ", which is removed"); });
        each("scenario", "SELECT s.id, r.id FROM scenario AS s JOIN revision AS r ON r.id = s.current WHERE r.scenario <> s.id",
             [&](const Statement& row) { add("scenario " + row.text(0), "its revision " + row.text(1) + " is of another scenario"); });
        each("scenario", "SELECT id FROM scenario WHERE removed = 0 AND current IS NULL",
             [&](const Statement& row) { add("scenario " + row.text(0), "it has no revision"); });
    }
    /// Texts that a list of the study would refuse.
    void checkTexts()
    {
        const auto listed = [&](const std::string& table, const std::string& columns, int count) {
            each(table, "SELECT id, " + columns + " FROM " + table, [&](const Statement& row) {
                for (int column = 1; column <= count; ++column)
                    for (const Diagnostic& problem : attempt([&] { (void)row.text(column, kMaxTextBytesListed); }))
                        add(table + " " + row.text(0), problem.message + " (" + problem.found + ", accepted: " + problem.accepted + ")");
            });
        };
        listed("revision", "label", 1);
        listed("step", "label", 1);
        listed("attachment", "kind, name, source", 3);
    }
    /// A section that is stored separately is a JSON value: it is parsed once, however many revisions share it.
    void checkRevisions()
    {
        tryOut("revisions", [&] {
            RevisionReader texts(m_db);
            each("revisions", "SELECT id FROM revision", [&](const Statement& row) {
                const std::int64_t id = row.integer(0);
                tryOut("revision " + std::to_string(id), [&] {
                    if (!parseJson(texts.outline(id)))
                        failStudy(kDamaged, "not a JSON text");
                });
            });
        });
    }
    void checkContents()
    {
        std::unordered_set<std::int64_t> sections;
        each("revisions", "SELECT DISTINCT part FROM revision_part", [&](const Statement& row) { sections.insert(row.integer(0)); });
        each("imports", "SELECT id, raw_bytes, data FROM part", [&](const Statement& row) {
            tryOut("part " + std::to_string(row.integer(0)), [&] {
                const std::string bytes = expandBytes(row.view(2), row.integer(1));
                if (sections.contains(row.integer(0)) && !parseJson(bytes))
                    failStudy(kDamaged, "not a JSON text");
            });
        });
        each("results", "SELECT id, raw_bytes, data FROM result", [&](const Statement& row) {
            tryOut("result " + std::to_string(row.integer(0)), [&] { (void)expandBytes(row.view(2), row.integer(1)); });
        });
    }

    const Database& m_db;
    Deadline m_deadline;
    Diagnostics m_findings;
};

} // namespace

Diagnostics Study::check() const
{
    const std::lock_guard guard(m_impl->mutex);
    return Check(m_impl->db).run();
}

void Study::backUp(const std::string& folder, const std::stop_token& stop)
{
    const std::lock_guard guard(m_impl->mutex);
    m_impl->backUp(folder, stop);
}

Diagnostics Study::compact(bool dropHistory)
{
    const std::lock_guard guard(m_impl->mutex);
    Impl& impl = *m_impl;
    Diagnostics problem = impl.write([&] {
        withReferenceIndexes(impl.db, [&] {
            if (dropHistory)
                impl.db.script("UPDATE study SET cursor = 0; DELETE FROM step; DELETE FROM scenario WHERE removed = 1;"
                               "DELETE FROM revision WHERE id NOT IN (SELECT current FROM scenario WHERE current IS NOT NULL);");
            impl.db.run("DELETE FROM part WHERE id NOT IN (SELECT part FROM revision_part) "
                        "AND id NOT IN (SELECT part FROM attachment)");
        });
    });
    if (!problem.empty())
        return problem;
    return attempt([&] { impl.db.script("VACUUM"); });
}

Result<std::string> Study::dump() const
{
    const std::lock_guard guard(m_impl->mutex);
    const Impl& impl = *m_impl;
    return attemptFor<std::string>([&] {
        const Database& db = impl.db;
        std::string out;
        dumpRows(db, out, "study", "name, created_ms, program, baseline, cursor", "FROM study");
        dumpRows(db, out, "scenario", "id, name, position, colour, line_style, note, visible, archived, removed, parent, current",
                 "FROM scenario ORDER BY id");
        Statement rows(db.handle(), "SELECT id, scenario, time_ms, label FROM revision ORDER BY id");
        while (rows.row())
            out += "revision id=" + std::to_string(rows.integer(0)) + " scenario=" + std::to_string(rows.integer(1)) + " time_ms="
                   + std::to_string(rows.integer(2)) + " label=" + quoted(rows.text(3)) + " " + impl.revisionText(rows.integer(0)) + "\n";
        dumpRows(db, out, "step", "id, time_ms, label, merge_key", "FROM step ORDER BY id");
        dumpRows(db, out, "change", "step, scenario, field, before, after", "FROM change ORDER BY id");
        dumpRows(db, out, "view_state", "name, json", "FROM view_state ORDER BY name");
        Statement imports(db.handle(), "SELECT id, scenario, kind, name, source, time_ms, part FROM attachment ORDER BY id");
        while (imports.row()) {
            const std::string bytes = impl.partBytes(imports.integer(6));
            out += "attachment id=" + std::to_string(imports.integer(0)) + " scenario=" + valueText(imports.value(1))
                   + " kind=" + quoted(imports.text(2)) + " name=" + quoted(imports.text(3)) + " source=" + quoted(imports.text(4))
                   + " time_ms=" + std::to_string(imports.integer(5)) + " bytes=" + std::to_string(bytes.size())
                   + " content=" + std::to_string(contentKey(bytes)) + "\n";
        }
        Statement results(db.handle(), "SELECT hash, kind, engine_version, seed, samples, time_ms, raw_bytes, data "
                                       "FROM result ORDER BY hash, kind, engine_version, seed");
        while (results.row())
            out += "result hash=" + std::to_string(results.integer(0)) + " kind=" + quoted(results.text(1))
                   + " engine_version=" + quoted(results.text(2)) + " seed=" + std::to_string(results.integer(3))
                   + " samples=" + std::to_string(results.integer(4)) + " time_ms=" + std::to_string(results.integer(5))
                   + " bytes=" + std::to_string(results.integer(6))
                   + " content=" + std::to_string(contentKey(expandBytes(results.text(7), results.integer(6)))) + "\n";
        return out;
    });
}

} // namespace prism
