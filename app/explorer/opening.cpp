// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/explorer/opening.h"

#include "ui/findings/tracefound.h"
#include "ui/window/dialogs.h"
#include "ui/window/mainwindow.h"

#include <QCoreApplication>
#include <QSettings>

using namespace Qt::Literals::StringLiterals;

namespace prism::explorer {

BatchSession::BatchSession(bool hasFolder)
{
    if (hasFolder)
        m_folder.emplace();
    // In the null device nothing can be created, so that a killed run leaves nothing behind.
    const QString nowhere = u"/dev/null"_s;
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, nowhere);
    qputenv("XDG_STATE_HOME", nowhere.toLocal8Bit()); // neither makes nor reads the backups of the user's studies
    qputenv("XDG_DATA_HOME", (m_folder && m_folder->isValid() ? m_folder->path() : nowhere).toLocal8Bit());
}

QSize windowSize(const QString& text)
{
    const QStringList sides = text.split(u'x');
    return {std::max(640, sides.value(0).toInt()), std::max(400, sides.value(1).toInt())};
}

bool isStudy(const QString& path)
{
    return path.endsWith(u".prism"_s, Qt::CaseInsensitive);
}

Result<Scenario> importedScenario(const QString& path)
{
    const Result<QByteArray> text = ui::contentOf(path);
    if (!text)
        return text.errors();
    const ui::ImportPreview preview = ui::previewImport(path, *text, Scenario{});
    if (preview.scenario && !hasErrors(preview.notes))
        return *preview.scenario;
    if (hasErrors(preview.notes))
        return preview.notes;
    return Diagnostic{.path = path.toStdString(), .message = "It holds nothing that can be imported."};
}

QString openForBatch(ui::MainWindow& window, const QString& path, StudyAccess access)
{
    if (isStudy(path)) {
        const bool isShown = window.openStudy(path, access);
        while (window.isSalvaging())
            QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
        return isShown || !window.file().path().isEmpty() ? QString() : window.bannerText();
    }
    window.openSample();
    if (path.isEmpty())
        return {};
    const Result<Scenario> scenario = importedScenario(path);
    if (scenario) {
        window.workspace().study().addScenario(*scenario, u"Import"_s);
        return {};
    }
    const Diagnostics& errors = scenario.errors();
    const auto first = std::find_if(errors.begin(), errors.end(), [](const Diagnostic& d) { return d.severity == Severity::error; });
    return QString::fromStdString(first->path.empty() ? first->message : first->path + ": " + first->message);
}

} // namespace prism::explorer
