// SPDX-License-Identifier: GPL-3.0-or-later
// The pages with insights, driven by a real engine on a small scenario: answers come, stay, dim and follow the selection.
#include "ui/look/format.h"
#include "ui/pages/pipelinepage.h"
#include "ui/pages/placementpage.h"
#include "ui/pages/scalepage.h"
#include "ui/pages/sensitivitypage.h"
#include "ui/pages/slownodescard.h"
#include "ui/plot/export.h"
#include "ui/theme/segmented.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {

/// Two stages on two nodes, four replicas: small enough for a test.
Scenario smallScenario()
{
    Scenario s;
    s.name = "small";
    s.cluster.numGpus = 64;
    s.cluster.gpusPerNode = 8;
    s.parallelism.tensorModelParallelSize = 8;
    s.parallelism.pipelineModelParallelSize = 2;
    s.training.globalBatchSize = 32;
    s.variability.spatial = {Family::lognormal, 0.02};
    s.variability.gemm = {Family::lognormal, 0.03};
    s.variability.interCollective = {Family::lognormal, 0.15};
    s.variability.interRegime = {Family::lognormal, 0.08};
    return s;
}

class Pages : public testing::Test {
protected:
    void SetUp() override
    {
        m_theme.setMode(Theme::Mode::light);
        m_theme.applyTo(*qApp);
        m_id = m_study.addScenario(smallScenario(), u"Add"_s);
        refresh();
    }
    void refresh()
    {
        EvaluateOptions options;
        options.seed = 7;
        options.numSamples = 400;
        options.varianceShares = options.systemsRange = false;
        const ScenarioEntry* entry = m_study.entry(m_id);
        ShownScenario shown;
        shown.id = m_id;
        shown.name = QString::fromStdString(entry->scenario->name);
        shown.snapshot = m_evaluator->evaluate(*entry->scenario, options);
        shown.hash = shown.snapshot->hash;
        ASSERT_TRUE(shown.snapshot->valid()) << shown.snapshot->diagnostics.front().message;
        m_context.scenarios = {shown};
        m_context.currentId = m_id;
        m_context.evaluator = m_evaluator;
        m_context.selection = &m_selection;
        m_context.study = &m_study;
        m_context.insights = &m_runner;
    }
    static void settle(const Page& page)
    {
        ASSERT_TRUE(QTest::qWaitFor([&] { return !page.isComputing(); }, 60'000));
    }
    void keep(Page& page)
    {
        const QString folder = qEnvironmentVariable("PRISM_GALLERY");
        if (folder.isEmpty())
            return;
        page.resize(1056, 680);
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
    int m_id = -1;
};

TEST_F(Pages, SensitivityAnswersAndFollowsTheSelection)
{
    SensitivityPage page(m_theme);
    page.resize(1056, 680);
    page.setContext(m_context);
    settle(page);
    ASSERT_GT(page.tornado().itemCount(), 2) << page.tornado().message().toStdString();
    ASSERT_GT(page.bars().itemCount(), 2);
    EXPECT_TRUE(page.tornado().staleNote().isEmpty());
    const DistributionSummary& headline = m_context.scenarios[0].snapshot->across; // of 400 steps, the tornado's of 500
    EXPECT_EQ(page.tornado().data().baseline, u"p95 now "_s + format::seconds(headline.p95).text());
    EXPECT_TRUE(page.tornado().chartText().footer.join(u' ').contains(u"n = 500 steps each"_s));
    EXPECT_TRUE(page.tornado().chartText().footer.join(u' ').contains(u"Level: the headline's, n = 400."_s));
    const QString first = page.tornado().data().rows.front().id;
    page.tornado().setFocusItem(0);
    QTest::keyClick(&page.tornado(), Qt::Key_Return);
    EXPECT_EQ(m_selection.picked().kernelClass, first);
    EXPECT_EQ(page.tornado().highlighted(), first);
    const QString answer = page.answer();
    EXPECT_TRUE(answer.startsWith(u"Removing the spread of "_s) && answer.contains(u" lowers p95 by "_s)) << answer.toStdString();
    EXPECT_FALSE(answer.contains(u") ("_s)) << answer.toStdString();
    keep(page);
    // The same question again costs no job; a stale scenario dims what is shown.
    page.setContext(m_context);
    EXPECT_FALSE(page.isComputing());
    m_context.scenarios[0].stale = true;
    page.setContext(m_context);
    EXPECT_FALSE(page.tornado().staleNote().isEmpty());
    EXPECT_FALSE(page.isComputing()); // not before the step times are there
    const TableData table = page.asTable();
    for (const QStringList& row : table.rows)
        EXPECT_EQ(row.size(), table.header.size());
}

TEST_F(Pages, WithoutALimitTheProbabilityIsOfTheOwnP95)
{
    SensitivityPage page(m_theme);
    page.restoreState({{u"figure"_s, static_cast<int>(Metric::exceedance)}});
    page.setContext(m_context); // no limit and no baseline
    settle(page);
    const double p95 = m_context.scenarios[0].snapshot->across.p95;
    EXPECT_EQ(page.tornado().data().metric, u"P(step > %1)"_s.arg(format::seconds(p95).text()));
    ASSERT_FALSE(page.tornado().data().rows.empty());
    EXPECT_NE(page.tornado().data().rows.front().removed.change, 0);
}

TEST_F(Pages, TheTornadoOfALimitIsOfItsProbability)
{
    SensitivityPage page(m_theme);
    page.resize(1056, 680);
    m_context.limitSeconds = m_context.scenarios[0].snapshot->across.p50;
    page.restoreState({{u"figure"_s, static_cast<int>(Metric::exceedance)}});
    page.setContext(m_context);
    settle(page);
    const TornadoData& data = page.tornado().data();
    ASSERT_TRUE(data.isShare);
    EXPECT_TRUE(data.metric.startsWith(u"P(step > "_s)) << data.metric.toStdString();
    ASSERT_GT(page.tornado().itemCount(), 2);
    for (const TornadoRow& row : data.rows) {
        EXPECT_LE(std::abs(row.removed.change), 1.0) << "a change of a probability";
        EXPECT_LE(std::abs(row.doubled.change), 1.0);
    }
    // Another limit is another question; the median's probability is about a half.
    const QString half = data.baseline;
    EXPECT_NEAR(half.section(u' ', -2, -2).toDouble(), 50, 10) << half.toStdString();
    m_context.limitSeconds = m_context.scenarios[0].snapshot->across.p99;
    page.setContext(m_context);
    settle(page);
    EXPECT_NE(page.tornado().data().baseline, half);
    EXPECT_NE(page.tornado().data().metric, QString());
}

TEST_F(Pages, PipelineShowsAStepAndWritesATrace)
{
    PipelinePage page(m_theme);
    page.resize(1056, 680);
    page.setContext(m_context);
    settle(page);
    ASSERT_GT(page.gantt().itemCount(), 8);
    EXPECT_EQ(page.gantt().timeline()->stages, 2);
    EXPECT_EQ(page.memory().itemCount(), 2);
    EXPECT_TRUE(page.gantt().chartText().title.contains(u"p95"_s)) << page.gantt().chartText().title.toStdString();
    keep(page);
    QTemporaryDir folder;
    const QString path = folder.filePath(u"step.json"_s);
    ASSERT_EQ(page.writeTrace(path), QString());
    QFile file(path);
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    const QJsonDocument trace = QJsonDocument::fromJson(file.readAll());
    EXPECT_FALSE(trace.isNull());
    EXPECT_FALSE(page.writeTrace(u"/nowhere/step.json"_s).isEmpty());
    page.memory().setFocusItem(1);
    QTest::keyClick(&page.memory(), Qt::Key_Return);
    EXPECT_EQ(m_selection.picked().stage, 1);
}

TEST_F(Pages, PipelineShowsTheReplicaThatIsRequested)
{
    PipelinePage page(m_theme);
    page.resize(1056, 680);
    page.setContext(m_context);
    settle(page);
    const auto slowest = page.gantt().timeline();
    ASSERT_TRUE(slowest);
    auto* field = page.tools()->findChild<QLineEdit*>(u"replica"_s);
    ASSERT_NE(field, nullptr);
    const int other = (slowest->replica + 1) % slowest->replicas;
    field->setText(QString::number(other));
    QTest::keyClick(field, Qt::Key_Return);
    settle(page);
    EXPECT_EQ(page.gantt().timeline()->replica, other);
    EXPECT_EQ(page.gantt().timeline()->sample, slowest->sample) << "the same step";
    EXPECT_TRUE(page.gantt().chartText().subtitle.contains(u"waits for replica %1"_s.arg(slowest->replica)));
    field->setText(u"9999"_s); // more than there are: the last one
    QTest::keyClick(field, Qt::Key_Return);
    settle(page);
    EXPECT_EQ(page.gantt().timeline()->replica, slowest->replicas - 1);
    page.gantt().setRange(StepRange{0, slowest->stepSeconds / 2});
    EXPECT_TRUE(page.gantt().chartText().footer.join(u' ').contains(u"Chosen: "_s));
    auto* find = page.tools()->findChild<QLineEdit*>(u"findKernel"_s);
    find->setText(u"gemm"_s);
    EXPECT_GT(page.gantt().foundSpans(), 0);
    find->setText(u"no such kernel"_s);
    EXPECT_EQ(page.gantt().foundSpans(), 0);
}

TEST_F(Pages, PipelineShowsTheMedianStepAboveTheSlowOne)
{
    PipelinePage page(m_theme);
    page.resize(1056, 680);
    page.setContext(m_context);
    settle(page);
    auto* nextTo = page.tools()->findChild<QPushButton*>(u"besideMedian"_s);
    ASSERT_NE(nextTo, nullptr);
    EXPECT_TRUE(page.median().isHidden());
    nextTo->setChecked(true);
    settle(page);
    ASSERT_FALSE(page.median().isHidden());
    ASSERT_TRUE(page.median().timeline());
    const double p50 = page.median().timeline()->totalSeconds(), p95 = page.gantt().timeline()->totalSeconds();
    EXPECT_LT(p50, p95);
    EXPECT_EQ(page.median().viewEnd(), page.gantt().viewEnd()) << "one scale";
    const double drawn = std::max(page.median().timeline()->stepSeconds, page.gantt().timeline()->stepSeconds);
    EXPECT_EQ(page.gantt().viewEnd(), drawn);
    EXPECT_TRUE(page.gantt().chartText().footer.join(u' ').contains(u"against the p50 step: "_s))
        << page.gantt().chartText().footer.join(u' ').toStdString();
    page.gantt().setView(drawn / 4, drawn / 2);
    EXPECT_EQ(page.median().viewStart(), drawn / 4) << "they are zoomed together";
    keep(page);
    nextTo->setChecked(false);
    settle(page);
    EXPECT_TRUE(page.median().isHidden());
    EXPECT_FALSE(page.memory().isHidden());
}

TEST_F(Pages, PlacementMarksMovesAndUndoesASlowNode)
{
    PlacementPage page(m_theme);
    page.resize(1056, 680);
    page.setContext(m_context);
    settle(page);
    ASSERT_GT(page.map().itemCount(), 1);
    const Scenario before = *m_study.entry(m_id)->scenario;
    page.map().setFocusItem(1);
    QTest::keyClick(&page.map(), Qt::Key_Return);
    const auto& slow = m_study.entry(m_id)->scenario->variability.slow;
    ASSERT_EQ(slow.size(), 1U);
    EXPECT_DOUBLE_EQ(slow.front().computeFactor, 1.15);
    const NodePlaces places = placesOf(*m_study.entry(m_id)->scenario, slow.front().node);
    ASSERT_FALSE(places.empty());
    EXPECT_EQ(places.front().stage, 1); // the second column is stage 1
    refresh();
    page.setContext(m_context);
    settle(page);
    EXPECT_FALSE(page.map().data().marked.isEmpty());
    keep(page);
    m_study.undoStack()->undo();
    EXPECT_EQ(*m_study.entry(m_id)->scenario, before);
    refresh();
    page.setContext(m_context);
    EXPECT_FALSE(page.isComputing()); // undone: the answer is still there
}

TEST_F(Pages, PlacementFindsANodeByItsName)
{
    PlacementPage page(m_theme);
    page.setContext(m_context);
    settle(page);
    auto* cells = page.tools()->findChild<SegmentedControl*>(u"placementCells"_s);
    cells->setCurrent(static_cast<int>(PlaceGrouping::node)); // a cell for each of the 8 nodes
    Q_EMIT cells->chosen(static_cast<int>(PlaceGrouping::node));
    auto* find = page.tools()->findChild<QLineEdit*>(u"findNode"_s);
    ASSERT_NE(find, nullptr);
    find->setText(u"NODE"_s);
    EXPECT_EQ(page.map().focusItem(), 0);
    QTest::keyClick(find, Qt::Key_Return);
    EXPECT_EQ(page.map().focusItem(), 1) << "Return continues";
    find->setText(u"5"_s);
    EXPECT_EQ(page.map().focusItem(), 5);
    QTest::keyClick(find, Qt::Key_Return);
    EXPECT_EQ(page.map().focusItem(), 5) << "there is no other";
    find->setText(u"no such"_s);
    EXPECT_EQ(page.map().focusItem(), 5) << "nothing is taken away";
}

TEST_F(Pages, PlacementShowsTheSameEffectsByNodeAndByRack)
{
    // 8 nodes of 8 GPUs, TP 8: a node is a stage of a replica. Racks of 3 nodes: 3, 3 and 2.
    Scenario racks = *m_study.entry(m_id)->scenario;
    racks.cluster.nodesPerPod = 3;
    racks.variability.slow.push_back({7, -1, 1.3, 1});
    m_study.setScenario(m_id, racks, u"Racks"_s);
    refresh();
    PlacementPage page(m_theme);
    page.resize(1056, 680);
    page.setContext(m_context);
    settle(page);
    auto* cells = page.tools()->findChild<SegmentedControl*>(u"placementCells"_s);
    ASSERT_NE(cells, nullptr);
    const auto choose = [&](PlaceGrouping grouping) {
        cells->setCurrent(static_cast<int>(grouping));
        Q_EMIT cells->chosen(static_cast<int>(grouping));
    };
    const HeatData byStage = page.map().data();
    choose(PlaceGrouping::node);
    const HeatData byNode = page.map().data();
    EXPECT_EQ(byNode.columns, 3);
    EXPECT_EQ(byNode.rows, 3);
    EXPECT_FALSE(byNode.cells[8].present) << "there are 8 nodes";
    EXPECT_EQ(byNode.marked, QList<int>{7});
    EXPECT_EQ(page.map().itemReading(7).front(), u"node 7"_s);
    for (int node = 0; node < 8; ++node) {
        const NodePlaces places = placesOf(racks, node);
        ASSERT_EQ(places.size(), 1U);
        double ratio = 0; // of the row that stands for its replica, in the column of its stage
        for (int row = 0; row < byStage.rows; ++row)
            if (byStage.rowLabels[row] == QString::number(places.front().replica))
                ratio = byStage.cells[static_cast<std::size_t>(row * byStage.columns + places.front().stage)].ratio;
        if (ratio == 0)
            ratio = byStage.cells[static_cast<std::size_t>(places.front().stage)].ratio; // the other replicas share this row
        EXPECT_DOUBLE_EQ(byNode.cells[static_cast<std::size_t>(node)].ratio, ratio) << node;
    }
    choose(PlaceGrouping::rack);
    const HeatData byRack = page.map().data();
    ASSERT_EQ(byRack.cells.size(), 3U);
    EXPECT_EQ(byRack.marked, QList<int>{2});
    for (std::size_t rack = 0; rack < 3; ++rack) {
        double worst = 0;
        for (std::size_t node = 3 * rack; node < std::min<std::size_t>(3 * rack + 3, 8); ++node)
            worst = std::max(worst, byNode.cells[node].ratio);
        EXPECT_DOUBLE_EQ(byRack.cells[rack].ratio, worst) << rack;
    }
    // A node is marked where it is pointed at.
    choose(PlaceGrouping::node);
    page.map().setFocusItem(4);
    QTest::keyClick(&page.map(), Qt::Key_Return);
    EXPECT_EQ(m_study.entry(m_id)->scenario->variability.slow.back().node, 4);
    EXPECT_EQ(m_selection.picked().node, 4);
}

TEST_F(Pages, PlacementReadsSpeedsAdvisesAndWritesAHostfile)
{
    PlacementPage page(m_theme);
    page.setContext(m_context);
    QTemporaryDir folder;
    const QString speeds = folder.filePath(u"speeds.csv"_s), bad = folder.filePath(u"bad.csv"_s), hosts = folder.filePath(u"hostfile"_s);
    const auto write = [](const QString& path, const QByteArray& text) {
        QFile file(path);
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(text);
    };
    write(speeds, "node,relative_speed\n0,1\n1,1\n2,0.8\n3,1\n4,1\n5,1\n6,1\n7,0.85\n");
    write(bad, "node,relative_speed\n0,fast\n");
    const Scenario before = *m_study.entry(m_id)->scenario;
    EXPECT_FALSE(page.importSpeeds(bad).isEmpty());
    EXPECT_EQ(*m_study.entry(m_id)->scenario, before);
    EXPECT_FALSE(page.importSpeeds(folder.filePath(u"absent.csv"_s)).isEmpty());
    ASSERT_EQ(page.importSpeeds(speeds), QString());
    EXPECT_EQ(m_study.entry(m_id)->scenario->measured.speeds.size(), 8U);
    refresh();
    page.setContext(m_context);
    settle(page);
    EXPECT_EQ(page.gains().isHidden(), page.gains().itemCount() == 0);
    auto* note = page.findChild<QLabel*>(u"slowNodesNote"_s);
    ASSERT_NE(note, nullptr);
    EXPECT_TRUE(note->text().contains(u"node 2 1.25×"_s)) << note->text().toStdString(); // 1 / 0.8
    EXPECT_TRUE(note->text().contains(u"node 7 1.18×"_s)) << note->text().toStdString(); // 1 / 0.85
    ASSERT_EQ(page.writeHostfile(hosts), QString());
    QFile file(hosts);
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    EXPECT_EQ(file.readAll().trimmed().split('\n').size(), 8);
}

TEST_F(Pages, FewMovesAreACurveByName)
{
    PlacementResult result;
    result.given.p95 = 10;
    result.best.p95 = 9;
    result.gainOverGiven = {0.1, 0.005};
    result.givenOrder = {0, 1, 2, 3};
    result.bestOrder = {3, 2, 1, 0};
    result.movedNodes = 4;
    result.exchanges = {{{.node = 0, .toStage = 1}, 3, {3, 1, 2, 0}, 9.4, {0.06, 0.004}},
                        {{.node = 1}, 2, {3, 2, 1, 0}, 9.2, {0.08, 0.004}}};
    Scenario measured = *m_study.entry(m_id)->scenario;
    measured.measured.speeds = {{0, -1, 0.8}, {1, -1, 1}, {2, -1, 1}, {3, -1, 1}};
    auto snapshot = std::make_shared<Snapshot>(*m_context.scenarios.front().snapshot);
    snapshot->scenario = measured;
    SlowNodesCard card(m_theme);
    card.setNodes(snapshot, measured, nullptr, {"rack0-a", "rack0-b", "rack1-a", "rack1-b"});
    EXPECT_TRUE(card.gainPoints().isEmpty());
    card.setAdvice(snapshot, {&result, false, {}});
    const QList<GainPoint> points = card.gainPoints();
    ASSERT_EQ(points.size(), 3);
    EXPECT_EQ(points[0].detail, u"rack0-a with rack1-b"_s);
    EXPECT_DOUBLE_EQ(points[0].gainSeconds, 0.6); // 6 % of 10 s
    EXPECT_DOUBLE_EQ(points[1].halfWidth, 0.04);
    EXPECT_TRUE(points[2].isAll);
    EXPECT_DOUBLE_EQ(points[2].gainSeconds, 1);
    int chosen = -1;
    QObject::connect(&card, &SlowNodesCard::exchangesChosen, [&chosen](int choice) { chosen = choice; });
    GainCurve curve(m_theme);
    curve.resize(320, 220);
    curve.setPoints(points);
    QObject::connect(&curve, &GainCurve::itemPicked, &card, &SlowNodesCard::chooseExchanges);
    curve.setFocusItem(0);
    QTest::keyClick(&curve, Qt::Key_Return);
    EXPECT_EQ(chosen, 0);
    EXPECT_EQ(card.chosenOrder(), (std::vector<int>{3, 1, 2, 0}));
    curve.setFocusItem(2);
    QTest::keyClick(&curve, Qt::Key_Return);
    EXPECT_EQ(card.chosenOrder(), result.bestOrder);
    EXPECT_LT(curve.placeOf(1).y(), curve.placeOf(0).y()) << "more is higher";
    EXPECT_EQ(curve.asTable().rows.size(), 3);
}

TEST_F(Pages, ScaleAnswersForWeakAndStrong)
{
    ScalePage page(m_theme);
    page.resize(1056, 680);
    page.setContext(m_context);
    settle(page);
    ASSERT_GT(page.chart().itemCount(), 0);
    const TableData table = page.asTable();
    EXPECT_EQ(table.rows.size(), page.chart().itemCount());
    const auto now = std::find_if(table.rows.begin(), table.rows.end(), [](const QStringList& row) { return row.front() == u"64"_s; });
    ASSERT_NE(now, table.rows.end());
    EXPECT_EQ((*now)[table.header.indexOf(u"p95 [s]"_s)].toDouble(), m_context.scenarios[0].snapshot->across.p95) << "as the headline";
    keep(page);
    const QJsonObject state = page.saveState();
    ScalePage other(m_theme);
    other.restoreState(state);
    EXPECT_EQ(other.saveState(), state);
}

TEST_F(Pages, ScaleCarriesASlowNodePlacedByHandToEverySize)
{
    const auto medians = [this] {
        ScalePage page(m_theme);
        page.setContext(m_context);
        settle(page);
        const TableData table = page.asTable();
        const qsizetype median = table.header.indexOf(u"p50 [s]"_s);
        std::map<QString, double> seconds; // by number of GPUs, of those that are possible
        for (const QStringList& row : table.rows)
            if (!row[median].isEmpty())
                seconds[row.front()] = row[median].toDouble();
        return seconds;
    };
    const std::map<QString, double> without = medians();
    ASSERT_GT(without.size(), 2U);
    m_study.setSlowNode(m_id, 0, 1.5); // as the map of places does, and its handle
    m_study.moveSlowNode(m_id, 0, 3);
    refresh();
    const std::map<QString, double> with = medians();
    ASSERT_EQ(with.size(), without.size());
    for (const auto& [gpus, seconds] : with) // no peak at the present size alone
        EXPECT_GT(seconds, 1.1 * without.at(gpus)) << gpus.toStdString();
}

} // namespace
} // namespace prism::ui
