// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/editor/choicebox.h"

#include <QWheelEvent>

namespace prism::ui {

ChoiceBox::ChoiceBox(QWidget* parent) : QComboBox(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    connect(this, &QComboBox::highlighted, this, &ChoiceBox::tried);
}

void ChoiceBox::wheelEvent(QWheelEvent* event)
{
    event->ignore();
}

void ChoiceBox::hidePopup()
{
    QComboBox::hidePopup();
    Q_EMIT closed();
}

} // namespace prism::ui
