// SPDX-License-Identifier: GPL-3.0-or-later
// The pages Job, Explore, Moves and Validate on a small study: they answer, and what is done on them is a step of the undo stack.
#include "tests/ui/studies.h"

#include "core/base/outputfile.h"
#include "ui/explore/candidatemodel.h"
#include "ui/explore/explorepage.h"
#include "ui/findings/measuredchange.h"
#include "ui/findings/searchtext.h"
#include "ui/job/factscard.h"
#include "ui/job/jobpage.h"
#include "ui/look/format.h"
#include "ui/moves/movesmodel.h"
#include "ui/moves/movespage.h"
#include "ui/pages/scalepage.h"
#include "ui/validate/validatepage.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QTableView>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTest>

#include <gtest/gtest.h>

#include <cmath>

namespace prism::ui::test {

using namespace Qt::StringLiterals;

namespace {

class Answers : public testing::Test {
protected:
    void SetUp() override
    {
        m_theme.setMode(Theme::Mode::light);
        m_theme.applyTo(*qApp);
        Scenario base = *setParameter(smallScenario("base"), "training.train_tokens", "1e12");
        Scenario other = *setParameter(base, "parallelism.pipeline_model_parallel_size", "2");
        other.name = "other";
        StudyState state;
        state.entries.push_back({1, std::make_shared<const Scenario>(base), 0, true, false});
        state.entries.push_back({2, std::make_shared<const Scenario>(other), 1, true, false});
        state.baselineId = 1;
        m_study.reset(state, 1);
        refresh();
    }
    /// The context as the workspace makes it, with every scenario computed.
    void refresh()
    {
        m_context.scenarios.clear();
        EvaluateOptions options;
        options.seed = 7;
        options.numSamples = 500;
        options.varianceShares = options.systemsRange = false;
        for (const ScenarioEntry& e : m_study.state().entries) {
            ShownScenario shown;
            shown.id = e.id;
            shown.name = QString::fromStdString(e.scenario->name);
            shown.colour = e.colour;
            shown.isBaseline = e.id == 1;
            shown.isCurrent = e.id == m_study.currentId();
            shown.snapshot = m_evaluator->evaluate(*e.scenario, options);
            shown.hash = shown.snapshot->hash;
            ASSERT_TRUE(shown.snapshot->valid());
            m_context.scenarios << shown;
        }
        m_context.currentId = m_study.currentId();
        m_context.baselineId = 1;
        m_context.evaluator = m_evaluator;
        m_context.selection = &m_selection;
        m_context.study = &m_study;
        m_context.insights = &m_runner;
    }
    void show(Page& page)
    {
        page.resize(1056, 680);
        refresh();
        page.setContext(m_context);
        settle(page);
    }
    static void settle(const Page& page)
    {
        ASSERT_TRUE(QTest::qWaitFor([&] { return !page.isComputing(); }, 120'000));
    }
    void keep(Page& page)
    {
        const QString folder = qEnvironmentVariable("PRISM_GALLERY");
        if (folder.isEmpty())
            return;
        page.grab().save(u"%1/page-%2.png"_s.arg(folder, page.id()));
        m_theme.setMode(Theme::Mode::dark);
        page.grab().save(u"%1/page-%2-dark.png"_s.arg(folder, page.id()));
        m_theme.setMode(Theme::Mode::light);
    }

    Theme m_theme;
    std::shared_ptr<Evaluator> m_evaluator = std::make_shared<Evaluator>();
    Selection m_selection;
    StudyModel m_study;
    InsightRunner m_runner;
    PageContext m_context;
};

} // namespace

TEST_F(Answers, TheJobIsAnsweredAndItsDeadlineIsAStepOfTheUndoStack)
{
    JobPage page(m_theme);
    show(page);
    ASSERT_NE(page.report(), nullptr);
    EXPECT_TRUE(page.report()->presetAssumed);
    EXPECT_GT(page.ends().itemCount(), 0);
    EXPECT_GE(page.losses().itemCount(), 3);
    const QRectF area(0, 0, 1000, 100);
    double end = 0, days = 0;
    for (int i = 0; i < page.losses().itemCount(); ++i) { // the parts fill the bar in proportion, without a gap
        EXPECT_NEAR(page.losses().partRect(area, i).left(), end, 1e-9);
        end = page.losses().partRect(area, i).right();
        days += page.losses().data().rows[static_cast<std::size_t>(i)].value;
    }
    EXPECT_NEAR(end, 1000, 1e-9);
    EXPECT_NEAR(page.losses().partRect(area, 0).width(), 1000 * page.losses().data().rows.front().value / days, 1e-9);
    EXPECT_GT(page.facts().factCount(), 2);
    EXPECT_GT(page.facts().assumptionCount(), 3);
    keep(page);
    Q_EMIT page.ends().deadlineMoved(20);
    EXPECT_TRUE(page.ends().data().flag.startsWith(u"P(done within 20 days) = "_s));
    EXPECT_EQ(m_study.current()->scenario->job, JobConfig{}) << "nothing is changed while the flag is dragged";
    Q_EMIT page.ends().deadlineReleased();
    EXPECT_EQ(m_study.current()->scenario->job.deadlineDays, 20);
    EXPECT_TRUE(m_study.current()->scenario->job.failures.empty()) << "what was not set still follows the job";
    show(page);
    EXPECT_TRUE(page.report()->presetAssumed);
    EXPECT_EQ(page.report()->deadlineDays, 20);
    m_study.undoStack()->undo();
    EXPECT_EQ(m_study.current()->scenario->job, JobConfig{});
}

TEST_F(Answers, AStartGivesTheJobACalendar)
{
    JobPage page(m_theme);
    show(page);
    page.startField().setText(u"2026-02-24"_s);
    page.startField().setModified(true);
    Q_EMIT page.startField().editingFinished();
    EXPECT_EQ(m_study.current()->scenario->job.startDate, "2026-02-24");
    show(page);
    EXPECT_FALSE(page.ends().data().bars.front().date.empty());
    page.deadlineField().setText(u"2026-04-01"_s);
    page.deadlineField().setModified(true);
    Q_EMIT page.deadlineField().editingFinished();
    EXPECT_EQ(m_study.current()->scenario->job.deadlineDays, 37); // 5 days of February, 31 of March, and the first of April
    page.deadlineField().setText(u"soon"_s);
    page.deadlineField().setModified(true);
    Q_EMIT page.deadlineField().editingFinished();
    EXPECT_EQ(page.deadlineField().property("state").toString(), u"error"_s);
    EXPECT_EQ(m_study.current()->scenario->job.deadlineDays, 37);
}

TEST_F(Answers, AWorseCheckpointIntervalOffersTheBest)
{
    JobPage page(m_theme);
    show(page);
    Scenario slow = *m_study.current()->scenario;
    slow.job = jobSectionOf(slow)->config;
    slow.job.failureScale = 50; // a failure every 16 hours, a checkpoint every 11
    slow.job.checkpointIntervalS = 40'000;
    m_study.setScenario(1, slow, u"Rare checkpoints"_s);
    show(page);
    ASSERT_TRUE(page.useBest().isVisibleTo(&page));
    page.useBest().click();
    EXPECT_EQ(m_study.current()->scenario->job.checkpointIntervalS, 0) << "0 stands for the best one";
}

TEST_F(Answers, ASearchRanksAndEnterMakesAScenario)
{
    ExplorePage page(m_theme);
    show(page);
    EXPECT_EQ(page.candidates().rowCount(), 0) << "nothing is searched unasked";
    page.ranges().setText(u"TP 2, 4; PP 1 … 4"_s);
    page.search();
    settle(page);
    ASSERT_NE(page.exploration(), nullptr);
    EXPECT_EQ(page.exploration()->points, 6);
    ASSERT_GT(page.candidates().rowCount(), 1);
    EXPECT_GE(page.scatter().itemCount(), page.candidates().rowCount()) << "the present scenario is marked, too";
    const QAbstractItemModelTester tester(&page.candidates());
    const double now = m_context.current()->snapshot->across.p95;
    for (int row = 0; row < page.candidates().rowCount(); ++row) {
        const ExploreCandidate& c = page.exploration()->candidates[static_cast<std::size_t>(page.candidates().candidateAt(row))];
        const QString change = page.candidates().index(row, CandidateModel::changeColumn).data().toString();
        const bool isClear = std::abs(c.p95.value / now - 1) > 0.05;
        EXPECT_TRUE(!isClear || (change.startsWith(u'+') || change.endsWith(u'×')) == (c.p95.value > now)) << change.toStdString();
        EXPECT_EQ(page.table().rowHeight(row), m_theme.px(metric::row)) << "one line for each layout";
    }
    page.candidates().sort(CandidateModel::memoryColumn, Qt::DescendingOrder);
    EXPECT_TRUE(page.candidates().markOf(page.candidates().candidateAt(page.candidates().rowOf(0))).contains(u"best"_s));
    keep(page);
    page.grab(); // lays it out
    EXPECT_EQ(page.table().horizontalScrollBar()->maximum(), 0) << "every value is in view";
    EXPECT_GE(page.table().columnWidth(CandidateModel::nameColumn), 150);
    const auto before = m_study.state().entries.size();
    page.table().selectRow(0);
    page.apply(page.candidates().candidateAt(0));
    ASSERT_EQ(m_study.state().entries.size(), before + 1);
    EXPECT_TRUE(QString::fromStdString(m_study.current()->scenario->name).startsWith(u"TP"_s));
    m_study.undoStack()->undo();
    EXPECT_EQ(m_study.state().entries.size(), before);
    const QString best = candidateName(page.exploration()->candidates.front());
    const Result<Scenario> taken = candidateScenario(*m_study.current()->scenario, page.exploration()->candidates.front());
    ASSERT_TRUE(taken.ok());
    m_study.setScenario(m_study.currentId(), *taken, u"The best one"_s);
    show(page);
    page.search();
    settle(page);
    EXPECT_TRUE(page.answer().startsWith(u"Keep the present layout: the best other one, "_s)) << page.answer().toStdString();
    EXPECT_FALSE(page.answer().contains(best + u',')) << page.answer().toStdString() << ": that is the present one";
    page.ranges().setText(u"nonsense 4"_s);
    page.search();
    EXPECT_EQ(page.ranges().property("state").toString(), u"error"_s);
}

TEST_F(Answers, ExploreNamesConfigurationsThatAreEqual)
{
    ExplorePage page(m_theme);
    show(page);
    page.ranges().setText(u"TP 1, 2; SP true, false"_s); // without tensor parallelism there is nothing for sequence parallelism to split
    page.search();
    settle(page);
    ASSERT_NE(page.exploration(), nullptr);
    int equal = 0;
    for (int candidate = 0; candidate < static_cast<int>(page.exploration()->candidates.size()); ++candidate) {
        const ExploreCandidate& c = page.exploration()->candidates[static_cast<std::size_t>(candidate)];
        const int row = page.candidates().rowOf(candidate);
        const auto printed = [&](int role) { return page.candidates().index(row, CandidateModel::markColumn).data(role).toString(); };
        const QString reading = page.scatter().itemReading(candidate).join(u'\n');
        EXPECT_EQ(printed(Qt::DisplayRole).contains(u"1 equal"_s), !c.equals.empty()) << shortText(c.values);
        EXPECT_EQ(printed(Qt::ToolTipRole).contains(u"Identical in every metric: SP"_s), !c.equals.empty());
        EXPECT_EQ(reading.contains(u"Identical in every metric: SP"_s), !c.equals.empty());
        EXPECT_EQ(page.candidates().table().rows[row].back().startsWith(u"SP"_s), !c.equals.empty());
        equal += static_cast<int>(c.equals.size());
    }
    EXPECT_EQ(equal, 1);
}

TEST_F(Answers, AJobWithoutAnEndHasNotFailed)
{
    ASSERT_FALSE(hasErrors(m_study.setParameter(1, "training.train_tokens", "0")));
    JobPage page(m_theme);
    show(page);
    EXPECT_EQ(page.state(), PageState::current);
    EXPECT_FALSE(page.isComputing());
    EXPECT_TRUE(page.ends().message().contains(u"tokens"_s)) << page.ends().message().toStdString();
    for (const QWidget* card :
         {static_cast<QWidget*>(&page.losses()), static_cast<QWidget*>(&page.intervals()), static_cast<QWidget*>(&page.facts())})
        EXPECT_FALSE(card->isVisibleTo(&page)) << "one card gives the reason, the others would repeat it";
    ASSERT_FALSE(hasErrors(m_study.setParameter(1, "training.train_tokens", "1e12")));
    show(page);
    EXPECT_TRUE(page.losses().isVisibleTo(&page) && page.intervals().isVisibleTo(&page) && page.facts().isVisibleTo(&page));
    EXPECT_EQ(page.state(), PageState::current);
    EXPECT_GT(page.asTable().rows.size(), 0);
}

TEST_F(Answers, APictureHasOnlyItsCharts)
{
    MovesPage page(m_theme);
    show(page);
    EXPECT_EQ(page.exportSize(), page.curves().size()) << "the table next to the curves is not drawn";
    EXPECT_LT(page.exportSize().width(), page.width());
}

TEST_F(Answers, MovesReachAGoalAndOneBecomesAScenario)
{
    MovesPage page(m_theme);
    show(page);
    ASSERT_GT(page.moves().rowCount(), 0);
    const QAbstractItemModelTester tester(&page.moves());
    const Move best = *page.moves().moveAt(0);
    EXPECT_TRUE(best.improves);
    ASSERT_GT(page.curves().itemCount(), 1) << "now and ghosts";
    const double headline = m_context.scenarios[0].snapshot->across.p95;
    EXPECT_EQ(page.curves().data().flag->seconds, headline) << "one home for the figure";
    EXPECT_EQ(page.moves().data(page.moves().index(0, MovesModel::p95Column)).toString(),
              format::seconds(headline - best.p95Gain.value).text());
    const QString onPaper = page.paperNotes().join(u' ');
    for (const StepCurve& curve : page.curves().data().curves)
        EXPECT_TRUE(!curve.ghost || onPaper.contains(u"%1 %2"_s.arg(curve.number, curve.name))) << onPaper.toStdString();
    page.setGoal(1e6); // any step is shorter
    settle(page);
    EXPECT_EQ(page.moves().data(page.moves().index(0, MovesModel::goalColumn)).toString(), u"reaches"_s);
    EXPECT_TRUE(page.curves().data().flag->text.startsWith(u"Goal: p95"_s));
    page.setGoal(1e-6);
    settle(page);
    EXPECT_TRUE(page.moves().data(page.moves().index(0, MovesModel::goalColumn)).toString().endsWith(u"short"_s));
    const auto before = m_study.state().entries.size();
    page.apply(0);
    EXPECT_EQ(m_study.state().entries.size(), before + 1);
    QTest::keyClick(&page, Qt::Key_Escape);
    EXPECT_EQ(page.goal(), 0);
}

TEST(MovesColumns, HaveOneUnitEach)
{
    Moves moves;
    moves.p95 = 1.001;
    for (const double gain : {0.12, 40e-6}) {
        Move m;
        m.changes = {"TP 8 -> 4"};
        m.p95Gain = {gain, gain / 10};
        m.improves = true;
        moves.moves.push_back(m);
    }
    MovesModel model;
    model.setMoves(moves, 0);
    const auto cell = [&model](int row, int column) { return model.index(row, column).data().toString(); };
    EXPECT_EQ(cell(0, MovesModel::gainColumn), u"−120 ± 10 ms"_s);
    EXPECT_EQ(cell(1, MovesModel::gainColumn), u"−0.040 ± 0.004 ms"_s) << "not in µs";
    EXPECT_EQ(cell(0, MovesModel::p95Column), u"0.881 s"_s) << "not in ms";
    EXPECT_EQ(cell(1, MovesModel::p95Column), u"1.00 s"_s);
}

TEST_F(Answers, ASizeOfTheScaleBecomesAScenario)
{
    ScalePage page(m_theme);
    show(page);
    auto& make = *page.findChild<QPushButton*>(u"makeScenario"_s);
    auto& points = *page.findChild<QTableWidget*>(u"scaleTable"_s);
    EXPECT_FALSE(make.isEnabled()) << "no row is selected";
    const Scenario& now = *m_study.current()->scenario;
    int own = -1, other = -1;
    for (int row = 0; row < points.rowCount(); ++row)
        (points.item(row, 0)->text() == format::count(now.cluster.numGpus) ? own : other) = row; // the largest one
    ASSERT_TRUE(own >= 0 && other >= 0);
    points.selectRow(own);
    EXPECT_FALSE(make.isEnabled()) << "it is this scenario";
    points.selectRow(other);
    ASSERT_TRUE(make.isEnabled());
    EXPECT_TRUE(make.text().contains(points.item(other, 0)->text())) << make.text().toStdString();
    const auto before = m_study.state().entries.size();
    const int parent = m_study.currentId();
    make.click();
    ASSERT_EQ(m_study.state().entries.size(), before + 1);
    const ScenarioEntry& made = *m_study.current();
    EXPECT_EQ(format::count(made.scenario->cluster.numGpus), points.item(other, 0)->text());
    EXPECT_EQ(made.scenario->training.globalBatchSize * now.cluster.numGpus, now.training.globalBatchSize * made.scenario->cluster.numGpus)
        << "weak scaling: the batch grows with the GPUs";
    EXPECT_EQ(made.parentId, parent);
    m_study.undoStack()->undo();
    EXPECT_EQ(m_study.state().entries.size(), before);
}

TEST_F(Answers, TheWaterfallGoesFromTheBaselineToTheScenario)
{
    m_study.setCurrent(2);
    MovesPage page(m_theme);
    show(page);
    const WaterfallData& data = page.why().data();
    ASSERT_GE(data.rows.size(), 3U);
    EXPECT_EQ(data.rows.front().kind, WaterfallRow::Kind::first);
    EXPECT_EQ(data.rows.back().kind, WaterfallRow::Kind::total);
    double sum = 0;
    for (const WaterfallRow& row : data.rows)
        sum += row.kind == WaterfallRow::Kind::total ? 0 : row.value;
    EXPECT_NEAR(sum, data.rows.back().value, 1e-9 * sum);
    EXPECT_EQ(data.rows.front().value, m_context.scenarios[0].snapshot->across.p95) << "as in the headline";
    EXPECT_EQ(data.rows.back().value, m_context.scenarios[1].snapshot->across.p95);
    EXPECT_TRUE(page.why().isVisibleTo(&page));
    keep(page);
    m_study.setCurrent(1);
    show(page);
    EXPECT_FALSE(page.why().isVisibleTo(&page)) << "the baseline did not move";
}

TEST_F(Answers, ALogOfTheModelsOwnStepsIsFoundRight)
{
    std::string log = "step,step_time_s\n";
    const std::vector<double> steps = m_context.scenarios[0].snapshot->samples->withinSeconds; // the context is made again below
    for (std::size_t i = 0; i < std::min<std::size_t>(steps.size(), 400); ++i)
        log += std::to_string(i + 1) + "," + std::to_string(steps[i]) + "\n";
    EXPECT_TRUE(looksLikeStepLog(log));
    EXPECT_FALSE(looksLikeStepLog("node,speed\n0,1\n1,0.9\n"));
    ValidatePage page(m_theme);
    show(page);
    page.openLog(u"own.csv"_s, log);
    settle(page);
    ASSERT_NE(page.held(), nullptr);
    const QList<Judged> rows = judgements(*page.held());
    ASSERT_EQ(rows.size(), 5);
    EXPECT_NE(rows[0].verdict, Judged::Verdict::low);
    EXPECT_NE(rows[0].verdict, Judged::Verdict::high);
    EXPECT_EQ(page.table().rowCount(), 5);
    EXPECT_EQ(page.series().itemCount(), static_cast<int>(std::min<std::size_t>(steps.size(), 400)));
    EXPECT_TRUE(page.recognised().text().contains(u"own.csv"_s));
    keep(page);
    const auto before = m_study.state().entries.size();
    page.calibrate();
    settle(page);
    ASSERT_TRUE(QTest::qWaitFor([&] { return m_study.state().entries.size() == before + 1; }, 60'000));
    EXPECT_TRUE(QString::fromStdString(m_study.current()->scenario->name).contains(u"calibrated"_s));
    m_study.undoStack()->undo();
    ASSERT_EQ(m_study.state().entries.size(), before);
    page.calibrate(); // the fit is known
    EXPECT_EQ(m_study.state().entries.size(), before + 1) << "the button does it every time";
}

TEST_F(Answers, ALogOfASlowerJobIsReportedAsSlower)
{
    std::string log = "step,step_time_s\n";
    const std::vector<double> steps = m_context.scenarios[0].snapshot->samples->withinSeconds; // the context is made again below
    for (std::size_t i = 0; i < std::min<std::size_t>(steps.size(), 300); ++i)
        log += std::to_string(i + 1) + "," + std::to_string(1.2 * steps[i]) + "\n";
    ValidatePage page(m_theme);
    show(page);
    page.openLog(u"slow.csv"_s, log);
    settle(page);
    ASSERT_NE(page.held(), nullptr);
    EXPECT_EQ(judgements(*page.held()).front().verdict, Judged::Verdict::low) << "predicted too fast";
    EXPECT_TRUE(page.answer().contains(u"too fast"_s)) << page.answer().toStdString();
    EXPECT_FALSE(page.sentence().isVisibleTo(&page)) << "the answer is at the top of the window already";
    const QString read = page.recognised().text();
    EXPECT_TRUE(read.startsWith(u"slow.csv: "_s) && read.contains(u"). 125 steps in 1 run. 125 steps compared"_s)) << read.toStdString();
    EXPECT_EQ(page.causes().text().count(u"stall"_s, Qt::CaseInsensitive), 1) << page.causes().text().toStdString();
    EXPECT_FALSE(page.causes().text().contains(u"per GPU-hour"_s)) << "a rate of many zeros";
    EXPECT_TRUE(page.causes().text().contains(u"At most one in "_s));
    for (const QString& line : page.causes().text().split(u"\n\n"_s))
        EXPECT_EQ(line[0], line[0].toUpper()) << line.toStdString();
    page.openLog(u"no.log"_s, "nothing\nto\nsee\n");
    settle(page);
    EXPECT_FALSE(page.sentence().text().isEmpty());
    EXPECT_TRUE(page.sentence().isVisibleTo(&page)) << "the reason why nothing is compared";
}

TEST_F(Answers, TwoLogsOfOneJobAreComparedUntilTheToolIsPressedAgain)
{
    const auto logOf = [](double factor) {
        std::string text = "step,step_time_s\n";
        for (int i = 0; i < 400; ++i) // values of a sequence that fills the range evenly
            text += std::to_string(i + 1) + "," + std::to_string(factor * (2 + 0.02 * std::fmod(i * 0.618034, 1.0))) + "\n";
        return text;
    };
    QTemporaryDir folder;
    const QString after = folder.filePath(u"after.csv"_s), broken = folder.filePath(u"broken.csv"_s);
    ASSERT_FALSE(hasErrors(writeFile(after.toStdString(), logOf(1.1), Flush::no)));
    ASSERT_FALSE(hasErrors(writeFile(broken.toStdString(), "no steps\n", Flush::no)));
    ValidatePage page(m_theme);
    show(page);
    page.openLog(u"before.csv"_s, logOf(1));
    settle(page);
    const QString alone = page.answer();
    EXPECT_FALSE(page.changes().isVisibleTo(&page));
    page.compareWith(after);
    settle(page);
    ASSERT_TRUE(page.changes().isVisibleTo(&page));
    EXPECT_FALSE(page.table().isVisibleTo(&page)) << "one table at a time";
    EXPECT_TRUE(page.answer().startsWith(u"The mean step is +10.0 % ("_s)) << page.answer().toStdString();
    EXPECT_TRUE(page.changes().tool()->text().contains(u"after.csv"_s) && page.changes().tool()->isChecked());
    const QTableWidget& table = page.changes().table();
    EXPECT_EQ(table.item(0, 1)->text(), u"mean"_s);
    EXPECT_EQ(table.item(0, 2)->text(), u"2.01 s"_s);
    EXPECT_EQ(table.item(0, 3)->text(), u"2.21 s"_s);
    EXPECT_EQ(page.asTable().rows[0][8], u"yes"_s);
    keep(page);
    ASSERT_FALSE(hasErrors(writeFile(after.toStdString(), logOf(1.2), Flush::no)));
    page.compareWith(after);
    settle(page);
    EXPECT_TRUE(page.answer().startsWith(u"The mean step is +20.0 % ("_s)) << "the file was written again: " << page.answer().toStdString();
    page.compareWith(broken);
    settle(page);
    EXPECT_EQ(page.changes().table().rowCount(), 0);
    EXPECT_EQ(page.answer(), alone) << "nothing of the comparison before";
    page.compareWith(after);
    settle(page);
    page.changes().tool()->click();
    settle(page);
    EXPECT_FALSE(page.changes().isVisibleTo(&page));
    EXPECT_TRUE(page.table().isVisibleTo(&page));
    EXPECT_EQ(page.answer(), alone);
}

TEST(MeasuredChanges, AreInPerCentOfTheValueBeforeAndTheStepIsFirst)
{
    ChangeReport report;
    report.metrics = {{"gemm", "total", "s per step", 0.5, 0.4, {-0.1, -0.15, -0.05}},
                      {"attention", "count", "per step", 4, 4, {0, 0, 0}},
                      {"step", "mean", "s", 2, 2.1, {0.1, 0.02, 0.18}},
                      {"step", "p95", "s", 2.5, 2.4, {-0.1, -0.3, 0.1}},
                      {"step", "trend", "share of the level", 0.01, -0.03, {-0.04, -0.05, -0.03}}};
    const QList<ChangeRow> rows = changeRows(report);
    ASSERT_EQ(rows.size(), 5);
    EXPECT_EQ(rows[0].subject + rows[0].metric, u"stepmean"_s);
    EXPECT_EQ(rows[0].change, u"+5.0 %"_s);
    EXPECT_EQ(rows[0].interval, u"+1.0 % to +9.0 %"_s);
    EXPECT_TRUE(rows[0].isBeyondNoise && rows[0].isWorse);
    EXPECT_EQ(rows[1].change, u"−4.0 %"_s);
    EXPECT_FALSE(rows[1].isBeyondNoise);
    EXPECT_EQ(rows[2].change, u"−4.0 %"_s) << "a share is not taken in per cent of a share";
    EXPECT_EQ(rows[3].subject, u"gemm"_s) << "beyond noise before what is not";
    EXPECT_TRUE(rows[3].isBeyondNoise && !rows[3].isWorse);
    EXPECT_EQ(rows[4].metric, u"count, per step"_s);
    EXPECT_EQ(changeSentence(report), u"The mean step is +5.0 % (+1.0 % to +9.0 %), p95 is unchanged within the noise (−12.0 % to +4.0 %); "
                                      "3 of 5 metrics changed by more than noise."_s);
}

} // namespace prism::ui::test
