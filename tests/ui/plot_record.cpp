// SPDX-License-Identifier: GPL-3.0-or-later
// Every chart from small data made by hand: what is drawn and where, its table, its readings and its keys, as recorded in
// golden/charts.txt.
#include "drawn.h"
#include "plot_gallery.h"
#include "plot_samples.h"
#include "recorded.h"

#include "ui/distribution/cdfchart.h"
#include "ui/pages/scalepage.h"
#include "ui/pages/sensitivitypage.h"
#include "ui/pages/slopes.h"
#include "ui/plot/enddates.h"
#include "ui/plot/gaincurve.h"
#include "ui/plot/gantt.h"
#include "ui/plot/heatmap.h"
#include "ui/plot/intervalchart.h"
#include "ui/plot/memorychart.h"
#include "ui/plot/poolchart.h"
#include "ui/plot/scatter.h"
#include "ui/plot/stepcurves.h"
#include "ui/plot/stepseries.h"
#include "ui/plot/waterfall.h"

#include <QTest>

namespace prism::ui::test {

using namespace Qt::StringLiterals;

namespace {

using Made = std::vector<NamedChart>;

template <class Chart, class Set>
void make(Made& all, const Theme& theme, const QString& name, QSize size, Set set)
{
    auto chart = std::make_unique<Chart>(theme);
    chart->setText({name, u"Subtitle"_s, {u"Footer."_s}, {}});
    chart->resize(size);
    set(*chart);
    all.push_back({name, std::move(chart)});
}

std::vector<CurvePoint> curveFrom(double seconds)
{
    return {{seconds, 0.02, 0, 0.1},
            {seconds + 0.2, 0.3, 0.2, 0.4},
            {seconds + 0.3, 0.7, 0.6, 0.8},
            {seconds + 0.5, 0.96, 0.9, 1.0},
            {seconds + 0.9, 1, 0.95, 1}};
}

void addRowCharts(Made& all, const Theme& theme)
{
    SensitivityTable table = samples::sensitivityTable();
    table.limitSeconds = 9.3;
    table.exceedance = {0.05, 0.004};
    for (SensitivityRow& row : table.rows)
        row.spreadDoubled.exceedance = {row.spreadDoubled.p95.value / 4, 0.001};
    for (const auto& [name, metric] : {std::pair{u"tornado p50"_s, Metric::p50},
                                       {u"tornado p95"_s, Metric::p95},
                                       {u"tornado p99"_s, Metric::p99},
                                       {u"tornado share"_s, Metric::exceedance}})
        make<TornadoChart>(all, theme, name, {640, 560}, [&](TornadoChart& c) { c.setData(tornadoOf(table, metric, {2, {}, 6})); });
    for (const auto by : {AttributionBy::kernelClass, AttributionBy::stage, AttributionBy::cause})
        make<PairedBarChart>(all, theme, u"paired %1"_s.arg(static_cast<int>(by)), {420, 480},
                             [&](PairedBarChart& c) { c.setData(pairedOf(samples::tailAttribution(), by, 1, &table)); });
    make<SlopeChart>(all, theme, u"slopes"_s, {560, 420}, [&](SlopeChart& c) { c.setData(slopesOf(table, 1)); });
}

void addMaps(Made& all, const Theme& theme)
{
    HeatData data{{u"0"_s, u"1"_s}, {u"a"_s, u"b"_s, u"c"_s}, u"Row"_s, u"Column"_s, {}, 2, 3, 1, 5, {4}, u"node now"_s};
    for (const double ratio : {1.06, 1.0, 1.02, 1.0, 1.11, 1.16})
        data.cells.push_back({true, ratio, 0.003, u"p95"_s, {}});
    data.cells[3].present = false;
    make<HeatMap>(all, theme, u"map"_s, {600, 420}, [&](HeatMap& c) { c.setData(data); });
    data.rows = 1;
    data.cells = {{true, 1.01, 0.001, {}, {}}, {true, 1.3, 0.002, {}, {}}, {true, 1.45, 0.004, {}, {}}};
    data.marked = {};
    make<HeatMap>(all, theme, u"map of one row"_s, {600, 420}, [&](HeatMap& c) { c.setData(data); });
    make<GanttChart>(all, theme, u"gantt"_s, {900, 320}, [&](GanttChart& c) {
        c.setTimeline(samples::timeline(3, 1, 3));
        c.setMark(StepMark{0.9, u"median"_s});
        c.setRange(StepRange{0.2, 0.7});
    });
    MemoryReport memory = samples::memory(4);
    memory.stages[0].totalGib += memory.stages[0].activationsGib;
    memory.stages[0].activationsGib *= 2;
    make<MemoryChart>(all, theme, u"memory"_s, {700, 260}, [&](MemoryChart& c) { c.setMemory(memory); });
}

void addScales(Made& all, const Theme& theme)
{
    ShownScenario scenario;
    scenario.name = u"TP8"_s;
    ScaleCurve curve = samples::scaleCurve();
    curve.points.resize(6);
    curve.points[4].outside = {"a measurement"};
    for (const auto metric : {ScaleMetric::stepTime, ScaleMetric::throughput, ScaleMetric::mfu, ScaleMetric::cost})
        make<ScaleChart>(all, theme, u"scale %1"_s.arg(static_cast<int>(metric)), {700, 360}, [&](ScaleChart& c) {
            ScaleData data = scaleDataOf(curve, metric, scenario);
            data.currentGpus = 1024;
            data.currentLabel = u"now 1,024"_s;
            c.setData(data);
        });
    make<ScatterChart>(all, theme, u"scatter"_s, {560, 420}, [&](ScatterChart& c) {
        c.setData({u"p95, s"_s,
                   u"MFU, %"_s,
                   false,
                   true,
                   1,
                   {{u"a"_s, u"TP4"_s, 9.0, 30, 0.1, 0, true, u"best"_s, false, {}},
                    {u"b"_s, u"TP8"_s, 9.6, 41, 0.1, 2, true, u"mean-best"_s, true, {u"more"_s}},
                    {u"c"_s, u"TP2"_s, 9.8, 35, 0, 0, false, u"now"_s, false, {}},
                    {u"d"_s, u"TP1"_s, 10.4, 52, 0, 0, true, {}, false, {}}}});
    });
}

void addJobs(Made& all, const Theme& theme)
{
    using Kind = WaterfallRow::Kind;
    const auto row = [](const QString& id, double value, Kind kind) {
        WaterfallRow r{id, id, u"detail"_s, value, kind, QString::number(value), u"± 0.1"_s, u"9"_s};
        r.grouped = kind == Kind::step && value > 0;
        r.clear = value != 0.5;
        return r;
    };
    for (const double first : {40.0, 3.0})
        make<WaterfallChart>(all, theme, u"waterfall from %1"_s.arg(first), {640, 300}, [&](WaterfallChart& c) {
            WaterfallData data;
            data.rows = {row(u"first"_s, first, Kind::first),  row(u"up"_s, 1.5, Kind::step),
                         row(u"small"_s, 0.5, Kind::step),     row(u"down"_s, -1.2, Kind::step),
                         row(u"rest"_s, 0.3, Kind::remainder), row(u"total"_s, first + 1.1, Kind::total)};
            data.rows.back().whiskerLow = first + 0.6;
            data.rows.back().whiskerHigh = first + 2;
            data.judged = first < 10;
            data.axisTitle = u"days"_s;
            data.perUnit = first < 10 ? 24 : 1;
            data.groupLabel = u"failures"_s;
            data.groupMetric = u"+2.0 days"_s;
            c.setData(data);
        });
    for (const bool dated : {true, false})
        make<EndDateChart>(all, theme, dated ? u"ends by date"_s : u"ends by day"_s, {640, 300}, [&](EndDateChart& c) {
            EndDates data{{{60, 0.04, "2026-03-02"}, {62, 0.3, "2026-03-04", true}, {64, 0.5}, {66, 0.002}, {68, 0.158}},
                          2,
                          1,
                          !dated,
                          dated ? "2026-01-01" : "",
                          66,
                          u"P(done by 8 March)"_s,
                          u"± 2"_s};
            c.setData(data);
        });
    make<IntervalChart>(all, theme, u"intervals"_s, {560, 320}, [&](IntervalChart& c) {
        IntervalData data;
        data.cost.curve = {{300, 4}, {900, 2.2}, {1800, 2}, {3600, 2.6}, {14400, 6}};
        data.cost.used = {3600, 2.6};
        data.cost.best = {1600, 1.9};
        data.cost.closeLow = 1000;
        data.cost.closeHigh = 2500;
        c.setData(data);
    });
    make<PoolChart>(all, theme, u"pool"_s, {560, 320}, [&](PoolChart& c) {
        c.setData({{0.002, 0.0005, {0.1, 0.4, 0.3, 0.2}, {0.12, 0.38, 0.33, 0.17}, 400}, u"lognormal"_s, 1});
    });
    make<GainCurve>(all, theme, u"gains"_s, {560, 320}, [&](GainCurve& c) {
        c.setPoints({{u"1"_s, u"swap"_s, 0.05, 0.01}, {u"2"_s, u"swap"_s, -0.02, 0.02}, {u"all 9"_s, u"all"_s, 0.15, 0.01, true}});
        c.setChosen(1);
    });
}

void addCurves(Made& all, const Theme& theme)
{
    make<StepCurveChart>(all, theme, u"step curves"_s, {640, 360}, [&](StepCurveChart& c) {
        StepCurves data;
        data.curves = {{u"a"_s, u"base"_s, 0, true, false, false, {}, curveFrom(9)},
                       {u"b"_s, u"moved"_s, 1, false, false, true, u"1"_s, curveFrom(8.8)},
                       {u"c"_s, u"moved"_s, 1, false, false, true, u"2"_s, curveFrom(8.9)},
                       {u"m"_s, u"measured"_s, 2, false, true, false, {}, curveFrom(9.2)}};
        data.noiseFreeSeconds = 8.9;
        data.flag = StepFlag{9.45, u"Target 9.45 s"_s, u"note"_s, 0.9};
        data.envelope = data.curves.front();
        data.markedShare = 0.95;
        c.setData(data);
    });
    make<SeriesChart>(all, theme, u"series"_s, {640, 320}, [&](SeriesChart& c) {
        using Kind = SeriesStep::Kind;
        c.setData(
            {{{10, 9.4, Kind::warmUp}, {11, 9.0}, {12, 9.1}, {13, 9.9, Kind::afterPause}, {14, 9.05}, {15, 20, Kind::stall}, {16, 9.2}},
             {14},
             8.9,
             9.3,
             1});
    });
    make<QuantileChart>(all, theme, u"quantiles"_s, {420, 420}, [&](QuantileChart& c) {
        c.setData({{{0.05, 8.8, 8.7}, {0.5, 9, 9.05}, {0.95, 9.3, 9.5}, {0.99, 9.4, 9.8}}, 1});
    });
}

Made charts(const Theme& theme)
{
    Made all;
    addRowCharts(all, theme);
    addMaps(all, theme);
    addScales(all, theme);
    addJobs(all, theme);
    addCurves(all, theme);
    return all;
}

/// Where the arrow keys go from every item: left, right, up, down.
QString keysOf(PlotBase& chart)
{
    QStringList all;
    for (int item = 0; item < std::min(chart.itemCount(), 12); ++item) {
        QStringList next;
        for (const auto key : {Qt::Key_Left, Qt::Key_Right, Qt::Key_Up, Qt::Key_Down}) {
            chart.setFocusItem(item);
            QTest::keyClick(&chart, key);
            next << QString::number(chart.focusItem());
        }
        all << next.join(u' ');
    }
    chart.setFocusItem(-1);
    return all.join(u", "_s);
}

TEST(Golden, ChartsAreAsRecorded)
{
    Theme theme;
    theme.applyTo(*qApp); // the fonts of the application, whichever test ran before
    Recorded record;
    for (const NamedChart& named : charts(theme)) {
        DrawnDevice device(named.chart->size());
        QPainter painter(&device);
        named.chart->paintChart(painter, named.chart->rect(), Look(lightPalette()), true);
        painter.end();
        for (const QString& row : device.rows())
            record.add(named.name, row);
        record.add(named.name + u" table"_s, named.chart->asTable());
        for (int item = 0; item < named.chart->itemCount(); ++item)
            record.add(named.name + u" reading"_s, named.chart->itemReading(item).join(u" | "_s));
        record.add(named.name + u" keys"_s, keysOf(*named.chart));
        const std::optional<Reach> reach = named.chart->ownReach();
        record.add(named.name + u" reach"_s, reach ? u"%1 %2"_s.arg(reach->low).arg(reach->high) : u"none"_s);
    }
    constexpr double kPixel = 0.21; // of rounding to tenths, and of fonts
    record.expectAsIn("charts.txt", kPixel);
}

TEST(Charts, AClickAtAnItemSelectsIt)
{
    Theme theme;
    for (const NamedChart& named : charts(theme))
        for (int item = 0; item < named.chart->itemCount(); ++item) {
            if (named.name == u"series" || named.name.startsWith(u"gantt"_s)) // lie over one another
                continue;
            const QPointF at = named.chart->placeOf(item);
            const bool left = at.x() < named.chart->width() / 2.0; // whole pixels, inside of the plot
            QTest::mouseClick(named.chart.get(), Qt::LeftButton, {}, QPoint(int(left ? std::ceil(at.x()) : at.x()), qRound(at.y())));
            EXPECT_EQ(named.chart->focusItem(), item) << named.name.toStdString();
        }
}

} // namespace
} // namespace prism::ui::test
