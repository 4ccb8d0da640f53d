// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/plaintext.h"

#include <QAbstractItemView>
#include <QHelpEvent>
#include <QLabel>
#include <QTextDocument>
#include <QToolTip>

namespace prism::ui {

QLabel* plainLabel(const QString& text, const QString& role, const QString& type)
{
    auto* label = new QLabel;
    label->setProperty("role", role);
    label->setProperty("type", type);
    label->setTextFormat(Qt::PlainText); // before the text: Qt lays markup out as soon as it gets it
    label->setText(text);
    return label;
}

QString plainTip(const QString& text)
{
    return Qt::mightBeRichText(text) ? Qt::convertFromPlainText(text) : text;
}

bool PlainTips::eventFilter(QObject* watched, QEvent* event)
{
    auto* widget = event->type() == QEvent::ToolTip ? qobject_cast<QWidget*>(watched) : nullptr;
    if (!widget)
        return QObject::eventFilter(watched, event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const auto* view = qobject_cast<QAbstractItemView*>(widget->parentWidget());
    const QString text =
        view && view->viewport() == widget ? view->indexAt(help->pos()).data(Qt::ToolTipRole).toString() : widget->toolTip();
    if (!Qt::mightBeRichText(text))
        return QObject::eventFilter(watched, event); // Qt does the rest
    QToolTip::showText(help->globalPos(), plainTip(text), widget);
    return true;
}

} // namespace prism::ui
