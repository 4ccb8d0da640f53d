// SPDX-License-Identifier: GPL-3.0-or-later
// The whole way of a planner through the real window: import, compare with a log, calibrate, explore, apply, reach a goal, job, report.
#include "tests/ui/window_fixture.h"
#include "ui/explore/candidatemodel.h"
#include "ui/explore/explorepage.h"
#include "ui/job/jobpage.h"
#include "ui/moves/movesmodel.h"
#include "ui/moves/movespage.h"
#include "ui/newjob/newscenariodialog.h"
#include "ui/plot/exportmetadata.h"
#include "ui/validate/validatepage.h"
#include "ui/window/actions.h"
#include "ui/window/reportdialog.h"

#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTableView>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui::test {

class WholeWay : public WindowTest {
protected:
    template <class P>
    static P& page(MainWindow& window, const char16_t* id)
    {
        window.pages().showPage(QString::fromUtf16(id));
        return *static_cast<P*>(window.pages().page(QString::fromUtf16(id)));
    }
    /// File, New: a small model on 64 GPUs.
    static void describeOwnJob(MainWindow& window)
    {
        window.actions().get(u"file.new"_s)->trigger();
        auto* dialog = window.findChild<NewScenarioDialog*>();
        ASSERT_NE(dialog, nullptr);
        dialog->setMachines(u"64"_s, u"h100-sxm-80gb"_s);
        dialog->chooseModel(u"llama3-8b"_s);
        dialog->setGoal(u"validate"_s);
        while (dialog->isComputing())
            QTest::qWait(10);
        dialog->findChild<QPushButton*>(u"createScenario"_s)->click();
    }
    /// A log of the model's own steps, each a tenth longer.
    static QByteArray logOf(const Snapshot& s)
    {
        QByteArray text;
        constexpr std::size_t kSteps = 300;
        for (std::size_t i = 0; i < kSteps && i < s.samples->withinSeconds.size(); ++i)
            text += " iteration " + QByteArray::number(i + 1) + "/ 1000 | consumed samples: " + QByteArray::number((i + 1) * 512)
                    + " | elapsed time per iteration (ms): " + QByteArray::number(1100 * s.samples->withinSeconds[i], 'f', 3)
                    + " | learning rate: 1.0E-04\n";
        return text;
    }
    void hold(MainWindow& window)
    {
        const QString path = folder.filePath(u"run.log"_s);
        QFile file(path);
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(logOf(*shown(window, window.workspace().study().currentId())));
        file.close();
        window.openDropped(path);
        settlePage(window);
    }
};

TEST_F(WholeWay, FromOnesOwnJobToThePaper)
{
    auto window = smallWindow();
    StudyModel& study = window->workspace().study();
    describeOwnJob(*window);
    const int own = study.currentId();
    ASSERT_EQ(study.entry(own)->scenario->model.numLayers, 32);
    settlePage(*window);

    hold(*window);
    auto& validate = page<ValidatePage>(*window, u"validate");
    ASSERT_NE(validate.held(), nullptr);
    EXPECT_NEAR(validate.held()->comparison.measuredMedianSeconds / validate.held()->comparison.predictedMedianSeconds, 1.1, 0.02);
    validate.calibrate();
    settlePage(*window);
    const int calibrated = study.currentId();
    ASSERT_NE(calibrated, own);
    EXPECT_EQ(study.entry(calibrated)->parentId, own);
    EXPECT_NEAR(shown(*window, calibrated)->within.p50 / shown(*window, own)->within.p50, 1.1, 0.03) << "the log's level";

    auto& explore = page<ExplorePage>(*window, u"explore");
    explore.ranges().setText(u"TP 1, 2, 4; micro_batch_size 1, 2"_s);
    explore.search();
    settlePage(*window);
    ASSERT_NE(explore.exploration(), nullptr);
    explore.apply(explore.candidates().candidateAt(0));
    const int found = study.currentId();
    ASSERT_NE(found, calibrated);
    EXPECT_EQ(study.entry(found)->parentId, calibrated);
    settlePage(*window);

    auto& moves = page<MovesPage>(*window, u"moves");
    moves.setGoal(shown(*window, found)->across.p95 * 2);
    settlePage(*window);
    EXPECT_GT(moves.goal(), 0);

    EXPECT_TRUE(study.setParameter(found, "training.train_tokens", "1 T").empty());
    auto& job = page<JobPage>(*window, u"job");
    settlePage(*window);
    ASSERT_NE(job.report(), nullptr);
    EXPECT_GT(job.ends().itemCount(), 0);

    for (const QString& name : {u"report.pdf"_s, u"report.html"_s}) {
        auto* dialog = new ReportDialog(window->workspace(), theme, u"Own job"_s, window.get());
        dialog->show();
        EXPECT_FALSE(dialog->isModal());
        const QString path = folder.filePath(name);
        dialog->writeTo(path);
        dialog->close(); // the report is written all the same
        QString message;
        QObject::connect(dialog, &ReportDialog::ended, window.get(), [&message](const QString& text) { message = text; });
        ASSERT_TRUE(QTest::qWaitFor([&] { return !message.isEmpty(); }, 120'000));
        EXPECT_TRUE(message.contains(path)) << message.toStdString();
        QFile file(path);
        ASSERT_TRUE(file.open(QIODevice::ReadOnly)) << name.toStdString();
        const std::optional<ExportMetadata> metadata = markedMetadata(file.readAll());
        ASSERT_TRUE(metadata) << name.toStdString();
        EXPECT_EQ(metadata->seed, window->workspace().bridge().seed());
    }
    while (study.undoStack()->canUndo())
        study.undoStack()->undo();
    EXPECT_TRUE(study.state() == smallStudy()) << "everything was a step of one stack";
    settle(*window);
}

} // namespace prism::ui::test
