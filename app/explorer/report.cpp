// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/explorer/headless.h"

#include "app/explorer/opening.h"
#include "app/explorer/terminal.h"
#include "core/scenario/presets.h"
#include "ui/model/samplestudy.h"
#include "ui/model/studyfile.h"
#include "ui/report/reportfile.h"

#include <QFileInfo>

using namespace Qt::Literals::StringLiterals;

namespace prism::explorer {

namespace {

ui::FindingsQuery queryOf(Scenario scenario)
{
    ui::FindingsQuery query;
    query.state.entries.push_back({1, std::make_shared<const Scenario>(std::move(scenario)), 0, true, false});
    query.state.baselineId = query.currentId = 1;
    return query;
}

Result<ui::FindingsQuery> queryOfStudy(const QString& path)
{
    Result<ui::ReadStudy> read = ui::readStudy(path, StudyAccess::readOnly);
    if (ui::isDamaged(read))
        read = ui::salvageToRead(path);
    if (!read.ok()) {
        Diagnostic error = read.errors().front();
        error.path = path.toStdString();
        return error;
    }
    ui::FindingsQuery query;
    query.state = read->content.state;
    query.currentId = read->content.currentId;
    query.title = QFileInfo(path).completeBaseName();
    return query;
}

Result<ui::FindingsQuery> queryOfFile(const QString& path)
{
    if (Result<Scenario> preset = scenarioPreset(path.toStdString()); preset.ok() && !QFileInfo::exists(path)) {
        preset->name = path.toStdString();
        return queryOf(std::move(preset).value());
    }
    Result<Scenario> scenario = importedScenario(path);
    return scenario ? Result<ui::FindingsQuery>(queryOf(std::move(scenario).value())) : scenario.errors();
}

} // namespace

int runReport(const ReportOptions& options)
{
    Result<ui::FindingsQuery> query = options.study.isEmpty()  ? Result<ui::FindingsQuery>({ui::sampleStudy(), 1})
                                      : isStudy(options.study) ? queryOfStudy(options.study)
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
