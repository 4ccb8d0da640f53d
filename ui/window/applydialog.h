// SPDX-License-Identifier: GPL-3.0-or-later
// One parameter set in several scenarios at once: the value, and the scenarios with their present values.
#pragma once

#include "core/scenario/parameters.h"
#include "ui/theme/theme.h"
#include "ui/workspace/workspace.h"

#include <QDialog>

class QComboBox;
class QLabel;
class QLineEdit;
class QTreeWidget;

namespace prism::ui {

/// GUI thread only. Accepting it is one step of the undo stack, or none where a value is wrong somewhere.
class ApplyDialog final : public QDialog {
    Q_OBJECT
public:
    /// `parameterId`: chosen at first; the value at first is that of the current scenario.
    ApplyDialog(Workspace& workspace, const Theme& theme, const QString& parameterId, QWidget* parent = nullptr);

    void choose(const std::vector<int>& ids); ///< these scenarios and no others
    void setValue(const QString& text);
    void accept() override;
    [[nodiscard]] QString problem() const;
    [[nodiscard]] std::vector<int> chosen() const;

private:
    void fill();
    [[nodiscard]] const Parameter* parameter() const;

    Workspace& m_workspace;
    QComboBox* m_parameter;
    QLineEdit* m_value;
    QTreeWidget* m_scenarios;
    QLabel* m_problem = nullptr;
};

} // namespace prism::ui
