// SPDX-License-Identifier: GPL-3.0-or-later
// The report as a file: the same bytes each time, nothing outside of its page, nothing loaded, text escaped.
#include "ui/report/reportfile.h"

#include "tests/ui/studies.h"
#include "ui/plot/jobwaterfall.h"
#include "ui/look/format.h"
#include "ui/report/reportcharts.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QThread>

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace prism::ui::test {

using namespace Qt::StringLiterals;

namespace {

const Findings& foundOnce()
{
    static const Findings kept = [] {
        FindingsQuery query;
        query.state = smallStudy();
        query.state.entries[1].scenario = [&] {
            Scenario s = *query.state.entries[1].scenario;
            s.name = "<b>slow</b> & co";
            return std::make_shared<const Scenario>(s);
        }();
        for (ScenarioEntry& e : query.state.entries)
            e.scenario = std::make_shared<const Scenario>(*setParameter(*e.scenario, "training.train_tokens", "1e11"));
        query.currentId = 1;
        query.samples = 500;
        query.title = u"Small study"_s;
        Evaluator evaluator;
        return *findings(evaluator, query);
    }();
    return kept;
}

} // namespace

TEST(Report, TheSameFindingsGiveTheSameBytes)
{
    for (const ReportForm form : {ReportForm::paper, ReportForm::slides}) {
        const QByteArray first = toPdf(foundOnce(), form);
        QThread::msleep(1100); // another second on the clock
        EXPECT_EQ(first, toPdf(foundOnce(), form));
        EXPECT_TRUE(first.startsWith("%PDF-"));
        EXPECT_GT(first.size(), 20'000);
    }
    EXPECT_EQ(toHtml(foundOnce()), toHtml(foundOnce()));
}

TEST(Report, HasOneToThreeSheets)
{
    const std::vector<ReportPage> pages = reportPages(foundOnce(), ReportForm::paper);
    EXPECT_GE(pages.size(), 1U);
    EXPECT_LE(pages.size(), 3U);
    for (const ReportPage& page : pages) {
        const QImage image = toImage(page);
        // The margins stay white: nothing runs out of the sheet.
        for (int y = 0; y < image.height(); ++y)
            for (const int x : {4, 20, 50, image.width() - 50, image.width() - 20, image.width() - 4})
                ASSERT_EQ(image.pixel(x, y), qRgb(255, 255, 255)) << x << ", " << y;
        for (int x = 0; x < image.width(); ++x)
            for (const int y : {6, 30, image.height() - 8})
                ASSERT_EQ(image.pixel(x, y), qRgb(255, 255, 255)) << x << ", " << y;
    }
}

TEST(Report, LongNamesLoseNoRowsAtTheFootOfASheet)
{
    Findings found = foundOnce();
    const QString name = u"Großrechenzentrumsverbundkonfiguration mit Tensorparallelität "_s;
    while (found.scenarios.size() < kMaxFound)
        found.scenarios.push_back(found.scenarios.back());
    for (std::size_t i = 0; i < kMaxFound; ++i)
        found.scenarios[i].name = name + QString::number(i + 1);
    found.answer.sentence = u"%1 and %2 cannot be distinguished."_s.arg(found.scenarios[0].name, found.scenarios[1].name);
    const std::vector<ReportPage> pages = reportPages(found, ReportForm::paper);
    ASSERT_GE(pages.size(), 3U);
    for (const ReportPage& page : pages) {
        const QImage image = toImage(page);
        const int aboveFoot = image.height() * 1061 / 1122; // between what a sheet holds and the line over its foot
        for (int x = 0; x < image.width(); ++x)
            ASSERT_EQ(image.pixel(x, aboveFoot), qRgb(255, 255, 255)) << x;
    }
}

TEST(Report, ASlideIsSixteenToNine)
{
    const std::vector<ReportPage> slides = reportPages(foundOnce(), ReportForm::slides);
    EXPECT_GE(slides.size(), 5U);
    for (const ReportPage& slide : slides)
        EXPECT_NEAR(slide.size.width() / slide.size.height(), 16.0 / 9, 1e-9);
}

TEST(Report, EverySlideHasASentenceAboutWhatItShows)
{
    const Findings& found = foundOnce();
    const auto mentionsThat = [](const QString& sentence, const QString& what) {
        EXPECT_TRUE(sentence.endsWith(u'.') && sentence.contains(what)) << sentence.toStdString();
    };
    const auto [smallest, largest] =
        std::minmax_element(found.scenarios.begin(), found.scenarios.end(),
                            [](const FoundScenario& a, const FoundScenario& b) { return a.snapshot->across.p95 < b.snapshot->across.p95; });
    mentionsThat(scenarioSentence(found), format::seconds(smallest->snapshot->across.p95).text() + u" with "_s + smallest->name);
    mentionsThat(scenarioSentence(found), format::seconds(largest->snapshot->across.p95).text() + u" with "_s + largest->name);
    ASSERT_TRUE(found.best().job);
    mentionsThat(costSentence(found), format::dollars(found.best().job->costUsdMean).text());
    for (const ReportChart& chart : reportCharts(found))
        EXPECT_TRUE(chart.sentence.endsWith(u'.')) << chart.id.toStdString();
}

TEST(Report, HtmlNeedsNothingElseAndShowsTextAsText)
{
    const QString html = QString::fromUtf8(toHtml(foundOnce()));
    for (const QString& outside : {u"<script"_s, u"<link"_s, u"<img"_s, u"url("_s, u"src="_s, u"@import"_s})
        EXPECT_FALSE(html.contains(outside)) << outside.toStdString();
    EXPECT_FALSE(html.contains(u"<b>slow</b> & co"_s));
    EXPECT_TRUE(html.contains(u"&lt;b&gt;slow&lt;/b&gt; &amp; co"_s));
    EXPECT_TRUE(html.contains(foundOnce().answer.sentence.toHtmlEscaped()));
    EXPECT_EQ(html.count(u"<svg "_s), static_cast<int>(reportCharts(foundOnce()).size()));
    EXPECT_EQ(html.count(u"<svg "_s), html.count(u"</svg>"_s));
    const QString p95 = format::seconds(foundOnce().best().snapshot->across.p95).text().replace(u' ', QChar::Nbsp);
    EXPECT_TRUE(html.contains(u"<b>%1</b>"_s.arg(p95))) << "a value stays next to its unit";
    const QString curves = html.section(u"<svg "_s, 1, 1);
    for (const FoundScenario& s : foundOnce().scenarios)
        EXPECT_TRUE(curves.contains(s.name.toHtmlEscaped())) << "whose curve is whose: " << s.name.toStdString();
    for (const FoundScenario& s : foundOnce().scenarios)
        EXPECT_TRUE(html.contains(QString::fromStdString(s.snapshot->hash.text())));
}

TEST(Report, IsWrittenByItsEnding)
{
    const QTemporaryDir folder;
    EXPECT_TRUE(writeReport(folder.filePath(u"a.html"_s), foundOnce()).isEmpty());
    EXPECT_TRUE(QFile::exists(folder.filePath(u"a.html"_s)));
    EXPECT_TRUE(writeReport(folder.filePath(u"a.doc"_s), foundOnce()).contains(u".pdf"_s));
    EXPECT_FALSE(writeReport(u"/nowhere/at/all.pdf"_s, foundOnce()).isEmpty());
}

TEST(Report, ItsPicturesAndMetricsAreSeparateFiles)
{
    const QTemporaryDir folder;
    EXPECT_EQ(bundleFolder(u"/a/plan.v2.pdf"_s), u"/a/plan.v2-files"_s);
    const QString first = folder.filePath(u"first"_s), second = folder.filePath(u"second"_s);
    EXPECT_EQ(writeReportBundle(first, foundOnce()), QString());
    EXPECT_EQ(writeReportBundle(second, foundOnce()), QString());
    const QStringList files = QDir(first).entryList(QDir::Files);
    EXPECT_EQ(files.filter(u".png"_s).size(), static_cast<int>(reportCharts(foundOnce()).size()));
    EXPECT_EQ(files.filter(u".csv"_s).size(), 4);
    const auto content = [](const QString& path) {
        QFile file(path);
        (void)file.open(QIODevice::ReadOnly);
        return file.readAll();
    };
    for (const QString& name : files)
        EXPECT_EQ(content(QDir(first).filePath(name)), content(QDir(second).filePath(name))) << name.toStdString();
    for (const QString& name : files.filter(u".png"_s)) {
        const std::optional<ExportMetadata> metadata = exportMetadataOf(QDir(first).filePath(name));
        ASSERT_TRUE(metadata) << name.toStdString();
        EXPECT_EQ(metadata->hash, exportMetadataOf(foundOnce()).hash);
        EXPECT_EQ(metadata->samples, 500);
        EXPECT_FALSE(metadata->scenarioJson.isEmpty()) << "it can be opened";
    }
    EXPECT_FALSE(writeReportBundle(u"/proc/no/such"_s, foundOnce()).isEmpty());
}

TEST(Report, ItsMetricsAreThoseOfTheScenarios)
{
    const Findings& found = foundOnce();
    const TableData scenarios = scenarioMetrics(found), curves = curveMetrics(found);
    ASSERT_EQ(scenarios.rows.size(), static_cast<int>(found.scenarios.size()));
    const auto p95 = scenarios.header.indexOf(u"p95 [s]"_s), hash = scenarios.header.indexOf(u"hash"_s);
    int points = 0;
    for (std::size_t i = 0; i < found.scenarios.size(); ++i) {
        const QStringList& row = scenarios.rows[static_cast<int>(i)];
        ASSERT_EQ(row.size(), scenarios.header.size());
        EXPECT_EQ(row[p95].toDouble(), found.scenarios[i].snapshot->across.p95);
        EXPECT_EQ(row[hash].toStdString(), found.scenarios[i].snapshot->hash.text());
        points += static_cast<int>(found.scenarios[i].cdf.size());
    }
    EXPECT_EQ(curves.rows.size(), points);
    EXPECT_EQ(causeMetrics(found).rows.size(), static_cast<int>(found.causes.size()));
    EXPECT_FALSE(assumptionMetrics(found).rows.isEmpty());
}

TEST(JobWaterfall, RoundedStepsAddUpToTheTotal)
{
    // Floors: 0.1 + 0.1 + 0.1 = 0.3 of 0.54 = 0.5; the two largest remainders (0.08, 0.09) are rounded up.
    const std::vector<double> rounded = roundedToSum({0.17, 0.18, 0.19}, 0.1);
    EXPECT_NEAR(rounded[0], 0.1, 1e-12);
    EXPECT_NEAR(rounded[1], 0.2, 1e-12);
    EXPECT_NEAR(rounded[2], 0.2, 1e-12);
    const JobReport& job = *foundOnce().best().job;
    const WaterfallData data = jobWaterfall(job, 0.9 * job.plan.stepSeconds, 0);
    double sum = 0, total = 0;
    for (const WaterfallRow& row : data.rows)
        (row.kind == WaterfallRow::Kind::total ? total : sum) += QString(row.metric).remove(u'+').remove(u',').toDouble();
    EXPECT_NEAR(sum, total, 1e-9);
}

} // namespace prism::ui::test
