// SPDX-License-Identifier: GPL-3.0-or-later
// Asks whether an import is as meant: GPUs and layout as fields, what is wrong with them, one combined fix, what changes.
#pragma once

#include "core/scenario/layoutfix.h"
#include "ui/window/dialogs.h"

#include <QDialog>
#include <QHash>

class QFrame;
class QLabel;
class QPushButton;
class QTableWidget;
class QVBoxLayout;

namespace prism::ui {

class QuantityEdit;

/// GUI thread only. Adds the scenario when it is accepted.
class ImportDialog final : public QDialog {
    Q_OBJECT
public:
    ImportDialog(Workspace& workspace, const Theme& theme, ImportPreview preview, const QString& fileName, QWidget* parent);

    /// The scenario as the fields have it; without value when nothing was understood.
    [[nodiscard]] const std::optional<Scenario>& scenario() const { return m_preview.scenario; }
    [[nodiscard]] QString verdict() const; ///< what is said under the fields
    void applyFix();                       ///< the combined fix; nothing where there is none

private:
    [[nodiscard]] QWidget* makeLayoutFields();
    [[nodiscard]] QWidget* makeVerdict();
    [[nodiscard]] QWidget* makeNotes() const;
    void makeButtons(QVBoxLayout& layout);
    void enter(const QString& parameterId, const QString& text);
    void refresh();
    void judge(); ///< errors or memory of the scenario, and the fix
    void fillTable();
    void accept() override;

    Workspace& m_workspace;
    const Theme& m_theme;
    ImportPreview m_preview;
    ScenarioPtr m_current; ///< what it is compared with
    QString m_fileName;
    QHash<QString, QuantityEdit*> m_fields; ///< by parameter id
    QTableWidget* m_table = nullptr;
    QFrame* m_verdict = nullptr;
    QLabel* m_verdictText = nullptr;
    QPushButton* m_fixButton = nullptr;
    std::optional<LayoutFix> m_fix;
};

} // namespace prism::ui
