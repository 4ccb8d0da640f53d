// SPDX-License-Identifier: GPL-3.0-or-later
// A field is a view of the model: after any change of the study, field, model and file have the same value.
#include "tests/ui/fields_walk.h"
#include "tests/ui/window_fixture.h"
#include "ui/theme/fieldwidth.h"

#include <QKeyEvent>
#include <QSplitter>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui::test {

TEST(Fields, ShowWhatModelAndFileHoldAfterAnything)
{
    FieldsWalk walk(1);
    for (int i = 0; i < 120 && !::testing::Test::HasFailure(); ++i) {
        walk.step();
        walk.expectOneValue(i);
        if (i % 40 == 39)
            walk.expectSameInASecondWindow(i);
    }
}

class FieldTest : public WindowTest {
protected:
    static constexpr const char* kBatch = "training.global_batch_size";
    static QuantityEdit* fieldOf(MainWindow& window, const char* id)
    {
        return static_cast<QuantityEdit*>(window.editor().row(QString::fromLatin1(id))->field());
    }
};

TEST_F(FieldTest, FollowsUndoAndRedo)
{
    auto window = smallWindow();
    type(*window, kBatch, "64");
    QuantityEdit* field = fieldOf(*window, kBatch);
    QTest::keyClick(field, Qt::Key_Return);
    EXPECT_EQ(window->workspace().study().current()->scenario->training.globalBatchSize, 64);
    window->workspace().study().undoStack()->undo();
    EXPECT_EQ(field->text(), u"32"_s);
    window->workspace().study().undoStack()->redo();
    EXPECT_EQ(field->text(), u"64"_s);
}

TEST_F(FieldTest, LeavesUndoToTheStudyOnceTheTextWasTaken)
{
    auto window = smallWindow();
    QuantityEdit* field = fieldOf(*window, kBatch);
    field->setFocus();
    field->selectAll();
    QTest::keyClicks(field, u"64"_s);
    QKeyEvent early(QEvent::ShortcutOverride, Qt::Key_Z, Qt::ControlModifier);
    early.ignore();
    QApplication::sendEvent(field, &early);
    EXPECT_TRUE(early.isAccepted()) << "typed text is taken back first";
    QTest::keyClick(field, Qt::Key_Return);
    QKeyEvent late(QEvent::ShortcutOverride, Qt::Key_Z, Qt::ControlModifier);
    late.ignore();
    QApplication::sendEvent(field, &late);
    EXPECT_FALSE(late.isAccepted()) << "the study's undo must get the key";
}

TEST_F(FieldTest, KeepsInUseWhatWasBeforeTheFirstKeyWhenTheWholeIsInvalid)
{
    auto window = smallWindow();
    type(*window, "cluster.num_gpus", "1");
    fieldOf(*window, "cluster.num_gpus")->submitNow(); // a slow typist: the first digit is committed as a separate value
    EXPECT_EQ(window->workspace().study().current()->scenario->cluster.numGpus, 1);
    QTest::keyClicks(fieldOf(*window, "cluster.num_gpus"), u"e9x"_s);
    fieldOf(*window, "cluster.num_gpus")->submitNow();
    EXPECT_EQ(window->workspace().study().current()->scenario->cluster.numGpus, 64);
    EXPECT_EQ(fieldOf(*window, "cluster.num_gpus")->text(), u"1e9x"_s);
    EXPECT_TRUE(fieldOf(*window, "cluster.num_gpus")->hasProblem());
    EXPECT_FALSE(window->workspace().study().undoStack()->canUndo());
}

TEST_F(FieldTest, CannotBeEditedInAReadOnlyStudy)
{
    auto window = smallWindow();
    window->workspace().study().setReadOnly(true);
    EXPECT_TRUE(fieldOf(*window, kBatch)->isReadOnly());
    type(*window, kBatch, "64");
    QTest::keyClick(fieldOf(*window, kBatch), Qt::Key_Return);
    EXPECT_EQ(fieldOf(*window, kBatch)->text(), u"32"_s);
    window->workspace().study().setReadOnly(false);
    EXPECT_FALSE(fieldOf(*window, kBatch)->isReadOnly());
}

TEST_F(FieldTest, ShowEveryDigitAtEveryScaleInTheNarrowestPane)
{
    auto window = smallWindow();
    Scenario longest = *window->workspace().study().current()->scenario;
    longest.training.trainTokens = 1'572'864'000'000;
    longest.training.globalBatchSize = 16'777'216;
    longest.cluster.numGpus = 1'048'576;
    longest.model.vocabSize = 1'234'567;
    longest.model.seqLength = 16'777'215;
    window->workspace().study().setScenario(1, longest, u"Change"_s);
    for (const char* group : {"model", "cluster", "parallelism", "training", "variability", "job"})
        window->editor().setExpanded(QString::fromLatin1(group), true);
    for (const double scale : {1.0, 1.25, 1.5, 2.0}) {
        theme.setUiScale(scale);
        window->resize(scale > 1.5 ? QSize(2048, 1400) : QSize(1440, 900));
        window->dock().setVisible(true);
        window->findChild<QSplitter*>()->setSizes({1, 5000});
        QTest::qWait(30);
        for (const QuantityEdit* field : window->editor().findChildren<QuantityEdit*>()) {
            if (!field->isVisible())
                continue;
            SCOPED_TRACE(field->accessibleName().toStdString() + " " + field->text().toStdString() + " at " + std::to_string(scale));
            EXPECT_LE(fieldWidthFor(field->text(), theme) + field->textMargins().right(), field->width());
            const QPoint right = field->mapTo(&window->editor(), QPoint(field->width(), 0));
            EXPECT_LE(right.x(), window->editor().width());
        }
    }
    theme.setUiScale(1);
    EXPECT_EQ(fieldOf(*window, "training.train_tokens")->text(), u"1.572864 T"_s);
    EXPECT_EQ(fieldOf(*window, kBatch)->text(), u"16,777,216"_s);
}

TEST_F(FieldTest, ReadsADecimalCommaAsAnErrorAndCountsInPowersOfTwo)
{
    auto window = smallWindow();
    type(*window, "training.train_tokens", "1,5 T");
    EXPECT_TRUE(fieldOf(*window, "training.train_tokens")->hasProblem());
    EXPECT_TRUE(fieldOf(*window, "training.train_tokens")->accessibleDescription().contains(u"1.5 T"_s))
        << fieldOf(*window, "training.train_tokens")->accessibleDescription().toStdString();
    type(*window, kBatch, "4k");
    EXPECT_EQ(window->workspace().study().current()->scenario->training.globalBatchSize, 4096);
}

} // namespace prism::ui::test
