// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/morebutton.h"

#include "ui/theme/icons.h"

#include <QMenu>
#include <QToolButton>

namespace prism::ui {

QToolButton* makeMoreButton(const Theme& theme, const QString& name, QWidget* parent)
{
    auto* button = new QToolButton(parent);
    button->setAccessibleName(name);
    button->setToolTip(name);
    button->setPopupMode(QToolButton::InstantPopup);
    button->setMenu(new QMenu(button));
    button->setIconSize({theme.px(16), theme.px(16)}); // the window scales it from here on
    button->hide();
    const auto restyle = [button, &theme] { button->setIcon(icon(Icon::more, theme.look(), Role::textSecondary)); };
    QObject::connect(&theme, &Theme::changed, button, restyle);
    restyle();
    return button;
}

} // namespace prism::ui
