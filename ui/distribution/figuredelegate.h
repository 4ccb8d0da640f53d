// SPDX-License-Identifier: GPL-3.0-or-later
// Draws table cells that hold a figure: a value, its change and its interval in different weights and colours.
#pragma once

#include "ui/look/figures.h"
#include "ui/theme/theme.h"

#include <QStyledItemDelegate>

namespace prism::ui {

class FigureDelegate final : public QStyledItemDelegate {
    Q_OBJECT
public:
    FigureDelegate(const Theme& theme, QObject* parent) : QStyledItemDelegate(parent), m_theme(theme) {}
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    /// Two lines: a value over what follows it.
    void setStacked(bool stacked) { m_stacked = stacked; }
    [[nodiscard]] bool isStacked() const { return m_stacked; }
    [[nodiscard]] int rowHeight() const { return m_theme.px(m_stacked ? metric::row + 16 : metric::row); }

private:
    /// The lines of a cell.
    [[nodiscard]] QList<FigureRuns> lines(const QModelIndex& index) const;

    const Theme& m_theme;
    bool m_stacked = false;
};

} // namespace prism::ui
