// SPDX-License-Identifier: GPL-3.0-or-later
// A user's own presets: keep a part of the current scenario under a name, and put it into others.
#pragma once

#include "ui/model/userpresets.h"
#include "ui/theme/theme.h"
#include "ui/workspace/workspace.h"

#include <QDialog>

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QTableWidget;

namespace prism::ui {

/// GUI thread only. Putting a preset into a scenario is one step of the undo stack.
class PresetsDialog final : public QDialog {
    Q_OBJECT
public:
    PresetsDialog(Workspace& workspace, const Theme& theme, UserPresets presets, QWidget* parent = nullptr);

    void keep(OwnKind kind, const QString& name); ///< of the current scenario
    void apply(int row);                          ///< into the current scenario
    void removeAt(int row);
    [[nodiscard]] QTableWidget& table() { return *m_table; }

private:
    void fill();
    void showMessage(const QString& text, bool isError);

    Workspace& m_workspace;
    UserPresets m_presets;
    std::vector<UserPreset> m_all;
    QTableWidget* m_table;
    QComboBox* m_kind;
    QLineEdit* m_name;
    QLabel* m_state;
};

} // namespace prism::ui
