// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/mainwindow.h"

#include "ui/editor/configeditor.h"
#include "ui/model/samplestudy.h"
#include "ui/pages/page.h"
#include "ui/theme/icons.h"
#include "ui/theme/rescale.h"
#include "ui/window/actions.h"
#include "ui/window/dialogs.h"
#include "ui/window/headlinestrip.h"
#include "ui/window/jobbar.h"
#include "ui/window/leads.h"
#include "ui/window/pagehost.h"
#include "ui/window/scenariopanel.h"
#include "ui/theme/plaintext.h"
#include "ui/theme/barelayout.h"

#include <QCloseEvent>
#include <QDir>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QJsonDocument>
#include <QLabel>
#include <QLineEdit>
#include <QLockFile>
#include <QMenuBar>
#include <QPushButton>
#include <QSettings>
#include <QSplitter>
#include <QToolButton>

using namespace Qt::Literals::StringLiterals;

/// A static library's resources are linked only when requested; outside of any namespace, as Qt requires.
static void initResources()
{
    Q_INIT_RESOURCE(app);
}

namespace prism::ui {

namespace {

constexpr int kViewSaveMs = 1000;                       // a crash has no closeEvent: the view is kept on a timer too
constexpr int kWindowWidth = 1024, kWindowHeight = 700; // a projector of 1024 x 768 with its bars
constexpr int kMaxUntitled = 10'000;                    // files of studies without a name
constexpr double kSearchWidth = 296, kStudyName = 240;  // at scale 1; of the command search, and at most of the study's name

bool isUntitled(const QString& path)
{
    const QFileInfo file(path), first(untitledStudyPath());
    return file.path() == first.path() && file.fileName().startsWith(first.completeBaseName());
}

} // namespace

MainWindow::MainWindow(Theme& theme, QWidget* parent)
    : QMainWindow(parent),
      m_theme(theme),
      m_workspace(new Workspace(this)),
      m_file(new StudyFile(this))
{
    initResources();
    setObjectName(u"mainWindow"_s);
    setAcceptDrops(true);
    setContextMenuPolicy(Qt::NoContextMenu);
    m_actions = new Actions(this, theme);
    auto* central = new QWidget;
    auto* layout = bareLayout<QVBoxLayout>(central, 0);
    buildMenuRow();
    buildBanner();
    m_headline = new HeadlineStrip(*m_workspace, m_cache, theme);
    buildSplitter();
    m_jobs = new JobBar(*m_workspace, theme);
    m_jobs->setPageState([this] { return m_pages->current() ? m_pages->current()->state() : PageState::empty; });
    for (QWidget* part : {m_menuRow, static_cast<QWidget*>(m_banner), static_cast<QWidget*>(m_headline)})
        layout->addWidget(part);
    layout->addWidget(m_splitter, 1);
    layout->addWidget(m_jobs);
    setCentralWidget(central);
    addMainActions(*this);
    m_actions->fill(*m_menus);
    central->setFocus(); // nothing is being edited at the start
    connectParts();
    connectLeads(pages(), headline(), editor());
    for (QLineEdit* field : findChildren<QLineEdit*>())
        field->setAcceptDrops(false); // a file that is dropped on a field is the window's
    m_scale = theme.look().scale();
    arrangeLayout();
}

void MainWindow::buildBanner()
{
    m_banner = new QFrame;
    m_banner->setObjectName(u"banner"_s);
    auto* banner = new QHBoxLayout(m_banner);
    banner->setContentsMargins(m_theme.px(16), m_theme.px(6), m_theme.px(8), m_theme.px(6));
    m_bannerText = plainLabel();
    m_bannerText->setWordWrap(true);
    auto* dismiss = new QToolButton;
    dismiss->setIcon(icon(Icon::cross, m_theme.look(), Role::textSecondary));
    dismiss->setAccessibleName(tr("Dismiss the message"));
    connect(dismiss, &QToolButton::clicked, m_banner, &QWidget::hide);
    banner->addWidget(m_bannerText, 1);
    banner->addWidget(dismiss);
    m_banner->hide();
}

void MainWindow::buildSplitter()
{
    m_splitter = new QSplitter;
    m_splitter->setObjectName(u"mainSplitter"_s);
    m_splitter->setHandleWidth(1);
    m_splitter->setChildrenCollapsible(false);
    m_dock = new QWidget;
    m_dock->setObjectName(u"dock"_s);
    auto* dock = bareLayout<QVBoxLayout>(m_dock, 0);
    m_scenarios = new ScenarioPanel(*m_workspace, m_cache, m_theme);
    m_editor = new ConfigEditor(*m_workspace, m_theme);
    dock->addWidget(m_scenarios);
    dock->addWidget(m_editor, 1);
    m_pages = new PageHost(*m_workspace, m_theme);
    for (Page* page : makePages(m_theme, m_cache))
        m_pages->addPage(page);
    m_splitter->addWidget(m_dock);
    m_splitter->addWidget(m_pages);
    m_splitter->setStretchFactor(1, 1);
}

void MainWindow::connectParts()
{
    m_viewTimer.setSingleShot(true);
    m_viewTimer.setInterval(kViewSaveMs);
    connect(&m_viewTimer, &QTimer::timeout, this, [this] {
        QSettings().setValue(u"window/geometry"_s, saveGeometry());
        m_file->save(m_workspace->study().state(), m_workspace->study().currentId(), viewState());
    });
    connect(&m_workspace->study(), &StudyModel::changed, this, &MainWindow::scheduleSave);
    connect(&m_workspace->study(), &StudyModel::currentChanged, &m_viewTimer, qOverload<>(&QTimer::start));
    connect(&m_workspace->selection(), &Selection::changed, &m_viewTimer, qOverload<>(&QTimer::start));
    connect(m_pages, &PageHost::currentChanged, &m_viewTimer, qOverload<>(&QTimer::start));
    connect(m_pages, &PageHost::currentChanged, m_jobs, &JobBar::refresh);
    connect(m_pages, &PageHost::answerChanged, m_headline, [this] { m_headline->setPage(m_pages->current()); });
    connect(m_pages, &PageHost::message, m_jobs, &JobBar::showMessage);
    connect(&m_workspace->study(), &StudyModel::refused, m_jobs,
            [this] { m_jobs->showMessage(tr("Nothing was changed: this study is read-only. File, Save as makes a copy to edit.")); });
    connect(m_jobs, &JobBar::fileJobCancelled, this,
            [this] { finishSalvage(Diagnostic{.message = tr("its salvage was cancelled.").toStdString()}); });
    connect(m_jobs, &JobBar::problemClicked, this, [this] {
        m_dock->show();
        m_editor->revealProblem();
    });
    const auto showMetric = [this](const QString& key) { showHelp(u"figure:"_s + key, m_theme, this); };
    connect(m_headline, &HeadlineStrip::metricRequested, this, showMetric);
    connect(m_scenarios, &ScenarioPanel::metricRequested, this, showMetric);
    for (Page* page : m_pages->pages())
        connect(page, &Page::metricRequested, this, showMetric);
    for (Page* page : m_pages->pages())
        connect(page, &Page::parameterRequested, this, [this](const QString& parameter) {
            if (m_dock->isVisible()) // in presentation mode there is nothing to edit
                m_editor->reveal(parameter);
        });
    connect(m_splitter, &QSplitter::splitterMoved, this, [this](int position) {
        m_dockWidth = position / m_theme.look().scale();
        updateChrome();
        m_viewTimer.start();
    });
    connect(m_file, &StudyFile::savedChanged, this, &MainWindow::updateTitle);
    connect(&m_theme, &Theme::changed, this, [this] {
        followScale();
        nameStudy();
        updateChrome();
    });
}

MainWindow::~MainWindow()
{
    delete takeCentralWidget();
} // views before what they look at

void MainWindow::buildMenuRow()
{
    m_menuRow = new QWidget;
    m_menuRow->setObjectName(u"menuRow"_s);
    auto* row = new QHBoxLayout(m_menuRow);
    row->setContentsMargins(m_theme.px(6), 0, m_theme.px(16), 0);
    row->setSpacing(m_theme.px(8));
    m_menus = new QMenuBar;
    m_menus->setNativeMenuBar(false);
    m_menus->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    m_search = new QPushButton(tr("Search commands"));
    m_search->setObjectName(u"commandSearch"_s);
    m_search->setFocusPolicy(Qt::TabFocus);
    auto* keys = new QHBoxLayout(m_search);
    keys->setContentsMargins(0, 0, m_theme.px(10), 0);
    auto* key = plainLabel(u"Ctrl+K"_s, u"tertiary"_s, u"tick"_s);
    key->setAttribute(Qt::WA_TransparentForMouseEvents);
    keys->addWidget(key, 0, Qt::AlignRight);
    m_search->setAccessibleName(tr("Search commands"));
    row->addWidget(m_menus);
    row->addWidget(m_search);
    m_studyName = plainLabel({}, u"secondary"_s);
    m_studyName->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    row->addStretch(1);
    row->addWidget(m_studyName);
}

void MainWindow::followScale()
{
    const double scale = m_theme.look().scale();
    if (scale == m_scale)
        return;
    rescale(*this, m_scale, scale);
    m_scale = scale;
    QTimer::singleShot(0, this, [this] { // when the parts know their new smallest sizes
        m_splitter->setSizes({m_theme.px(m_dockWidth), std::max(400, width() - m_theme.px(m_dockWidth))});
        updateChrome();
    });
}

void MainWindow::updateChrome()
{
    m_menuRow->setFixedHeight(m_theme.px(metric::menuRow));
    m_search->setStyleSheet(u"QPushButton { text-align: left; color: %1; background: %2 }"_s.arg(m_theme.color(Role::textSecondary).name(),
                                                                                                 m_theme.color(Role::field).name()));
    m_dock->setMinimumWidth(m_theme.px(metric::dockMinimum));
    fitMenuRow();
}

void MainWindow::fitMenuRow()
{
    const QLayout& row = *m_menuRow->layout();
    const QMargins around = row.contentsMargins();
    int rest = around.left() + around.right() + row.spacing() * (row.count() - 1);
    for (int i = 0; i < row.count(); ++i)
        if (const QWidget* part = row.itemAt(i)->widget(); part && part != m_menus && part != m_search)
            rest += part->sizeHint().expandedTo(part->minimumSize()).width();
    const QFontMetrics metrics(m_theme.font(Type::body));
    QWidget* keys = m_search->layout()->itemAt(0)->widget();
    const QString whole = tr("Search commands"), reduced = tr("Search");
    const int pad = m_theme.px(24), keysRoom = keys->sizeHint().width() + m_theme.px(16);
    const int smallest = metrics.horizontalAdvance(reduced) + pad, requested = m_theme.px(kSearchWidth);
    const int menus = std::max(m_menus->sizeHint().width(), std::min(m_theme.px(metric::dock) - m_theme.px(6), width() - rest - requested));
    const int search = std::clamp(width() - rest - menus, smallest, requested);
    m_menus->setFixedWidth(menus);
    m_search->setFixedSize(search, m_theme.px(metric::button));
    const bool hasWhole = metrics.horizontalAdvance(whole) + pad <= search;
    m_search->setText(hasWhole ? whole : reduced);
    keys->setVisible(metrics.horizontalAdvance(whole) + pad + keysRoom <= search);
}

void MainWindow::resetLayout()
{
    if (m_theme.presentation())
        setPresentation(false);
    m_theme.setUiScale(1);
    arrangeLayout();
}

void MainWindow::arrangeLayout()
{
    m_dock->show();
    if (QAction* action = m_actions->get(u"view.dock"_s))
        action->setChecked(true);
    m_dockWidth = metric::dock;
    m_splitter->setSizes({m_theme.px(metric::dock), std::max(400, width() - m_theme.px(metric::dock))});
    setMinimumSize(kWindowWidth, kWindowHeight);
    updateChrome();
}

void MainWindow::setPresentation(bool on)
{
    m_theme.setRoom(size());
    m_theme.setPresentation(on);
    followReadOnly();
    m_dock->setVisible(!on);
    m_menuRow->setVisible(!on);
    m_jobs->setVisible(!on); // charts show themselves what is being computed
    if (QAction* action = m_actions->get(u"view.presentation"_s))
        action->setChecked(on);
    updateChrome();
}

void MainWindow::followReadOnly()
{
    const bool isAwaited = m_file->status() == FileStatus::salvaging; // what is edited now would not be in the study
    m_theme.setEditable(!m_file->isReadOnly() && !isAwaited);
    m_workspace->study().setReadOnly(!m_theme.isEditable()); // also in presentation mode
}

void MainWindow::showBanner(const QString& text, const QString& kind)
{
    restyle(m_banner, "message", kind);
    m_bannerText->setText(text);
    m_banner->setAccessibleName(text);
    m_banner->setVisible(!text.isEmpty());
    m_bannerIsOfDisk = m_warnedOfLeaving = false;
}

QString MainWindow::bannerText() const
{
    return m_banner->isHidden() ? QString() : m_bannerText->text();
}

void MainWindow::offerTour()
{
    if (!bannerText().isEmpty())
        return;
    showBanner(tr("This is a computed sample study. Change any value at the left; Help, Tour shows the parts of the window; Ctrl+K finds "
                  "every command."),
               u"note"_s);
}

/// A process that was killed while it stored settings leaves NAME.lock and a temporary file NAME.XXXXXX.
static void removeLeftovers(const QSettings& settings)
{
    const QFileInfo file(settings.fileName());
    QLockFile lock(file.filePath() + u".lock"_s); // that of QSettings: if it is free, no process is storing now
    if (lock.tryLock(0))
        for (const QString& name : file.dir().entryList({file.fileName() + u".??????"_s}, QDir::Files | QDir::Hidden))
            QFile::remove(file.dir().filePath(name));
}

void MainWindow::startSession(const QString& requested)
{
    const QSettings settings;
    removeLeftovers(settings);
    restoreGeometry(settings.value(u"window/geometry"_s).toByteArray());
    m_startPaths = {requested, settings.value(u"session/study"_s).toString()};
    m_startPaths.removeAll(QString());
    m_startPaths.removeDuplicates();
    continueStart(false);
}

void MainWindow::continueStart(bool isShown)
{
    while (!isShown && !m_startPaths.isEmpty()) {
        isShown = openStudy(m_startPaths.takeFirst());
        m_isStarting = isSalvaging();
        if (m_isStarting)
            return;
        m_startBanners << bannerText();
    }
    if (!isShown)
        openSample();
    if (!isShown && !m_startBanners.isEmpty())
        m_startBanners << tr("A new sample study is shown. If a study was moved or renamed, find it with File, Open.");
    m_startBanners.removeAll(QString());
    if (!m_startBanners.isEmpty())
        showBanner(m_startBanners.join(u' '));
    m_startBanners.clear();
}

void MainWindow::openSample()
{
    if (!mayLeave())
        return;
    endSalvage();
    showBanner({});
    const bool untouched = m_file->isSaved() && isUntitled(m_file->path()) && m_workspace->study().state() == sampleStudy();
    Diagnostics errors;
    QDir().mkpath(QFileInfo(untitledStudyPath()).path());
    for (int number = 1; !untouched && number <= kMaxUntitled; ++number) {
        errors = m_file->create(untitledStudyPath(number));
        const std::string problem = errors.empty() ? std::string() : errors.front().path;
        if (problem != study_problem::kExists && problem != study_problem::kInUse)
            break;
    }
    if (!errors.empty())
        m_file->showWithoutFile(errors);
    followReadOnly();
    m_workspace->open(sampleStudy(), 1);
    if (const QString missing = missingLibrary(); !missing.isEmpty())
        showBanner(missing);
    remember(m_file->path());
    scheduleSave();
    updateTitle();
}

bool MainWindow::openStudy(const QString& path, StudyAccess access)
{
    Result<ReadStudy> read = readStudy(path, access);
    if (!isDamaged(read))
        return adopt(std::move(read), path);
    if (mayLeave())
        salvage(path);
    return false;
}

bool MainWindow::adopt(Result<ReadStudy> read, const QString& path)
{
    if (read && !mayLeave())
        return false;
    const Result<OpenedStudy> opened = read ? m_file->adopt(std::move(read).value()) : Result<OpenedStudy>(read.errors());
    if (!opened) {
        showBanner(tr("%1 was not opened: %2").arg(path, QString::fromStdString(opened.errors().front().message)), u"error"_s);
        return false;
    }
    showBanner(opened->readOnlyReason.isEmpty() ? opened->notes.join(u' ')
                                                : tr("Read-only. %1 %2").arg(opened->readOnlyReason, opened->notes.join(u' ')));
    endSalvage();
    m_workspace->open(opened->state, opened->currentId);
    followReadOnly();
    restoreView(opened->view);
    remember(opened->path);
    updateTitle();
    return true;
}

void MainWindow::salvage(const QString& path)
{
    using Read = std::shared_ptr<Result<ReadStudy>>;
    const bool warned = m_warnedOfLeaving, isStarting = m_isStarting;
    endSalvage();
    m_isStarting = isStarting;
    m_salvaged = path;
    m_file->setSalvaging(true);
    followReadOnly();
    const QString name = QFileInfo(path).fileName();
    showBanner(tr("%1 is damaged. It is being salvaged, and what can be read is shown when that is done; Cancel at the bottom ends it.")
                   .arg(name));
    m_warnedOfLeaving = warned;
    m_jobs->setFileJob(tr("Salvaging %1").arg(name));
    m_salvages.run<Read>(
        this, u"salvage"_s, name,
        [path](const std::stop_token& stop, const JobProgress&) { return std::make_shared<Result<ReadStudy>>(salvageToRead(path, stop)); },
        [this](const std::shared_ptr<const Read>& read) { finishSalvage(std::move(**read)); });
}

void MainWindow::finishSalvage(Result<ReadStudy> read)
{
    const QString path = m_salvaged;
    const bool isStarting = m_isStarting;
    endSalvage();
    const bool isShown = adopt(std::move(read), path);
    if (!isStarting)
        return;
    m_startBanners << bannerText();
    continueStart(isShown);
}

void MainWindow::endSalvage()
{
    m_isStarting = false;
    m_salvages.cancelAll();
    m_salvaged.clear();
    m_file->setSalvaging(false);
    followReadOnly();
    m_jobs->setFileJob({});
}

void MainWindow::stepStored(bool back)
{
    m_editor->submitTyped();
    std::optional<OpenedStudy> content = m_file->stepStored(back);
    if (!content)
        return;
    if (!content->state.find(content->currentId))
        content->currentId = m_workspace->study().currentId();
    m_workspace->study().reset(std::move(content->state), content->currentId);
    m_jobs->showMessage(back ? tr("Undone: the edit before it, of an earlier session") : tr("Redone: an edit of an earlier session"));
}

void MainWindow::saveNow()
{
    m_editor->submitTyped();
    if (isUntitled(m_file->path()) || m_file->path().isEmpty())
        return saveStudyAs();
    scheduleSave();
    if (m_file->flush())
        m_jobs->showMessage(tr("Every edit is stored in %1").arg(QFileInfo(m_file->path()).fileName()));
}

bool MainWindow::saveStudyAs(const QString& path)
{
    m_editor->submitTyped();
    const Diagnostics found = m_file->saveAs(path, m_workspace->study().state(), m_workspace->study().currentId(), viewState());
    QStringList messages;
    for (const Diagnostic& d : found)
        messages << QString::fromStdString(d.message);
    if (hasErrors(found)) {
        showBanner(tr("%1 was not written: %2").arg(QFileInfo(path).fileName(), messages.join(u' ')), u"error"_s);
        return false;
    }
    followReadOnly();
    showBanner(messages.join(u' '));
    remember(m_file->path());
    updateTitle();
    return true;
}

QJsonObject MainWindow::viewState() const
{
    QJsonObject view, pages;
    for (Page* page : m_pages->pages())
        pages[page->id()] = page->saveState();
    view[u"pages"_s] = pages;
    view[u"page"_s] = m_pages->current() ? m_pages->current()->id() : QString();
    view[u"dockWidth"_s] = m_splitter->sizes().value(0);
    view[u"dockShown"_s] = m_dock->isVisibleTo(this) || m_theme.presentation();
    view[u"notes"_s] = m_scenarios->hasNotes();
    view[u"groups"_s] = m_editor->expandedGroups().join(u',');
    const Picked& picked = m_workspace->selection().picked();
    view[u"selection"_s] = QJsonObject{{u"class"_s, picked.kernelClass},
                                       {u"stage"_s, picked.stage},
                                       {u"replica"_s, picked.replica},
                                       {u"node"_s, picked.node},
                                       {u"scenario"_s, picked.scenario}};
    return view;
}

void MainWindow::restoreView(const QJsonObject& view)
{
    const QJsonObject pages = view[u"pages"_s].toObject();
    for (Page* page : m_pages->pages())
        if (pages.contains(page->id()))
            page->restoreState(pages[page->id()].toObject());
    m_pages->showPage(view[u"page"_s].toString());
    const int dock = view[u"dockWidth"_s].toInt();
    if (dock > 0) {
        m_splitter->setSizes({dock, std::max(400, width() - dock)});
        m_dockWidth = dock / m_theme.look().scale();
    }
    if (view.contains(u"dockShown"_s))
        m_dock->setVisible(view[u"dockShown"_s].toBool(true)); // what is neither is a damaged view
    if (QAction* action = m_actions->get(u"view.dock"_s))
        action->setChecked(m_dock->isVisibleTo(this));
    m_scenarios->setNotesShown(view[u"notes"_s].toBool());
    if (const QString groups = view[u"groups"_s].toString(); !groups.isEmpty())
        for (const QString& group : {u"model"_s, u"cluster"_s, u"parallelism"_s, u"training"_s, u"variability"_s, u"measured"_s})
            m_editor->setExpanded(group, groups.split(u',').contains(group));
    const QJsonObject s = view[u"selection"_s].toObject();
    if (!s.isEmpty())
        m_workspace->selection().set({s[u"class"_s].toString(), s[u"stage"_s].toInt(-1), s[u"replica"_s].toInt(-1), s[u"node"_s].toInt(-1),
                                      s[u"scenario"_s].toInt(-1)});
    updateChrome();
}

void MainWindow::scheduleSave()
{
    m_file->save(m_workspace->study().state(), m_workspace->study().currentId(), viewState());
}

QString MainWindow::studyName() const
{
    if (m_file->status() == FileStatus::salvaging)
        return QFileInfo(m_salvaged).fileName();
    return m_file->path().isEmpty() || isUntitled(m_file->path()) ? tr("Untitled study") : QFileInfo(m_file->path()).fileName();
}

void MainWindow::nameStudy()
{
    const QStringList states{tr("saved"),  tr("salvaging"), tr("not saved"), tr("saved"),
                             tr("saving"), tr("not saved"), tr("read-only")}; // by FileStatus
    const QString state = states[static_cast<int>(m_file->status())];
    const QFontMetrics metrics(m_theme.font(Type::body));
    const QString name = metrics.elidedText(studyName(), Qt::ElideMiddle, m_theme.px(kStudyName));
    int widest = 0; // the row next to it does not move at each save
    for (const QString& each : states)
        widest = std::max(widest, metrics.horizontalAdvance(u"%1, %2"_s.arg(name, each)));
    m_studyName->setMinimumWidth(widest + 1);
    m_studyName->setText(u"%1, %2"_s.arg(name, state));
    m_studyName->setToolTip(m_file->path());
    fitMenuRow();
}

void MainWindow::updateTitle()
{
    nameStudy();
    setWindowTitle(u"%1 – PRISM Explorer"_s.arg(studyName()));
    if (!isUnsaved(m_file->status())) {
        if (m_bannerIsOfDisk && m_file->status() != FileStatus::saving)
            showBanner({});
        return;
    }
    const bool warned = m_warnedOfLeaving;
    showBanner(tr("The last changes are on screen but not on disk: %1 Use File, Save as to keep them elsewhere.").arg(m_file->problem())
                   + (warned ? tr(" Close again or open again to leave without them.") : QString()),
               u"error"_s);
    m_bannerIsOfDisk = true;
    m_warnedOfLeaving = warned;
}

bool MainWindow::mayLeave()
{
    m_editor->submitTyped();
    scheduleSave();
    if (m_file->flush() || m_warnedOfLeaving)
        return true;
    m_warnedOfLeaving = true; // the second time is meant
    updateTitle();
    return false;
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    QSettings().setValue(u"window/geometry"_s, saveGeometry());
    if (!mayLeave()) {
        event->ignore();
        return;
    }
    m_workspace->insights().cancelAll();
    endSalvage();
    event->accept();
}

void MainWindow::showEvent(QShowEvent* event)
{
    QMainWindow::showEvent(event);
    QTimer::singleShot(0, this, &MainWindow::updateChrome); // the splitter knows its widths now
}

void MainWindow::resizeEvent(QResizeEvent* event)
{
    QMainWindow::resizeEvent(event);
    if (m_theme.presentation())
        m_theme.setRoom(size()); // others that look at the same theme do not present
    updateChrome();
    m_viewTimer.start();
}

} // namespace prism::ui
