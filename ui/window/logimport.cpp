// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/logimport.h"

#include "core/scenario/presets.h"
#include "ui/look/format.h"
#include "ui/plot/exportmetadata.h"
#include "ui/validate/tracepage.h"
#include "ui/validate/validatepage.h"
#include "ui/window/actions.h"
#include "ui/window/mainwindow.h"
#include "ui/window/pagehost.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
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

namespace {

QString hashOf(const Scenario& scenario)
{
    return QString::fromStdString(scenario.hash().text());
}

/// The scenario of the study that has this hash; an archived one comes back into the table.
bool showKnown(StudyModel& study, const QString& hash)
{
    for (const ScenarioEntry& e : study.state().entries)
        if (hashOf(*e.scenario) == hash) {
            const int id = e.id; // restoring makes new entries
            if (e.archived)
                study.setArchived(id, false);
            study.setCurrent(id);
            return true;
        }
    return false;
}

std::optional<Scenario> scenarioOf(const ExportMetadata& metadata)
{
    if (!metadata.scenarioJson.isEmpty())
        if (Result<Scenario> carried = scenarioFromJson(metadata.scenarioJson.toStdString()); carried && hashOf(*carried) == metadata.hash)
            return std::move(carried).value();
    for (const PresetInfo& info : presetList())
        if (info.kind == "scenario")
            if (Result<Scenario> preset = scenarioPreset(info.name); preset && hashOf(*preset) == metadata.hash) {
                if (!metadata.scenario.isEmpty())
                    preset->name = metadata.scenario.toStdString();
                return std::move(preset).value();
            }
    return std::nullopt;
}

} // namespace

std::optional<ExportMetadata> metadataIn(const QString& path, const QByteArray& content)
{
    if (path.endsWith(u".png", Qt::CaseInsensitive))
        return exportMetadataOf(path);
    if (std::optional<ExportMetadata> marked = markedMetadata(content))
        return marked;
    const QJsonObject report = QJsonDocument::fromJson(content).object();
    if (!report[u"hash"_s].isString() || !report[u"scenario"_s].isString())
        return std::nullopt;
    return ExportMetadata{.scenario = report[u"scenario"_s].toString(),
                          .hash = report[u"hash"_s].toString(),
                          .seed = static_cast<std::uint64_t>(report[u"seed"_s].toInteger(1)),
                          .samples = report[u"samples"_s].toInteger(),
                          .version = report[u"engine_version"_s].toString()};
}

bool openExported(MainWindow& window, const ExportMetadata& metadata, const QString& fileName)
{
    StudyModel& study = window.workspace().study();
    if (!showKnown(study, metadata.hash)) {
        std::optional<Scenario> scenario = scenarioOf(metadata);
        if (!scenario || study.isReadOnly()) {
            const QString what = QObject::tr("%1 shows the scenario %2 (hash %3), ").arg(fileName, metadata.scenario, metadata.hash);
            window.showBanner(
                what
                    + (scenario ? QObject::tr("which is not in this study, and this study is read-only. Save it under another name first.")
                                : QObject::tr("which is neither in this study nor a preset. Open the study that it was made with.")),
                u"error"_s);
            return false;
        }
        study.addScenario(std::move(*scenario), QObject::tr("Open what %1 shows").arg(fileName));
    }
    EngineBridge& bridge = window.workspace().bridge();
    if (metadata.seed != bridge.seed() || (metadata.samples > 0 && metadata.samples != bridge.samples())) {
        bridge.setSeed(metadata.seed);
        if (metadata.samples > 0 && metadata.samples <= kMaxSamples)
            bridge.setSamples(static_cast<int>(metadata.samples));
        window.workspace().recompute();
    }
    window.pages().showPage(metadata.page);
    window.showBanner(
        QObject::tr("This is what %1 shows: %2, seed %3, n = %4, made with version %5.")
            .arg(fileName, metadata.scenario, QString::number(metadata.seed), format::count(metadata.samples), metadata.version),
        u"note"_s);
    return true;
}

} // namespace prism::ui
