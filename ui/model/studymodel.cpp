// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/model/studymodel.h"

#include "core/calibrate/clustercalibration.h"
#include "core/scenario/parameters.h"
#include "ui/look/format.h"

#include <QRegularExpression>
#include <QUndoCommand>

#include <algorithm>
#include <utility>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui {

/// One step: the state before and after. Values are shared, so a step costs little more than the row that it changes.
class StudyCommand final : public QUndoCommand {
public:
    StudyCommand(StudyModel* model, StudyState after, int currentAfter, const QString& text, QString mergeKey)
        : QUndoCommand(text),
          m_model(model),
          m_before(model->m_state),
          m_after(std::move(after)),
          m_currentBefore(model->m_currentId),
          m_currentAfter(currentAfter),
          m_mergeKey(std::move(mergeKey)),
          m_epoch(model->m_mergeEpoch)
    {
    }
    void undo() override { m_model->apply(m_before, m_currentBefore); }
    void redo() override { m_model->apply(m_after, m_currentAfter); }
    [[nodiscard]] int id() const override { return m_mergeKey.isEmpty() ? -1 : 1; }
    bool mergeWith(const QUndoCommand* other) override
    {
        const auto* next = static_cast<const StudyCommand*>(other);
        if (next->m_mergeKey != m_mergeKey || next->m_epoch != m_epoch)
            return false;
        m_after = next->m_after;
        m_currentAfter = next->m_currentAfter;
        setText(next->text());
        setObsolete(m_after == m_before);
        return true;
    }

private:
    StudyModel* m_model;
    StudyState m_before, m_after;
    int m_currentBefore, m_currentAfter;
    QString m_mergeKey;
    int m_epoch;
};

namespace {

constexpr int kUndoLimit = 1000;

ScenarioEntry* findEntry(StudyState& state, int id)
{
    for (ScenarioEntry& e : state.entries)
        if (e.id == id)
            return &e;
    return nullptr;
}

QString nameOf(const ScenarioEntry& entry)
{
    return QString::fromStdString(entry.scenario->name);
}

} // namespace

StudyModel::StudyModel(QObject* parent) : QObject(parent), m_undo(this)
{
    m_undo.setUndoLimit(kUndoLimit);
}

int StudyModel::addScenario(Scenario scenario, const QString& undoText, int parentId)
{
    if (m_readOnly)
        return refused(), -1;
    scenario.name = freeName(QString::fromStdString(scenario.name)).toStdString();
    StudyState next = m_state;
    ScenarioEntry entry{m_nextId++, std::make_shared<const Scenario>(std::move(scenario)), freeColour(), true, false};
    entry.parentId = this->entry(parentId) ? parentId : -1;
    const int id = entry.id;
    const auto at = std::find_if(next.entries.begin(), next.entries.end(), [this](const ScenarioEntry& e) { return e.id == m_currentId; });
    next.entries.insert(at == next.entries.end() ? at : at + 1, std::move(entry));
    if (next.entries.size() == 1)
        next.baselineId = id; // of a study that was empty; in others the user pins one
    push(std::move(next), undoText, {}, id);
    return id;
}

int StudyModel::duplicate(int id)
{
    const ScenarioEntry* source = entry(id);
    if (!source)
        return -1;
    return addScenario(*source->scenario, tr("Duplicate %1").arg(nameOf(*source)), id);
}

void StudyModel::rename(int id, const QString& name)
{
    const ScenarioEntry* old = entry(id);
    const QString trimmed = name.simplified().left(200);
    if (!old || trimmed.isEmpty() || trimmed == nameOf(*old))
        return;
    Scenario scenario = *old->scenario;
    scenario.name = freeName(trimmed).toStdString();
    const QString undoText = tr("Rename %1 to %2").arg(nameOf(*old), QString::fromStdString(scenario.name));
    setScenario(id, std::move(scenario), undoText);
}

void StudyModel::setNote(int id, const QString& note)
{
    const ScenarioEntry* old = entry(id);
    if (!old || note.toStdString() == old->scenario->note)
        return;
    Scenario scenario = *old->scenario;
    scenario.note = note.left(2000).toStdString();
    setScenario(id, std::move(scenario), tr("Note of %1").arg(nameOf(*old)), u"note/%1"_s.arg(id));
}

/// The name of one, the number of several.
static QString namesOf(const StudyModel& study, const std::vector<int>& ids)
{
    return ids.size() == 1 && study.entry(ids[0]) ? nameOf(*study.entry(ids[0])) : StudyModel::tr("%1 scenarios").arg(ids.size());
}

void StudyModel::setVisible(const std::vector<int>& ids, bool visible)
{
    StudyState next = m_state;
    for (const int id : ids)
        if (ScenarioEntry* e = findEntry(next, id))
            e->visible = visible;
    if (next != m_state)
        push(std::move(next), (visible ? tr("Show %1") : tr("Hide %1")).arg(namesOf(*this, ids)));
}

void StudyModel::showOnly(const std::vector<int>& ids)
{
    StudyState next = m_state;
    for (ScenarioEntry& e : next.entries)
        e.visible = std::ranges::count(ids, e.id) > 0 || (e.archived && e.visible);
    if (next != m_state)
        push(std::move(next), tr("Show only %1").arg(namesOf(*this, ids)));
}

bool StudyModel::setArchived(const std::vector<int>& ids, bool archived)
{
    StudyState next = m_state;
    const auto isOne = [&ids](int id) { return std::ranges::count(ids, id) > 0; };
    for (ScenarioEntry& e : next.entries)
        e.archived = isOne(e.id) ? archived : e.archived;
    if (next == m_state)
        return true;
    int current = m_currentId;
    if (archived) {
        // The one before the first of them takes their place; where there is none, the first one left.
        int near = -1;
        bool passed = false;
        for (const ScenarioEntry& other : next.entries) {
            passed = passed || isOne(other.id);
            if (!other.archived && (!passed || near < 0))
                near = other.id;
        }
        if (near < 0)
            return false; // one stays
        if (isOne(next.baselineId))
            next.baselineId = near;
        if (isOne(current))
            current = near;
    } else {
        current = ids.back();
    }
    push(std::move(next), (archived ? tr("Archive %1") : tr("Restore %1")).arg(namesOf(*this, ids)), {}, current);
    return true;
}

void StudyModel::move(int id, int row)
{
    StudyState next = m_state;
    const auto from = std::find_if(next.entries.begin(), next.entries.end(), [id](const auto& e) { return e.id == id; });
    if (from == next.entries.end())
        return;
    const ScenarioEntry moved = *from;
    next.entries.erase(from);
    auto to = next.entries.begin();
    for (int shown = 0; to != next.entries.end(); ++to)
        if (!to->archived && shown++ == row)
            break;
    next.entries.insert(to, moved);
    if (next == m_state)
        return;
    push(std::move(next), tr("Move %1").arg(nameOf(moved)));
}

void StudyModel::setBaseline(int id)
{
    const ScenarioEntry* e = entry(id);
    if (!e || id == m_state.baselineId)
        return;
    StudyState next = m_state;
    next.baselineId = id;
    push(std::move(next), tr("Pin %1 as baseline").arg(nameOf(*e)));
}

void StudyModel::setLimit(double seconds)
{
    setLimits(m_state.lowerLimitSeconds, seconds);
}

void StudyModel::setLimits(double lowerSeconds, double upperSeconds)
{
    const bool single = lowerSeconds == 0 && upperSeconds >= 0;
    if (!single && !(lowerSeconds > 0 && upperSeconds > lowerSeconds))
        return;
    StudyState next = m_state;
    next.limitSeconds = upperSeconds;
    next.lowerLimitSeconds = lowerSeconds;
    if (next == m_state)
        return;
    push(std::move(next),
         single ? tr("Limit %1 s").arg(upperSeconds, 0, 'g', 4)
                : tr("Limits %1 to %2 s").arg(lowerSeconds, 0, 'g', 4).arg(upperSeconds, 0, 'g', 4),
         u"limit"_s);
}

void StudyModel::setMarks(std::vector<TimeMark> marks)
{
    if (marks == m_state.marks)
        return;
    StudyState next = m_state;
    next.marks = std::move(marks);
    push(std::move(next), tr("Marks on the step-time axis"));
}

/// A field cannot show that half of a calibration was omitted: one that does not apply to the scenario is rejected.
static Result<Scenario> changedBy(const Scenario& scenario, const std::string& parameterId, const std::string& text)
{
    Result<ImportResult> read = setParameterAndRead(scenario, parameterId, text);
    if (!read)
        return read.errors();
    if (!read->notes.empty())
        return std::move(read->notes);
    return std::move(read->scenario);
}

Diagnostics StudyModel::setParameter(int id, const std::string& parameterId, const std::string& text)
{
    const ScenarioEntry* old = entry(id);
    if (!old || m_readOnly)
        return {};
    Result<Scenario> result = changedBy(*old->scenario, parameterId, text);
    if (!result)
        return result.errors();
    const Parameter* parameter = findParameter(parameterId);
    const QString label = QString::fromStdString(parameter ? parameter->label : parameterId);
    const QString value = format::wholeNumber(QString::fromStdString(parameter ? parameterText(*parameter, *result) : text));
    setScenario(id, std::move(result).value(), tr("%1: %2 = %3").arg(nameOf(*old), label, value),
                u"parameter/%1/%2"_s.arg(id).arg(QString::fromStdString(parameterId)));
    return {};
}

Diagnostics StudyModel::setParameterIn(const std::vector<int>& ids, const std::string& parameterId, const std::string& text)
{
    StudyState next = m_state;
    Diagnostics errors;
    for (const int id : ids) {
        ScenarioEntry* e = findEntry(next, id);
        if (!e)
            continue;
        Result<Scenario> result = changedBy(*e->scenario, parameterId, text);
        for (Diagnostic d : result.errors()) {
            d.message = e->scenario->name + ": " + d.message;
            errors.push_back(std::move(d));
        }
        if (result.ok())
            e->scenario = std::make_shared<const Scenario>(std::move(result).value());
    }
    if (!errors.empty() || next == m_state)
        return errors;
    const Parameter* parameter = findParameter(parameterId);
    endMerge();
    push(std::move(next),
         tr("%1 = %2 in %3")
             .arg(QString::fromStdString(parameter ? parameter->label : parameterId), QString::fromStdString(text), namesOf(*this, ids)));
    endMerge();
    return {};
}

void StudyModel::setScenario(int id, Scenario scenario, const QString& undoText, const QString& mergeKey)
{
    StudyState next = m_state;
    ScenarioEntry* e = findEntry(next, id);
    if (!e || *e->scenario == scenario)
        return;
    e->scenario = std::make_shared<const Scenario>(std::move(scenario));
    push(std::move(next), undoText, mergeKey);
}

void StudyModel::setSlowNode(int id, int node, double computeFactor)
{
    const ScenarioEntry* old = entry(id);
    if (!old || node < 0 || !(computeFactor >= 1))
        return;
    Scenario scenario = *old->scenario;
    auto& slow = scenario.variability.slow;
    const auto at = std::find_if(slow.begin(), slow.end(), [node](const SlowEntry& s) { return s.node == node; });
    if (computeFactor == 1.0) {
        if (at != slow.end())
            slow.erase(at);
    } else if (at != slow.end()) {
        at->computeFactor = computeFactor;
    } else {
        slow.push_back({.node = node, .computeFactor = computeFactor});
    }
    const QString text = computeFactor == 1.0 ? tr("Node %1 is not slow").arg(node)
                                              : tr("Node %1 is %2 % slow").arg(node).arg((computeFactor - 1) * 100, 0, 'g', 3);
    setScenario(id, std::move(scenario), text, u"slow/%1/%2"_s.arg(id).arg(node));
}

void StudyModel::moveSlowNode(int id, int fromNode, int toNode)
{
    const ScenarioEntry* old = entry(id);
    if (!old || toNode < 0 || fromNode == toNode)
        return;
    Scenario scenario = *old->scenario;
    auto& slow = scenario.variability.slow;
    std::erase_if(slow, [toNode](const SlowEntry& s) { return s.node == toNode; });
    for (SlowEntry& s : slow)
        if (s.node == fromNode)
            s.node = toNode;
    setScenario(id, std::move(scenario), tr("Move slow node %1 to %2").arg(fromNode).arg(toNode), u"slowmove/%1"_s.arg(id));
}

void StudyModel::endMerge()
{
    ++m_mergeEpoch;
}

void StudyModel::setCurrent(int id)
{
    if (id == m_currentId || !entry(id))
        return;
    endMerge();
    m_currentId = id;
    Q_EMIT currentChanged(id);
}

void StudyModel::reset(StudyState state, int currentId)
{
    m_undo.clear();
    m_nextId = 1;
    for (const ScenarioEntry& e : state.entries)
        m_nextId = std::max(m_nextId, e.id + 1);
    m_currentId = -1;
    if (!state.find(currentId))
        currentId = state.entries.empty() ? -1 : state.entries.front().id;
    Q_EMIT replaced();
    apply(state, currentId);
}

void StudyModel::setReadOnly(bool readOnly)
{
    if (m_readOnly == readOnly)
        return;
    m_readOnly = readOnly;
    Q_EMIT readOnlyChanged(readOnly);
}

QString StudyModel::freeName(const QString& name) const
{
    const auto taken = [this](const QString& candidate) {
        return std::any_of(m_state.entries.begin(), m_state.entries.end(), [&](const ScenarioEntry& e) { return nameOf(e) == candidate; });
    };
    if (!taken(name))
        return name;
    // A copy of "name 2" is "name 3", not "name 2 2".
    static const QRegularExpression kNumbered(u"^(.*\\S) [0-9]{1,6}$"_s);
    const QRegularExpressionMatch numbered = kNumbered.match(name);
    const QString stem = numbered.hasMatch() && taken(numbered.captured(1)) ? numbered.captured(1) : name;
    for (int i = 2;; ++i)
        if (QString candidate = u"%1 %2"_s.arg(stem).arg(i); !taken(candidate))
            return candidate;
}

int StudyModel::freeColour() const
{
    for (int colour = 0;; ++colour)
        if (std::none_of(m_state.entries.begin(), m_state.entries.end(), [colour](const ScenarioEntry& e) { return e.colour == colour; }))
            return colour;
}

void StudyModel::apply(const StudyState& state, int currentId)
{
    m_state = state;
    const bool other = currentId != m_currentId;
    m_currentId = currentId;
    Q_EMIT changed();
    if (other)
        Q_EMIT currentChanged(currentId);
}

void StudyModel::push(StudyState next, const QString& text, const QString& mergeKey, int currentId)
{
    if (m_readOnly)
        return Q_EMIT refused();
    m_undo.push(new StudyCommand(this, std::move(next), currentId < 0 ? m_currentId : currentId, text, mergeKey));
}

} // namespace prism::ui
