// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/fieldwidth.h"

#include "ui/theme/icons.h"
#include "ui/theme/rescale.h"

#include <QFontMetrics>
#include <QLineEdit>
#include <QMenu>
#include <QToolButton>
#include <QVariant>
#include <algorithm>

namespace prism::ui {

namespace {
const QString kMetric = QStringLiteral("12.5"); // what is typed next to a unit
constexpr double kAround = 8;                   // padding of a field in the style sheet, at scale 1, on either side
constexpr double kMaxWidth = 240;               // at scale 1; a longer text is not a number
constexpr int kOwn = 2 * (1 + 2);               // border and the margin that a line edit keeps next to its text, in pixels
} // namespace

int fieldWidthFor(const QString& text, const Theme& theme)
{
    return QFontMetrics(theme.font(Type::body)).horizontalAdvance(text) + 2 * theme.px(kAround) + kOwn + 1;
}

void keepFieldWidth(QLineEdit& field, const Theme& theme, double width)
{
    const auto fit = [&field, &theme, width] {
        const int unit = field.textMargins().right(); // written by the field itself, at its end
        const int metric = unit > 0 ? unit + fieldWidthFor(kMetric, theme) : 0;
        const int text = std::min(fieldWidthFor(field.text(), theme), theme.px(kMaxWidth)) + unit;
        field.setFixedWidth(std::max({theme.px(width), fieldWidthFor(field.placeholderText(), theme), metric, text}));
    };
    field.setProperty(kOwnWidth, true);
    QObject::connect(&theme, &Theme::changed, &field, fit);
    QObject::connect(&field, &QLineEdit::textChanged, &field, fit);
    fit();
}

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
