// SPDX-License-Identifier: GPL-3.0-or-later
// Known answers of the window's models: each shown number equals one that is counted or computed in another way.
#include "handmade.h"

#include "ui/findings/newjob.h"
#include "ui/look/change.h"
#include "ui/look/dates.h"
#include "ui/look/look.h"
#include "ui/model/lineage.h"
#include "ui/model/searchfile.h"
#include "ui/model/studymodel.h"
#include "ui/model/stepmarks.h"
#include "ui/workspace/curvepick.h"
#include "ui/workspace/distributiondata.h"
#include "ui/workspace/headline.h"
#include "ui/workspace/scenariofilter.h"

#include <QDir>
#include <QTemporaryDir>

#include <limits>
#include <map>
#include <random>

namespace prism::ui::test {

using namespace Qt::StringLiterals;

namespace {

/// The number of a text, with any unit after it.
double numberIn(QString text)
{
    text.replace(QChar(0x2212), u'-').remove(u',').remove(u'+').remove(u'×');
    return text.section(u' ', 0, 0).toDouble();
}

TEST(FormatAnswers, ATextWithItsUnitIsTheValueToThreeDigits)
{
    const std::map<QString, double> sizes{{u"s"_s, 1},
                                          {u"ms"_s, 1e-3},
                                          {u"µs"_s, 1e-6},
                                          {u"ns"_s, 1e-9},
                                          {u"B"_s, 1},
                                          {u"KiB"_s, 1024},
                                          {u"MiB"_s, 1048576},
                                          {u"GiB"_s, 1073741824},
                                          {u"TiB"_s, 1099511627776},
                                          {u"B/s"_s, 1},
                                          {u"kB/s"_s, 1e3},
                                          {u"MB/s"_s, 1e6},
                                          {u"GB/s"_s, 1e9},
                                          {u"TB/s"_s, 1e12},
                                          {u"P"_s, 1e15},
                                          {u"T"_s, 1e12},
                                          {u"G"_s, 1e9},
                                          {u"M"_s, 1e6},
                                          {u"k"_s, 1e3},
                                          {QString(), 1},
                                          {u"$"_s, 1},
                                          {u"k$"_s, 1e3},
                                          {u"M$"_s, 1e6},
                                          {u"G$"_s, 1e9},
                                          {u"MWh"_s, 1},
                                          {u"GWh"_s, 1e3},
                                          {u"kWh"_s, 1e-3},
                                          {u"t"_s, 1},
                                          {u"kt"_s, 1e3},
                                          {u"kg"_s, 1e-3},
                                          {u"d"_s, 1},
                                          {u"h"_s, 1.0 / 24},
                                          {u"min"_s, 1.0 / 1440}};
    struct Kind {
        format::Quantity (*text)(double);
        double smallest, largest, base; ///< the range that has units; the largest number of a unit but the last
    };
    std::mt19937 random(7);
    for (const Kind& kind :
         {Kind{format::seconds, 1e-8, 900, 1000}, Kind{format::bytes, 2, 1e14, 1024}, Kind{format::bandwidth, 2, 1e14, 1000},
          Kind{format::si, 1, 1e17, 1000}, Kind{format::dollars, 2, 1e11, 1000}, Kind{format::energy, 1e-2, 1e5, 1000},
          Kind{format::tonnes, 1e-2, 1e5, 1000}, Kind{format::days, 1e-3, 900, 60}})
        for (int i = 0; i < 60; ++i) {
            const double value = kind.smallest * std::pow(kind.largest / kind.smallest, std::uniform_real_distribution(0.0, 1.0)(random));
            const format::Quantity q = kind.text(value);
            ASSERT_TRUE(sizes.contains(q.unit)) << q.unit.toStdString();
            EXPECT_NEAR(numberIn(q.number) * sizes.at(q.unit), value, 0.00501 * value) << q.text().toStdString();
            EXPECT_LE(numberIn(q.number), value > kind.largest / 1e3 ? 1e6 : kind.base) << q.text().toStdString();
            EXPECT_GE(numberIn(q.number), 1) << q.text().toStdString();
        }
}

TEST(FormatAnswers, SharesAndChangesAreThoseOfTheirNumbers)
{
    std::mt19937 random(8);
    for (int i = 0; i < 60; ++i) {
        const double share = std::uniform_real_distribution(0.01, 0.99)(random), change = (i % 2 ? share : -share) / 2;
        EXPECT_NEAR(numberIn(format::percent(share)), 100 * share, 0.0501);
        EXPECT_NEAR(numberIn(format::percentDelta(change)), 100 * change, 0.0501);
        EXPECT_NEAR(numberIn(format::pointsDelta(change)), 100 * change, 0.0501);
        EXPECT_NEAR(numberIn(format::factor(1 + share)), 1 + share, 0.00501);
        EXPECT_NEAR(numberIn(format::comparedSeconds(10 + change, 10).section(u", "_s, 1)), change * 1e3, 5.01);
        EXPECT_NEAR(numberIn(format::comparedSeconds(10 + change, 10).section(u"("_s, 1)), change * 10, 0.0501);
        EXPECT_NEAR(numberIn(format::interval(share).section(u"± "_s, 1)), 1e3 * share, 5.01);
        EXPECT_NEAR(numberIn(plainText(shareRuns(share, 0.034)).section(u"± "_s, 1)), 3, 1e-9);
    }
    EXPECT_EQ(format::secondsDelta(0.0994), u"+99 ms"_s); // two digits below a hundred
    EXPECT_EQ(format::secondsDelta(0.0996), u"+99.6 ms"_s);
    EXPECT_EQ(format::band(-0.14, 0.071), u"−14 to +7 %"_s);
    EXPECT_EQ(format::tableCell(u"1234567"_s), u"1,234,567"_s);
    EXPECT_EQ(format::tableCell(u"0.123456"_s), u"0.1235"_s);
    EXPECT_EQ(format::tableHeader(u"p95_half_width_s"_s), u"p95 half-width [s]"_s);
    EXPECT_EQ(plainText(shareRuns(0.0009, 0.1)), u"< 0.1 %"_s);
    EXPECT_EQ(plainText(shareRuns(0.001, 0.0004)), u"0.1 % ± 0.04"_s);
    EXPECT_EQ(plainText(shareRuns(0.9991, 0.1)), u"> 99.9 %"_s);
}

TEST(FormatAnswers, DaysOfARunAreThoseOfTheCalendar)
{
    EXPECT_EQ(format::dateAfter("2026-02-27", 2.9), QDate(2026, 3, 1));
    EXPECT_EQ(format::dayOfRun("2026-12-30", 1), u"31 December"_s);
    EXPECT_EQ(format::dayOfRun("2026-12-30", 2), u"1 January 2027"_s);
    EXPECT_EQ(format::dayOfRun("", 7.8), u"day 7"_s);
    EXPECT_EQ(format::byDeadline("2026-03-01", 5), u"by 5 March"_s) << "the fifth day is the 5th";
    EXPECT_EQ(format::byDeadline("", 1), u"within 1 day"_s);
    EXPECT_EQ(format::deadlineDays(u"5 March 2026"_s, "2026-03-01"), 5.0);
    EXPECT_EQ(format::deadlineDays(u"2026-03-01"_s, "2026-03-01"), 1.0);
    EXPECT_FALSE(format::deadlineDays(u"2026-02-28"_s, "2026-03-01"));
    EXPECT_EQ(format::deadlineDays(u"12.5 days"_s, ""), 12.5);
    EXPECT_FALSE(format::deadlineDays(u"0"_s, ""));
    for (const auto& [seconds, text] :
         {std::pair{119.0, u"120 s"_s}, {120.0, u"2.0 min"_s}, {5400.0, u"90 min"_s}, {7200.0, u"2.0 h"_s}, {90000.0, u"25 h"_s}})
        EXPECT_EQ(format::span(seconds), text);
}

TEST(ColourAnswers, RampsAndMixturesAreLinear)
{
    const Palette& p = lightPalette();
    EXPECT_EQ(p.heatAt(0), p.heat[0]);
    EXPECT_EQ(p.heatAt(-1), p.heat[0]);
    EXPECT_EQ(p.heatAt(2), p.heat[kHeatStops - 1]);
    for (int stop = 1; stop < kHeatStops; ++stop)
        EXPECT_EQ(p.heatAt(double(stop) / (kHeatStops - 1)).name(), p.heat[std::size_t(stop)].name()) << stop;
    EXPECT_EQ(p.heatAt(0.25 / (kHeatStops - 1)).name(), blend(p.heat[1], p.heat[0], 0.25).name());
    EXPECT_EQ(blend(Qt::white, Qt::black, 0.25).red(), 64);
    EXPECT_EQ(p.tint(Qt::black).name(), blend(Qt::black, p[Role::panel], 0.37).name());
    EXPECT_EQ(p.seriesAt(-1), p.seriesAt(kSeriesCount - 1));
    EXPECT_EQ(p.seriesAt(kSeriesCount + 2), p.seriesAt(2));
    EXPECT_NEAR(contrastRatio(Qt::white, Qt::black), 21, 1e-9);
    EXPECT_NEAR(contrastRatio(QColor(0x77, 0x77, 0x77), Qt::white), 4.48, 0.005); // WCAG's example
    EXPECT_EQ(readableOn(Qt::white), QColor(Qt::black));
    EXPECT_NE(seriesDash(kSeriesCount + 1), seriesDash(1)) << "a colour that comes again has another dash";
}

TEST(HeadlineAnswers, IntervalsMoveWithTheMedian)
{
    auto s = std::make_shared<Snapshot>(*stepsFrom(6, false, 2, 61)); // median 6.5 s
    s->across.ciP50 = 0.065;                                          // a hundredth
    s->tokensPerSecond = 3e5;
    s->mfu = 0.42;
    s->daysToTrain = 40;
    s->costUsd = 6e6;
    PageContext context = twoScenarios();
    context.scenarios[1].snapshot = s;
    ChangesCache cache;
    const auto cells = headlineCells(context, cache, {}, {});
    EXPECT_EQ(cells[4].note, u"± 3 k"_s);
    EXPECT_EQ(cells[5].note, u"± 0.4"_s);
    EXPECT_EQ(cells[7].note, u"± 0.4 d"_s);
    EXPECT_EQ(cells[8].note, u"± 0.06 M$"_s);
    EXPECT_EQ(cells[5].number, u"42.0"_s);
    EXPECT_EQ(cells[6].note, u"of 79.6, fits"_s);
    s->costUsd = 9e5; // shown without an interval below a million
    EXPECT_EQ(headlineCells(context, cache, {}, {})[8].note, QString());
    ScenarioResult invalid;
    const auto stale = headlineCells(context, cache, invalid, {u"cluster.gpu_hour_price_usd"_s});
    for (int cell = 0; cell < 9; ++cell)
        EXPECT_EQ(stale[cell].stale, cell >= 7) << cell << ": a price touches days and cost alone";
}

TEST(DistributionAnswers, SharesAreCountsOfTheDraws)
{
    const PageContext context = twoScenarios();
    const auto &base = context.scenarios[0].snapshot->samples->acrossSeconds,
               &other = context.scenarios[1].snapshot->samples->acrossSeconds;
    int beyond = 0, between = 0, faster = 0;
    for (std::size_t i = 0; i < base.size(); ++i) {
        beyond += other[i] > 6.13;
        between += other[i] > 6.0 + 1e-9 && other[i] <= 6.13;
        faster += other[i] < base[i];
    }
    ChangesCache cache;
    const TableData table = distributionTable(context, cache, {0, 6.13}, false);
    const auto cell = [](const TableData& t, int row, const QString& name) { return t.rows[row][t.header.indexOf(name)].toDouble(); };
    EXPECT_NEAR(cell(table, 1, u"p_step_over_limit"_s), beyond / double(kDraws), 1e-12);
    EXPECT_NEAR(cell(table, 1, u"p_faster_than_baseline"_s), faster / double(kDraws), 1e-12);
    const QStringList lines =
        metricLines(context.scenarios[1].snapshot, context.scenarios[0].snapshot, cache, {0, 6.13}).filter(u"P(step >"_s);
    ASSERT_EQ(lines.size(), 1);
    EXPECT_NEAR(numberIn(lines.front().section(u") "_s, 1)), 100.0 * beyond / kDraws, 0.0501);
    EXPECT_NEAR(cell(table, 1, u"p95_change_s"_s), cell(table, 1, u"p95_s"_s) - cell(table, 0, u"p95_s"_s), 1e-9);
    EXPECT_EQ(table.rows[0][table.header.indexOf(u"p95_change_s"_s)], QString()) << "the baseline is compared with nothing";
    EXPECT_NEAR(cell(distributionTable(context, cache, {6.0 + 1e-9, 6.13}, false), 1, u"p_step_between_limits"_s), between / double(kDraws),
                1e-12);
    EXPECT_NEAR(cell(table, 0, u"p75_s"_s), 6 + 0.75 * 399 / 400, 1e-9) << "the base line's draws are 6 s + i / 400";
    // The cache distinguishes snapshots, series and limits.
    const SnapshotPtr a = context.scenarios[0].snapshot, b = context.scenarios[1].snapshot;
    EXPECT_NE(cache.changes(a, b, false).p95.delta.value, cache.changes(b, a, false).p95.delta.value);
    EXPECT_NE(cache.share(a, false, {0, 6.2}).value, cache.share(a, false, {0, 6.3}).value);
    EXPECT_EQ(cache.share(a, false, {0, 6.2}).value, shareAt(*a, false, {0, 6.2}).value);
}

TEST(DistributionAnswers, BaselineCurrentAndFastestCurvesAreDrawn)
{
    PageContext context;
    for (int id = 0; id < 10; ++id) { // p95 falls with the number; 9 is hidden
        ShownScenario s{id, QString::number(id), id, id != 9, id == 0, id == 2, false, stepsFrom(20 - id, false, 10 + id, 60)};
        context.scenarios << s;
    }
    const auto idsOf = [](const QList<ShownScenario>& all) {
        std::vector<int> ids;
        for (const ShownScenario& s : all)
            ids.push_back(s.id);
        return ids;
    };
    EXPECT_EQ(drawableCount(context), 9);
    EXPECT_EQ(idsOf(drawnScenarios(context)), (std::vector<int>{0, 2, 5, 6, 7, 8}));
    EXPECT_EQ(idsOf(drawnScenarios(context, 1)), (std::vector<int>{0, 1, 2, 6, 7, 8}));
    auto large = std::make_shared<Snapshot>(*context.scenarios[1].snapshot); // its step is long, and trains far more tokens
    auto costed = std::make_shared<CostedStep>();
    costed->tokensPerStep = 1e9;
    large->costed = costed;
    context.scenarios[1].snapshot = large;
    EXPECT_EQ(idsOf(drawnScenarios(context)), (std::vector<int>{0, 1, 2, 6, 7, 8}));
    context.scenarios.remove(0, 3);
    EXPECT_EQ(drawnScenarios(context).size(), 6) << "few are all drawn";
}

TEST(FilterAnswers, EveryComparisonAtItsLimit)
{
    Scenario scenario = smallScenario("filter");
    scenario.variability.spatial.cv = 0.02;
    const ScenarioEntry entry{1, std::make_shared<const Scenario>(scenario), 0, true, false};
    auto s = std::make_shared<Snapshot>(*stepsFrom(6, false, 1, 61));
    s->across.mean = 6.51;
    s->tokensPerSecond = 2e5;
    s->mfu = 0.4;
    s->daysToTrain = 70;
    s->costUsd = 9e5;
    for (const auto& [metric, value] : {std::pair{u"p5"_s, s->across.p5},
                                        {u"p50"_s, 6.5},
                                        {u"p95"_s, s->across.p95},
                                        {u"p99"_s, s->across.p99},
                                        {u"mean"_s, 6.51},
                                        {u"mfu"_s, 0.4},
                                        {u"tokens"_s, 2e5},
                                        {u"memory"_s, 61.0},
                                        {u"days"_s, 70.0},
                                        {u"cost"_s, 9e5},
                                        {u"tp"_s, 4.0}})
        for (const double shift : {-0.001, 0.0, 0.001})
            for (const auto& [sign, truth] : {std::pair{u"<"_s, shift > 0},
                                              {u"<="_s, shift >= 0},
                                              {u">"_s, shift < 0},
                                              {u">="_s, shift <= 0},
                                              {u"="_s, shift == 0},
                                              {u"!="_s, shift != 0}}) {
                const QString text = u"%1 %2 %3"_s.arg(metric, sign, QString::number(value * (1 + shift), 'g', 17));
                if (metric != u"tp" || shift == 0) { // whole numbers
                    EXPECT_EQ(ScenarioFilter(text).matches(entry, s), truth) << text.toStdString();
                }
            }
    for (const QString& same : {u"variability.spatial.cv = 2"_s, u"variability.spatial.cv = 2 %"_s})
        EXPECT_TRUE(ScenarioFilter(same).matches(entry, s)) << same.toStdString();
}

TEST(JobAnswers, AUsualBatchHoldsFourMebitokens)
{
    EXPECT_EQ(usualGlobalBatch(4096), 1024);
    EXPECT_EQ(usualGlobalBatch(8192), 512);
    EXPECT_EQ(usualGlobalBatch(5000), 512); // 838 sequences, a power of two at most
    EXPECT_EQ(usualGlobalBatch(std::int64_t{1} << 23), 1);
    EXPECT_EQ(usualGlobalBatch(0), 1 << 22);
}

TEST(SearchFiles, KeepTheLatestTwenty)
{
    const QTemporaryDir folder;
    const SearchFile files(folder.path());
    for (int i = 0; i < kMaxSearches + 3; ++i) {
        files.write(std::to_string(i), "text");
        EXPECT_EQ(QDir(folder.path()).entryList(QDir::Files).size(), std::min(i + 1, kMaxSearches));
    }
    EXPECT_EQ(files.read(std::to_string(kMaxSearches + 2)), "text");
}

TEST(AdviceAnswers, ADifferenceMustExceedBothIntervals)
{
    Findings f = found();
    f.hasTarget = true;
    auto free = std::make_shared<Snapshot>(*f.scenarios[1].snapshot); // days and cost are not known, p95 is 0.4 s shorter
    free->daysToTrain = free->costUsd = 0;
    f.scenarios[1].snapshot = free;
    // Which of two reach a target, 5 % of the steps within the interval, and which is advised; the third one does not fit.
    for (const auto& [base, other, advised] : {std::tuple{0.10, 0.04, 1U}, {0.059, 0.10, 0U}, {0.061, 0.10, 1U}, {0.02, 0.03, 1U}}) {
        f.scenarios[0].misses = {base, 0.01};
        f.scenarios[1].misses = {other, 0.01};
        f.scenarios[2].misses = {0, 0};
        EXPECT_EQ(advisedScenario(f), advised) << base << ", " << other;
    }
    f.hasTarget = false; // by p95, with the paired interval
    EXPECT_EQ(advisedScenario(f), 1U);
    f.scenarios[1].changes.p95.delta.halfWidth = 0.41; // of 0.4 s
    EXPECT_EQ(advisedScenario(f), 0U);
}

TEST(StudyAnswers, SlowNodesAreSetMovedAndRepaired)
{
    StudyModel study;
    study.reset(smallStudy(), 2); // the second has node 3, 15 % slow
    const auto slow = [&] { return study.state().find(2)->scenario->variability.slow; };
    study.setSlowNode(2, 3, 1.2);
    ASSERT_EQ(slow().size(), 1U);
    EXPECT_EQ(slow()[0].computeFactor, 1.2);
    EXPECT_EQ(study.undoStack()->undoText(), u"Node 3 is 20 % slow"_s);
    study.setSlowNode(2, 5, 1.05);
    study.setSlowNode(2, 5, 0.9); // nothing is faster than the others
    ASSERT_EQ(slow().size(), 2U);
    EXPECT_EQ(slow()[1].computeFactor, 1.05);
    study.moveSlowNode(2, 3, -1);
    study.moveSlowNode(2, 3, 3);
    EXPECT_EQ(slow()[0].node, 3);
    study.moveSlowNode(2, 3, 5); // takes the place of the other
    ASSERT_EQ(slow().size(), 1U);
    EXPECT_EQ(slow()[0].node, 5);
    EXPECT_EQ(slow()[0].computeFactor, 1.2);
    study.setSlowNode(2, 5, 1);
    EXPECT_TRUE(slow().empty());
    study.setSlowNode(2, 5, 1);
    EXPECT_EQ(study.duplicate(99), -1);
    int changes = 0;
    QObject::connect(&study, &StudyModel::currentChanged, [&changes] { ++changes; });
    study.setSlowNode(2, 5, 1.1);
    EXPECT_EQ(changes, 0) << "the current scenario is the same";
}

TEST(StudyAnswers, ANoteNamesFourEditsAndCountsTheRest)
{
    StudyState state = smallStudy();
    Scenario changed = *state.entries[0].scenario;
    for (const auto& [id, value] : {std::pair{"training.micro_batch_size", "2"},
                                    {"training.global_batch_size", "64"},
                                    {"model.num_layers", "32"},
                                    {"parallelism.tensor_model_parallel_size", "8"},
                                    {"cluster.num_gpus", "128"},
                                    {"variability.spatial.cv", "0.03"}})
        changed = *setParameter(changed, id, value);
    state.entries[1].scenario = std::make_shared<const Scenario>(changed);
    state.entries[1].parentId = 1;
    const QString note = lineage(state, state.entries[1]);
    EXPECT_EQ(note.count(u'→'), 4) << note.toStdString();
    EXPECT_TRUE(note.endsWith(u"2 more"_s)) << note.toStdString();
    EXPECT_TRUE(note.startsWith(u"against base: "_s));
    const QStringList forms = lineageForms(state, state.entries[1]);
    ASSERT_EQ(forms.size(), 3);
    EXPECT_EQ(forms[0].count(u", "_s), 5);
    EXPECT_TRUE(forms[1].endsWith(u" +5"_s));
    EXPECT_EQ(forms[2], u"6 differences"_s);
}

TEST(FormatAnswers, Edges)
{
    EXPECT_EQ(format::percent(1), u"100.0 %"_s);
    EXPECT_EQ(format::percent(12), u"1,200 %"_s);
    EXPECT_EQ(format::si(1).text(), u"1.00"_s);
    EXPECT_EQ(format::si(0.5).text(), u"0.500"_s);
    EXPECT_EQ(format::si(-2500).text(), u"−2.50 k"_s);
    EXPECT_EQ(format::deltaScale(-0.25).unit.name, u"ms"_s);
    EXPECT_EQ(format::deltaScale(-0.25).decimals, 0);
    EXPECT_EQ(format::deltaScale(0.05).decimals, 1);
    EXPECT_EQ(format::secondsDelta(0.0004, format::DeltaScale{{1e3, u"ms"_s}, 1}), u"+0.4 ms"_s);
    EXPECT_EQ(format::secondsDelta(0.00004, format::DeltaScale{{1e3, u"ms"_s}, 1}), u"0 ms"_s);
    EXPECT_EQ(format::interval(0.00004, format::DeltaScale{{1e3, u"ms"_s}, 1}), u"± < 0.1 ms"_s);
    EXPECT_EQ(format::tableCell(u"1234.5"_s), u"1,235"_s);
    EXPECT_EQ(format::tableCell(u"-12"_s), u"−12"_s);
    EXPECT_EQ(format::tableCell(u"2e15"_s), format::number(2e15, 4));
    EXPECT_EQ(format::kernelClass(u".norm"_s), u"Norm"_s);
    EXPECT_EQ(format::timeChange({-0.14237, 0.00001}), u"−142 ms"_s);
    EXPECT_EQ(format::timeChange({0.05237, 0.00001}), u"+52 ms"_s);
    EXPECT_FALSE(format::dateAfter("2026-01-01", std::numeric_limits<double>::quiet_NaN()).isValid());
    EXPECT_FALSE(format::dateAfter("2026-01-01", 1e6).isValid());
    EXPECT_FALSE(format::dateAfter("January", 3).isValid());
    const Palette& p = lightPalette();
    EXPECT_EQ(p.weight[1].name(), blend(p[Role::bad], p.backward[1], 0.45).name());
    EXPECT_EQ(p.memory[1].name(), blend(p[Role::text], p[Role::panel], 0.58).name());
}

} // namespace
} // namespace prism::ui::test
