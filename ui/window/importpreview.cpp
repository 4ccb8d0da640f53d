// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/import/importers.h"
#include "core/scenario/presets.h"
#include "core/measured/speedtable.h"
#include "core/scenario/parameters.h"
#include "ui/look/format.h"
#include "ui/window/dialogs.h"
#include "ui/theme/plaintext.h"

#include <QDialog>
#include <QDialogButtonBox>
#include <QFileInfo>
#include <QHeaderView>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QPushButton>
#include <QTableWidget>
#include <QVBoxLayout>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui {

namespace {

Diagnostic errorOf(const QString& message)
{
    Diagnostic d;
    d.message = message.toStdString();
    return d;
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
            take(importHuggingFaceConfig(content, base));
        }
    } else if (text.contains("--")) {
        preview.kind = QObject::tr("Megatron-LM arguments");
        take(importMegatronArguments(content, base));
    } else if (suffix == u"csv" || suffix == u"tsv" || suffix == u"txt") {
        preview.kind = QObject::tr("Node speed table");
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
    } else {
        preview.kind = QObject::tr("Unknown file");
        preview.notes.push_back(errorOf(
            QObject::tr("%1 is no scenario (JSON), model configuration (config.json), Megatron-LM argument list or node speed table (CSV).")
                .arg(QFileInfo(fileName).fileName())));
    }
    if (preview.scenario && preview.scenario->name.empty())
        preview.scenario->name = QFileInfo(fileName).completeBaseName().toStdString();
    return preview;
}

void showImport(Workspace& workspace, const Theme& theme, const ImportPreview& preview, const QString& fileName, QWidget* parent)
{
    auto* dialog = new QDialog(parent);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setObjectName(u"importDialog"_s);
    dialog->setWindowTitle(QObject::tr("Import %1").arg(QFileInfo(fileName).fileName()));
    auto* layout = new QVBoxLayout(dialog);
    auto* title = plainLabel(preview.scenario ? QObject::tr("%1: this is what was understood").arg(preview.kind)
                                              : QObject::tr("%1: nothing was taken over").arg(preview.kind));
    title->setProperty("type", u"title"_s);
    layout->addWidget(title);
    const ScenarioEntry* current = workspace.study().current();
    if (preview.scenario && current) {
        const std::vector<const Parameter*> changed = differences(*current->scenario, *preview.scenario);
        auto* table = new QTableWidget(static_cast<int>(changed.size()), 3);
        table->setHorizontalHeaderLabels(
            {QObject::tr("Parameter"), QString::fromStdString(current->scenario->name), QObject::tr("Imported")});
        table->setEditTriggers(QAbstractItemView::NoEditTriggers);
        table->verticalHeader()->hide();
        table->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
        for (int i = 0; i < static_cast<int>(changed.size()); ++i) {
            const Parameter& p = *changed[static_cast<std::size_t>(i)];
            table->setItem(i, 0, new QTableWidgetItem(QString::fromStdString(p.label)));
            table->setItem(i, 1, new QTableWidgetItem(QString::fromStdString(parameterText(p, *current->scenario))));
            table->setItem(i, 2, new QTableWidgetItem(QString::fromStdString(parameterText(p, *preview.scenario))));
        }
        layout->addWidget(table, 1);
        if (!preview.scenario->measured.speeds.empty())
            layout->addWidget(plainLabel(QObject::tr("%1 measured node speeds")
                                             .arg(format::count(static_cast<std::int64_t>(preview.scenario->measured.speeds.size())))));
    }
    if (!preview.notes.empty()) {
        auto* frame = new QFrame;
        frame->setProperty("message", hasErrors(preview.notes) ? u"error"_s : u"note"_s);
        auto* notes = new QVBoxLayout(frame);
        int shown = 0;
        for (const Diagnostic& d : preview.notes) {
            if (++shown > 12) {
                notes->addWidget(plainLabel(QObject::tr("and %1 more").arg(preview.notes.size() - 12)));
                break;
            }
            QString line = QString::fromStdString(d.path.empty() ? d.message : d.path + ": " + d.message);
            if (!d.accepted.empty())
                line += QObject::tr(" Accepted: %1.").arg(QString::fromStdString(d.accepted));
            auto* label = plainLabel(line);
            label->setWordWrap(true);
            notes->addWidget(label);
        }
        layout->addWidget(frame);
    }
    auto* buttons = new QDialogButtonBox;
    if (preview.scenario) {
        auto* add = buttons->addButton(QObject::tr("Add as scenario"), QDialogButtonBox::AcceptRole);
        add->setProperty("kind", u"primary closing"_s);
        add->setObjectName(u"importAccept"_s);
        QObject::connect(add, &QPushButton::clicked, dialog, [dialog, &workspace, scenario = *preview.scenario, fileName] {
            workspace.study().addScenario(scenario, QObject::tr("Import %1").arg(QFileInfo(fileName).fileName()));
            dialog->accept();
        });
    }
    auto* cancel = buttons->addButton(preview.scenario ? QObject::tr("Cancel") : QObject::tr("Close"), QDialogButtonBox::RejectRole);
    cancel->setProperty("kind", u"closing"_s);
    QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
    layout->addWidget(buttons);
    dialog->resize(theme.px(720), theme.px(480));
    dialog->open();
}

} // namespace prism::ui
