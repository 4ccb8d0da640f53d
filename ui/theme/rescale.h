// SPDX-License-Identifier: GPL-3.0-or-later
// Margins, spacings and icons of a whole window when the scale of the interface changes while it runs.
#pragma once

class QWidget;

namespace prism::ui {

/// Property of a widget that looks after its fixed width itself.
inline constexpr const char* kOwnWidth = "ownWidth";

/// Scales what layouts and buttons under `root` were given at scale `from` to scale `to`. Sizes at scale 1 are remembered, so
/// that going there and back changes nothing. GUI thread.
void rescale(QWidget& root, double from, double to);

} // namespace prism::ui
