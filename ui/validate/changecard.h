// SPDX-License-Identifier: GPL-3.0-or-later
// What changed between two logs or two recordings of one job: a table, and a tool that chooses the second one.
#pragma once

#include "core/insight/change/changedmetrics.h"
#include "ui/pages/insightslot.h"
#include "ui/theme/theme.h"
#include "ui/look/tabledata.h"

#include <QFrame>

class QLabel;
class QPushButton;
class QTableWidget;

namespace prism::ui {

/// Identifies the content of a file: its path and when it was written.
[[nodiscard]] QString contentId(const QString& path);

/// GUI thread only. It keeps the second file and the report; the page that owns it gives the work.
class ChangeCard final : public QFrame {
    Q_OBJECT
public:
    /// `what`: "log" or "trace", as the tool names it.
    ChangeCard(const Theme& theme, const QString& what, QWidget* parent = nullptr);

    /// The tool in the page's row: chooses a second file, or ends the comparison.
    [[nodiscard]] QPushButton* tool() { return m_tool; }
    /// Compares with this file from now on; an empty path ends it.
    void setAfter(const QString& path);
    [[nodiscard]] bool isOn() const { return !m_after.isEmpty(); }
    [[nodiscard]] const QString& after() const { return m_after; }
    /// Requests the report while it is on; `before` identifies the content of the first file, `changed` is called when it is there.
    void ask(InsightRunner* runner, const QString& before, InsightSlot<ChangeReport>::Work work, std::function<void()> changed);
    /// The last report; null where there is none.
    [[nodiscard]] const ChangeReport* report() const { return m_changes.value(); }
    [[nodiscard]] InsightStatus status() const; ///< current while it is off: nothing was requested
    void refresh(const QString& beforeName);
    [[nodiscard]] QTableWidget& table() { return *m_table; }
    [[nodiscard]] TableData asTable() const;

Q_SIGNALS:
    void chooseRequested(); ///< the tool was pressed: a file is to be chosen
    void endRequested();    ///< or the comparison ends

private:
    void fill();

    const Theme& m_theme;
    QString m_what, m_after; ///< m_after: path of the second file; empty = off
    QPushButton* m_tool;
    QLabel *m_title, *m_notes;
    QTableWidget* m_table;
    InsightSlot<ChangeReport> m_changes{QStringLiteral("change")};
};

} // namespace prism::ui
