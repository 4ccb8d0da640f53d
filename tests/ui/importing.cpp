// SPDX-License-Identifier: GPL-3.0-or-later
// Importing a custom model: GPUs and layout are requested, and one fix corrects all errors.
#include "tests/ui/window_fixture.h"
#include "ui/window/importdialog.h"

#include <QPushButton>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui::test {

namespace {

const QByteArray kConfig = R"({"model_type": "llama", "num_hidden_layers": 64, "hidden_size": 5120, "num_attention_heads": 40,
    "num_key_value_heads": 8, "intermediate_size": 27648, "vocab_size": 152064, "_name_or_path": "my/own-32B"})";

} // namespace

class Importing : public WindowTest {
protected:
    static ImportDialog* dialogOf(MainWindow& window) { return window.findChild<ImportDialog*>(); }
    static void typeInto(ImportDialog& dialog, const char* parameter, const QString& text)
    {
        auto* field = dialog.findChild<QuantityEdit*>(u"import:"_s + QString::fromLatin1(parameter));
        ASSERT_NE(field, nullptr) << parameter;
        field->selectAll();
        QTest::keyClicks(field, text);
        field->submitNow();
        waitForVerdict(dialog);
    }
    static void waitForVerdict(ImportDialog& dialog)
    {
        ASSERT_TRUE(QTest::qWaitFor([&dialog] { return !dialog.isJudging(); }, 60'000));
    }
};

TEST_F(Importing, RequestsGpusAndLayoutAndRepairsEverythingAtOnce)
{
    auto window = smallWindow();
    StudyModel& study = window->workspace().study();
    Scenario base = *study.current()->scenario;
    base.parallelism.accountForEmbeddingInPipelineSplit = base.parallelism.accountForLossInPipelineSplit = true;
    base.note = "a note of the other job";
    showImport(window->workspace(), theme, previewImport(u"config.json"_s, kConfig, base), u"config.json"_s, window.get());
    ImportDialog* dialog = dialogOf(*window);
    ASSERT_NE(dialog, nullptr);
    EXPECT_EQ(dialog->scenario()->name, "own-32B");
    EXPECT_EQ(dialog->scenario()->note, "");
    typeInto(*dialog, "cluster.num_gpus", u"512"_s);
    typeInto(*dialog, "parallelism.tensor_model_parallel_size", u"7"_s);
    typeInto(*dialog, "training.global_batch_size", u"500"_s);
    EXPECT_TRUE(hasErrors(check(*dialog->scenario())));
    EXPECT_TRUE(dialog->verdict().contains(u"One fix for all"_s)) << dialog->verdict().toStdString();
    dialog->applyFix();
    EXPECT_TRUE(dialog->isJudging()) << "the window continues meanwhile";
    waitForVerdict(*dialog);
    EXPECT_FALSE(hasErrors(check(*dialog->scenario()))) << dialog->verdict().toStdString();
    EXPECT_EQ(dialog->scenario()->cluster.numGpus, 512);
    EXPECT_EQ(dialog->scenario()->model.numLayers, 64);
    EXPECT_TRUE(dialog->verdict().contains(u"fits"_s)) << dialog->verdict().toStdString();
    const auto before = study.state().entries.size();
    QTest::mouseClick(dialog->findChild<QPushButton*>(u"importAccept"_s), Qt::LeftButton);
    EXPECT_EQ(study.state().entries.size(), before + 1);
    EXPECT_EQ(study.current()->scenario->model.hiddenSize, 5120);
    study.undoStack()->undo();
    EXPECT_EQ(study.state().entries.size(), before);
}

TEST_F(Importing, AValueThatCannotBeStaysInItsFieldAndIsExplained)
{
    auto window = smallWindow();
    showImport(window->workspace(), theme, previewImport(u"config.json"_s, kConfig, *window->workspace().study().current()->scenario),
               u"config.json"_s, window.get());
    ImportDialog* dialog = dialogOf(*window);
    ASSERT_NE(dialog, nullptr);
    typeInto(*dialog, "cluster.num_gpus", u"many"_s);
    auto* field = dialog->findChild<QuantityEdit*>(u"import:cluster.num_gpus"_s);
    EXPECT_EQ(field->text(), u"many"_s);
    EXPECT_TRUE(field->hasProblem());
    EXPECT_EQ(dialog->scenario()->cluster.numGpus, 64);
}

} // namespace prism::ui::test
