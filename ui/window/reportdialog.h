// SPDX-License-Identifier: GPL-3.0-or-later
// File > Report: asks for the question and the form, computes in the background and writes the file.
#pragma once

#include "ui/report/reportpages.h"
#include "ui/theme/theme.h"
#include "ui/workspace/workspace.h"

#include <QDialog>

class QCheckBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace prism::ui {

class SegmentedControl;

/// GUI thread only; does not block the window. Closed while a report is being written it only hides, and deletes itself when that is done.
class ReportDialog final : public QDialog {
    Q_OBJECT
public:
    /// `title`: of the study, for the head of each page.
    ReportDialog(Workspace& workspace, const Theme& theme, QString title, QWidget* parent = nullptr);

    /// Computes and writes; `path` decides by its ending.
    void writeTo(const QString& path);

    void done(int result) override;

Q_SIGNALS:
    void ended(const QString& message, const QString& kind); ///< for the window, when the dialog is no longer seen

private:
    void chooseFile();
    void showMessage(const QString& text, const QString& role);
    void end(const QString& text, const QString& role); ///< of the writing
    void finish(const Result<Findings>& found, const QString& path, ReportForm form);
    [[nodiscard]] QString write(const Findings& found, const QString& path, ReportForm form) const; ///< what went wrong; empty = done

    Workspace& m_workspace;
    QString m_title;
    QLineEdit* m_question;
    SegmentedControl* m_form;
    QCheckBox* m_bundle;
    QLabel* m_state;
    QPushButton* m_write;
    bool m_writing = false;
};

} // namespace prism::ui
