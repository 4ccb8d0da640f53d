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
    ScenarioPanel(Workspace& workspace, ChangesCache& cache, const Theme& theme, QWidget* parent = nullptr);

    /// Puts these actions on the buttons of the heading.
    void setButtons(const QList<QAction*>& actions);
    void renameCurrent();                ///< opens the name of the current scenario for editing
    void setFilter(const QString& text); ///< as ScenarioFilter reads it; hides rows, changes nothing else
    void stepCurrent(int by);            ///< to the row above or below, as the table is sorted and filtered
    void setNotesShown(bool shown);
    [[nodiscard]] bool hasNotes() const;
    [[nodiscard]] QTableView& table() { return *m_table; }
    [[nodiscard]] int shownCount() const; ///< rows that the filter leaves
    /// The selected rows, as the table is sorted; the current scenario alone where it is not among them.
    [[nodiscard]] std::vector<int> selectedIds() const;

Q_SIGNALS:
    void metricRequested(const QString& key); ///< the user asks for the source of a column's value

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    [[nodiscard]] bool isRenaming() const;
    void syncSelection();
    void makeTable();
    void showHeaderMenu(const QPoint& at);
    [[nodiscard]] QWidget* makeFilter();
    void applyFilter();
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
