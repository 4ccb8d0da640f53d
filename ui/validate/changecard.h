// SPDX-License-Identifier: GPL-3.0-or-later
// What changed between two logs or two recordings of one job: a table, and a tool that chooses the second one.
#pragma once

#include "core/insight/change/changedmetrics.h"
#include "ui/theme/theme.h"
#include "ui/look/tabledata.h"

#include <QFrame>

class QLabel;
class QPushButton;
class QTableWidget;

namespace prism::ui {

/// GUI thread only. The page that owns it computes the report.
class ChangeCard final : public QFrame {
    Q_OBJECT
public:
    /// `what`: "log" or "trace", as the tool names it.
    ChangeCard(const Theme& theme, const QString& what, QWidget* parent = nullptr);

    /// The tool in the page's row: chooses a second file, or ends the comparison.
    [[nodiscard]] QPushButton* tool() { return m_tool; }
    /// Compares with this file from now on; an empty name ends it.
    void setAfter(const QString& name);
    [[nodiscard]] bool isOn() const { return !m_after.isEmpty(); }
    /// `report`: null while there is none; `error`: why there is none.
    void setReport(const ChangeReport* report, const QString& before, const QString& error);
    [[nodiscard]] QTableWidget& table() { return *m_table; }
    [[nodiscard]] static TableData asTable(const ChangeReport& report);

Q_SIGNALS:
    void chosen(bool on); ///< the tool was pressed: a file is to be chosen (true), or the comparison ends

private:
    void fill();

    const Theme& m_theme;
    QString m_what, m_after;
    QPushButton* m_tool;
    QLabel *m_title, *m_notes;
    QTableWidget* m_table;
    ChangeReport m_report;
};

} // namespace prism::ui
