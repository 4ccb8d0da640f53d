// SPDX-License-Identifier: GPL-3.0-or-later
// The configuration of the current scenario: every entry of the parameter table in groups that fold.
#pragma once

#include "ui/editor/parameterrow.h"
#include "ui/workspace/workspace.h"

#include <QHash>
#include <QWidget>

class QCheckBox;
class QLabel;
class QLayout;
class QLineEdit;
class QPushButton;
class QScrollArea;
class QToolButton;
class QVBoxLayout;

namespace prism::ui {

/// GUI thread only. Rows of a group are made when it is unfolded first.
class ConfigEditor final : public QWidget {
    Q_OBJECT
public:
    ConfigEditor(Workspace& workspace, const Theme& theme, QWidget* parent = nullptr);

    // change it
    void reveal(const QString& parameterId); ///< unfolds, scrolls to and focuses a parameter
    void revealProblem();                    ///< the first field that has something to fix
    void setExpanded(const QString& id, bool expanded);
    void setFilter(const QString& text);
    void focusFilter();
    void submitTyped() const; ///< takes what is typed in any field now

    // look at it
    /// The row of a parameter, made now if its group was never unfolded; null where there is no such parameter.
    [[nodiscard]] ParameterRow* row(const QString& parameterId);
    [[nodiscard]] QStringList expandedGroups() const;
    [[nodiscard]] QList<ParameterRow*> rows() const; ///< those that were made
    [[nodiscard]] QString focusedParameter() const;  ///< whose field has the keyboard; empty = none
    [[nodiscard]] bool isPending() const;            ///< typed text waits for a pause in typing

Q_SIGNALS:
    void differencesRequested();
    /// A range or list was typed into the field of a parameter, or (empty) taken back: values for a search.
    void rangeEntered(const QString& parameterId, const QStringList& values);
    void searchRequested(); ///< the ranges of the fields shall be searched

private:
    struct Group {
        QString id, title;
        QToolButton* header = nullptr;
        QLabel* summary = nullptr;
        QPushButton* problems = nullptr; ///< how many fields are wrong while the group is folded; leads to the first
        QWidget* body = nullptr;
        QVBoxLayout* layout = nullptr;
        QList<ParameterRow*> rows;
        QuantityEdit* derived = nullptr;
        bool built = false, expanded = false;
    };
    [[nodiscard]] QLayout* makeHead();
    [[nodiscard]] QLayout* makeTools();
    [[nodiscard]] QWidget* makeGroups();
    [[nodiscard]] Group* makeGroup(const QString& id, const QString& name, QVBoxLayout& stack);
    void restyleHeaders();
    void buildGroup(Group& group);
    void applyFilter();
    void refresh();
    void refreshProblems(const Scenario& scenario);
    void markFolded(); ///< on the headings of folded groups: how many of their fields are wrong
    /// The fields with something to fix: typed text first, then what the present input has wrong. Each once.
    [[nodiscard]] QStringList invalidParameters() const;
    /// What is shown meanwhile, and what the offered fix would exceed.
    [[nodiscard]] QString consequenceOf(const Scenario& scenario, const Diagnostic& problem) const;
    void showFirstProblem(); ///< scrolls to a new one, and keeps the edited field in view where both fit
    void enter(ParameterRow& row, const QString& text);
    void takeRange(ParameterRow& row, const QStringList& values, const QString& typed);
    void tryValue(const ParameterRow& row, const QString& value);
    void fix(const QString& path, const QString& value);
    void publishProblems();
    void forgetTyped(); ///< what is typed belongs to what is no longer shown
    void endEditing();
    [[nodiscard]] static QString summaryOf(const QString& id, const Scenario& s);
    [[nodiscard]] Group* group(const QString& id);

    Workspace& m_workspace;
    const Theme& m_theme;
    QPushButton* m_differences;
    QLineEdit* m_filter;
    QCheckBox* m_all;
    QLabel* m_hits; ///< how many parameters the words in the filter find
    QScrollArea* m_scroll;
    QList<Group*> m_groups;
    QHash<QString, Diagnostics> m_typed; ///< what is wrong with typed text, by parameter id, of the shown scenario
    QString m_editedId;                  ///< the parameter that keystrokes go to, until Return or the field is left
    ScenarioPtr m_beforeEdit;            ///< what was in use when they began
    bool m_entering = false;             ///< a typed value is on its way into the model
    int m_shownId = -1;
    QString m_firstProblem; ///< parameter of the first problem that was shown
    ScenarioPtr m_shown, m_shownBaseline;
};

} // namespace prism::ui
