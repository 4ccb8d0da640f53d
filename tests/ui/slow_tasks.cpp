// SPDX-License-Identifier: GPL-3.0-or-later
// The sixteen tasks of a first user in the real window, each with a picture in build/<preset>/tasks to be looked at.
#include "tests/ui/window_fixture.h"
#include "ui/distribution/distributionpage.h"
#include "ui/pages/placementpage.h"
#include "ui/pages/sensitivitypage.h"
#include "ui/theme/segmented.h"
#include "ui/window/actions.h"
#include "ui/window/importdialog.h"
#include "ui/window/jobbar.h"
#include "ui/window/scenariopanel.h"

#include "core/scenario/presets.h"

#include <QDir>
#include <QPushButton>
#include <QRegularExpression>
#include <QSvgRenderer>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui::test {

class Tasks : public WindowTest {
protected:
    static void keep(QWidget& widget, const QString& name)
    {
        QDir().mkpath(u"tasks"_s);
        EXPECT_TRUE(widget.grab().save(u"tasks/%1.png"_s.arg(name)));
    }
    static StudyModel& study(MainWindow& window) { return window.workspace().study(); }
    static double p95(MainWindow& window) { return shown(window, study(window).currentId())->across.p95; }
    void writeFile(const QString& name, const QByteArray& content)
    {
        QFile file(folder.filePath(name));
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
        ASSERT_EQ(file.write(content), content.size());
    }
    /// Drops a file, enters the GPUs, takes the fix and accepts.
    void importOn(MainWindow& window, const QString& name, const QString& gpus)
    {
        window.openDropped(folder.filePath(name));
        auto* dialog = window.findChild<ImportDialog*>();
        ASSERT_NE(dialog, nullptr);
        const auto settled = [dialog] { return QTest::qWaitFor([dialog] { return !dialog->isJudging(); }, 60'000); };
        if (auto* field = dialog->findChild<QuantityEdit*>(u"import:cluster.num_gpus"_s)) {
            field->selectAll();
            QTest::keyClicks(field, gpus);
            field->submitNow();
        }
        ASSERT_TRUE(settled());
        keep(*dialog, name.section(u'.', 0, 0) + u"-dialog"_s);
        dialog->applyFix();
        ASSERT_TRUE(settled());
        EXPECT_TRUE(dialog->verdict().contains(u"fits"_s)) << dialog->verdict().toStdString();
        QTest::mouseClick(dialog->findChild<QPushButton*>(u"importAccept"_s), Qt::LeftButton);
        settle(window);
    }
};

TEST_F(Tasks, T01OnesOwnModelFromAHuggingFaceConfig)
{
    auto window = smallWindow();
    writeFile(u"01-config.json"_s, R"({"model_type": "llama", "num_hidden_layers": 64, "hidden_size": 5120, "num_attention_heads": 40,
        "num_key_value_heads": 8, "intermediate_size": 27648, "vocab_size": 152064, "_name_or_path": "my/own-32B"})");
    importOn(*window, u"01-config.json"_s, u"512"_s);
    EXPECT_EQ(study(*window).current()->scenario->cluster.numGpus, 512);
    EXPECT_GT(p95(*window), 0);
    keep(*window, u"01-own-model"_s);
}

TEST_F(Tasks, T02OnesOwnModelFromMegatronArguments)
{
    auto window = smallWindow();
    writeFile(u"02-train.sh"_s,
              "MODEL_ARGS=\"--num-layers 32 --hidden-size 4096 --num-attention-heads 32 --seq-length 4096\n"
              "  --max-position-embeddings 4096 --group-query-attention --num-query-groups 8 --swiglu --ffn-hidden-size 14336\"\n"
              "torchrun pretrain_gpt.py $MODEL_ARGS --tensor-model-parallel-size 4 --pipeline-model-parallel-size 2 \\\n"
              "  --micro-batch-size 1 --global-batch-size 256 --bf16\n");
    importOn(*window, u"02-train.sh"_s, u"512"_s);
    EXPECT_EQ(study(*window).current()->scenario->model.hiddenSize, 4096);
    EXPECT_EQ(study(*window).current()->scenario->parallelism.tensorModelParallelSize, 4);
    keep(*window, u"02-megatron"_s);
}

TEST_F(Tasks, T03TensorParallelUndoRedoAndCompare)
{
    auto window = smallWindow();
    study(*window).duplicate(1);
    settle(*window);
    type(*window, "parallelism.tensor_model_parallel_size", "2");
    settle(*window);
    const double changed = p95(*window);
    EXPECT_NE(changed, shown(*window, 1)->across.p95);
    keep(*window, u"03-tp-2"_s);
    study(*window).undoStack()->undo();
    settle(*window);
    EXPECT_EQ(p95(*window), shown(*window, 1)->across.p95);
    study(*window).undoStack()->redo();
    settle(*window);
    EXPECT_EQ(p95(*window), changed);
    EXPECT_EQ(static_cast<QuantityEdit*>(window->editor().row(u"parallelism.tensor_model_parallel_size"_s)->field())->text(), u"2"_s);
}

TEST_F(Tasks, T04TheLimitBothWays)
{
    auto window = smallWindow();
    auto* page = static_cast<DistributionPage*>(window->pages().current());
    Q_EMIT page->chart().limitTyped(u"5 %"_s);
    settle(*window);
    EXPECT_NEAR(page->limits().upper, shown(*window, 1)->across.p95, 1e-3);
    Q_EMIT page->chart().limitTyped(u"%1 s"_s.arg(shown(*window, 1)->across.p50, 0, 'g', 12));
    settle(*window);
    EXPECT_NEAR(shareAt(*shown(*window, 1), false, page->limits()).value, 0.5, 0.02);
    keep(*window, u"04-limit"_s);
}

TEST_F(Tasks, T05TheKernelThatCausesSpread)
{
    auto window = smallWindow();
    window->pages().showPage(u"sensitivity"_s);
    settlePage(*window);
    keep(*window, u"05-causes"_s);
    auto* page = static_cast<SensitivityPage*>(window->pages().current());
    const auto& rows = page->tornado().data().rows;
    const auto cause = std::find_if(rows.begin(), rows.end(), [](const TornadoRow& r) { return r.parameter.endsWith(u".cv"_s); });
    ASSERT_NE(cause, rows.end());
    const std::string id = cause->parameter.toStdString();
    const double before = p95(*window), spread = std::get<double>(findParameter(id)->get(*study(*window).current()->scenario));
    page->tornado().setFocusItem(static_cast<int>(cause - rows.begin()));
    QTest::keyClick(&page->tornado(), Qt::Key_Return); // to its field
    type(*window, id.c_str(), QByteArray::number(spread * 50, 'g', 6).append(" %").constData());
    settle(*window);
    EXPECT_LT(p95(*window), before);
    settlePage(*window);
    keep(*window, u"05-halved"_s);
}

TEST_F(Tasks, T06SlowNodesBestPlacesAndAHostfile)
{
    auto window = smallWindow();
    Scenario large = *study(*window).current()->scenario;
    large.cluster.numGpus = 512;
    large.training.globalBatchSize = 256;
    study(*window).setScenario(study(*window).currentId(), large, u"512 GPUs"_s);
    settle(*window);
    window->pages().showPage(u"placement"_s);
    settlePage(*window);
    auto* page = static_cast<PlacementPage*>(window->pages().current());
    page->addSlowNode(1);
    settlePage(*window);
    keep(*window, u"06-marked"_s);
    study(*window).undoStack()->undo();
    settlePage(*window);
    QByteArray speeds = "host,relative_speed\n";
    for (int node = 0; node < 64; ++node)
        speeds += "rack" + QByteArray::number(node / 8) + "-" + QByteArray::number(node % 8)
                  + (node == 5 || node == 21 || node == 40 ? ",0.8\n" : ",1\n");
    writeFile(u"speeds.csv"_s, speeds);
    ASSERT_EQ(page->importSpeeds(folder.filePath(u"speeds.csv"_s)), QString());
    settlePage(*window);
    settlePage(*window);
    EXPECT_EQ(page->gains().isHidden(), page->gains().itemCount() == 0);
    keep(*window, u"06-places"_s);
    auto* cells = page->tools()->findChild<SegmentedControl*>(u"placementCells"_s);
    cells->setCurrent(1);
    Q_EMIT cells->chosen(1);
    QTest::qWait(20);
    keep(*window, u"06-by-node"_s);
    ASSERT_EQ(page->writeHostfile(folder.filePath(u"hosts"_s)), QString());
    QFile hosts(folder.filePath(u"hosts"_s));
    ASSERT_TRUE(hosts.open(QIODevice::ReadOnly));
    const QList<QByteArray> lines = hosts.readAll().trimmed().split('\n');
    EXPECT_EQ(lines.size(), 64);
    EXPECT_TRUE(lines.front().startsWith("rack")) << lines.front().constData();
}

TEST_F(Tasks, T07ExportsThatOpen)
{
    auto window = smallWindow();
    QDir().mkpath(u"tasks"_s);
    for (Page* page : window->pages().pages()) {
        window->pages().showPage(page->id());
        settlePage(*window);
        for (const char* ending : {"png", "svg", "pdf", "csv"})
            ASSERT_EQ(window->pages().exportTo(folder.filePath(u"%1.%2"_s.arg(page->id(), QString::fromLatin1(ending)))), QString())
                << ending;
        const QImage picture(folder.filePath(page->id() + u".png"_s));
        EXPECT_GT(picture.width(), 1000) << page->id().toStdString();
        picture.save(u"tasks/07-%1.png"_s.arg(page->id()));
        EXPECT_TRUE(QSvgRenderer(folder.filePath(page->id() + u".svg"_s)).isValid()) << page->id().toStdString();
        QFile pdf(folder.filePath(page->id() + u".pdf"_s)), csv(folder.filePath(page->id() + u".csv"_s));
        ASSERT_TRUE(pdf.open(QIODevice::ReadOnly) && csv.open(QIODevice::ReadOnly));
        EXPECT_TRUE(pdf.readAll().startsWith("%PDF"));
        EXPECT_GT(csv.readAll().split('\n').size(), 1);
    }
}

TEST_F(Tasks, T08CloseAndReopen)
{
    const QString path = folder.filePath(u"study.prism"_s);
    StudyState before;
    {
        auto window = smallWindow();
        type(*window, "training.global_batch_size", "64");
        window->pages().showPage(u"scale"_s);
        settlePage(*window);
        before = study(*window).state();
        EXPECT_TRUE(window->close());
    }
    auto window = makeWindow(); // what kill -9 leaves is in recovery.cpp
    ASSERT_TRUE(window->openStudy(path));
    window->show();
    settlePage(*window);
    EXPECT_TRUE(study(*window).state() == before);
    EXPECT_EQ(window->pages().current()->id(), u"scale"_s);
    keep(*window, u"08-reopened"_s);
}

TEST_F(Tasks, T09Nonsense)
{
    auto window = smallWindow();
    for (const char* text : {"1e9", "banana", "40 to 60", "-3", "<b>8</b>"}) {
        type(*window, "cluster.num_gpus", text);
        auto* field = static_cast<QuantityEdit*>(window->editor().row(u"cluster.num_gpus"_s)->field());
        EXPECT_TRUE(field->hasProblem()) << text;
        EXPECT_EQ(field->text().toStdString(), text);
        EXPECT_EQ(study(*window).current()->scenario->cluster.numGpus, 64) << text;
        settle(*window);
        EXPECT_EQ(window->jobs().stateText(), u"Input to fix"_s) << text;
        keep(*window, u"09-%1"_s.arg(QString::fromLatin1(text).section(u' ', 0, 0).remove(QRegularExpression(u"[<>/]"_s))));
    }
}

TEST_F(Tasks, T10SizesScalesAndDark)
{
    auto window = smallWindow();
    for (const bool dark : {false, true}) {
        theme.setMode(dark ? Theme::Mode::dark : Theme::Mode::light);
        for (const auto& [width, height, scale] : {std::tuple{1024, 700, 1.0}, {1024, 700, 1.25}, {1440, 900, 1.5}, {2048, 1400, 2.0}}) {
            theme.setUiScale(scale);
            window->dock().setVisible(width > 1024 || scale == 1.0);
            window->resize(width, height);
            for (Page* page : window->pages().pages()) {
                window->pages().showPage(page->id());
                settlePage(*window);
                QTest::qWait(20);
                keep(*window, u"10-%1-%2-%3%4"_s.arg(page->id()).arg(width).arg(scale).arg(dark ? u"-dark"_s : QString()));
            }
        }
    }
    theme.setMode(Theme::Mode::light);
    theme.setUiScale(1);
}

TEST_F(Tasks, T11EverythingByKeyboard)
{
    auto window = smallWindow();
    window->activateWindow();
    window->scenarios().table().setFocus();
    QTest::keyClick(&window->scenarios().table(), Qt::Key_Down);
    EXPECT_EQ(study(*window).currentId(), 2);
    window->actions().get(u"view.page.placement"_s)->trigger();
    settlePage(*window);
    auto* page = static_cast<PlacementPage*>(window->pages().current());
    page->map().setFocus();
    QTest::keyClick(&page->map(), Qt::Key_Right);
    QTest::keyClick(&page->map(), Qt::Key_Right);
    keep(*window, u"11-keyboard"_s);
    const auto before = study(*window).current()->scenario->variability.slow.size();
    QTest::keyClick(&page->map(), Qt::Key_Return);
    EXPECT_EQ(study(*window).current()->scenario->variability.slow.size(), before + 1);
    window->actions().get(u"tools.palette"_s)->trigger();
    QTest::qWait(20);
    auto* palette = window->findChild<QDialog*>(u"commandPalette"_s);
    ASSERT_NE(palette, nullptr);
    QTest::keyClicks(palette->findChild<QLineEdit*>(), u"undo"_s);
    keep(*palette, u"11-palette"_s);
    QTest::keyClick(palette->findChild<QLineEdit*>(), Qt::Key_Return);
    QTest::qWait(20);
    EXPECT_EQ(study(*window).current()->scenario->variability.slow.size(), before);
}

TEST_F(Tasks, T12PresentationMode)
{
    auto window = smallWindow();
    window->setPresentation(true);
    for (Page* page : window->pages().pages()) {
        window->pages().showPage(page->id());
        settlePage(*window);
        QTest::qWait(20);
        keep(*window, u"12-%1"_s.arg(page->id()));
    }
    EXPECT_FALSE(window->dock().isVisible());
}

TEST_F(Tasks, T13TwelveScenarios)
{
    auto window = smallWindow();
    while (study(*window).state().entries.size() < 12)
        study(*window).duplicate(1);
    study(*window).rename(5, u"renamed"_s);
    study(*window).setArchived(6, true);
    settle(*window);
    keep(*window, u"13-twelve"_s);
    window->scenarios().setFilter(u"renamed"_s);
    EXPECT_EQ(window->scenarios().shownCount(), 1);
    keep(*window, u"13-filtered"_s);
}

TEST_F(Tasks, T14SmallAndLargeJobs)
{
    auto window = smallWindow();
    for (const auto& [name, preset, batch] : {std::tuple{"8-gpus", "llama2-7b-8-a100", "4096"}, {"65536-gpus", "prism-64k", "16384"}}) {
        Result<Scenario> scenario = scenarioPreset(preset);
        ASSERT_TRUE(scenario.ok()) << preset;
        study(*window).addScenario(std::move(scenario).value(), u"New"_s);
        settle(*window);
        type(*window, "training.global_batch_size", batch);
        settle(*window);
        EXPECT_EQ(window->jobs().stateText(), u"Up to date"_s) << name;
        keep(*window, u"14-%1"_s.arg(QString::fromLatin1(name)));
        EXPECT_GT(p95(*window), 0) << name;
    }
}

TEST_F(Tasks, T15ASecondWindowOnTheSameStudy)
{
    auto first = smallWindow();
    ASSERT_TRUE(first->file().flush());
    auto second = makeWindow();
    ASSERT_TRUE(second->openStudy(first->file().path()));
    second->show();
    settle(*second);
    EXPECT_TRUE(study(*second).isReadOnly());
    type(*second, "training.global_batch_size", "64");
    EXPECT_EQ(static_cast<QuantityEdit*>(second->editor().row(u"training.global_batch_size"_s)->field())->text(), u"32"_s);
    keep(*second, u"15-second-window"_s);
}

TEST_F(Tasks, T16FilesOnTheWindow)
{
    auto window = smallWindow();
    Scenario other = smallScenario("dropped");
    other.training.globalBatchSize = 64;
    writeFile(u"16-scenario.json"_s, QByteArray::fromStdString(toJson(other)));
    window->openDropped(folder.filePath(u"16-scenario.json"_s)); // where it falls is in dropping.cpp
    auto* dialog = window->findChild<ImportDialog*>();
    ASSERT_NE(dialog, nullptr);
    QTest::qWait(200);
    keep(*dialog, u"16-dropped"_s);
    dialog->reject();
}

} // namespace prism::ui::test
