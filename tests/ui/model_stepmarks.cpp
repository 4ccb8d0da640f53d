// SPDX-License-Identifier: GPL-3.0-or-later
// Marks on the step-time axis: as people type them, in the study file, and back.
#include "ui/model/stepmarks.h"
#include "ui/model/studyfile.h"
#include "ui/model/studymodel.h"

#include "tests/ui/studies.h"

#include <QTemporaryDir>

#include <gtest/gtest.h>

namespace prism::ui::test {

using namespace Qt::StringLiterals;

TEST(StepMarks, ALineIsATimeAndWords)
{
    const Result<std::vector<TimeMark>> marks = marksFrom(u"  6.8 s the  contract\n\n930 ms last week\n1,200 ms slow\n"_s);
    ASSERT_TRUE(marks.ok());
    const std::vector<TimeMark> expected{{0.93, "last week"}, {1.2, "slow"}, {6.8, "the contract"}};
    EXPECT_EQ(*marks, expected);
    EXPECT_EQ(*marksFrom(textOf(expected)), expected) << "there and back";
    EXPECT_EQ(keyOf(expected), u"A 930 ms last week; B 1.20 s slow; C 6.80 s the contract"_s);
    EXPECT_TRUE(marksFrom(QString())->empty());
}

TEST(StepMarks, EveryLineThatIsNoneIsNamed)
{
    const Result<std::vector<TimeMark>> marks = marksFrom(u"6.8 the contract\n7 s fine\n-3 s before\n8 s"_s);
    ASSERT_FALSE(marks.ok());
    ASSERT_EQ(marks.errors().size(), 3U);
    EXPECT_EQ(marks.errors()[0].path, "line 1");
    EXPECT_EQ(marks.errors()[1].path, "line 3");
    EXPECT_EQ(marks.errors()[2].path, "line 4") << "a time without words";
    QString many;
    for (std::size_t i = 0; i <= kMaxMarks; ++i)
        many += u"1 s x\n"_s;
    EXPECT_FALSE(marksFrom(many).ok());
    EXPECT_EQ(secondsFrom(u"nan s"_s), 0);
    EXPECT_EQ(secondsFrom(u"1e400 s"_s), 0);
}

TEST(StepMarks, AreAStepOfTheStudyAndComeBackWithItsFile)
{
    const QTemporaryDir folder;
    const QString path = folder.filePath(u"marks.prism"_s);
    StudyModel study;
    study.reset(smallStudy(), 1);
    const std::vector<TimeMark> marks{{0.93, "last <b>week</b>"}, {6.8, "the contract"}};
    study.setMarks(marks);
    study.setMarks(marks);
    EXPECT_EQ(study.undoStack()->count(), 1);
    study.undoStack()->undo();
    EXPECT_TRUE(study.state().marks.empty());
    study.undoStack()->redo();
    {
        StudyFile file;
        ASSERT_TRUE(file.create(path).empty());
        file.save(study.state(), 1, {});
        ASSERT_TRUE(file.flush());
    }
    StudyFile file;
    const Result<OpenedStudy> opened = file.adopt(readStudy(path).value());
    ASSERT_TRUE(opened.ok());
    EXPECT_EQ(opened->state.marks, marks);
}

TEST(StepMarks, OfAForeignFileOnlyWhatIsOneIsTaken)
{
    const QJsonArray array{QJsonObject{{u"seconds"_s, -1}, {u"text"_s, u"x"_s}}, QJsonObject{{u"seconds"_s, 2}, {u"text"_s, u"b\nc"_s}},
                           QJsonObject{{u"seconds"_s, u"1"_s}}, 7, QJsonObject{{u"seconds"_s, 1}, {u"text"_s, QString(5000, u'a')}}};
    const std::vector<TimeMark> marks = marksFrom(array);
    ASSERT_EQ(marks.size(), 2U);
    EXPECT_EQ(marks[1], (TimeMark{2, "b c"}));
    EXPECT_LT(marks[0].text.size(), 100U);
}

} // namespace prism::ui::test
