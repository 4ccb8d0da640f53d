// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/import/importers.h"
#include "core/scenario/presets.h"
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
    const QString suffix = QFileInfo(fileName).suffix().toLower();
    const QByteArray start = text.trimmed().left(1);
    if (start == "{") {
        const QJsonObject object = QJsonDocument::fromJson(text).object();
        if (object.contains(u"model"_s) || object.contains(u"cluster"_s) || object.contains(u"parallelism"_s)) {
            preview.kind = QObject::tr("Scenario");
            if (Result<Scenario> scenario = scenarioFromJson(content))
                preview.scenario = std::move(scenario).value();
            else
                preview.notes = scenario.errors();
        } else {
            preview.kind = QObject::tr("Hugging Face model configuration");
            preview.asksLayout = true;
            take(importHuggingFaceConfig(content, base));
            if (preview.scenario)
                preview.scenario->name = preview.scenario->model.name;
        }
    } else if (text.contains("--")) {
        preview.kind = QObject::tr("Megatron-LM arguments");
        preview.asksLayout = true;
        take(importMegatronArguments(content, base));
        if (preview.scenario)
            preview.scenario->name = QFileInfo(fileName).completeBaseName().toStdString();
    } else if (suffix == u"csv" || suffix == u"tsv" || suffix == u"txt") {
        preview.kind = QObject::tr("Node speed table");
        takeSpeeds(preview, content, fileName, base);
    } else {
        preview.kind = QObject::tr("Unknown file");
        preview.notes.push_back(errorOf(
            QObject::tr("%1 is no scenario (JSON), model configuration (config.json), Megatron-LM argument list or node speed table (CSV).")
                .arg(QFileInfo(fileName).fileName())));
    }
    if (preview.scenario && preview.asksLayout)
        forgetOther(*preview.scenario);
    if (preview.scenario && preview.scenario->name.empty())
        preview.scenario->name = QFileInfo(fileName).completeBaseName().toStdString();
    return preview;
}

} // namespace prism::ui
