// SPDX-License-Identifier: GPL-3.0-or-later
// One session through the real window: edit, compare, drag the limit, mark a slow node, undo, close, open again.
#include "tests/ui/window_fixture.h"
#include "ui/distribution/distributionpage.h"
#include "ui/pages/placementpage.h"
#include "ui/window/actions.h"
#include "ui/window/commandpalette.h"
#include "ui/window/dialogs.h"
#include "ui/window/headlinestrip.h"
#include "ui/window/jobbar.h"
#include "ui/window/marksdialog.h"

#include <QGraphicsView>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QMouseEvent>
#include <QPainter>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSet>
#include <QSignalSpy>
#include <QTableWidget>
#include <QAbstractButton>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui::test {

class EndToEnd : public WindowTest {
protected:
    static DistributionPage& distribution(MainWindow& window)
    {
        return *static_cast<DistributionPage*>(window.pages().page(u"distribution"_s));
    }
    /// Moves the mouse as a drag would, with the button held.
    static void drag(CdfChart& chart, double fromSeconds, double toSeconds, Qt::KeyboardModifiers modifiers)
    {
        auto* viewport = chart.findChild<QGraphicsView*>()->viewport();
        const double y = chart.plotArea().top() + 20;
        const auto send = [&](QEvent::Type type, double x, Qt::MouseButton button, Qt::MouseButtons buttons) {
            QMouseEvent event(type, QPointF(x, y), viewport->mapToGlobal(QPointF(x, y)), button, buttons, modifiers);
            QApplication::sendEvent(viewport, &event);
            QApplication::processEvents();
        };
        send(QEvent::MouseButtonPress, chart.xAt(fromSeconds), Qt::LeftButton, Qt::LeftButton);
        for (int i = 1; i <= 10; ++i)
            send(QEvent::MouseMove, chart.xAt(fromSeconds + (toSeconds - fromSeconds) * i / 10), Qt::NoButton, Qt::LeftButton);
        send(QEvent::MouseButtonRelease, chart.xAt(toSeconds), Qt::LeftButton, Qt::NoButton);
    }
};

TEST_F(EndToEnd, ASessionComesBackAsItWas)
{
    StudyState atClose;
    {
        auto window = makeWindow();
        window->startSession(); // the first start: the sample study
        window->show();
        settle(*window);
        StudyModel& study = window->workspace().study();
        const StudyState start = study.state();
        ASSERT_EQ(start.entries.size(), 3U);
        CdfChart& chart = distribution(*window).chart();
        ASSERT_EQ(chart.curves().size(), 3);
        const std::vector<CurvePoint> curveBefore = chart.curves().front().cdf;

        type(*window, "parallelism.pipeline_model_parallel_size", "8");
        settle(*window);
        ASSERT_EQ(study.current()->scenario->parallelism.pipelineModelParallelSize, 8);
        EXPECT_NE(chart.curves().front().cdf.front().seconds, curveBefore.front().seconds) << "the curve moves";
        EXPECT_NE(chart.curves().front().cdf.back().seconds, curveBefore.back().seconds);

        window->actions().get(u"scenario.next"_s)->trigger();
        window->actions().get(u"scenario.pin"_s)->trigger();
        settle(*window);
        EXPECT_EQ(study.state().baselineId, 2);

        const double p95 = distribution(*window).limits().upper, p99 = shown(*window, 2)->across.p99;
        EXPECT_NEAR(p95, shown(*window, 2)->across.p95, 1e-9) << "the limit starts at the baseline's p95";
        drag(chart, p95, p95 + (p99 - p95) * 0.7, Qt::AltModifier);
        settle(*window);
        EXPECT_GT(study.state().limitSeconds, p95);
        EXPECT_EQ(study.undoStack()->text(study.undoStack()->count() - 1).left(5), u"Limit"_s) << "a drag is one step";

        window->pages().showPage(u"placement"_s);
        settlePage(*window);
        auto& map = static_cast<PlacementPage*>(window->pages().page(u"placement"_s))->map();
        const int cell = map.itemCount() / 2;
        ASSERT_GT(cell, 0);
        QTest::mouseClick(&map, Qt::LeftButton, {}, map.placeOf(cell).toPoint());
        EXPECT_EQ(map.focusItem(), cell);
        QTest::mouseClick(window->findChild<QAbstractButton*>(u"addSlowNode"_s), Qt::LeftButton);
        settle(*window);
        ASSERT_EQ(shown(*window, 2)->scenario.variability.slow.size(), 1U);
        const int node = study.current()->scenario->variability.slow.front().node;
        EXPECT_EQ(placesOf(*study.current()->scenario, node).front().stage, cell % map.data().columns) << "the node is where the click was";

        const int jobs = window->workspace().bridge().jobsStarted();
        while (study.undoStack()->canUndo())
            window->actions().get(u"edit.undo"_s)->trigger();
        QApplication::processEvents();
        EXPECT_TRUE(study.state() == start);
        settle(*window);
        EXPECT_EQ(window->workspace().bridge().jobsStarted(), jobs) << "undo restores known results";
        EXPECT_EQ(chart.curves().size(), 3);

        window->actions().get(u"edit.redo"_s)->trigger();
        window->workspace().selection().setCell(2, 3);
        window->pages().showPage(u"sensitivity"_s);
        distribution(*window).restoreState({{u"mode"_s, 2}, {u"within"_s, true}});
        settle(*window);
        atClose = study.state();
        window->close();
    }
    auto window = makeWindow();
    window->startSession();
    window->show();
    settle(*window);
    const StudyState& back = window->workspace().study().state();
    ASSERT_EQ(back.entries.size(), atClose.entries.size());
    for (std::size_t i = 0; i < back.entries.size(); ++i) {
        EXPECT_EQ(back.entries[i].scenario->name, atClose.entries[i].scenario->name);
        EXPECT_EQ(back.entries[i].scenario->hash(), atClose.entries[i].scenario->hash());
        EXPECT_EQ(back.entries[i].colour, atClose.entries[i].colour);
    }
    EXPECT_EQ(back.find(back.baselineId)->scenario->name, atClose.find(atClose.baselineId)->scenario->name);
    EXPECT_EQ(back.limitSeconds, atClose.limitSeconds);
    EXPECT_EQ(window->workspace().selection().picked().stage, 2);
    EXPECT_EQ(window->pages().current()->id(), u"sensitivity"_s);
    EXPECT_EQ(distribution(*window).saveState(), (QJsonObject{{u"mode"_s, 2}, {u"within"_s, true}}));
}

TEST_F(EndToEnd, DraggingTheLimitSnapsToPercentilesUnlessAltIsHeld)
{
    auto window = smallWindow();
    CdfChart& chart = distribution(*window).chart();
    const SnapshotPtr base = shown(*window, 1);
    const double p95 = quantileOfSorted(base->sortedAcrossSeconds, 0.95), p90 = quantileOfSorted(base->sortedAcrossSeconds, 0.90);
    const double near = p90 + 2 * (chart.secondsAt(101) - chart.secondsAt(100)); // two pixels next to p90
    drag(chart, p95, near, Qt::NoModifier);
    EXPECT_DOUBLE_EQ(window->workspace().study().state().limitSeconds, p90);
    settle(*window);
    drag(chart, p90, near, Qt::AltModifier);
    EXPECT_NEAR(window->workspace().study().state().limitSeconds, near, 1e-9);
}

TEST_F(EndToEnd, ThePointerReadsTheCurvesAndLeavesNoMark)
{
    auto window = smallWindow();
    CdfChart& chart = distribution(*window).chart();
    settle(*window);
    auto* scroller = chart.findChild<QGraphicsView*>();
    QWidget* view = scroller->viewport();
    const auto move = [&](QPoint at) {
        QMouseEvent event(QEvent::MouseMove, at, view->mapToGlobal(at), Qt::NoButton, Qt::NoButton, Qt::NoModifier);
        QApplication::sendEvent(view, &event);
        return view->grab().toImage();
    };
    const QImage plain = view->grab().toImage();
    const QPoint inside(view->width() / 3, view->height() / 2);
    const QImage first = move(inside), second = move(inside + QPoint(40, 0));
    EXPECT_NE(first, plain) << "crosshair and readout";
    EXPECT_NE(second, first) << "they follow the pointer";
    QEvent leave(QEvent::Leave);
    QApplication::sendEvent(scroller, &leave);
    EXPECT_EQ(view->grab().toImage(), plain);
}

TEST_F(EndToEnd, DifferencesListTheChangedParametersAndCopyOne)
{
    auto window = smallWindow();
    Workspace& workspace = window->workspace();
    EXPECT_TRUE(workspace.study().setParameter(2, "training.global_batch_size", "64").empty());
    workspace.study().setCurrent(2);
    settle(*window);
    QMetaObject::invokeMethod(&window->editor(), "differencesRequested");
    auto* dialog = window->findChild<QDialog*>(u"differencesDialog"_s);
    ASSERT_NE(dialog, nullptr);
    auto* table = dialog->findChild<QTableWidget*>();
    ASSERT_NE(table, nullptr);
    int row = -1;
    for (int i = 0; i < table->rowCount(); ++i)
        if (table->item(i, 1)->text().startsWith(u"64"_s)) // with its unit
            row = i;
    ASSERT_GE(row, 0) << "the edited batch is listed";
    EXPECT_TRUE(table->item(row, 2)->text().startsWith(u"32"_s));
    qobject_cast<QPushButton*>(table->cellWidget(row, 3))->click();
    EXPECT_EQ(workspace.study().current()->scenario->training.globalBatchSize, 32);
    dialog->close();
}

TEST_F(EndToEnd, AMarkIsInTheChartItsFooterAndItsPicture)
{
    auto window = smallWindow();
    window->pages().showPage(u"distribution"_s);
    auto* page = static_cast<DistributionPage*>(window->pages().page(u"distribution"_s));
    const double p50 = window->workspace().context().baseline()->snapshot->across.p50;
    const auto paper = [&] {
        QImage image(page->exportSize(), QImage::Format_RGB32);
        image.fill(Qt::white);
        QPainter painter(&image);
        page->paintExport(painter);
        return image;
    };
    const QImage before = paper();
    window->actions().get(u"view.marks"_s)->trigger();
    auto* dialog = window->findChild<MarksDialog*>();
    ASSERT_NE(dialog, nullptr);
    dialog->lines().setPlainText(u"soon the contract"_s);
    dialog->accept();
    EXPECT_TRUE(dialog->isVisible());
    EXPECT_TRUE(dialog->problem().startsWith(u"line 1: "_s)) << dialog->problem().toStdString();
    dialog->lines().setPlainText(u"%1 s the contract"_s.arg(p50));
    dialog->accept();
    settle(*window);
    ASSERT_EQ(window->workspace().study().state().marks.size(), 1U);
    bool printed = false;
    for (const QLabel* label : page->findChildren<QLabel*>())
        printed = printed || label->text().contains(u"Marks: A "_s);
    EXPECT_TRUE(printed);
    EXPECT_NE(paper(), before) << "a picture has it too";
    window->actions().get(u"edit.undo"_s)->trigger();
    settle(*window);
    EXPECT_TRUE(window->workspace().study().state().marks.empty());
    EXPECT_EQ(paper(), before);
}

TEST_F(EndToEnd, TypingAShareReadsTheTimeAndTheOtherWay)
{
    auto window = smallWindow();
    CdfChart& chart = distribution(*window).chart();
    const auto& sorted = shown(*window, 1)->sortedAcrossSeconds;
    Q_EMIT chart.limitTyped(u"10 %"_s);
    EXPECT_DOUBLE_EQ(window->workspace().study().state().limitSeconds, quantileOfSorted(sorted, 0.9));
    Q_EMIT chart.limitTyped(u"1.25 s"_s);
    EXPECT_DOUBLE_EQ(window->workspace().study().state().limitSeconds, 1.25);
    Q_EMIT chart.limitTyped(u"nonsense"_s);
    EXPECT_DOUBLE_EQ(window->workspace().study().state().limitSeconds, 1.25);
}

TEST_F(EndToEnd, SaveAndDifferencesReportWhatTheyDid)
{
    auto window = smallWindow();
    const auto message = [&](const QString& action) {
        window->actions().get(action)->trigger();
        QStringList texts;
        for (const QLabel* label : window->jobs().findChildren<QLabel*>())
            texts << label->text();
        return texts.join(u'|');
    };
    EXPECT_TRUE(message(u"file.save"_s).contains(u"Every edit is stored in study.prism"_s));
    EXPECT_TRUE(message(u"scenario.differences"_s).contains(u"This scenario is the baseline"_s));
}

TEST_F(EndToEnd, ComputeStartsACancelledSearchAgain)
{
    auto window = smallWindow();
    window->pages().showPage(u"explore"_s);
    settlePage(*window);
    window->pages().current()->startAll();
    ASSERT_TRUE(window->pages().current()->isComputing());
    window->workspace().insights().cancelAll();
    ASSERT_TRUE(QTest::qWaitFor([&] { return !window->pages().current()->isComputing(); }, 20'000));
    window->workspace().recompute();
    EXPECT_TRUE(QTest::qWaitFor([&] { return window->pages().current()->isComputing(); }, 20'000));
    window->workspace().insights().cancelAll();
}

TEST_F(EndToEnd, QueuedStepsOfThemeAndScaleRestyleTheWindowOnce)
{
    auto window = smallWindow();
    QSignalSpy restyled(&theme, &Theme::changed);
    for (int i = 0; i < 3; ++i)
        window->actions().get(u"view.larger"_s)->trigger();
    window->actions().get(u"view.theme.dark"_s)->trigger();
    window->actions().get(u"view.smaller"_s)->trigger();
    ASSERT_TRUE(QTest::qWaitFor([&] { return restyled.count() > 0; }, 5'000));
    QTest::qWait(100);
    EXPECT_EQ(restyled.count(), 1);
    EXPECT_NEAR(theme.uiScale(), 1.21, 1e-9);
    EXPECT_TRUE(theme.isDark());
    theme.setLook(Theme::Mode::light, 1);
}

TEST_F(EndToEnd, TheLimitEditorClosesWithTheTypedLimitAndKeepsWhatIsNone)
{
    auto window = smallWindow();
    CdfChart& chart = distribution(*window).chart();
    auto* editor = chart.findChild<QLineEdit*>();
    chart.setFocus();
    const auto typed = [&](const QString& text) {
        QTest::keyClick(&chart, Qt::Key_Return);
        QTest::keyClicks(editor, text);
        QTest::keyClick(editor, Qt::Key_Return);
        return window->workspace().study().state().limitSeconds;
    };
    EXPECT_DOUBLE_EQ(typed(u"1.5 s"_s), 1.5);
    EXPECT_FALSE(editor->isVisible()) << "with the old limit in it";
    EXPECT_DOUBLE_EQ(typed(u"1,7 s"_s), 1.5) << "a decimal comma is not 17 s";
    EXPECT_TRUE(editor->isVisible());
    EXPECT_TRUE(editor->toolTip().contains(u"\"1,7 s\" is not a limit"_s)) << editor->toolTip().toStdString();
    QTest::keyClick(editor, Qt::Key_Escape);
    EXPECT_FALSE(editor->isVisible());
}

TEST_F(EndToEnd, NonsenseInAFieldStaysAndTheLastValidResultIsShown)
{
    auto window = smallWindow();
    const SnapshotPtr before = shown(*window, 1);
    type(*window, "parallelism.tensor_model_parallel_size", "many");
    settle(*window);
    ParameterRow* row = window->editor().row(u"parallelism.tensor_model_parallel_size"_s);
    EXPECT_EQ(static_cast<QLineEdit*>(row->field())->text(), u"many"_s);
    EXPECT_TRUE(static_cast<QuantityEdit*>(row->field())->hasProblem());
    EXPECT_EQ(shown(*window, 1), before);
    EXPECT_EQ(window->workspace().fieldProblems(1).size(), 1);
    EXPECT_TRUE(window->headline().cells().first().stale);
    QTest::keyClick(row->field(), Qt::Key_Escape);
    EXPECT_TRUE(window->workspace().fieldProblems(1).isEmpty());
}

TEST_F(EndToEnd, AnImpossibleLayoutReportsWhyAndOneClickRepairsIt)
{
    auto window = smallWindow();
    const SnapshotPtr before = shown(*window, 1);
    type(*window, "parallelism.tensor_model_parallel_size", "3");
    settle(*window);
    const ScenarioResult& result = window->workspace().bridge().result(1);
    ASSERT_TRUE(result.invalid);
    EXPECT_EQ(shown(*window, 1), before);
    bool fixable = false;
    for (const Diagnostic& d : result.diagnostics)
        fixable |= !d.fixPath.empty();
    EXPECT_TRUE(fixable);
}

TEST_F(EndToEnd, EveryCommandIsFoundByItsName)
{
    auto window = smallWindow();
    window->actions().get(u"tools.palette"_s)->trigger();
    auto* palette = window->findChild<CommandPalette*>();
    ASSERT_NE(palette, nullptr);
    palette->setQuery(u"pipel paral"_s);
    EXPECT_GE(palette->shownCount(), 1);
    palette->setQuery(u"zzzz"_s);
    EXPECT_EQ(palette->shownCount(), 0);
    palette->close();
    QSet<QString> keys;
    for (const QAction* action : window->actions().all()) {
        EXPECT_FALSE(action->text().isEmpty()) << action->objectName().toStdString();
        if (!action->shortcut().isEmpty()) {
            EXPECT_FALSE(keys.contains(action->shortcut().toString())) << action->text().toStdString();
            keys << action->shortcut().toString();
        }
    }
}

TEST_F(EndToEnd, WhatTakesTheKeyboardHasAName)
{
    auto window = smallWindow();
    for (const QWidget* widget : window->findChildren<QWidget*>()) {
        if (!(widget->focusPolicy() & Qt::TabFocus) || !widget->isVisibleTo(window.get()))
            continue;
        const auto* button = qobject_cast<const QAbstractButton*>(widget);
        const bool named = !widget->accessibleName().isEmpty() || (button && !button->text().isEmpty());
        EXPECT_TRUE(named) << widget->metaObject()->className() << " " << widget->objectName().toStdString() << " in "
                           << (widget->parent() ? widget->parent()->metaObject()->className() : "nothing");
    }
}

TEST_F(EndToEnd, EveryPageExportsPictureAndMetrics)
{
    auto window = smallWindow();
    window->pages().showPage(u"distribution"_s);
    for (const char* suffix : {"png", "svg", "pdf", "csv"}) {
        const QString path = folder.filePath(u"page.%1"_s.arg(QString::fromLatin1(suffix)));
        EXPECT_EQ(window->pages().exportTo(path), QString()) << suffix;
        EXPECT_GT(QFileInfo(path).size(), 100) << suffix;
    }
    EXPECT_FALSE(window->pages().exportTo(u"/no/such/folder/page.png"_s).isEmpty());
}

TEST_F(EndToEnd, ImportsReportWhatTheyRead)
{
    const Scenario base = smallScenario("base");
    const ImportPreview commented =
        previewImport(u"a.json"_s, "// As `prism-cli new` writes it.\n" + QByteArray::fromStdString(toJson(base)), base);
    EXPECT_EQ(commented.kind, u"Scenario"_s);
    EXPECT_TRUE(commented.scenario.has_value());
    const ImportPreview scenario = previewImport(u"a.json"_s, QByteArray::fromStdString(toJson(base)), base);
    ASSERT_TRUE(scenario.scenario);
    EXPECT_EQ(scenario.scenario->hash(), base.hash());
    const ImportPreview megatron =
        previewImport(u"run.sh"_s,
                      "--num-layers 16 --hidden-size 4096 --num-attention-heads 32 --seq-length 4096 --max-position-embeddings 4096 "
                      "--micro-batch-size 1 --global-batch-size 64 --tensor-model-parallel-size 2 --pipeline-model-parallel-size 4",
                      base);
    ASSERT_TRUE(megatron.scenario) << (megatron.notes.empty() ? "" : megatron.notes.front().message);
    EXPECT_EQ(megatron.scenario->parallelism.tensorModelParallelSize, 2);
    const ImportPreview speeds = previewImport(u"speeds.csv"_s, "node,relative_speed\n0,1.0\n1,0.8\n2,1.0\n", base);
    ASSERT_TRUE(speeds.scenario);
    EXPECT_EQ(speeds.scenario->measured.speeds.size(), 3U);
    for (const QByteArray& text : {QByteArray("{"), QByteArray("\x00\xff\x01", 3), QByteArray(), QByteArray("node,speed\n1\n")}) {
        const ImportPreview invalid = previewImport(u"x.csv"_s, text, base);
        EXPECT_FALSE(invalid.scenario);
        EXPECT_TRUE(hasErrors(invalid.notes));
    }
}

TEST_F(EndToEnd, ADamagedOrForeignStudyLeavesWhatIsOpenAlone)
{
    auto window = smallWindow();
    const StudyState before = window->workspace().study().state();
    const QString path = folder.filePath(u"broken.prism"_s);
    QFile file(path);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(QByteArray(5000, 'x'));
    file.close();
    EXPECT_FALSE(window->openStudy(path));
    EXPECT_TRUE(window->workspace().study().state() == before);
    EXPECT_FALSE(window->findChild<QWidget*>(u"banner"_s)->isHidden());
}

} // namespace prism::ui::test
