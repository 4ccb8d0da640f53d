// SPDX-License-Identifier: GPL-3.0-or-later
// Everything that is open: the study, its results, the selection and the insight jobs, and the context made of them.
#pragma once

#include "ui/bridge/enginebridge.h"
#include "ui/bridge/ghostpreview.h"
#include "ui/bridge/insightrunner.h"
#include "ui/model/selection.h"
#include "ui/model/studymodel.h"
#include "ui/workspace/context.h"

#include <QHash>
#include <QObject>
#include <QTimer>

namespace prism::ui {

/// GUI thread only. Views listen to contextChanged, which comes at most once per turn of the event loop.
class Workspace final : public QObject {
    Q_OBJECT
public:
    explicit Workspace(QObject* parent = nullptr);
    ~Workspace() override;

    [[nodiscard]] StudyModel& study() { return m_study; }
    [[nodiscard]] EngineBridge& bridge() { return m_bridge; }
    [[nodiscard]] Selection& selection() { return m_selection; }
    [[nodiscard]] InsightRunner& insights() { return m_insights; }
    [[nodiscard]] GhostPreview& ghost() { return m_ghost; }
    [[nodiscard]] const PageContext& context() const { return m_context; }
    /// Another study in place of the open one; the results of that one are not the last valid ones of this one.
    void open(StudyState state, int currentId);
    /// Brings every scenario up to date again (after the seed or the number of samples changed).
    void recompute();
    void setSameScale(bool on);
    /// Parameters whose typed text is not a value (the last valid one stays in use), of one scenario.
    void setFieldProblems(int scenarioId, const QStringList& parameterIds);
    [[nodiscard]] QStringList fieldProblems(int scenarioId) const { return m_fieldProblems.value(scenarioId); }

Q_SIGNALS:
    void contextChanged();

private:
    void requestResults();
    void rebuild();
    struct Known {
        ScenarioPtr scenario;
        QString name;
        ContentHash hash;
    };
    /// Name and hash of the entry that is shown in this row; read again where another scenario is there.
    [[nodiscard]] const Known& knownOf(const ScenarioEntry& entry, qsizetype row);

    StudyModel m_study;
    EngineBridge m_bridge;
    Selection m_selection;
    InsightRunner m_insights;
    GhostPreview m_ghost{m_bridge.evaluator()};
    PageContext m_context;
    QList<Known> m_known; ///< by row
    bool m_sameScale = false;
    QTimer m_rebuild;
    QHash<int, QStringList> m_fieldProblems;
};

} // namespace prism::ui
