// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/emptynote.h"

#include <QAbstractItemView>
#include <QEvent>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui {

EmptyNote::EmptyNote(QAbstractItemView& table) : QLabel(table.viewport()), m_table(table)
{
    setTextFormat(Qt::PlainText);
    setWordWrap(true);
    setAlignment(Qt::AlignCenter);
    setProperty("role", u"secondary"_s);
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setContentsMargins(8, 0, 8, 0);
    const QAbstractItemModel* model = table.model();
    connect(model, &QAbstractItemModel::rowsInserted, this, &EmptyNote::follow);
    connect(model, &QAbstractItemModel::rowsRemoved, this, &EmptyNote::follow);
    connect(model, &QAbstractItemModel::modelReset, this, &EmptyNote::follow);
    table.viewport()->installEventFilter(this);
    follow();
}

void EmptyNote::showMessage(const QString& sentence)
{
    if (sentence == text())
        return;
    setText(sentence);
    follow();
}

bool EmptyNote::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Resize)
        follow();
    return QLabel::eventFilter(watched, event);
}

void EmptyNote::follow()
{
    const bool empty = m_table.model()->rowCount() == 0;
    setVisible(empty && !text().isEmpty());
    setGeometry(m_table.viewport()->rect());
    m_table.setAccessibleDescription(empty ? text() : QString());
}

} // namespace prism::ui
