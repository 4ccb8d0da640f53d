// SPDX-License-Identifier: GPL-3.0-or-later
// Texts around a page on paper: its title, its scenario, method and assumptions in plain words.
#pragma once

#include "ui/workspace/context.h"

#include <QStringList>

namespace prism::ui {

struct PaperText {
    QString title, subtitle;
    QStringList notes; ///< configuration, method, caveats, origin; one sentence each
};

/// Of the current scenario; empty notes before the first result.
[[nodiscard]] PaperText paperText(const PageContext& context, const QString& pageTitle);

} // namespace prism::ui
