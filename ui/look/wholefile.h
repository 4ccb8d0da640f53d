// SPDX-License-Identifier: GPL-3.0-or-later
// What the window writes goes through the one writer of the library (core/base/outputfile.h): whole or not at all, links not followed.
#pragma once

#include <QByteArrayView>
#include <QString>

namespace prism::ui {

/// What to say where the file cannot be written; empty = it is written. Any thread.
[[nodiscard]] QString writeWholeFile(const QString& path, QByteArrayView content);

} // namespace prism::ui
