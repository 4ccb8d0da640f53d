// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/presentation.h"

#include <QWidget>

namespace prism::ui {

void hideInPresentation(QWidget& editing, const Theme& theme)
{
    const auto follow = [&editing, &theme] {
        if (editing.isHidden() != theme.presentation())
            editing.setVisible(!theme.presentation());
    };
    QObject::connect(&theme, &Theme::changed, &editing, follow);
    if (theme.presentation())
        editing.hide();
}

} // namespace prism::ui
