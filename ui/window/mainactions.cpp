// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/parameters.h"
#include "core/scenario/parameternames.h"
#include "core/scenario/presets.h"
#include "ui/editor/configeditor.h"
#include "ui/findings/tracefound.h"
#include "ui/look/format.h"
#include "ui/look/wholefile.h"
#include "ui/model/applicationlog.h"
#include "ui/moves/movespage.h"
#include "ui/newjob/newscenariodialog.h"
#include "ui/window/actions.h"
#include "ui/window/applydialog.h"
#include "ui/window/commandpalette.h"
#include "ui/window/dialogs.h"
#include "ui/window/logimport.h"
#include "ui/window/headlinestrip.h"
#include "ui/window/jobbar.h"
#include "ui/window/mainwindow.h"
#include "ui/window/marksdialog.h"
#include "ui/window/pagehost.h"
#include "ui/window/presetsdialog.h"
#include "ui/window/recentfiles.h"
#include "ui/window/reportdialog.h"
#include "ui/window/scenariopanel.h"
#include "ui/window/treedialog.h"

#include <QClipboard>
#include <QCursor>
#include <QDesktopServices>
#include <QDragEnterEvent>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QMimeData>
#include <QPushButton>
#include <QSettings>
#include <QStandardPaths>
#include <QTimer>
#include <QToolButton>
#include <QUrl>

#include <memory>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui {

namespace {

constexpr int kLookPauseMs = 40; // between two repeats of a key at the usual rate

QString documents()
{
    return QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
}

void openPalette(MainWindow& window)
{
    QList<PaletteEntry> entries;
    const auto add = [&entries](QAction* action, const QString& kind) {
        entries << PaletteEntry{action->iconText().remove(u"…"_s), kind, action->shortcut().toString(QKeySequence::NativeText), {}, {}};
        if (action->isEnabled())
            entries.back().run = [action] { action->trigger(); };
        else
            entries.back().kind = QObject::tr("%1, not now").arg(kind);
    };
    for (QAction* action : window.actions().all())
        if (QMenu* menu = action->menu()) { // what is in it can be run
            Q_EMIT menu->aboutToShow();
            for (QAction* each : menu->actions())
                add(each, action->iconText());
        } else if (action->objectName() != u"tools.palette") {
            add(action, Actions::menuOf(action));
        }
    for (const Parameter& p : parameters()) {
        QString group = QString::fromStdString(p.group);
        group[0] = group[0].toUpper();
        entries << PaletteEntry{QString::fromStdString(fullName(p)),
                                group,
                                {},
                                QString::fromStdString(p.id + " " + p.help),
                                [&window, id = QString::fromStdString(p.id)] {
                                    window.dock().show();
                                    window.editor().reveal(id);
                                }};
    }
    for (const Page* page : window.pages().pages())
        for (const auto& [name, id] : page->printedNames())
            entries << PaletteEntry{name, QObject::tr("Cause"), {}, id, [&window, id = id] {
                                        window.dock().show();
                                        window.editor().reveal(id);
                                    }};
    for (const ScenarioEntry& e : window.workspace().study().state().entries)
        if (!e.archived)
            entries << PaletteEntry{QString::fromStdString(e.scenario->name),
                                    QObject::tr("Scenario"),
                                    {},
                                    QString::fromStdString(e.scenario->note),
                                    [&window, id = e.id] { window.workspace().study().setCurrent(id); }};
    for (const PresetInfo& preset : presetList())
        if (preset.kind == "scenario")
            entries << PaletteEntry{QObject::tr("New from %1").arg(QString::fromStdString(preset.name)),
                                    QObject::tr("Preset"),
                                    {},
                                    QString::fromStdString(preset.title),
                                    [&window, name = preset.name] {
                                        if (Result<Scenario> scenario = scenarioPreset(name)) {
                                            scenario->name = name;
                                            window.workspace().study().addScenario(
                                                std::move(scenario).value(), QObject::tr("New from %1").arg(QString::fromStdString(name)));
                                        }
                                    }};
    auto* palette = new CommandPalette(window.theme(), std::move(entries), &window);
    palette->move(window.mapToGlobal(QPoint((window.width() - palette->width()) / 2, window.theme().px(40))));
    palette->show();
}

void exportScenario(MainWindow& window)
{
    const ScenarioEntry* current = window.workspace().study().current();
    if (!current)
        return;
    const QString path = QFileDialog::getSaveFileName(&window, QObject::tr("Export scenario"),
                                                      u"%1/%2.json"_s.arg(documents(), QString::fromStdString(current->scenario->name)),
                                                      QObject::tr("Scenario (*.json)"));
    if (path.isEmpty())
        return;
    const QString problem = writeWholeFile(path, toJson(*current->scenario));
    problem.isEmpty() ? window.jobs().showMessage(QObject::tr("Wrote %1").arg(path)) : window.showBanner(problem, u"error"_s);
}

void openNewScenario(MainWindow& window)
{
    auto* dialog = new NewScenarioDialog(window.workspace(), window.theme(), &window);
    QObject::connect(dialog, &NewScenarioDialog::requested, &window, [&window](const QString& page) { window.pages().showPage(page); });
    dialog->open();
}

void moveCurrent(Workspace& workspace, int by)
{
    const StudyModel& study = workspace.study();
    int row = 0;
    for (const ScenarioEntry& e : study.state().entries) {
        if (e.archived)
            continue;
        if (e.id == study.currentId()) {
            if (row + by >= 0)
                workspace.study().move(e.id, row + by);
            return;
        }
        ++row;
    }
}

void addFileActions(MainWindow& w)
{
    Actions& a = w.actions();
    const QString file = QObject::tr("File");
    a.add({u"file.new"_s, file, QObject::tr("New scenario…"), QKeySequence::New, [&w] { openNewScenario(w); }, Icon::add});
    a.add({u"file.sample"_s, file, QObject::tr("New sample study"), {}, [&w] { w.openSample(); }});
    a.add({u"file.open"_s, file, QObject::tr("Open…"), QKeySequence::Open,
           [&w] {
               const QString path =
                   QFileDialog::getOpenFileName(&w, QObject::tr("Open"), documents(),
                                                QObject::tr("Everything that can be read (*.prism *.json *.csv *.tsv *.txt *.log *.gz *.sh "
                                                            "*.args *.png *.svg *.pdf *.html);;Studies (*.prism);;All files (*)"));
               if (!path.isEmpty())
                   w.openDropped(path);
           },
           Icon::open});
    a.add({u"file.recent"_s, file, QObject::tr("Open recent"), {}, {}});
    a.add({u"file.save"_s, file, QObject::tr("Save"), QKeySequence(u"Ctrl+S"_s), [&w] { w.saveNow(); }});
    a.add({u"file.saveAs"_s, file, QObject::tr("Save as…"), QKeySequence::SaveAs, [&w] { w.saveStudyAs(); }, Icon::save});
    a.add({u"file.import"_s,
           file,
           QObject::tr("Import scenario, model or speeds…"),
           QKeySequence(u"Ctrl+I"_s),
           [&w] { w.actions().get(u"file.open"_s)->trigger(); },
           {},
           false,
           true});
    addLogActions(w);
    a.add({u"file.exportScenario"_s, file, QObject::tr("Export scenario…"), {}, [&w] { exportScenario(w); }});
    a.add({u"file.exportPage"_s, file, QObject::tr("Export page…"), QKeySequence(u"Ctrl+E"_s), [&w] { w.pages().exportDialog(); },
           Icon::exportFile});
    a.add({u"file.report"_s, file, QObject::tr("Report…"), QKeySequence(u"Ctrl+P"_s), [&w] {
               auto* report = new ReportDialog(w.workspace(), w.theme(), QFileInfo(w.file().path()).completeBaseName(), &w);
               QObject::connect(report, &ReportDialog::ended, &w, &MainWindow::showBanner);
               report->show();
           }});
    a.add({u"file.quit"_s, file, QObject::tr("Quit"), QKeySequence(u"Ctrl+Q"_s), [&w] { w.close(); }, {}, false, true});
}

void addEditActions(MainWindow& w)
{
    Actions& a = w.actions();
    const QString edit = QObject::tr("Edit");
    QUndoStack* stack = w.workspace().study().undoStack();
    QAction* undo = a.add({u"edit.undo"_s, edit, QObject::tr("Undo"), QKeySequence::Undo,
                           [stack, &w] { stack->canUndo() ? stack->undo() : w.stepStored(true); }, Icon::undo});
    QAction* redo = a.add({u"edit.redo"_s, edit, QObject::tr("Redo"), QKeySequence::Redo,
                           [stack, &w] { stack->canRedo() ? stack->redo() : w.stepStored(false); }, Icon::redo});
    const StudyModel& study = w.workspace().study();
    const auto follow = [undo, redo, stack, &study, &file = w.file()] {
        const bool stored = !stack->canUndo() && file.canStepBack(), ahead = stack->count() == 0 && file.canStepForward();
        undo->setEnabled((stack->canUndo() || stored) && !study.isReadOnly());
        redo->setEnabled((stack->canRedo() || ahead) && !study.isReadOnly());
        undo->setText(stack->canUndo() ? QObject::tr("Undo: %1").arg(stack->undoText())
                      : stored         ? QObject::tr("Undo: the edit before this session")
                                       : QObject::tr("Undo"));
        redo->setText(stack->canRedo() ? QObject::tr("Redo: %1").arg(stack->redoText()) : QObject::tr("Redo"));
    };
    QObject::connect(&study, &StudyModel::changed, undo, follow);
    QObject::connect(stack, &QUndoStack::indexChanged, undo, follow);
    QObject::connect(&study, &StudyModel::readOnlyChanged, undo, follow);
    follow();
    a.add(
        {u"edit.history"_s, edit, QObject::tr("History"), QKeySequence(u"Ctrl+H"_s), [&w] { showHistory(w.workspace(), w.theme(), &w); }});
    a.add({u"edit.copyPage"_s, edit, QObject::tr("Copy page"), QKeySequence(u"Ctrl+Shift+C"_s), [&w] { w.pages().copy(); }, Icon::copy,
           false, true});
    a.add({u"edit.find"_s, edit, QObject::tr("Find a parameter"), QKeySequence::Find,
           [&w] {
               if (w.theme().presentation())
                   return;
               w.dock().show();
               w.editor().focusFilter();
           },
           Icon::search});
}

void showTree(MainWindow& w)
{
    auto* tree = new TreeDialog(w.workspace(), w.theme(), &w);
    QObject::connect(tree, &TreeDialog::applyRequested, &w, [&w](const QString& parameterId, const QString& value) {
        auto* apply = new ApplyDialog(w.workspace(), w.theme(), parameterId, &w);
        apply->setValue(value);
        apply->choose({w.workspace().study().currentId()});
        apply->open();
    });
    tree->show();
}

void archiveSelected(MainWindow& w)
{
    if (!w.workspace().study().setArchived(w.scenarios().selectedIds(), true))
        w.jobs().showMessage(QObject::tr("Not archived: at least one scenario stays in the table."));
}

void addScenarioActions(MainWindow& w)
{
    Actions& a = w.actions();
    const QString menu = QObject::tr("Scenario");
    Workspace& space = w.workspace();
    QAction* add = a.add({u"scenario.add"_s, menu, QObject::tr("Add a copy of the baseline"), QKeySequence(u"Ctrl+Shift+N"_s),
                          [&space] {
                              const ScenarioEntry* pinned = space.study().baseline();
                              if (const ScenarioEntry* base = pinned ? pinned : space.study().current()) {
                                  Scenario scenario = *base->scenario;
                                  scenario.name = QObject::tr("New scenario").toStdString();
                                  scenario.note.clear();
                                  space.study().addScenario(std::move(scenario), QObject::tr("New scenario"), base->id);
                              }
                          },
                          Icon::add});
    QAction* duplicate = a.add({u"scenario.duplicate"_s, menu, QObject::tr("Duplicate"), QKeySequence(u"Ctrl+D"_s),
                                [&space] { space.study().duplicate(space.study().currentId()); }, Icon::duplicate});
    QAction* archive = a.add({u"scenario.archive"_s, menu, QObject::tr("Archive"), QKeySequence(u"Ctrl+Backspace"_s),
                              [&w] { archiveSelected(w); }, Icon::archive});
    a.add({u"scenario.archived"_s, menu, QObject::tr("Archived scenarios…"), {}, [&w] { showArchived(w.workspace(), w.theme(), &w); }});
    a.add({u"scenario.rename"_s, menu, QObject::tr("Rename"), QKeySequence(u"F2"_s), [&w] { w.scenarios().renameCurrent(); }});
    a.add({u"scenario.pin"_s, menu, QObject::tr("Pin as baseline"), QKeySequence(u"Ctrl+B"_s),
           [&space] { space.study().setBaseline(space.study().currentId()); }, Icon::pin, false, true});
    a.add({u"scenario.visible"_s, menu, QObject::tr("Show or hide in charts"), {}, [&w, &space] {
               if (const ScenarioEntry* e = space.study().current())
                   space.study().setVisible(w.scenarios().selectedIds(), !e->visible);
           }});
    a.add({u"scenario.showOnly"_s, menu, QObject::tr("Show only these in charts"), {}, [&w, &space] {
               space.study().showOnly(w.scenarios().selectedIds());
           }});
    a.add({u"scenario.differences"_s, menu, QObject::tr("Differences from baseline…"), QKeySequence(u"Ctrl+L"_s), [&w] {
               if (const QString none = showDifferences(w.workspace(), w.theme(), &w); !none.isEmpty())
                   w.jobs().showMessage(none);
           }});
    a.add({u"scenario.applyTo"_s, menu, QObject::tr("Set a value in several…"), QKeySequence(u"Ctrl+Shift+L"_s),
           [&w] { (new ApplyDialog(w.workspace(), w.theme(), w.editor().focusedParameter(), &w))->open(); }});
    a.add({u"scenario.tree"_s, menu, QObject::tr("Tree of scenarios…"), QKeySequence(u"Ctrl+Shift+T"_s), [&w] { showTree(w); }});
    a.add({u"scenario.presets"_s, menu, QObject::tr("Own presets…"), {}, [&w] {
               (new PresetsDialog(w.workspace(), w.theme(), UserPresets(), &w))->open();
           }});
    a.add(
        {u"scenario.up"_s, menu, QObject::tr("Move up"), QKeySequence(u"Alt+Up"_s), [&space] { moveCurrent(space, -1); }, {}, false, true});
    a.add({u"scenario.down"_s, menu, QObject::tr("Move down"), QKeySequence(u"Alt+Down"_s), [&space] { moveCurrent(space, 1); }});
    a.add({u"scenario.previous"_s, menu, QObject::tr("Previous scenario"), QKeySequence(u"Ctrl+Up"_s),
           [&w] { w.scenarios().stepCurrent(-1); }});
    a.add({u"scenario.next"_s, menu, QObject::tr("Next scenario"), QKeySequence(u"Ctrl+Down"_s), [&w] { w.scenarios().stepCurrent(1); }});
    const auto follow = [&a, add, &study = space.study()] {
        add->setText(study.baseline() ? QObject::tr("Add a copy of the baseline") : QObject::tr("Add a copy of the current scenario"));
        for (const char* id : {"add", "duplicate", "archive", "rename", "pin", "visible", "showOnly", "applyTo", "up", "down"})
            a.get(u"scenario."_s + QString::fromLatin1(id))->setEnabled(!study.isReadOnly());
    };
    QObject::connect(&space.study(), &StudyModel::changed, add, follow);
    QObject::connect(&space.study(), &StudyModel::readOnlyChanged, add, follow);
    follow();
    w.scenarios().setButtons({add, duplicate, archive});
    for (const char* id : {"scenario.rename", "scenario.pin", "scenario.visible", "scenario.showOnly", "scenario.duplicate",
                           "scenario.archive", "scenario.differences"})
        w.scenarios().table().addAction(a.get(QString::fromLatin1(id)));
}

/// The parts that F6 goes through, in reading order; those that are hidden or hold nothing are passed over.
void focusNextPane(MainWindow& w, int by)
{
    const QList<QWidget*> panes{&w.scenarios().table(), &w.editor(), &w.pages(), &w.jobs()};
    const auto firstIn = [](QWidget* pane) -> QWidget* {
        if (pane->focusPolicy() & Qt::TabFocus && pane->isVisible() && pane->isEnabled())
            return pane;
        for (QWidget* part = pane->nextInFocusChain(); part != pane; part = part->nextInFocusChain())
            if (pane->isAncestorOf(part) && part->focusPolicy() & Qt::TabFocus && part->isVisible() && part->isEnabled())
                return part;
        return nullptr;
    };
    QWidget* now = w.focusWidget();
    qsizetype at = -1;
    for (qsizetype i = 0; i < panes.size(); ++i)
        if (now && (panes[i] == now || panes[i]->isAncestorOf(now)))
            at = i;
    for (qsizetype step = 1; step <= panes.size(); ++step) {
        const qsizetype next = (at < 0 && by < 0 ? panes.size() : at) + by * step;
        const qsizetype count = panes.size();
        if (QWidget* part = firstIn(panes[(next % count + count) % count])) {
            part->setFocus(Qt::TabFocusReason);
            return;
        }
    }
}

/// Theme and size of the interface.
void addLookActions(MainWindow& w)
{
    Actions& a = w.actions();
    const QString view = QObject::tr("View");
    struct Step {
        Theme::Mode mode;
        double scale;
    };
    auto* soon = new QTimer(&w); // a window restyles more slowly than a key repeats: its steps are taken together
    soon->setSingleShot(true);
    soon->setInterval(kLookPauseMs);
    const auto step = std::make_shared<Step>();
    QObject::connect(soon, &QTimer::timeout, &w, [&w, step] { w.theme().setLook(step->mode, step->scale); });
    const auto pending = [&w, soon, step]() -> Step& {
        if (!soon->isActive())
            *step = {w.theme().mode(), w.theme().uiScale()};
        soon->start();
        return *step;
    };
    for (const auto& [id, text, mode] : {std::tuple{u"system"_s, QObject::tr("Theme of the system"), Theme::Mode::system},
                                         {u"light"_s, QObject::tr("Light theme"), Theme::Mode::light},
                                         {u"dark"_s, QObject::tr("Dark theme"), Theme::Mode::dark}})
        a.add({u"view.theme."_s + id,
               view,
               text,
               {},
               [pending, id = id, mode = mode] {
                   pending().mode = mode;
                   QSettings().setValue(u"view/theme"_s, id);
               },
               {},
               false,
               mode == Theme::Mode::system});
    const auto scale = [pending](double factor) {
        double& requested = pending().scale;
        requested = Theme::clampedScale(factor == 0 ? 1 : requested * factor);
        QSettings().setValue(u"view/scale"_s, requested);
    };
    a.add({u"view.larger"_s, view, QObject::tr("Larger"), QKeySequence(u"Ctrl++"_s), [scale] { scale(1.1); }, {}, false, true});
    a.add({u"view.smaller"_s, view, QObject::tr("Smaller"), QKeySequence(u"Ctrl+-"_s), [scale] { scale(1 / 1.1); }});
    a.add({u"view.normal"_s, view, QObject::tr("Normal size"), QKeySequence(u"Ctrl+0"_s), [scale] { scale(0); }});
}

void addViewActions(MainWindow& w)
{
    Actions& a = w.actions();
    const QString view = QObject::tr("View");
    int number = 0;
    for (Page* page : w.pages().pages()) {
        ++number; // Ctrl+0 is the normal size
        a.add({u"view.page."_s + page->id(), view, page->title(), QKeySequence(number < 10 ? u"Ctrl+%1"_s.arg(number) : u"Ctrl+Alt+1"_s),
               [&w, id = page->id()] { w.pages().showPage(id); }});
    }
    a.add({u"view.table"_s,
           view,
           QObject::tr("Show as table"),
           QKeySequence(u"Ctrl+T"_s),
           [&w] { w.pages().setTableShown(!w.pages().isTableShown()); },
           {},
           false,
           true});
    a.add({u"view.sameScale"_s,
           view,
           QObject::tr("Same scale for all scenarios"),
           QKeySequence(u"Ctrl+Shift+A"_s),
           [&w] { w.workspace().setSameScale(w.actions().get(u"view.sameScale"_s)->isChecked()); },
           {},
           true});
    a.add({u"view.marks"_s, view, QObject::tr("Marks on the step-time axis…"), QKeySequence(u"Ctrl+M"_s),
           [&w] { (new MarksDialog(w.workspace(), w.theme(), 0, &w))->open(); }});
    a.add({u"view.notes"_s, view, QObject::tr("Notes of scenarios"), {}, [&w] { w.scenarios().setNotesShown(!w.scenarios().hasNotes()); }});
    a.add({u"view.dock"_s,
           view,
           QObject::tr("Scenarios and configuration"),
           QKeySequence(u"F9"_s),
           [&w] {
               w.dock().setVisible(!w.dock().isVisible());
               w.actions().get(u"view.dock"_s)->setChecked(w.dock().isVisible());
           },
           {},
           true});
    a.add({u"view.nextPane"_s, view, QObject::tr("Next part of the window"), QKeySequence(u"F6"_s), [&w] { focusNextPane(w, 1); }});
    a.add({u"view.previousPane"_s, view, QObject::tr("Previous part of the window"), QKeySequence(u"Shift+F6"_s),
           [&w] { focusNextPane(w, -1); }});
    a.add({u"view.presentation"_s,
           view,
           QObject::tr("Presentation mode"),
           QKeySequence(u"F5"_s),
           [&w] { w.setPresentation(!w.theme().presentation()); },
           {},
           true});
    addLookActions(w);
    a.add({u"view.reset"_s, view, QObject::tr("Reset layout"), {}, [&w] { w.resetLayout(); }, {}, false, true});
}

void addToolsAndHelp(MainWindow& w)
{
    Actions& a = w.actions();
    const QString tools = QObject::tr("Tools"), help = QObject::tr("Help");
    a.add({u"tools.palette"_s, tools, QObject::tr("Search commands…"), QKeySequence(u"Ctrl+K"_s), [&w] { openPalette(w); }, Icon::search});
    a.add({u"tools.goal"_s, tools, QObject::tr("Set a goal for p95"), QKeySequence(u"Ctrl+G"_s), [&w] {
               auto* moves = qobject_cast<MovesPage*>(w.pages().page(u"moves"_s));
               w.pages().showPage(moves->id());
               moves->goalField().setFocus(Qt::ShortcutFocusReason);
           }});
    a.add({u"tools.recompute"_s, tools, QObject::tr("Compute again"), QKeySequence(u"Ctrl+R"_s), [&w] { w.workspace().recompute(); },
           Icon::play});
    for (const int samples : {500, 2'000, 10'000})
        a.add({u"tools.samples.%1"_s.arg(samples),
               tools,
               QObject::tr("Sample %1 steps").arg(samples),
               {},
               [&w, samples] {
                   w.workspace().bridge().setSamples(samples);
                   w.workspace().recompute();
               },
               {},
               false,
               samples == 2'000});
    for (const int permille : {10, 2, 1})
        a.add({u"tools.precision.%1"_s.arg(permille),
               tools,
               QObject::tr("Sample until p95 is within ± %1 %").arg(format::number(0.1 * permille, 2)),
               {},
               [&w, permille] {
                   w.workspace().bridge().setPrecision(1e-3 * permille);
                   w.workspace().recompute();
               }});
    a.add({u"help.page"_s, help, QObject::tr("Help for this page"), QKeySequence(u"F1"_s),
           [&w] { // of the metric under the pointer, else of the page
               const QString metric = w.headline().metricAt(w.headline().mapFromGlobal(QCursor::pos()));
               const QString page = w.pages().current() ? w.pages().current()->id() : QString();
               showHelp(metric.isEmpty() ? page : u"figure:"_s + metric, w.theme(), &w);
           }});
    a.add({u"help.parameters"_s, help, QObject::tr("Parameters"), {}, [&w] { showHelp(u"parameters"_s, w.theme(), &w); }});
    a.add({u"help.keys"_s, help, QObject::tr("Keys"), QKeySequence(u"?"_s), [&w] { showKeys(w.actions(), w.theme(), &w); }});
    a.add({u"help.tour"_s, help, QObject::tr("Tour"), {}, [&w] { startTour(w); }});
    a.add({u"help.log"_s,
           help,
           QObject::tr("Show log"),
           {},
           [] { QDesktopServices::openUrl(QUrl::fromLocalFile(applicationLogPath())); },
           {},
           false,
           true});
    a.add({u"help.diagnostics"_s, help, QObject::tr("Copy diagnostic information"), {}, [] {
               QGuiApplication::clipboard()->setText(diagnosticInformation());
           }});
    a.add({u"help.about"_s, help, QObject::tr("About"), {}, [&w] { showAbout(w.theme(), &w); }, {}, false, true});
}

} // namespace

QString untitledStudyPath(int number)
{
    return QStandardPaths::writableLocation(QStandardPaths::AppDataLocation)
           + (number == 1 ? u"/untitled.prism"_s : u"/untitled-%1.prism"_s.arg(number));
}

void addMainActions(MainWindow& w)
{
    addFileActions(w);
    addEditActions(w);
    addScenarioActions(w);
    addViewActions(w);
    addToolsAndHelp(w);
    // The row next to the command search: undo and redo, with their texts in the tool tips.
    auto* row = static_cast<QHBoxLayout*>(w.m_menuRow->layout());
    int at = 2;
    for (const char* id : {"edit.undo", "edit.redo"}) {
        auto* button = new QToolButton;
        button->setDefaultAction(w.m_actions->get(QString::fromLatin1(id)));
        button->setToolButtonStyle(Qt::ToolButtonIconOnly);
        button->setIconSize(QSize(w.m_theme.px(16), w.m_theme.px(16)));
        button->setAccessibleName(QString::fromLatin1(id) == u"edit.undo" ? QObject::tr("Undo") : QObject::tr("Redo"));
        row->insertWidget(at++, button);
    }
    QObject::connect(w.m_search, &QPushButton::clicked, &w, [&w] { openPalette(w); });
    QObject::connect(w.m_editor, &ConfigEditor::differencesRequested, &w, [&w] { showDifferences(w.workspace(), w.theme(), &w); });
    for (Page* page : w.pages().pages())
        QObject::connect(page, &Page::markRequested, &w,
                         [&w](double seconds) { (new MarksDialog(w.workspace(), w.theme(), seconds, &w))->open(); });
    auto* recent = new QMenu(&w);
    w.m_actions->get(u"file.recent"_s)->setMenu(recent);
    QObject::connect(recent, &QMenu::aboutToShow, &w,
                     [&w, recent] { fillRecent(*recent, [&w](const QString& path) { w.openStudy(path); }); });
}

void MainWindow::remember(const QString& path)
{
    if (path.isEmpty())
        return;
    QSettings().setValue(u"session/study"_s, path);
    rememberRecent(path);
}

void MainWindow::saveStudyAs()
{
    const QString path = QFileDialog::getSaveFileName(this, tr("Save study"), documents() + u"/study.prism"_s, tr("Study (*.prism)"));
    if (!path.isEmpty())
        saveStudyAs(path.endsWith(u".prism") ? path : path + u".prism"_s);
}

void MainWindow::openDropped(const QString& path)
{
    if (path.endsWith(u".prism", Qt::CaseInsensitive)) {
        openStudy(path);
        return;
    }
    if (openTrace(*this, path))
        return;
    const Result<QByteArray> read = contentOf(path);
    if (!read.ok()) {
        showBanner(tr("%1 was not read: %2").arg(QFileInfo(path).fileName(), QString::fromStdString(read.errors().front().message)),
                   u"error"_s);
        return;
    }
    const QByteArray& content = *read;
    if (const std::optional<ExportMetadata> metadata = metadataIn(path, content)) {
        openExported(*this, *metadata, QFileInfo(path).fileName());
        return;
    }
    if (openStepLog(*this, path, content))
        return;
    const ScenarioEntry* current = m_workspace->study().current();
    showImport(*m_workspace, m_theme, previewImport(path, content, current ? *current->scenario : Scenario()), path, this);
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event)
{
    if (event->mimeData()->hasUrls())
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event)
{
    for (const QUrl& url : event->mimeData()->urls())
        if (url.isLocalFile())
            openDropped(url.toLocalFile());
    event->acceptProposedAction();
}

} // namespace prism::ui
