// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/logimport.h"

#include "ui/validate/tracepage.h"
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
    page->openLog(QFileInfo(path).fileName(), text.toStdString(), path);
    window.pages().showPage(page->id());
    return true;
}

bool openTrace(MainWindow& window, const QString& path)
{
    auto* page = qobject_cast<TracePage*>(window.pages().page(u"traces"_s));
    if (!page || !isTrace(foundFile(path)))
        return false;
    page->openTrace(path);
    window.pages().showPage(page->id());
    return true;
}

namespace {

QString chosenTrace(MainWindow& window, const QString& title)
{
    return QFileDialog::getOpenFileName(&window, title, QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation),
                                        QObject::tr("Traces (*.csv *.csv.gz *.json *.json.gz);;All files (*)"));
}

void chooseTrace(MainWindow& window)
{
    if (const QString path = chosenTrace(window, QObject::tr("Open a trace")); !path.isEmpty())
        window.openDropped(path);
}

void chooseTraceFolder(MainWindow& window)
{
    const QString path = QFileDialog::getExistingDirectory(&window, QObject::tr("Open a folder of traces"));
    if (!path.isEmpty())
        window.openDropped(path);
}

QString chosenLog(MainWindow& window, const QString& title)
{
    return QFileDialog::getOpenFileName(&window, title, QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation),
                                        QObject::tr("Logs and tables (*.log *.txt *.csv *.tsv *.jsonl *.json *.out);;All files (*)"));
}

} // namespace

void addLogActions(MainWindow& window)
{
    QAction* open =
        window.actions().add({u"file.openLog"_s, QObject::tr("File"), QObject::tr("Validate against a log…"), {}, [&window] {
                                  if (const QString path = chosenLog(window, QObject::tr("Open a training log")); !path.isEmpty())
                                      window.openDropped(path);
                              }});
    QAction* trace = window.actions().add(
        {u"file.openTrace"_s, QObject::tr("File"), QObject::tr("Open a trace…"), {}, [&window] { chooseTrace(window); }});
    window.actions().add({u"file.openTraceFolder"_s, QObject::tr("File"), QObject::tr("Open a folder of traces…"), {}, [&window] {
                              chooseTraceFolder(window);
                          }});
    if (auto* page = qobject_cast<TracePage*>(window.pages().page(u"traces"_s))) {
        QObject::connect(page, &TracePage::openRequested, trace, &QAction::trigger);
        QObject::connect(page, &TracePage::compareRequested, page, [&window, page] {
            if (const QString path = chosenTrace(window, QObject::tr("Compare with a trace")); !path.isEmpty())
                page->compareWith(path);
        });
    }
    if (ValidatePage* page = validatePage(window)) {
        QObject::connect(page, &ValidatePage::openRequested, open, &QAction::trigger);
        QObject::connect(page, &ValidatePage::compareRequested, page, [&window, page] {
            if (const QString path = chosenLog(window, QObject::tr("Compare with a training log")); !path.isEmpty())
                page->compareWith(path);
        });
    }
}

} // namespace prism::ui
