// SPDX-License-Identifier: GPL-3.0-or-later
// Writes SVG that is well-formed for any text; no text becomes an element.
#pragma once

#include <QByteArray>
#include <QSize>
#include <QString>

#include <functional>

class QPainter;

namespace prism::ui {

/// What is painted as an SVG document; title and description are for readers of the file and may be empty. QSvgGenerator of Qt 6.4 writes
/// both without escapes, and characters that XML does not have (control characters, U+FFFE) as they are: neither is left to it.
[[nodiscard]] QByteArray svgDocument(QSize size, const std::function<void(QPainter&)>& paint, const QString& title = {},
                                     const QString& description = {});

} // namespace prism::ui
