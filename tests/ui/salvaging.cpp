// SPDX-License-Identifier: GPL-3.0-or-later
// A damaged study is salvaged in the background, from the file and from the backups that the window made.
#include "tests/ui/monkey_actions.h"
#include "ui/window/jobbar.h"

#include <QPushButton>

#include <sys/wait.h>
#include <unistd.h>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui::test {

class Salvaging : public WindowTest {
protected:
    /// A study that was edited in a window and closed; the batch size is 64.
    QString editedStudy()
    {
        auto window = smallWindow();
        type(*window, "training.global_batch_size", "64");
        EXPECT_TRUE(window->close());
        return window->file().path();
    }
    /// Every page but the first.
    static void damage(const QString& path)
    {
        QFile file(path);
        ASSERT_TRUE(file.open(QIODevice::ReadWrite) && file.seek(4096));
        file.write(QByteArray(file.size() - 4096, '\xa5'));
    }
    static void waitFor(MainWindow& window)
    {
        ASSERT_TRUE(QTest::qWaitFor([&window] { return !window.isSalvaging(); }, 60'000));
    }
    static double batchOf(MainWindow& window)
    {
        return static_cast<double>(window.workspace().study().entry(1)->scenario->training.globalBatchSize);
    }
    static QStringList backups() { return QDir(QString::fromStdString(studyBackupFolder())).entryList(QDir::Files | QDir::Hidden); }
    static bool hasChild()
    {
        siginfo_t info{};
        return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
    }
};

TEST_F(Salvaging, AtTheStartADamagedStudyOpensFromItsBackup)
{
    const QString path = editedStudy(), copy = folder.filePath(u"copy.prism"_s);
    damage(path);
    auto window = makeWindow();
    window->startSession();
    EXPECT_TRUE(window->isSalvaging());
    EXPECT_EQ(window->file().status(), FileStatus::salvaging);
    EXPECT_TRUE(window->windowTitle().startsWith(u"study.prism"_s)) << window->windowTitle().toStdString();
    EXPECT_TRUE(window->bannerText().contains(u"being salvaged"_s)) << window->bannerText().toStdString();
    waitFor(*window);
    ASSERT_EQ(window->workspace().study().state().entries.size(), 2U) << window->bannerText().toStdString();
    EXPECT_EQ(batchOf(*window), 64);
    EXPECT_TRUE(window->bannerText().contains(u"rows come from the backup of"_s)) << window->bannerText().toStdString();
    EXPECT_TRUE(window->workspace().study().isReadOnly());
    EXPECT_FALSE(window->theme().isEditable()) << "controls that edit are hidden";
    EXPECT_EQ(window->file().path(), path);
    EXPECT_TRUE(isDamaged(readStudy(path))) << "the file is not written";
    EXPECT_TRUE(window->saveStudyAs(copy));
    EXPECT_TRUE(window->theme().isEditable());
    type(*window, "training.global_batch_size", "128");
    EXPECT_TRUE(window->close());
    EXPECT_EQ(readStudy(copy)->content.state.entries.front().scenario->training.globalBatchSize, 128);
}

TEST_F(Salvaging, MeanwhileTheStudyOnScreenIsEditedAndCancelKeepsIt)
{
    const QString damaged = editedStudy(), mine = folder.filePath(u"mine.prism"_s);
    damage(damaged);
    auto window = makeWindow();
    ASSERT_TRUE(window->file().create(mine).empty());
    window->workspace().study().reset(smallStudy(), 1);
    window->show();
    settle(*window);
    EXPECT_FALSE(window->openStudy(damaged));
    EXPECT_TRUE(window->isSalvaging());
    type(*window, "training.global_batch_size", "96");
    EXPECT_TRUE(window->file().flush());
    auto* cancel = window->jobs().findChild<QPushButton*>();
    ASSERT_TRUE(cancel->isVisible());
    cancel->click();
    EXPECT_FALSE(window->isSalvaging());
    EXPECT_TRUE(window->bannerText().contains(u"cancelled"_s)) << window->bannerText().toStdString();
    EXPECT_TRUE(QTest::qWaitFor([] { return !hasChild(); }, 10'000));
    settle(*window);
    EXPECT_EQ(window->file().path(), mine);
    EXPECT_EQ(batchOf(*window), 96);
    EXPECT_FALSE(window->openStudy(damaged));
    waitFor(*window);
    EXPECT_EQ(window->file().path(), damaged);
    EXPECT_EQ(batchOf(*window), 64);
    EXPECT_EQ(readStudy(mine)->content.state.entries.front().scenario->training.globalBatchSize, 96);
}

TEST_F(Salvaging, AnotherStudyThatIsOpenedMeanwhileStays)
{
    const QString damaged = editedStudy(), other = folder.filePath(u"other.prism"_s);
    ASSERT_TRUE(QFile::copy(damaged, other));
    damage(damaged);
    auto window = makeWindow();
    window->startSession();
    ASSERT_TRUE(window->isSalvaging());
    EXPECT_FALSE(window->openStudy(folder.filePath(u"missing.prism"_s)));
    EXPECT_TRUE(window->isSalvaging()) << "an open that fails changes nothing";
    EXPECT_TRUE(window->openStudy(other));
    EXPECT_FALSE(window->isSalvaging());
    EXPECT_TRUE(QTest::qWaitFor([] { return !hasChild(); }, 10'000));
    settle(*window);
    EXPECT_EQ(window->file().path(), other);
    EXPECT_TRUE(ownsFile(window->file().status()));
}

TEST_F(Salvaging, AStartWithoutAnythingToReadShowsTheSampleAndReportsWhy)
{
    const QString path = editedStudy();
    for (const QString& copy : backups())
        QFile::remove(QString::fromStdString(studyBackupFolder()) + u'/' + copy);
    damage(path);
    auto window = makeWindow();
    window->startSession();
    waitFor(*window);
    EXPECT_TRUE(window->bannerText().contains(path) && window->bannerText().contains(u"A new sample study"_s))
        << window->bannerText().toStdString();
    EXPECT_TRUE(ownsFile(window->file().status()));
    EXPECT_NE(window->file().path(), path);
}

TEST_F(Salvaging, ClosingStopsTheChildAndLeavesNothing)
{
    const QString path = editedStudy();
    damage(path);
    ASSERT_TRUE(QDir(folder.path()).mkdir(u"tmp"_s));
    const QByteArray temporary = qgetenv("TMPDIR");
    qputenv("TMPDIR", folder.filePath(u"tmp"_s).toLocal8Bit());
    auto window = makeWindow();
    window->startSession();
    ASSERT_TRUE(window->isSalvaging());
    for (int i = 0; i < 10'000 && !hasChild(); ++i) // without the event that would show the result
        usleep(1000);
    EXPECT_TRUE(hasChild());
    EXPECT_TRUE(window->close());
    EXPECT_FALSE(window->isSalvaging());
    window.reset();
    EXPECT_FALSE(hasChild());
    EXPECT_TRUE(QDir::temp().isEmpty());
    temporary.isEmpty() ? qunsetenv("TMPDIR") : qputenv("TMPDIR", temporary);
}

TEST_F(Salvaging, NoActionHarmsAWindowThatWaitsForItsStudy)
{
    auto window = makeWindow();
    window->show();
    window->file().setSalvaging(true);
    window->workspace().study().setReadOnly(true);
    EXPECT_TRUE(monkey(*window, 150, 7));
    EXPECT_TRUE(window->workspace().study().state().entries.empty());
    EXPECT_EQ(window->file().status(), FileStatus::salvaging);
}

TEST_F(Salvaging, ABackupIsMadeWithoutClosingAndEditsGoOn)
{
    auto window = smallWindow();
    const qsizetype before = backups().size();
    window->workspace().study().setBaseline(2);
    EXPECT_TRUE(QTest::qWaitFor([before] { return backups().size() > before; }, 60'000));
    type(*window, "training.global_batch_size", "64");
    EXPECT_TRUE(window->file().flush());
    EXPECT_TRUE(window->file().isSaved());
}

} // namespace prism::ui::test
