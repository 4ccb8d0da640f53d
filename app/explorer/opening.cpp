// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/explorer/opening.h"

#include "core/base/textfile.h"
#include "ui/window/dialogs.h"
#include "ui/window/mainwindow.h"

using namespace Qt::Literals::StringLiterals;

namespace prism::explorer {

namespace {

QString firstError(const Diagnostics& diagnostics, const QString& otherwise)
{
    for (const Diagnostic& d : diagnostics)
        if (d.severity == Severity::error)
            return QString::fromStdString(d.path.empty() ? d.message : d.path + ": " + d.message);
    return otherwise;
}

} // namespace

QString openForBatch(ui::MainWindow& window, const QString& path)
{
    if (path.endsWith(u".prism"_s))
        return window.openStudy(path) ? QString() : u"%1 cannot be opened as a study."_s.arg(path);
    window.openSample();
    if (path.isEmpty())
        return {};
    const Result<std::string> text = readTextFile(path.toStdString());
    if (!text)
        return firstError(text.errors(), path);
    const ui::ImportPreview preview = ui::previewImport(path, QByteArray::fromStdString(*text), Scenario{});
    if (!preview.scenario || hasErrors(preview.notes))
        return firstError(preview.notes, u"%1 holds nothing that can be shown."_s.arg(path));
    window.workspace().study().addScenario(*preview.scenario, u"Import"_s);
    return {};
}

} // namespace prism::explorer
