// SPDX-License-Identifier: GPL-3.0-or-later
#include "plot_samples.h"

#include <algorithm>
#include <cmath>

namespace prism::samples {
namespace {

DistributionSummary summary(double p50, double spread)
{
    DistributionSummary s;
    s.mean = p50 * 1.002;
    s.p5 = p50 - spread * 0.6;
    s.p10 = p50 - spread * 0.5;
    s.p50 = p50;
    s.p90 = p50 + spread * 0.7;
    s.p95 = p50 + spread;
    s.p99 = p50 + 2 * spread;
    s.std = spread * 0.6;
    s.ciMean = s.ciP50 = 0.01 * spread;
    s.ciP95 = 0.06 * spread;
    s.ciP99 = 0.1 * spread;
    s.samples = 2000;
    return s;
}

MetricChange change(double p95, double halfWidth)
{
    MetricChange c;
    c.p95 = {p95, halfWidth};
    c.p50 = {p95 * 0.4, halfWidth * 0.5};
    c.p99 = {p95 * 1.6, halfWidth * 2};
    c.mean = {p95 * 0.5, halfWidth * 0.5};
    return c;
}

} // namespace

SensitivityTable sensitivityTable()
{
    struct Spec {
        const char* id;
        const char* label;
        InputKind kind;
        double removed, doubled, cv;
    };
    const Spec specs[] = {
        {"dp.all_gather", "AllGather", InputKind::kernelClass, -0.142, 0.236, 0.06},
        {"dp.reduce_scatter", "ReduceScatter", InputKind::kernelClass, -0.108, 0.171, 0.054},
        {"spatial", "GPU to GPU", InputKind::spatial, -0.074, 0.118, 0.011},
        {"regime.inter_node", "Network regime", InputKind::scopeRegime, -0.069, 0.104, 0.012},
        {"gemm.mlp", "MLP GEMMs", InputKind::kernelClass, -0.041, 0.066, 0.018},
        {"pp.send_recv", "Send and receive", InputKind::kernelClass, -0.030, 0.052, 0.09},
        {"data", "Heavy micro-batches", InputKind::data, -0.027, 0.041, 0.02},
        {"attention", "Attention", InputKind::kernelClass, -0.016, 0.024, 0.016},
        {"tp.reduce_scatter", "TP ReduceScatter", InputKind::kernelClass, -0.009, 0.015, 0.04},
        {"tp.all_gather", "TP AllGather", InputKind::kernelClass, 0.006, 0.011, 0.042},
        {"norm", "Norm", InputKind::kernelClass, -0.003, 0.005, 0.02},
        {"optimizer", "Optimizer", InputKind::kernelClass, -0.002, 0.003, 0.01},
        {"gemm.qkv", "QKV GEMMs", InputKind::kernelClass, -0.002, 0.002, 0.018},
    };
    SensitivityTable table;
    table.base = summary(9.0, 0.3);
    table.noiseFreeSeconds = 8.52;
    table.samples = 10'000;
    table.evaluations = 40;
    table.seed = 7;
    for (const Spec& spec : specs) {
        SensitivityRow row;
        row.id = spec.id;
        row.label = spec.label;
        row.kind = spec.kind;
        row.cv = spec.cv;
        row.varies = true;
        row.spreadRemoved = change(spec.removed, 0.008);
        row.spreadDoubled = change(spec.doubled, 0.010);
        row.nonMonotonic = spec.removed > 0;
        table.rows.push_back(row);
    }
    return table;
}

TailAttribution tailAttribution()
{
    struct Spec {
        const char* name;
        double all, slow;
    };
    const Spec specs[] = {{"gemm.mlp", 0.422, 0.381},          {"attention", 0.131, 0.119},         {"gemm.qkv", 0.124, 0.112},
                          {"dp.all_gather", 0.052, 0.096},     {"dp.reduce_scatter", 0.044, 0.075}, {"pp.send_recv", 0.049, 0.063},
                          {"tp.reduce_scatter", 0.069, 0.061}, {"tp.all_gather", 0.066, 0.060},     {"norm", 0.032, 0.026},
                          {"optimizer", 0.015, 0.011}};
    TailAttribution a;
    for (const Spec& spec : specs) {
        AttributionRow row;
        row.name = spec.name;
        row.shareAll = {spec.all, 0.001};
        row.shareSlow = {spec.slow, 0.003};
        a.byClass.push_back(row);
    }
    for (int stage = 0; stage < 4; ++stage) {
        AttributionRow row;
        row.name = "stage " + std::to_string(stage);
        row.shareAll = {0.25, 0.002};
        row.shareSlow = {0.22 + 0.02 * stage, 0.004};
        a.byStage.push_back(row);
    }
    for (const auto& [name, all, slow] : {Spec{"compute mean", 0.78, 0.72}, Spec{"regime", 0.02, 0.07}, Spec{"temporal", -0.01, 0.03}}) {
        AttributionRow row;
        row.name = name;
        row.shareAll = {all, 0.002};
        row.shareSlow = {slow, 0.004};
        a.byCause.push_back(row);
    }
    a.meanSeconds = 9.02;
    a.slowMeanSeconds = 9.44;
    a.slowThresholdSeconds = 9.30;
    a.samples = 10'000;
    a.slowSamples = 500;
    a.seed = 7;
    return a;
}

PlacementMap placementMap(int rows)
{
    PlacementMap map;
    map.rows = rows;
    map.columns = 16;
    map.base = summary(9.0, 0.3);
    map.samples = 10'000;
    map.seed = 7;
    map.probe = {1.15, 1.0};
    for (int row = 0; row < rows; ++row) {
        map.rowLabels.push_back(std::to_string(row * 8) + "–" + std::to_string(row * 8 + 7));
        map.rowFirstReplica.push_back(row * 8);
        map.rowReplicas.push_back(8);
        map.rowOfReplica.insert(map.rowOfReplica.end(), 8, row);
    }
    double best = 1e9, worst = 0;
    for (int column = 0; column < 16; ++column)
        map.columnLabels.push_back(std::to_string(column));
    for (int row = 0; row < rows; ++row)
        for (int column = 0; column < 16; ++column) {
            PlacementCell cell;
            cell.present = !(row == 12 && (column == 2 || column == 3));
            const double edge = std::min(column, 15 - column);
            const double ratio = (row == 5 ? 1.02 : 1.035) + 0.03 * (1 - std::exp(-edge / 1.5))
                                 + 0.006 * std::exp(-std::pow((row - 9.5) / 2, 2)) - (column == 15 ? 0.012 : 0);
            cell.p95Ratio = {ratio, 0.003};
            cell.p50Ratio = {1 + (ratio - 1) * 0.9, 0.001};
            cell.p99Ratio = {1 + (ratio - 1) * 1.1, 0.005};
            cell.p99Seconds = cell.p99Ratio.value * map.base.p99;
            cell.p95Seconds = ratio * map.base.p95;
            cell.p50Seconds = cell.p50Ratio.value * map.base.p50;
            cell.node = row * 16 + column;
            if (cell.present && ratio < best) {
                best = ratio;
                map.bestRow = row;
                map.bestColumn = column;
            }
            if (cell.present && ratio > worst) {
                worst = ratio;
                map.worstRow = row;
                map.worstColumn = column;
            }
            map.cells.push_back(cell);
        }
    map.worstOverBest = {worst / best - 1, 0.004};
    return map;
}

PlacementResult placementResult()
{
    PlacementResult r;
    for (int i = 0; i < 16; ++i)
        r.givenOrder.push_back(i);
    r.bestOrder = r.givenOrder;
    std::swap(r.bestOrder[3], r.bestOrder[15]);
    r.worstOrder = r.givenOrder;
    r.given = summary(9.4, 0.46);
    r.best = summary(9.1, 0.33);
    r.worst = summary(9.5, 0.5);
    r.gainOverGiven = {0.0436, 0.002};
    r.movedNodes = 2;
    r.samples = 2000;
    r.seed = 7;
    return r;
}

std::shared_ptr<const Timeline> timeline(int stages, int chunks, int microbatches)
{
    auto line = std::make_shared<Timeline>();
    line->draw = "p95 step";
    line->sample = 4173;
    line->replica = line->slowestReplica = 41;
    line->replicas = 128;
    line->stages = stages;
    line->chunks = chunks;
    line->microbatches = microbatches;
    line->scheduleName = "interleaved";
    line->classNames = {"gemm.mlp", "attention", "dp.reduce_scatter", "optimizer", "dp.all_gather", "pp.send_recv"};
    line->candidates = 10'000;
    const double forward = 0.055, backward = 0.11;
    double finish = 0;
    std::vector<double> ends(static_cast<std::size_t>(stages));
    for (int stage = 0; stage < stages; ++stage) {
        double time = stage * forward;
        const auto add = [&](SpanKind kind, int chunk, int microbatch, double seconds, int kernelClass, bool critical) {
            TimelineSpan span;
            span.stage = stage;
            span.kind = kind;
            span.chunk = chunk;
            span.microbatch = microbatch;
            span.kernelClass = kernelClass;
            span.startSeconds = time;
            span.endSeconds = time + seconds;
            span.critical = critical;
            if (kernelClass >= 0)
                span.parts = {{kernelClass, seconds}};
            time += seconds;
            line->spans.push_back(std::move(span));
        };
        if (time > 0) {
            TimelineSpan bubble;
            bubble.stage = stage;
            bubble.kind = SpanKind::bubble;
            bubble.endSeconds = time;
            line->spans.push_back(bubble);
        }
        for (int chunk = 0; chunk < chunks; ++chunk)
            for (int m = 0; m < microbatches; ++m)
                add(SpanKind::forward, chunk, m, forward * 0.98, m % 2, chunk == 0 && m == 0);
        time += (stages - 1 - stage) * (forward + backward);
        for (int chunk = chunks - 1; chunk >= 0; --chunk)
            for (int m = 0; m < microbatches; ++m)
                add(SpanKind::backward, chunk, m, backward * 0.98, 0, stage == stages - 1 ? true : chunk == 0 && m == microbatches - 1);
        ends[static_cast<std::size_t>(stage)] = time;
        finish = std::max(finish, time);
    }
    std::vector<TimelineSpan> tail;
    for (int stage = 0; stage < stages; ++stage) {
        const double start = ends[static_cast<std::size_t>(stage)];
        const auto add = [&](SpanKind kind, int kernelClass, double from, double seconds) {
            TimelineSpan span;
            span.stage = stage;
            span.kind = kind;
            span.kernelClass = kernelClass;
            span.startSeconds = from;
            span.endSeconds = from + seconds;
            span.critical = stage == 0;
            span.parts = {{kernelClass, seconds}};
            tail.push_back(span);
        };
        add(SpanKind::gradSync, 2, start, 0.22);
        add(SpanKind::optimizer, 3, start + 0.22, 0.04);
        add(SpanKind::paramGather, 4, finish + 0.26, 0.2);
    }
    line->spans.insert(line->spans.end(), tail.begin(), tail.end());
    std::sort(line->spans.begin(), line->spans.end(), [](const TimelineSpan& a, const TimelineSpan& b) {
        return a.stage != b.stage ? a.stage < b.stage : a.startSeconds < b.startSeconds;
    });
    line->stepSeconds = finish + 0.46;
    line->bubbleFraction.assign(static_cast<std::size_t>(stages), 0.2);
    return line;
}

MemoryReport memory(int stages)
{
    MemoryReport report;
    report.capacityGib = 79.6;
    for (int stage = 0; stage < stages; ++stage) {
        StageMemory m;
        m.stage = stage;
        m.weightsGib = 6;
        m.gradientsGib = 12;
        m.optimizerGib = 2;
        m.activationsGib = 40.0 * (1 - 0.5 * stage / stages);
        m.buffersGib = 1.6;
        m.totalGib = m.weightsGib + m.gradientsGib + m.optimizerGib + m.activationsGib + m.buffersGib;
        report.peakGib = std::max(report.peakGib, m.totalGib);
        report.stages.push_back(m);
    }
    report.fits = true;
    return report;
}

ScaleCurve scaleCurve(ScaleMode mode)
{
    ScaleCurve curve;
    curve.mode = mode;
    curve.samples = 2000;
    curve.seed = 7;
    for (std::int64_t gpus = 128; gpus <= 65'536; gpus *= 2) {
        ScalePoint point;
        point.gpus = gpus;
        point.dataParallel = gpus / 128;
        point.valid = gpus != 128;
        point.problem = point.valid ? "" : "peak memory of 93.1 GiB exceeds 79.6 GiB";
        const double grown = std::log2(static_cast<double>(gpus) / 256);
        point.step = mode == ScaleMode::weak ? summary(8.6 + 0.06 * grown, 0.12 + 0.03 * grown)
                                             : summary(8.6 * 64 / std::pow(1.9, grown), 0.12 + 0.03 * grown);
        point.mfu = {0.31 - 0.003 * grown, 0.0003};
        point.tokensPerSecond = 1e4 * static_cast<double>(gpus) / 100;
        point.costPerBillionTokensUsd = 4000 + 90 * grown;
        point.efficiency = 1 - 0.01 * grown;
        curve.points.push_back(point);
    }
    return curve;
}

} // namespace prism::samples
