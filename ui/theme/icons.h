// SPDX-License-Identifier: GPL-3.0-or-later
// The application's icons: line drawings on a 16 px grid, drawn in a colour role, shipped with the program.
#pragma once

#include "ui/look/look.h"

#include <QIcon>

namespace prism::ui {

enum class Icon {
    add,
    duplicate,
    archive,
    pin,
    pinOutline,
    undo,
    redo,
    table,
    copy,
    exportFile,
    chevronDown,
    chevronRight,
    chevronUp,
    check,
    cross,
    info,
    warning,
    error,
    search,
    more,
    settings,
    play,
    stop,
    move,
    remove,
    open,
    save,
    visible,
    hidden
};

/// The icon in a role's colour; disabled in textTertiary. GUI thread.
[[nodiscard]] QIcon icon(Icon which, const Look& look, Role role = Role::text);
/// The drawing as SVG text in a colour.
[[nodiscard]] QByteArray iconSvg(Icon which, const QColor& color);

} // namespace prism::ui
