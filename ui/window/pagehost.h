// SPDX-License-Identifier: GPL-3.0-or-later
// The centre: tabs, the row of page tools, the pages, and functions of every page (table, copy, export).
#pragma once

#include "ui/pages/page.h"
#include "ui/theme/theme.h"
#include "ui/workspace/workspace.h"

#include <QTimer>
#include <QWidget>

class QHBoxLayout;
class QPushButton;
class QStackedWidget;
class QTableWidget;

namespace prism::ui {

class PageTabs;
struct Picture;

/// GUI thread only. Only the page that is shown gets contexts.
class PageHost final : public QWidget {
    Q_OBJECT
public:
    PageHost(Workspace& workspace, Theme& theme, QWidget* parent = nullptr);

    // change it
    void addPage(Page* page);
    void showPage(const QString& id);
    void showPage(int index);
    void setTableShown(bool shown);

    // look at it
    [[nodiscard]] const QList<Page*>& pages() const { return m_pages; }
    [[nodiscard]] Page* current() const;
    [[nodiscard]] Page* page(const QString& id) const;
    [[nodiscard]] bool isTableShown() const;

    // take it away
    void copy(); ///< image and TSV together
    /// By its ending; an error as a sentence, empty = done.
    [[nodiscard]] QString exportTo(const QString& path, TableText texts = TableText::forSheets);
    void exportDialog();

Q_SIGNALS:
    void currentChanged();
    void answerChanged(); ///< of the current page, or another page is shown
    void message(const QString& text);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    [[nodiscard]] QWidget* makeToolRow();
    void turnTo(int index);
    void restyleTools();
    void deliver();
    [[nodiscard]] Picture pictureOf(Page& page) const;
    void fillTable();
    /// Table, Copy and Export lose their words where the page's tools would not fit next to them.
    void fitTools();
    void offerExport(); ///< copy and export only where a page shows something

    Workspace& m_workspace;
    Theme& m_theme;
    PageTabs* m_tabs;
    QWidget* m_toolRow;
    QHBoxLayout* m_tools;
    QStackedWidget *m_stack, *m_both;
    QTableWidget* m_table;
    QPushButton *m_tableButton, *m_copyButton, *m_exportButton;
    QList<Page*> m_pages;
    QTimer m_fill; ///< the table, once for all changes of one turn
};

} // namespace prism::ui
