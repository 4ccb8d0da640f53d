// SPDX-License-Identifier: GPL-3.0-or-later
// What the window reports about itself: what an edit cost, where the calibration ends; and its layout, which one command resets.
#include "tests/ui/window_fixture.h"
#include "core/insight/empirical.h"
#include "ui/distribution/cdfview.h"
#include "ui/distribution/distributionpage.h"
#include "tests/ui/paintedtext.h"
#include "ui/findings/findings.h"
#include "ui/pages/dropzone.h"
#include "ui/pages/card.h"
#include "ui/window/actions.h"
#include "ui/window/assumptionstrip.h"
#include "ui/window/jobbar.h"

#include <QAbstractButton>
#include <QDir>
#include <QFile>
#include <QImage>
#include <QJsonArray>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSplitter>
#include <QTableWidget>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui::test {

class EditingHelp : public WindowTest {
protected:
    static bool opensAFileDialog(const QAbstractButton& button)
    {
        return button.text().endsWith(u'…') || button.text() == u"Chrome trace"_s || button.objectName() == u"exportHostfile"_s;
    }
    static QString costText(MainWindow& window)
    {
        for (const QLabel* label : window.jobs().findChildren<QLabel*>())
            if (label->text().startsWith(u"recomputed"_s))
                return label->text();
        return {};
    }
    /// What the bar's engine recomputed for an edit, checked to be what the bar shows.
    static int costOf(MainWindow& window, const char* parameter, const char* text)
    {
        type(window, parameter, text);
        settle(window);
        const EvaluationCost& cost = window.workspace().bridge().lastCost();
        EXPECT_EQ(costText(window).section(u',', 0, -2),
                  u"recomputed %1 of %2 nodes"_s.arg(format::count(cost.recomputedNodes), format::count(cost.totalNodes)))
            << parameter;
        EXPECT_EQ(costText(window).section(u", "_s, -1), format::seconds(cost.elapsedSeconds).text()) << parameter;
        EXPECT_LE(cost.recomputedNodes, cost.totalNodes) << parameter;
        return cost.recomputedNodes;
    }
};

TEST_F(EditingHelp, AnEditReportsWhatItCost)
{
    auto window = smallWindow();
    const int little = costOf(*window, "training.train_tokens", "2e12"), much = costOf(*window, "model.num_layers", "32");
    EXPECT_GT(much, 0);
    EXPECT_LT(little, much) << "the length of the run moves no step";
    const QString printed = costText(*window);
    const int jobs = window->workspace().bridge().jobsStarted();
    window->workspace().study().undoStack()->undo();
    settle(*window);
    EXPECT_EQ(window->workspace().bridge().jobsStarted(), jobs);
    EXPECT_EQ(costText(*window), printed) << "a known result costs nothing";
}

TEST_F(EditingHelp, OneCommandBringsTheLayoutBack)
{
    auto window = smallWindow();
    auto* splitter = window->findChild<QSplitter*>(u"mainSplitter"_s);
    ASSERT_NE(splitter, nullptr);
    const QList<int> sizes = splitter->sizes();
    splitter->setSizes({520, 920});
    Q_EMIT splitter->splitterMoved(520, 1);
    theme.setUiScale(1.5);
    window->actions().get(u"view.dock"_s)->trigger();
    window->setPresentation(true);
    settle(*window);
    ASSERT_FALSE(window->dock().isVisible());
    window->actions().get(u"view.reset"_s)->trigger();
    settle(*window);
    EXPECT_FALSE(theme.presentation());
    EXPECT_EQ(theme.uiScale(), 1);
    EXPECT_TRUE(window->dock().isVisible());
    EXPECT_TRUE(window->actions().get(u"view.dock"_s)->isChecked());
    EXPECT_EQ(splitter->sizes(), sizes);
}

TEST_F(EditingHelp, InPresentationNothingEditsTheStudy)
{
    auto window = smallWindow();
    StudyModel& study = window->workspace().study();
    study.setSlowNode(1, 3, 1.2);
    study.endMerge();
    ASSERT_TRUE(study.setParameter(1, "training.train_tokens", "1e11").empty());
    settle(*window);
    window->setPresentation(true);
    const StudyState before = study.state();
    int pressed = 0;
    for (Page* page : window->pages().pages()) {
        window->pages().showPage(page->id());
        settlePage(*window);
        for (QWidget* root : {static_cast<QWidget*>(page), page->tools()}) {
            for (auto* field : root->findChildren<QLineEdit*>())
                if (field->isVisible() && field->isEnabled() && !field->isReadOnly()) {
                    QTest::keyClicks(field, u"7"_s);
                    QTest::keyClick(field, Qt::Key_Return);
                    ++pressed;
                }
            for (auto* button : root->findChildren<QAbstractButton*>())
                if (button->isVisible() && button->isEnabled() && !opensAFileDialog(*button)) {
                    button->click();
                    ++pressed;
                }
        }
        window->workspace().insights().cancelAll();
        EXPECT_TRUE(study.state() == before) << page->id().toStdString() << ": " << study.undoStack()->undoText().toStdString();
    }
    EXPECT_GT(pressed, 10);
    EXPECT_FALSE(window->dock().isVisible());
    window->actions().get(u"edit.undo"_s)->trigger();
    EXPECT_TRUE(study.state() == before);
    window->setPresentation(false);
    window->pages().showPage(u"placement"_s);
    EXPECT_TRUE(window->findChild<QAbstractButton*>(u"addSlowNode"_s)->isVisible()) << "it comes back";
}

TEST_F(EditingHelp, InPresentationTheLimitIsShown)
{
    auto window = smallWindow();
    StudyModel& study = window->workspace().study();
    CdfChart& chart = static_cast<DistributionPage*>(window->pages().page(u"distribution"_s))->chart();
    QWidget* view = chart.findChild<CdfView*>()->viewport();
    const auto pull = [&] {
        const double limit = static_cast<DistributionPage*>(window->pages().page(u"distribution"_s))->limits().upper;
        const QPoint at(qRound(chart.xAt(limit)), qRound(chart.plotArea().top()) + 20);
        QTest::mousePress(view, Qt::LeftButton, {}, at);
        QTest::mouseMove(view, at - QPoint(60, 0));
        QTest::mouseRelease(view, Qt::LeftButton, {}, at - QPoint(60, 0));
        QTest::keyClick(&chart, Qt::Key_Left);
        settle(*window);
    };
    window->setPresentation(true);
    settle(*window);
    const StudyState before = study.state();
    pull();
    EXPECT_TRUE(study.state() == before);
    window->setPresentation(false);
    settle(*window);
    pull();
    EXPECT_NE(study.state().limitSeconds, before.limitSeconds) << "at work it moves";
}

TEST_F(EditingHelp, InPresentationTheAssumptionsAreOnEveryPage)
{
    auto window = smallWindow();
    StudyModel& study = window->workspace().study();
    study.setSlowNode(study.currentId(), 5, 1.2);
    settle(*window);
    const auto* strip = window->findChild<AssumptionStrip*>();
    ASSERT_NE(strip, nullptr);
    EXPECT_FALSE(strip->isVisible());
    window->setPresentation(true);
    const QStringList printed = assumptionSentences(*study.current()->scenario) + modelLimitSentences();
    for (const Page* page : window->pages().pages()) {
        window->pages().showPage(page->id());
        settle(*window);
        EXPECT_TRUE(strip->isVisible()) << page->id().toStdString();
    }
    for (const QString& sentence : printed)
        EXPECT_TRUE(strip->accessibleDescription().contains(sentence)) << sentence.toStdString();
    EXPECT_TRUE(strip->accessibleDescription().contains(u"Node 5 takes 1.20×"_s)) << strip->accessibleDescription().toStdString();
    const auto written = [&] {
        QString all;
        for (const PaintedText& text : paintedTexts(*window))
            if (text.on == strip)
                all += text.text + u' ';
        return all;
    };
    window->resize(2400, 1000);
    settle(*window);
    EXPECT_TRUE(written().contains(printed.front())) << written().toStdString();
    EXPECT_TRUE(written().contains(printed.back())) << written().toStdString();
    EXPECT_FALSE(written().contains(u"more)"_s)) << "there is room for all";
    window->resize(1024, 700);
    settle(*window);
    EXPECT_TRUE(written().startsWith(u"Assumed "_s)) << written().toStdString();
    EXPECT_TRUE(written().contains(u"more)"_s)) << written().toStdString();
    window->setPresentation(false);
    EXPECT_FALSE(strip->isVisible());
}

TEST_F(EditingHelp, AFoldedGroupCountsErrorsInItAndLeadsThere)
{
    auto window = smallWindow();
    ConfigEditor& editor = window->editor();
    const auto* mark = editor.findChild<QPushButton*>(u"problemsOf_parallelism"_s);
    ASSERT_NE(mark, nullptr);
    type(*window, "parallelism.tensor_model_parallel_size", "many");
    settle(*window);
    EXPECT_FALSE(mark->isVisible()) << "the field shows it";
    editor.setExpanded(u"parallelism"_s, false);
    EXPECT_TRUE(mark->isVisible());
    EXPECT_EQ(mark->text(), u"1 to fix"_s);
    EXPECT_FALSE(editor.findChild<QPushButton*>(u"problemsOf_training"_s)->isVisible());
    QTest::mouseClick(editor.findChild<QPushButton*>(u"problemsOf_parallelism"_s), Qt::LeftButton);
    settle(*window);
    EXPECT_TRUE(editor.expandedGroups().contains(u"parallelism"_s));
    EXPECT_EQ(editor.focusedParameter(), u"parallelism.tensor_model_parallel_size"_s);
    EXPECT_FALSE(mark->isVisible());
}

TEST_F(EditingHelp, EmptyTablesReportWhatTheyWaitFor)
{
    auto window = smallWindow();
    for (const auto& [page, table, mentions] : {std::tuple{u"explore"_s, u"candidates"_s, u"Press Search"_s}}) {
        window->pages().showPage(page);
        settlePage(*window);
        const auto* view = window->pages().page(page)->findChild<QTableView*>(table);
        ASSERT_NE(view, nullptr) << table.toStdString();
        const auto* note = view->findChild<EmptyNote*>();
        ASSERT_NE(note, nullptr) << table.toStdString();
        EXPECT_TRUE(note->isVisible()) << table.toStdString();
        EXPECT_TRUE(note->text().startsWith(mentions)) << note->text().toStdString();
        EXPECT_EQ(view->accessibleDescription(), note->text());
    }
    for (const QString& id : {u"validate"_s, u"traces"_s}) { // without a file: one place to drop it, and nothing else
        window->pages().showPage(id);
        settlePage(*window);
        const Page* page = window->pages().page(id);
        EXPECT_TRUE(page->findChild<DropZone*>()->isVisible());
        for (const PlotBase* chart : page->findChildren<PlotBase*>())
            EXPECT_FALSE(chart->isVisible()) << chart->objectName().toStdString();
    }
    QTableWidget table(0, 1);
    EmptyNote note(table);
    note.showMessage(u"Nothing."_s);
    EXPECT_FALSE(note.isHidden());
    table.insertRow(0);
    EXPECT_TRUE(note.isHidden());
    table.setRowCount(0);
    EXPECT_FALSE(note.isHidden());
}

TEST_F(EditingHelp, ABadSavedLayoutIsTheUsualOneAndReportsNothing)
{
    const QString path = folder.filePath(u"study.prism"_s);
    {
        auto window = smallWindow();
        window->file().save(window->workspace().study().state(), 1,
                            {{u"dockWidth"_s, u"wide"_s},
                             {u"dockShown"_s, QJsonArray{1}},
                             {u"page"_s, 7},
                             {u"pages"_s, QJsonObject{{u"distribution"_s, QJsonObject{{u"mode"_s, 99}, {u"within"_s, u"x"_s}}},
                                                      {u"placement"_s, QJsonObject{{u"cells"_s, -5}, {u"scale"_s, u"no"_s}}},
                                                      {u"none"_s, 1}}},
                             {u"selection"_s, QJsonObject{{u"stage"_s, 1e18}, {u"node"_s, u"x"_s}}}});
        ASSERT_TRUE(window->file().flush());
    }
    QSettings().setValue(u"window/geometry"_s, QByteArray("nonsense"));
    auto window = makeWindow();
    ASSERT_TRUE(window->openStudy(path));
    window->show();
    for (Page* page : window->pages().pages()) {
        window->pages().showPage(page->id());
        settlePage(*window);
    }
    EXPECT_TRUE(window->dock().isVisible());
    EXPECT_GE(window->dock().width(), metric::dockMinimum);
    const auto* banner = window->findChild<QFrame*>(u"banner"_s);
    ASSERT_NE(banner, nullptr);
    EXPECT_TRUE(banner->isHidden()) << banner->accessibleName().toStdString();
}

TEST_F(EditingHelp, WhatIsOutsideOfTheCalibrationIsHatchedEverywhereAndNamed)
{
    auto window = smallWindow();
    auto* page = static_cast<DistributionPage*>(window->pages().current());
    const QString png = folder.filePath(u"page.png"_s), pdf = folder.filePath(u"page.pdf"_s), csv = folder.filePath(u"page.csv"_s);
    const auto footer = [page] {
        QStringList all;
        for (const QLabel* label : page->findChildren<QLabel*>())
            all << label->text();
        return all.join(u' ');
    };
    EXPECT_FALSE(page->chart().curves().front().outside);
    EXPECT_FALSE(footer().contains(u"Hatched"_s));
    const double own = exceedance(shown(*window, 1)->sortedAcrossSeconds, page->limits().upper).halfWidth;
    EXPECT_EQ(footer().contains(u"what all samples share"_s), shareAt(*shown(*window, 1), false, page->limits()).halfWidth > 1.5 * own);
    ASSERT_TRUE(
        window->workspace().study().setParameter(1, "training.precision", "fp32").empty()); // of this GPU no such step was published
    settle(*window);
    ASSERT_TRUE(page->chart().curves().front().outside);
    EXPECT_TRUE(footer().contains(u"Hatched: base, outside of the calibration: no published step of h100 32 bit"_s))
        << footer().toStdString();
    QDir().mkpath(u"tasks"_s); // to be looked at
    for (const char* mode : {"CDF", "density", "exceedance"}) {
        page->restoreState({{u"mode"_s, mode[0] == 'C' ? 0 : mode[0] == 'd' ? 1 : 2}});
        for (const bool dark : {false, true}) {
            theme.setMode(dark ? Theme::Mode::dark : Theme::Mode::light);
            settle(*window);
            EXPECT_TRUE(window->grab().save(u"tasks/L-%1%2.png"_s.arg(QString::fromLatin1(mode), dark ? u"-dark"_s : QString())));
        }
    }
    theme.setMode(Theme::Mode::light);
    page->restoreState({{u"mode"_s, 0}});
    settle(*window);
    for (const QString& path : {png, pdf, csv})
        ASSERT_EQ(window->pages().exportTo(path), QString());
    EXPECT_TRUE(QImage(png).save(u"tasks/L-paper.png"_s));
    QFile table(csv);
    ASSERT_TRUE(table.open(QIODevice::ReadOnly));
    const QList<QByteArray> lines = table.readAll().split('\n');
    const auto head = std::find_if(lines.begin(), lines.end(), [](const QByteArray& l) { return l.contains("outside_calibration"); });
    ASSERT_NE(head, lines.end());
    EXPECT_TRUE((head + 1)->contains("no published step of h100 32 bit")) << (head + 1)->constData();
}

} // namespace prism::ui::test
