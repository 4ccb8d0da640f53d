// SPDX-License-Identifier: GPL-3.0-or-later
// A page as a picture for paper: title and scenario above it, configuration, method and assumptions beneath it.
#pragma once

#include "ui/look/look.h"
#include "ui/plot/export.h"
#include "ui/workspace/papernotes.h"

namespace prism::ui {

/// A picture whose `paint` draws `content` of this size at the origin, with the text around it. The look gives fonts and colours.
[[nodiscard]] Picture onPaper(const PaperText& text, QSize content, PaintFunction paintContent, const Look& look);

} // namespace prism::ui
