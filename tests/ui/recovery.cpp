// SPDX-License-Identifier: GPL-3.0-or-later
// A killed session comes back: the study is on disk soon after each edit.
#include "tests/ui/window_fixture.h"

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
    const auto least = mark.readAll().toLongLong();
    const StudyModel& study = window->workspace().study();
    ASSERT_EQ(study.state().entries.size(), 2U);
    EXPECT_FALSE(study.isReadOnly());
    EXPECT_GE(study.entry(1)->scenario->training.globalBatchSize, least);
    EXPECT_EQ(study.state().baselineId, 1);
    settle(*window);
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
