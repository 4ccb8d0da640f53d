// SPDX-License-Identifier: GPL-3.0-or-later
// Changes of a study and their undo history: every change is one field of one scenario (or of the study) with its value before
// and after, so undo and redo are the same walk in two directions.
#include "core/study/impl.h"

#include <algorithm>
#include <array>

namespace prism {

using namespace study_problem;

namespace {

constexpr std::array<std::string_view, 10> kScenarioFields = {"name",    "position", "colour",  "line_style", "note",
                                                              "visible", "archived", "removed", "parent",     "current"};

void checkLength(const std::string& text, std::size_t largest, const char* what)
{
    if (text.size() > largest)
        failStudy(kTooLarge, std::string(what) + " is too long.", std::to_string(text.size()) + " bytes",
                  "up to " + std::to_string(largest) + " bytes");
}

/// The table of a field; also keeps untrusted text of a file out of SQL.
std::string tableOf(const std::string& field)
{
    if (field == "baseline")
        return "study";
    if (std::find(kScenarioFields.begin(), kScenarioFields.end(), field) == kScenarioFields.end())
        failStudy(kDamaged, "The undo history of the study is damaged.", field);
    return "scenario";
}

SqlValue idOrNull(ScenarioId id)
{
    return id.value == 0 ? SqlValue{} : SqlValue{id.value};
}

bool isStorageProblem(const Diagnostics& problem)
{
    return !problem.empty() && problem.front().path != kInvalid && problem.front().path != kTooLarge;
}

} // namespace

std::int64_t Study::Impl::beginStep(const std::string& label, const std::string& mergeKey)
{
    db.run("DELETE FROM step WHERE id > (SELECT cursor FROM study)");
    db.run("INSERT INTO step (time_ms, label, merge_key) VALUES (?1, ?2, ?3)", now(), label, mergeKey);
    const std::int64_t step = db.lastId();
    db.run("UPDATE study SET cursor = ?1", step);
    return step;
}

void Study::Impl::setField(std::int64_t scenario, const std::string& field, const SqlValue& value)
{
    const std::string table = tableOf(field);
    db.run("UPDATE " + table + " SET " + field + " = ?1 WHERE id = ?2", value, table == "study" ? 1 : scenario);
    if (scenario != 0 && std::find(touched.begin(), touched.end(), scenario) == touched.end())
        touched.push_back(scenario);
}

void Study::Impl::changeField(std::int64_t step, std::int64_t scenario, const std::string& field, const SqlValue& value)
{
    const std::string table = tableOf(field);
    SqlValue before;
    {
        Statement old(db.handle(), "SELECT " + field + " FROM " + table + " WHERE id = ?1");
        old.bind(1, table == "study" ? 1 : scenario);
        if (old.row())
            before = old.value(0);
    }
    const SqlValue owner = scenario == 0 ? SqlValue{} : SqlValue{scenario};
    db.run("INSERT INTO change (step, scenario, field, before, after) VALUES (?1, ?2, ?3, ?4, ?5)", step, owner, field, before, value);
    setField(scenario, field, value);
}

Diagnostics Study::Impl::changeOne(ScenarioId id, const std::string& label, const std::string& field, const SqlValue& value)
{
    return write([&] {
        need(id);
        changeField(beginStep(label), id.value, field, value);
    });
}

Result<ScenarioId> Study::addScenario(const std::string& name, const std::string& json, ScenarioId parent)
{
    const std::lock_guard guard(m_impl->mutex);
    Impl& impl = *m_impl;
    std::int64_t id = 0;
    Diagnostics problem = impl.write([&] {
        checkLength(name, kMaxStudyNameBytes, "The name");
        if (parent.value != 0)
            impl.need(parent);
        const std::string free = impl.freeName(name.empty() ? "scenario" : name, 0);
        // Made removed and then shown by a change, so that undo takes it away and redo brings it back.
        impl.db.run("INSERT INTO scenario (name, position, parent, removed) "
                    "VALUES (?1, coalesce((SELECT max(position) FROM scenario WHERE removed = 0), -1) + 1, ?2, 1)",
                    free, idOrNull(parent));
        id = impl.db.lastId();
        const std::int64_t revision = impl.addRevision(id, impl.now(), "Added", json);
        impl.db.run("UPDATE scenario SET current = ?1 WHERE id = ?2", revision, id);
        impl.changeField(impl.beginStep("Add " + free), id, "removed", std::int64_t{0});
    });
    if (!problem.empty())
        return problem;
    return ScenarioId{id};
}

Result<RevisionId> Study::updateScenario(ScenarioId id, const ScenarioEdit& edit)
{
    const std::lock_guard guard(m_impl->mutex);
    Impl& impl = *m_impl;
    std::int64_t revision = 0;
    Diagnostics problem = impl.write([&] {
        impl.need(id);
        if (!edit.mergeKey.empty()) {
            // The step that an undo would take back, when it is the last one and of the same keystrokes.
            Statement last(impl.db.handle(), "SELECT s.id, c.after FROM step AS s JOIN change AS c ON c.step = s.id "
                                             "WHERE s.id = (SELECT cursor FROM study) AND s.id = (SELECT max(id) FROM step) "
                                             "AND s.merge_key = ?1 AND c.scenario = ?2 AND c.field = 'current' AND ?3 - s.time_ms <= ?4");
            last.bind(1, edit.mergeKey).bind(2, id.value).bind(3, impl.now());
            last.bind(4, static_cast<std::int64_t>(std::clamp(edit.mergeSeconds, 0.0, 1e9) * 1000));
            if (last.row()) {
                revision = last.integer(1);
                const std::int64_t step = last.integer(0);
                last.reset();
                impl.setRevisionText(revision, edit.json);
                impl.db.run("UPDATE revision SET time_ms = ?1, label = ?2 WHERE id = ?3", impl.now(), edit.label, revision);
                impl.db.run("UPDATE step SET time_ms = ?1, label = ?2 WHERE id = ?3", impl.now(), edit.label, step);
                impl.touched.push_back(id.value);
                return;
            }
        }
        revision = impl.addRevision(id.value, impl.now(), edit.label, edit.json);
        impl.changeField(impl.beginStep(edit.label, edit.mergeKey), id.value, "current", revision);
    });
    if (problem.empty()) {
        impl.unsaved.erase(id.value);
        return RevisionId{revision};
    }
    if (isStorageProblem(problem) && impl.find(id.value))
        impl.unsaved[id.value] = edit.json;
    return problem;
}

Diagnostics Study::rename(ScenarioId id, const std::string& name)
{
    const std::lock_guard guard(m_impl->mutex);
    Impl& impl = *m_impl;
    return impl.write([&] {
        checkLength(name, kMaxStudyNameBytes, "The name");
        const std::string old = impl.need(id).scenario.name;
        if (name.empty())
            failStudy(kInvalid, "A scenario needs a name.", "");
        if (const std::string free = impl.freeName(name, id.value); free != name)
            failStudy(kInvalid, "Another scenario has this name.", name, free);
        if (name != old)
            impl.changeField(impl.beginStep("Rename " + old + " to " + name), id.value, "name", name);
    });
}

Diagnostics Study::reorder(ScenarioId id, int position)
{
    const std::lock_guard guard(m_impl->mutex);
    Impl& impl = *m_impl;
    return impl.write([&] {
        impl.need(id);
        std::vector<std::int64_t> order;
        for (const Impl::Row& row : impl.rows)
            if (row.scenario.id != id)
                order.push_back(row.scenario.id.value);
        order.insert(order.begin() + std::clamp<std::ptrdiff_t>(position, 0, std::ssize(order)), id.value);
        const std::int64_t step = impl.beginStep("Move " + impl.need(id).scenario.name);
        for (std::size_t i = 0; i < order.size(); ++i)
            if (impl.need({order[i]}).position != static_cast<std::int64_t>(i))
                impl.changeField(step, order[i], "position", static_cast<std::int64_t>(i));
    });
}

Diagnostics Study::setVisible(ScenarioId id, bool visible)
{
    const std::lock_guard guard(m_impl->mutex);
    return m_impl->changeOne(id, visible ? "Show" : "Hide", "visible", std::int64_t{visible});
}

Diagnostics Study::setColour(ScenarioId id, const std::string& colour)
{
    const std::lock_guard guard(m_impl->mutex);
    if (colour.size() > kMaxStudyNameBytes)
        return {{Severity::error, std::string(kTooLarge), "The colour is too long."}};
    return m_impl->changeOne(id, "Colour", "colour", colour);
}

Diagnostics Study::setLineStyle(ScenarioId id, const std::string& lineStyle)
{
    const std::lock_guard guard(m_impl->mutex);
    if (lineStyle.size() > kMaxStudyNameBytes)
        return {{Severity::error, std::string(kTooLarge), "The line style is too long."}};
    return m_impl->changeOne(id, "Line style", "line_style", lineStyle);
}

Diagnostics Study::setNote(ScenarioId id, const std::string& note)
{
    const std::lock_guard guard(m_impl->mutex);
    if (note.size() > kMaxScenarioNoteBytes)
        return {{Severity::error, std::string(kTooLarge), "The note is too long.", std::to_string(note.size()) + " bytes", "up to 1 MiB"}};
    return m_impl->changeOne(id, "Note", "note", note);
}

Diagnostics Study::setArchived(ScenarioId id, bool archived)
{
    const std::lock_guard guard(m_impl->mutex);
    return m_impl->changeOne(id, archived ? "Archive" : "Take out of the archive", "archived", std::int64_t{archived});
}

Diagnostics Study::setParent(ScenarioId id, ScenarioId parent)
{
    const std::lock_guard guard(m_impl->mutex);
    Impl& impl = *m_impl;
    return impl.write([&] {
        impl.need(id);
        std::size_t generations = 0;
        for (ScenarioId up = parent; up.value != 0; up = impl.need(up).scenario.parent)
            if (up == id || ++generations > impl.rows.size())
                failStudy(kInvalid, "A scenario cannot be its own ancestor.", impl.need(id).scenario.name);
        impl.changeField(impl.beginStep("Parent"), id.value, "parent", idOrNull(parent));
    });
}

Diagnostics Study::remove(ScenarioId id)
{
    const std::lock_guard guard(m_impl->mutex);
    Impl& impl = *m_impl;
    Diagnostics problem = impl.write([&] {
        const std::int64_t step = impl.beginStep("Remove " + impl.need(id).scenario.name);
        impl.changeField(step, id.value, "removed", std::int64_t{1});
        if (impl.baseline == id)
            impl.changeField(step, 0, "baseline", SqlValue{});
        for (const Impl::Row& row : impl.rows)
            if (row.scenario.parent == id)
                impl.changeField(step, row.scenario.id.value, "parent", SqlValue{});
    });
    if (problem.empty())
        impl.unsaved.erase(id.value);
    return problem;
}

Diagnostics Study::setBaseline(ScenarioId id)
{
    const std::lock_guard guard(m_impl->mutex);
    Impl& impl = *m_impl;
    return impl.write([&] {
        if (id.value != 0)
            impl.need(id);
        impl.changeField(impl.beginStep(id.value ? "Pin " + impl.need(id).scenario.name : "Unpin the baseline"), 0, "baseline",
                         idOrNull(id));
    });
}

Diagnostics Study::Impl::walk(bool back)
{
    return write([&] {
        const std::int64_t cursor = db.integer("SELECT cursor FROM study");
        const std::int64_t step = back ? db.integer("SELECT id FROM step WHERE id = ?1", cursor)
                                       : db.integer("SELECT id FROM step WHERE id > ?1 ORDER BY id LIMIT 1", cursor);
        if (step == 0)
            failStudy(kInvalid, back ? "There is nothing to undo." : "There is nothing to redo.");
        {
            Statement changes(db.handle(), std::string("SELECT scenario, field, before, after FROM change WHERE step = ?1 "
                                                       "ORDER BY id ")
                                               + (back ? "DESC" : "ASC"));
            changes.bind(1, step);
            while (changes.row())
                setField(changes.integer(0), changes.text(1), changes.value(back ? 2 : 3));
        }
        db.run("UPDATE study SET cursor = ?1", back ? db.integer("SELECT max(id) FROM step WHERE id < ?1", step) : step);
    });
}

Diagnostics Study::undo()
{
    const std::lock_guard guard(m_impl->mutex);
    return m_impl->walk(true);
}

Diagnostics Study::redo()
{
    const std::lock_guard guard(m_impl->mutex);
    return m_impl->walk(false);
}

Result<std::vector<StudyStep>> Study::steps() const
{
    const std::lock_guard guard(m_impl->mutex);
    return attemptFor<std::vector<StudyStep>>([&] {
        std::vector<StudyStep> steps;
        Statement rows(m_impl->db.handle(), "SELECT time_ms, label, (SELECT scenario FROM change WHERE step = s.id ORDER BY id LIMIT 1) "
                                            "FROM step AS s ORDER BY id");
        ListBudget budget(m_impl->db);
        while (rows.row()) {
            steps.push_back({rows.integer(0), rows.text(1, kMaxTextBytesListed), {rows.integer(2)}});
            budget.take(sizeof(StudyStep) + steps.back().label.size());
        }
        return steps;
    });
}

Result<int> Study::cursor() const
{
    const std::lock_guard guard(m_impl->mutex);
    return attemptFor<int>(
        [&] { return static_cast<int>(m_impl->db.integer("SELECT count(*) FROM step WHERE id <= (SELECT cursor FROM study)")); });
}

Diagnostics Study::setName(const std::string& name)
{
    const std::lock_guard guard(m_impl->mutex);
    return m_impl->write([&] {
        checkLength(name, kMaxStudyNameBytes, "The name");
        m_impl->db.run("UPDATE study SET name = ?1", name);
    });
}

} // namespace prism
