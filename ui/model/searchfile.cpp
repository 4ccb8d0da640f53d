// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/model/searchfile.h"

#include "ui/look/wholefile.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QStandardPaths>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 kLargest = 64 * 1024 * 1024; // bytes; a search of a million configurations has some 20

} // namespace

SearchFile::SearchFile(QString folder)
    : m_folder(folder.isEmpty() ? QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) + u"/searches"_s : std::move(folder))
{
}

QString SearchFile::pathOf(const std::string& head) const
{
    const QByteArray hash = QCryptographicHash::hash(QByteArray::fromStdString(head), QCryptographicHash::Sha256).toHex().left(24);
    return QDir(m_folder).filePath(QString::fromLatin1(hash) + u".jsonl"_s);
}

std::string SearchFile::read(const std::string& head) const
{
    QFile file(pathOf(head));
    return file.size() <= kLargest && file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : std::string();
}

void SearchFile::write(const std::string& head, const std::string& text) const
{
    if (static_cast<qint64>(text.size()) > kLargest || !QDir().mkpath(m_folder))
        return;
    if (!writeWholeFile(pathOf(head), text).isEmpty())
        return;
    const QFileInfoList kept = QDir(m_folder).entryInfoList({u"*.jsonl"_s}, QDir::Files, QDir::Time);
    for (qsizetype i = kMaxSearches; i < kept.size(); ++i)
        QFile::remove(kept[i].filePath());
}

} // namespace prism::ui
