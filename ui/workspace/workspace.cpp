// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/workspace/workspace.h"

#include <algorithm>

namespace prism::ui {

Workspace::Workspace(QObject* parent) : QObject(parent)
{
    m_rebuild.setSingleShot(true);
    m_rebuild.setInterval(0);
    connect(&m_rebuild, &QTimer::timeout, this, &Workspace::rebuild);
    connect(&m_study, &StudyModel::changed, this, &Workspace::requestResults);
    connect(&m_study, &StudyModel::currentChanged, this, &Workspace::requestResults);
    connect(&m_bridge, &EngineBridge::resultChanged, &m_rebuild, qOverload<>(&QTimer::start));
    connect(&m_bridge, &EngineBridge::busyChanged, this, [this](bool busy) { m_insights.setHeld(busy); });
}

Workspace::~Workspace()
{
    m_insights.cancelAll();
}

void Workspace::open(StudyState state, int currentId)
{
    m_bridge.forgetResults();
    m_study.reset(std::move(state), currentId);
}

void Workspace::recompute()
{
    m_insights.retry();
    requestResults();
}

void Workspace::setSameScale(bool on)
{
    m_sameScale = on;
    m_rebuild.start();
}

void Workspace::setFieldProblems(int scenarioId, const QStringList& parameterIds)
{
    if (fieldProblems(scenarioId) == parameterIds)
        return;
    m_fieldProblems[scenarioId] = parameterIds;
    m_rebuild.start();
}

void Workspace::requestResults()
{
    std::vector<EngineBridge::Item> items;
    items.reserve(m_study.state().entries.size());
    const auto add = [&](const ScenarioEntry* e) {
        if (e && !e->archived)
            items.push_back({e->id, e->scenario});
    };
    const ScenarioEntry* current = m_study.current();
    const ScenarioEntry* baseline = m_study.baseline();
    add(current);
    if (baseline != current)
        add(baseline);
    for (const ScenarioEntry& e : m_study.state().entries)
        if (&e != current && &e != baseline)
            add(&e);
    m_bridge.request(items);
    m_rebuild.start();
}

const Workspace::Known& Workspace::knownOf(const ScenarioEntry& entry, qsizetype row)
{
    if (row >= m_known.size())
        m_known.resize(row + 1);
    Known& known = m_known[row];
    if (known.scenario != entry.scenario)
        known = {entry.scenario, QString::fromStdString(entry.scenario->name), entry.scenario->hash()};
    return known;
}

void Workspace::rebuild()
{
    PageContext next;
    next.currentId = m_study.currentId();
    next.baselineId = m_study.state().baselineId;
    next.limitSeconds = m_study.state().limitSeconds;
    next.lowerLimitSeconds = m_study.state().lowerLimitSeconds;
    next.marks = m_study.state().marks;
    next.precision = m_bridge.precision();
    next.sameScale = m_sameScale;
    next.evaluator = m_bridge.evaluator();
    next.selection = &m_selection;
    next.study = &m_study;
    next.insights = &m_insights;
    next.ghost = &m_ghost;
    next.scenarios.reserve(static_cast<qsizetype>(m_study.state().entries.size()));
    for (const ScenarioEntry& e : m_study.state().entries) {
        if (e.archived)
            continue;
        const ScenarioResult& r = m_bridge.result(e.id);
        const Known& known = knownOf(e, next.scenarios.size());
        const bool partial = r.computing && r.shown && r.shown->hash == known.hash;
        next.scenarios.push_back({e.id, known.name, e.colour, e.visible, e.id == next.baselineId, e.id == next.currentId, r.stale(),
                                  r.shown, r.invalid, r.cancelled, partial, known.hash});
    }
    m_context = std::move(next);
    Q_EMIT contextChanged();
}

} // namespace prism::ui
