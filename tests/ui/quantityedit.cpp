// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/editor/quantityedit.h"

#include <QApplication>
#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>

#include <gtest/gtest.h>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui {

TEST(SteppedText, KeepsUnitsAndNeverInventsNumbers)
{
    EXPECT_EQ(steppedText(u"8"_s, StepKind::one, 1, false), u"9"_s);
    EXPECT_EQ(steppedText(u"8"_s, StepKind::one, -1, true), u"-2"_s);
    EXPECT_EQ(steppedText(u"8"_s, StepKind::twice, 1, false), u"16"_s);
    EXPECT_EQ(steppedText(u"1"_s, StepKind::twice, -1, false), u"1"_s);
    EXPECT_EQ(steppedText(u"900 GB/s"_s, StepKind::digit, 1, false), u"910 GB/s"_s);
    EXPECT_EQ(steppedText(u"1e3"_s, StepKind::digit, 1, false), u"1100"_s);
    EXPECT_EQ(steppedText(u"2,048"_s, StepKind::twice, 1, false), u"4096"_s);
    EXPECT_EQ(steppedText(u"abc"_s, StepKind::one, 1, false), u"abc"_s);
    EXPECT_EQ(steppedText(u""_s, StepKind::one, 1, false), u""_s);
}

class QuantityEditTest : public ::testing::Test {
protected:
    QuantityEditTest() : edit(theme)
    {
        edit.setStep(StepKind::twice);
        edit.setCommitted(u"8"_s);
        edit.show();
        edit.setFocus();
    }
    Theme theme;
    QuantityEdit edit;
};

TEST_F(QuantityEditTest, KeepsWhatWasTypedWhileItIsInvalid)
{
    edit.selectAll();
    QTest::keyClicks(&edit, u"eight"_s);
    edit.submitNow();
    edit.setProblem(u"This is not a number."_s);
    edit.setCommitted(u"8"_s);
    EXPECT_EQ(edit.text(), u"eight"_s);
    EXPECT_EQ(edit.committed(), u"8"_s);
    EXPECT_EQ(edit.accessibleDescription(), u"This is not a number."_s);
    QFocusEvent out(QEvent::FocusOut);
    QApplication::sendEvent(&edit, &out);
    EXPECT_EQ(edit.text(), u"eight"_s);
    edit.discardTyped();
    EXPECT_EQ(edit.text(), u"8"_s);
    EXPECT_FALSE(edit.hasProblem());
}

TEST_F(QuantityEditTest, DoesNotRewriteTheTextUnderTheCursor)
{
    edit.selectAll();
    QTest::keyClicks(&edit, u"0.9 TB/s"_s);
    edit.submitNow();
    edit.accept(u"900"_s); // the model read it
    EXPECT_EQ(edit.text(), u"0.9 TB/s"_s);
    QTest::keyClick(&edit, Qt::Key_Return);
    EXPECT_EQ(edit.text(), u"900"_s);
}

TEST_F(QuantityEditTest, GivesWayToAnotherValue)
{
    edit.selectAll();
    QTest::keyClicks(&edit, u"16"_s);
    edit.setCommitted(u"8"_s); // the same value again: a repaint must not disturb typing
    EXPECT_EQ(edit.text(), u"16"_s);
    edit.setCommitted(u"4"_s); // undo, a fix, another window
    EXPECT_EQ(edit.text(), u"4"_s);
    EXPECT_FALSE(edit.isPending());
}

TEST_F(QuantityEditTest, SubmitsOnceForAWordThatIsTypedInOneGo)
{
    QSignalSpy submitted(&edit, &QuantityEdit::submitted);
    edit.selectAll();
    QTest::keyClicks(&edit, u"1e9"_s);
    EXPECT_EQ(submitted.count(), 0);
    QTest::keyClick(&edit, Qt::Key_Return);
    ASSERT_EQ(submitted.count(), 1);
    EXPECT_EQ(submitted.front().front().toString(), u"1e9"_s);
}

TEST_F(QuantityEditTest, StepsWithTheArrowKeysAndSubmitsEachStep)
{
    QSignalSpy submitted(&edit, &QuantityEdit::submitted);
    QTest::keyClick(&edit, Qt::Key_Up);
    EXPECT_EQ(edit.text(), u"16"_s);
    QTest::keyClick(&edit, Qt::Key_Down, Qt::ShiftModifier);
    EXPECT_EQ(edit.text(), u"4"_s);
    EXPECT_EQ(submitted.count(), 2);
}

TEST_F(QuantityEditTest, LeavesTheWheelToTheForm)
{
    QWheelEvent wheel(QPointF(5, 5), QPointF(5, 5), QPoint(0, 120), QPoint(0, 120), Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
    QApplication::sendEvent(&edit, &wheel);
    EXPECT_FALSE(wheel.isAccepted());
    EXPECT_EQ(edit.text(), u"8"_s);
}

TEST_F(QuantityEditTest, EscapeGoesBackToTheValueInUse)
{
    edit.selectAll();
    QTest::keyClicks(&edit, u"nonsense"_s);
    edit.setProblem(u"wrong"_s);
    QTest::keyClick(&edit, Qt::Key_Escape);
    EXPECT_EQ(edit.text(), u"8"_s);
    EXPECT_FALSE(edit.hasProblem());
}

} // namespace prism::ui
