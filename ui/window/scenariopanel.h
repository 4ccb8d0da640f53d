// SPDX-License-Identifier: GPL-3.0-or-later
// The scenario table with its buttons: the upper part of the left dock.
#pragma once

#include "ui/workspace/scenariotablemodel.h"
#include "ui/theme/theme.h"

#include <QTableView>
#include <QWidget>

class QLabel;
class QLineEdit;
class QToolButton;

namespace prism::ui {

class ScenarioPanel final : public QWidget {
    Q_OBJECT
public:
    ScenarioPanel(Workspace& workspace, const Theme& theme, QWidget* parent = nullptr);

    /// Puts these actions on the buttons of the heading.
    void setButtons(const QList<QAction*>& actions);
    void renameCurrent();                ///< opens the name of the current scenario for editing
    void setFilter(const QString& text); ///< as ScenarioFilter reads it; hides rows, changes nothing else
    [[nodiscard]] QTableView& table() { return *m_table; }
    [[nodiscard]] int shownCount() const; ///< rows that the filter leaves

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    [[nodiscard]] bool isRenaming() const;
    void syncSelection();
    void makeTable();
    [[nodiscard]] QWidget* makeFilter();
    void applyFilter();
    [[nodiscard]] int widthOf(int column) const; ///< of the table; the name takes what is left
    void layoutTable();
    Workspace& m_workspace;
    const Theme& m_theme;
    ScenarioTableModel* m_model;
    QTableView* m_table;
    QWidget *m_buttons, *m_filterRow;
    QLineEdit* m_filter;
    QLabel* m_hits;
};

} // namespace prism::ui
