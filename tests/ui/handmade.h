// SPDX-License-Identifier: GPL-3.0-or-later
// Results made by hand, without sampling: three scenarios, a job, findings, a map of places.
#pragma once

#include "recorded.h"
#include "tests/ui/studies.h"

#include "ui/findings/findings.h"
#include "ui/workspace/context.h"

#include <QAbstractItemModel>

#include <algorithm>

namespace prism::ui::test {

using namespace Qt::StringLiterals;

inline MemoryReport fourStages()
{
    MemoryReport report{{}, 0, 79.6, true};
    for (int stage = 0; stage < 4; ++stage)
        report.stages.push_back({stage, 6, 12, 2, 40.0 - 5 * stage, 1.6, 61.6 - 5 * stage});
    return report;
}

inline PlacementMap smallMap()
{
    PlacementMap map;
    map.rows = 2;
    map.columns = 4;
    map.rowLabels = {"replicas 1-3", "replica 0"};
    map.columnLabels = {"stage 0", "stage 1", "stage 2", "stage 3"};
    map.rowFirstReplica = {1, 0};
    map.rowReplicas = {3, 1};
    map.rowOfReplica = {1, 0, 0, 0};
    map.probe.computeFactor = 1.15;
    map.base = {.mean = 8.5, .p50 = 8.5, .p95 = 8.95, .p99 = 8.99};
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
    map.worstRow = 1;
    map.worstColumn = 3;
    return map;
}

inline constexpr int kDraws = 400;

/// Steps from `low` to 1 s above it, evenly; every fourth one 0.5 s longer where `uneven`.
inline SnapshotPtr stepsFrom(double low, bool uneven, std::uint64_t hash, double peakGib)
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
    costed->memory = fourStages();
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

inline PageContext twoScenarios()
{
    PageContext context;
    context.scenarios = {{1, u"base"_s, 0, true, true, false, false, stepsFrom(6, false, 1, 61)},
                         {2, u"other"_s, 1, true, false, true, false, stepsFrom(5.6, true, 2, 70)},
                         {3, u"full"_s, 2, false, false, false, true, stepsFrom(5.9, false, 3, 95)}};
    context.baselineId = 1;
    context.currentId = 2;
    return context;
}

inline JobReport job(double days)
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

inline Findings found()
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
    f.places = smallMap();
    f.assumptions = {{"job.restart_s", "Restart", "540 s", "A page.", JobAssumption::Word::published},
                     {"job.detection_s", "Detection", "90 s", "A page.", JobAssumption::Word::published},
                     {"job.pue", "PUE", "1.3", "", JobAssumption::Word::scenario}};
    f.version = u"1"_s;
    return f;
}

inline void add(Recorded& record, const QString& name, const QAbstractItemModel& model)
{
    for (int row = 0; row < model.rowCount(); ++row)
        for (int column = 0; column < model.columnCount(); ++column)
            record.add(u"%1 %2 %3"_s.arg(name, model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString()).arg(row),
                       model.index(row, column).data().toString() + u" | "_s + model.index(row, column).data(Qt::ToolTipRole).toString());
}

} // namespace prism::ui::test
