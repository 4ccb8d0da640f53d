// SPDX-License-Identifier: GPL-3.0-or-later
// The contract of every chart: it paints its data, reads by keyboard, is a table, and exports with metadata.
#include "plot_gallery.h"
#include "plot_samples.h"
#include "paintedtext.h"

#include "ui/look/wholefile.h"
#include "ui/pages/scalepage.h"
#include "ui/pages/sensitivitypage.h"
#include "ui/plot/export.h"
#include "ui/plot/gantt.h"
#include "ui/plot/heatmap.h"
#include "ui/plot/memorychart.h"
#include "ui/plot/exportmetadata.h"
#include "ui/plot/scalechart.h"
#include "ui/plot/stepcurves.h"
#include "ui/plot/stepseries.h"
#include "ui/plot/ticks.h"

#include <gtest/gtest.h>

#include <QDropEvent>
#include <QFile>
#include <QFileInfo>
#include <QMimeData>
#include <QPainter>
#include <QSet>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>

#include <algorithm>
#include <memory>
#include <set>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {

TEST(Ticks, AreRoundNumbersInsideTheRange)
{
    const Ticks ticks = niceTicks(-142, 236, 6);
    EXPECT_EQ(ticks.step, 100);
    EXPECT_EQ(ticks.values, (std::vector<double>{-100, 0, 100, 200}));
    EXPECT_EQ(ticks.signedLabel(100), u"+100"_s);
    EXPECT_EQ(ticks.signedLabel(-100), u"−100"_s);
    EXPECT_EQ(niceTicks(8.4, 10.4, 10).decimals, 1);
    EXPECT_TRUE(niceTicks(1, 1, 5).values.empty());
    EXPECT_TRUE(niceTicks(0, std::numeric_limits<double>::infinity(), 5).values.empty());
    EXPECT_EQ(niceCeiling(1.34), 1.5);
}

TEST(Ticks, CoverTheRangeWithTheirEnds)
{
    for (const auto& [low, high] :
         {std::pair{6.21, 7.77}, {0.0, 1.0}, {-3.0, 0.1}, {1e-6, 1.0001e-6}, {5.0, 5.0}, {0.0, 0.0}, {1e9, 3e9}}) {
        const Ticks ticks = coveringTicks(low, high, 8);
        ASSERT_GE(ticks.values.size(), 2U) << low;
        EXPECT_LE(ticks.values.front(), low + 1e-6 * ticks.step);
        EXPECT_GE(ticks.values.back(), high - 1e-6 * ticks.step);
        EXPECT_TRUE(!(high > low) || ticks.values[1] > low) << "no tick too many";
        EXPECT_NE(ticks.label(ticks.values[0]), ticks.label(ticks.values[1]));
    }
    EXPECT_EQ(coveringTicks(std::numeric_limits<double>::quiet_NaN(), 1, 5).values.size(), 2U);
}

TEST(Charts, ReadEveryItemByKeyboardAndByNameForScreenReaders)
{
    Theme theme;
    for (const NamedChart& named : galleryCharts(theme)) {
        PlotBase& chart = *named.chart;
        ASSERT_GT(chart.itemCount(), 0) << named.name.toStdString();
        EXPECT_FALSE(chart.accessibleName().isEmpty());
        std::set<int> reached;
        QTest::keyClick(&chart, Qt::Key_Home);
        EXPECT_EQ(chart.focusItem(), 0);
        for (int i = 0; i < 2000; ++i) {
            reached.insert(chart.focusItem());
            EXPECT_EQ(chart.accessibleDescription(), chart.itemText(chart.focusItem()));
            const int before = chart.focusItem();
            QTest::keyClick(&chart, i % 50 == 49 ? Qt::Key_Down : Qt::Key_Right);
            if (chart.focusItem() == before)
                QTest::keyClick(&chart, Qt::Key_Down);
        }
        EXPECT_GT(reached.size(), std::min<std::size_t>(8, static_cast<std::size_t>(chart.itemCount()) - 1)) << named.name.toStdString();
        for (int i = 0; i < chart.itemCount(); ++i)
            EXPECT_FALSE(chart.itemText(i).isEmpty());
        QSignalSpy picked(&chart, &PlotBase::itemPicked);
        QTest::keyClick(&chart, Qt::Key_Return);
        EXPECT_EQ(picked.count(), 1);
        QTest::keyClick(&chart, Qt::Key_Escape);
        EXPECT_EQ(chart.focusItem(), -1);
    }
}

TEST(Charts, AreTablesOfOneWidth)
{
    Theme theme;
    for (const NamedChart& named : galleryCharts(theme)) {
        const TableData table = named.chart->asTable();
        EXPECT_FALSE(table.rows.isEmpty()) << named.name.toStdString();
        for (const QStringList& row : table.rows)
            EXPECT_EQ(row.size(), table.header.size()) << named.name.toStdString();
    }
}

TEST(Charts, DimWhileStaleAndKeepTheirPicture)
{
    Theme theme;
    for (const NamedChart& named : galleryCharts(theme)) {
        const QImage fresh = paintedChart(*named.chart, Look(lightPalette()), 1);
        named.chart->setStale(u"Computing, last result shown"_s);
        const QImage stale = paintedChart(*named.chart, Look(lightPalette()), 1);
        EXPECT_NE(fresh, stale) << named.name.toStdString();
        named.chart->setStale({});
        EXPECT_EQ(fresh, paintedChart(*named.chart, Look(lightPalette()), 1));
    }
}

TEST(Tornado, PutsTheLargestOnTopAndSumsTheRest)
{
    const SensitivityTable table = samples::sensitivityTable();
    const TornadoData data = tornadoOf(table, Metric::p95, {0});
    ASSERT_EQ(data.rows.size(), 11U);
    EXPECT_EQ(data.rows.front().id, u"dp.all_gather"_s);
    EXPECT_EQ(data.baseline, u"p95 now 9.30 s"_s);
    EXPECT_EQ(data.rows.front().doubled.input, u"CV 12 %"_s);
    EXPECT_TRUE(data.rows.back().isOthers);
    EXPECT_EQ(data.rows.back().label, u"3 more move p95 by less than 5.1 ms each; click to list them"_s) << "the largest of them: 5 ms";
    const TornadoData whole = tornadoOf(table, Metric::p95, {.isWhole = true});
    EXPECT_EQ(whole.rows.size(), table.rows.size() + 1) << "every cause, and the way back";
    SensitivityTable lone = table; // what is small against the largest is counted, however few causes there are
    lone.rows.front().spreadDoubled.p95.value = 5;
    EXPECT_EQ(tornadoOf(lone, Metric::p95).rows.size(), 3U) << "5 s, 171 ms, and the rest below a thirtieth of 5 s";
    EXPECT_NEAR(data.rows.back().doubled.change, 0.010, 1e-12);
    const auto starred = std::find_if(data.rows.begin(), data.rows.end(), [](const TornadoRow& r) { return r.nonMonotonic; });
    ASSERT_NE(starred, data.rows.end());
    EXPECT_EQ(starred->id, u"tp.all_gather"_s);
}

TEST(Tornado, APickedCauseHasARowAmongThose)
{
    const SensitivityTable table = samples::sensitivityTable();
    const TornadoData whole = tornadoOf(table, Metric::p95, {.isWhole = true}), usual = tornadoOf(table, Metric::p95);
    const QString small = whole.rows[table.rows.size() - 1].id; // one of the three that are counted
    const TornadoData data = tornadoOf(table, Metric::p95, {.picked = small});
    ASSERT_EQ(data.rows.size(), 12U);
    EXPECT_EQ(data.rows[10].id, small);
    EXPECT_TRUE(data.rows[11].label.startsWith(u"2 more"_s)) << data.rows[11].label.toStdString();
    EXPECT_EQ(tornadoOf(table, Metric::p95, {.picked = usual.rows[3].id}).rows.size(), usual.rows.size()) << "it has one already";
}

TEST(Tornado, ReactsToDataAndHatchesWhatIsNotCalibrated)
{
    Theme theme;
    TornadoChart chart(theme);
    chart.resize(600, 500);
    chart.setData(tornadoOf(samples::sensitivityTable(), Metric::p95, {0}));
    const QImage one = paintedChart(chart, Look(lightPalette()), 1);
    chart.setData(tornadoOf(samples::sensitivityTable(), Metric::p95, {0, u"no measurement"_s}));
    EXPECT_NE(one, paintedChart(chart, Look(lightPalette()), 1));
    EXPECT_TRUE(chart.itemText(0).contains(u"no measurement"_s));
    EXPECT_EQ(chart.asTable().rows[0][3].toDouble(), -0.142);
}

TEST(Tornado, ShowsTheDigitsThatIntervalsLeave)
{
    Theme theme;
    TornadoChart chart(theme);
    TornadoData data;
    data.rows = {{u"spatial"_s, u"GPU to GPU"_s, {}, {-0.0074, 0.00015, {}}, {0.00906, 0.00002, {}}}};
    chart.setData(data);
    EXPECT_EQ(chart.endText({-0.0074, 0.00015, {}}), u"−7.4 ms"_s); // hundredths are not earned
    EXPECT_EQ(chart.endText({0.00906, 0.00002, {}}), u"+9.06 ms"_s);
    EXPECT_EQ(chart.endText({-0.00003, 0.00005, {}}), u"± 0.05 ms"_s) << "no change was found";
    EXPECT_EQ(chart.endText({-0.000004, 0.000002, {}}), u"−0.004 ms"_s) << "not \"−0.00 ms\"";
    EXPECT_EQ(chart.endText({0.00015, 0, {}}), u"+0.15 ms"_s) << "a sum has no interval";
}

TEST(ScaleChart, SizesThatCannotBeAndThoseBeyondWhatWasMeasuredAreHatchedAndReportIt)
{
    Theme theme;
    ShownScenario scenario;
    scenario.name = u"base"_s;
    const auto painted = [&](const ScaleCurve& curve) {
        ScaleChart chart(theme);
        chart.resize(900, 400);
        chart.setData(scaleDataOf(curve, ScaleMetric::stepTime, scenario));
        for (int i = 0; i < chart.itemCount(); ++i) {
            const ScalePoint& p = curve.points[static_cast<std::size_t>(i)];
            const QString read = chart.itemReading(i).join(u' '), note = chart.asTable().rows[i].back();
            EXPECT_EQ(read.contains(QString::fromStdString(p.problem)), true) << p.gpus;
            for (const std::string& missing : p.outside)
                EXPECT_TRUE(read.contains(QString::fromStdString(missing)) && note.contains(QString::fromStdString(missing))) << p.gpus;
            EXPECT_EQ(note.isEmpty(), p.problem.empty() && p.outside.empty()) << p.gpus;
        }
        return paintedChart(chart, Look(lightPalette()), 1);
    };
    ScaleCurve curve = samples::scaleCurve();
    const QImage plain = painted(curve);
    curve.points[2].problem = "needs 97.0 GiB of 80.0 GiB";
    const QImage crowded = painted(curve);
    curve.points.back().outside = {"outside of the calibration: more GPUs than in any validated row"};
    const QImage far = painted(curve);
    EXPECT_NE(plain, crowded);
    EXPECT_NE(crowded, far);
    const QRect edge(0, 0, 300, plain.height());
    EXPECT_EQ(crowded.copy(edge.adjusted(0, 80, 0, -80)), far.copy(edge.adjusted(0, 80, 0, -80))) << "only the last size is hatched";
}

TEST(ScaleChart, LinearScalingIsAStraightLineFromTheFirstSizeThatFits)
{
    ScaleCurve curve;
    curve.mode = ScaleMode::strong;
    for (const auto& [gpus, seconds, tokens] : {std::tuple{64, 9.0, 100.0}, {128, 5.0, 180.0}, {256, 3.0, 300.0}, {512, 2.0, 400.0}}) {
        ScalePoint point{.gpus = gpus, .valid = gpus < 512};
        point.step.p5 = 0.9 * seconds, point.step.p50 = seconds, point.step.p95 = 1.1 * seconds, point.step.p99 = 1.2 * seconds;
        point.tokensPerSecond = tokens;
        curve.points.push_back(point);
    }
    curve.points[0].problem = "needs 97.0 GiB of 80.0 GiB";
    const ScaleData steps = scaleDataOf(curve, ScaleMetric::stepTime, {}), tokens = scaleDataOf(curve, ScaleMetric::throughput, {});
    EXPECT_TRUE(steps.logarithmic && tokens.logarithmic);
    EXPECT_EQ(steps.ideal, (QList<QPointF>{{128, 5}, {256, 2.5}})) << "the first size does not fit, the last one is not valid";
    EXPECT_EQ(tokens.ideal, (QList<QPointF>{{128, 180}, {256, 360}}));
    curve.mode = ScaleMode::weak;
    EXPECT_FALSE(scaleDataOf(curve, ScaleMetric::stepTime, {}).logarithmic) << "the batch grows with the GPUs: a step should stay";
    EXPECT_TRUE(scaleDataOf(curve, ScaleMetric::stepTime, {}).ideal.isEmpty());
    EXPECT_FALSE(scaleDataOf(curve, ScaleMetric::mfu, {}).logarithmic);
    for (const auto& [low, high, first, last] :
         {std::tuple{3.0, 40.0, 2.0, 50.0}, {2.0, 2.0, 2.0, 5.0}, {0.7, 0.9, 0.5, 1.0}, {20.0, 100.0, 20.0, 100.0}}) {
        const AxisRange range = coveringLogRange(low, high);
        EXPECT_NEAR(range.low, first, 1e-9 * first) << low;
        EXPECT_NEAR(range.high, last, 1e-9 * last) << high;
        EXPECT_TRUE(range.logarithmic);
    }
}

TEST(PairedBars, SortByTheDifference)
{
    const PairedData data = pairedOf(samples::tailAttribution(), AttributionBy::kernelClass, 0);
    for (std::size_t i = 1; i < data.rows.size(); ++i)
        EXPECT_GE(data.rows[i - 1].difference(), data.rows[i].difference());
    EXPECT_NEAR(data.rows.front().difference(), 0.044, 1e-12);
    EXPECT_EQ(pairedOf(samples::tailAttribution(), AttributionBy::stage, 0).rows.size(), 4U);
    TailAttribution equal = samples::tailAttribution(); // only what differs beyond its interval has a row, and three at least
    for (std::size_t i = 1; i < equal.byClass.size(); ++i)
        equal.byClass[i].shareSlow.value = equal.byClass[i].shareAll.value;
    const PairedData few = pairedOf(equal, AttributionBy::kernelClass, 0);
    ASSERT_EQ(few.rows.size(), 4U);
    EXPECT_EQ(few.rows.back().label, u"7 others"_s);
    double all = 0;
    for (const PairedRow& row : few.rows)
        all += row.all;
    double expected = 0;
    for (const AttributionRow& row : equal.byClass)
        expected += row.shareAll.value;
    EXPECT_NEAR(all, expected, 1e-12) << "shares still add up";
    const PairedRow tiny{u"tiny"_s, u"Tiny"_s, 0.3, 0.3004, 1e-5, 1e-5}, clear{u"c"_s, u"C"_s, 0.3, 0.3006, 1e-5, 1e-5};
    EXPECT_FALSE(tiny.isClear()) << "0.04 points print as 0.0";
    EXPECT_TRUE(clear.isClear());
    TailAttribution level = samples::tailAttribution(); // no class differs by a printed amount: the largest shares are shown
    for (AttributionRow& row : level.byClass)
        row.shareSlow = {row.shareAll.value + 1e-5, 1e-7};
    const PairedData largest = pairedOf(level, AttributionBy::kernelClass, 0);
    ASSERT_EQ(largest.rows.size(), 4U);
    for (std::size_t i = 1; i < 3; ++i)
        EXPECT_GE(largest.rows[i - 1].all, largest.rows[i].all);
}

TEST(StepCurves, NoLineCrossesTheLabelOfTheNoiseFreeStep)
{
    Theme theme;
    StepCurveChart chart(theme);
    chart.resize(480, 360);
    for (double low = 5.0; low < 9.0; low += 0.25) {
        StepCurves data;
        data.noiseFreeSeconds = 7;
        for (const double from : {9.5, low, low + 0.3}) {
            StepCurve curve{u"c"_s, u"c"_s, 0, from > 9, false, from < 9, {}, {}};
            for (double share = 0.01; share < 1; share += 0.01)
                curve.points.push_back({from + share, share, share, share});
            data.curves.push_back(std::move(curve));
        }
        chart.setData(data);
        const QImage image = chart.grab().toImage();
        const QColor line = theme.look().palette().seriesAt(0);
        int words = 0, crossed = 0;
        for (const test::PaintedText& text : test::paintedTexts(chart)) {
            if (text.text != u"Noise-free" && text.text != u"7.00 s")
                continue;
            ++words;
            for (int y = static_cast<int>(text.rect.top()); y < text.rect.bottom(); ++y)
                for (int x = static_cast<int>(text.rect.left()); x < text.rect.right(); ++x) {
                    const QColor pixel = image.pixelColor(x, y);
                    crossed += pixel.blue() - pixel.red() > (line.blue() - line.red()) / 2;
                }
        }
        EXPECT_EQ(words, 2) << low;
        EXPECT_EQ(crossed, 0) << low;
    }
}

TEST(QuantileChart, NamesOfCloseQuantilesDoNotCoverEachOther)
{
    Theme theme;
    QuantileChart chart(theme);
    chart.resize(280, 240);
    for (const double shift : {0.03, 0.002, 1e-5, 4.0, -5.0}) {
        if (std::abs(shift) < 1)
            chart.setData({{{0.05, 6.7, 6.9}, {0.5, 6.78, 7.02}, {0.95, 6.86, 7.09}, {0.99, 6.86 + shift, 7.09 + shift}}, 0});
        else // far from the diagonal all are in one corner
            chart.setData(
                {{{0.05, 6.70, 6.9 + shift}, {0.5, 6.78, 7.02 + shift}, {0.95, 6.86, 7.09 + shift}, {0.99, 6.89, 7.1 + shift}}, 0});
        QList<QRectF> names;
        for (const test::PaintedText& text : test::paintedTexts(chart))
            if (text.text == u"p50" || text.text == u"p95" || text.text == u"p99")
                names << text.rect;
        ASSERT_EQ(names.size(), 3);
        for (int i = 0; i < 3; ++i) {
            EXPECT_FALSE(test::collide(names[i], names[(i + 1) % 3])) << "at a distance of " << shift;
            EXPECT_TRUE(QRectF(chart.rect()).contains(names[i])) << "at a distance of " << shift;
        }
    }
}

TEST(HeatMap, KeepsItsScaleUntilTheUserFitsIt)
{
    Theme theme;
    HeatMap map(theme);
    HeatData data;
    data.rows = 1;
    data.columns = 2;
    data.rowLabels = {u"0"_s};
    data.columnLabels = {u"0"_s, u"1"_s};
    data.cells = {{true, 1.02, 0.001, {}}, {true, 1.07, 0.001, {}}};
    map.setData(data);
    EXPECT_EQ(map.scaleEnd(), 1.1);
    EXPECT_EQ(map.cellsAboveScale(), 0);
    data.cells[1].ratio = 1.34;
    map.setData(data);
    EXPECT_EQ(map.scaleEnd(), 1.1) << "the scale stays until the user changes it";
    EXPECT_EQ(map.cellsAboveScale(), 1) << "and what it cannot show is reported";
    QTest::keyClick(&map, Qt::Key_F);
    EXPECT_EQ(map.scaleEnd(), 1.5);
    EXPECT_EQ(map.cellsAboveScale(), 0);
    data.cells[1].present = false;
    map.setData(data);
    EXPECT_EQ(map.scaleEnd(), 1.5);
    map.setReach(Reach{1, 2.4}); // the same scale for all scenarios
    EXPECT_EQ(map.scaleEnd(), 3);
    map.setReach(std::nullopt);
    EXPECT_EQ(map.scaleEnd(), 1.1);
    map.setScaleEnd(2);
    EXPECT_EQ(map.scaleEnd(), 2);
    map.setScaleEnd(0.5); // of a damaged file
    EXPECT_EQ(map.scaleEnd(), 2);
    EXPECT_TRUE(map.itemText(1).contains(u"not evaluated"_s));
    EXPECT_TRUE(map.asTable().rows[1][2].isEmpty());
}

TEST(HeatMap, MovesAMarkedCellByDragging)
{
    Theme theme;
    HeatMap map(theme);
    map.resize(500, 300);
    HeatData data;
    data.rows = 2;
    data.columns = 2;
    data.rowLabels = {u"0"_s, u"1"_s};
    data.columnLabels = data.rowLabels;
    data.cells.assign(4, {true, 1.05, 0.001, {}});
    data.marked = {0};
    map.setData(data);
    QSignalSpy moved(&map, &HeatMap::itemMoved), activated(&map, &HeatMap::itemActivated);
    const QPoint from = map.placeOf(0).toPoint(), to = map.placeOf(3).toPoint();
    QTest::mousePress(&map, Qt::LeftButton, {}, from);
    QTest::mouseMove(&map, to);
    QTest::mouseRelease(&map, Qt::LeftButton, {}, to);
    ASSERT_EQ(moved.count(), 1);
    EXPECT_EQ(moved.at(0).at(0).toInt(), 0);
    EXPECT_EQ(moved.at(0).at(1).toInt(), 3);
    map.setFocusItem(2);
    QTest::keyClick(&map, Qt::Key_Return);
    ASSERT_EQ(activated.count(), 1);
    EXPECT_EQ(activated.at(0).at(0).toInt(), 2);
}

TEST(HeatMap, TakesASlowNodeThatIsDroppedOnACell)
{
    Theme theme;
    HeatMap map(theme);
    map.resize(500, 300);
    HeatData data;
    data.rows = 2;
    data.columns = 2;
    data.rowLabels = data.columnLabels = {u"0"_s, u"1"_s};
    data.cells.assign(4, {true, 1.05, 0.001, {}});
    map.setData(data);
    QSignalSpy dropped(&map, &HeatMap::nodeDropped);
    const auto drop = [&](QPointF at, QMimeData* mime) {
        const std::unique_ptr<QMimeData> owned(mime);
        QDragEnterEvent enter(at.toPoint(), Qt::MoveAction, mime, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&map, &enter);
        QDropEvent event(at, Qt::MoveAction, mime, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&map, &event);
    };
    drop(map.placeOf(2), HeatMap::mimeDataOf(17));
    ASSERT_EQ(dropped.count(), 1);
    EXPECT_EQ(dropped.at(0).at(0).toInt(), 17);
    EXPECT_EQ(dropped.at(0).at(1).toInt(), 2);
    drop({2, 2}, HeatMap::mimeDataOf(17)); // next to the cells
    drop(map.placeOf(1), new QMimeData);   // something else
    EXPECT_EQ(dropped.count(), 1);
}

TEST(ScaleChart, ReachesOfDifferentUnitsAreOneScale)
{
    Theme theme;
    ScaleChart seconds(theme), milliseconds(theme);
    ScaleData data;
    data.fromZero = false;
    data.series.push_back({u"a"_s, 0, false, {{64, 1.9, 2, 2.5, 3}, {128, 2.9, 3, 3.5, 4}}});
    seconds.setData(data);
    data.perUnit = 1000;
    for (ScaleSample& s : data.series.front().samples)
        for (double ScaleSample::*value : {&ScaleSample::low, &ScaleSample::middle, &ScaleSample::high, &ScaleSample::top})
            s.*value *= 1000;
    milliseconds.setData(data);
    EXPECT_EQ(seconds.ownReach(), milliseconds.ownReach());
}

TEST(Charts, HoldAtLeastTheReachThatTheyAreGiven)
{
    Theme theme;
    for (const NamedChart& named : galleryCharts(theme)) {
        PlotBase& chart = *named.chart;
        chart.resize(700, 400);
        const std::optional<Reach> own = chart.ownReach();
        if (!own)
            continue;
        const QImage before = chart.grab().toImage();
        chart.setReach(Reach{own->low, own->high}); // nothing new
        EXPECT_EQ(chart.grab().toImage(), before) << named.name.toStdString();
        chart.setReach(Reach{own->low, own->high + 3 * (own->high - std::min(0.0, own->low))});
        EXPECT_NE(chart.grab().toImage(), before) << named.name.toStdString();
        EXPECT_EQ(chart.ownReach(), own) << named.name.toStdString();
        chart.setReach(std::nullopt);
        EXPECT_EQ(chart.grab().toImage(), before) << named.name.toStdString();
    }
}

TEST(Gantt, MergesWhatIsUnderAPixelAndZooms)
{
    Theme theme;
    GanttChart chart(theme);
    chart.resize(1000, 400);
    chart.setTimeline(samples::timeline(16, 2, 512));
    const int spans = chart.itemCount();
    (void)paintedChart(chart, Look(lightPalette()), 1);
    EXPECT_LT(chart.paintedRectangles(), spans / 2);
    EXPECT_GT(chart.paintedRectangles(), 200);
    QTest::keyClick(&chart, Qt::Key_Plus);
    EXPECT_LT(chart.viewEnd() - chart.viewStart(), chart.timeline()->stepSeconds);
    for (int i = 0; i < 200; ++i)
        QTest::keyClick(&chart, Qt::Key_Plus);
    EXPECT_GT(chart.viewEnd(), chart.viewStart());
    QTest::keyClick(&chart, Qt::Key_0);
    EXPECT_EQ(chart.viewEnd(), chart.timeline()->stepSeconds);
    chart.setView(-5, 1e9);
    EXPECT_EQ(chart.viewStart(), 0);
}

TEST(Gantt, GoesFromOneKernelFoundToTheNext)
{
    Theme theme;
    GanttChart chart(theme);
    chart.resize(900, 400);
    chart.setTimeline(samples::timeline());
    EXPECT_EQ(chart.foundSpans(), 0);
    const QImage plain = paintedChart(chart, Look(lightPalette()), 1);
    const auto& line = *chart.timeline();
    const auto requested = std::find_if(line.spans.begin(), line.spans.end(), [](const TimelineSpan& s) { return s.kernelClass >= 0; });
    ASSERT_NE(requested, line.spans.end());
    chart.setFound({requested->kernelClass});
    const int found = chart.foundSpans();
    ASSERT_GT(found, 1);
    ASSERT_LT(found, chart.itemCount());
    EXPECT_NE(plain, paintedChart(chart, Look(lightPalette()), 1)) << "the others step back";
    chart.setView(0, line.stepSeconds / 50);
    std::set<int> read;
    for (int i = 0; i < found; ++i) {
        chart.readNextFound();
        const int item = chart.focusItem();
        ASSERT_GE(item, 0);
        read.insert(item);
        const TimelineSpan& span = line.spans[static_cast<std::size_t>(item)];
        EXPECT_LE(chart.viewStart(), span.endSeconds);
        EXPECT_GE(chart.viewEnd(), span.startSeconds);
    }
    EXPECT_EQ(static_cast<int>(read.size()), found) << "each once, then round again";
    chart.setFound({});
    chart.setFocusItem(-1);
    chart.readNextFound();
    EXPECT_EQ(chart.focusItem(), -1);
}

TEST(Gantt, SumsUpTheStretchThatIsDragged)
{
    Theme theme;
    GanttChart chart(theme);
    chart.resize(900, 400);
    chart.show();
    chart.setTimeline(samples::timeline());
    EXPECT_TRUE(chart.rangeText().isEmpty());
    int changes = 0;
    QObject::connect(&chart, &GanttChart::rangeChanged, [&changes] { ++changes; });
    QTest::mousePress(&chart, Qt::LeftButton, Qt::ShiftModifier, {300, 150});
    QMouseEvent move(QEvent::MouseMove, QPointF(600, 150), chart.mapToGlobal(QPointF(600, 150)), Qt::NoButton, Qt::LeftButton,
                     Qt::ShiftModifier);
    QApplication::sendEvent(&chart, &move);
    QTest::mouseRelease(&chart, Qt::LeftButton, Qt::ShiftModifier, {600, 150});
    ASSERT_TRUE(chart.range());
    const StepRange range = *chart.range();
    EXPECT_NEAR((range.end - range.start) / chart.timeline()->stepSeconds, 300.0 / 812, 0.02) << "900 less paddings, labels and rim";
    EXPECT_GE(changes, 1);
    EXPECT_EQ(chart.viewEnd(), chart.timeline()->stepSeconds) << "nothing was panned";
    EXPECT_TRUE(chart.rangeText().contains(u"backward"_s)) << chart.rangeText().toStdString();
    chart.setRange(StepRange{1e9, 2e9});
    EXPECT_FALSE(chart.range()) << "beyond the step";
    chart.setFocusItem(3);
    QTest::keyClick(&chart, Qt::Key_BracketLeft);
    ASSERT_TRUE(chart.range());
    EXPECT_EQ(chart.range()->start, chart.timeline()->spans[3].startSeconds);
    QTest::keyClick(&chart, Qt::Key_Escape);
    EXPECT_FALSE(chart.range());
}

TEST(Gantt, LightsUpThePickedClass)
{
    Theme theme;
    GanttChart chart(theme);
    chart.resize(800, 400);
    chart.setTimeline(samples::timeline());
    const QImage plain = paintedChart(chart, Look(lightPalette()), 1);
    chart.setBrushed(3, u"dp.reduce_scatter"_s);
    EXPECT_NE(plain, paintedChart(chart, Look(lightPalette()), 1));
    chart.setBrushed(-1, {});
    EXPECT_EQ(plain, paintedChart(chart, Look(lightPalette()), 1));
}

TEST(Gantt, ShowsAForwardAndABackwardThatRunAsOnePiece)
{
    Theme theme;
    GanttChart chart(theme);
    chart.resize(800, 400);
    auto line = std::make_shared<Timeline>(*samples::timeline());
    chart.setTimeline(line);
    const QImage plain = paintedChart(chart, Look(lightPalette()), 1);
    auto joined = std::make_shared<Timeline>(*line);
    const auto forward = std::find_if(joined->spans.begin(), joined->spans.end(),
                                      [](const TimelineSpan& s) { return s.kind == SpanKind::forward && s.stage == 1; });
    ASSERT_NE(forward, joined->spans.end());
    forward->pairedChunk = 1;
    forward->pairedMicrobatch = 7;
    forward->pieceStart = forward->startSeconds;
    forward->pieceEnd = forward->startSeconds + 0.1 * joined->stepSeconds; // wide enough to be seen
    chart.setTimeline(joined);
    EXPECT_NE(plain, paintedChart(chart, Look(lightPalette()), 1));
    const int item = static_cast<int>(forward - joined->spans.begin());
    EXPECT_TRUE(chart.itemReading(item).join(u' ').contains(u"in one piece with micro-batch 7 of chunk 1"_s));
    EXPECT_FALSE(chart.itemReading(item + 1).join(u' ').contains(u"in one piece"_s));
}

Picture pictureOf(const PlotBase& chart)
{
    return {chart.size(),
            [&chart](QPainter& p) { chart.paintChart(p, chart.rect(), Look(lightPalette())); },
            u"Chart"_s,
            {u"TP8 PP16, µ"_s, u"7c1e09af12345678"_s, 7, 10'000, u"0.1.0"_s, u"sensitivity"_s}};
}

TEST(Export, PngCarriesItsMetadataThereAndBack)
{
    Theme theme;
    QTemporaryDir folder;
    for (const NamedChart& named : galleryCharts(theme)) {
        const Picture picture = pictureOf(*named.chart);
        const QString path = folder.filePath(named.name + u".png"_s);
        ASSERT_EQ(writeExport(path, picture, named.chart->asTable()), QString());
        const auto metadata = exportMetadataOf(path);
        ASSERT_TRUE(metadata.has_value());
        EXPECT_EQ(*metadata, picture.metadata);
        EXPECT_EQ(QImage(path).size(), picture.size * 2);
    }
    EXPECT_FALSE(exportMetadataOf(folder.filePath(u"nothing.png"_s)).has_value());
}

TEST(Export, SvgAndPdfAreValidAndNamed)
{
    Theme theme;
    for (const NamedChart& named : galleryCharts(theme)) {
        const Picture picture = pictureOf(*named.chart);
        const QByteArray svg = toSvg(picture);
        EXPECT_TRUE(svg.contains("7c1e09af12345678"));
        QXmlStreamReader reader(svg);
        int elements = 0;
        while (!reader.atEnd())
            elements += reader.readNext() == QXmlStreamReader::StartElement;
        EXPECT_FALSE(reader.hasError()) << named.name.toStdString() << reader.errorString().toStdString();
        EXPECT_GT(elements, 30);
        const QByteArray pdf = toPdf(picture);
        EXPECT_TRUE(pdf.startsWith("%PDF-"));
        EXPECT_TRUE(pdf.trimmed().endsWith("%%EOF"));
        EXPECT_GT(pdf.size(), 2000);
    }
}

TEST(Export, TablesKeepEveryDigitAndQuoteWhatNeedsIt)
{
    TableData table;
    table.header = {u"name, unit"_s, u"x [s]"_s};
    table.rows = {{u"say \"x\""_s, tableNumber(0.1 + 0.2)}, {u"a\tb"_s, tableNumber(std::numeric_limits<double>::quiet_NaN())}};
    EXPECT_EQ(toCsv(table), QByteArray("\"name, unit\",x [s]\r\n\"say \"\"x\"\"\",0.30000000000000004\r\nab,\r\n"));
    EXPECT_EQ(toTsv(table), QByteArray("\"name, unit\"\tx [s]\n\"say \"\"x\"\"\"\t0.30000000000000004\nab\t\n"));
}

/// Names that try to be an element, an entity, a formula, an order to the terminal or more than one line.
QStringList hostileNames()
{
    QStringList names = {u"TP8 & PP16, p95 < 7 s"_s,
                         u"x</desc><script>alert(1)</script>"_s,
                         u"</title><script/>"_s,
                         u"</svg><svg onload=\"x\">"_s,
                         u"]]>"_s,
                         u"<![CDATA[x]]>"_s,
                         u"<!-- --"_s,
                         u"<?php x ?>"_s,
                         u"&amp;"_s,
                         u"&#x1b;&nbsp;&lt;"_s,
                         u"<!ENTITY a SYSTEM \"file:///etc/passwd\">&a;"_s,
                         u"\" onclick=\"x"_s,
                         u"' onclick='x"_s,
                         u"=cmd|' /C calc'!A0"_s,
                         u"+1"_s,
                         u"-5"_s,
                         u"@SUM(A1:A9)"_s,
                         u"\t=1"_s,
                         u"a,b;c\td"_s,
                         u"a\r\nb\nc"_s,
                         u"x,\"y"_s,
                         u"\x1b[31mred\x1b[0m"_s,
                         u"\x01\x02\x0b\x0c\x1f\x7f"_s,
                         u"\u009b31m\u0085"_s,
                         u"\u202eexe.txt\u2066\u200f\u061c"_s,
                         u"\ufffe\uffff"_s,
                         u"\U0001F680 \u00b5 \u2265"_s,
                         u"%1 %2 %3 %4 %5"_s,
                         QString(20'000, u'<')};
    names << u"a"_s + QChar(0xD800) + u"b"_s + QChar(0xDC00); // halves of pairs
    return names;
}

/// Elements and attributes of a document in order; of one that is not well-formed the error.
QStringList skeleton(const QByteArray& xml, QStringList* texts = nullptr)
{
    QStringList out;
    QXmlStreamReader reader(xml);
    while (!reader.atEnd()) {
        if (reader.readNext() == QXmlStreamReader::StartElement) {
            out << reader.name().toString();
            for (const QXmlStreamAttribute& a : reader.attributes())
                out << u"@"_s + a.name().toString();
        } else if (reader.isCharacters() && texts) {
            *texts << reader.text().toString();
        }
    }
    return reader.hasError() ? QStringList{reader.errorString()} : out;
}

Picture named(const QString& name)
{
    return {
        {300, 100}, [name](QPainter& p) { p.drawText(QPointF(10, 20), name); }, name, {name, u"7c1e09af"_s, 7, 100, u"0.1.0"_s, u"p"_s}};
}

TEST(Export, NoNameBecomesAnElementOfADrawing)
{
    const QStringList names = hostileNames(), plain = skeleton(toSvg(named(u"plain"_s)));
    ASSERT_EQ(names.size(), 30);
    ASSERT_TRUE(plain.contains(u"title"_s) && plain.contains(u"desc"_s));
    for (const QString& name : names) {
        QStringList texts;
        const QByteArray svg = toSvg(named(name));
        QStringList found = skeleton(svg, &texts);
        EXPECT_EQ(QSet<QString>(found.begin(), found.end()), QSet<QString>(plain.begin(), plain.end())) << name.left(60).toStdString();
        EXPECT_EQ(found.count(u"desc"_s), 1);
        EXPECT_TRUE(markedMetadata(svg).has_value());
        EXPECT_TRUE(toPdf(named(name)).startsWith("%PDF-"));
    }
    QStringList texts;
    (void)skeleton(toSvg(named(names[0])), &texts);
    EXPECT_TRUE(texts.contains(names[0])) << "the title says the name";
    EXPECT_TRUE(texts.join(u' ').contains(u"scenario "_s + names[0] + u", hash 7c1e09af, seed 7"_s));
}

/// The cells of a table as any reader of RFC 4180 sees them.
std::vector<std::vector<std::string>> cellsOf(const QByteArray& text, char separator)
{
    std::vector<std::vector<std::string>> out;
    const std::string bytes = text.toStdString();
    for (TableRows rows(bytes, {.separator = separator, .quotedLines = true}); rows.next();)
        out.push_back(rows.problem() ? std::vector<std::string>{rows.problem()->message} : rows.cells());
    return out;
}

TEST(Export, TextsOfTablesAreNamesAfterTheSubstitutionOrExactly)
{
    TableData table;
    table.header = {u"scenario"_s, u"x [s]"_s, u"note"_s};
    table.names = {0};
    for (const QString& name : hostileNames())
        table.rows << QStringList{name, tableNumber(-1.5), name};
    const ExportMetadata metadata{u"x,\"y\n"_s, u"7c1e09af"_s, 7, 100, u"0.1.0"_s, u"p"_s};
    for (const TableText texts : {TableText::forSheets, TableText::exact})
        for (const char separator : {',', '\t'}) {
            const QByteArray text = separator == ',' ? toCsv(table, metadata, texts) : toTsv(table, texts);
            const auto cells = cellsOf(text, separator);
            const std::size_t first = separator == ',' ? 2 : 1; // the line of the export metadata, the header
            ASSERT_EQ(cells.size(), first + 30);
            for (std::size_t i = 0; i < 30; ++i) {
                const std::string name = hostileNames()[static_cast<int>(i)].toStdString(), shown = tableText(name, texts);
                EXPECT_EQ(cells[first + i].at(0), shown) << i;
                EXPECT_EQ(cells[first + i].at(1), "-1.5");
                EXPECT_EQ(cells[first + i].at(2), name == "-5" || name == "+1" ? name : shown) << "a number, where no names are";
            }
        }
}

TEST(Export, ReportsWhyAFileCannotBeWritten)
{
    Theme theme;
    const auto charts = galleryCharts(theme);
    const Picture picture = pictureOf(*charts.front().chart);
    EXPECT_TRUE(writeExport(u"/nowhere/at/all.png"_s, picture, {}).contains(u"cannot be written"_s));
    EXPECT_TRUE(writeExport(u"chart.docx"_s, picture, {}).contains(u"ending"_s));
    const QTemporaryDir folder;
    const QString victim = folder.filePath(u"victim"_s), planted = folder.filePath(u"chart.png"_s);
    ASSERT_TRUE(writeWholeFile(victim, "precious").isEmpty() && QFile::link(victim, planted));
    EXPECT_EQ(writeExport(planted, picture, {}), QString());
    EXPECT_EQ(QFileInfo(victim).size(), 8) << "a link is not followed";
    EXPECT_FALSE(QFileInfo(planted).isSymLink());
    const std::unique_ptr<QMimeData> data(toMimeData(picture, charts.front().chart->asTable()));
    EXPECT_TRUE(data->hasImage());
    EXPECT_TRUE(data->text().startsWith(u"cause\t"_s));
}

} // namespace
} // namespace prism::ui
