// SPDX-License-Identifier: GPL-3.0-or-later
// The marks of the study on the step-time axis, one per line.
#pragma once

#include "ui/theme/theme.h"
#include "ui/workspace/workspace.h"

#include <QDialog>

class QLabel;
class QPlainTextEdit;

namespace prism::ui {

/// GUI thread only; deletes itself when closed.
class MarksDialog final : public QDialog {
    Q_OBJECT
public:
    /// `seconds` > 0: a line for this time is begun.
    MarksDialog(Workspace& workspace, const Theme& theme, double seconds, QWidget* parent = nullptr);

    [[nodiscard]] QPlainTextEdit& lines() { return *m_lines; }
    [[nodiscard]] QString problem() const;
    void accept() override; ///< sets the marks as one step of the study, or shows which line is not a mark

private:
    Workspace& m_workspace;
    QPlainTextEdit* m_lines;
    QLabel* m_problem = nullptr;
};

} // namespace prism::ui
