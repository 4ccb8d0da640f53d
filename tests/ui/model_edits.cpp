// SPDX-License-Identifier: GPL-3.0-or-later
// Edits of a study at their edges, the end of the application's log, and questions to the engine's bridge, by counts.
#include "tests/ui/studies.h"

#include "core/engine/evaluationcost.h"
#include "ui/bridge/enginebridge.h"
#include "ui/bridge/ghostpreview.h"
#include "ui/findings/logcomparison.h"
#include "ui/findings/newjob.h"
#include "ui/findings/searchtext.h"
#include "ui/findings/tracefound.h"
#include "ui/model/applicationlog.h"
#include "ui/model/studymodel.h"
#include "ui/model/userpresets.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <random>

namespace prism::ui::test {

using namespace Qt::StringLiterals;

namespace {

StudyState studyOfIds(std::initializer_list<int> ids)
{
    StudyState state;
    for (const int id : ids)
        state.entries.push_back({id, std::make_shared<const Scenario>(smallScenario("s" + std::to_string(id))),
                                 static_cast<int>(state.entries.size()), true, false});
    return state;
}

TEST(EditAnswers, ArchivingTakesTheNearestWhateverItsNumber)
{
    StudyState state = studyOfIds({4, 0, 7});
    state.baselineId = 4;
    StudyModel study;
    study.reset(state, 4);
    study.setArchived(4, true);
    EXPECT_TRUE(study.entry(4)->archived);
    EXPECT_EQ(study.state().baselineId, 0) << "the one after it";
    EXPECT_EQ(study.currentId(), 0);
    study.setArchived(7, true);
    EXPECT_TRUE(study.entry(7)->archived) << "0 is left";
    EXPECT_EQ(study.state().baselineId, 0);
    study.setArchived(0, true);
    EXPECT_FALSE(study.entry(0)->archived);
    study.reset(studyOfIds({1, 2, 3}), 1);
    study.setBaseline(1);
    study.setArchived(3, true);
    EXPECT_EQ(study.state().baselineId, 1) << "another one than the baseline";
    EXPECT_EQ(study.currentId(), 1);
}

TEST(EditAnswers, StepsOfTheUndoListAreCounted)
{
    StudyModel study;
    study.reset(studyOfIds({1, 2, 3}), 1);
    const auto steps = [&] { return study.undoStack()->count(); };
    EXPECT_TRUE(study.setParameter(1, "training.micro_batch_size", "2").empty());
    EXPECT_TRUE(study.setParameter(1, "training.global_batch_size", "64").empty());
    EXPECT_EQ(steps(), 2) << "another field is another step";
    EXPECT_TRUE(study.setParameter(1, "training.global_batch_size", "96").empty());
    EXPECT_EQ(steps(), 2);
    study.setBaseline(99);
    EXPECT_EQ(steps(), 2);
    study.setBaseline(2);
    study.setBaseline(2);
    EXPECT_EQ(steps(), 3);
    study.setLimits(0.5, 0.75);
    EXPECT_EQ(steps(), 4);
    EXPECT_EQ(study.state().lowerLimitSeconds, 0.5);
    EXPECT_EQ(study.state().limitSeconds, 0.75);
    study.setLimits(0.75, 0.5);
    study.setLimits(0, -0.5);
    EXPECT_EQ(study.state().lowerLimitSeconds, 0.5);
    EXPECT_TRUE(study.setParameterIn({99, 2}, "training.global_batch_size", "128").empty());
    EXPECT_EQ(study.entry(2)->scenario->training.globalBatchSize, 128);
    EXPECT_EQ(steps(), 5);
    study.setSlowNode(99, 1, 1.5);
    study.moveSlowNode(99, 1, 2);
    EXPECT_EQ(steps(), 5);
}

TEST(EditAnswers, AnotherStudyBeginsItsNumbersAgain)
{
    StudyModel study;
    QSignalSpy current(&study, &StudyModel::currentChanged);
    study.reset({}, -1);
    EXPECT_EQ(current.size(), 0) << "nothing is current, as before";
    EXPECT_EQ(study.addScenario(smallScenario("first"), u"Add"_s), 1);
    study.reset(studyOfIds({3, 7}), 7);
    EXPECT_EQ(study.duplicate(3), 8);
    current.clear();
    study.reset(studyOfIds({1, 2}), 2);
    EXPECT_EQ(study.duplicate(1), 3);
    study.setCurrent(2);
    current.clear();
    study.reset(studyOfIds({1, 2}), 2);
    EXPECT_EQ(current.size(), 1) << "the scenario of this number is another one";
}

TEST(EditAnswers, OneOfTwoSlowNodesMoves)
{
    StudyModel study;
    study.reset(studyOfIds({1}), 1);
    study.setSlowNode(1, 2, 1.25);
    study.setSlowNode(1, 5, 1.5);
    study.setSlowNode(1, 0, 1.75);
    study.moveSlowNode(1, 5, 3);
    const std::vector<SlowEntry>& slow = study.entry(1)->scenario->variability.slow;
    ASSERT_EQ(slow.size(), 3U);
    EXPECT_EQ(slow[0].node, 2);
    EXPECT_EQ(slow[1].node, 3);
    EXPECT_EQ(slow[1].computeFactor, 1.5);
    EXPECT_EQ(slow[2].node, 0);
    study.moveSlowNode(1, 2, 0); // takes the place of 0
    ASSERT_EQ(study.entry(1)->scenario->variability.slow.size(), 2U);
    EXPECT_EQ(study.entry(1)->scenario->variability.slow[0].node, 0);
    EXPECT_EQ(study.entry(1)->scenario->variability.slow[0].computeFactor, 1.25);
}

TEST(EditAnswers, TheLogEndsWithItsLast4096Bytes)
{
    const QString path = applicationLogPath();
    QDir().mkpath(QFileInfo(path).path());
    const auto printed = [&path](const QByteArray& text) {
        QFile file(path);
        EXPECT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(text);
        file.close();
        return diagnosticInformation().section(u":\n"_s, 1);
    };
    const QByteArray head = "abc\ndef\nghi\n", rest = QByteArray(4095 - head.size(), 'x') + 'y', whole = head + rest; // 4,096 bytes
    EXPECT_EQ(printed(whole), QString::fromLatin1(whole));
    EXPECT_EQ(printed("1" + whole), QString::fromLatin1("def\nghi\n" + rest)) << "from the first line that is complete";
    EXPECT_EQ(printed("short\n"), u"short\n"_s);
    QFile::remove(path);
}

TEST(EditAnswers, PresetsOfOneNameAreOrderedWithoutRegardToCase)
{
    const QTemporaryDir folder;
    const UserPresets presets(folder.path());
    const Scenario base = smallScenario("base");
    for (const QString& name : {u"delta"_s, u"Alpha"_s, u"charlie"_s, u"Bravo"_s, u"alpha"_s})
        EXPECT_TRUE(presets.save(userPresetOf(base, OwnKind::price, name)).empty());
    QStringList names;
    for (const UserPreset& p : presets.all())
        names << p.name.toLower();
    EXPECT_EQ(names, (QStringList{u"alpha"_s, u"alpha"_s, u"bravo"_s, u"charlie"_s, u"delta"_s}));
}

EngineBridge::Item bridgeItem(int id, int batch)
{
    Scenario s = smallScenario("batch");
    s.training.globalBatchSize = batch;
    return {id, std::make_shared<const Scenario>(s)};
}

TEST(EditAnswers, TheBridgeEstimatesItsLatestJobAlone)
{
    EngineBridge bridge;
    bridge.setSamples(2'000);
    bridge.setPrecision(0.05);
    EXPECT_EQ(bridge.samples(), 500) << "before it is known how many that takes";
    EXPECT_EQ(bridge.precision(), 0.05);
    bridge.setSamples(100);
    EXPECT_EQ(bridge.precision(), 0);
    QSignalSpy busy(&bridge, &EngineBridge::busyChanged);
    bridge.cancel();
    ASSERT_EQ(busy.size(), 1) << "nothing runs: it is idle at once";
    EXPECT_FALSE(busy[0][0].toBool());
    const auto estimate = [](const EngineBridge::Item& item) { return estimatedCost(evaluationSize(*item.scenario, 100)).cpuSeconds; };
    const EngineBridge::Item first = bridgeItem(1, 32), second = bridgeItem(2, 64);
    bridge.request({first});
    EXPECT_DOUBLE_EQ(bridge.estimatedSeconds(), estimate(first));
    EXPECT_TRUE(QTest::qWaitFor([&] { return !bridge.isBusy(); }, 30'000));
    QTest::qWait(kBurstMs + 5);
    bridge.request({first, second}); // the first is known
    EXPECT_DOUBLE_EQ(bridge.estimatedSeconds(), estimate(second));
    busy.clear();
    bridge.cancel();
    EXPECT_EQ(busy.size(), 0) << "it ends when the worker has stopped";
    EXPECT_TRUE(QTest::qWaitFor([&] { return !bridge.isBusy(); }, 30'000));
}

TEST(EditAnswers, AGhostIsOneScenarioParameterAndValue)
{
    GhostPreview ghost(std::make_shared<Evaluator>());
    const ScenarioPtr base = std::make_shared<const Scenario>(smallScenario("base"));
    QSignalSpy changes(&ghost, &GhostPreview::changed);
    ghost.show(0, base, u"training.global_batch_size"_s, u"x"_s, 1);
    ghost.show(1, base, u"training.global_batch_size"_s, u"x"_s, 1);
    EXPECT_EQ(ghost.ghost().scenarioId, 1);
    ghost.show(1, base, u"training.micro_batch_size"_s, u"x"_s, 1);
    EXPECT_EQ(ghost.ghost().parameterId, u"training.micro_batch_size"_s);
    ghost.show(1, base, u"training.micro_batch_size"_s, u"y"_s, 1);
    EXPECT_EQ(ghost.ghost().value, u"y"_s);
    EXPECT_EQ(changes.size(), 4);
    ghost.show(1, base, u"training.micro_batch_size"_s, u"y"_s, 1);
    EXPECT_EQ(changes.size(), 4);
    ghost.show(0, base, u"training.micro_batch_size"_s, u"y"_s, 1);
    ghost.clear();
    EXPECT_EQ(changes.size(), 6) << "0 is a scenario, too";
}

/// A log of runs: a run begins where the numbers start again.
std::string logOfRuns(const std::vector<std::vector<double>>& runs)
{
    std::string text = "step,step_time_s\n";
    for (const std::vector<double>& run : runs)
        for (std::size_t i = 0; i < run.size(); ++i)
            text += std::to_string(i) + ',' + std::to_string(run[i]) + '\n';
    return text;
}

std::vector<double> noisyRun(int steps, double seconds, double noise)
{
    std::mt19937 random(3);
    std::vector<double> run;
    for (int i = 0; i < steps; ++i)
        run.push_back(seconds + noise * std::uniform_real_distribution(-1.0, 1.0)(random));
    return run;
}

std::vector<LoggedStep> loggedSteps(const std::vector<double>& seconds)
{
    std::vector<LoggedStep> steps;
    for (const double x : seconds)
        steps.push_back({x});
    return steps;
}

Result<LogComparison> heldLog(const std::vector<std::vector<double>>& runs)
{
    static Evaluator evaluator;
    InsightOptions options;
    options.samples = 100;
    return logComparison(evaluator, smallScenario("held"), logOfRuns(runs), {}, options);
}

/// One run is compared, the others are too short for that and are drawn.
TEST(EditAnswers, LongSeriesAreThinnedEvenlyAndKeepWhatIsSpecial)
{
    for (const auto& [steps, kept] : {std::pair{20'000, 20'000}, {20'001, 10'003}}) {
        const std::vector<double> all = noisyRun(steps, 6, 0.001);
        std::vector<std::vector<double>> runs{{all.begin(), all.end() - 19 * 990}};
        for (auto from = all.end() - 19 * 990; from != all.end(); from += 19)
            runs.emplace_back(from, from + 19);
        runs[0][503] = runs[0][505] = 20; // stalls in places that are not kept otherwise
        const Result<LogComparison> held = heldLog(runs);
        ASSERT_TRUE(held.ok());
        EXPECT_EQ(held->series.size(), static_cast<std::size_t>(kept)) << steps;
        EXPECT_EQ(std::ranges::count(held->series, 20.0, &SeriesStep::seconds), 2);
        EXPECT_EQ(held->excluded[2], 2);
    }
}

TEST(EditAnswers, StepsOfALogHaveTheirKinds)
{
    std::vector<double> quiet = noisyRun(100, 6, 0.01), loud = noisyRun(200, 60, 0.5), risen = noisyRun(120, 6, 0.01),
                        even = noisyRun(100, 6, 0.01);
    quiet[50] = 6.515; // half a second over the median is a stall
    quiet[60] = 6.485;
    for (std::size_t i = 60; i < 120; ++i)
        risen[i] *= 1.1;
    for (std::size_t i = 9; i < 100; i += 10)
        even[i] += 0.3;
    for (int round = 0; round < 3; ++round) { // ten times the noise, where that is more; the two have their own part in it
        const RunShape shape = runShape({"loud", loggedSteps(loud)});
        loud[80] = shape.medianSeconds + 10.2 * shape.noiseSeconds;
        loud[120] = shape.medianSeconds + 9.8 * shape.noiseSeconds;
    }
    const Result<LogComparison> held = heldLog({quiet, loud, risen, even});
    ASSERT_TRUE(held.ok());
    ASSERT_EQ(held->series.size(), 520U);
    using Kind = SeriesStep::Kind;
    for (std::size_t i = 0; i < 520; ++i) {
        const bool pause = i >= 420 && i % 10 == 9, stall = i == 50 || i == 180;
        EXPECT_EQ(held->series[i].kind, pause ? Kind::afterPause : stall ? Kind::stall : Kind::compared) << i;
        EXPECT_EQ(held->series[i].number, static_cast<double>(i) + 1);
    }
    EXPECT_EQ(held->excluded[0], 0);
    EXPECT_EQ(held->excluded[1], 10);
    EXPECT_EQ(held->excluded[2], 2);
    EXPECT_EQ(held->shiftNumbers, std::vector<double>{361});
    const Result<LogComparison> numbered = heldLog({risen});
    ASSERT_TRUE(numbered.ok());
    EXPECT_EQ(numbered->series[0].number, 0) << "as it is logged";
    EXPECT_EQ(numbered->shiftNumbers, std::vector<double>{60});
}

/// A profiler's trace, with spaces between its events up to a limit of bytes.
QByteArray profilerTrace(const QByteArray& category, qsizetype bytes)
{
    const QByteArray head = R"({"schemaVersion": 1, "distributedInfo": {"rank": 0, "world_size": 1}, "traceEvents": [)",
                     event = R"({"ph": "X", "cat": ")" + category
                             + R"(", "name": "gemm", "pid": 0, "tid": 7, "ts": 10, "dur": 4, "args": {"device": 0, "stream": 7}})",
                     tail = "]}";
    return head + QByteArray(std::max<qsizetype>(0, bytes - head.size() - event.size() - tail.size()), ' ') + event + tail;
}

TEST(EditAnswers, ATraceOfOneKernelIsReadInHalfOfTheProgress)
{
    const QTemporaryDir folder;
    const QString path = folder.filePath(u"trace.json"_s);
    std::vector<double> shares;
    InsightOptions options;
    options.progress = [&shares](double share, std::string_view) { shares.push_back(share); };
    const auto read = [&](const QByteArray& text, const InsightOptions& how) {
        QFile file(path);
        EXPECT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(text);
        file.close();
        return traceFound(path, smallScenario("base"), how);
    };
    const Result<TraceFound> one = read(profilerTrace("kernel", 0), options);
    ASSERT_TRUE(one.ok());
    EXPECT_EQ(one->kineto->ranks[0].kernels, 1);
    EXPECT_FALSE(read(profilerTrace("cpu_op", 0), options).ok()) << "no kernel";
    shares.clear();
    EXPECT_TRUE(read(profilerTrace("kernel", 10 << 20), options).ok());
    ASSERT_GE(shares.size(), 2U);
    EXPECT_LT(shares.front(), 0.45);
    EXPECT_NEAR(shares.back(), 0.5, 0.001) << "the whole file, but for less than a part of it";
    EXPECT_TRUE(read(profilerTrace("kernel", 5 << 20), {}).ok()) << "without a receiver of the progress";
}

TEST(EditAnswers, ARangeHasTwoValuesAtLeast)
{
    const Parameter& pp = *findParameter("parallelism.pipeline_model_parallel_size");
    EXPECT_EQ(rangeOf(pp, u"2, 4"_s), (QStringList{u"2"_s, u"4"_s}));
    EXPECT_EQ(rangeOf(pp, u"2..2"_s), QStringList());
    ExploreCandidate candidate;
    candidate.values = {{"parallelism.tensor_model_parallel_size", "8"},
                        {"parallelism.pipeline_schedule", "zb-v"},
                        {"parallelism.pipeline_model_parallel_size", "16"}};
    EXPECT_EQ(layoutName(candidate), u"TP8 PP16"_s);
    EXPECT_EQ(furtherSettings(candidate), u"zb-v"_s);
    EXPECT_EQ(candidateName(candidate), u"TP8 zb-v PP16"_s);
    EXPECT_EQ(fabricFor(u"b200-sxm"_s), u"dgx-b200-ndr400-rail"_s);
    EXPECT_EQ(fabricFor(u"a100-x"_s), u"azure-nd-a100-v4"_s) << "the first of several";
}

} // namespace
} // namespace prism::ui::test
