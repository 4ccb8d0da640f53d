// SPDX-License-Identifier: GPL-3.0-or-later
// Draws a row of the candidates: layout and further settings, change in colour, memory as a bar.
#pragma once

#include "ui/theme/theme.h"

#include <QStyledItemDelegate>

namespace prism::ui {

/// Bar of a GPU's memory usage.
struct MemoryShare {
    double used = 0, capacity = 0; ///< GiB
};

class CandidateDelegate final : public QStyledItemDelegate {
    Q_OBJECT
public:
    static constexpr int kMemoryRole = Qt::UserRole + 60; ///< a MemoryShare
    CandidateDelegate(const Theme& theme, QObject* parent) : QStyledItemDelegate(parent), m_theme(theme) {}
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    const Theme& m_theme;
};

} // namespace prism::ui

Q_DECLARE_METATYPE(prism::ui::MemoryShare)
