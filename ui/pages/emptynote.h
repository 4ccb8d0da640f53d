// SPDX-License-Identifier: GPL-3.0-or-later
// The text in the middle of a table without rows: its pending input, or the reason why it is empty.
#pragma once

#include <QLabel>

class QAbstractItemView;

namespace prism::ui {

/// GUI thread only. Follows the rows and the size of its table, which owns it.
class EmptyNote final : public QLabel {
    Q_OBJECT
public:
    explicit EmptyNote(QAbstractItemView& table);
    void showMessage(const QString& sentence); ///< empty = nothing

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void follow();
    QAbstractItemView& m_table;
};

} // namespace prism::ui
