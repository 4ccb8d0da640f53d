// SPDX-License-Identifier: GPL-3.0-or-later
// Confirms an import: GPUs and layout as fields, their errors, one combined fix, and the changes.
#pragma once

#include "core/scenario/layoutfix.h"
#include "ui/bridge/insightrunner.h"
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

/// GiB of the fullest GPU.
struct MemoryNeed {
    double peakGib = 0, capacityGib = 0;
    bool fits = true;
};

/// Checks of an import in the background.
struct ImportVerdict {
    std::optional<MemoryNeed> memory; ///< of a scenario without errors
    std::optional<LayoutFix> fix;     ///< for everything that is wrong
};

/// GUI thread only; memory and fix are found on a separate thread. Adds the scenario when it is accepted.
class ImportDialog final : public QDialog {
    Q_OBJECT
public:
    ImportDialog(Workspace& workspace, const Theme& theme, ImportPreview preview, const QString& fileName, QWidget* parent);

    /// The scenario as the fields have it; without value when nothing was recognised.
    [[nodiscard]] const std::optional<Scenario>& scenario() const { return m_preview.scenario; }
    [[nodiscard]] QString verdict() const; ///< the verdict under the fields
    [[nodiscard]] bool isJudging() const;  ///< memory and fix are on their way
    void applyFix();                       ///< the combined fix; nothing where there is none

private:
    [[nodiscard]] QWidget* makeLayoutFields();
    [[nodiscard]] QWidget* makeVerdict();
    [[nodiscard]] QWidget* makeNotes() const;
    void makeButtons(QVBoxLayout& layout);
    void enter(const QString& parameterId, const QString& text);
    void refresh();
    void judge(); ///< errors of the scenario, now; its memory and the fix, later
    void showMessage(const QStringList& invalid, const ImportVerdict* verdict); ///< null: not known yet
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
    InsightRunner m_runner;
};

} // namespace prism::ui
