// SPDX-License-Identifier: GPL-3.0-or-later
// A killed session comes back: the study is on disk soon after each edit.
#include "tests/ui/window_fixture.h"
#include "ui/window/actions.h"
#include "ui/window/recentfiles.h"

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui::test {

/// The child of the recovery test: edits without end until it is killed. Run by name, see below.
TEST(RecoveryChild, DISABLED_EditsUntilItIsKilled)
{
    const QString path = QString::fromLocal8Bit(qgetenv("PRISM_RECOVERY_STUDY"));
    ASSERT_FALSE(path.isEmpty());
    Theme theme;
    MainWindow window(theme);
    window.workspace().bridge().setSamples(200);
    ASSERT_TRUE(window.file().create(path).empty());
    window.workspace().study().reset(smallStudy(), 1);
    window.show();
    for (int i = 1; i < 100'000; ++i) {
        window.workspace().study().endMerge();
        (void)window.workspace().study().setParameter(1, "training.global_batch_size", std::to_string(32 * i));
        QTest::qWait(10);
        if (window.file().isSaved() || i % 50 == 0) { // what must be back at least, known to the parent
            QFile mark(path + u".mark"_s);
            if (mark.open(QIODevice::WriteOnly))
                mark.write(QByteArray::number(32 * std::max(0, i - 50)));
        }
    }
}

class Recovery : public WindowTest {};

TEST_F(Recovery, KillDuringEditsLosesAtMostTheLastKeystrokes)
{
    const QString path = folder.filePath(u"killed.prism"_s);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        setenv("PRISM_RECOVERY_STUDY", path.toLocal8Bit().constData(), 1);
        setenv("QT_QPA_PLATFORM", "offscreen", 1);
        execl("/proc/self/exe", "test_ui", "--gtest_also_run_disabled_tests", "--gtest_filter=RecoveryChild.*", nullptr);
        _exit(127);
    }
    for (int i = 0; i < 600 && !QFile::exists(path + u".mark"_s); ++i)
        QTest::qWait(100);
    QTest::qWait(1500);
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
    auto window = makeWindow();
    ASSERT_TRUE(window->openStudy(path));
    QFile mark(path + u".mark"_s);
    ASSERT_TRUE(mark.open(QIODevice::ReadOnly));
    const auto smallest = mark.readAll().toLongLong();
    const StudyModel& study = window->workspace().study();
    ASSERT_EQ(study.state().entries.size(), 2U);
    EXPECT_FALSE(study.isReadOnly());
    EXPECT_GE(study.entry(1)->scenario->training.globalBatchSize, smallest);
    EXPECT_EQ(study.state().baselineId, 1);
    settle(*window);
}

TEST_F(Recovery, UndoGoesBackBeyondTheSession)
{
    const auto batch = [](MainWindow& window, int id) { return window.workspace().study().entry(id)->scenario->training.globalBatchSize; };
    QString path;
    {
        auto window = smallWindow();
        path = window->file().path();
        ASSERT_TRUE(window->file().flush());
        for (const int id : {1, 2}) { // edits of one scenario within three seconds are one step
            QTest::qWait(300);
            EXPECT_TRUE(window->workspace().study().setParameter(id, "training.global_batch_size", "64").empty()
                        && window->workspace().study().setParameter(id, "training.global_batch_size", id == 1 ? "128" : "96").empty());
            ASSERT_TRUE(window->file().flush());
        }
    }
    auto window = makeWindow();
    ASSERT_TRUE(window->openStudy(path));
    QAction* undo = window->actions().get(u"edit.undo"_s);
    EXPECT_FALSE(window->workspace().study().undoStack()->canUndo());
    ASSERT_TRUE(undo->isEnabled()) << "the file holds the steps of the last session";
    EXPECT_TRUE(window->workspace().study().setParameter(2, "training.global_batch_size", "160").empty());
    undo->trigger();
    EXPECT_EQ(batch(*window, 2), 96) << "the edit of this session first";
    undo->trigger();
    EXPECT_EQ(batch(*window, 2), 32);
    EXPECT_EQ(batch(*window, 1), 128);
    undo->trigger();
    EXPECT_EQ(batch(*window, 1), 32);
    window->actions().get(u"edit.redo"_s)->trigger();
    EXPECT_EQ(batch(*window, 1), 128);
    EXPECT_TRUE(window->file().flush());
    settle(*window);
}

TEST_F(Recovery, AMissingStudyIsNamedAlsoWhenAnotherOneIsShown)
{
    smallWindow()->file().flush(); // the study of the last session
    auto window = makeWindow();
    window->startSession(folder.filePath(u"nosuch.prism"_s));
    EXPECT_TRUE(window->bannerText().contains(u"nosuch.prism was not opened"_s)) << window->bannerText().toStdString();
}

TEST_F(Recovery, ANewStudyInASecondWindowLeavesTheUntitledOneOfTheFirstAlone)
{
    auto first = makeWindow(), second = makeWindow();
    first->startSession();
    EXPECT_TRUE(first->workspace().study().setParameter(1, "training.global_batch_size", "1024").empty());
    first->file().flush();
    second->openSample();
    EXPECT_NE(second->file().path(), first->file().path());
    EXPECT_TRUE(first->workspace().study().setParameter(1, "training.global_batch_size", "512").empty());
    EXPECT_TRUE(first->file().flush());
    EXPECT_TRUE(second->file().flush());
    const QString kept = first->file().path();
    first.reset();
    second.reset();
    auto again = makeWindow();
    ASSERT_TRUE(again->openStudy(kept));
    EXPECT_EQ(again->workspace().study().entry(1)->scenario->training.globalBatchSize, 512);
}

TEST_F(Recovery, ANewSampleStudyKeepsTheUntitledOneAndOffersIt)
{
    auto window = makeWindow();
    window->startSession();
    EXPECT_TRUE(window->workspace().study().setParameter(1, "training.global_batch_size", "1024").empty());
    const QString first = window->file().path();
    window->openSample();
    const QString second = window->file().path();
    EXPECT_NE(second, first);
    EXPECT_TRUE(recentFiles().contains(first));
    window->openSample();
    EXPECT_EQ(window->file().path(), second) << "a sample without an edit is not kept twice";
    ASSERT_TRUE(window->openStudy(first));
    EXPECT_EQ(window->workspace().study().entry(1)->scenario->training.globalBatchSize, 1024);
    EXPECT_EQ(window->windowTitle().section(u' ', 0, 0), u"Untitled"_s);
}

TEST_F(Recovery, AMissingLastStudyIsNamedAndNothingIsReplaced)
{
    QString untitled;
    const QString last = folder.filePath(u"moved.prism"_s);
    {
        auto window = makeWindow();
        window->startSession();
        EXPECT_TRUE(window->workspace().study().setParameter(1, "training.global_batch_size", "1024").empty());
        untitled = window->file().path();
        EXPECT_TRUE(window->saveStudyAs(last));
        EXPECT_TRUE(window->close());
    }
    ASSERT_TRUE(QFile::rename(last, folder.filePath(u"elsewhere.prism"_s)));
    auto window = makeWindow();
    window->startSession();
    EXPECT_TRUE(window->bannerText().contains(last)) << window->bannerText().toStdString();
    EXPECT_NE(window->file().path(), untitled);
    ASSERT_TRUE(window->openStudy(untitled));
    EXPECT_EQ(window->workspace().study().entry(1)->scenario->training.globalBatchSize, 1024);
}

TEST_F(Recovery, AStudyThatCannotBeShownChangesNothing)
{
    const QString foreign = folder.filePath(u"foreign.prism"_s);
    ASSERT_TRUE(Study::create(foreign.toStdString())->addScenario("later", R"({"version": 999})").ok());
    auto window = smallWindow();
    const QString mine = window->file().path(), title = window->windowTitle();
    EXPECT_FALSE(window->openStudy(foreign));
    EXPECT_TRUE(window->bannerText().contains(u"no scenario that can be shown"_s)) << window->bannerText().toStdString();
    EXPECT_EQ(window->file().path(), mine);
    EXPECT_EQ(window->windowTitle(), title);
    type(*window, "training.global_batch_size", "64");
    EXPECT_TRUE(window->close());
    EXPECT_EQ(readStudy(mine)->content.state.entries.front().scenario->training.globalBatchSize, 64);
    EXPECT_EQ(Study::open(foreign.toStdString())->scenarios().size(), 1U);
}

TEST_F(Recovery, WhatIsTypedWhenTheWindowClosesIsKept)
{
    auto window = smallWindow();
    const QString mine = window->file().path();
    QWidget* field = window->editor().row(u"training.global_batch_size"_s)->field();
    field->setFocus();
    static_cast<QLineEdit*>(field)->selectAll();
    QTest::keyClicks(field, u"64"_s);
    EXPECT_TRUE(window->close()); // before the pause in typing
    EXPECT_EQ(readStudy(mine)->content.state.entries.front().scenario->training.globalBatchSize, 64);
}

TEST_F(Recovery, AScenarioWhoseValuesDoNotFitEachOtherComesBackToBeRepaired)
{
    const QString path = folder.filePath(u"study.prism"_s);
    {
        auto window = smallWindow();
        type(*window, "parallelism.tensor_model_parallel_size", "3");
        settle(*window);
        ASSERT_TRUE(window->workspace().bridge().result(1).invalid);
        EXPECT_TRUE(window->close());
    }
    auto window = makeWindow();
    ASSERT_TRUE(window->openStudy(path));
    ASSERT_EQ(window->workspace().study().state().entries.size(), 2U);
    EXPECT_EQ(window->workspace().study().entry(1)->scenario->parallelism.tensorModelParallelSize, 3);
    settle(*window);
    EXPECT_TRUE(window->workspace().bridge().result(1).invalid);
}

} // namespace prism::ui::test
