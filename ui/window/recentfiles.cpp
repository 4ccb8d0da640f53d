// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/recentfiles.h"

#include <QFileInfo>
#include <QMenu>
#include <QSettings>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kMaxRecent = 8;
const QString kRecentKey = u"session/recent"_s;

} // namespace

QStringList recentFiles()
{
    return QSettings().value(kRecentKey).toStringList();
}

void rememberRecent(const QString& path)
{
    QStringList recent = recentFiles();
    recent.removeAll(path);
    recent.prepend(path);
    QSettings().setValue(kRecentKey, QStringList(recent.mid(0, kMaxRecent)));
}

void forgetRecent(const QString& path)
{
    QStringList recent = recentFiles();
    recent.removeAll(path);
    QSettings().setValue(kRecentKey, recent);
}

void fillRecent(QMenu& menu, const std::function<void(const QString&)>& open)
{
    menu.clear();
    for (const QString& path : recentFiles()) {
        const QFileInfo file(path);
        const QString name = u"%1   %2"_s.arg(file.fileName(), file.path()).replace(u'&', u"&&"_s);
        if (file.exists())
            menu.addAction(name, &menu, [open, path] { open(path); });
        else
            menu.addAction(QObject::tr("Gone, remove from the list: %1").arg(name), &menu, [path] { forgetRecent(path); });
    }
    if (menu.isEmpty())
        menu.addAction(QObject::tr("No recent studies"))->setEnabled(false);
}

} // namespace prism::ui
