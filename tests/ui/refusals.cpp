// SPDX-License-Identifier: GPL-3.0-or-later
// What the window says where there is nothing to show, and where a command cannot run now: never nothing.
#include "tests/ui/window_fixture.h"
#include "ui/newjob/newscenariodialog.h"
#include "ui/newjob/proposalview.h"
#include "ui/pages/card.h"
#include "ui/pages/placementpage.h"
#include "ui/plot/memorychart.h"
#include "ui/plot/stepcurves.h"
#include "ui/window/actions.h"
#include "ui/window/commandpalette.h"
#include "ui/window/headlinestrip.h"
#include "ui/window/jobbar.h"
#include "ui/window/presetsdialog.h"
#include "ui/window/recentfiles.h"

#include <QLabel>
#include <QListWidget>
#include <QTableWidget>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui::test {

class Refusals : public WindowTest {
protected:
    static bool isWritten(const QWidget& on, const QString& words)
    {
        for (const QLabel* label : on.findChildren<QLabel*>())
            if (label->isVisible() && label->text().contains(words))
                return true;
        return false;
    }
    static QListWidget& search(MainWindow& window, const QString& words)
    {
        window.actions().get(u"tools.palette"_s)->trigger();
        auto* palette = window.findChild<CommandPalette*>();
        palette->setQuery(words);
        return *palette->findChild<QListWidget*>();
    }
};

TEST_F(Refusals, AScenarioThatWasNeverValidReportsItAtTheTop)
{
    auto window = smallWindow();
    Scenario invalid = smallScenario("invalid");
    invalid.parallelism.tensorModelParallelSize = 3;
    StudyState one;
    one.entries.push_back({7, std::make_shared<const Scenario>(invalid), 0, true, false}); // no number that had a result
    window->workspace().study().reset(one, 7);
    settle(*window);
    EXPECT_TRUE(window->headline().accessibleDescription().startsWith(u"The input is not valid."_s))
        << window->headline().accessibleDescription().toStdString();
}

TEST_F(Refusals, WithoutAResultNoCardClaimsOne)
{
    auto window = smallWindow();
    type(*window, "parallelism.tensor_model_parallel_size", "3");
    settle(*window);
    for (const char* id : {"moves", "explore", "job", "validate", "traces"}) {
        window->pages().showPage(QString::fromLatin1(id));
        settlePage(*window);
        const Page& page = *window->pages().current();
        EXPECT_FALSE(isWritten(page, u"result shown"_s)) << id;
        EXPECT_FALSE(isWritten(page, u"Press Search"_s)) << id << ": it is off";
        EXPECT_FALSE(isWritten(page, u"Assumptions and"_s)) << id << ": there are none";
        for (const auto* table : page.findChildren<QTableView*>())
            if (table->isVisible() && table->model()->rowCount() == 0) {
                EXPECT_TRUE(isWritten(*table, u"The input is not valid."_s)) << id;
            }
    }
}

TEST_F(Refusals, TheOnlyScenarioStaysAndTheBarReportsIt)
{
    auto window = smallWindow();
    window->actions().get(u"scenario.archive"_s)->trigger();
    settle(*window);
    EXPECT_FALSE(isWritten(window->jobs(), u"Not archived"_s)) << "there were two";
    window->actions().get(u"scenario.archive"_s)->trigger();
    EXPECT_TRUE(isWritten(window->jobs(), u"Not archived: at least one scenario stays"_s));
}

TEST_F(Refusals, TheCommandSearchRunsWhatItListsOrMarksItNotNow)
{
    auto window = smallWindow();
    const QString path = folder.filePath(u"other & more.prism"_s);
    ASSERT_TRUE(window->saveStudyAs(path));
    rememberRecent(window->file().path());
    {
        QListWidget& found = search(*window, u"other more.prism"_s);
        ASSERT_EQ(found.count(), 1);
        EXPECT_TRUE(found.item(0)->text().contains(u"other & more.prism"_s)) << found.item(0)->text().toStdString();
        EXPECT_EQ(found.item(0)->data(Qt::UserRole + 1).toString(), u"Open recent"_s);
        window->findChild<CommandPalette*>()->runFirst();
        QTest::qWait(20);
        EXPECT_EQ(QFileInfo(window->file().path()), QFileInfo(path));
    }
    QListWidget& found = search(*window, u"redo"_s);
    ASSERT_GE(found.count(), 1);
    EXPECT_FALSE(found.item(0)->flags().testFlag(Qt::ItemIsEnabled)) << "there is nothing to redo";
    EXPECT_TRUE(found.item(0)->data(Qt::UserRole + 1).toString().contains(u"Edit, not now"_s));
    window->findChild<CommandPalette*>()->close();
}

TEST_F(Refusals, AReadOnlyPlacementInvitesToNoEdit)
{
    auto window = smallWindow();
    window->pages().showPage(u"placement"_s);
    settlePage(*window);
    EXPECT_TRUE(isWritten(*window->pages().current(), u"Choose a cell"_s));
    window->pages().showPage(u"scale"_s);
    theme.setEditable(false);
    window->workspace().study().setReadOnly(true);
    window->pages().showPage(u"placement"_s);
    settlePage(*window);
    EXPECT_FALSE(isWritten(*window->pages().current(), u"Choose a cell"_s));
    EXPECT_TRUE(isWritten(*window->pages().current(), u"None marked."_s));
    theme.setEditable(true);
}

TEST_F(Refusals, AReadOnlyStudyReportsThatNothingWasChanged)
{
    auto window = smallWindow();
    StudyModel& study = window->workspace().study();
    const StudyState before = study.state();
    PresetsDialog dialog(window->workspace(), theme, UserPresets(folder.filePath(u"presets"_s)));
    dialog.setAttribute(Qt::WA_DeleteOnClose, false);
    dialog.show();
    dialog.keep(OwnKind::gpu, u"Ours"_s);
    study.setReadOnly(true);
    dialog.apply(0);
    EXPECT_TRUE(isWritten(dialog, u"Nothing was changed: this study is read-only."_s));
    study.duplicate(1);
    EXPECT_TRUE(isWritten(window->jobs(), u"Nothing was changed: this study is read-only."_s));
    EXPECT_TRUE(study.state() == before);
}

TEST_F(Refusals, NoPresetsIsASentence)
{
    auto window = smallWindow();
    PresetsDialog dialog(window->workspace(), theme, UserPresets(folder.filePath(u"presets"_s)));
    dialog.setAttribute(Qt::WA_DeleteOnClose, false);
    dialog.show();
    QTest::qWait(20);
    const auto* note = dialog.table().viewport()->findChild<EmptyNote*>();
    ASSERT_NE(note, nullptr);
    EXPECT_TRUE(note->isVisible() && !note->text().isEmpty());
    dialog.keep(OwnKind::gpu, u"Ours"_s);
    EXPECT_FALSE(note->isVisible());
}

TEST_F(Refusals, ANewScenarioShowsNoCardsBeforeTheFirstAnswer)
{
    auto window = smallWindow();
    window->actions().get(u"file.new"_s)->trigger();
    auto* dialog = window->findChild<NewScenarioDialog*>();
    QTest::qWait(20);
    ProposalView& view = dialog->view();
    const std::initializer_list<const QWidget*> cards{&view.memory(), &view.curve(), &view.table()};
    for (const QWidget* card : cards)
        EXPECT_FALSE(card->isVisible()) << card->metaObject()->className();
    QSet<int> lefts;
    for (const QLabel* label : dialog->findChildren<QLabel*>())
        if (label->text().startsWith(u"1  "_s) || label->text().startsWith(u"Adds one"_s))
            lefts << label->mapTo(dialog, QPoint()).x();
    EXPECT_EQ(lefts.size(), 1) << "the foot is in line with the questions";
    dialog->chooseModel(u"llama3-8b"_s);
    ASSERT_TRUE(QTest::qWaitFor([dialog] { return !dialog->isComputing(); }, 120'000));
    for (const QWidget* card : cards)
        EXPECT_TRUE(card->isVisible()) << card->metaObject()->className();
    dialog->reject();
}

} // namespace prism::ui::test
