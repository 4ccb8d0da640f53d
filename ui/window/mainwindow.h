// SPDX-License-Identifier: GPL-3.0-or-later
// The window: composes menu row, headline, dock, pages and job bar; its commands stand in mainactions.cpp.
#pragma once

#include "ui/workspace/changescache.h"
#include "ui/model/studyfile.h"
#include "ui/workspace/workspace.h"
#include "ui/theme/theme.h"

#include <QMainWindow>
#include <QTimer>

#include <memory>

class QFrame;
class QLabel;
class QLockFile;
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
    void startSession(); ///< the study of the last session, else the sample study
    void openSample();
    bool openStudy(const QString& path);   ///< false: nothing changed, and a banner says why
    void openDropped(const QString& path); ///< study, scenario, HF config, Megatron arguments, speed table, picture
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
    void adopt(const OpenedStudy& opened);
    void setStudyReadOnly(bool readOnly); ///< by what the file says
    void restoreView(const QJsonObject& view);
    [[nodiscard]] QJsonObject viewState() const;
    void scheduleSave();
    void remember(const QString& path);
    /// A file for a study without a name that no other window uses; the same one for the life of this window.
    [[nodiscard]] QString ownUntitledPath();
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
    std::unique_ptr<QLockFile> m_untitledLock;
    QString m_untitledPath;
    bool m_warnedOfClosing = false; ///< closing was refused once, because changes are not on disk
    bool m_bannerIsOfDisk = false;
    bool m_studyIsReadOnly = false, m_presents = false; ///< either keeps the study as it is
    double m_scale = 1;                                 ///< of the interface, that the layouts follow
    double m_dockWidth = metric::dock;                  ///< at scale 1, as the user wants it
};

/// Fills the window's table of actions.
void addMainActions(MainWindow& window);
/// The pages of the centre in their order.
[[nodiscard]] QList<Page*> makePages(const Theme& theme, ChangesCache& cache);
/// Where studies without a name of their own are kept: the first window's here, those of further ones beside it.
[[nodiscard]] QString untitledStudyPath(int number = 1);

} // namespace prism::ui
