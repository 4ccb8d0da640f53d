// SPDX-License-Identifier: GPL-3.0-or-later
// Every page through every state and every change between two of them: what it is and what it writes are the same.
#include "tests/ui/paintedtext.h"
#include "tests/ui/studies.h"
#include "ui/bridge/insightrunner.h"
#include "ui/model/selection.h"
#include "ui/model/studymodel.h"
#include "ui/pages/page.h"
#include "ui/window/mainwindow.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QTest>

#include <atomic>
#include <thread>

namespace prism::ui::test {

using namespace Qt::Literals::StringLiterals;

namespace {

constexpr int kPatienceMs = 120'000;

const PageState kSteps[] = {PageState::waiting, PageState::computing, PageState::partial,  PageState::current,
                            PageState::stale,   PageState::invalid,   PageState::cancelled};

bool needsData(PageState state)
{
    return state == PageState::partial || state == PageState::current || state == PageState::stale;
}

/// Step times that are in a state; with or without an earlier result to show.
ShownScenario stepsIn(PageState state, const SnapshotPtr& snapshot)
{
    ShownScenario s;
    s.id = 1;
    s.name = u"base"_s;
    s.isBaseline = s.isCurrent = true;
    s.snapshot = snapshot;
    s.hash = snapshot ? snapshot->hash : ContentHash();
    s.stale = state != PageState::current && state != PageState::waiting;
    s.partial = state == PageState::partial;
    s.invalid = state == PageState::invalid;
    s.cancelled = state == PageState::cancelled;
    return s;
}

QString writtenOn(Page& page)
{
    QStringList all;
    for (const PaintedText& text : paintedTexts(page))
        all << text.text;
    return all.join(u' ');
}

} // namespace

class PageStateWalk : public testing::Test {
protected:
    void SetUp() override
    {
        theme.applyTo(*qApp);
        Scenario base = smallScenario("base");
        base.training.trainTokens = 1e9; // the page of the whole job asks for an end
        m_id = study.addScenario(base, u"Add"_s);
        EvaluateOptions options;
        options.seed = 7;
        options.numSamples = 1000;
        options.varianceShares = options.systemsRange = false;
        snapshot = evaluator->evaluate(*study.entry(m_id)->scenario, options);
        ASSERT_TRUE(snapshot->valid());
        pages = makePages(theme, cache);
        for (Page* page : pages) {
            page->setParent(&window);
            page->resize(900, 640);
            page->hide();
            if (page->tools())
                page->tools()->hide(); // they are elsewhere in the window
        }
        window.resize(900, 640);
        window.show();
    }
    PageContext contextOf(const ShownScenario& scenario)
    {
        PageContext context;
        context.scenarios = {scenario};
        context.scenarios.front().id = m_id;
        context.currentId = context.baselineId = m_id;
        context.evaluator = evaluator;
        context.selection = &selection;
        context.study = &study;
        context.insights = runner.get();
        return context;
    }
    void show(Page& page, PageState steps, const SnapshotPtr& data) { page.setContext(contextOf(stepsIn(steps, data))); }
    /// The page is in the state, and its text is that of this state alone.
    static void expectPrinted(Page& page, PageState state, const std::string& how)
    {
        SCOPED_TRACE(page.id().toStdString() + ", " + how);
        EXPECT_EQ(wordOf(page.state()), wordOf(state)) << static_cast<int>(page.state());
        const QString written = writtenOn(page);
        const bool stopped = written.contains(u"Stopped"_s),
                   isInvalid = written.contains(u"not valid"_s) || written.contains(u"Input to fix"_s);
        const bool works = written.contains(u" …"_s) || written.contains(u"Computing"_s) || written.contains(u"First samples"_s);
        EXPECT_EQ(stopped, state == PageState::cancelled) << written.toStdString();
        EXPECT_EQ(isInvalid, state == PageState::invalid) << written.toStdString();
        EXPECT_EQ(works, isUnderWay(state)) << written.toStdString();
    }
    void waitFor(const Page& page)
    {
        ASSERT_TRUE(QTest::qWaitFor([&] { return !page.isComputing() && runner->isIdle(); }, kPatienceMs));
    }

    Theme theme;
    ChangesCache cache;
    Selection selection;
    StudyModel study;
    std::shared_ptr<Evaluator> evaluator = std::make_shared<Evaluator>();
    std::unique_ptr<InsightRunner> runner = std::make_unique<InsightRunner>();
    SnapshotPtr snapshot;
    QWidget window; ///< of the pages
    QList<Page*> pages;

private:
    int m_id = 0;
};

TEST_F(PageStateWalk, WithoutAnAnswerEveryChangeIsReported)
{
    runner->setHeld(true); // nothing is answered meanwhile
    for (Page* page : pages) {
        page->show();
        page->setContext({});
        EXPECT_EQ(page->state(), PageState::empty) << page->id().toStdString();
        for (const PageState from : kSteps)
            for (const PageState to : kSteps) {
                if (needsData(from) || needsData(to))
                    continue;
                show(*page, from, nullptr);
                show(*page, to, nullptr);
                expectPrinted(*page, to, wordOf(from).toStdString() + " to " + wordOf(to).toStdString());
            }
        page->hide();
    }
}

TEST_F(PageStateWalk, WithAnAnswerEveryChangeIsReported)
{
    for (Page* page : pages) {
        page->show();
        show(*page, PageState::current, snapshot);
        waitFor(*page);
        for (const PageState from : kSteps)
            for (const PageState to : kSteps) {
                if (from == PageState::waiting || to == PageState::waiting || from == PageState::computing || to == PageState::computing)
                    continue; // with a result they are stale
                show(*page, from, snapshot);
                show(*page, to, snapshot);
                expectPrinted(*page, to, wordOf(from).toStdString() + " to " + wordOf(to).toStdString() + " with a result");
            }
        EXPECT_TRUE(runner->isIdle()) << page->id().toStdString() << ": the same question again costs nothing";
        page->hide();
    }
}

TEST_F(PageStateWalk, AnAnswerThatIsStoppedStaysStoppedUntilItIsRequestedAgain)
{
    int requested = 0;
    for (Page* page : pages) {
        page->show();
        runner->setHeld(true);
        show(*page, PageState::current, snapshot);
        if (!page->isComputing()) { // drawn from the step times alone, or requested by a button
            page->hide();
            continue;
        }
        ++requested;
        expectPrinted(*page, PageState::waiting, "held");
        runner->setHeld(false);
        expectPrinted(*page, PageState::computing, "started");
        runner->cancelAll();
        waitFor(*page);
        expectPrinted(*page, PageState::cancelled, "stopped");
        show(*page, PageState::current, snapshot);
        expectPrinted(*page, PageState::cancelled, "stopped, and looked at again");
        runner->retry();
        show(*page, PageState::current, snapshot);
        EXPECT_TRUE(page->isComputing()) << page->id().toStdString();
        waitFor(*page);
        expectPrinted(*page, PageState::current, "answered");
        page->hide();
    }
    EXPECT_GE(requested, 6) << "sensitivity, placement, pipeline, scale, moves, job";
}

TEST_F(PageStateWalk, WhatFailsReportsWhy)
{
    auto broken = std::make_shared<Snapshot>(*snapshot); // step times are there, but insights refuse the input
    broken->scenario.cluster.numGpus = 7;
    broken->hash.value += 1;
    int failed = 0;
    for (Page* page : pages) {
        page->show();
        show(*page, PageState::current, broken);
        waitFor(*page);
        if (page->state() == PageState::failed) {
            ++failed;
            const QString written = writtenOn(*page);
            EXPECT_FALSE(written.contains(u"Computing"_s) || written.contains(u" …"_s)) << page->id().toStdString();
            show(*page, PageState::invalid, broken);
            expectPrinted(*page, PageState::invalid, "failed to invalid");
            show(*page, PageState::current, broken);
            waitFor(*page);
            EXPECT_EQ(page->state(), PageState::failed) << page->id().toStdString();
        }
        page->hide();
    }
    EXPECT_GE(failed, 6) << "sensitivity, placement, pipeline, scale, moves, job";
}

TEST_F(PageStateWalk, WhatIsLookedAtIsComputedFirst)
{
    QObject hidden, visible;
    QStringList order;
    std::atomic<int> begun{0};
    const auto work = [&begun](std::stop_token stop, const JobProgress&) {
        ++begun;
        for (int i = 0; i < 200 && !stop.stop_requested(); ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return 1;
    };
    const auto run = [&](QObject& receiver, const QString& key) {
        runner->run<int>(&receiver, key, key, work, [&order, key](const std::shared_ptr<const int>&) { order << key; });
    };
    runner->setFront(&hidden);
    run(hidden, u"a"_s);
    run(hidden, u"b"_s);
    ASSERT_TRUE(QTest::qWaitFor([&] { return begun == 1; }, kPatienceMs));
    runner->setFront(&visible); // the user turns to another page
    run(visible, u"c"_s);
    EXPECT_FALSE(runner->isRunning(u"a"_s)) << "it gives way at once";
    ASSERT_TRUE(QTest::qWaitFor([&] { return order.size() == 3; }, kPatienceMs));
    EXPECT_EQ(order.front(), u"c"_s);
    EXPECT_EQ(begun, 4) << "the one that gave way began again";
}

} // namespace prism::ui::test
