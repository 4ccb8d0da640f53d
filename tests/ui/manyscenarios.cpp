// SPDX-License-Identifier: GPL-3.0-or-later
// Many scenarios: where each comes from, one value for several, curves picked where there are too many, user presets.
#include "tests/ui/window_fixture.h"
#include "ui/distribution/distributionpage.h"
#include "ui/model/lineage.h"
#include "ui/model/userpresets.h"
#include "ui/window/actions.h"
#include "ui/window/applydialog.h"
#include "ui/window/presetsdialog.h"
#include "ui/window/treedialog.h"
#include "ui/workspace/curvepick.h"
#include "ui/workspace/scenariotablemodel.h"

#include <QFile>
#include <QPushButton>
#include <QTableWidget>
#include <QTreeWidget>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui::test {

class ManyScenarios : public WindowTest {};

TEST_F(ManyScenarios, AScenarioNamesItsParentAlsoAfterAReload)
{
    QString path;
    {
        auto window = smallWindow();
        path = window->file().path();
        StudyModel& study = window->workspace().study();
        const int copy = study.duplicate(1);
        EXPECT_TRUE(study.setParameter(copy, "parallelism.pipeline_model_parallel_size", "8").empty());
        EXPECT_TRUE(study.setParameter(copy, "training.global_batch_size", "64").empty());
        const QString from = lineage(study.state(), *study.entry(copy));
        EXPECT_EQ(from, u"against base: PP 4 → 8, GBS 32 → 64"_s);
        ChangesCache cache;
        const ScenarioTableModel model(window->workspace(), cache);
        const QModelIndex note = model.index(model.rowOf(copy), ScenarioTableModel::noteColumn);
        EXPECT_EQ(note.data().toString(), from) << "where no note was written";
        EXPECT_TRUE(note.data(Qt::EditRole).toString().isEmpty());
        EXPECT_EQ(note.data(Qt::UserRole).toStringList(), QStringList({u"PP 8, GBS 64"_s, u"PP 8 +1"_s, u"2 differences"_s}));
        const int grandchild = study.duplicate(copy);
        EXPECT_EQ(study.entry(grandchild)->parentId, copy);
        study.undoStack()->undo(); // the grandchild
        study.undoStack()->undo(); // and its parent's edits, the parent itself
        study.undoStack()->undo();
        study.undoStack()->undo();
        EXPECT_EQ(study.state().entries.size(), 2U);
        for (int i = 0; i < 4; ++i)
            study.undoStack()->redo();
        EXPECT_EQ(study.entry(grandchild)->parentId, copy);
        settle(*window);
        window->close();
    }
    auto window = makeWindow();
    ASSERT_TRUE(window->openStudy(path));
    window->show();
    settle(*window);
    const StudyState& state = window->workspace().study().state();
    ASSERT_EQ(state.entries.size(), 4U);
    int reported = 0;
    for (const ScenarioEntry& e : state.entries)
        if (const ScenarioEntry* parent = state.find(e.parentId)) {
            ++reported;
            EXPECT_NE(parent->id, e.id);
            EXPECT_TRUE(lineage(state, e).contains(QString::fromStdString(parent->scenario->name)));
        }
    EXPECT_EQ(reported, 2);
}

TEST_F(ManyScenarios, OneValueGoesIntoTheChosenOnesAsOneStepOrIntoNone)
{
    auto window = smallWindow();
    StudyModel& study = window->workspace().study();
    const int third = study.duplicate(1);
    const StudyState before = study.state();
    ApplyDialog dialog(window->workspace(), theme, u"training.global_batch_size"_s);
    dialog.setAttribute(Qt::WA_DeleteOnClose, false);
    dialog.choose({1, third});
    dialog.setValue(u"sixty"_s);
    dialog.accept();
    EXPECT_FALSE(dialog.problem().isEmpty());
    EXPECT_TRUE(study.state() == before);
    dialog.setValue(u"64"_s);
    dialog.accept();
    EXPECT_EQ(study.entry(1)->scenario->training.globalBatchSize, 64);
    EXPECT_EQ(study.entry(2)->scenario->training.globalBatchSize, 32);
    EXPECT_EQ(study.entry(third)->scenario->training.globalBatchSize, 64);
    study.undoStack()->undo();
    EXPECT_TRUE(study.state() == before) << "one step";
    settle(*window);
}

TEST_F(ManyScenarios, AnEditOfACousinGoesIntoAnother)
{
    auto window = smallWindow(); // "base" and "base + slow node"
    StudyModel& study = window->workspace().study();
    const int child = study.duplicate(1);
    ASSERT_TRUE(study.setParameter(child, "training.micro_batch_size", "2").empty());
    const int grandchild = study.duplicate(child);
    ASSERT_TRUE(study.setParameter(grandchild, "parallelism.tensor_model_parallel_size", "8").empty());
    study.setCurrent(2);
    window->actions().get(u"scenario.tree"_s)->trigger();
    auto* dialog = window->findChild<TreeDialog*>();
    ASSERT_NE(dialog, nullptr);
    QTreeWidget& tree = dialog->tree();
    ASSERT_EQ(tree.topLevelItemCount(), 2) << "two were made from nothing";
    QTreeWidgetItem* base = tree.topLevelItem(0);
    ASSERT_EQ(base->childCount(), 1);
    QTreeWidgetItem* made = base->child(0);
    ASSERT_EQ(made->childCount(), 2) << "its edit, and its own child";
    EXPECT_EQ(made->child(0)->text(2), u"2 sequences"_s);
    EXPECT_EQ(made->child(1)->text(0).toStdString(), study.entry(grandchild)->scenario->name);
    auto* apply = [&] {
        tree.setCurrentItem(made->child(0));
        for (QPushButton* button : dialog->findChildren<QPushButton*>())
            if (button->text().startsWith(u"Apply this value"_s))
                button->click();
        return window->findChild<ApplyDialog*>();
    }();
    ASSERT_NE(apply, nullptr);
    const int steps = study.undoStack()->count();
    apply->accept(); // into the current one
    EXPECT_EQ(study.undoStack()->count(), steps + 1);
    EXPECT_EQ(study.entry(2)->scenario->training.microBatchSize, 2);
    EXPECT_EQ(study.entry(1)->scenario->training.microBatchSize, 1);
}

TEST_F(ManyScenarios, SixCurvesAreDrawnAndThePickedOneIsAmongThem)
{
    auto window = smallWindow();
    StudyModel& study = window->workspace().study();
    std::vector<int> ids{1, 2};
    for (int i = 0; i < 7; ++i) {
        ids.push_back(study.duplicate(1));
        EXPECT_TRUE(study.setParameter(ids.back(), "variability.spatial.cv", std::to_string(2 + 2 * i) + "%").empty());
    }
    study.setCurrent(ids.back());
    settle(*window);
    auto& page = *static_cast<DistributionPage*>(window->pages().page(u"distribution"_s));
    const auto drawn = [&] {
        QList<int> list;
        for (const ChartCurve& c : page.chart().curves())
            list << c.id;
        return list;
    };
    ASSERT_EQ(drawn().size(), kMaxCurves);
    EXPECT_TRUE(drawn().contains(1)) << "the baseline";
    EXPECT_TRUE(drawn().contains(ids.back())) << "the current one, though the slowest";
    const int left = ids[7];
    ASSERT_FALSE(drawn().contains(left)) << "a slow one that is not shown";
    window->workspace().selection().setScenario(left);
    EXPECT_TRUE(drawn().contains(left));
    EXPECT_EQ(drawn().size(), kMaxCurves);
    EXPECT_EQ(page.asTable().rows.size(), 9) << "the table has all of them";
}

TEST_F(ManyScenarios, UserPresetsComeBackInAnotherStudy)
{
    auto window = smallWindow();
    StudyModel& study = window->workspace().study();
    const UserPresets presets(folder.filePath(u"presets"_s));
    EXPECT_TRUE(study.setParameter(1, "cluster.gpu.memory_gib", "96").empty());
    EXPECT_TRUE(study.setParameter(1, "cluster.gpu_hour_price_usd", "1.75").empty());
    PresetsDialog dialog(window->workspace(), theme, presets);
    dialog.setAttribute(Qt::WA_DeleteOnClose, false);
    dialog.keep(OwnKind::gpu, u"Ours <b>96</b>/GiB"_s);
    dialog.keep(OwnKind::price, u"Contract"_s);
    dialog.keep(OwnKind::spread, QString());
    ASSERT_EQ(dialog.table().rowCount(), 2) << "a preset needs a name";
    EXPECT_EQ(dialog.table().item(0, 1)->text(), u"Ours <b>96</b>/GiB"_s);
    study.setCurrent(2);
    const Scenario other = *study.entry(2)->scenario;
    dialog.apply(0);
    EXPECT_EQ(study.entry(2)->scenario->cluster.gpu.memoryGib, 96);
    EXPECT_EQ(study.entry(2)->scenario->cluster.gpuHourPriceUsd, other.cluster.gpuHourPriceUsd) << "the GPU alone";
    EXPECT_EQ(study.entry(2)->scenario->cluster.numGpus, other.cluster.numGpus);
    dialog.apply(1);
    EXPECT_EQ(study.entry(2)->scenario->cluster.gpuHourPriceUsd, 1.75);
    dialog.removeAt(0);
    EXPECT_EQ(presets.all().size(), 1U);
    settle(*window);
}

TEST_F(ManyScenarios, ForeignAndBrokenPresetFilesAreNamedAndOmitted)
{
    const UserPresets presets(folder.filePath(u"presets"_s));
    QDir().mkpath(presets.folder());
    const auto write = [&](const QString& name, const QByteArray& text) {
        QFile file(QDir(presets.folder()).filePath(name));
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(text);
    };
    write(u"a.json"_s, "{");
    write(u"b.json"_s, R"({"kind": "gpu", "name": "x", "values": {"training.global_batch_size": "7"}})");
    write(u"c.json"_s, QByteArray(512 * 1024, ' '));
    write(u"d.json"_s, R"({"kind": "price", "name": "bad", "values": {"cluster.gpu_hour_price_usd": "free"}})");
    QStringList problems;
    const std::vector<UserPreset> all = presets.all(&problems);
    EXPECT_EQ(problems.size(), 3);
    ASSERT_EQ(all.size(), 1U);
    EXPECT_FALSE(withUserPreset(Scenario(), all.front()).ok()) << "a value that its parameter does not take";
    const UserPreset kept = userPresetOf(smallScenario("s"), OwnKind::spread, u"mine"_s);
    EXPECT_TRUE(presets.save(kept).empty());
    EXPECT_EQ(presets.all().back(), kept);
    EXPECT_EQ(withUserPreset(smallScenario("t"), kept)->variability, smallScenario("s").variability);
}

} // namespace prism::ui::test
