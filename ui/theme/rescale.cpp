// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/rescale.h"

#include <QAbstractButton>
#include <QLabel>
#include <QLayout>
#include <QLineEdit>
#include <QVariant>
#include <QWidget>
#include <cmath>

namespace prism::ui {

namespace {

/// The size at scale 1, written down at the first time.
double baseOf(QObject& object, const char* name, double now, double scale)
{
    const QVariant known = object.property(name);
    if (known.isValid())
        return known.toDouble();
    object.setProperty(name, now / scale);
    return now / scale;
}

} // namespace

void rescale(QWidget& root, double from, double to)
{
    const auto sized = [&](QObject& object, const char* name, int now) {
        return static_cast<int>(std::lround(baseOf(object, name, now, from) * to));
    };
    for (QLayout* layout : root.findChildren<QLayout*>()) {
        const QMargins m = layout->contentsMargins();
        layout->setContentsMargins(sized(*layout, "baseLeft", m.left()), sized(*layout, "baseTop", m.top()),
                                   sized(*layout, "baseRight", m.right()), sized(*layout, "baseBottom", m.bottom()));
        if (layout->spacing() >= 0)
            layout->setSpacing(sized(*layout, "baseSpacing", layout->spacing()));
    }
    for (QWidget* widget : root.findChildren<QWidget*>()) // columns of labels and fields
        if (widget->minimumWidth() == widget->maximumWidth() && !widget->property(kOwnWidth).toBool()
            && (qobject_cast<QLabel*>(widget) || qobject_cast<QLineEdit*>(widget)))
            widget->setFixedWidth(sized(*widget, "baseWidth", widget->minimumWidth()));
    for (QAbstractButton* button : root.findChildren<QAbstractButton*>()) {
        const int side = sized(*button, "baseIcon", button->iconSize().width());
        button->setIconSize({side, side});
    }
}

void showWhileEditable(QWidget& editing, const Theme& theme)
{
    const auto follow = [&editing, &theme] {
        if (editing.isHidden() == theme.isEditable())
            editing.setVisible(theme.isEditable());
    };
    QObject::connect(&theme, &Theme::changed, &editing, follow);
    if (!theme.isEditable())
        editing.hide();
}

} // namespace prism::ui
