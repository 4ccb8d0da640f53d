// SPDX-License-Identifier: GPL-3.0-or-later
// Every command of the application in one table: menus, shortcuts, command search and the list of keys read it.
#pragma once

#include "ui/theme/icons.h"
#include "ui/theme/theme.h"

#include <QAction>
#include <QKeySequence>
#include <QObject>

#include <functional>
#include <optional>

class QMenu;
class QMenuBar;

namespace prism::ui {

/// One command. `menu` is "File", "Edit", ...; empty = only in the command search.
struct ActionSpec {
    QString id, menu, text;
    QKeySequence shortcut;
    std::function<void()> run;
    std::optional<Icon> icon;
    bool checkable = false;
    bool separatorBefore = false;
};

/// GUI thread only. Actions belong to the window, so that their shortcuts work everywhere in it.
class Actions final : public QObject {
    Q_OBJECT
public:
    Actions(QWidget* window, const Theme& theme);

    QAction* add(const ActionSpec& spec);
    /// Puts all actions that have a menu into menus, in the order in which they were added.
    void fill(QMenuBar& bar) const;

    [[nodiscard]] QAction* get(const QString& id) const;
    [[nodiscard]] const QList<QAction*>& all() const { return m_actions; }
    [[nodiscard]] static QString menuOf(const QAction* action);

private:
    QWidget* m_window;
    const Theme& m_theme;
    QList<QAction*> m_actions;
};

} // namespace prism::ui
