// SPDX-License-Identifier: GPL-3.0-or-later
// The study that is open: its scenarios, the current one, and every change as a step of one undo stack.
#pragma once

#include "ui/model/studystate.h"

#include <QObject>
#include <QString>
#include <QUndoStack>

namespace prism::ui {

/// GUI thread only. Every function under "change it" pushes one undo step (or merges into the last one of its field).
class StudyModel final : public QObject {
    Q_OBJECT
public:
    explicit StudyModel(QObject* parent = nullptr);

    // change it
    /// Adds a scenario behind the current one and makes it current; returns its id. `parentId`: what it was made from; -1 = nothing here.
    int addScenario(Scenario scenario, const QString& undoText, int parentId = -1);
    int duplicate(int id);
    void rename(int id, const QString& name);
    void setNote(int id, const QString& note);
    void setVisible(int id, bool visible) { setVisible(std::vector{id}, visible); }
    bool setArchived(int id, bool archived) { return setArchived(std::vector{id}, archived); }
    /// Several as one step.
    void setVisible(const std::vector<int>& ids, bool visible);
    void showOnly(const std::vector<int>& ids);                   ///< in charts; the others of the table are hidden
    bool setArchived(const std::vector<int>& ids, bool archived); ///< false: nothing is archived, for none would be left
    void move(int id, int row);                                   ///< row among the entries that are not archived
    void setBaseline(int id);
    void setLimit(double seconds); ///< steps of one drag merge; never below the lower limit
    /// Both limits, 0 <= lower < upper; lower 0 = the upper one alone. Ignored otherwise.
    void setLimits(double lowerSeconds, double upperSeconds);
    void setMarks(std::vector<TimeMark> marks);
    /// Sets one parameter from text. Errors leave the study as it was. Keystrokes in one field merge into one step.
    Diagnostics setParameter(int id, const std::string& parameterId, const std::string& text);
    /// Sets one parameter in several scenarios as one step. Errors, each with the name of its scenario, leave all as they were.
    Diagnostics setParameterIn(const std::vector<int>& ids, const std::string& parameterId, const std::string& text);
    /// Replaces a scenario (imports, slow nodes, advice). Steps with the same non-empty merge key become one.
    void setScenario(int id, Scenario scenario, const QString& undoText, const QString& mergeKey = {});
    /// Marks a node as slower by this factor (>= 1; 1 removes the mark); one step per node, keystrokes merge.
    void setSlowNode(int id, int node, double computeFactor);
    /// Moves the mark of one slow node to another node.
    void moveSlowNode(int id, int fromNode, int toNode);
    /// Ends the merging of keystrokes: the next change of the same field is a separate step.
    void endMerge();
    void setCurrent(int id);                     ///< not an undo step
    void reset(StudyState state, int currentId); ///< another state without a step: clears the undo stack

    // look at it
    [[nodiscard]] const StudyState& state() const { return m_state; }
    [[nodiscard]] int currentId() const { return m_currentId; }
    [[nodiscard]] const ScenarioEntry* current() const { return m_state.find(m_currentId); }
    [[nodiscard]] const ScenarioEntry* baseline() const { return m_state.find(m_state.baselineId); }
    [[nodiscard]] const ScenarioEntry* entry(int id) const { return m_state.find(id); }
    [[nodiscard]] QUndoStack* undoStack() { return &m_undo; }
    /// A name that no scenario of the study has yet: "name", "name 2", ...
    [[nodiscard]] QString freeName(const QString& name) const;
    [[nodiscard]] int freeColour() const;
    void setReadOnly(bool readOnly); ///< changes are refused (a study of a newer version, or open in another window)
    [[nodiscard]] bool isReadOnly() const { return m_readOnly; }

Q_SIGNALS:
    void changed(); ///< the state is another one (edit, undo, redo, reset)
    void currentChanged(int id);
    void replaced(); ///< another study took the place: nothing that was typed belongs to it
    void readOnlyChanged(bool readOnly);
    void refused(); ///< a change of a study that is read-only

private:
    friend class StudyCommand;
    void apply(const StudyState& state, int currentId);
    void push(StudyState next, const QString& text, const QString& mergeKey = {}, int currentId = -1);

    StudyState m_state;
    int m_currentId = -1;
    int m_nextId = 1;
    int m_mergeEpoch = 0;
    bool m_readOnly = false;
    QUndoStack m_undo;
};

} // namespace prism::ui
