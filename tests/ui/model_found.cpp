// SPDX-License-Identifier: GPL-3.0-or-later
// Findings by known answers: verdicts on a log, series, goals, traces, sentences, each from numbers that are computed here.
#include "handmade.h"

#include "core/stats/moments.h"
#include "ui/findings/goalmoves.h"
#include "ui/findings/logcomparison.h"
#include "ui/findings/newjob.h"
#include "ui/findings/tracefound.h"

#include <QFile>
#include <QTemporaryDir>

namespace prism::ui::test {

using namespace Qt::StringLiterals;

namespace {

using Verdict = Judged::Verdict;

TEST(JudgementAnswers, EachErrorIsJudgedByItsFloorAndItsInterval)
{
    LogComparison held;
    SeriesComparison& c = held.comparison;
    c.measuredMedianSeconds = 9;
    c.predictedMedianSeconds = 9.18;
    struct Case {
        MetricError error;
        Verdict verdict;
        QString p50Words, p95Words;
    };
    for (const Case& known :
         {Case{{0.02, 0.01, 0.03, 0.02}, Verdict::within, u"Right, within the floor"_s, u"Right, within the floor"_s},
          Case{{-0.02, -0.03, -0.01, 0.02}, Verdict::within, u"Right, within the floor"_s, u"Right, within the floor"_s},
          Case{{0.021, 0, 0.03, 0.02}, Verdict::right, u"Right, as far as known"_s, u"Right, as far as known"_s},
          Case{{-0.021, -0.03, 0, 0.02}, Verdict::right, u"Right, as far as known"_s, u"Right, as far as known"_s},
          Case{{0.021, 0.001, 0.03, 0.02}, Verdict::high, u"Too slow"_s, u"Too uneven"_s},
          Case{{-0.021, -0.03, -0.001, 0.02}, Verdict::low, u"Too fast"_s, u"Too even"_s}}) {
        c.p50 = c.p95 = c.p99 = c.beyond = known.error;
        const QList<Judged> rows = judgements(held);
        ASSERT_EQ(rows.size(), 5);
        for (int row = 0; row < 4; ++row)
            EXPECT_EQ(rows[row].verdict, known.verdict) << row << ' ' << known.error.error;
        EXPECT_EQ(rows[0].words, known.p50Words);
        EXPECT_EQ(rows[1].words, known.p95Words);
        const bool fast = known.error.error < 0;
        if (known.verdict == Verdict::low || known.verdict == Verdict::high) {
            EXPECT_TRUE(rows[0].explained.contains(fast ? u"median is shorter"_s : u"median is longer"_s));
            EXPECT_TRUE(rows[2].explained.contains(fast ? u"fewer or shorter"_s : u"more or longer"_s));
        }
    }
}

TEST(JudgementAnswers, RowsShowTheNumbersOfTheComparison)
{
    LogComparison held;
    SeriesComparison& c = held.comparison;
    c.measuredMedianSeconds = 9;
    c.predictedMedianSeconds = 9.18;
    c.measured = {.p95 = 1.0412, .p99 = 1.0923, .beyond = 0.041};
    c.predicted = {.p95 = 1.0301, .p99 = 1.0512, .beyond = 0.022};
    c.p50 = {0.02, 0.012, 0.031, 0.004};
    c.p95 = {-0.0111, -0.014, -0.0083, 0.0052};
    c.p99 = {-0.0411, -0.05, -0.03, 0.006};
    c.beyond = {-0.019, -0.025, -0.013, 0.007};
    c.ks = 0.113;
    c.ksLow = 0.084;
    c.ksHigh = 0.152;
    c.ksHalves = 0.064;
    c.ksSamplingBound = 0.042;
    const auto rows = judgements(held);
    const auto text = [&](int row) {
        const Judged& j = rows[row];
        return QStringList{j.name, j.measured, j.predicted, j.error, j.interval, j.floor}.join(u" | "_s);
    };
    EXPECT_EQ(text(0), u"p50 | 9.00 s | 9.18 s | +2.0 % | +1.2 to +3.1 | ± 0.40"_s);
    EXPECT_EQ(text(1), u"p95 / p50 | 1.041 | 1.030 | −1.1 points | −1.4 to −0.83 | ± 0.52"_s);
    EXPECT_EQ(text(2), u"p99 / p50 | 1.092 | 1.051 | −4.1 points | −5.0 to −3.0 | ± 0.60"_s);
    EXPECT_EQ(text(3), u"P(step > 1.05 × p50) | 4.1 % | 2.2 % | −1.9 points | −2.5 to −1.3 | ± 0.70"_s);
    EXPECT_EQ(text(4), u"KS distance |  |  | 0.11 | 0.084 to 0.15 | 0.064"_s);
    EXPECT_EQ(rows[4].verdict, Verdict::high);
    EXPECT_EQ(verdictSentence(held), u"The median was 2.0 % too slow; the spread is too small: p95 is −1.1 points of the median off."_s);
    for (double SeriesComparison::*const floor : {&SeriesComparison::ksHalves, &SeriesComparison::ksSamplingBound}) {
        SeriesComparison own = c;
        own.*floor = 0.113; // the distance of halves of the log, or of random samples
        LogComparison random;
        random.comparison = own;
        EXPECT_EQ(judgements(random)[4].verdict, Verdict::within);
        EXPECT_EQ(judgements(random)[4].floor, u"0.11"_s);
    }
    c.p50 = {-0.03, -0.04, -0.02, 0.01};
    c.p95.halves = 0.0111;
    EXPECT_EQ(verdictSentence(held), u"The median was 3.0 % too fast; up to p95 the spread is right, beyond it the model is too even (−4.1 "
                                     u"points of the median at p99)."_s);
    c.p99 = {0.03, 0.02, 0.04, 0.01};
    EXPECT_TRUE(verdictSentence(held).contains(u"too uneven (+3.0 points"_s));
    c.p99.low = 0;
    c.p50.halves = 0.03;
    EXPECT_TRUE(verdictSentence(held).contains(u"(−3.0 %), and the slow steps"_s));
    c.p95 = {0.02, 0.01, 0.03, 0.01};
    EXPECT_TRUE(verdictSentence(held).endsWith(u"the spread is too large: p95 is +2.0 points of the median off."_s));
}

/// A log of steps of 6 s with 1 % of noise; the others by their index.
std::string logOf(int steps, const std::map<int, double>& others, int first = 101)
{
    std::mt19937 random(3);
    std::string text = "step,step_time_s\n";
    for (int i = 0; i < steps; ++i) {
        const double noise = 0.06 * (std::uniform_real_distribution(-1.0, 1.0)(random));
        const auto other = others.find(i);
        text += std::to_string(first + i) + ',' + std::to_string(other == others.end() ? 6 + noise : other->second) + '\n';
    }
    return text;
}

TEST(HeldAnswers, AStepLogHasTwentySteps)
{
    EXPECT_TRUE(looksLikeStepLog(logOf(20, {})));
    EXPECT_FALSE(looksLikeStepLog(logOf(19, {})));
    const std::string late = logOf(20, {}); // 21 lines
    EXPECT_TRUE(looksLikeStepLog(std::string(4'000 - 21, '\n') + late)) << "in the first four thousand lines";
    EXPECT_FALSE(looksLikeStepLog(std::string(4'000 - 20, '\n') + late));
    EXPECT_FALSE(looksLikeStepLog(""));
}

TEST(HeldAnswers, TheSeriesAndItsDistributionsAreThoseOfTheLog)
{
    std::map<int, double> others{{150, 6.8}, {170, 6.3}}; // beyond half a second over the median, and within
    for (int i = 0; i < 4; ++i)
        others[i] = 20;
    const std::string text = logOf(400, others);
    Evaluator evaluator;
    const Scenario scenario = smallScenario("held");
    InsightOptions options;
    options.samples = 100;
    options.seed = 5;
    const Result<LogComparison> held = logComparison(evaluator, scenario, text, {}, options);
    ASSERT_TRUE(held.ok());
    EXPECT_EQ(held->seed, 5U);
    ASSERT_EQ(held->series.size(), 400U);
    EXPECT_EQ(held->series[0].number, 101);
    EXPECT_EQ(held->series[399].number, 500);
    using Kind = SeriesStep::Kind;
    for (const auto& [index, kind] : {std::pair{0, Kind::warmUp},
                                      {3, Kind::warmUp},
                                      {4, Kind::compared},
                                      {149, Kind::compared},
                                      {150, Kind::stall},
                                      {151, Kind::compared},
                                      {170, Kind::compared}})
        EXPECT_EQ(held->series[static_cast<std::size_t>(index)].kind, kind) << index;
    EXPECT_EQ(held->excluded[0], 4);
    EXPECT_EQ(held->excluded[1], 0);
    EXPECT_EQ(held->excluded[2], 1);
    std::vector<double> steps;
    for (std::size_t i = 4; i < 400; ++i)
        steps.push_back(held->series[i].seconds);
    std::sort(steps.begin(), steps.end());
    const SnapshotPtr s = evaluator.evaluate(scenario, evaluateOptions(options, 4'000));
    std::vector<double> within = atOneLevel(s->samples->withinSeconds);
    addTrend(within, held->systems->trend);
    std::sort(within.begin(), within.end());
    ASSERT_EQ(within.size(), 1'000U) << "a quarter of the 4,000 that the tail needs at least";
    EXPECT_EQ(held->predictedP5, quantileOfSorted(within, 0.05));
    EXPECT_EQ(held->predictedP95, quantileOfSorted(within, 0.95));
    const std::vector<double> probabilities{0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4,  0.45, 0.5,
                                            0.55, 0.6,  0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.97, 0.98, 0.99};
    ASSERT_EQ(held->quantiles.size(), probabilities.size());
    for (std::size_t i = 0; i < probabilities.size(); ++i) {
        EXPECT_EQ(held->quantiles[i].probability, probabilities[i]);
        EXPECT_EQ(held->quantiles[i].measured, quantileOfSorted(steps, probabilities[i])) << i;
        EXPECT_EQ(held->quantiles[i].predicted, quantileOfSorted(within, probabilities[i])) << i;
    }
    const auto expectCurve = [](const std::vector<CurvePoint>& curve, const std::vector<double>& sorted) {
        const std::vector<CurvePoint> known = cdfCurve(sorted, 200);
        ASSERT_EQ(curve.size(), known.size());
        for (std::size_t i = 0; i < known.size(); ++i)
            EXPECT_EQ(curve[i].seconds, known[i].seconds);
    };
    expectCurve(held->measured, steps);
    expectCurve(held->predicted, within);
    EXPECT_EQ(held->comparison.steps, 396);
    const double hours = 64 * (steps.size() * 6.0 / 3600);
    EXPECT_NEAR(held->causes.gpuHours, hours, 0.03 * hours);
}

TEST(HeldAnswers, StepsOfSeveralRunsAreCountedOn)
{
    Evaluator evaluator;
    InsightOptions options;
    options.samples = 100;
    const std::string two = logOf(30, {}, 1) + logOf(25, {}, 1).substr(17); // the numbers start again: another run
    const Result<LogComparison> held = logComparison(evaluator, smallScenario("held"), two, {}, options);
    ASSERT_TRUE(held.ok());
    ASSERT_EQ(held->log.runs.size(), 2U);
    ASSERT_EQ(held->series.size(), 55U);
    for (std::size_t i = 0; i < 55; ++i)
        EXPECT_EQ(held->series[i].number, static_cast<double>(i) + 1);
}

GoalMoves drawnMoves()
{
    GoalMoves moves;
    moves.moves.p50 = 5.5;
    moves.moves.p95 = 5.95;
    moves.moves.p99 = 5.99;
    for (int i = 0; i < 400; ++i)
        moves.nowSeconds.push_back(5 + i / 400.0);
    std::vector<double> faster = moves.nowSeconds;
    for (double& x : faster)
        x *= 0.9;
    moves.moveSeconds = {faster, {}};
    return moves;
}

TEST(GoalAnswers, CurvesHaveTheLevelOfTheKnownSteps)
{
    const GoalMoves drawn = drawnMoves();
    const SnapshotPtr known = stepsFrom(6, false, 1, 61); // 6 s + i / 400
    const GoalMoves leveled = onLevelOf(*known, drawn, {.p95Seconds = 6.5});
    EXPECT_EQ(leveled.nowSeconds, known->sortedAcrossSeconds);
    ASSERT_EQ(leveled.moveSeconds.size(), 2U);
    ASSERT_EQ(leveled.moveSeconds[0].size(), 400U);
    for (const std::size_t i : {20U, 200U, 380U})
        EXPECT_NEAR(leveled.moveSeconds[0][i], 0.9 * known->sortedAcrossSeconds[i], 5e-4) << i;
    EXPECT_TRUE(leveled.moveSeconds[1].empty());
    ASSERT_EQ(leveled.curves.size(), 2U);
    EXPECT_EQ(leveled.now.size(), cdfCurve(leveled.nowSeconds, 160).size());
    EXPECT_EQ(leveled.curves[0].size(), cdfCurve(leveled.moveSeconds[0], 160).size());
    EXPECT_EQ(leveled.curves[0].back().seconds, leveled.moveSeconds[0].back());
    EXPECT_EQ(leveled.moves.p95, known->across.p95);
}

TEST(GoalAnswers, TheMovesOfAScenarioAreDrawnWithItsNumbers)
{
    Scenario scenario = smallScenario("base");
    scenario.variability.slow = {{3, -1, 1.3, 1}};
    Evaluator evaluator;
    InsightOptions options;
    options.samples = 300;
    const Result<GoalMoves> all = goalMoves(evaluator, scenario, {.p95Seconds = 1e-3}, options);
    ASSERT_TRUE(all.ok());
    EXPECT_EQ(all->moves.samples, 300);
    EXPECT_EQ(all->nowSeconds.size(), 300U);
    EXPECT_EQ(all->moveSeconds.size(), std::min<std::size_t>(4, all->moves.moves.size()));
    EXPECT_EQ(all->moves.moves.front().reachesGoal, 0);
    EXPECT_GT(all->moves.moves.front().shortOfGoalSeconds, 0.001) << "p95 is far from a millisecond";
    const SnapshotPtr now = evaluator.evaluate(scenario, evaluateOptions(options, 300));
    EXPECT_EQ(all->nowSeconds, now->sortedAcrossSeconds);
    EXPECT_EQ(all->noiseFreeSeconds, now->samples->noiseFreeSeconds);
    for (std::size_t i = 0; i < all->moveSeconds.size(); ++i) {
        const Move& move = all->moves.moves[i];
        const SnapshotPtr then = evaluator.evaluate(*namedMove(scenario, move), evaluateOptions(options, 300));
        const bool comparable = move.improves && then->costed->tokensPerStep == now->costed->tokensPerStep;
        EXPECT_EQ(all->moveSeconds[i], comparable ? then->sortedAcrossSeconds : std::vector<double>{}) << i;
    }
    const Result<GoalMoves> none = goalMoves(evaluator, scenario, {}, options);
    ASSERT_TRUE(none.ok());
    EXPECT_EQ(none->moves.moves.front().shortOfGoalSeconds, 0) << "without a goal nothing is missing";
}

/// A table of 3 replicas × 2 stages × 4 steps, in which the worker of replica 1 and stage 0 computes at half the speed.
std::string stageTable()
{
    std::string text = "dp_rank,stage,step,optype,start_ts,duration,seq_id\n";
    for (int step = 0; step < 4; ++step)
        for (int replica = 0; replica < 3; ++replica) {
            const double begin = 100 * step, slow = replica == 1 ? 2 : 1;
            const auto row = [&](int stage, const char* type, double start, double seconds) {
                text += std::to_string(replica) + ',' + std::to_string(stage) + ',' + std::to_string(step) + ',' + type + ','
                        + std::to_string(begin + start) + ',' + std::to_string(seconds) + ",0\n";
            };
            row(0, "forward-compute", 0, slow);
            row(1, "forward-compute", 2, 1);
            row(1, "backward-compute", 3, 2);
            row(0, "backward-compute", 5, 2 * slow);
        }
    return text;
}

TEST(TraceAnswers, AJobsWorkersAreOverTheMedianOfTheirStage)
{
    const QTemporaryDir folder;
    const QString path = folder.filePath(u"table.csv"_s);
    QFile file(path);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(stageTable().c_str());
    file.close();
    EXPECT_EQ(foundFile(path), FoundFile::stageTable);
    EXPECT_TRUE(isTrace(FoundFile::stageTable));
    EXPECT_FALSE(isTrace(FoundFile::other));
    InsightOptions options;
    std::vector<double> shares;
    options.progress = [&](double share, std::string_view) { shares.push_back(share); };
    const Result<TraceFound> found = traceFound(path, smallScenario("base"), options);
    ASSERT_TRUE(found.ok());
    ASSERT_TRUE(found->job);
    ASSERT_EQ(found->job->workerFactors.size(), 6U);
    for (std::size_t worker = 0; worker < 6; ++worker)
        EXPECT_NEAR(found->job->workerFactors[worker], worker == 2 ? 2 : 1, 1e-9) << worker;
    EXPECT_TRUE(recognisedText(*found).startsWith(u"table.csv. 4 steps of 3 replicas × 2 stages."_s))
        << recognisedText(*found).toStdString();
    EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
    ASSERT_GE(shares.size(), 3U);
    EXPECT_EQ(std::vector<double>(shares.end() - 3, shares.end()), (std::vector<double>{0.6, 0.7, 0.85}));
    for (std::size_t i = 0; i + 3 < shares.size(); ++i)
        EXPECT_LE(shares[i], 0.5);
}

TEST(TraceAnswers, AProfilersTraceIsRecognisedInTheFirst64KiB)
{
    const QTemporaryDir folder;
    const QByteArray key = "\"traceEvents\"";
    for (const int before : {0, 65'536 - static_cast<int>(key.size()), 65'537 - static_cast<int>(key.size())}) {
        const QString path = folder.filePath(u"%1"_s.arg(before));
        QFile file(path);
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(QByteArray(before, ' ') + key + QByteArray(1000, ' '));
        file.close();
        EXPECT_EQ(foundFile(path), before + key.size() <= 65'536 ? FoundFile::profilerTraces : FoundFile::other) << before;
    }
    EXPECT_EQ(foundFile(folder.filePath(u"none"_s)), FoundFile::other);
}

TEST(TraceAnswers, SummariesCountRanksWorkersAndPools)
{
    TraceFound found;
    found.name = u"traces"_s;
    found.pools.resize(1234);
    KinetoReport report;
    report.ranks.resize(8);
    report.collectiveKernels = 5000;
    report.matchedKernels = 4800;
    found.kineto = report;
    EXPECT_EQ(recognisedText(found), u"traces. 8 ranks, 4,800 of 5,000 collective kernels matched. 1,234 pools of durations."_s);
    TraceJob job;
    job.replicas = 16;
    job.stages = 4;
    job.steps.resize(12);
    Repairs repairs;
    found.kineto.reset();
    found.job = JobFound{std::make_shared<const TraceJob>(job), {}, {}, repairs};
    EXPECT_EQ(recognisedText(found), u"traces. 12 steps of 16 replicas × 4 stages. No slow worker. 1,234 pools of durations."_s);
    found.job->repairs->slow.resize(3);
    EXPECT_TRUE(recognisedText(found).contains(u"3 slow workers"_s));
}

TEST(SentenceAnswers, QuestionsAndAnswersHaveTheMetricsOfTheScenarios)
{
    Findings f = prism::ui::test::found(); // base: p95 6.95 s, 31 % miss; other: p95 6.55 s, 7 %; full does not fit
    f.advised = advisedScenario(f);
    EXPECT_EQ(f.advised, 1U);
    EXPECT_EQ(questionOf(f), u"Which of the 3 scenarios trains with the shortest slow steps?"_s);
    EXPECT_EQ(answerOf(f).sentence, u"Take other: 19 of 20 of its steps end within 6.55 s; with base it is 6.95 s."_s);
    EXPECT_EQ(answerOf(f).certainty[0], u"Sampling: ± 18 ms (95 %), from 400 steps per scenario that share their random numbers."_s);
    EXPECT_TRUE(answerOf(f).certainty[1].contains(u"−14 to +7 %"_s));
    f.hasTarget = true;
    f.advised = advisedScenario(f);
    EXPECT_EQ(questionOf(f), u"Which scenario keeps a training step under 6.70 s?"_s);
    EXPECT_EQ(
        answerOf(f).sentence,
        u"No scenario meets the limit 6.70 s. The nearest is other: as predicted 7.0 % of its steps miss it; with base it is 31.0 %."_s);
    EXPECT_EQ(answerOf(f).certainty[0], u"Sampling: ± 1 points (95 %), from 400 steps per scenario that share their random numbers."_s);
    f.scenarios[1].misses = {0.03, 0.01};
    EXPECT_EQ(answerOf(f).sentence, u"Take other: as predicted 3.0 % of its steps miss 6.70 s; with base it is 31.0 %."_s);
    f.scenarios[0].misses = {0.02, 0.01}; // both reach it: p95 decides
    EXPECT_EQ(answerOf(f).sentence,
              u"other and base meet the limit 6.70 s. Take other: 19 of 20 of its steps end within 6.55 s; with base it is 6.95 s."_s);
    f.scenarios[1].misses = {0.07, 0.01}; // the only one that reaches it, though its p95 is longer
    f.advised = advisedScenario(f);
    EXPECT_EQ(answerOf(f).sentence, u"Keep base: as predicted 2.0 % of its steps miss 6.70 s; with other it would be 7.0 %."_s);
    f.pinned = false;
    EXPECT_TRUE(answerOf(f).sentence.startsWith(u"Take base"_s)) << "nothing was pinned to be kept";
    f.scenarios.resize(1);
    EXPECT_EQ(questionOf(f), u"How often does a training step take longer than 6.70 s?"_s);
    EXPECT_EQ(answerOf(f).sentence, u"base meets the limit 6.70 s: as predicted 2.0 % of its steps miss it."_s);
    f.scenarios[0].misses = {0.2, 0.01};
    EXPECT_EQ(answerOf(f).sentence, u"base does not meet the limit 6.70 s: as predicted 20.0 % of its steps miss it."_s);
    f.hasTarget = false;
    EXPECT_EQ(answerOf(f).sentence, u"19 of 20 steps end within 6.95 s, half of them within 6.50 s."_s);
    f.scenarios[0].possible = false;
    EXPECT_EQ(answerOf(f).sentence, u"base cannot run: it needs 61.0 GiB of GPU memory and has 79.6 GiB."_s);
    f.scenarios.push_back(f.scenarios[0]);
    EXPECT_EQ(answerOf(f).sentence, u"None of the 2 scenarios can run: each needs more memory than a GPU has."_s);
}

TEST(SentenceAnswers, ABaselineThatCannotRunIsNotCompared)
{
    Findings f = prism::ui::test::found();
    auto slow = std::make_shared<Snapshot>(*f.scenarios[1].snapshot);
    slow->scenario.variability.slow.push_back({3, -1, 1.15, 1});
    f.scenarios[2] = f.scenarios[1];
    f.scenarios[2].name = u"slow"_s;
    f.scenarios[2].snapshot = slow;
    f.scenarios[0].possible = false;
    f.advised = advisedScenario(f);
    EXPECT_EQ(answerOf(f).sentence,
              u"Take other: 19 of 20 of its steps end within 6.55 s; base cannot run: it needs 61.0 GiB of GPU memory and has 79.6 GiB."_s);
    f.scenarios[1].possible = false;
    EXPECT_EQ(advisedScenario(f), 2U) << "a slow node is a condition, but nothing else runs";
}

TEST(SentenceAnswers, TheBestOfSeveralRivalsAndTokensThatDiffer)
{
    Findings f = prism::ui::test::found();
    f.scenarios.push_back(f.scenarios[1]);
    f.scenarios[3].name = u"third"_s;
    f.scenarios[3].snapshot = stepsFrom(5.8, false, 4, 70);
    auto more = std::make_shared<Snapshot>(*f.scenarios[3].snapshot);
    f.scenarios[0].snapshot = stepsFrom(5, false, 1, 61); // the baseline is fastest: its rival is the next best that fits
    f.advised = 0;
    f.scenarios[1].changes.p95.delta = {0.6, 0.1};
    EXPECT_EQ(answerOf(f).sentence, u"Keep base: 19 of 20 of its steps end within 5.95 s; with other it would be 6.55 s."_s);
    f.scenarios[1].changes.p95.delta = {0.6, 0.7};
    EXPECT_EQ(
        answerOf(f).sentence,
        u"Keep base: base and other tie within the sampling error: 19 of 20 of their steps end within 5.95 s and 6.55 s, and it trains "
        u"in 60.5 d, not 67.1 d."_s);
    const QString tokens = u"The scenarios differ in tokens per step: they are compared per token."_s;
    EXPECT_FALSE(answerOf(f).certainty.contains(tokens));
    auto costed = std::make_shared<CostedStep>(*more->costed);
    costed->tokensPerStep = 2e6;
    more->costed = costed;
    f.scenarios[3].snapshot = more; // twice the tokens in 6.75 s
    EXPECT_TRUE(answerOf(f).certainty.contains(tokens));
    f.advised = advisedScenario(f);
    EXPECT_EQ(answerOf(f).sentence, u"Take third: 19 of 20 of its steps end within 3.38 s per million tokens; with base it is 5.95 s per "
                                    u"million tokens."_s);
    auto wide = std::make_shared<Snapshot>(*f.scenarios[1].snapshot);
    wide->scenario.cluster.numGpus *= 2;
    f.scenarios[1].snapshot = wide;
    EXPECT_TRUE(answerOf(f).certainty.contains(u"The scenarios differ in GPUs, tokens per step: they are compared per token."_s));
}

TEST(SentenceAnswers, ASlowNodeIsAConditionAndDaysDecideATie)
{
    Findings f = prism::ui::test::found();
    f.scenarios.resize(2); // base: 6.95 s, other: 6.55 s
    auto slow = std::make_shared<Snapshot>(*f.scenarios[1].snapshot);
    slow->scenario.variability.slow = {{3, -1, 1.15, 1}};
    f.scenarios[1].snapshot = slow;
    f.advised = advisedScenario(f);
    EXPECT_EQ(f.advised, 0U) << "at any metrics";
    EXPECT_EQ(answerOf(f).sentence, u"Keep base: 19 of 20 of its steps end within 6.95 s; under the condition other it would be 6.55 s."_s);
    EXPECT_TRUE(answerOf(f).certainty.contains(u"other marks slow nodes: a condition to prepare for, and no choice."_s));
    auto both = std::make_shared<Snapshot>(*f.scenarios[0].snapshot);
    both->scenario.variability.slow = slow->scenario.variability.slow;
    f.scenarios[0].snapshot = both;
    EXPECT_EQ(advisedScenario(f), 1U) << "the baseline has it, too";

    f = prism::ui::test::found();
    f.scenarios.resize(2);
    f.scenarios[1].snapshot = stepsFrom(6.0, false, 2, 70);
    f.scenarios[1].changes = {};
    auto sooner = std::make_shared<Snapshot>(*f.scenarios[1].snapshot);
    sooner->daysToTrain = f.scenarios[0].snapshot->daysToTrain / 2;
    f.scenarios[1].snapshot = sooner;
    f.advised = advisedScenario(f);
    EXPECT_EQ(f.advised, 1U);
    EXPECT_TRUE(answerOf(f).sentence.contains(u"tie within the sampling error"_s)
                && answerOf(f).sentence.endsWith(u", and it trains in 35.8 d, not 71.5 d."_s))
        << answerOf(f).sentence.toStdString();
}

TEST(SentenceAnswers, AssumptionsHaveTheNumbersOfTheScenario)
{
    Scenario s = smallScenario("s");
    s.cluster.interNodeGbPerS = 50;
    s.cluster.gpuHourPriceUsd = 2.5;
    s.training.trainTokens = 3e12;
    s.variability.preset.clear();
    QStringList lines = assumptionSentences(s);
    ASSERT_EQ(lines.size(), 3);
    EXPECT_TRUE(lines[0].contains(u" on 64 × "_s)) << lines[0].toStdString();
    EXPECT_TRUE(lines[0].endsWith(u", 8 GPUs to a node, 50.0 GB/s per GPU between nodes."_s)) << lines[0].toStdString();
    EXPECT_EQ(lines[1], u"Times vary by 2.0 % from GPU to GPU, 2.0 % from one matrix product to the next, 5.0 % in collectives between "
                        u"nodes."_s);
    EXPECT_EQ(lines[2], u"Training reads 3.00 T tokens; a GPU-hour costs 2.50 $."_s);
    s.training.trainTokens = 0;
    for (Distribution* d : {&s.variability.spatial, &s.variability.gemm, &s.variability.interCollective})
        d->cv = 0;
    lines = assumptionSentences(s);
    ASSERT_EQ(lines.size(), 2);
    EXPECT_TRUE(lines[1].startsWith(u"Nothing varies"_s));
    s.variability.slow = {{3, -1, 1.15, 1}, {-1, 9, 1.3, 1}, {0, -1, 2, 1}};
    EXPECT_EQ(slowPlaceSentences(s, u"a"_s), (QStringList{u"a: node 3 takes 1.15× as long as the others, all the time."_s,
                                                          u"a: GPU 9 takes 1.30× as long as the others, all the time."_s,
                                                          u"a: node 0 takes 2.00× as long as the others, all the time."_s}));
    EXPECT_TRUE(slowPlaceSentences(s, {}).front().startsWith(u"Node 3 "_s));
    s.variability.slow.push_back({5, -1, 2, 1});
    EXPECT_TRUE(slowPlaceSentences(s, u"a"_s).isEmpty()) << "more than three are not named one by one";
    Findings f = prism::ui::test::found();
    const QString job = assumptionSentences(f).back();
    EXPECT_TRUE(job.startsWith(u"A failure stops the job every 32 hours, a checkpoint is written every 30 min, 6 spare nodes stand by"_s)
                || job.startsWith(u"A failure stops the job every 31 hours, a checkpoint is written every 30 min, 6 spare nodes"_s))
        << job.toStdString();
    f.scenarios[0].job->plan.mtbfHours = std::numeric_limits<double>::infinity();
    EXPECT_TRUE(assumptionSentences(f).back().startsWith(u"Nothing fails, a checkpoint"_s));
    const QString energy = u"Energy and emissions are not stated: the power of a node is not given."_s;
    EXPECT_FALSE(limitSentences(f).contains(energy));
    f.scenarios[0].job->energyMwhMean = 0;
    EXPECT_TRUE(limitSentences(f).contains(energy));
}

TEST(FindingsAnswers, SixScenariosFourCausesAndSharesOfTheWork)
{
    FindingsQuery query;
    query.state = smallStudy();
    for (int id = 3; id <= 9; ++id) // entries 3 to 8 are shown, 9 is hidden and current
        query.state.entries.push_back({id, query.state.entries[0].scenario, id, id != 9, false});
    for (ScenarioEntry& e : query.state.entries)
        e.scenario = std::make_shared<const Scenario>(*setParameter(*e.scenario, "training.train_tokens", "1e11"));
    query.currentId = 9;
    query.samples = 400;
    InsightOptions options;
    std::vector<double> shares, all;
    options.progress = [&](double share, std::string_view what) {
        all.push_back(share);
        if (what == "step times" || what == "the whole job")
            shares.push_back(share);
    };
    Evaluator evaluator;
    const Result<Findings> f = findings(evaluator, query, options);
    ASSERT_TRUE(f.ok());
    std::vector<int> colours;
    for (const FoundScenario& s : f->scenarios)
        colours.push_back(s.colour);
    EXPECT_EQ(colours, (std::vector<int>{0, 1, 3, 4, 5, 9})) << "baseline, current and the first four others";
    EXPECT_EQ(f->scenarios[0].snapshot->across.samples, 400U);
    EXPECT_EQ(f->scenarios[0].cdf.size(), cdfCurve(f->scenarios[0].snapshot->sortedAcrossSeconds, 200).size());
    EXPECT_TRUE(std::is_sorted(all.begin(), all.end())) << "a part's own progress is a part of the whole";
    EXPECT_LE(all.back(), 1);
    EXPECT_GT(all.size(), shares.size() + 10);
    ASSERT_EQ(shares.size(), 12U);
    for (std::size_t i = 0; i < 6; ++i) {
        EXPECT_NEAR(shares[i], 0.3 * static_cast<double>(i) / 6, 1e-12);
        EXPECT_NEAR(shares[i + 6], 0.75 + 0.25 * static_cast<double>(i) / 6, 1e-12);
    }
    EXPECT_LE(f->causes.size(), 4U);
    EXPECT_GE(f->causes.size(), 1U);
    for (const FoundCause& cause : f->causes) {
        EXPECT_TRUE(cause.input == u"CV 2.0 %"_s || cause.input == u"CV 5.0 %"_s || cause.input.startsWith(u"CV "_s));
        EXPECT_GT(cause.rise.value, 0);
    }
    EXPECT_EQ(f->markSeconds, f->scenarios[0].snapshot->across.p95);
    // Causes and places have the samples of their pages; the job has those of the report.
    options.progress = {};
    EXPECT_EQ(f->places->samples, 500);
    const Result<SensitivityTable> table = sensitivity(evaluator, f->best().snapshot->scenario, options);
    for (const FoundCause& cause : f->causes)
        EXPECT_TRUE(std::any_of(table->rows.begin(), table->rows.end(), [&](const SensitivityRow& r) {
            return QString::fromStdString(r.id) == cause.id && r.spreadDoubled.p95.value == cause.rise.value;
        })) << cause.id.toStdString();
    options.samples = 400;
    const Result<JobReport> job = jobOf(evaluator, f->scenarios[0].snapshot->scenario, {.runs = 4'000}, options);
    ASSERT_TRUE(f->scenarios[0].job.has_value() && job.ok());
    EXPECT_EQ(f->scenarios[0].job->p50Days.value, job->p50Days.value);
    EXPECT_EQ(f->scenarios[0].job->runs, 4'000);
}

} // namespace
} // namespace prism::ui::test
