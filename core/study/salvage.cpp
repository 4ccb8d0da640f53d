// SPDX-License-Identifier: GPL-3.0-or-later
// Copies what can be read from a damaged study into a fresh one.
#include "core/study/compress.h"
#include "core/study/salvageread.h"
#include "core/study/schema.h"

#include <algorithm>
#include <filesystem>
#include <set>

namespace prism {

using namespace study_problem;

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxListed = 100; ///< losses of one kind that are named

/// A database that is gone with its journals when this is.
struct Copy {
    explicit Copy(std::string name) : path(std::move(name)) {}
    ~Copy()
    {
        for (const char* suffix : {"", "-journal", "-wal", "-shm"})
            removeFile(path + suffix);
    }
    Copy(const Copy&) = delete;
    Copy& operator=(const Copy&) = delete;
    std::string path;
};

/// Writes what was read into a fresh study.
class Writer final {
public:
    Writer(Study::Impl& out, const SalvagedContent& content, SalvageReport& report) : m_out(out), m_c(content), m_report(report) {}

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
        requireSpace(problem);
        if (!problem.empty())
            m_report.losses.push_back(
                {Severity::warning, where, problem.front().message + (problem.front().found.empty() ? "" : " " + problem.front().found)});
        return problem.empty();
    }

    /// What is longer than a study takes is cut at a character.
    std::string shortened(std::int64_t id, const std::string& text, std::size_t limit)
    {
        if (text.size() <= limit)
            return text;
        m_report.losses.push_back({Severity::warning, "scenario " + std::to_string(id),
                                   "a text of " + std::to_string(text.size()) + " bytes is cut after " + std::to_string(limit)});
        std::size_t end = limit;
        while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80)
            --end;
        return text.substr(0, end);
    }

    void insertScenario(std::int64_t id, const std::string& name, const Cells& cells)
    {
        const auto cut = [&](const std::string& text, std::size_t limit) { return shortened(id, text, limit); };
        const auto flag = [&](int i) { return std::int64_t{integerOf(cells[static_cast<std::size_t>(i)]) != 0}; };
        m_out.db.run("INSERT INTO scenario (id, name, position, colour, line_style, note, visible, archived, removed) "
                     "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
                     id, cut(name, kMaxStudyNameBytes), integerOf(cells[2]), cut(textOf(cells[3]), kMaxStudyNameBytes),
                     cut(textOf(cells[4]), kMaxStudyNameBytes), cut(textOf(cells[5]), kMaxScenarioNoteBytes), flag(6), flag(7), flag(8));
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
                insert("scenario " + std::to_string(id), [&, id = id, &cells = cells] { insertScenario(id, textOf(cells[1]), cells); });
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
            const Cells blank = {
                owner,           std::string(),   owner,           std::string(), std::string(), std::string("Recovered by salvage"),
                std::int64_t{1}, std::int64_t{0}, std::int64_t{0}, SqlValue{},    SqlValue{}};
            insert("scenario " + std::to_string(owner), [&] { insertScenario(owner, "recovered " + std::to_string(owner), blank); });
        }
        for (const auto& [id, cells] : m_c.scenarios)
            if (m_scenarios.contains(id) && m_scenarios.contains(integerOf(cells[9])))
                m_out.db.run("UPDATE scenario SET parent = ?1 WHERE id = ?2", integerOf(cells[9]), id);
    }

    void writeRevisions()
    {
        for (const auto& [id, cells] : m_c.revisions) {
            const std::int64_t owner = integerOf(cells[1]);
            insert("revision " + std::to_string(id), [&, id = id, &cells = cells] {
                const std::string json = assembledRevision(m_c, id);
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
            m_report.viewStates += insert("view_state " + name, [&, &name = name, &json = json] {
                m_out.db.run("INSERT INTO view_state (name, json) VALUES (?1, ?2)", name, json);
            });
        for (const auto& [id, cells] : m_c.imports)
            m_report.attachments += insert("attachment " + std::to_string(id), [&, &cells = cells] {
                const auto part = m_c.parts.find(integerOf(cells[6]));
                if (part == m_c.parts.end())
                    failStudy(kDamaged, "its content is lost");
                const std::string bytes = expandBytes(textOf(part->second[2]), integerOf(part->second[1]));
                const SqlValue owner = m_scenarios.contains(integerOf(cells[1])) ? cells[1] : SqlValue{};
                m_out.db.run("INSERT INTO attachment (scenario, kind, name, source, time_ms, part) VALUES (?1, ?2, ?3, ?4, ?5, ?6)", owner,
                             textOf(cells[2]), textOf(cells[3]), textOf(cells[4]), integerOf(cells[5]), m_out.addPart(bytes));
            });
        for (const auto& [id, cells] : m_c.results)
            m_report.results += insert("result " + std::to_string(id), [&, &cells = cells] {
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
            m_report.losses.push_back(
                {Severity::warning, "undo history", "left out, because not everything that it refers to can be read"});
            return;
        }
        for (const auto& [id, cells] : m_c.steps)
            m_report.steps += insert("step " + std::to_string(id), [&, id = id, &cells = cells] {
                m_out.db.run("INSERT INTO step (id, time_ms, label, merge_key) VALUES (?1, ?2, ?3, ?4)", id, integerOf(cells[1]),
                             textOf(cells[2]), textOf(cells[3]));
            });
        for (const auto& [id, cells] : m_c.changes)
            insert("change " + std::to_string(id), [&, &cells = cells] {
                m_out.db.run("INSERT INTO change (step, scenario, field, before, after) VALUES (?1, ?2, ?3, ?4, ?5)", integerOf(cells[1]),
                             cells[2], textOf(cells[3]), cells[4], cells[5]);
            });
        m_out.db.run("UPDATE study SET cursor = ?1", integerOf(m_c.study.begin()->second[5]));
    }

    Study::Impl& m_out;
    const SalvagedContent& m_c;
    SalvageReport& m_report;
    std::set<std::int64_t> m_scenarios, m_revisions;
    std::map<std::int64_t, std::int64_t> m_newest;
};

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
            const SalvagedContent content = readSalvage(path, Copy(made.path + "-damaged").path, report);
            if (content.size() == 0)
                failStudy(kDamaged, "Nothing of a study can be read from this file.", path);
            out.db = Database(made.path, Database::Mode::create, {});
            migrateStudy(out.db);
            Writer(out, content, report).write();
            out.db.close();
        });
        return report;
    });
}

} // namespace prism
