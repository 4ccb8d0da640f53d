// SPDX-License-Identifier: GPL-3.0-or-later
// What tables, cards and sentences say of small results made by hand, as recorded in golden/texts.txt.
#include "plot_samples.h"
#include "recorded.h"

#include "tests/ui/studies.h"
#include "ui/distribution/cdfchart.h"
#include "ui/distribution/cdfstate.h"
#include "ui/explore/candidatemodel.h"
#include "ui/findings/findings.h"
#include "ui/findings/heldagainst.h"
#include "ui/findings/tracefound.h"
#include "ui/job/factscard.h"
#include "ui/moves/movesmodel.h"
#include "ui/newjob/proposalview.h"
#include "ui/pages/pipelinetext.h"
#include "ui/pages/placementgroups.h"
#include "ui/plot/jobwaterfall.h"
#include "ui/report/reportfigures.h"
#include "ui/workspace/distributionmodel.h"
#include "ui/workspace/headline.h"
#include "ui/workspace/papernotes.h"

#include <QChart>

namespace prism::ui::test {

using namespace Qt::StringLiterals;

namespace {

constexpr int kDraws = 400;

/// Steps from `low` to 1 s above it, evenly; every fourth one 0.5 s longer where `uneven`.
SnapshotPtr stepsFrom(double low, bool uneven, std::uint64_t hash, double peakGib)
{
    auto s = std::make_shared<Snapshot>();
    s->scenario = smallScenario(hash == 1 ? "base" : "other");
    s->scenario.training.trainTokens = 2e11;
    s->hash.value = hash;
    s->seed = 7;
    auto samples = std::make_shared<StepSamples>();
    for (int i = 0; i < kDraws; ++i)
        samples->acrossSeconds.push_back(low + ((i * 37) % kDraws) / double(kDraws) + (uneven && i % 4 == 0 ? 0.5 : 0));
    samples->withinSeconds = samples->acrossSeconds;
    samples->noiseFreeSeconds = low - 0.25;
    s->sortedAcrossSeconds = samples->acrossSeconds;
    std::sort(s->sortedAcrossSeconds.begin(), s->sortedAcrossSeconds.end());
    s->sortedWithinSeconds = s->sortedAcrossSeconds;
    s->across = {.mean = low + 0.5, .p5 = low + 0.05, .p50 = low + 0.5, .p95 = low + 0.95, .p99 = low + 0.99};
    s->across.ciP50 = 0.012;
    s->across.ciP95 = 0.018;
    s->across.ciP99 = 0.024;
    s->across.samples = kDraws;
    s->within = s->across;
    s->within.p95 += 0.3;
    s->samples = samples;
    auto costed = std::make_shared<CostedStep>();
    costed->errorBandLow = -0.14;
    costed->errorBandHigh = 0.07;
    costed->memory = samples::memory(4);
    costed->memory.peakGib = peakGib;
    costed->memory.fits = peakGib < costed->memory.capacityGib;
    costed->tokensPerStep = 1e6;
    s->costed = costed;
    s->slowdownP50 = (low + 0.5) / (low - 0.25);
    s->tokensPerSecond = 1.3e6 / (low + 0.5);
    s->mfu = 0.36 / (low + 0.5);
    s->daysToTrain = 11 * (low + 0.5);
    s->costUsd = 1.9e6 * (low + 0.5);
    return s;
}

PageContext twoScenarios()
{
    PageContext context;
    context.scenarios = {{1, u"base"_s, 0, true, true, false, false, stepsFrom(6, false, 1, 61)},
                         {2, u"other"_s, 1, true, false, true, false, stepsFrom(5.6, true, 2, 70)},
                         {3, u"full"_s, 2, false, false, false, true, stepsFrom(5.9, false, 3, 95)}};
    context.baselineId = 1;
    context.currentId = 2;
    return context;
}

JobReport job(double days)
{
    JobReport r;
    r.config.startDate = "2026-01-20";
    r.config.detectionS = 90;
    r.config.restartS = 540;
    r.config.spareNodes = 6;
    r.config.checkpointBlockS = 12;
    r.config.evaluationS = 300;
    r.config.evaluationIntervalSteps = 500;
    r.config.maintenanceEveryDays = 14;
    r.config.nodePowerKw = 10.2;
    r.config.pue = 1.3;
    r.config.gridGCo2PerKwh = 350;
    r.plan = {2e11, 190'000, 128, 1024, 9.1, days * 0.9, 31.5, 0};
    r.meanDays = days;
    for (int i = 0; i < 200; ++i)
        r.sortedDays.push_back(days - 1 + 0.01 * i);
    r.p5Days = days - 0.9;
    r.p50Days = {days, 0.02};
    r.p95Days = {days + 0.9, 0.03};
    r.p99Days = days + 0.98;
    r.effectiveRatio = {0.912, 0.001};
    r.ratioP5 = 0.89;
    r.ratioP95 = 0.93;
    for (const auto& [cause, part] : {std::pair{"productive", 0.912},
                                      {"checkpoint", 0.02},
                                      {"rework", 0.03},
                                      {"detection", 0.004},
                                      {"restart", 0.02},
                                      {"evaluation", 0.01},
                                      {"maintenance", 0.004}})
        r.shares.push_back({cause, {part, 0.002}, part * days});
    r.failuresP5 = 12;
    r.failuresP50 = 17;
    r.failuresP95 = 23;
    r.interruptionsMean = 18.4;
    r.checkpoints.usedSeconds = 1800;
    r.spares = {{6, 0.02, {days, 0.02}, {4e6, 1e4}}};
    r.sparesFor99 = 8;
    r.deadlineDays = days + 0.5;
    r.deadlineProbability = {0.75, 0.02};
    r.costUsdMean = 3.97e6;
    r.costUsdP95 = 4.22e6;
    r.energyMwhMean = 1340;
    r.co2TonnesMean = 469;
    r.runs = 200;
    return r;
}

Findings found()
{
    Findings f;
    for (const ShownScenario& shown : twoScenarios().scenarios) {
        FoundScenario s;
        s.name = shown.name;
        s.colour = shown.colour;
        s.baseline = shown.isBaseline;
        s.snapshot = shown.snapshot;
        s.possible = shown.snapshot->costed->memory.fits;
        s.cdf = cdfCurve(shown.snapshot->sortedAcrossSeconds, 20);
        s.misses = {shown.isBaseline ? 0.31 : 0.07, 0.01};
        if (!s.baseline)
            s.changes = headlineChanges(*f.scenarios.front().snapshot, *s.snapshot);
        if (s.possible)
            s.job = job(s.baseline ? 25 : 23);
        f.scenarios.push_back(std::move(s));
    }
    f.markSeconds = 6.7;
    f.causes = {{u"a"_s, u"AllGather"_s, u"CV 6 %"_s, {0.236, 0.01}}, {u"b"_s, u"MLP GEMM"_s, u"CV 2 %"_s, {0.066, 0.008}}};
    f.places = samples::placementMap(4);
    f.places->probe.computeFactor = 1.15;
    f.assumptions = {{"job.restart_s", "Restart", "540 s", "A page.", JobAssumption::Word::published},
                     {"job.detection_s", "Detection", "90 s", "A page.", JobAssumption::Word::published},
                     {"job.pue", "PUE", "1.3", "", JobAssumption::Word::scenario}};
    f.version = u"1"_s;
    return f;
}

void add(Recorded& record, const QString& name, const ReportTable& table)
{
    for (const QList<FigureRuns>& row : table.rows) {
        QStringList cells;
        for (const FigureRuns& runs : row)
            cells << plainText(runs) + u" ~%1"_s.arg(static_cast<int>(runs.isEmpty() ? Role::text : runs.back().role));
        record.add(name, cells.join(u" | "_s));
    }
}

void add(Recorded& record, const QString& name, const QAbstractItemModel& model)
{
    for (int row = 0; row < model.rowCount(); ++row)
        for (int column = 0; column < model.columnCount(); ++column)
            record.add(u"%1 %2 %3"_s.arg(name, model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString()).arg(row),
                       model.index(row, column).data().toString() + u" | "_s + model.index(row, column).data(Qt::ToolTipRole).toString());
}

void add(Recorded& record, const QString& name, const HeatData& data)
{
    record.add(name, u"%1 by %2, best %3, worst %4; %5; %6"_s.arg(data.rows)
                         .arg(data.columns)
                         .arg(data.best)
                         .arg(data.worst)
                         .arg(data.rowLabels.join(u","_s), data.columnLabels.join(u","_s)));
    for (const HeatCell& cell : data.cells)
        record.add(name, u"%1 %2 ± %3 %4 %5"_s.arg(cell.present).arg(cell.ratio).arg(cell.halfWidth).arg(cell.name, cell.detail));
}

void addPlaces(Recorded& record)
{
    Scenario s = smallScenario("places");
    s.variability.slow = {{3, -1, 1.15, 1}, {6, -1, 1.1, 1}};
    s.cluster.nodesPerPod = 3;
    s.measured.nodeOrder = {1, 0, 2, 3, 4, 5, 7, 6};
    PlacementMap map;
    map.rows = 2;
    map.columns = 4;
    map.rowLabels = {"replicas 1-3", "replica 0"};
    map.columnLabels = {"a", "b", "c", "d"};
    map.rowFirstReplica = {1, 0};
    map.rowReplicas = {3, 1};
    map.rowOfReplica = {1, 0, 0, 0};
    map.base = stepsFrom(8, false, 1, 60)->across;
    for (int i = 0; i < 8; ++i) {
        const double ratio = 1 + 0.01 * ((i * 5) % 8);
        map.cells.push_back({i != 2,
                             {ratio + 0.01, 0.002},
                             {ratio, 0.001},
                             {ratio + 0.02, 0.004},
                             (ratio + 0.01) * 8.95,
                             ratio * 8.5,
                             (ratio + 0.02) * 8.99,
                             i});
    }
    map.bestRow = 0;
    map.bestColumn = 0;
    map.worstRow = 1;
    map.worstColumn = 3;
    const PlacementMap sorted = inReplicaOrder(map);
    record.add(u"places in order"_s, u"%1 %2 %3 %4; %5 %6"_s.arg(sorted.bestRow)
                                         .arg(sorted.bestColumn)
                                         .arg(sorted.worstRow)
                                         .arg(sorted.worstColumn)
                                         .arg(sorted.rowOfReplica[0])
                                         .arg(sorted.rowOfReplica[3]));
    for (const auto grouping : {PlaceGrouping::replicaAndStage, PlaceGrouping::node, PlaceGrouping::rack})
        for (const auto figure : {PlaceFigure::p50, PlaceFigure::p95, PlaceFigure::p99}) {
            const GroupedPlaces places = placesBy(grouping, sorted, figure, s, {"n-0", "n-1"});
            const QString name = u"places %1 %2"_s.arg(nameOf(grouping), nameOf(figure));
            add(record, name, places.data);
            for (const auto& [cell, nodes] : places.slowAt)
                record.add(name + u" slow"_s, u"%1 has %2, first %3"_s.arg(cell).arg(nodes.size()).arg(nodes.front()));
            record.add(name + u" node"_s,
                       u"%1 %2 %3, cell %4"_s.arg(places.node(0)).arg(places.node(1)).arg(places.node(2)).arg(places.cellOfNode(6)));
        }
    for (const int node : {0, 3, 7}) {
        QStringList at;
        for (const NodePlace& place : placesOf(s, node))
            at << placeText(place);
        record.add(u"places of node %1"_s.arg(node), at.join(u"; "_s));
    }
}

void addModels(Recorded& record)
{
    Moves moves;
    moves.p95 = 9.3;
    for (const double gain : {0.593, 0.02, 0.004, -0.1}) {
        Move m;
        m.changes = {"Tensor parallel 8 -> 4", "Spread 6% -> 3%"};
        m.p50Gain = {gain / 2, 0.002};
        m.p95Gain = {gain, 0.003};
        m.p99Gain = {2 * gain, 0.01};
        m.memoryChangeGib = gain * 3;
        m.usdPerBillionTokensChange = -40 * gain;
        m.reachesGoal = gain > 0.5 ? 0.98 : gain > 0.01 ? 0.6 : 0.01;
        m.shortOfGoalSeconds = gain > 0.01 ? 0 : 0.25;
        m.improves = gain > 0;
        moves.moves.push_back(m);
    }
    for (const double goal : {0.0, 9.0}) {
        MovesModel model;
        model.setMoves(moves, goal);
        add(record, u"moves to %1"_s.arg(goal), model);
        record.add(u"moves table"_s, model.table());
    }
    auto search = std::make_shared<Exploration>();
    for (const double p95 : {0.91, 0.97, 0.93}) {
        ExploreCandidate c;
        c.values = {{"parallelism.tensor_model_parallel_size", p95 > 0.92 ? "4" : "8"}, {"parallelism.pipeline_schedule", "1f1b"}};
        c.p50 = {p95 - 0.04, 0.001};
        c.p95 = {p95, 0.002};
        c.p99 = {p95 + 0.03, 0.004};
        c.noiseFreeSeconds = p95 - 0.08;
        c.peakMemoryGib = 130 - 70 * p95;
        c.capacityGib = 79.6;
        c.usdPerBillionTokens = 4000 * p95;
        c.chanceBest = p95 < 0.92 ? 0.93 : p95 < 0.95 ? 0.07 : 0;
        c.samples = 4000;
        c.pareto = p95 < 0.95;
        search->candidates.push_back(c);
    }
    search->candidates[2].equals = {search->candidates[1].values};
    search->bestByMean = 2;
    CandidateModel candidates;
    candidates.setExploration(search, 1);
    add(record, u"candidates"_s, candidates);
    for (int column = 0; column < CandidateModel::kColumns; ++column)
        for (const auto order : {Qt::AscendingOrder, Qt::DescendingOrder}) {
            candidates.sort(column, order);
            record.add(u"candidates by %1"_s.arg(column), u"%1 %2 %3, row %4"_s.arg(candidates.candidateAt(0))
                                                              .arg(candidates.candidateAt(1))
                                                              .arg(candidates.candidateAt(2))
                                                              .arg(candidates.rowOf(1)));
        }
    record.add(u"candidates table"_s, candidates.table());
    for (const LayoutReason& reason : {LayoutReason{"parallelism.tensor_model_parallel_size", "8", "4", 0, 3.5},
                                       LayoutReason{"parallelism.tensor_model_parallel_size", "8", "4", 0.031, 0},
                                       LayoutReason{"parallelism.tensor_model_parallel_size", "8", "4", -0.02, 0},
                                       LayoutReason{"parallelism.tensor_model_parallel_size", "8", "4", 0.0004, 0}})
        record.add(u"reason"_s, reasonText(reason));
}

void addContext(Recorded& record)
{
    const PageContext context = twoScenarios();
    ChangesCache cache;
    for (const int current : {1, 2, 3}) {
        PageContext own = context;
        own.currentId = current;
        for (const HeadlineCell& cell : headlineCells(own, cache, {}, {}))
            record.add(u"headline of %1"_s.arg(current), cell.reading()
                                                             + u" ~%1 ~%2%3"_s.arg(static_cast<int>(cell.deltaRole))
                                                                   .arg(static_cast<int>(cell.noteRole))
                                                                   .arg(cell.struck ? u" struck"_s : QString()));
        record.add(u"headline of %1"_s.arg(current),
                   plainText(comparisonRuns(*context.scenarios[0].snapshot, *own.current()->snapshot,
                                            cache.changes(context.scenarios[0].snapshot, own.current()->snapshot, false))));
        const PaperText paper = paperText(own, u"Page"_s);
        record.add(u"paper"_s, paper.subtitle + u" | "_s + paper.notes.filter(QRegularExpression(u"^(Conf|Meth)"_s)).join(u" | "_s));
    }
    for (const StepLimits& limits : {StepLimits{}, StepLimits{0, 6.4}, StepLimits{6.2, 6.7}})
        for (const bool within : {false, true}) {
            DistributionModel model(cache, nullptr);
            model.setContext(context, limits, within);
            const QString name = u"distribution %1 to %2%3"_s.arg(limits.lower).arg(limits.upper).arg(within ? u" within"_s : QString());
            add(record, name, model);
            record.add(name, model.table());
        }
}

void addFindings(Recorded& record)
{
    Findings f = found();
    for (const bool target : {false, true}) {
        f.hasTarget = target;
        f.advised = advisedScenario(f);
        f.answer = answerOf(f);
        record.add(u"findings"_s, u"%1 %2 %3"_s.arg(f.advised).arg(questionOf(f), f.answer.sentence));
        for (const QStringList& lines : {f.answer.certainty,
                                         assumptionSentences(f),
                                         limitSentences(f),
                                         placeSentences(f),
                                         {jobSentence(f), costSentence(f), scenarioSentence(f), receiptLine(f)}})
            record.add(u"findings"_s, lines.join(u" | "_s));
        for (const ReportFigure& figure : reportFigures(f))
            record.add(u"report figure"_s,
                       u"%1: %2 %3 %4 high %5"_s.arg(figure.id, figure.title, figure.sentence, figure.footnote).arg(figure.height));
    }
    add(record, u"report scenarios"_s, scenarioTable(f));
    add(record, u"report job"_s, jobTable(f));
    add(record, u"report sources"_s, sourceTable(f));
    add(record, u"report receipt"_s, receiptTable(f));
    for (const JobFact& fact : jobFacts(job(25)))
        record.add(u"job fact"_s, u"%1 %2 %3, %4"_s.arg(fact.name, fact.number, fact.unit, fact.note));
    for (const WaterfallRow& row : jobWaterfall(job(25), 8.9, 0).rows)
        record.add(u"job waterfall"_s, u"%1 | %2 | %3 | %4 %5 %6 %7 %8"_s.arg(row.label, row.detail, row.figure, row.interval, row.note)
                                           .arg(row.value)
                                           .arg(row.whiskerLow)
                                           .arg(row.whiskerHigh));
    record.add(u"job waterfall"_s, jobWaterfall(job(25), 8.9, 0).groupFigure);
}

void addHeld(Recorded& record)
{
    HeldAgainst held;
    SeriesComparison& c = held.comparison;
    c.measuredMedianSeconds = 9.05;
    c.predictedMedianSeconds = 8.9;
    c.measured = {.p95 = 1.04, .p99 = 1.09, .beyond = 0.04};
    c.predicted = {.p95 = 1.03, .p99 = 1.05, .beyond = 0.02};
    c.ks = 0.11;
    c.ksLow = 0.08;
    c.ksHigh = 0.15;
    c.ksHalves = 0.06;
    c.ksByChance = 0.04;
    for (const double tail : {-0.011, 0.004, 0.02}) {
        c.p50 = {-0.0166, -0.02, -0.013, 0.002};
        c.p95 = {tail, tail - 0.003, tail + 0.003, 0.005};
        c.p99 = {tail * 2, tail * 2 - 0.02, tail * 2 + 0.002, 0.006};
        c.beyond = {tail * 3, -0.1, 0.1, 0.004};
        for (const Judged& j : judgements(held))
            record.add(u"judged"_s,
                       QStringList{j.name, j.measured, j.predicted, j.error, j.interval, j.floor, j.words, j.explained}.join(u" | "_s)
                           + u" ~%1"_s.arg(static_cast<int>(j.verdict)));
        record.add(u"judged"_s, verdictSentence(held));
    }
    const auto step = samples::timeline(3, 1, 3), longer = samples::timeline(3, 1, 4);
    const ChartText text = stepText(*step, {}, 7);
    record.add(u"step"_s, text.title + u" | "_s + text.subtitle + u" | "_s + text.footer.join(u" "_s));
    record.add(u"step"_s, changeText(*step, *longer));
}

void addCurves(Recorded& record)
{
    Theme theme;
    CdfState state{theme};
    state.plot = QRectF(40, 60, 500, 200);
    ChartCurve curve;
    curve.current = true;
    curve.cdf = {
        {9, 0.02, 0, 0.1, 0.01, 0.03}, {9.2, 0.5, 0.4, 0.6, 0.45, 0.55}, {9.5, 0.96, 0.9, 1, 0.94, 0.98}, {10, 1, 0.95, 1, 0.99, 1}};
    curve.density = {{9, 0.2}, {9.4, 1.6}, {10, 0.1}};
    curve.axisLow = 8.9;
    curve.axisHigh = 10.1;
    curve.outside = true;
    state.curves = {curve};
    const auto texts = [](const QList<QPointF>& points) {
        QStringList all;
        for (const QPointF& p : points)
            all << u"%1 %2"_s.arg(p.x()).arg(p.y());
        return all.join(u", "_s);
    };
    for (const auto mode : {CdfMode::cdf, CdfMode::density, CdfMode::exceedance}) {
        state.mode = mode;
        state.xAxis = {8.9, 10.1};
        state.yAxis = mode == CdfMode::exceedance ? AxisRange{-4, 0} : AxisRange{0, mode == CdfMode::cdf ? 100.0 : 200.0};
        for (const CurveLines& lines : {state.allLines(curve), state.lines(curve)}) {
            record.add(u"curve"_s, texts(lines.line));
            record.add(u"band"_s, texts(lines.upper) + u" to "_s + texts(lines.lower));
        }
        record.add(u"curve"_s, texts(state.onPlot(QPolygonF(state.lines(curve).line))));
        CdfChart chart(theme);
        chart.resize(640, 400);
        chart.setMode(mode);
        chart.setCurves({curve});
        record.add(u"axis"_s, u"%1 %2 %3"_s.arg(chart.xAt(9)).arg(chart.xAt(10)).arg(chart.secondsAt(300)));
    }
    state.mode = CdfMode::cdf;
    const QRectF goal = state.goalRect();
    record.add(u"goal"_s, u"%1 at %2, %3 %4 %5 %6"_s.arg(state.markedSeconds())
                              .arg(state.xAt(state.markedSeconds()))
                              .arg(goal.x())
                              .arg(goal.y())
                              .arg(goal.width())
                              .arg(goal.height()));
}

TEST(Recorded, WhatTablesCardsAndSentencesSay)
{
    Recorded record;
    addContext(record);
    addModels(record);
    addFindings(record);
    addHeld(record);
    addPlaces(record);
    addCurves(record);
    record.expectAsIn("texts.txt", 0);
}

} // namespace
} // namespace prism::ui::test
