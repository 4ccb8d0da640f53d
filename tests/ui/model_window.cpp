// SPDX-License-Identifier: GPL-3.0-or-later
// Models between the study and the window, by counts and known answers: the engine's bridge, tables, caches, steps of a study, stored
// files.
#include "handmade.h"

#include "core/engine/evaluationcost.h"
#include "ui/bridge/ghostpreview.h"
#include "ui/bridge/insightrunner.h"
#include "ui/model/lineage.h"
#include "ui/model/userpresets.h"
#include "ui/model/samplestudy.h"
#include "ui/model/selection.h"
#include "ui/model/stepmarks.h"
#include "ui/model/studyfile.h"
#include "ui/model/studymodel.h"
#include "ui/workspace/scenariotablemodel.h"
#include "ui/workspace/distributiondata.h"
#include "ui/workspace/headline.h"
#include "ui/workspace/papernotes.h"
#include "ui/workspace/scenariofilter.h"
#include "ui/workspace/changescache.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QMimeData>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <set>
#include <thread>

namespace prism::ui::test {

using namespace Qt::StringLiterals;

namespace {

ScenarioPtr withBatch(int batch)
{
    Scenario s = smallScenario("batch");
    s.training.globalBatchSize = batch;
    return std::make_shared<const Scenario>(s);
}

void expectIdle(EngineBridge& bridge)
{
    EXPECT_TRUE(QTest::qWaitFor([&] { return !bridge.isBusy(); }, 30'000));
    QTest::qWait(20);
}

TEST(BridgeAnswers, NinetySixResultsAreKeptTheLatestUsed)
{
    EngineBridge bridge;
    bridge.setSamples(1);
    EXPECT_EQ(bridge.samples(), 100);
    bridge.setSamples(1'000'001);
    EXPECT_EQ(bridge.samples(), 1'000'000);
    bridge.setSamples(100);
    EXPECT_EQ(bridge.samples(), 100);
    std::vector<EngineBridge::Item> items;
    for (int i = 0; i < 98; ++i)
        items.push_back({i + 1, withBatch(32 + 16 * i)});
    bridge.request(items);
    double seconds = 0;
    for (const EngineBridge::Item& item : items)
        seconds += estimatedCost(evaluationSize(*item.scenario, 100)).cpuSeconds;
    EXPECT_NEAR(bridge.estimatedSeconds(), seconds, 1e-9 * seconds);
    EXPECT_TRUE(bridge.isBusy());
    expectIdle(bridge);
    EXPECT_EQ(bridge.jobsStarted(), 1);
    for (const EngineBridge::Item& item : items)
        ASSERT_TRUE(bridge.result(item.id).shown && !bridge.result(item.id).stale()) << item.id;
    EXPECT_FALSE(bridge.result(200).shown) << "not requested";
    bridge.request({{100, items[2].scenario}}); // the third is kept, the first two are not
    EXPECT_EQ(bridge.jobsStarted(), 1);
    EXPECT_TRUE(bridge.result(100).shown);
    EXPECT_FALSE(bridge.result(1).shown) << "omitted ids are forgotten";
    bridge.request({{101, items[1].scenario}});
    EXPECT_EQ(bridge.jobsStarted(), 2);
    expectIdle(bridge);
}

TEST(BridgeAnswers, NothingIsShownOfAnotherSeedOrNumberOfSamples)
{
    EngineBridge bridge;
    bridge.setSamples(200'000);
    std::vector<std::pair<std::uint64_t, std::uint64_t>> shown; // revision and seed
    QObject::connect(&bridge, &EngineBridge::resultChanged, [&](int id) {
        if (const SnapshotPtr s = bridge.result(id).shown)
            shown.emplace_back(s->revision, s->seed);
    });
    bridge.request({{1, withBatch(32)}});
    std::this_thread::sleep_for(std::chrono::milliseconds(150)); // its first snapshots wait in the queue of events
    bridge.setSamples(500);
    bridge.setSeed(9);
    bridge.request({{1, withBatch(32)}});
    expectIdle(bridge);
    ASSERT_FALSE(shown.empty());
    for (const auto& [revision, seed] : shown)
        EXPECT_TRUE(revision >= 2 && seed == 9) << revision << ' ' << seed;
    EXPECT_EQ(bridge.result(1).shown->revision, 2U) << "the number of the job";
    EXPECT_GT(bridge.lastCost().totalNodes, 0);
}

TEST(GhostAnswers, ATriedValueHasFewerSteps)
{
    GhostPreview ghost(std::make_shared<Evaluator>());
    EXPECT_FALSE(ghost.isComputing());
    const ScenarioPtr base = withBatch(32);
    QElapsedTimer clock;
    clock.start();
    ghost.show(0, base, u"training.global_batch_size"_s, u"64"_s, 11);
    EXPECT_TRUE(ghost.isComputing()) << "0 is a scenario too";
    EXPECT_TRUE(QTest::qWaitFor([&] { return ghost.ghost().snapshot && ghost.ghost().snapshot->samples->complete; }));
    EXPECT_FALSE(ghost.isComputing());
    EXPECT_EQ(ghost.ghost().snapshot->across.samples, static_cast<std::size_t>(kGhostSamples));
    EXPECT_EQ(ghost.ghost().snapshot->seed, 11U);
    EXPECT_EQ(ghost.ghost().snapshot->scenario.training.globalBatchSize, 64);
    EXPECT_GT(ghost.lastMilliseconds(), 0.05);
    EXPECT_LE(ghost.lastMilliseconds(), static_cast<double>(clock.elapsed()) + 1);
    QSignalSpy changes(&ghost, &GhostPreview::changed);
    ghost.show(0, base, u"training.global_batch_size"_s, u"64"_s, 11);
    EXPECT_EQ(changes.size(), 0) << "the same question";
    ghost.clear();
    ghost.clear();
    EXPECT_EQ(changes.size(), 1);
    ghost.show(1, base, u"training.global_batch_size"_s, u"32"_s, 11);
    EXPECT_EQ(ghost.ghost().scenarioId, -1) << "the value that is in use";
    ghost.show(1, base, u"training.global_batch_size"_s, u"x"_s, 11);
    EXPECT_FALSE(ghost.ghost().problem.isEmpty());
    ghost.show(1, base, u"training.global_batch_size"_s, u"96"_s, 11);
    ghost.show(1, base, u"training.global_batch_size"_s, u"128"_s, 11);
    EXPECT_TRUE(QTest::qWaitFor([&] { return !ghost.isComputing(); }));
    EXPECT_EQ(ghost.ghost().snapshot->scenario.training.globalBatchSize, 128) << "the newest question alone";
}

TEST(RunnerAnswers, ProgressIsRoundedToPercent)
{
    InsightRunner runner;
    std::atomic<bool> go = false;
    QObject receiver;
    runner.run<int>(
        &receiver, u"key"_s, u"title"_s,
        [&go](std::stop_token, const JobProgress& report) {
            report(0.126, u"causes"_s);
            while (!go)
                std::this_thread::yield();
            report(0.5, {});
            return 1;
        },
        [](const auto&) {});
    EXPECT_TRUE(QTest::qWaitFor([&] { return runner.progressText(u"key"_s) == u"13 %, causes"_s; }));
    EXPECT_EQ(runner.progressText(u"other"_s), QString());
    QString last;
    QObject::connect(&runner, &InsightRunner::progress, [&] { last = runner.progressText(u"key"_s); });
    go = true;
    EXPECT_TRUE(QTest::qWaitFor([&] { return runner.isIdle(); }));
    EXPECT_EQ(last, u"50 %"_s);
}

class TenRows final : public QAbstractTableModel {
public:
    [[nodiscard]] int rowCount(const QModelIndex&) const override { return 20; }
    [[nodiscard]] int columnCount(const QModelIndex& = {}) const override { return 3; }
    [[nodiscard]] QVariant data(const QModelIndex&, int) const override { return {}; }
};

TEST(TableAnswers, FewChangedRowsAreReportedByCellManyAtOnce)
{
    TenRows model;
    QSignalSpy spy(&model, &QAbstractItemModel::dataChanged);
    emitChangedRows(model, {});
    EXPECT_EQ(spy.size(), 0);
    emitChangedRows(model, {0, 2, 3, 5, 7, 11, 13, 17});
    EXPECT_EQ(spy.size(), 8 * 3);
    EXPECT_EQ(spy.last()[0].toModelIndex(), model.index(17, 2));
    spy.clear();
    emitChangedRows(model, {1, 2, 3, 5, 7, 11, 13, 17, 19});
    ASSERT_EQ(spy.size(), 1);
    EXPECT_EQ(spy[0][0].toModelIndex(), model.index(1, 0));
    EXPECT_EQ(spy[0][1].toModelIndex(), model.index(19, 2));
}

TEST(TableAnswers, TwentyFourComparisonsAreKept)
{
    ChangesCache cache;
    const SnapshotPtr base = stepsFrom(6, false, 1, 61);
    std::vector<std::weak_ptr<const Snapshot>> others;
    for (int i = 0; i < 26; ++i) {
        const SnapshotPtr other = stepsFrom(5, false, 2, 61);
        others.push_back(other);
        (void)cache.changes(base, other, false);
        (void)cache.changes(base, others[0].lock(), false); // the first is used again and again
    }
    for (std::size_t i = 0; i < 26; ++i)
        EXPECT_EQ(others[i].expired(), i == 1 || i == 2) << i;
    EXPECT_NEAR(cache.changes(base, others[0].lock(), false).p50.delta.value, -1, 1e-9);
    ChangesCache shares;
    others.clear();
    for (int i = 0; i < 25; ++i) {
        const SnapshotPtr other = stepsFrom(5, false, 2, 61);
        others.push_back(other);
        EXPECT_NEAR(shares.share(other, false, {0, 5.25}).value, 0.7475, 1e-9) << "299 of 400 lie beyond";
    }
    EXPECT_TRUE(others[0].expired());
    EXPECT_FALSE(others[1].expired());
}

TEST(TableAnswers, SharesBeyondAndBetweenLimits)
{
    auto s = std::make_shared<Snapshot>(*stepsFrom(6, false, 1, 61));      // 6 s + i / 400
    EXPECT_NEAR(shareAt(*s, false, {0, 6.5}).value, 199.0 / 400, 1e-9);    // 201 to 399
    EXPECT_NEAR(shareAt(*s, false, {6.25, 6.5}).value, 100.0 / 400, 1e-9); // 101 to 200
    EXPECT_NEAR(shareAt(*s, true, {0, 6.5}).value, 199.0 / 400, 1e-9);
    auto within = std::make_shared<StepSamples>(*s->samples);
    for (double& x : within->withinSeconds)
        x += 1;
    s->samples = within;
    s->sortedWithinSeconds.assign(within->withinSeconds.begin(), within->withinSeconds.end());
    std::sort(s->sortedWithinSeconds.begin(), s->sortedWithinSeconds.end());
    EXPECT_EQ(shareAt(*s, true, {0, 6.5}).value, 1);
    EXPECT_EQ(shareAt(Snapshot(), false, {0, 6.5}).value, 0);
    EXPECT_EQ(shareName({0, 9.3}), u"P(step > 9.30 s)"_s);
    EXPECT_EQ(shareName({9.1, 9.3}), u"P(9.10 s < step ≤ 9.30 s)"_s);
    EXPECT_EQ(shareName({9.3, 9.3}), u"P(step > 9.30 s)"_s);
}

TEST(TableAnswers, MetricsOfAScenarioByHand)
{
    ChangesCache cache;
    const PageContext context = twoScenarios();
    const SnapshotPtr base = context.scenarios[0].snapshot;
    const auto lines = [&](const SnapshotPtr& s, const StepLimits& limits = {}) { return metricLines(s, base, cache, limits); };
    EXPECT_EQ(lines(base), QStringList({u"p50 6.50 s ± 12 ms"_s, u"p95 6.95 s ± 18 ms"_s, u"p99 6.99 s ± 24 ms"_s}));
    EXPECT_EQ(lines(nullptr), QStringList());
    const QString beyond = lines(base, {0, 6.4}).value(3);
    EXPECT_TRUE(beyond.startsWith(u"P(step > 6.40 s) 59.8 %"_s)) << "239 of 400 lie beyond 6.4 s: " << beyond.toStdString();
    EXPECT_EQ(lines(stepsFrom(6, false, 1, 61)).size(), 3) << "another result of the same input is not compared";
    const QStringList faster = lines(stepsFrom(5.95, false, 2, 61));
    EXPECT_TRUE(faster[0].startsWith(u"p50 6.45 s (−0.8 %, −50 ms"_s)) << faster[0].toStdString();
    EXPECT_TRUE(faster.back().startsWith(u"P(faster) > 99.9 %"_s)) << faster.back().toStdString();
}

TEST(TableAnswers, RowsOfScenariosAreFoundByTheirIds)
{
    Workspace workspace;
    workspace.bridge().setSamples(100);
    ChangesCache cache;
    ScenarioTableModel table(workspace, cache);
    StudyModel& study = workspace.study();
    study.reset(smallStudy(), 1);
    study.duplicate(1); // comes after the first, with the third colour
    EXPECT_TRUE(QTest::qWaitFor([&] { return table.rowCount() == 3 && !workspace.bridge().isBusy(); }));
    QTest::qWait(20);
    EXPECT_EQ(table.idAt(-1), -1);
    EXPECT_EQ(table.idAt(3), -1);
    EXPECT_EQ(table.rowOf(99), -1);
    for (int row = 0; row < 3; ++row)
        EXPECT_EQ(table.rowOf(table.idAt(row)), row);
    EXPECT_EQ(table.index(1, ScenarioTableModel::sampleColumn).data(Qt::AccessibleTextRole).toString(), u"Curve 3"_s);
    EXPECT_EQ(table.index(1, ScenarioTableModel::rangeColumn).data().toString(), QString()) << "a computed row needs no word";
    workspace.setFieldProblems(3, {u"a"_s, u"b"_s});
    EXPECT_TRUE(study.setParameter(1, "parallelism.tensor_model_parallel_size", "3").empty());
    EXPECT_TRUE(QTest::qWaitFor([&] { return workspace.bridge().result(1).invalid; }));
    QTest::qWait(20);
    EXPECT_EQ(table.index(1, ScenarioTableModel::rangeColumn).data().toString(), u"2 to fix"_s);
    EXPECT_EQ(table.index(0, ScenarioTableModel::rangeColumn).data().toString(),
              u"%1 to fix"_s.arg(std::ranges::count(workspace.bridge().result(1).diagnostics, Severity::error, &Diagnostic::severity)));
    EXPECT_FALSE(table.setData(QModelIndex(), u"x"_s));
    EXPECT_FALSE(table.setData(table.index(0, ScenarioTableModel::rangeColumn), u"x"_s));
    const auto order = [&] {
        QList<int> ids;
        for (const ScenarioEntry& e : study.state().entries)
            ids << e.id;
        return ids;
    };
    const auto drop = [&](int from, int to, const QModelIndex& on = {}) {
        const std::unique_ptr<QMimeData> data(table.mimeData({table.index(from, 0)}));
        EXPECT_FALSE(table.dropMimeData(data.get(), Qt::MoveAction, to, 0, on));
        QTest::qWait(20);
        return order();
    };
    const QList<int> start = order();
    EXPECT_EQ(drop(0, 2), (QList<int>{start[1], start[0], start[2]})) << "between the second and the third";
    EXPECT_EQ(drop(0, -1), (QList<int>{start[0], start[2], start[1]})) << "behind the last";
    EXPECT_EQ(drop(2, 0), (QList<int>{start[1], start[0], start[2]}));
    EXPECT_EQ(drop(2, -1, table.index(0, 0)), (QList<int>{start[2], start[1], start[0]})) << "onto the first";
}

TEST(HeadlineAnswers, ChangesHaveTheirSignUnitAndColour)
{
    const auto made = [](double low, std::uint64_t hash, double peak) {
        auto s = std::make_shared<Snapshot>(*stepsFrom(low, false, hash, peak));
        s->tokensPerSecond = hash == 1 ? 100'000 : 125'000;
        s->mfu = hash == 1 ? 0.4 : 0.45;
        s->daysToTrain = hash == 1 ? 50 : 40;
        s->costUsd = hash == 1 ? 5e6 : 4e6;
        s->slowdownP50 = hash == 1 ? 1.2 : 1.1;
        return s;
    };
    PageContext context = twoScenarios();
    context.scenarios.resize(2);
    context.scenarios[0].snapshot = made(6, 1, 61);
    context.scenarios[1].snapshot = made(5, 2, 50);
    ChangesCache cache;
    const auto cells = headlineCells(context, cache, {}, {});
    EXPECT_TRUE(cells[0].delta.startsWith(u"−15.4 %, −1.0 s"_s)) << cells[0].delta.toStdString();
    EXPECT_EQ(cells[3].number, u"1.10"_s);
    EXPECT_EQ(cells[3].note, u"noise-free 4.75 s"_s);
    EXPECT_TRUE(cells[4].delta.endsWith(u", +25.0 k"_s)) << cells[4].delta.toStdString();
    EXPECT_EQ(cells[5].delta, u"+5.0 points"_s);
    EXPECT_EQ(cells[6].delta, u"−11.0 GiB"_s);
    EXPECT_TRUE(cells[7].delta.endsWith(u", −10.0 d"_s)) << cells[7].delta.toStdString();
    EXPECT_TRUE(cells[8].delta.endsWith(u", −1.00 M$"_s)) << cells[8].delta.toStdString();
    for (const int cell : {0, 1, 2, 3, 4, 5, 6, 7, 8})
        EXPECT_EQ(cells[cell].deltaRole, Role::good) << cell;
    PageContext turned = context; // the other way round everything is worse
    std::swap(turned.scenarios[0].snapshot, turned.scenarios[1].snapshot);
    const auto worse = headlineCells(turned, cache, {}, {});
    for (const int cell : {0, 1, 2, 3, 4, 5, 6, 7, 8})
        EXPECT_EQ(worse[cell].deltaRole, Role::bad) << cell;
    EXPECT_TRUE(worse[4].delta.endsWith(u", −25.0 k"_s)) << worse[4].delta.toStdString();
    EXPECT_EQ(worse[6].delta, u"+11.0 GiB"_s);
    context.scenarios[1].snapshot = made(5, 2, 61);
    const auto same = headlineCells(context, cache, {}, {});
    EXPECT_EQ(same[6].delta, u"no difference"_s);
    EXPECT_EQ(same[6].deltaRole, Role::textSecondary);
    auto free = made(5, 2, 61);
    free->daysToTrain = free->costUsd = 0;
    context.scenarios[1].snapshot = free;
    const auto none = headlineCells(context, cache, {}, {});
    EXPECT_EQ(none[7].note, u"no token target"_s);
    EXPECT_EQ(none[7].delta + none[8].delta, QString());
    EXPECT_EQ(none[8].number, u"–"_s);
    auto hours = made(5, 2, 61);
    hours->daysToTrain = 0.5;
    hours->costUsd = 1e6;
    context.scenarios[1].snapshot = hours;
    const auto hourly = headlineCells(context, cache, {}, {});
    EXPECT_EQ(hourly[7].number + hourly[7].unit + hourly[7].note, u"12.0h"_s) << "an interval in days would mislead";
    EXPECT_EQ(hourly[8].note, u"± 0.002 M$"_s) << "0.012 of 5.5 s";
}

TEST(HeadlineAnswers, FasterIsShownBeyondItsInterval)
{
    const SnapshotPtr a = stepsFrom(6, false, 1, 61), b = stepsFrom(6, false, 2, 61);
    HeadlineChanges changes;
    const auto text = [&] { return plainText(comparisonRuns(*a, *b, changes)); };
    EXPECT_EQ(text(), QString()) << "not paired";
    changes.paired = true;
    changes.p50.delta = {0.01, 0.02};
    changes.probabilityFaster = {0.75, 0.25}; // up to its half-width from one half
    EXPECT_EQ(text(), u"No difference found"_s);
    changes.probabilityFaster = {0.53, 0.02};
    EXPECT_EQ(text(), u"Faster in 53.0 % ± 2 of steps"_s);
    changes.probabilityFaster = {0.5, 0.02};
    changes.p50.delta = {0.03, 0.02};
    EXPECT_EQ(text(), u"Faster in 50.0 % ± 2 of steps"_s);
    EXPECT_EQ(plainText(comparisonRuns(*a, *a, changes)), u"Identical to the baseline"_s);
}

TEST(FilterAnswers, NothingToCompareMatchesNoComparison)
{
    const ScenarioEntry entry{1, std::make_shared<const Scenario>(smallScenario("filter")), 0, true, false};
    auto s = std::make_shared<Snapshot>(*stepsFrom(6, false, 1, 61));
    s->daysToTrain = s->costUsd = 0;
    for (const QString& text : {u"days < 1e9"_s, u"cost >= 0"_s, u"days != 3"_s})
        EXPECT_FALSE(ScenarioFilter(text).matches(entry, s)) << text.toStdString();
    s->across.p50 = 6.5 + 5e-9; // the same to nine digits
    EXPECT_TRUE(ScenarioFilter(u"p50 = 6.5"_s).matches(entry, s));
    s->across.p50 = 6.5 + 9e-9;
    EXPECT_FALSE(ScenarioFilter(u"p50 = 6.5"_s).matches(entry, s));
    s->mfu = 0.4 + 0.9e-9; // below one the difference itself counts
    EXPECT_TRUE(ScenarioFilter(u"mfu = 0.4"_s).matches(entry, s));
    s->mfu = 0.4 + 1.1e-9;
    EXPECT_TRUE(ScenarioFilter(u"mfu != 0.4"_s).matches(entry, s));
    EXPECT_FALSE(ScenarioFilter(QString(495, u' ') + u"p50 < 1"_s).matches(entry, s)) << "five hundred letters are read";
    EXPECT_TRUE(ScenarioFilter(QString(500, u' ') + u"p50 < 1"_s).matches(entry, s));
}

TEST(PaperAnswers, TheConfigurationNamesEveryDegree)
{
    PageContext context = twoScenarios();
    auto s = std::make_shared<Snapshot>(*context.scenarios[1].snapshot);
    const auto line = [&] {
        context.scenarios[1].snapshot = s;
        return paperText(context, u"Page"_s).notes.front();
    };
    EXPECT_TRUE(line().contains(u"64 × "_s));
    EXPECT_TRUE(
        line().contains(u", TP 4, PP 4, DP 4, ZeRO %1, global batch 32, micro-batch 1, sequence "_s.arg(s->scenario.parallelism.zeroStage)))
        << line().toStdString();
    ParallelismConfig& p = s->scenario.parallelism;
    p.virtualPipelineModelParallelSize = p.contextParallelSize = p.expertModelParallelSize = 2;
    EXPECT_TRUE(line().contains(u"PP 4, VPP 2, CP 2, EP 2, DP 2"_s)) << line().toStdString();
    EXPECT_TRUE(paperText(context, u"Page"_s).notes[1].contains(u"n = 400 sampled steps, seed 7"_s));
    EXPECT_TRUE(paperText(context, u"Page"_s).notes[1].contains(u"Model error −14 to +7 %"_s));
    EXPECT_EQ(paperText(context, u"Page"_s).subtitle, u"other, compared with base"_s);
}

TEST(StudyAnswers, IdsColoursNamesAndOrderOfNewScenarios)
{
    StudyModel study;
    StudyState state = smallStudy(); // 1 and 2, colours 0 and 1
    state.entries[0].id = 7;
    state.baselineId = 7;
    study.reset(state, 99);
    EXPECT_EQ(study.currentId(), 7) << "the first where the current one is not there";
    EXPECT_EQ(study.undoStack()->undoLimit(), 1000);
    const int third = study.duplicate(7);
    EXPECT_EQ(third, 8) << "after the largest id";
    EXPECT_EQ(study.entry(third)->colour, 2);
    EXPECT_EQ(study.entry(third)->parentId, 7);
    EXPECT_EQ(study.state().entries[1].id, third) << "behind the current one";
    EXPECT_EQ(study.currentId(), third);
    EXPECT_EQ(study.entry(third)->scenario->name, "base 2");
    const int fourth = study.duplicate(third);
    EXPECT_EQ(study.entry(fourth)->scenario->name, "base 3") << "not base 2 2";
    EXPECT_EQ(study.addScenario(smallScenario("new"), u"Add"_s, 55), 10);
    EXPECT_EQ(study.entry(10)->parentId, -1) << "there is no scenario 55";
    study.rename(10, u"  \n"_s);
    study.rename(10, QString(300, u'x'));
    EXPECT_EQ(study.entry(10)->scenario->name.size(), 200U);
    study.setNote(10, QString(3000, u'y'));
    EXPECT_EQ(study.entry(10)->scenario->note.size(), 2000U);
    const auto order = [&] {
        QList<int> ids;
        for (const ScenarioEntry& e : study.state().entries)
            ids << e.id;
        return ids;
    };
    EXPECT_EQ(order(), (QList<int>{7, 8, 9, 10, 2}));
    study.setArchived(9, true);
    study.move(7, 2); // archived ones do not count
    EXPECT_EQ(order(), (QList<int>{8, 9, 10, 7, 2}));
    study.move(7, 0);
    EXPECT_EQ(order(), (QList<int>{7, 8, 9, 10, 2}));
    study.move(7, 99);
    EXPECT_EQ(order(), (QList<int>{8, 9, 10, 2, 7}));
    StudyModel empty;
    EXPECT_EQ(empty.addScenario(smallScenario("first"), u"Add"_s), 1);
    EXPECT_EQ(empty.state().baselineId, 1) << "the first is the baseline";
    EXPECT_EQ(empty.addScenario(smallScenario("second"), u"Add"_s), 2);
    EXPECT_EQ(empty.state().baselineId, 1);
    empty.reset({}, 3);
    EXPECT_EQ(empty.currentId(), -1);
}

TEST(StudyAnswers, ArchivingMovesTheBaselineAndTheCurrentOne)
{
    StudyModel study;
    StudyState state = smallStudy();
    state.entries.push_back({3, state.entries[0].scenario, 2, true, false});
    study.reset(state, 3);
    study.setArchived(3, true);
    EXPECT_EQ(study.currentId(), 2) << "the one above";
    study.setArchived(3, false);
    EXPECT_EQ(study.currentId(), 3);
    study.setBaseline(2);
    study.setArchived(2, true);
    EXPECT_EQ(study.state().baselineId, 1);
    EXPECT_EQ(study.currentId(), 3) << "another one is current";
    study.setArchived(3, true);
    study.setArchived(1, true);
    EXPECT_FALSE(study.entry(1)->archived) << "the last one stays";
}

TEST(StudyAnswers, StepsOfTheUndoListNameTheirNumbers)
{
    StudyModel study;
    study.reset(smallStudy(), 1);
    const auto text = [&] { return study.undoStack()->undoText(); };
    study.setLimit(6.54321);
    EXPECT_EQ(text(), u"Limit 6.543 s"_s);
    study.endMerge();
    study.setLimits(6.2, 6.54321);
    EXPECT_EQ(text(), u"Limits 6.2 to 6.543 s"_s);
    study.setLimits(6.54321, 6.54321);
    study.setLimits(-1, 7);
    study.setLimits(0, -1);
    EXPECT_EQ(study.state().lowerLimitSeconds, 6.2) << "no pair of limits";
    study.setLimits(0, 0);
    EXPECT_EQ(study.state().limitSeconds, 0);
    study.setSlowNode(2, -1, 1.5);
    study.setSlowNode(2, 0, 1.123);
    EXPECT_EQ(text(), u"Node 0 is 12.3 % slow"_s);
    EXPECT_EQ(study.entry(2)->scenario->variability.slow.back().node, 0);
    study.endMerge();
    study.setSlowNode(2, 0, 1);
    EXPECT_EQ(text(), u"Node 0 is not slow"_s);
    EXPECT_EQ(study.entry(2)->scenario->variability.slow.size(), 1U);
    study.moveSlowNode(2, 3, 0);
    EXPECT_EQ(study.entry(2)->scenario->variability.slow[0].node, 0);
    EXPECT_TRUE(study.setParameterIn({1, 2}, "training.global_batch_size", "64").empty());
    EXPECT_EQ(text(), u"Global batch size = 64 in 2 scenarios"_s) << text().toStdString();
    EXPECT_EQ(study.entry(2)->scenario->training.globalBatchSize, 64);
    QSignalSpy current(&study, &StudyModel::currentChanged);
    study.setCurrent(2);
    study.setCurrent(2);
    study.setCurrent(99);
    EXPECT_EQ(current.size(), 1);
    study.undoStack()->undo(); // back to where it was made
    EXPECT_EQ(study.currentId(), 1);
    EXPECT_EQ(current.size(), 2);
}

TEST(StudyAnswers, MarksAreSixtyLettersAndLettersFromA)
{
    for (const auto& [text, seconds] : {std::pair{u"6.8 s"_s, 6.8},
                                        {u"930 ms"_s, 0.93},
                                        {u"5 µs"_s, 5e-6},
                                        {u"7us"_s, 7e-6},
                                        {u"2"_s, 2.0},
                                        {u"1,200 ms"_s, 1.2},
                                        {u"0 s"_s, 0.0},
                                        {u"-1 s"_s, 0.0},
                                        {u"inf s"_s, 0.0},
                                        {u"s"_s, 0.0}})
        EXPECT_DOUBLE_EQ(secondsFrom(text), seconds) << text.toStdString();
    EXPECT_EQ(letterOf(0), u"A"_s);
    EXPECT_EQ(letterOf(25), u"Z"_s);
    QString many;
    for (std::size_t i = 0; i < kMaxMarks; ++i)
        many += u"%1 s %2\n"_s.arg(kMaxMarks - i).arg(QString(70, u'w'));
    const Result<std::vector<TimeMark>> marks = marksFrom(many);
    ASSERT_TRUE(marks.ok());
    ASSERT_EQ(marks->size(), kMaxMarks);
    EXPECT_EQ(marks->front().seconds, 1);
    EXPECT_EQ(marks->front().text.size(), 60U);
    const Result<std::vector<TimeMark>> refused = marksFrom(u"\n\nx\n"_s + many + u"1 s y"_s);
    ASSERT_EQ(refused.errors().size(), 2U);
    EXPECT_EQ(refused.errors()[0].path, "line 3");
    EXPECT_EQ(refused.errors()[1].found, std::to_string(kMaxMarks + 1) + " marks; " + std::to_string(kMaxMarks) + " at most");
    QJsonArray array = marksJson(*marks);
    array << array[0] << array[1];
    EXPECT_EQ(marksFrom(array).size(), kMaxMarks);
    EXPECT_EQ(marksFrom(array).front(), marks->front());
}

TEST(StudyAnswers, FourEditsAreAllNamedTheFifthIsCounted)
{
    StudyState state = smallStudy();
    const auto note = [&](std::initializer_list<std::pair<const char*, const char*>> edits) {
        Scenario changed = *state.entries[0].scenario;
        for (const auto& [id, value] : edits)
            changed = *setParameter(changed, id, value);
        state.entries[1].scenario = std::make_shared<const Scenario>(changed);
        state.entries[1].parentId = 1;
        return lineage(state, state.entries[1]);
    };
    const std::pair<const char*, const char*> edits[] = {{"training.micro_batch_size", "2"},
                                                         {"training.global_batch_size", "64"},
                                                         {"model.num_layers", "32"},
                                                         {"variability.spatial.cv", "0.03"},
                                                         {"cluster.num_gpus", "128"}};
    EXPECT_EQ(note({}), u"from base"_s);
    EXPECT_EQ(lineageForms(state, state.entries[1]).size(), 0);
    EXPECT_EQ(note({edits[0]}).count(u'→'), 1);
    EXPECT_EQ(lineageForms(state, state.entries[1]).size(), 1);
    const QString four = note({edits[0], edits[1], edits[2], edits[3]});
    EXPECT_EQ(four.count(u'→'), 4);
    EXPECT_FALSE(four.contains(u"more"_s));
    EXPECT_EQ(lineageForms(state, state.entries[1])[2], u"4 differences"_s);
    EXPECT_TRUE(note({edits[0], edits[1], edits[2], edits[3], edits[4]}).endsWith(u"1 more"_s));
    note({edits[0], edits[1]});
    EXPECT_TRUE(lineageForms(state, state.entries[1])[1].endsWith(u" +1"_s));
}

TEST(StoredAnswers, WhatAStudyKeepsComesBack)
{
    const QTemporaryDir folder;
    const QString path = folder.filePath(u"stored.prism"_s);
    StudyState state = smallStudy();
    state.entries.push_back({5, state.entries[0].scenario, 11, false, true});
    Scenario third = *state.entries[0].scenario;
    third.name = "third";
    state.entries[2].scenario = std::make_shared<const Scenario>(third);
    state.entries[2].parentId = 2;
    state.baselineId = 2;
    state.limitSeconds = 6.5;
    state.lowerLimitSeconds = 6.25;
    const auto writtenAndRead = [&] {
        {
            StudyFile file;
            if (QFile::exists(path)) {
                Result<ReadStudy> known = readStudy(path);
                EXPECT_TRUE(known.ok() && file.adopt(std::move(*known)).ok());
            } else {
                EXPECT_TRUE(file.create(path).empty());
            }
            file.save(state, 2, {});
            EXPECT_TRUE(file.flush());
        }
        return readStudy(path, StudyAccess::readOnly);
    };
    Result<ReadStudy> read = writtenAndRead();
    ASSERT_TRUE(read.ok());
    const StudyState& back = read->content.state;
    ASSERT_EQ(back.entries.size(), 3U);
    EXPECT_EQ(back.entries[2].id, 3) << "numbered by their order";
    EXPECT_EQ(back.entries[2].colour, 11);
    EXPECT_TRUE(back.entries[2].archived && !back.entries[2].visible);
    EXPECT_EQ(back.entries[2].parentId, 2);
    EXPECT_EQ(back.entries[0].parentId, -1);
    EXPECT_EQ(back.baselineId, 2);
    EXPECT_EQ(read->content.currentId, 2);
    EXPECT_EQ(back.limitSeconds, 6.5);
    EXPECT_EQ(back.lowerLimitSeconds, 6.25);
}

TEST(StoredAnswers, NoTwoScenariosLookEqual)
{
    const QTemporaryDir folder;
    const QString path = folder.filePath(u"many.prism"_s);
    {
        Result<Study> study = Study::create(path.toStdString());
        for (int i = 0; i < 12; ++i) {
            const Result<ScenarioId> id = study->addScenario("s" + std::to_string(i), toJson(smallScenario("s")));
            ASSERT_TRUE(id.ok());
            if (i == 5) {
                EXPECT_TRUE(study->setLineStyle(*id, "series:0").empty());
            }
        }
    }
    const Result<ReadStudy> read = readStudy(path, StudyAccess::readOnly);
    std::set<int> colours;
    for (const ScenarioEntry& e : read->content.state.entries)
        colours.insert(e.colour);
    EXPECT_EQ(colours.size(), 12U);
    EXPECT_EQ(read->content.state.entries[5].colour, 0);
}

TEST(StoredAnswers, OfOtherProgramsFilesThreeProblemsAreNamedAndTheRestCounted)
{
    const QTemporaryDir folder;
    const QString path = folder.filePath(u"other.prism"_s);
    {
        Result<Study> study = Study::create(path.toStdString());
        ASSERT_TRUE(study.ok());
        for (int i = 0; i < 10; ++i)
            ASSERT_TRUE(study->addScenario("s" + std::to_string(i), toJson(smallScenario("s"))).ok());
        for (int i = 0; i < 5; ++i)
            ASSERT_TRUE(study->addScenario("new" + std::to_string(i), R"({"version": 999})").ok());
        ASSERT_TRUE(study->setViewState("explorer", R"({"limit_s": 6, "lower_limit_s": 6, "current": 3})").empty());
    }
    const Result<ReadStudy> read = readStudy(path, StudyAccess::readOnly);
    ASSERT_TRUE(read.ok());
    const OpenedStudy& opened = read->content;
    ASSERT_EQ(opened.state.entries.size(), 10U);
    for (int i = 0; i < 10; ++i)
        EXPECT_EQ(opened.state.entries[static_cast<std::size_t>(i)].colour, i) << "each has its own where none is stored";
    EXPECT_EQ(opened.state.lowerLimitSeconds, 0) << "it is not below the upper one";
    ASSERT_EQ(opened.notes.size(), 4);
    EXPECT_EQ(opened.notes[3], u"2 more scenarios could not be read and stay in the file."_s);
}

TEST(StoredAnswers, UserPresetsHaveTheirLimits)
{
    const QTemporaryDir folder;
    const UserPresets presets(folder.path());
    const Scenario base = smallScenario("base");
    EXPECT_EQ(userPresetOf(base, OwnKind::price, QString(150, u'p')).name.size(), 100);
    UserPreset price = userPresetOf(base, OwnKind::price, u"Price"_s);
    ASSERT_EQ(price.values.size(), 1U);
    price.values[0].second = "3.25";
    EXPECT_EQ(withUserPreset(base, price)->cluster.gpuHourPriceUsd, 3.25);
    EXPECT_TRUE(presets.save(price).empty());
    UserPreset gpu = userPresetOf(base, OwnKind::gpu, u"b"_s), second = userPresetOf(base, OwnKind::gpu, u"A"_s);
    EXPECT_TRUE(presets.save(gpu).empty() && presets.save(second).empty());
    EXPECT_FALSE(presets.save({OwnKind::gpu, {}, {}}).empty());
    const auto text = [](int size) {
        return QByteArray(R"({"kind":"price","name":"big","values":{"cluster.gpu_hour_price_usd":"2"}})").leftJustified(size);
    };
    for (const int size : {256 * 1024, 256 * 1024 + 1}) {
        QFile file(folder.filePath(u"%1.json"_s.arg(size)));
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(text(size));
    }
    QStringList problems, names;
    for (const UserPreset& p : presets.all(&problems))
        names << p.name;
    EXPECT_EQ(names, (QStringList{u"A"_s, u"b"_s, u"big"_s, u"Price"_s})) << "by kind, then by name";
    ASSERT_EQ(problems.size(), 1);
    EXPECT_TRUE(problems[0].startsWith(u"262145.json: "_s));
    presets.remove(gpu);
    EXPECT_EQ(presets.all(nullptr).size(), 3U);
    for (int i = 0; i < 1000; ++i) {
        QFile file(folder.filePath(u"a%1.json"_s.arg(i)));
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(text(100));
    }
    EXPECT_EQ(presets.all(nullptr).size(), 999U) << "the first thousand files, one of which is too large";
}

TEST(StoredAnswers, TheSampleStudyHasThreeScenarios)
{
    const StudyState state = sampleStudy();
    ASSERT_EQ(state.entries.size(), 3U);
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(state.entries[static_cast<std::size_t>(i)].id, i + 1);
        EXPECT_EQ(state.entries[static_cast<std::size_t>(i)].colour, i);
    }
    EXPECT_EQ(state.baselineId, 1);
    const Scenario& base = *state.entries[0].scenario;
    EXPECT_EQ(base.name, "TP" + std::to_string(base.parallelism.tensorModelParallelSize) + " PP"
                             + std::to_string(base.parallelism.pipelineModelParallelSize) + " DP"
                             + std::to_string(base.dataParallelSize()));
    EXPECT_EQ(state.entries[1].scenario->note, "VPP 4");
    EXPECT_TRUE(state.entries[1].scenario->name.ends_with(" VPP4"));
    EXPECT_EQ(state.entries[2].scenario->variability.slow.size(), 1U);
}

TEST(SelectionAnswers, EachPartIsKeptAndReportedOnce)
{
    Selection selection;
    QSignalSpy changes(&selection, &Selection::changed);
    selection.setNode(3);
    selection.setNode(3);
    selection.setCell(1, 2);
    selection.setScenario(4);
    selection.setKernelClass(u"mlp"_s);
    EXPECT_EQ(changes.size(), 4);
    const Picked& p = selection.picked();
    EXPECT_EQ(p.node, 3);
    EXPECT_EQ(p.stage, 1);
    EXPECT_EQ(p.replica, 2);
    EXPECT_EQ(p.scenario, 4);
    EXPECT_EQ(p.kernelClass, u"mlp"_s);
}

} // namespace
} // namespace prism::ui::test
