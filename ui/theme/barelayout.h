// SPDX-License-Identifier: GPL-3.0-or-later
// A layout without margins: its widget is already inside something that has them.
#pragma once

class QWidget;

namespace prism::ui {

/// A QVBoxLayout, QHBoxLayout or FlowLayout of that widget, which owns it.
template <class Layout>
[[nodiscard]] Layout* bareLayout(QWidget* widget, int spacing)
{
    auto* layout = new Layout(widget);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(spacing);
    return layout;
}

} // namespace prism::ui
