// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/actions.h"

#include <QMenu>
#include <QMenuBar>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui {

Actions::Actions(QWidget* window, const Theme& theme) : QObject(window), m_window(window), m_theme(theme)
{
    connect(&theme, &Theme::changed, this, [this] {
        for (QAction* action : m_actions)
            if (const QVariant which = action->property("iconIndex"); which.isValid())
                action->setIcon(icon(static_cast<Icon>(which.toInt()), m_theme.look()));
    });
}

QAction* Actions::add(const ActionSpec& spec)
{
    auto* action = new QAction(spec.text, m_window);
    action->setObjectName(spec.id);
    action->setShortcut(spec.shortcut);
    action->setCheckable(spec.checkable);
    action->setProperty("menu", spec.menu);
    action->setProperty("separatorBefore", spec.separatorBefore);
    action->setMenuRole(QAction::NoRole);
    if (spec.icon) {
        action->setProperty("iconIndex", static_cast<int>(*spec.icon));
        action->setIcon(icon(*spec.icon, m_theme.look()));
        action->setIconVisibleInMenu(false);
    }
    if (!spec.shortcut.isEmpty())
        action->setToolTip(
            u"%1 (%2)"_s.arg(QString(spec.text).remove(u'&').remove(u"…"_s), spec.shortcut.toString(QKeySequence::NativeText)));
    if (spec.run)
        connect(action, &QAction::triggered, m_window, spec.run);
    m_window->addAction(action);
    m_actions << action;
    return action;
}

void Actions::fill(QMenuBar& bar) const
{
    QHash<QString, QMenu*> menus;
    for (QAction* action : m_actions) {
        const QString name = menuOf(action);
        if (name.isEmpty())
            continue;
        QMenu*& menu = menus[name];
        if (!menu) {
            menu = bar.addMenu(u"&"_s + name);
            menu->setObjectName(u"menu"_s + name);
        }
        if (action->property("separatorBefore").toBool())
            menu->addSeparator();
        menu->addAction(action);
    }
}

QAction* Actions::get(const QString& id) const
{
    for (QAction* action : m_actions)
        if (action->objectName() == id)
            return action;
    return nullptr;
}

QString Actions::menuOf(const QAction* action)
{
    return action->property("menu").toString();
}

} // namespace prism::ui
