// SPDX-License-Identifier: GPL-3.0-or-later
// The tabs of the pages: they move together where the window is narrow, and the rest is in a menu at their end.
#pragma once

#include "ui/theme/theme.h"

#include <QTabBar>

class QToolButton;

namespace prism::ui {

/// The current page is always among the tabs that are seen. GUI thread only.
class PageTabs final : public QTabBar {
    Q_OBJECT
public:
    explicit PageTabs(const Theme& theme, QWidget* parent = nullptr);

    void addPage(const QString& title, const QString& group); ///< the name of a group is before its first tab
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    [[nodiscard]] QSize tabSizeHint(int index) const override;
    [[nodiscard]] QSize minimumTabSizeHint(int index) const override { return tabSizeHint(index); }
    void tabInserted(int index) override;
    void resizeEvent(QResizeEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    /// Chooses the gap between the labels and the tabs that are shown.
    void fit();
    void fillMenu();
    /// Width of these tabs with the present gap.
    [[nodiscard]] int widthOf(const QList<int>& tabs) const;
    [[nodiscard]] int leftOf(int index) const;      ///< from the edge of a tab to its label
    [[nodiscard]] QString groupAt(int index) const; ///< that starts with this tab; empty = none does

    const Theme& m_theme;
    QToolButton* m_more;
    double m_gap;         ///< on either side of a label, at scale 1
    bool m_named = false; ///< there is room for the names of the groups
};

} // namespace prism::ui
