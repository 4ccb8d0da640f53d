// SPDX-License-Identifier: GPL-3.0-or-later
// What is kept in memory of an open study: the scenario table with its current texts.
#include "core/study/impl.h"

#include "core/base/text.h"

#include <algorithm>
#include <tuple>

namespace prism {

using namespace study_problem;

namespace {

constexpr const char* kRowColumns = "SELECT s.id, s.position, s.name, s.note, s.colour, s.line_style, s.visible, "
                                    "s.archived, s.parent, s.current FROM scenario AS s WHERE s.removed = 0";

Study::Impl::Row readRow(const Statement& rows)
{
    Study::Impl::Row row;
    row.scenario.id = {rows.integer(0)};
    row.position = rows.integer(1);
    row.scenario.name = rows.text(2, kMaxStudyNameBytes);
    row.scenario.note = rows.text(3, kMaxScenarioNoteBytes);
    row.scenario.colour = rows.text(4, kMaxStudyNameBytes);
    row.scenario.lineStyle = rows.text(5, kMaxStudyNameBytes);
    row.scenario.visible = rows.integer(6) != 0;
    row.scenario.archived = rows.integer(7) != 0;
    row.scenario.parent = {rows.integer(8)};
    row.scenario.current = {rows.integer(9)};
    return row;
}

void sortRows(std::vector<Study::Impl::Row>& rows)
{
    std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
        return std::pair(a.position, a.scenario.id.value) < std::pair(b.position, b.scenario.id.value);
    });
}

} // namespace

std::pair<std::string, ScenarioId> Study::Impl::readStudyRow() const
{
    Statement study(db.handle(), "SELECT name, baseline FROM study WHERE id = 1");
    if (!study.row())
        failStudy(kDamaged, "The study file is damaged.", "its first table is empty", "`prism-cli study salvage` copies what can be read");
    return {study.text(0, kMaxStudyNameBytes), ScenarioId{study.integer(1)}};
}

void Study::Impl::loadAll()
{
    std::vector<Row> loaded;
    std::size_t bytes = 0;
    Statement statement(db.handle(), kRowColumns);
    RevisionReader texts(db);
    while (statement.row()) {
        Row row = readRow(statement);
        row.scenario.json = texts.text(row.scenario.current.value);
        bytes += row.scenario.json.size();
        if (bytes > kMaxShownBytes || loaded.size() >= kMaxScenarios)
            failStudy(kTooLarge, "The study is larger than this program reads.",
                      db.path() + (bytes > kMaxShownBytes ? ": more text" : ": more scenarios"),
                      "up to " + std::to_string(kMaxShownBytes >> 20) + " MiB of text in " + std::to_string(kMaxScenarios) + " scenarios");
        loaded.push_back(std::move(row));
    }
    sortRows(loaded);
    std::tie(name, baseline) = readStudyRow();
    rows = std::move(loaded);
}

std::optional<Study::Impl::Row> Study::Impl::readScenario(std::int64_t id) const
{
    Statement statement(db.handle(), std::string(kRowColumns) + " AND s.id = ?1");
    statement.bind(1, id);
    if (!statement.row())
        return std::nullopt;
    Row row = readRow(statement);
    row.scenario.json = revisionText(row.scenario.current.value);
    return row;
}

void Study::Impl::replaceRow(std::int64_t id, std::optional<Row> row)
{
    std::erase_if(rows, [&](const Row& old) { return old.scenario.id.value == id; });
    if (row)
        rows.push_back(std::move(*row));
    sortRows(rows);
}

Study::Impl::Row* Study::Impl::find(std::int64_t id)
{
    const auto it = std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.scenario.id.value == id; });
    return it == rows.end() ? nullptr : &*it;
}

Study::Impl::Row& Study::Impl::need(ScenarioId id)
{
    Row* row = find(id.value);
    if (!row)
        failStudy(kInvalid, "There is no such scenario in the study.", std::to_string(id.value));
    return *row;
}

std::string Study::Impl::freeName(const std::string& requested, std::int64_t except) const
{
    const auto taken = [&](const std::string& name) {
        return std::any_of(rows.begin(), rows.end(),
                           [&](const Row& row) { return row.scenario.id.value != except && row.scenario.name == name; });
    };
    std::string name = requested;
    for (int i = 2; taken(name); ++i)
        name = requested + " " + std::to_string(i);
    if (name.size() > kMaxStudyNameBytes)
        failStudy(kTooLarge, "The name is too long.", std::to_string(name.size()) + " bytes",
                  "up to " + std::to_string(kMaxStudyNameBytes) + " bytes");
    return name;
}

std::vector<StudyScenario> Study::scenarios() const
{
    const std::lock_guard guard(m_impl->mutex);
    std::vector<StudyScenario> scenarios;
    scenarios.reserve(m_impl->rows.size());
    for (const Impl::Row& row : m_impl->rows)
        scenarios.push_back(row.scenario);
    return scenarios;
}

Result<StudyScenario> Study::scenario(ScenarioId id) const
{
    const std::lock_guard guard(m_impl->mutex);
    return attemptFor<StudyScenario>([&] { return m_impl->need(id).scenario; });
}

Result<StudyScenario> Study::scenario(std::string_view name) const
{
    const std::lock_guard guard(m_impl->mutex);
    std::vector<std::string> names;
    for (const Impl::Row& row : m_impl->rows) {
        if (row.scenario.name == name)
            return row.scenario;
        names.push_back(row.scenario.name);
    }
    if (names.empty())
        return Diagnostic{Severity::error, std::string(kInvalid), "The study has no scenarios.", std::string(name),
                          "a study with scenarios"};
    return unknownName(std::string(kInvalid), "scenario", name, names);
}

ScenarioId Study::baseline() const
{
    const std::lock_guard guard(m_impl->mutex);
    return m_impl->baseline;
}

} // namespace prism
