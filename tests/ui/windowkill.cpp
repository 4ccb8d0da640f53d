// SPDX-License-Identifier: GPL-3.0-or-later
// kill -9 of a window that edits, saves, imports, opens and closes. PRISM_KILLS sets how often: 50, and 1,000 in the slow suite;
// PRISM_FIRST_KILL the seed of the first one.
#include "tests/ui/studies.h"
#include "ui/editor/configeditor.h"
#include "ui/theme/theme.h"
#include "ui/window/importdialog.h"
#include "ui/window/mainwindow.h"

#include <QApplication>
#include <QDir>
#include <QFile>
#include <QPushButton>
#include <QSettings>
#include <QStandardPaths>
#include <QTemporaryDir>

#include <csignal>
#include <map>
#include <random>
#include <sstream>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui::test {

namespace {

const QString kImport = u"/import/job.json"_s;
constexpr const char* kParameter = "training.train_tokens"; // takes the number of the edit

/// The child: works until it is killed, and writes a line for everything that was acknowledged to the user.
class Worker {
public:
    Worker(Theme& theme, const QString& home, unsigned seed, int pipe)
        : m_theme(theme),
          m_home(home),
          m_random(seed),
          m_edit(static_cast<int>(seed) * 1000),
          m_pipe(pipe)
    {
    }
    [[noreturn]] void run()
    {
        for (;;) { // a window that was closed is opened again, as by the next start
            MainWindow window(m_theme);
            window.workspace().bridge().setSamples(kMinSamples);
            window.startSession();
            acknowledge("start", window);
            if (pick(8) == 0)
                window.show();
            for (bool open = true; open;)
                open = act(window);
        }
    }

private:
    int pick(int n) { return static_cast<int>(m_random() % static_cast<unsigned>(n)); }
    void acknowledge(const char* what, MainWindow& window)
    {
        const StudyModel& study = window.workspace().study();
        std::ostringstream line;
        line << what << ' ' << window.file().path().toStdString() << ' ' << m_edit << ' ' << study.state().entries.size() << '\n';
        const std::string text = line.str();
        if (write(m_pipe, text.data(), text.size()) < 0)
            _exit(3);
    }
    void edit(MainWindow& window)
    {
        StudyModel& study = window.workspace().study();
        study.endMerge();
        if (!study.setParameter(study.state().entries.front().id, kParameter, std::to_string(++m_edit)).empty())
            _exit(4);
    }
    void flush(MainWindow& window)
    {
        if (!window.file().flush())
            _exit(5);
        acknowledge("saved", window);
    }
    /// By the dialog of a file that is dropped on the window.
    void import(MainWindow& window)
    {
        const std::size_t before = window.workspace().study().state().entries.size();
        window.openDropped(m_home + kImport);
        auto* dialog = window.findChild<ImportDialog*>();
        if (!dialog)
            _exit(9);
        dialog->findChild<QPushButton*>(u"importAccept"_s)->click();
        delete dialog;
        if (window.workspace().study().state().entries.size() != before + 1)
            _exit(9);
    }
    bool act(MainWindow& window)
    {
        const QString path = m_home + u"/s%1.prism"_s.arg(pick(4));
        StudyModel& study = window.workspace().study();
        edit(window); // so that each file only ever gets a larger number
        switch (pick(16)) {
        case 0:
            if (!window.saveStudyAs(path))
                _exit(6);
            flush(window);
            break;
        case 1:
            import(window);
            flush(window);
            break;
        case 2:
            flush(window);
            if (QFile::exists(path) && !window.openStudy(path))
                _exit(7);
            break;
        case 3:
            flush(window);
            if (pick(4) == 0)
                window.openSample();
            break;
        case 4:
            study.undoStack()->undo();
            study.undoStack()->redo();
            flush(window);
            break;
        case 5:
            if (!window.close())
                _exit(8);
            acknowledge("saved", window);
            return false;
        case 6:
            QApplication::processEvents(QEventLoop::AllEvents, 5);
            break;
        default:
            flush(window);
            break;
        }
        return true;
    }

    Theme& m_theme;
    QString m_home;
    std::mt19937 m_random;
    int m_edit, m_pipe;
};

struct Stored {
    int edit = 0;
    std::size_t scenarios = 0;
};

class WindowKill : public testing::Test {
protected:
    WindowKill()
    {
        qputenv("XDG_DATA_HOME", home.filePath(u"data"_s).toLocal8Bit());
        qputenv("XDG_STATE_HOME", home.filePath(u"state"_s).toLocal8Bit());
        QStandardPaths::setTestModeEnabled(false); // its folders are of the temporary home
        QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, home.filePath(u"config"_s));
        const QString first = home.filePath(u"s0.prism"_s);
        const std::string json = toJson(smallScenario("base")); // computed at once, unlike the sample study
        EXPECT_TRUE(Study::create(first.toStdString())->addScenario("base", json).ok());
        QSettings().setValue(u"session/study"_s, first);
        QDir(home.path()).mkdir(u"import"_s);
        QFile job(home.path() + kImport);
        EXPECT_TRUE(job.open(QIODevice::WriteOnly) && job.write(QByteArray::fromStdString(toJson(smallScenario("import")))) > 0);
        theme.applyTo(*qApp);
        const MainWindow warm(theme); // fonts, styles and presets are read once, not by each child
    }
    ~WindowKill() override { QStandardPaths::setTestModeEnabled(true); }

    /// One window; what it acknowledged goes into `acknowledged`, also what was under way. False: it ended by itself.
    bool kill(unsigned seed)
    {
        int ends[2];
        if (pipe(ends) != 0)
            return false;
        const pid_t child = fork();
        if (child == 0) {
            close(ends[0]);
            Worker(theme, home.path(), seed, ends[1]).run();
        }
        close(ends[1]);
        FILE* lines = fdopen(ends[0], "r");
        const bool atAnyTime = random() % 4 == 0; // in the start too
        if (atAnyTime)
            usleep(static_cast<useconds_t>(random() % 200'000));
        else
            for (unsigned requested = 1 + random() % 10, seen = 0; seen < requested && read(lines); ++seen) {
            }
        usleep(static_cast<useconds_t>(random() % 3000));
        ::kill(child, SIGKILL);
        int status = 0;
        waitpid(child, &status, 0);
        while (read(lines)) {
        }
        fclose(lines);
        EXPECT_TRUE(WIFSIGNALED(status)) << "the window ended by itself, exit code " << WEXITSTATUS(status);
        return WIFSIGNALED(status);
    }
    bool read(FILE* lines)
    {
        char what[8] = {}, path[4096] = {};
        Stored stored;
        if (fscanf(lines, "%7s %4095s %d %zu\n", what, path, &stored.edit, &stored.scenarios) != 4)
            return false;
        if (what[1] == 'a')
            acknowledged[path] = acknowledgedLast[path] = stored;
        ++lineCount;
        return true;
    }
    /// Each acknowledged file can be read and has what was acknowledged, or a later edit that was under way.
    void expectNothingLost(const std::map<std::string, Stored>& files)
    {
        for (const auto& [path, stored] : files) {
            const Result<ReadStudy> file = readStudy(QString::fromStdString(path));
            ASSERT_TRUE(file.ok()) << path << ": " << file.errors().front().message;
            EXPECT_TRUE(file->content.readOnlyReason.isEmpty()) << file->content.readOnlyReason.toStdString();
            const std::vector<ScenarioEntry>& entries = file->content.state.entries;
            const auto edit = static_cast<int>(entries.front().scenario->training.trainTokens);
            EXPECT_GE(edit, stored.edit) << path << " lost an edit";
            EXPECT_TRUE(edit > stored.edit || entries.size() == stored.scenarios) << path << " lost an import";
        }
    }
    /// After the start that follows, and once each study was opened.
    void expectNothingLeft()
    {
        { // the next start
            MainWindow window(theme);
            window.startSession();
            EXPECT_TRUE(window.close());
        }
        QStringList left;
        for (const QString& name : QStringList{QString(), u"config"_s, u"data"_s, u"state/prism-explorer/backups"_s})
            for (const QFileInfo& file : QDir(home.filePath(name)).entryInfoList(QDir::Files | QDir::Hidden))
                left << file.fileName();
        const QFileInfo untitled(untitledStudyPath());
        left << untitled.dir().entryList(QDir::Files | QDir::Hidden)
             << QFileInfo(QSettings().fileName()).dir().entryList(QDir::Files | QDir::Hidden);
        left.removeIf([](const QString& name) { return (name.endsWith(u".prism") && !name.startsWith(u'.')) || name.endsWith(u".conf"); });
        EXPECT_TRUE(left.isEmpty()) << left.join(u' ').toStdString();
    }

    QTemporaryDir home;
    Theme theme;
    std::mt19937 random{1};
    std::map<std::string, Stored> acknowledged, acknowledgedLast; ///< by all windows, by the last one
    int lineCount = 0;
};

TEST_F(WindowKill, LosesNoAcknowledgedEditAndLeavesNothingBehind)
{
    ASSERT_EQ(QDir(u"/proc/self/task"_s).entryList(QDir::Dirs | QDir::NoDotAndDotDot).size(), 1) << "a thread does not survive fork";
    const int kills = std::max(1, qEnvironmentVariable("PRISM_KILLS", u"50"_s).toInt());
    const int first = std::max(1, qEnvironmentVariable("PRISM_FIRST_KILL", u"1"_s).toInt());
    for (int i = first; i < first + kills && !HasFailure(); ++i) {
        SCOPED_TRACE(i);
        ASSERT_TRUE(kill(static_cast<unsigned>(i)));
        expectNothingLost(acknowledgedLast);
        acknowledgedLast.clear();
    }
    expectNothingLost(acknowledged);
    EXPECT_GT(lineCount, kills) << "windows were killed at work";
    expectNothingLeft();
    rusage used{};
    getrusage(RUSAGE_CHILDREN, &used);
    RecordProperty("acknowledged", lineCount);
    RecordProperty("cpu_seconds_of_windows", static_cast<int>(used.ru_utime.tv_sec + used.ru_stime.tv_sec));
}

} // namespace

} // namespace prism::ui::test
