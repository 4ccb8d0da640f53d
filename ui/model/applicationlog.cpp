// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/model/applicationlog.h"

#include "core/base/logging.h"
#include "core/base/platform/process.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QGuiApplication>
#include <QStandardPaths>

#include <spdlog/spdlog.h>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr std::size_t kLargestLog = 1024 * 1024; // bytes; some ten thousand evaluations
constexpr qint64 kLastBytes = 4096;              // some forty lines

/// The end of the log, from the beginning of a line.
QString lastLines(const QString& path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return {};
    const bool whole = file.size() <= kLastBytes;
    file.seek(whole ? 0 : file.size() - kLastBytes);
    const QString text = QString::fromUtf8(file.read(kLastBytes));
    return whole ? text : text.sliced(text.indexOf(u'\n') + 1);
}

} // namespace

QString applicationLogPath()
{
    return QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) + u"/log/prism-explorer.log"_s;
}

Result<std::string> startApplicationLog()
{
    const QString path = applicationLogPath();
    QDir().mkpath(QFileInfo(path).path());
    Result<std::string> file = logToFile(path.toStdString(), kLargestLog);
    spdlog::info("PRISM Explorer {} on {}", QCoreApplication::applicationVersion().toStdString(), systemName());
    return file;
}

QString diagnosticInformation()
{
    const QString path = applicationLogPath();
    return u"PRISM Explorer %1, Qt %2 (%3)\n%4\n%5, %6 cores\n%7 MiB in use\nLog %8:\n%9"_s.arg(
        QCoreApplication::applicationVersion(), QString::fromLatin1(qVersion()), QGuiApplication::platformName(),
        QString::fromStdString(systemName()), QString::fromStdString(processorName()), QString::number(usableCores()),
        QString::number(residentKib() / 1024), path, lastLines(path));
}

} // namespace prism::ui
