// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/jsontext.h"
#include "core/calibrate/clustercalibration.h"
#include "core/scenario/presets.h"
#include "core/measured/importmeasured.h"
#include "core/measured/speedtable.h"
#include "ui/window/dialogs.h"

#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui {

namespace {

Diagnostic errorOf(const QString& message)
{
    Diagnostic d;
    d.message = message.toStdString();
    return d;
}

void takeSpeeds(ImportPreview& preview, const std::string& content, const QString& fileName, const Scenario& base)
{
    if (Result<SpeedTable> table = readSpeedTable(content, QFileInfo(fileName).fileName().toStdString())) {
        Scenario scenario = base;
        scenario.measured.speeds.clear();
        for (const SpeedRow& row : table->rows)
            scenario.measured.speeds.push_back({row.node, row.gpu, row.relativeSpeed});
        scenario.name += " + measured speeds";
        preview.scenario = std::move(scenario);
        preview.notes = table->notes;
    } else {
        preview.notes = table.errors();
    }
}

bool holdsCollectives(const QByteArray& text)
{
    constexpr qsizetype kHead = 64 * 1024; // bytes; the header of the table is in the first lines
    const QByteArray head = text.left(kHead);
    return head.contains("out-of-place") && (head.contains("busbw") || head.contains("algbw"));
}

/// A table with a time and what was timed: sizes of a product, or ranks and bytes.
bool holdsOperators(const QByteArray& text)
{
    const QList<QByteArray> columns = text.left(text.indexOf('\n')).trimmed().toLower().split(',');
    const bool timed =
        columns.contains("time_s") || columns.contains("time_us") || columns.contains("time_ms") || columns.contains("latency_us");
    return timed && (columns.contains("op") || (columns.contains("m") && columns.contains("n") && columns.contains("k")));
}

void takeRows(ImportPreview& preview, Result<std::vector<MeasuredRow>> rows, const Scenario& base)
{
    if (!rows.ok()) {
        preview.notes = rows.errors();
        return;
    }
    Scenario scenario = base;
    const std::size_t count = rows->size();
    const int replaced = addMeasuredRows(scenario, std::move(rows).value());
    scenario.name += " + measured rows";
    preview.scenario = std::move(scenario);
    Diagnostic note;
    note.severity = Severity::note;
    note.message = QObject::tr("%1 measured rows, %2 of them in place of earlier ones").arg(count).arg(replaced).toStdString();
    preview.notes.push_back(note);
}

/// Another job: what was noted, measured and marked on the present one stays there.
void forgetOther(Scenario& scenario)
{
    scenario.note.clear();
    scenario.measured = {};
    scenario.variability.slow.clear();
}

} // namespace

ImportPreview previewImport(const QString& fileName, const QByteArray& text, const Scenario& base)
{
    ImportPreview preview;
    const std::string content = text.toStdString();
    const auto take = [&](Result<ImportResult> result) {
        if (!result) {
            preview.notes = result.errors();
            return;
        }
        preview.scenario = std::move(result->scenario);
        preview.notes = std::move(result->notes);
    };
    const QString plainName = fileName.endsWith(u".gz", Qt::CaseInsensitive) ? fileName.chopped(3) : fileName;
    const QString suffix = QFileInfo(plainName).suffix().toLower();
    const QByteArray plain = QByteArray::fromStdString(withoutJsonComments(content)).trimmed();
    if (holdsCollectives(text)) {
        preview.kind = QObject::tr("nccl-tests output");
        takeRows(preview, ncclTestsRows(content, {}), base);
    } else if (plain.startsWith('{')) {
        const QJsonObject object = QJsonDocument::fromJson(plain).object();
        if (object.contains(u"model"_s) || object.contains(u"cluster"_s) || object.contains(u"parallelism"_s)) {
            preview.kind = QObject::tr("Scenario");
            if (Result<Scenario> scenario = scenarioFromJson(content))
                take(withCalibrationFile(std::move(scenario).value(), QFileInfo(fileName).absolutePath().toStdString()));
            else
                preview.notes = scenario.errors();
        } else {
            preview.kind = QObject::tr("Hugging Face model configuration");
            preview.requestsLayout = true;
            take(importHuggingFaceConfig(content, base));
            if (preview.scenario)
                preview.scenario->name = preview.scenario->model.name;
        }
    } else if (text.contains("--")) {
        preview.kind = QObject::tr("Megatron-LM arguments");
        preview.requestsLayout = true;
        take(importMegatronArguments(content, base));
        if (preview.scenario)
            preview.scenario->name = QFileInfo(fileName).completeBaseName().toStdString();
    } else if (holdsOperators(text)) {
        preview.kind = QObject::tr("Measured operators");
        takeRows(preview, operatorTableRows(content), base);
    } else if (suffix == u"csv" || suffix == u"tsv" || suffix == u"txt") {
        preview.kind = QObject::tr("Node speed table");
        takeSpeeds(preview, content, fileName, base);
    } else {
        preview.kind = QObject::tr("Unknown file");
        preview.notes.push_back(errorOf(
            QObject::tr(
                "%1 is not a scenario (JSON), model configuration (config.json), Megatron-LM argument list or node speed table (CSV).")
                .arg(QFileInfo(fileName).fileName())));
    }
    if (preview.scenario && preview.requestsLayout)
        forgetOther(*preview.scenario);
    if (preview.scenario && preview.scenario->name.empty())
        preview.scenario->name = QFileInfo(fileName).completeBaseName().toStdString();
    return preview;
}

} // namespace prism::ui
