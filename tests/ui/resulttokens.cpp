// SPDX-License-Identifier: GPL-3.0-or-later
// Every result on screen belongs to the present input of the current scenario, or is dimmed, named and without actions.
#include "tests/ui/window_fixture.h"
#include "ui/explore/candidatemodel.h"
#include "ui/explore/explorepage.h"
#include "ui/moves/movesmodel.h"
#include "ui/moves/movespage.h"
#include "ui/newjob/newscenariodialog.h"
#include "ui/newjob/proposalview.h"
#include "ui/pages/scalepage.h"
#include "ui/plot/memorychart.h"
#include "ui/plot/scalechart.h"
#include "ui/plot/stepcurves.h"
#include "ui/theme/segmented.h"
#include "ui/window/actions.h"

#include <QLabel>
#include <QPushButton>
#include <QTableView>
#include <QTableWidget>

#include <random>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui::test {

class ResultTokens : public WindowTest {
protected:
    static const QLabel* noteOf(const QWidget& card) { return card.findChild<QLabel*>(u"staleNote"_s, Qt::FindDirectChildrenOnly); }
    static bool looksCurrent(const QWidget& view)
    {
        if (const auto* chart = qobject_cast<const PlotBase*>(&view))
            return chart->staleNote().isEmpty() && (chart->message().isEmpty() || chart->itemCount() > 0);
        const QLabel* note = noteOf(view);
        return !note || note->isHidden();
    }
    /// Checks what the current page shows; the number of views that look current.
    static int checkPage(MainWindow& window, const std::string& after)
    {
        const Page* page = window.pages().current();
        const StudyModel& study = window.workspace().study();
        const QString requested = QString::fromStdString(study.current()->scenario->hash().text());
        int current = 0;
        for (const QWidget* view : page->findChildren<QWidget*>()) {
            const QString of = view->property("resultOf").toString();
            if (of.isEmpty() || !view->isVisibleTo(page) || !looksCurrent(*view))
                continue;
            ++current;
            EXPECT_EQ(of, requested) << page->id().toStdString() << ", " << view->objectName().toStdString() << " after " << after;
        }
        static const QStringList kActions{u"Make scenario"_s, u"Compare the two"_s};
        for (const QPushButton* button : page->findChildren<QPushButton*>()) {
            if (kActions.contains(button->text()) && button->isEnabled()) {
                EXPECT_EQ(page->state(), PageState::current) << button->text().toStdString() << " after " << after;
            }
        }
        return current;
    }
    static void turn(int milliseconds)
    {
        for (int i = 0; i < 3; ++i)
            QApplication::processEvents();
        QTest::qWait(milliseconds);
        QApplication::processEvents();
    }
};

TEST_F(ResultTokens, NoPageShowsAnotherScenariosResultAsCurrent)
{
    auto window = smallWindow();
    StudyModel& study = window->workspace().study();
    std::mt19937 random(7);
    const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    int current = 0;
    for (Page* page : window->pages().pages()) {
        window->pages().showPage(page->id());
        settlePage(*window);
        if (auto* explore = dynamic_cast<ExplorePage*>(page)) {
            explore->search();
            settlePage(*window);
        }
        current += checkPage(*window, "the first answers");
        for (int step = 0; step < 14; ++step) {
            const auto& entries = study.state().entries;
            std::string what;
            const bool wasBroken = study.current()->scenario->parallelism.tensorModelParallelSize == 3;
            switch (wasBroken ? 4 : pick(8)) {
            case 0:
                study.setCurrent(entries[static_cast<std::size_t>(pick(static_cast<int>(entries.size())))].id);
                what = "another scenario";
                break;
            case 1:
                study.setBaseline(entries[static_cast<std::size_t>(pick(static_cast<int>(entries.size())))].id);
                what = "another baseline";
                break;
            case 2:
                study.setParameter(study.currentId(), "variability.spatial.cv", std::to_string(0.01 * (1 + pick(5))));
                what = "an edit";
                break;
            case 3: {
                Scenario broken = *study.current()->scenario;
                broken.parallelism.tensorModelParallelSize = 3;
                study.setScenario(study.currentId(), broken, u"break"_s);
                what = "an invalid edit";
                break;
            }
            case 4:
                study.undoStack()->undo();
                what = "undo";
                break;
            case 5:
                window->workspace().bridge().cancel();
                window->workspace().insights().cancelAll();
                what = "cancel";
                break;
            case 6:
                study.setSlowNode(study.currentId(), pick(8), 1.1);
                what = "a slow node";
                break;
            default:
                if (entries.size() < 5)
                    study.duplicate(study.currentId());
                what = "a duplicate";
            }
            const int wait = pick(3) * 40;
            turn(wait);
            if (step % 3 == 2)
                settlePage(*window);
            current += checkPage(*window, what + ", " + std::to_string(wait) + " ms");
        }
    }
    EXPECT_GT(current, 20) << "the walk sees answers, too";
}

TEST_F(ResultTokens, WhatBelongsToAnotherScenarioIsNamedAndMakesNothing)
{
    auto window = smallWindow();
    StudyModel& study = window->workspace().study();
    study.setCurrent(1);
    window->pages().showPage(u"explore"_s);
    settlePage(*window);
    auto& page = dynamic_cast<ExplorePage&>(*window->pages().current());
    page.search();
    settlePage(*window);
    auto& table = *page.findChild<QTableView*>(u"candidates"_s);
    ASSERT_GT(table.model()->rowCount(), 0);
    ASSERT_EQ(page.state(), PageState::current);
    study.setCurrent(2);
    settlePage(*window);
    EXPECT_EQ(page.state(), PageState::outdated);
    ASSERT_NE(noteOf(*table.parentWidget()), nullptr);
    EXPECT_EQ(noteOf(*table.parentWidget())->text(), u"Result of base shown"_s);
    const std::size_t before = study.state().entries.size();
    page.apply(0);
    EXPECT_EQ(study.state().entries.size(), before) << "a layout for base is none for the other one";
    study.setCurrent(1);
    settlePage(*window);
    EXPECT_EQ(page.state(), PageState::current) << "kept";
    page.apply(0);
    EXPECT_EQ(study.state().entries.size(), before + 1);
}

TEST_F(ResultTokens, AHeadingNamesItsCurve)
{
    auto window = smallWindow();
    window->pages().showPage(u"scale"_s);
    settlePage(*window);
    Page& page = *window->pages().current();
    auto& chart = *page.findChild<ScaleChart*>();
    ASSERT_TRUE(chart.chartText().subtitle.startsWith(u"Weak"_s));
    window->workspace().insights().setHeld(true);
    for (SegmentedControl* control : page.tools()->findChildren<SegmentedControl*>())
        if (control->label(1) == u"Strong"_s) {
            control->setCurrent(1);
            Q_EMIT control->chosen(1);
        }
    EXPECT_TRUE(chart.chartText().subtitle.startsWith(u"Weak"_s)) << "the curve is still the weak one";
    EXPECT_FALSE(chart.staleNote().isEmpty());
    window->workspace().insights().setHeld(false);
    settlePage(*window);
    EXPECT_TRUE(chart.chartText().subtitle.startsWith(u"Strong"_s));
    EXPECT_TRUE(chart.staleNote().isEmpty());
}

TEST_F(ResultTokens, ScenariosOfEqualContentKeepTheirOwnNames)
{
    auto window = smallWindow();
    StudyModel& study = window->workspace().study();
    study.setCurrent(2);
    window->pages().showPage(u"moves"_s);
    settlePage(*window);
    auto& page = dynamic_cast<MovesPage&>(*window->pages().current());
    const int twin = study.duplicate(2);
    study.rename(twin, u"twin"_s);
    settlePage(*window);
    ASSERT_FALSE(page.why().data().rows.empty());
    EXPECT_EQ(page.why().data().rows.back().label, u"twin"_s);
    EXPECT_EQ(page.why().chartText().subtitle, u"From base to twin, edit by edit"_s);
    EXPECT_TRUE(page.why().staleNote().isEmpty());
}

TEST_F(ResultTokens, TheTableOfAPageFollowsItsAnswers)
{
    auto window = smallWindow();
    window->pages().showPage(u"scale"_s);
    window->pages().setTableShown(true);
    settlePage(*window);
    const auto& table = *window->findChild<QTableWidget*>(u"pageTable"_s);
    EXPECT_GT(table.rowCount(), 0) << "the answer came after the page was shown";
    window->workspace().study().setParameter(1, "variability.spatial.cv", "0.04");
    turn(0);
    ASSERT_NE(noteOf(table), nullptr);
    EXPECT_TRUE(noteOf(table)->isVisibleTo(&table));
    settlePage(*window);
    EXPECT_FALSE(noteOf(table)->isVisibleTo(&table));
}

TEST_F(ResultTokens, AProposalShowsNoChartOfAnotherLayout)
{
    auto window = smallWindow();
    window->actions().get(u"file.new"_s)->trigger();
    auto* dialog = window->findChild<NewScenarioDialog*>();
    const auto wait = [&] {
        while (dialog->isComputing())
            QTest::qWait(10);
    };
    dialog->setMachines(u"64"_s, u"h100-sxm-80gb"_s);
    dialog->setFile(u"launch.sh"_s, "--num-layers 80 --hidden-size 8192 --num-attention-heads 64 --seq-length 4096 "
                                    "--max-position-embeddings 4096 --tensor-model-parallel-size 1 --pipeline-model-parallel-size 1 "
                                    "--micro-batch-size 1 --global-batch-size 64");
    wait();
    ProposalView& view = dialog->view();
    ASSERT_GT(view.table().rowCount(), 1);
    ASSERT_EQ(view.curve().itemCount(), 1);
    view.table().selectRow(1); // the script's own, which does not fit
    wait();
    ASSERT_TRUE(view.headline().startsWith(u"TP1 PP1"_s)) << view.headline().toStdString();
    EXPECT_EQ(view.curve().itemCount(), 0);
    EXPECT_EQ(view.memory().itemCount(), 0);
    EXPECT_TRUE(view.curve().message().contains(u"not fit"_s)) << view.curve().message().toStdString();
    view.table().selectRow(0);
    wait();
    EXPECT_EQ(view.curve().itemCount(), 1);
    dialog->setMachines(u"8"_s, u"h100-sxm-80gb"_s); // another question
    QTest::qWait(220);
    QApplication::processEvents();
    dialog->setFile(u"launch.sh"_s, "--num-layers 96 --hidden-size 20480 --num-attention-heads 128 --seq-length 4096 "
                                    "--max-position-embeddings 4096 --micro-batch-size 1 --global-batch-size 64");
    dialog->setMachines(u"8"_s, u"h100-sxm-80gb"_s);
    wait();
    EXPECT_EQ(dialog->proposal(), nullptr) << "it fits into no layout of 8 GPUs";
    EXPECT_EQ(view.curve().itemCount(), 0);
    EXPECT_FALSE(view.curve().chartText().title.contains(u"p50"_s)) << view.curve().chartText().title.toStdString();
    EXPECT_FALSE(dialog->findChild<QPushButton*>(u"createScenario"_s)->isEnabled());
}

} // namespace prism::ui::test
