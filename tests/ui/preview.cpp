// SPDX-License-Identifier: GPL-3.0-or-later
// What is looked at and not meant: ghosts of tried values, ranges in fields, a pulled p95, a clicked change.
#include "tests/ui/window_fixture.h"
#include "ui/distribution/distributionpage.h"
#include "ui/editor/choicebox.h"
#include "ui/explore/explorepage.h"
#include "ui/moves/movespage.h"
#include "ui/plot/waterfall.h"
#include "ui/window/headlinestrip.h"

#include <QGraphicsView>
#include <QLineEdit>
#include <QMouseEvent>
#include <QPushButton>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui::test {

class Preview : public WindowTest {
protected:
    template <class P>
    static P& page(MainWindow& window, const char16_t* id)
    {
        return *static_cast<P*>(window.pages().page(QString::fromUtf16(id)));
    }
    static const ChartGhost& ghost(MainWindow& window) { return page<DistributionPage>(window, u"distribution").chart().ghost(); }
    static void waitForGhost(MainWindow& window)
    {
        QElapsedTimer clock;
        clock.start();
        while (window.workspace().ghost().isComputing() && clock.elapsed() < 60'000)
            QTest::qWait(5);
    }
    static void send(QWidget& widget, QEvent::Type type)
    {
        QEvent event(type);
        QApplication::sendEvent(&widget, &event);
    }
    static void send(QWidget& widget, QEvent::Type type, QPointF at, Qt::MouseButton button, Qt::MouseButtons buttons)
    {
        QMouseEvent event(type, at, widget.mapToGlobal(at), button, buttons, Qt::NoModifier);
        QApplication::sendEvent(&widget, &event);
        QApplication::processEvents();
    }
};

TEST_F(Preview, AChoiceThatIsPointedAtDrawsItsCurveAndLeavesNothing)
{
    auto window = smallWindow();
    StudyModel& study = window->workspace().study();
    const StudyState before = study.state();
    ParameterRow* row = window->editor().row(u"parallelism.pipeline_schedule"_s);
    ASSERT_NE(row, nullptr);
    auto* box = qobject_cast<ChoiceBox*>(row->field());
    ASSERT_NE(box, nullptr);
    box->showPopup();
    const int gpipe = box->findData(u"gpipe"_s);
    ASSERT_GE(gpipe, 0);
    Q_EMIT box->highlighted(gpipe); // as Qt does under the pointer
    waitForGhost(*window);
    ASSERT_FALSE(ghost(*window).cdf.empty());
    EXPECT_TRUE(ghost(*window).text.contains(u"gpipe"_s));
    Scenario tried = *setParameter(*before.entries.front().scenario, "parallelism.pipeline_schedule", "gpipe");
    EvaluateOptions options;
    options.numSamples = kGhostSamples;
    options.seed = window->workspace().bridge().seed();
    const SnapshotPtr expected = Evaluator().evaluate(tried, options);
    EXPECT_EQ(window->workspace().ghost().ghost().snapshot->sortedAcrossSeconds, expected->sortedAcrossSeconds);
    static_cast<QComboBox*>(box)->hidePopup();
    EXPECT_TRUE(ghost(*window).cdf.empty());
    EXPECT_TRUE(ghost(*window).text.isEmpty());
    EXPECT_EQ(study.undoStack()->count(), 0);
    EXPECT_TRUE(study.state() == before);
}

TEST_F(Preview, TheNewestOfManyTriedValuesWins)
{
    auto window = smallWindow();
    GhostPreview& preview = window->workspace().ghost();
    const ScenarioEntry& e = *window->workspace().study().current();
    for (int round = 0; round < 20; ++round)
        preview.show(e.id, e.scenario, u"training.global_batch_size"_s, QString::number(64 + 32 * round), 1);
    waitForGhost(*window);
    QTest::qWait(50); // what was stopped may not come after
    ASSERT_NE(preview.ghost().snapshot, nullptr);
    EXPECT_EQ(preview.ghost().snapshot->scenario.training.globalBatchSize, 64 + 32 * 19);
    preview.show(e.id, e.scenario, u"parallelism.tensor_model_parallel_size"_s, u"3"_s, 1);
    waitForGhost(*window);
    EXPECT_FALSE(preview.ghost().problem.isEmpty()) << "64 GPUs do not divide by 3";
    EXPECT_EQ(preview.ghost().snapshot, nullptr);
}

TEST_F(Preview, ARangeInAFieldIsLookedAtTakenOrSearched)
{
    auto window = smallWindow();
    StudyModel& study = window->workspace().study();
    auto& explore = page<ExplorePage>(*window, u"explore");
    const char* id = "parallelism.tensor_model_parallel_size";
    ParameterRow* row = window->editor().row(QString::fromLatin1(id));
    type(*window, id, "1, 2, 8");
    EXPECT_EQ(row->rangeValues(), (QStringList{u"1"_s, u"2"_s, u"8"_s}));
    EXPECT_FALSE(row->hasProblem());
    EXPECT_EQ(study.current()->scenario->parallelism.tensorModelParallelSize, 4) << "the scenario keeps its value";
    EXPECT_EQ(explore.ranges().text(), u"TP 1, 2, 8"_s);
    QList<QPushButton*> chips;
    for (QPushButton* button : row->findChildren<QPushButton*>())
        if (row->rangeValues().contains(button->text()))
            chips << button;
    ASSERT_EQ(chips.size(), 3);
    send(*chips[2], QEvent::Enter);
    waitForGhost(*window);
    EXPECT_FALSE(ghost(*window).cdf.empty());
    send(*chips[2], QEvent::Leave);
    EXPECT_TRUE(ghost(*window).text.isEmpty());
    chips[1]->click();
    EXPECT_EQ(study.current()->scenario->parallelism.tensorModelParallelSize, 2);
    EXPECT_EQ(row->rangeValues().size(), 3) << "the others stay to be looked at";
    type(*window, id, "4");
    EXPECT_TRUE(row->rangeValues().isEmpty());
    EXPECT_TRUE(explore.ranges().text().isEmpty());
    type(*window, id, "2 to 8");
    Q_EMIT row->searchRequested();
    EXPECT_EQ(window->pages().current()->id(), u"explore"_s);
    settlePage(*window);
    ASSERT_NE(explore.exploration(), nullptr);
    EXPECT_EQ(explore.exploration()->points, 3);
}

TEST_F(Preview, APulledP95RequestsMovesThatReachIt)
{
    auto window = smallWindow();
    CdfChart& chart = page<DistributionPage>(*window, u"distribution").chart();
    QWidget& view = *chart.findChild<QGraphicsView*>()->viewport();
    const QPointF mark = chart.goalMark();
    ASSERT_FALSE(mark.isNull());
    const double goal = chart.secondsAt(mark.x() - 60);
    send(view, QEvent::MouseButtonPress, mark, Qt::LeftButton, Qt::LeftButton);
    send(view, QEvent::MouseMove, mark - QPointF(30, 0), Qt::NoButton, Qt::LeftButton);
    send(view, QEvent::MouseMove, mark - QPointF(60, 0), Qt::NoButton, Qt::LeftButton);
    send(view, QEvent::MouseButtonRelease, mark - QPointF(60, 0), Qt::LeftButton, Qt::NoButton);
    EXPECT_EQ(window->pages().current()->id(), u"moves"_s);
    EXPECT_NEAR(page<MovesPage>(*window, u"moves").goal(), goal, 1e-9);
    EXPECT_EQ(window->workspace().study().undoStack()->count(), 0) << "a goal is not an edit, and the limit stayed";
}

TEST_F(Preview, AClickOnAChangeOpensItsWaterfall)
{
    auto window = smallWindow();
    window->workspace().study().setCurrent(2);
    settle(*window);
    HeadlineStrip& strip = window->headline();
    EXPECT_FALSE(strip.accessibleDescription().contains(u"systems"_s)) << "nothing is known of other systems";
    EXPECT_TRUE(window->workspace().study().setParameter(2, "variability.preset", "measured-h100").empty());
    settle(*window);
    const SnapshotPtr found = window->workspace().context().current()->snapshot;
    ASSERT_TRUE(found->systems && !found->systems->systems.empty());
    EXPECT_TRUE(strip.accessibleDescription().contains(QString::fromStdString(systemsSentence(*found->systems))));
    window->workspace().study().undoStack()->undo();
    settle(*window);
    QPoint at(-1, -1);
    for (int x = 0; x < strip.width() && at.x() < 0; x += 10)
        if (strip.metricAt({x, 40}).contains(u"p95"_s))
            at = {x, 40};
    ASSERT_GE(at.x(), 0);
    QTest::mouseClick(&strip, Qt::LeftButton, {}, at);
    EXPECT_EQ(window->pages().current()->id(), u"moves"_s);
    settlePage(*window);
    EXPECT_GT(page<MovesPage>(*window, u"moves").why().itemCount(), 1);
}

} // namespace prism::ui::test
