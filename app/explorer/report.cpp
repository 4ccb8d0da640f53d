// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/explorer/report.h"

#include "app/explorer/terminal.h"
#include "core/base/textfile.h"
#include "core/scenario/presets.h"
#include "ui/model/samplestudy.h"
#include "ui/model/studyfile.h"
#include "ui/report/reportbundle.h"
#include "ui/report/reportfile.h"
#include "ui/window/dialogs.h"

#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>

using namespace Qt::Literals::StringLiterals;

namespace prism::explorer {

namespace {

Diagnostic wrong(const QString& message)
{
    Diagnostic d;
    d.message = message.toStdString();
    return d;
}

ui::FindingsQuery queryOf(Scenario scenario)
{
    ui::FindingsQuery query;
    query.state.entries.push_back({1, std::make_shared<const Scenario>(std::move(scenario)), 0, true, false});
    query.state.baselineId = query.currentId = 1;
    return query;
}

/// A copy is opened: opening may bring an older file up to date.
Result<ui::FindingsQuery> queryOfStudy(const QString& path)
{
    const QTemporaryDir folder;
    const QString copy = folder.filePath(u"study.prism"_s);
    if (!folder.isValid() || !QFile::copy(path, copy))
        return wrong(u"%1 cannot be read."_s.arg(path));
    ui::StudyFile file;
    const Result<ui::OpenedStudy> opened = file.open(copy);
    if (!opened.ok())
        return opened.errors();
    ui::FindingsQuery query;
    query.state = opened->state;
    query.currentId = opened->currentId;
    query.title = QFileInfo(path).completeBaseName();
    return query;
}

Result<ui::FindingsQuery> queryOfFile(const QString& path)
{
    if (Result<Scenario> preset = scenarioPreset(path.toStdString()); preset.ok() && !QFileInfo::exists(path)) {
        preset->name = path.toStdString();
        return queryOf(std::move(preset).value());
    }
    const Result<std::string> text = readTextFile(path.toStdString());
    if (!text.ok())
        return text.errors();
    const ui::ImportPreview preview = ui::previewImport(path, QByteArray::fromStdString(*text), Scenario{});
    if (preview.scenario && !hasErrors(preview.notes))
        return queryOf(*preview.scenario);
    return preview.notes.empty() ? Diagnostics{wrong(u"%1 holds nothing that can be reported."_s.arg(path))} : preview.notes;
}

} // namespace

int runReport(const ReportOptions& options)
{
    Result<ui::FindingsQuery> query = options.study.isEmpty() ? Result<ui::FindingsQuery>({ui::sampleStudy(), 1})
                                      : options.study.endsWith(u".prism"_s, Qt::CaseInsensitive) ? queryOfStudy(options.study)
                                                                                                 : queryOfFile(options.study);
    if (!query.ok()) {
        complain(query.errors());
        return 1;
    }
    query->question = options.question;
    query->samples = options.samples;
    Evaluator evaluator;
    InsightOptions insight;
    insight.seed = options.seed;
    const Result<ui::Findings> found = ui::findings(evaluator, *query, insight);
    if (!found.ok()) {
        complain(found.errors());
        return 1;
    }
    const QString folder = ui::bundleFolder(options.output);
    QString problem = ui::writeReport(options.output, *found, options.slides ? ui::ReportForm::slides : ui::ReportForm::paper);
    if (problem.isEmpty() && options.bundle)
        problem = ui::writeReportBundle(folder, *found, options.texts);
    if (!problem.isEmpty()) {
        complain(problem);
        return 1;
    }
    printLine(options.output);
    if (options.bundle)
        printLine(folder);
    return 0;
}

} // namespace prism::explorer
