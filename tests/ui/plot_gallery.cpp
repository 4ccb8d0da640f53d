// SPDX-License-Identifier: GPL-3.0-or-later
// Paints every chart from hand-made results, light and dark, at scale 1 and 2. With PRISM_GALLERY=DIR the pictures are kept.
#include "plot_samples.h"

#include "ui/pages/scalepage.h"
#include "ui/pages/sensitivitypage.h"
#include "ui/plot/export.h"
#include "ui/plot/gantt.h"
#include "ui/plot/heatmap.h"
#include "ui/plot/memorychart.h"
#include "plot_gallery.h"

#include <gtest/gtest.h>

#include <QDir>
#include <QHash>

namespace prism::ui {

using namespace Qt::StringLiterals;

std::vector<NamedChart> galleryCharts(const Theme& theme)
{
    std::vector<NamedChart> charts;
    auto tornado = std::make_unique<TornadoChart>(theme);
    tornado->setText({u"What moves p95"_s,
                      u"Change of p95 when the spread of one cause is removed or doubled"_s,
                      {u"* Not monotonic: removing and doubling the spread both raise p95."_s,
                       u"n = 10,000 steps each, seed 7, one cause at a time, common random numbers. Whiskers: 95 %."_s},
                      {}});
    tornado->setData(tornadoOf(samples::sensitivityTable(), Metric::p95, {0}));
    tornado->setHighlighted(u"dp.all_gather"_s);
    tornado->resize(640, 650);
    charts.push_back({u"tornado"_s, std::move(tornado)});
    auto uncalibrated = std::make_unique<TornadoChart>(theme);
    uncalibrated->setText({u"What moves p50"_s, u"Outside the calibrated range"_s, {u"Hatched: no GEMM of this size was measured."_s}, {}});
    uncalibrated->setData(tornadoOf(samples::sensitivityTable(), Metric::p50, {1, u"no GEMM of this size was measured"_s}));
    uncalibrated->resize(640, 500);
    charts.push_back({u"tornado-uncalibrated"_s, std::move(uncalibrated)});
    auto bars = std::make_unique<PairedBarChart>(theme);
    const SensitivityTable table = samples::sensitivityTable();
    bars->setText({u"What made the slow steps slow"_s,
                   u"Share of the critical path, %"_s,
                   {u"500 slowest of 10,000 steps, above 9.30 s."_s, u"Shares add up to 100 %. Interval ± 0.3 points."_s},
                   {}});
    bars->setData(pairedOf(samples::tailAttribution(), AttributionBy::kernelClass, 0, &table));
    bars->setHighlighted(u"dp.all_gather"_s);
    bars->resize(402, 650);
    charts.push_back({u"tail"_s, std::move(bars)});
    const auto heat = [&](const PlacementMap& map) {
        HeatData data;
        for (const std::string& label : map.rowLabels)
            data.rowLabels << QString::fromStdString(label);
        for (const std::string& label : map.columnLabels)
            data.columnLabels << QString::fromStdString(label);
        data.rowTitle = u"Replica group"_s;
        data.columnTitle = u"Stage"_s;
        data.rows = map.rows;
        data.columns = map.columns;
        for (const PlacementCell& cell : map.cells)
            data.cells.push_back({cell.present, cell.p95Ratio.value, cell.p95Ratio.halfWidth, u"p95 9.41 s"_s});
        data.best = map.bestRow * map.columns + map.bestColumn;
        data.worst = map.worstRow * map.columns + map.worstColumn;
        data.marked = {std::min(2, map.rows - 1) * map.columns + 11};
        data.markedLabel = u"node 417 now"_s;
        auto chart = std::make_unique<HeatMap>(theme);
        chart->setText({u"Slowdown of p95 with one 15 % slow node, by its place"_s,
                        u"Step time p95 with the slow node in this cell, relative to no slow node (9.30 s)"_s,
                        {u"n = 10,000 steps per cell, seed 7, common random numbers, interval ± 0.003. Fixed scale from 1.00×."_s},
                        {}});
        chart->setData(data);
        return chart;
    };
    auto map = heat(samples::placementMap());
    map->resize(726, 650);
    charts.push_back({u"placement"_s, std::move(map)});
    auto flat = heat(samples::placementMap(1));
    flat->resize(726, 500);
    charts.push_back({u"placement-alike"_s, std::move(flat)});
    auto gantt = std::make_unique<GanttChart>(theme);
    gantt->setText({u"One sampled p95 step, 9.30 s"_s,
                    u"Draw 4,173 of 10,000, seed 7, replica 41, schedule Interleaved, 16 stages × 2 chunks, 16 micro-batches"_s,
                    {},
                    {}});
    gantt->setTimeline(samples::timeline());
    gantt->resize(1056, 484);
    charts.push_back({u"gantt"_s, std::move(gantt)});
    auto memory = std::make_unique<MemoryChart>(theme);
    memory->setText({u"Peak memory per stage, GiB"_s, {}, {}, {}});
    memory->setMemory(samples::memory());
    memory->resize(1056, 154);
    charts.push_back({u"memory"_s, std::move(memory)});
    ShownScenario scenario;
    scenario.name = u"TP8 PP16 DP128"_s;
    for (const auto& [name, mode, metric] : {std::tuple{u"scale"_s, ScaleMode::weak, ScaleMetric::stepTime},
                                             {u"scale-strong"_s, ScaleMode::strong, ScaleMetric::stepTime},
                                             {u"scale-mfu"_s, ScaleMode::weak, ScaleMetric::mfu}}) {
        auto scale = std::make_unique<ScaleChart>(theme);
        ScaleData data = scaleDataOf(samples::scaleCurve(mode), metric, scenario);
        data.currentGpus = 16384;
        data.currentLabel = u"now 16,384"_s;
        scale->setText({u"Step time over the number of GPUs"_s,
                        mode == ScaleMode::weak ? u"Weak scaling: the global batch grows with the data-parallel size"_s
                                                : u"Strong scaling: the global batch stays, each replica does less"_s,
                        {u"n = 2,000 steps per point, seed 7, common random numbers."_s},
                        {}});
        scale->setData(data);
        scale->resize(1056, 440);
        charts.push_back({name, std::move(scale)});
    }
    return charts;
}

QImage paintedChart(const PlotBase& chart, const Look& look, double ratio)
{
    Picture picture;
    picture.size = chart.size();
    picture.paint = [&](QPainter& painter) {
        painter.fillRect(chart.rect(), look[Role::window]);
        chart.paintChart(painter, chart.rect(), look, true);
    };
    return toImage(picture, ratio);
}

namespace {

/// Pixels of each colour, exactly.
QHash<QRgb, int> coloursOf(const QImage& image)
{
    QHash<QRgb, int> seen;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            ++seen[image.pixel(x, y) | 0xff000000];
    return seen;
}

/// Fills that a chart's data must put on its picture, by what the look's page says of each chart.
QList<QColor> fillsOf(const QString& chart, const Palette& p)
{
    if (chart == u"tornado"_s || chart == u"tornado-uncalibrated"_s)
        return {p.seriesAt(chart == u"tornado"_s ? 0 : 1), p.tint(p.seriesAt(chart == u"tornado"_s ? 0 : 1))};
    if (chart == u"tail"_s)
        return {p.seriesAt(0), p[Role::grey]};
    if (chart == u"placement"_s) // both ends of the ramp: some cells do not matter, the worst does
        return {p[Role::panel]};
    if (chart == u"gantt"_s)
        return {p.forward[0], p.forward[1], p.backward[0], p.backward[1], p.optimizer};
    if (chart == u"memory"_s)
        return {p.memory[0], p.memory[2], p.memory[3]};
    return {};
}

/// The card's ground, its text and the fills of its data are there; each in its role's colour.
void expectPainted(const NamedChart& named, const QImage& image, const Palette& palette)
{
    const QHash<QRgb, int> seen = coloursOf(image);
    const QString theme = palette.dark ? u"dark"_s : u"light"_s;
    const auto count = [&](const QColor& color) { return seen.value(color.rgb() | 0xff000000); };
    EXPECT_GT(count(palette[Role::panel]), image.width() * image.height() / 10) << named.name.toStdString() << " has no ground";
    EXPECT_GT(count(palette[Role::text]), 4) << named.name.toStdString() << " has no title, " << theme.toStdString();
    for (const QColor& fill : fillsOf(named.name, palette))
        EXPECT_GT(count(fill), 40) << named.name.toStdString() << " lacks " << fill.name().toStdString() << ", " << theme.toStdString();
}

TEST(Gallery, EveryChartPaintsInBothThemesAtEveryScale)
{
    const QString folder = qEnvironmentVariable("PRISM_GALLERY");
    Theme theme;
    for (const NamedChart& named : galleryCharts(theme))
        for (const Palette* palette : {&lightPalette(), &darkPalette()})
            for (const double ratio : {1.0, 2.0}) {
                const QImage image = paintedChart(*named.chart, Look(*palette), ratio);
                EXPECT_EQ(image.size(), named.chart->size() * ratio);
                expectPainted(named, image, *palette);
                if (!folder.isEmpty()) {
                    QDir().mkpath(folder);
                    EXPECT_TRUE(image.save(
                        u"%1/%2-%3-%4.png"_s.arg(folder, named.name, palette->dark ? u"dark"_s : u"light"_s, QString::number(ratio))));
                }
            }
}

TEST(Gallery, PresentationAndScaledInterfacePaintWithoutOverflow)
{
    const QString folder = qEnvironmentVariable("PRISM_GALLERY");
    Theme theme;
    for (const NamedChart& named : galleryCharts(theme)) {
        const QImage image = paintedChart(*named.chart, Look(lightPalette(), 1.4), 1);
        expectPainted(named, image, lightPalette());
        if (!folder.isEmpty())
            image.save(u"%1/%2-presentation.png"_s.arg(folder, named.name));
    }
}

} // namespace
} // namespace prism::ui
