// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/dialogs.h"

#include "core/scenario/scenariodifferences.h"

#include "ui/editor/parameterrow.h"
#include "ui/pages/card.h"
#include "ui/window/actions.h"
#include "ui/window/dialogparts.h"
#include "ui/theme/plaintext.h"

#include <QCoreApplication>
#include <QDialog>
#include <QHeaderView>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QTableWidget>
#include <QUndoView>
#include <QVBoxLayout>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui {

namespace {

QDialog* makeDialog(const QString& title, const Theme& theme, int width, int height, QWidget* parent)
{
    auto* dialog = new QDialog(parent);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(title);
    dialog->setAccessibleName(title);
    dialog->resize(theme.px(width), theme.px(height));
    makeDialogLayout(*dialog, theme);
    return dialog;
}

QTableWidget* makeTable(const QStringList& header, int rows, const Theme& theme)
{
    auto* table = new QTableWidget(rows, static_cast<int>(header.size()));
    table->setHorizontalHeaderLabels(header);
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setShowGrid(false);
    table->verticalHeader()->hide();
    table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    table->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
    for (int c = 1; c < header.size(); ++c)
        table->horizontalHeader()->setSectionResizeMode(c, QHeaderView::ResizeToContents);
    wrapCells(*table, theme);
    return table;
}

/// Close at the right end, after what else the dialog can do.
void addClose(QDialog* dialog, QPushButton* before = nullptr)
{
    auto* close = new QPushButton(QObject::tr("Close"));
    close->setProperty("kind", u"closing"_s);
    QObject::connect(close, &QPushButton::clicked, dialog, &QDialog::accept);
    auto* foot = new QHBoxLayout;
    foot->addStretch(1);
    if (before)
        foot->addWidget(before);
    foot->addWidget(close);
    static_cast<QVBoxLayout*>(dialog->layout())->addLayout(foot);
}

/// Parameters, the values of two scenarios that share what is left of the width, and a button at the end of each row.
void layoutDifferences(QTableWidget& table, const Theme& theme)
{
    QHeaderView& header = *table.horizontalHeader();
    header.setSectionResizeMode(QHeaderView::Stretch);
    header.setSectionResizeMode(0, QHeaderView::ResizeToContents);
    const QFontMetrics metrics(theme.font(Type::body)); // Qt sizes columns by their items and knows nothing of the buttons
    header.setSectionResizeMode(3, QHeaderView::Fixed);
    table.setColumnWidth(3, metrics.horizontalAdvance(QObject::tr("Copy over")) + theme.px(40));
}

} // namespace

QString showDifferences(Workspace& workspace, const Theme& theme, QWidget* parent)
{
    const ScenarioEntry* current = workspace.study().current();
    const ScenarioEntry* baseline = workspace.study().baseline();
    if (!current || !baseline)
        return QObject::tr("No baseline is pinned: there is nothing to compare with.");
    if (current->id == baseline->id)
        return QObject::tr("This scenario is the baseline. Choose another one to see its differences.");
    QDialog* dialog = makeDialog(QObject::tr("Differences"), theme, 720, 420, parent);
    dialog->setObjectName(u"differencesDialog"_s);
    const QString a = QString::fromStdString(current->scenario->name), b = QString::fromStdString(baseline->scenario->name);
    auto* title = plainLabel(QObject::tr("%1 against %2").arg(a, b), {}, u"title"_s);
    title->setWordWrap(true);
    dialog->layout()->addWidget(title);
    const std::vector<Difference> changed = allDifferences(*current->scenario, *baseline->scenario);
    QTableWidget* table = makeTable({QObject::tr("Parameter"), QObject::tr("This scenario"), QObject::tr("Baseline"), QString()},
                                    static_cast<int>(changed.size()), theme);
    for (int i = 0; i < static_cast<int>(changed.size()); ++i) {
        const Difference& d = changed[static_cast<std::size_t>(i)];
        table->setItem(i, 0, new QTableWidgetItem(QString::fromStdString(d.parameter ? d.parameter->label : d.label)));
        const auto text = [&d](const ScenarioEntry& e, const std::string& plain) {
            return new QTableWidgetItem(d.parameter ? valueText(*d.parameter, *e.scenario) : QString::fromStdString(plain));
        };
        table->setItem(i, 1, text(*current, d.a));
        table->setItem(i, 2, text(*baseline, d.b));
        auto* copy = new QPushButton(QObject::tr("Copy over"));
        copy->setProperty("kind", u"link"_s);
        copy->setToolTip(QObject::tr("Use the baseline's value in this scenario too"));
        QObject::connect(copy, &QPushButton::clicked, dialog, [&workspace, table, i, copy, d, id = current->id, from = baseline->scenario] {
            StudyModel& study = workspace.study();
            const ScenarioEntry* entry = study.entry(id);
            Result<Scenario> next = entry ? withValueOf(*entry->scenario, *from, d) : cancelled();
            study.endMerge();
            if (next.ok() && !study.isReadOnly()) {
                study.setScenario(id, std::move(next).value(), QObject::tr("Copy %1 over").arg(QString::fromStdString(d.label)));
                table->item(i, 1)->setText(table->item(i, 2)->text());
                copy->setEnabled(false);
            }
        });
        table->setCellWidget(i, 3, copy);
    }
    layoutDifferences(*table, theme);
    table->horizontalHeaderItem(1)->setToolTip(a);
    table->horizontalHeaderItem(2)->setToolTip(b);
    static_cast<QVBoxLayout*>(dialog->layout())->addWidget(table, 1);
    addClose(dialog);
    dialog->open();
    return {};
}

void showHistory(Workspace& workspace, const Theme& theme, QWidget* parent)
{
    QDialog* dialog = makeDialog(QObject::tr("History"), theme, 420, 480, parent);
    dialog->setObjectName(u"historyDialog"_s);
    auto* note =
        plainLabel(QObject::tr("Click a step to go back or forward to it. Known results come back without computing."), u"secondary"_s);
    note->setWordWrap(true);
    dialog->layout()->addWidget(note);
    auto* view = new QUndoView(workspace.study().undoStack());
    view->setEnabled(!workspace.study().isReadOnly());
    view->setEmptyLabel(QObject::tr("As opened"));
    view->setAccessibleName(QObject::tr("History"));
    view->setWordWrap(true); // a step may carry long names
    view->setTextElideMode(Qt::ElideNone);
    view->setResizeMode(QListView::Adjust);
    view->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    static_cast<QVBoxLayout*>(dialog->layout())->addWidget(view, 1);
    addClose(dialog);
    dialog->show();
}

void showKeys(const Actions& actions, const Theme& theme, QWidget* parent)
{
    QDialog* dialog = makeDialog(QObject::tr("Keys"), theme, 520, 560, parent);
    dialog->setObjectName(u"keysDialog"_s);
    QList<QStringList> rows;
    for (const QAction* action : actions.all())
        if (!action->shortcut().isEmpty())
            rows << QStringList{action->text().remove(u'&').remove(u"…"_s), action->shortcut().toString(QKeySequence::NativeText)};
    rows << QStringList{QObject::tr("In a number field: one step up or down"), QObject::tr("Up, Down; ten steps with Shift")}
         << QStringList{QObject::tr("In a number field: back to the value in use"), u"Esc"_s}
         << QStringList{QObject::tr("In the distribution: move the limit"), QObject::tr("Left, Right; Shift coarse, Alt fine")}
         << QStringList{QObject::tr("In the distribution: type the limit"), u"Return"_s}
         << QStringList{QObject::tr("In the distribution: zoom"), QObject::tr("Ctrl + wheel; double click resets")}
         << QStringList{QObject::tr("Drag the limit without snapping"), u"Alt"_s}
         << QStringList{QObject::tr("In other charts: read items"), QObject::tr("Arrow keys; Return picks")}
         << QStringList{QObject::tr("In the scenario table: show or hide"), QObject::tr("Space")};
    QTableWidget* table = makeTable({QObject::tr("Command"), QObject::tr("Keys")}, static_cast<int>(rows.size()), theme);
    table->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch); // both have sentences
    for (int i = 0; i < rows.size(); ++i)
        for (int c = 0; c < 2; ++c)
            table->setItem(i, c, new QTableWidgetItem(rows[i][c]));
    static_cast<QVBoxLayout*>(dialog->layout())->addWidget(table, 1);
    addClose(dialog);
    dialog->show();
}

void showArchived(Workspace& workspace, const Theme& theme, QWidget* parent)
{
    QDialog* dialog = makeDialog(QObject::tr("Archived scenarios"), theme, 420, 360, parent);
    auto* list = new QListWidget;
    for (const ScenarioEntry& e : workspace.study().state().entries)
        if (e.archived) {
            auto* item = new QListWidgetItem(QString::fromStdString(e.scenario->name), list);
            item->setData(Qt::UserRole, e.id);
        }
    list->setAccessibleName(dialog->windowTitle());
    if (list->count() == 0)
        dialog->layout()->addWidget(plainLabel(QObject::tr("No scenario is archived.")));
    static_cast<QVBoxLayout*>(dialog->layout())->addWidget(list, 1);
    auto* restore = new QPushButton(QObject::tr("Restore"));
    restore->setProperty("kind", u"primary closing"_s);
    restore->setEnabled(list->count() > 0 && !workspace.study().isReadOnly());
    QObject::connect(restore, &QPushButton::clicked, dialog, [&workspace, list] {
        if (QListWidgetItem* item = list->currentItem() ? list->currentItem() : list->item(0)) {
            workspace.study().setArchived(item->data(Qt::UserRole).toInt(), false);
            delete item;
        }
    });
    addClose(dialog, restore);
    dialog->open();
}

void showAbout(const Theme& theme, QWidget* parent)
{
    QDialog* dialog = makeDialog(QObject::tr("About PRISM Explorer"), theme, 480, 260, parent);
    auto* text = plainLabel(
        QObject::tr(
            "PRISM Explorer %1\nThe distribution of LLM training-step time, and what causes its spread.\n\n"
            "Follows and extends PRISM (arXiv 2510.15596).\n\n"
            "Licence: GPL-3.0-or-later. Uses Qt %2 with Qt Charts (GPL-3), SQLite, Eigen, oneTBB, Boost.Math, spdlog, nlohmann-json.")
            .arg(QCoreApplication::applicationVersion(), QString::fromLatin1(qVersion())));
    text->setWordWrap(true);
    text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    static_cast<QVBoxLayout*>(dialog->layout())->addWidget(text, 1);
    addClose(dialog);
    dialog->open();
}

} // namespace prism::ui
