// SPDX-License-Identifier: GPL-3.0-or-later
// What a table says in its middle while it has no rows: that it waits, for what, or why nothing is in it.
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
