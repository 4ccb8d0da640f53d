// SPDX-License-Identifier: GPL-3.0-or-later
// The window: composes menu row, headline, dock, pages and job bar; its commands are in mainactions.cpp.
#pragma once

#include "ui/bridge/insightrunner.h"
#include "ui/workspace/changescache.h"
#include "ui/model/studyfile.h"
#include "ui/workspace/workspace.h"
#include "ui/theme/theme.h"

#include <QMainWindow>
#include <QTimer>

class QFrame;
class QLabel;
class QMenuBar;
class QPushButton;
class QSplitter;
class QToolButton;

namespace prism::ui {

class Actions;
class ConfigEditor;
class HeadlineStrip;
class JobBar;
class Page;
class PageHost;
class ScenarioPanel;

/// GUI thread only.
class MainWindow final : public QMainWindow {
    Q_OBJECT
public:
    explicit MainWindow(Theme& theme, QWidget* parent = nullptr);
    ~MainWindow() override;

    // change it
    /// This study, else that of the last session, else a new sample study; a banner names each one that could not be opened.
    void startSession(const QString& requested = {});
    void openSample(); ///< in a new file; no other study without a name is replaced
    /// False: nothing changed, and a banner gives the reason. A damaged file is salvaged in the background, and shown when that is done.
    bool openStudy(const QString& path, StudyAccess access = StudyAccess::readWrite);
    void openDropped(const QString& path); ///< study, scenario, HF config, Megatron arguments, speed table, picture
    void stepStored(bool back);            ///< undo or redo of edits that an earlier session stored
    void saveNow();                        ///< every edit is stored anyway: confirms it, or asks for a name where the study has none
    void saveStudyAs();
    bool saveStudyAs(const QString& path);
    void resetLayout();
    void offerTour(); ///< a note that leads to the tour; nothing modal
    void setPresentation(bool on);
    void showBanner(const QString& text, const QString& kind = QStringLiteral("warning"));

    // look at it
    [[nodiscard]] Workspace& workspace() { return *m_workspace; }
    [[nodiscard]] Theme& theme() { return m_theme; }
    [[nodiscard]] PageHost& pages() { return *m_pages; }
    [[nodiscard]] ConfigEditor& editor() { return *m_editor; }
    [[nodiscard]] ScenarioPanel& scenarios() { return *m_scenarios; }
    [[nodiscard]] HeadlineStrip& headline() { return *m_headline; }
    [[nodiscard]] JobBar& jobs() { return *m_jobs; }
    [[nodiscard]] Actions& actions() { return *m_actions; }
    [[nodiscard]] StudyFile& file() { return *m_file; }
    [[nodiscard]] QWidget& dock() { return *m_dock; }
    [[nodiscard]] QString bannerText() const; ///< empty: no message is shown
    [[nodiscard]] bool isSalvaging() const { return !m_salvaged.isEmpty(); }

protected:
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void buildMenuRow();
    void buildBanner();
    void buildSplitter();
    void connectParts();
    void continueStart(bool isShown);                        ///< with the next of the studies to start with, unless one is shown
    bool adopt(Result<ReadStudy> read, const QString& path); ///< as openStudy
    void salvage(const QString& path);
    void finishSalvage(Result<ReadStudy> read); ///< shows it, or why not
    void endSalvage();                          ///< stops what is under way
    void followReadOnly();                      ///< by the content of the file
    [[nodiscard]] bool mayLeave();              ///< the study on screen: every edit is on disk, or the user was warned and insists
    void restoreView(const QJsonObject& view);
    [[nodiscard]] QJsonObject viewState() const;
    void scheduleSave();
    void remember(const QString& path);
    [[nodiscard]] QString studyName() const;
    void nameStudy(); ///< in the menu row, with room for every state of its file
    void updateTitle();
    void arrangeLayout(); ///< dock and sizes as they are at first, at the present scale
    void updateChrome();
    void fitMenuRow(); ///< the command search gives way to menus and the study's name
    void followScale();
    friend void addMainActions(MainWindow& window);

    Theme& m_theme;
    Workspace* m_workspace;
    StudyFile* m_file;
    ChangesCache m_cache;
    Actions* m_actions;
    QWidget* m_menuRow;
    QMenuBar* m_menus;
    QPushButton* m_search;
    QLabel *m_studyName, *m_bannerText;
    QFrame* m_banner;
    HeadlineStrip* m_headline;
    QSplitter* m_splitter;
    QWidget* m_dock;
    ScenarioPanel* m_scenarios;
    ConfigEditor* m_editor;
    PageHost* m_pages;
    JobBar* m_jobs;
    QTimer m_viewTimer;
    InsightRunner m_salvages;                 ///< on a separate thread: the answers of the pages do not wait for it
    QString m_salvaged;                       ///< the damaged file that is being read; empty = none
    QStringList m_startPaths, m_startBanners; ///< of the start of the session
    bool m_isStarting = false;
    bool m_bannerIsOfDisk = false;     ///< it warns that edits are not on disk
    bool m_warnedOfLeaving = false;    ///< ... and that they are lost with the next attempt to leave the study
    double m_scale = 1;                ///< of the interface, that the layouts follow
    double m_dockWidth = metric::dock; ///< at scale 1, as the user wants it
};

/// Fills the window's table of actions.
void addMainActions(MainWindow& window);
/// The pages of the centre in their order.
[[nodiscard]] QList<Page*> makePages(const Theme& theme, ChangesCache& cache);
/// Where studies without a name are kept, each under a number.
[[nodiscard]] QString untitledStudyPath(int number = 1);

} // namespace prism::ui
