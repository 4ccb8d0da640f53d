// SPDX-License-Identifier: GPL-3.0-or-later
// Looking after a study file: the whole check, compaction, and its structure as text.
#include "core/base/jsontext.h"
#include "core/study/compress.h"
#include "core/study/impl.h"

#include <nlohmann/json.hpp>

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

} // namespace

Diagnostics Study::check() const
{
    const std::lock_guard guard(m_impl->mutex);
    const Impl& impl = *m_impl;
    Diagnostics findings;
    const auto tryOut = [&](const std::string& where, const std::function<void()>& f) {
        for (const Diagnostic& problem : attempt(f))
            if (findings.size() < kMaxFindings)
                findings.push_back(damage(where, problem.message + (problem.found.empty() ? "" : " (" + problem.found + ")")));
    };
    tryOut("file", [&] {
        Statement rows(impl.db.handle(), "PRAGMA integrity_check(100)");
        while (rows.row())
            if (rows.text(0) != "ok" && findings.size() < kMaxFindings)
                findings.push_back(damage("file", rows.text(0)));
    });
    tryOut("file", [&] {
        Statement rows(impl.db.handle(), "PRAGMA foreign_key_check");
        while (rows.row())
            if (findings.size() < kMaxFindings)
                findings.push_back(damage(rows.text(0), "row " + rows.text(1) + " refers to something that is not there"));
    });
    tryOut("revisions", [&] {
        Statement rows(impl.db.handle(), "SELECT id FROM revision");
        while (rows.row()) {
            const std::int64_t id = rows.integer(0);
            tryOut("revision " + std::to_string(id), [&] {
                if (!parseJson(impl.revisionText(id)))
                    failStudy(kDamaged, "not a JSON text");
            });
        }
    });
    tryOut("imports", [&] {
        Statement rows(impl.db.handle(), "SELECT id FROM part");
        while (rows.row())
            tryOut("part " + std::to_string(rows.integer(0)), [&] { (void)impl.partBytes(rows.integer(0)); });
    });
    tryOut("results", [&] {
        Statement rows(impl.db.handle(), "SELECT id, raw_bytes, data FROM result");
        while (rows.row())
            tryOut("result " + std::to_string(rows.integer(0)), [&] { (void)expandBytes(rows.text(2), rows.integer(1)); });
    });
    return findings;
}

Diagnostics Study::compact(bool dropHistory)
{
    const std::lock_guard guard(m_impl->mutex);
    Impl& impl = *m_impl;
    Diagnostics problem = impl.write([&] {
        if (dropHistory) {
            impl.db.script("UPDATE study SET cursor = 0; DELETE FROM step; DELETE FROM scenario WHERE removed = 1;"
                           "DELETE FROM revision WHERE id NOT IN (SELECT current FROM scenario WHERE current IS NOT NULL);");
        }
        impl.db.run("DELETE FROM part WHERE id NOT IN (SELECT part FROM revision_part) "
                    "AND id NOT IN (SELECT part FROM attachment)");
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
