// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/model/storedstudy.h"

#include "ui/model/stepmarks.h"

#include <QJsonDocument>
#include <QObject>

#include <algorithm>
#include <set>
#include <utility>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui {

namespace {

constexpr const char* kViewName = "explorer";
constexpr qsizetype kMaxUnreadNotes = 3; // of scenarios that could not be read
const QString kColourPrefix = u"series:"_s;

/// Scenarios of other programs have no colour yet: each gets the first that no other one has.
void giveFreeColours(std::vector<ScenarioEntry>& entries)
{
    std::set<int> taken;
    for (const ScenarioEntry& e : entries)
        taken.insert(e.colour);
    int next = 0;
    for (ScenarioEntry& e : entries)
        if (e.colour < 0) {
            while (taken.contains(next))
                ++next;
            e.colour = next++;
        }
}

void append(Diagnostics& errors, const Diagnostics& found)
{
    errors.insert(errors.end(), found.begin(), found.end());
}

} // namespace

OpenedStudy StoredStudy::read()
{
    OpenedStudy opened;
    ids.clear();
    if (const Result<std::string> view = study.viewState(kViewName))
        opened.view = QJsonDocument::fromJson(QByteArray::fromStdString(*view)).object();
    opened.state.limitSeconds = opened.view[u"limit_s"_s].toDouble();
    const double lower = opened.view[u"lower_limit_s"_s].toDouble();
    opened.state.lowerLimitSeconds = lower > 0 && lower < opened.state.limitSeconds ? lower : 0;
    opened.state.marks = marksFrom(opened.view[u"marks"_s].toArray());
    std::unordered_map<std::int64_t, int> entries; // by their ids in the file
    std::vector<std::int64_t> parents;
    qsizetype unread = 0;
    for (const StudyScenario& s : study.scenarios()) {
        Result<Scenario> scenario = draftFromJson(s.json);
        if (!scenario) {
            if (++unread <= kMaxUnreadNotes)
                opened.notes << QObject::tr("Scenario %1 could not be read and stays in the file: %2")
                                    .arg(QString::fromStdString(s.name), QString::fromStdString(scenario.errors().front().message));
            continue;
        }
        scenario->name = s.name;
        scenario->note = s.note;
        const int id = static_cast<int>(parents.size()) + 1;
        const QString style = QString::fromStdString(s.lineStyle);
        const int colour = style.startsWith(kColourPrefix) ? style.mid(kColourPrefix.size()).toInt() : -1;
        opened.state.entries.push_back({id, std::make_shared<const Scenario>(std::move(scenario).value()), colour, s.visible, s.archived});
        ids[id] = s.id;
        entries[s.id.value] = id;
        parents.push_back(s.parent.value);
    }
    giveFreeColours(opened.state.entries);
    if (unread > kMaxUnreadNotes)
        opened.notes << QObject::tr("%1 more scenarios could not be read and stay in the file.").arg(unread - kMaxUnreadNotes);
    const auto entryOf = [&entries](std::int64_t stored) {
        const auto at = entries.find(stored);
        return at == entries.end() ? -1 : at->second;
    };
    for (std::size_t i = 0; i < parents.size(); ++i)
        opened.state.entries[i].parentId = entryOf(parents[i]);
    opened.state.baselineId = entryOf(study.baseline().value);
    opened.currentId = entryOf(static_cast<std::int64_t>(opened.view[u"current"_s].toDouble()));
    written = opened.state;
    for (const Diagnostic& d : study.notes())
        opened.notes << QString::fromStdString(d.message);
    return opened;
}

Diagnostics StoredStudy::write(const StudyState& next, int currentId, QJsonObject view)
{
    Diagnostics errors;
    const auto indexOf = [](const StudyState& state) {
        Entries index;
        for (const ScenarioEntry& e : state.entries)
            index[e.id] = &e;
        return index;
    };
    const Entries before = indexOf(written), after = indexOf(next);
    const auto oldOf = [&before](const ScenarioEntry& e) { // null: it is new, or its adding was not finished
        const auto at = before.find(e.id);
        return at == before.end() ? nullptr : at->second;
    };
    for (auto it = ids.begin(); it != ids.end();) {
        const Diagnostics kept = after.contains(it->first) ? Diagnostics{} : study.remove(it->second);
        append(errors, kept);
        it = after.contains(it->first) || !kept.empty() ? std::next(it) : ids.erase(it);
    }
    const auto isRenamed = [&](const ScenarioEntry& e) {
        const ScenarioEntry* old = oldOf(e);
        return ids.contains(e.id) && (!old || old->scenario->name != e.scenario->name);
    };
    if (std::any_of(next.entries.begin(), next.entries.end(), isRenamed))
        append(errors, writeNames(next));
    std::set<int> added;
    for (const ScenarioEntry& e : next.entries) {
        if (!ids.contains(e.id)) {
            const Result<ScenarioId> made = study.addScenario(e.scenario->name, toJson(*e.scenario));
            if (!made)
                return made.errors(); // what follows needs it
            ids[e.id] = *made;
            added.insert(e.id);
            if (!e.scenario->note.empty())
                append(errors, study.setNote(*made, e.scenario->note));
        }
        const ScenarioEntry fresh{e.id, e.scenario, -1, true, false};
        append(errors, writeEntry(e, added.contains(e.id) ? &fresh : oldOf(e)));
    }
    append(errors, writeOrder(next));
    for (const ScenarioEntry& e : next.entries) {
        const ScenarioEntry* old = added.contains(e.id) ? nullptr : oldOf(e);
        if (added.contains(e.parentId) || (old ? old->parentId != e.parentId : e.parentId >= 0)) // a parent that came back has another id
            append(errors, study.setParent(ids[e.id], idOf(e.parentId)));
    }
    if (next.baselineId != written.baselineId || added.contains(next.baselineId))
        append(errors, study.setBaseline(idOf(next.baselineId)));
    view[u"limit_s"_s] = next.limitSeconds;
    view[u"lower_limit_s"_s] = next.lowerLimitSeconds;
    view[u"marks"_s] = marksJson(next.marks);
    view[u"current"_s] = static_cast<double>(idOf(currentId).value);
    append(errors, study.setViewState(kViewName, QJsonDocument(view).toJson(QJsonDocument::Compact).toStdString()));
    if (errors.empty())
        written = next;
    return errors;
}

/// 0: the study of the window has no such scenario.
ScenarioId StoredStudy::idOf(int entry) const
{
    const auto it = ids.find(entry);
    return it == ids.end() ? ScenarioId{} : it->second;
}

/// `old` null: nothing of it is known to be stored.
Diagnostics StoredStudy::writeEntry(const ScenarioEntry& e, const ScenarioEntry* old)
{
    Diagnostics errors;
    const ScenarioId id = ids[e.id];
    const Scenario& s = *e.scenario;
    if (!old || old->scenario != e.scenario) {
        if (!old || old->scenario->note != s.note)
            append(errors, study.setNote(id, s.note));
        append(errors, study.updateScenario(id, {toJson(s), "Edit", "explorer"}).errors());
    }
    if (!old || old->colour != e.colour)
        append(errors, study.setLineStyle(id, (kColourPrefix + QString::number(e.colour)).toStdString()));
    if (!old || old->visible != e.visible)
        append(errors, study.setVisible(id, e.visible));
    if (!old || old->archived != e.archived)
        append(errors, study.setArchived(id, e.archived));
    return errors;
}

/// Before scenarios are added, so that a name which is given up in the same write is free. In a circle of names one takes a free name
/// first.
Diagnostics StoredStudy::writeNames(const StudyState& next)
{
    Diagnostics errors;
    std::map<std::string, std::int64_t> holders;
    std::map<std::int64_t, std::string> names, requested; // by the ids in the file
    for (const StudyScenario& s : study.scenarios()) {
        holders[s.name] = s.id.value;
        names[s.id.value] = s.name;
    }
    for (const ScenarioEntry& e : next.entries)
        if (const auto at = names.find(idOf(e.id).value); at != names.end() && at->second != e.scenario->name)
            requested[at->first] = e.scenario->name;
    const auto rename = [&](std::int64_t id, const std::string& name) {
        const Diagnostics found = study.rename({id}, name);
        if (found.empty()) {
            holders.erase(std::exchange(names[id], name));
            holders[name] = id;
        }
        return found;
    };
    std::set<std::int64_t> waiting;
    while (!requested.empty()) {
        auto it = std::find_if(requested.begin(), requested.end(), [&](const auto& w) { return !holders.contains(w.second); });
        const bool isCircle = it == requested.end();
        if (isCircle)
            it = requested.begin();
        const Diagnostics refused = rename(it->first, it->second); // names a free one
        const bool canWait = isCircle && !refused.empty() && requested.contains(holders[it->second]) && waiting.insert(it->first).second;
        if (canWait && rename(it->first, refused.front().accepted).empty())
            continue;
        append(errors, refused);
        requested.erase(it);
    }
    return errors;
}

/// One change for one scenario that moved.
Diagnostics StoredStudy::writeOrder(const StudyState& next)
{
    const auto sameId = [](const ScenarioEntry& a, const ScenarioEntry& b) { return a.id == b.id; };
    if (std::equal(next.entries.begin(), next.entries.end(), written.entries.begin(), written.entries.end(), sameId))
        return {};
    Diagnostics errors;
    std::vector<ScenarioId> stored, requested;
    for (const StudyScenario& s : study.scenarios())
        stored.push_back(s.id);
    for (const ScenarioEntry& e : next.entries)
        requested.push_back(ids[e.id]);
    for (std::size_t i = 0; i < requested.size() && errors.empty();) {
        if (stored[i] == requested[i]) {
            ++i;
            continue;
        }
        const bool leaves = i + 1 < stored.size() && stored[i + 1] == requested[i]; // the one here moved back, the others stay
        const auto from = leaves ? stored.begin() + static_cast<std::ptrdiff_t>(i) : std::find(stored.begin(), stored.end(), requested[i]);
        const auto to =
            leaves ? std::find(requested.begin(), requested.end(), stored[i]) - requested.begin() : static_cast<std::ptrdiff_t>(i);
        if (from == stored.end()) { // removed by another program
            ++i;
            continue;
        }
        const ScenarioId moved = *from;
        append(errors, study.reorder(moved, static_cast<int>(to)));
        stored.erase(from);
        stored.insert(stored.begin() + std::min(to, std::ssize(stored)), moved);
    }
    return errors;
}

} // namespace prism::ui
