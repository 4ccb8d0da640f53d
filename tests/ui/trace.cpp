// SPDX-License-Identifier: GPL-3.0-or-later
// Traces, collectives and growing logs dropped on the window: what was recognised first, then a scenario of it.
#include "tests/core/trace/tables.h"
#include "tests/ui/window_fixture.h"
#include "ui/look/format.h"
#include "ui/validate/changecard.h"
#include "ui/validate/tracepage.h"
#include "ui/validate/validatepage.h"
#include "ui/window/dialogs.h"
#include "ui/window/importdialog.h"

#include <QDir>
#include <QFile>
#include <QLabel>
#include <QPushButton>
#include <QTableWidget>

#include <array>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui::test {

class Traces : public WindowTest {
protected:
    /// Steps of five replicas of one stage with two micro-batches of 1 + 2 s each; replica 1 takes 1.2 times as long; a reduction of 0.5 s.
    static std::string slowJob()
    {
        std::string text = kTableHeader;
        for (int step = 0; step < 6; ++step)
            for (int r = 0; r < 5; ++r) {
                const double f = r == 1 ? 1.2 : 1.0;
                for (int m = 0; m < 2; ++m)
                    text += tableRow(r, 0, step, "forward-compute", 3 * f * m, f, m)
                            + tableRow(r, 0, step, "backward-compute", 3 * f * m + f, 2 * f, m);
                text += tableRow(r, 0, step, "grads-reduce-scatter", 6 * f, 7.7 - 6 * f);
            }
        return text;
    }
    /// The bytes of a gzip file with this text.
    QByteArray gzip(const std::string& text) const
    {
        const QString path = folder.filePath(u"packed.gz"_s);
        const gzFile packed = gzopen(qUtf8Printable(path), "wb");
        gzwrite(packed, text.data(), static_cast<unsigned>(text.size()));
        gzclose(packed);
        QFile file(path);
        EXPECT_TRUE(file.open(QIODevice::ReadOnly));
        return file.readAll();
    }
    QString write(const QString& name, const QByteArray& content)
    {
        const QString path = folder.filePath(name);
        QFile file(path);
        EXPECT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(content);
        return path;
    }
    static TracePage& page(MainWindow& window) { return *static_cast<TracePage*>(window.pages().page(u"traces"_s)); }
};

TEST_F(Traces, TwoRecordingsOfOneJobAreCompared)
{
    auto window = smallWindow();
    std::string repaired = slowJob();
    const QString before = write(u"before.csv"_s, QByteArray::fromStdString(slowJob()));
    for (std::size_t at = 0; (at = repaired.find("1.2", at)) != std::string::npos;) // a shorter operation leaves its place as it is
        repaired.replace(at, 3, "1.0");
    const QString after = write(u"after.csv"_s, QByteArray::fromStdString(repaired));
    TracePage& traces = page(*window);
    traces.openTrace(before);
    window->pages().showPage(traces.id());
    settlePage(*window);
    EXPECT_FALSE(traces.changes().isVisible());
    traces.compareWith(after);
    settlePage(*window);
    ASSERT_TRUE(traces.changes().isVisible());
    EXPECT_FALSE(traces.repairs().isVisible());
    EXPECT_GT(traces.changes().table().rowCount(), 4);
    EXPECT_TRUE(traces.answer().contains(u"metrics changed by more than noise"_s)) << traces.answer().toStdString();
    EXPECT_FALSE(traces.asTable().rows.isEmpty());
    traces.compareWith({});
    EXPECT_TRUE(traces.repairs().isVisible());
}

TEST_F(Traces, AStageTableNamesItsSlowWorkerAndWhatItsRepairBrings)
{
    auto window = smallWindow();
    const StudyState before = window->workspace().study().state();
    window->openDropped(write(u"job.csv.gz"_s, gzip(slowJob())));
    ASSERT_EQ(window->pages().current()->id(), u"traces"_s);
    settlePage(*window);
    TracePage& traces = page(*window);
    ASSERT_NE(traces.found(), nullptr) << traces.recognised().text().toStdString();
    EXPECT_TRUE(window->workspace().study().state() == before) << "nothing changes until the user confirms";
    EXPECT_TRUE(traces.recognised().text().contains(u"6 steps of 5 replicas × 1 stages"_s)) << traces.recognised().text().toStdString();
    ASSERT_EQ(traces.workers().itemCount(), 5);
    EXPECT_NEAR(traces.found()->job->workerFactors[1], 1.2, 1e-9);
    EXPECT_EQ(traces.workers().data().marked, (QList<int>{1}));
    ASSERT_GT(traces.repairs().rowCount(), 2);
    EXPECT_EQ(traces.repairs().item(0, 2)->text(), u"7.70 s"_s);
    EXPECT_EQ(traces.repairs().item(1, 2)->text(), u"6.50 s"_s) << "the slow worker as fast as its stage's median";
    EXPECT_EQ(traces.pools().textElideMode(), Qt::ElideMiddle) << "names of one operation differ at their ends";
    EXPECT_TRUE(traces.repairs().wordWrap());
    EXPECT_TRUE(
        traces.repairs().item(1, 4)->text().endsWith(format::interval(traces.found()->job->repairs->repairs.front().saved.halfWidth)))
        << traces.repairs().item(1, 4)->text().toStdString();
    EXPECT_GT(traces.pools().rowCount(), 1);
    EXPECT_GT(traces.histogram().itemCount(), 0);
    EXPECT_EQ(traces.asTable().rows.size(), static_cast<qsizetype>(traces.found()->pools.size()));
}

TEST_F(Traces, AFolderOfProfilesHasTheForecastAndTheRepairsOfTheCommandLine)
{
    // Two steps of 300 and 320 us: the ranks reach the all-reduce after 100 and 200, then 140 and 200 us; rank 1 takes 560 / 480 of the
    // median.
    ASSERT_TRUE(QDir(folder.path()).mkdir(u"profiles"_s));
    for (const int rank : {0, 1}) {
        const auto kernel = [](const char* name, int start, int duration) {
            return QByteArray(R"({"ph": "X", "cat": "kernel", "name": ")") + name + R"(", "ts": )" + QByteArray::number(start)
                   + R"(, "dur": )" + QByteArray::number(duration) + R"(, "args": {"stream": 7, "device": 0}}, )";
        };
        QByteArray events;
        for (const auto& [begin, arrival, rest] : {std::array{0, rank == 0 ? 100 : 200, 70}, std::array{300, rank == 0 ? 140 : 200, 90}})
            events += kernel("gemm", begin, arrival) + kernel("ncclDevKernel_AllReduce", begin + arrival, 230 - arrival)
                      + kernel("gemm", begin + 230, rest);
        write(u"profiles/rank%1.json"_s.arg(rank),
              R"({"distributedInfo": {"rank": )" + QByteArray::number(rank) + R"(, "world_size": 2}, "traceEvents": [)" + events
                  + R"({"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1", "ts": 0, "dur": 300},
                       {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#2", "ts": 300, "dur": 320}]})");
    }
    auto window = smallWindow();
    window->openDropped(folder.filePath(u"profiles"_s));
    settlePage(*window);
    TracePage& traces = page(*window);
    ASSERT_TRUE(traces.found() && traces.found()->profile) << traces.recognised().toolTip().toStdString();
    const ProfileFound& profile = *traces.found()->profile;
    EXPECT_NEAR(profile.forecast.mean, 310e-6, 3e-6);
    EXPECT_EQ(traces.workers().itemCount(), 2);
    EXPECT_EQ(traces.workers().data().marked, (QList<int>{1}));
    ASSERT_EQ(traces.repairs().rowCount(), 6);
    EXPECT_EQ(traces.repairs().item(0, 0)->text(), u"Forecast, 2 ranks"_s);
    EXPECT_EQ(traces.repairs().item(1, 0)->text(), u"As measured"_s);
    EXPECT_NEAR(profile.repairs.repairs.front().saved.value, 200e-6 / 7, 1e-12);
    EXPECT_TRUE(traces.answer().startsWith(u"One of 2 workers is slow: rank 1, 1.17"_s)) << traces.answer().toStdString();
}

TEST(TraceSentence, NamesTheLargestSavingBeyondItsError)
{
    TraceFound found;
    found.job = JobFound{std::make_shared<const TraceJob>(), {}, {}, Repairs{}};
    Repairs& repairs = *found.job->repairs;
    repairs.before.mean = 2;
    const std::vector<double> steps(4, 1.0);
    repairs.repairs = {{.id = "even_stages", .text = "the same work on every stage (layers moved)", .saved = {0.3, 0.4}, .seconds = steps},
                       {.id = "no_gaps", .text = "no gaps between operations (launches)", .saved = {0.2, 0.1}, .seconds = steps}};
    const QString none = u"No worker is slower than the median of its peers by 3 %; "_s;
    EXPECT_EQ(traceSentence(found),
              none + u"the largest significant saving is 200 ± 100 ms a step (10.0 %): no gaps between operations."_s);
    repairs.repairs[1].saved.halfWidth = 0.25;
    EXPECT_EQ(traceSentence(found), none + u"no repair saves more than its error."_s);
    repairs.repairs.resize(1);
    repairs.repairs[0].saved.halfWidth = 0;
    repairs.repairs[0].seconds = {1.0};
    EXPECT_EQ(traceSentence(found), none + u"the largest saving in the one step is 300 ms (15.0 %): the same work on every stage."_s);
}

TEST_F(Traces, ColumnsAreAsWideAsTheirTextAndNamesKeepTheirEnds)
{
    auto window = smallWindow();
    window->openDropped(write(u"job.csv.gz"_s, gzip(slowJob())));
    settlePage(*window);
    TracePage& traces = page(*window);
    EXPECT_FALSE(traces.pools().wordWrap()) << "a wrapped name is cut at its end, where names of one operation differ";
    const QFontMetrics letters(traces.repairs().font());
    for (int column = 1; column < traces.repairs().columnCount(); ++column) {
        int widest = letters.horizontalAdvance(traces.repairs().horizontalHeaderItem(column)->text());
        for (int row = 0; row < traces.repairs().rowCount(); ++row)
            widest = std::max(widest, letters.horizontalAdvance(traces.repairs().item(row, column)->text()));
        EXPECT_GE(traces.repairs().columnWidth(column), widest) << column;
        EXPECT_LE(traces.repairs().columnWidth(column), widest + 40) << column;
    }
    EXPECT_EQ(traces.pools().isColumnHidden(4), traces.pools().width() < 560);
}

TEST_F(Traces, ASampleIsMadeFromTheScenarioAndItsSlowWorkerFound)
{
    auto window = smallWindow();
    window->pages().showPage(u"traces"_s);
    settlePage(*window);
    TracePage& traces = page(*window);
    traces.openSample();
    settlePage(*window);
    settlePage(*window);
    ASSERT_NE(traces.found(), nullptr) << traces.recognised().text().toStdString();
    EXPECT_TRUE(traces.recognised().text().contains(u"made from the scenario; planted: replica"_s))
        << traces.recognised().text().toStdString();
    EXPECT_GT(traces.workers().itemCount(), 0);
    EXPECT_GT(traces.repairs().rowCount(), 1);
}

TEST_F(Traces, ATraceBecomesAScenarioThatNamesItsParent)
{
    auto window = smallWindow();
    StudyModel& study = window->workspace().study();
    window->openDropped(write(u"job.csv"_s, QByteArray::fromStdString(slowJob())));
    settlePage(*window);
    TracePage& traces = page(*window);
    ASSERT_NE(traces.found(), nullptr);
    if (!traces.found()->imported)
        FAIL() << traces.found()->notes.join(u'\n').toStdString();
    traces.makeScenario();
    ASSERT_EQ(study.state().entries.size(), 3U);
    EXPECT_EQ(study.current()->parentId, 1);
    EXPECT_EQ(study.current()->scenario->parallelism.pipelineModelParallelSize, 1);
    study.undoStack()->undo();
    EXPECT_EQ(study.state().entries.size(), 2U);
}

TEST_F(Traces, BrokenTracesReportWhyAndChangeNothing)
{
    auto window = smallWindow();
    const StudyState before = window->workspace().study().state();
    QByteArray cut = gzip(slowJob());
    cut.truncate(cut.size() / 3);
    for (const QString& path : {write(u"cut.csv.gz"_s, cut), write(u"head.csv"_s, QByteArray(kTableHeader)),
                                write(u"kineto.json"_s, "{\"traceEvents\": [1, 2"), write(u"empty.json"_s, "{\"traceEvents\": []}")}) {
        window->openDropped(path);
        EXPECT_EQ(window->pages().current()->id(), u"traces"_s) << path.toStdString();
        settlePage(*window);
    }
    EXPECT_EQ(page(*window).found(), nullptr);
    EXPECT_TRUE(window->workspace().study().state() == before);
}

TEST_F(Traces, NcclTestsOutputIsMeasuredRowsOfTheScenario)
{
    auto window = smallWindow();
    const QByteArray log =
        "# nThread 1 nGpus 8 minBytes 1024 maxBytes 1048576 step: 2(factor) warmup iters: 5 iters: 20\n"
        "# Collective test starting: all_reduce_perf\n"
        "#  Rank  0 Group  0 Pid   1 on host device  0 [0x1] GPU\n#  Rank  1 Group  0 Pid   1 on host device  1 [0x2] GPU\n"
        "#                                                              out-of-place                       in-place\n"
        "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong\n"
        "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)\n"
        "     1048576        262144     float     sum      -1    40.00   26.21   26.21      0    40.00   26.21   26.21      0\n";
    const Scenario base = *window->workspace().study().current()->scenario;
    const ImportPreview preview = previewImport(u"all_reduce.log"_s, log, base);
    EXPECT_EQ(preview.kind, u"nccl-tests output"_s);
    ASSERT_TRUE(preview.scenario) << (preview.notes.empty() ? "" : preview.notes.front().message);
    ASSERT_EQ(preview.scenario->measured.rows.size(), base.measured.rows.size() + 1);
    EXPECT_NEAR(preview.scenario->measured.rows.back().seconds, 40e-6, 1e-12);
    const ImportPreview operators = previewImport(u"gemm.csv.gz"_s, "op,m,n,k,dtype,time_us\ngemm,4096,4096,4096,bf16,250\n", base);
    EXPECT_EQ(operators.kind, u"Measured operators"_s);
    ASSERT_TRUE(operators.scenario);
    EXPECT_EQ(operators.scenario->measured.rows.back().m, 4096);
}

TEST_F(Traces, AGrowingLogIsFollowedStepByStep)
{
    auto window = smallWindow();
    const auto lines = [](int from, int to) {
        QByteArray text;
        for (int step = from; step < to; ++step)
            text += " iteration " + QByteArray::number(step) + "/ 1000 | consumed samples: " + QByteArray::number(step * 32)
                    + " | elapsed time per iteration (ms): " + QByteArray::number(1000.0 + step % 7) + " | learning rate: 1.0E-04\n";
        return text;
    };
    const QString path = write(u"run.log"_s, lines(1, 60));
    window->openDropped(path);
    ASSERT_EQ(window->pages().current()->id(), u"validate"_s);
    settlePage(*window);
    auto& validate = *static_cast<ValidatePage*>(window->pages().page(u"validate"_s));
    ASSERT_NE(validate.held(), nullptr);
    ASSERT_TRUE(validate.follow(true));
    const auto waitFor = [&](const QString& text) {
        QElapsedTimer clock;
        clock.start();
        while (!validate.followed().text().contains(text) && clock.elapsed() < 60'000)
            QTest::qWait(20);
        return validate.followed().text().contains(text);
    };
    EXPECT_TRUE(waitFor(u"Step 59"_s)) << validate.followed().text().toStdString();
    QFile file(path);
    ASSERT_TRUE(file.open(QIODevice::Append));
    file.write(lines(60, 64));
    file.close();
    EXPECT_TRUE(waitFor(u"Step 63"_s)) << validate.followed().text().toStdString();
    EXPECT_TRUE(validate.follow(false));
    settlePage(*window);
}

} // namespace prism::ui::test
