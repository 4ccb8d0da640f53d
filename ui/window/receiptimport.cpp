// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/receiptimport.h"

#include "core/scenario/presets.h"
#include "ui/look/format.h"
#include "ui/plot/receiptmark.h"
#include "ui/window/mainwindow.h"
#include "ui/window/pagehost.h"

#include <QJsonDocument>
#include <QJsonObject>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui {

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

std::optional<Scenario> scenarioOf(const Receipt& receipt)
{
    if (!receipt.scenarioJson.isEmpty())
        if (Result<Scenario> carried = scenarioFromJson(receipt.scenarioJson.toStdString()); carried && hashOf(*carried) == receipt.hash)
            return std::move(carried).value();
    for (const PresetInfo& info : presetList())
        if (info.kind == "scenario")
            if (Result<Scenario> preset = scenarioPreset(info.name); preset && hashOf(*preset) == receipt.hash) {
                if (!receipt.scenario.isEmpty())
                    preset->name = receipt.scenario.toStdString();
                return std::move(preset).value();
            }
    return std::nullopt;
}

} // namespace

std::optional<Receipt> receiptIn(const QString& path, const QByteArray& content)
{
    if (path.endsWith(u".png", Qt::CaseInsensitive))
        return receiptOf(path);
    if (std::optional<Receipt> marked = markedReceipt(content))
        return marked;
    const QJsonObject report = QJsonDocument::fromJson(content).object();
    if (!report[u"hash"_s].isString() || !report[u"scenario"_s].isString())
        return std::nullopt;
    return Receipt{.scenario = report[u"scenario"_s].toString(),
                   .hash = report[u"hash"_s].toString(),
                   .seed = static_cast<std::uint64_t>(report[u"seed"_s].toInteger(1)),
                   .samples = report[u"samples"_s].toInteger(),
                   .version = report[u"engine_version"_s].toString()};
}

bool openReceipt(MainWindow& window, const Receipt& receipt, const QString& fileName)
{
    StudyModel& study = window.workspace().study();
    if (!showKnown(study, receipt.hash)) {
        std::optional<Scenario> scenario = scenarioOf(receipt);
        if (!scenario || study.isReadOnly()) {
            const QString what = QObject::tr("%1 shows the scenario %2 (hash %3), ").arg(fileName, receipt.scenario, receipt.hash);
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
    if (receipt.seed != bridge.seed() || (receipt.samples > 0 && receipt.samples != bridge.samples())) {
        bridge.setSeed(receipt.seed);
        if (receipt.samples > 0 && receipt.samples <= kMaxSamples)
            bridge.setSamples(static_cast<int>(receipt.samples));
        window.workspace().recompute();
    }
    window.pages().showPage(receipt.page);
    window.showBanner(QObject::tr("This is what %1 shows: %2, seed %3, n = %4, made with version %5.")
                          .arg(fileName, receipt.scenario, QString::number(receipt.seed), format::count(receipt.samples), receipt.version),
                      u"note"_s);
    return true;
}

} // namespace prism::ui
