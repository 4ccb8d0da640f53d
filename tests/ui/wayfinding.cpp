// SPDX-License-Identifier: GPL-3.0-or-later
// Ways through the window: filter, parts by keys, from a bar to its parameter, help, and pictures that are whole.
#include "tests/ui/window_fixture.h"
#include "ui/distribution/distributionpage.h"
#include "ui/look/format.h"
#include "ui/editor/parameterrow.h"
#include "ui/pages/sensitivitypage.h"
#include "ui/window/actions.h"
#include "ui/window/helpdialog.h"
#include "ui/window/jobbar.h"
#include "ui/window/recentfiles.h"
#include "ui/window/scenariopanel.h"

#include <QImage>
#include <QLabel>
#include <QMenu>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTextBrowser>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui::test {

class Wayfinding : public WindowTest {};

TEST_F(Wayfinding, AFilterHidesRowsAndChangesNothing)
{
    auto window = smallWindow();
    StudyModel& study = window->workspace().study();
    for (int i = 0; i < 4; ++i)
        study.duplicate(1);
    settle(*window);
    const StudyState before = study.state();
    window->scenarios().setFilter(u"slow"_s);
    EXPECT_EQ(window->scenarios().shownCount(), 1);
    window->scenarios().setFilter(u"tp = 4 and fits"_s);
    EXPECT_EQ(window->scenarios().shownCount(), 6);
    window->scenarios().setFilter({});
    EXPECT_EQ(window->scenarios().shownCount(), 6);
    EXPECT_TRUE(study.state() == before);
}

TEST_F(Wayfinding, AParameterIsFoundAndCounted)
{
    auto window = smallWindow();
    const auto* hits = window->editor().findChild<QLabel*>(u"parametersFound"_s);
    ASSERT_NE(hits, nullptr);
    EXPECT_TRUE(hits->isHidden());
    window->editor().setFilter(u"micro-batch"_s);
    int shown = 0;
    for (const ParameterRow* row : window->editor().findChildren<ParameterRow*>())
        shown += row->isHidden() ? 0 : 1;
    EXPECT_GT(shown, 0);
    EXPECT_EQ(hits->text(), u"%1 found"_s.arg(shown));
    window->editor().setFilter(u"no such parameter"_s);
    EXPECT_EQ(hits->text(), u"Nothing found"_s);
    window->editor().setFilter({});
    EXPECT_TRUE(hits->isHidden());
}

TEST_F(Wayfinding, ARecentStudyThatIsGoneIsTakenOffTheList)
{
    const QTemporaryDir folder;
    const QString there = folder.filePath(u"there & here.prism"_s), gone = folder.filePath(u"gone.prism"_s);
    QFile file(there);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    for (const QString& path : {there, gone})
        rememberRecent(path);
    QMenu menu;
    QStringList opened;
    const auto fill = [&] { fillRecent(menu, [&](const QString& path) { opened << path; }); };
    fill();
    ASSERT_GE(menu.actions().size(), 2);
    EXPECT_TRUE(menu.actions()[0]->text().startsWith(u"Gone, remove"_s)) << menu.actions()[0]->text().toStdString();
    menu.actions()[1]->trigger();
    menu.actions()[0]->trigger();
    EXPECT_EQ(opened, QStringList{there}) << "what is gone opens nothing";
    EXPECT_EQ(recentFiles().front(), there);
    fill();
    EXPECT_TRUE(menu.actions()[0]->text().startsWith(u"there && here.prism"_s));
    forgetRecent(there);
    EXPECT_FALSE(recentFiles().contains(there));
    for (int i = 0; i < 12; ++i)
        rememberRecent(folder.filePath(QString::number(i)));
    EXPECT_EQ(recentFiles().size(), 8);
    for (int i = 0; i < 12; ++i)
        forgetRecent(folder.filePath(QString::number(i)));
}

TEST_F(Wayfinding, F6GoesThroughThePartsAndBack)
{
    auto window = smallWindow();
    window->activateWindow();
    QAction* next = window->actions().get(u"view.nextPane"_s);
    const QList<QWidget*> parts{&window->scenarios(), &window->editor(), &window->pages(), &window->jobs()};
    const auto focused = [&] {
        for (qsizetype i = 0; i < parts.size(); ++i)
            if (QWidget* now = window->focusWidget(); now && (parts[i] == now || parts[i]->isAncestorOf(now)))
                return static_cast<int>(i);
        return -1;
    };
    window->scenarios().table().setFocus();
    QSet<int> seen;
    for (int i = 0; i < 4; ++i) {
        seen << focused();
        next->trigger();
    }
    EXPECT_TRUE(seen.contains(0) && seen.contains(1) && seen.contains(2)) << "scenarios, configuration, pages";
}

TEST_F(Wayfinding, ABarLeadsToItsParameter)
{
    auto window = smallWindow();
    window->pages().showPage(u"sensitivity"_s);
    settlePage(*window);
    auto* page = static_cast<SensitivityPage*>(window->pages().current());
    ASSERT_GT(page->tornado().itemCount(), 0);
    const auto& rows = page->tornado().data().rows;
    const auto bar = std::find_if(rows.begin(), rows.end(), [](const TornadoRow& r) { return !r.parameter.isEmpty(); });
    ASSERT_NE(bar, rows.end());
    const QString parameter = bar->parameter;
    QSignalSpy requested(page, &Page::parameterRequested);
    page->tornado().setFocusItem(static_cast<int>(bar - rows.begin()));
    QTest::keyClick(&page->tornado(), Qt::Key_Return);
    ASSERT_EQ(requested.count(), 1);
    EXPECT_EQ(requested.front().front().toString(), parameter);
    QTest::qWait(20);
    ParameterRow* row = window->editor().row(parameter);
    ASSERT_NE(row, nullptr);
    EXPECT_TRUE(row->isVisibleTo(window.get()));
    EXPECT_FALSE(page->printedNames().isEmpty());
}

TEST_F(Wayfinding, HelpFindsWordsOnAllPagesAndTheRowOfAMetric)
{
    auto window = smallWindow(); // brings the resources
    const QList<HelpHit> hits = helpHits(u"dashed line"_s);
    EXPECT_TRUE(std::any_of(hits.begin(), hits.end(), [](const HelpHit& h) { return h.page == u"distribution"; }));
    HelpDialog dialog(theme, nullptr);
    dialog.setAttribute(Qt::WA_DeleteOnClose, false);
    dialog.search(u"common random numbers"_s);
    EXPECT_GT(dialog.hitCount(), 1);
    dialog.search(u"nosuchwordanywhere"_s);
    EXPECT_EQ(dialog.hitCount(), 0);
    dialog.open(u"figure:step_time_s.p95"_s);
    EXPECT_TRUE(dialog.browser().textCursor().selectedText() == u"step_time_s.p95"_s)
        << dialog.browser().textCursor().selectedText().toStdString();
}

TEST_F(Wayfinding, APictureHasTheMetricsOfItsCurvesAndLeavesThePageAsItWas)
{
    auto window = smallWindow();
    auto* page = static_cast<DistributionPage*>(window->pages().current());
    const QSize before = page->size(), paper = page->exportSize();
    const QString file = folder.filePath(u"page.png"_s);
    ASSERT_EQ(window->pages().exportTo(file), QString());
    int named = 0;
    for (const PaintedLabel& label : page->chart().labels()) // as they were painted on paper
        if (!label.isReading) {
            const QString p95 = format::seconds(shown(*window, label.scenario)->across.p95).text();
            EXPECT_TRUE(label.text.contains(u"p95 "_s + p95)) << label.text.toStdString();
            ++named;
        }
    EXPECT_EQ(named, 2);
    EXPECT_EQ(page->size(), before);
    const QImage picture(file);
    EXPECT_GT(picture.height(), 2 * paper.height()) << "title, configuration and method are around it";
}

TEST_F(Wayfinding, TwoLimitsReadTheShareBetween)
{
    auto window = smallWindow();
    auto* page = static_cast<DistributionPage*>(window->pages().current());
    page->setBetween(true);
    settle(*window);
    const StepLimits limits = page->limits();
    ASSERT_TRUE(limits.between());
    EXPECT_NEAR(shareAt(*shown(*window, 1), false, limits).value, 0.90, 0.01); // p5 to p95
    const TableData table = page->asTable();
    EXPECT_EQ(table.header.back(), u"p_step_between_limits"_s);
    for (const QStringList& row : table.rows)
        EXPECT_EQ(row.size(), table.header.size());
    Q_EMIT page->chart().limitTyped(u"1 s to 2 s"_s);
    settle(*window);
    EXPECT_EQ(page->limits().lower, 1);
    EXPECT_EQ(page->limits().upper, 2);
    page->setBetween(false);
    settle(*window);
    EXPECT_FALSE(page->limits().between());
}

} // namespace prism::ui::test
