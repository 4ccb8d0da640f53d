// SPDX-License-Identifier: GPL-3.0-or-later
// A custom job in one minute, through the real window: three answers, a layout that fits, its curve, a scenario and the page requested.
#include "tests/ui/window_fixture.h"
#include "ui/newjob/newscenariodialog.h"
#include "ui/newjob/proposalview.h"
#include "ui/plot/memorychart.h"
#include "ui/plot/stepcurves.h"
#include "ui/window/actions.h"

#include <QPushButton>
#include <QTableWidget>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui::test {

class NewScenario : public WindowTest {
protected:
    static NewScenarioDialog* open(MainWindow& window)
    {
        window.actions().get(u"file.new"_s)->trigger();
        return window.findChild<NewScenarioDialog*>();
    }
    static void wait(NewScenarioDialog& dialog)
    {
        QElapsedTimer clock;
        clock.start();
        while (dialog.isComputing() && clock.elapsed() < 120'000)
            QTest::qWait(10);
    }
};

TEST_F(NewScenario, ThreeAnswersGiveALayoutACurveAndAScenario)
{
    auto window = smallWindow();
    NewScenarioDialog* dialog = open(*window);
    ASSERT_NE(dialog, nullptr);
    dialog->setMachines(u"64"_s, u"h100-sxm-80gb"_s);
    dialog->chooseModel(u"llama3-8b"_s);
    dialog->setGoal(u"job"_s);
    wait(*dialog);
    ASSERT_NE(dialog->proposal(), nullptr);
    const LayoutOption best = dialog->proposal()->best;
    EXPECT_EQ(dialog->view().headline(), layoutName(best.scenario));
    EXPECT_EQ(dialog->view().curve().itemCount(), 1);
    EXPECT_EQ(dialog->view().memory().itemCount(), best.scenario.parallelism.pipelineModelParallelSize);
    EXPECT_GT(dialog->view().table().rowCount(), 1);
    const auto before = window->workspace().study().state().entries.size();
    dialog->findChild<QPushButton*>(u"createScenario"_s)->click();
    const StudyModel& study = window->workspace().study();
    ASSERT_EQ(study.state().entries.size(), before + 1);
    EXPECT_EQ(study.current()->scenario->model.numLayers, 32);
    EXPECT_EQ(layoutName(*study.current()->scenario), layoutName(best.scenario));
    EXPECT_EQ(window->pages().current()->id(), u"job"_s);
    settle(*window);
    EXPECT_NE(shown(*window, study.currentId()), nullptr);
    window->actions().get(u"edit.undo"_s)->trigger();
    EXPECT_EQ(study.state().entries.size(), before) << "one step";
    window->workspace().study().setReadOnly(true);
    dialog = open(*window);
    dialog->chooseModel(u"llama3-8b"_s);
    wait(*dialog);
    EXPECT_FALSE(dialog->findChild<QPushButton*>(u"createScenario"_s)->isEnabled()) << "it would close and create nothing";
}

TEST_F(NewScenario, AScriptKeepsItsLayoutAsAnAlternativeThatCanBeTaken)
{
    auto window = smallWindow();
    NewScenarioDialog* dialog = open(*window);
    dialog->setMachines(u"64"_s, u"h100-sxm-80gb"_s);
    dialog->setFile(u"launch.sh"_s, "--num-layers 32 --hidden-size 4096 --num-attention-heads 32 --seq-length 4096 "
                                    "--max-position-embeddings 4096 --tensor-model-parallel-size 8 "
                                    "--pipeline-model-parallel-size 4 --micro-batch-size 1 --global-batch-size 64");
    wait(*dialog);
    ASSERT_NE(dialog->proposal(), nullptr);
    QTableWidget& table = dialog->view().table();
    ASSERT_GT(table.rowCount(), 1);
    EXPECT_TRUE(table.item(1, 0)->text().startsWith(u"TP8 PP4"_s)) << "the script's own";
    table.selectRow(1);
    wait(*dialog);
    EXPECT_TRUE(dialog->view().headline().startsWith(u"TP8 PP4"_s));
    dialog->findChild<QPushButton*>(u"createScenario"_s)->click();
    EXPECT_EQ(window->workspace().study().current()->scenario->parallelism.tensorModelParallelSize, 8);
}

TEST_F(NewScenario, WhatDoesNotFitReportsItAndMakesNothing)
{
    auto window = smallWindow();
    NewScenarioDialog* dialog = open(*window);
    dialog->setMachines(u"8"_s, u"v100-sxm2-32gb"_s);
    dialog->chooseModel(u"llama3-405b"_s);
    wait(*dialog);
    EXPECT_EQ(dialog->proposal(), nullptr);
    EXPECT_FALSE(dialog->findChild<QPushButton*>(u"createScenario"_s)->isEnabled());
    EXPECT_EQ(dialog->view().table().rowCount(), 0);
    dialog->reject();
}

} // namespace prism::ui::test
