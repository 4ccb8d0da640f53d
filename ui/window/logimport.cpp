// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/logimport.h"

#include "ui/validate/validatepage.h"
#include "ui/window/actions.h"
#include "ui/window/mainwindow.h"
#include "ui/window/pagehost.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QStandardPaths>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui {

namespace {

ValidatePage* validatePage(MainWindow& window)
{
    return qobject_cast<ValidatePage*>(window.pages().page(u"validate"_s));
}

} // namespace

bool openStepLog(MainWindow& window, const QString& path, const QByteArray& text)
{
    ValidatePage* page = validatePage(window);
    if (!page || !looksLikeStepLog(std::string_view(text.data(), static_cast<std::size_t>(text.size()))))
        return false;
    page->openLog(QFileInfo(path).fileName(), text.toStdString());
    window.pages().showPage(page->id());
    return true;
}

void addLogActions(MainWindow& window)
{
    QAction* open = window.actions().add(
        {u"file.openLog"_s, QObject::tr("File"), QObject::tr("Validate against a log…"), {}, [&window] {
             const QString path = QFileDialog::getOpenFileName(
                 &window, QObject::tr("Open a training log"), QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation),
                 QObject::tr("Logs and tables (*.log *.txt *.csv *.tsv *.jsonl *.json *.out);;All files (*)"));
             if (!path.isEmpty())
                 window.openDropped(path);
         }});
    if (ValidatePage* page = validatePage(window))
        QObject::connect(page, &ValidatePage::openWanted, open, &QAction::trigger);
}

} // namespace prism::ui
