// SPDX-License-Identifier: GPL-3.0-or-later
// Writes the window's files through the library's only file writer (core/base/outputfile.h): whole or not at all, links not followed.
#pragma once

#include <QByteArrayView>
#include <QString>

namespace prism::ui {

/// The message where the file cannot be written; empty = it is written. Any thread.
[[nodiscard]] QString writeWholeFile(const QString& path, QByteArrayView content);

} // namespace prism::ui
