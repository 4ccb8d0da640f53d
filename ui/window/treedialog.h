// SPDX-License-Identifier: GPL-3.0-or-later
// The origin of the scenarios as a tree with every edit between parent and child; an edit can be taken over into other scenarios.
#pragma once

#include "ui/theme/theme.h"
#include "ui/workspace/workspace.h"

#include <QDialog>

class QPushButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace prism::ui {

/// GUI thread only; deletes itself when closed. Archived scenarios are in it too: what was tried is not lost.
class TreeDialog final : public QDialog {
    Q_OBJECT
public:
    TreeDialog(Workspace& workspace, const Theme& theme, QWidget* parent = nullptr);

    [[nodiscard]] QTreeWidget& tree() { return *m_tree; }

Q_SIGNALS:
    /// The edit that is chosen shall go into other scenarios: its parameter, and the value as its reader takes it.
    void applyRequested(const QString& parameterId, const QString& value);

private:
    void fill();
    [[nodiscard]] QTreeWidgetItem* itemOf(const ScenarioEntry& entry) const; ///< with the edits that made it
    void follow();                                                           ///< what is chosen
    Workspace& m_workspace;
    const Theme& m_theme;
    QTreeWidget* m_tree;
    QPushButton *m_show, *m_apply;
};

} // namespace prism::ui
