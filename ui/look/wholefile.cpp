// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/look/wholefile.h"

#include "core/base/outputfile.h"

#include <QFileInfo>

namespace prism::ui {

using namespace Qt::StringLiterals;

QString writeWholeFile(const QString& path, QByteArrayView content)
{
    const Diagnostics problems = writeFile(path.toStdString(), {content.data(), static_cast<std::size_t>(content.size())});
    if (problems.empty())
        return {};
    return u"%1: %2"_s.arg(QFileInfo(path).fileName(), QString::fromStdString(problems.front().message));
}

} // namespace prism::ui
