// SPDX-License-Identifier: GPL-3.0-or-later
// Tables, cards and sentences for small results made by hand, as recorded in golden/texts.txt.
#include "plot_samples.h"
#include "handmade.h"

#include "ui/distribution/cdfchart.h"
#include "ui/distribution/cdfstate.h"
#include "ui/explore/candidatemodel.h"
#include "ui/job/factscard.h"
#include "ui/moves/movesmodel.h"
#include "ui/newjob/proposalview.h"
#include "ui/pages/pipelinetext.h"
#include "ui/pages/placementgroups.h"
#include "ui/plot/jobwaterfall.h"
#include "ui/report/reportcharts.h"

namespace prism::ui::test {

using namespace Qt::StringLiterals;

namespace {

void add(Recorded& record, const QString& name, const ReportTable& table)
{
    for (const QList<TextRuns>& row : table.rows) {
        QStringList cells;
        for (const TextRuns& runs : row)
            cells << plainText(runs) + u" ~%1"_s.arg(static_cast<int>(runs.isEmpty() ? Role::text : runs.back().role));
        record.add(name, cells.join(u" | "_s));
    }
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
    const PlacementMap sorted = inReplicaOrder(smallMap());
    record.add(u"places in order"_s, u"%1 %2 %3 %4; %5 %6"_s.arg(sorted.bestRow)
                                         .arg(sorted.bestColumn)
                                         .arg(sorted.worstRow)
                                         .arg(sorted.worstColumn)
                                         .arg(sorted.rowOfReplica[0])
                                         .arg(sorted.rowOfReplica[3]));
    for (const auto grouping : {PlaceGrouping::replicaAndStage, PlaceGrouping::node, PlaceGrouping::rack})
        for (const auto metric : {PlaceMetric::p50, PlaceMetric::p95, PlaceMetric::p99}) {
            const GroupedPlaces places = placesBy(grouping, sorted, metric, s, {"n-0", "n-1"});
            const QString name = u"places %1 %2"_s.arg(nameOf(grouping), nameOf(metric));
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
        c.probabilityBest = p95 < 0.92 ? 0.93 : p95 < 0.95 ? 0.07 : 0;
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

void addFindings(Recorded& record)
{
    Findings f = found();
    for (const bool target : {false, true}) {
        f.hasTarget = target;
        f.advised = advisedScenario(f);
        f.answer = answerOf(f);
        record.add(u"findings"_s, u"%1 %2 %3"_s.arg(f.advised).arg(questionOf(f), f.answer.sentence));
        for (const QStringList& lines :
             {placeSentences(f), QStringList{jobSentence(f), costSentence(f), scenarioSentence(f), metadataLine(f)}})
            record.add(u"findings"_s, lines.join(u" | "_s));
        for (const ReportChart& metric : reportCharts(f))
            record.add(u"report figure"_s,
                       u"%1: %2 %3 %4 high %5"_s.arg(metric.id, metric.title, metric.sentence, metric.footnote).arg(metric.height));
    }
    add(record, u"report scenarios"_s, scenarioTable(f));
    add(record, u"report job"_s, jobTable(f));
    add(record, u"report sources"_s, sourceTable(f));
    add(record, u"report receipt"_s, metadataTable(f));
    for (const JobFact& fact : jobFacts(job(25)))
        record.add(u"job fact"_s, u"%1 %2 %3, %4"_s.arg(fact.name, fact.number, fact.unit, fact.note));
    for (const WaterfallRow& row : jobWaterfall(job(25), 8.9, 0).rows)
        record.add(u"job waterfall"_s, u"%1 | %2 | %3 | %4 %5 %6 %7 %8"_s.arg(row.label, row.detail, row.metric, row.interval, row.note)
                                           .arg(row.value)
                                           .arg(row.whiskerLow)
                                           .arg(row.whiskerHigh));
    record.add(u"job waterfall"_s, jobWaterfall(job(25), 8.9, 0).groupMetric);
}

void addSteps(Recorded& record)
{
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

TEST(Golden, TextsOfTablesAndCardsAreAsRecorded)
{
    Recorded record;
    addModels(record);
    addFindings(record);
    addSteps(record);
    addPlaces(record);
    addCurves(record);
    record.expectAsIn("texts.txt", 0);
}

} // namespace
} // namespace prism::ui::test
