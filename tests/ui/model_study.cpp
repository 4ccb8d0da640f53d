// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/studies.h"
#include "ui/model/studymodel.h"

#include "core/base/outputfile.h"
#include "core/calibrate/clustercalibration.h"

#include <QTemporaryDir>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui::test {

class StudyModelTest : public ::testing::Test {
protected:
    StudyModelTest() { study.reset(smallStudy(), 1); }
    StudyModel study;
};

TEST_F(StudyModelTest, UndoReturnsToTheStartExactly)
{
    const StudyState start = study.state();
    study.duplicate(1);
    study.rename(1, u"renamed"_s);
    study.setNote(2, u"a note"_s);
    study.setVisible(2, false);
    study.setBaseline(2);
    study.move(1, 1);
    study.setLimit(3.5);
    study.setSlowNode(1, 2, 1.3);
    study.moveSlowNode(1, 2, 5);
    study.setArchived(2, true);
    EXPECT_TRUE(study.setParameter(1, "parallelism.pipeline_model_parallel_size", "2").empty());
    EXPECT_FALSE(study.state() == start);
    while (study.undoStack()->canUndo())
        study.undoStack()->undo();
    EXPECT_TRUE(study.state() == start);
    EXPECT_EQ(study.currentId(), 1);
    const int steps = study.undoStack()->count();
    while (study.undoStack()->canRedo())
        study.undoStack()->redo();
    EXPECT_EQ(study.undoStack()->count(), steps);
    EXPECT_EQ(study.entry(1)->scenario->parallelism.pipelineModelParallelSize, 2);
}

TEST_F(StudyModelTest, TheNeighbourTakesThePlaceOfAnArchivedBaseline)
{
    study.duplicate(2);
    ASSERT_EQ(study.state().entries.size(), 3U);
    const int first = study.state().entries[0].id, second = study.state().entries[1].id, last = study.state().entries[2].id;
    study.setCurrent(first);
    study.setBaseline(first);
    study.setArchived(first, true); // there is none before it: the one after it
    EXPECT_EQ(study.state().baselineId, second);
    EXPECT_EQ(study.currentId(), second);
    study.setCurrent(last);
    study.setBaseline(last);
    study.setArchived(last, true);
    EXPECT_EQ(study.state().baselineId, second);
    EXPECT_EQ(study.currentId(), second);
    study.setArchived(second, true); // the only one left stays
    EXPECT_FALSE(study.entry(second)->archived);
}

TEST_F(StudyModelTest, SeveralAreHiddenOrArchivedAsOneStep)
{
    study.duplicate(2);
    study.duplicate(2);
    const auto& entries = study.state().entries;
    const std::vector<int> ids{entries[0].id, entries[1].id, entries[2].id, entries[3].id};
    study.setCurrent(ids[2]);
    study.setBaseline(ids[1]);
    const StudyState start = study.state();
    const int steps = study.undoStack()->count();
    study.setArchived(std::vector{ids[1], ids[2]}, true);
    EXPECT_EQ(study.undoStack()->count(), steps + 1);
    EXPECT_TRUE(study.entry(ids[1])->archived && study.entry(ids[2])->archived && !study.entry(ids[3])->archived);
    EXPECT_EQ(study.state().baselineId, ids[0]) << "the one before them";
    EXPECT_EQ(study.currentId(), ids[0]);
    EXPECT_EQ(study.undoStack()->undoText(), u"Archive 2 scenarios"_s);
    study.undoStack()->undo();
    EXPECT_TRUE(study.state() == start);
    EXPECT_EQ(study.currentId(), ids[2]);
    study.setArchived(ids, true); // none would be left
    EXPECT_TRUE(study.state() == start);
    study.setVisible(std::vector{ids[0], ids[3]}, false);
    EXPECT_TRUE(!study.entry(ids[0])->visible && study.entry(ids[1])->visible && !study.entry(ids[3])->visible);
    study.showOnly({ids[3]});
    for (const int id : ids)
        EXPECT_EQ(study.entry(id)->visible, id == ids[3]);
    study.undoStack()->undo();
    study.undoStack()->undo();
    EXPECT_TRUE(study.state() == start);
}

TEST_F(StudyModelTest, StepsNameWhatWasDone)
{
    const QString taken = QString::fromStdString(study.entry(1)->scenario->name);
    study.rename(2, taken);
    EXPECT_EQ(QString::fromStdString(study.entry(2)->scenario->name), taken + u" 2"_s);
    EXPECT_TRUE(study.undoStack()->undoText().endsWith(taken + u" 2"_s)) << study.undoStack()->undoText().toStdString();
    EXPECT_TRUE(study.setParameterIn({1}, "training.global_batch_size", "64").empty());
    EXPECT_EQ(study.undoStack()->undoText(), u"Global batch size = 64 in %1"_s.arg(taken));
    EXPECT_FALSE(study.setArchived(std::vector{1, 2}, true)) << "none would be left";
    EXPECT_TRUE(study.setArchived(2, true));
}

TEST_F(StudyModelTest, KeystrokesInOneFieldAreOneStep)
{
    for (const char* text : {"1", "16"})
        EXPECT_TRUE(study.setParameter(1, "training.micro_batch_size", text).empty());
    EXPECT_EQ(study.undoStack()->count(), 0 + 1);
    study.endMerge();
    EXPECT_TRUE(study.setParameter(1, "training.micro_batch_size", "2").empty());
    EXPECT_EQ(study.undoStack()->count(), 2);
}

TEST_F(StudyModelTest, AFieldThatReturnsToItsStartLeavesNoStep)
{
    const std::string id = "training.global_batch_size";
    EXPECT_TRUE(study.setParameter(1, id, "64").empty());
    EXPECT_TRUE(study.setParameter(1, id, "32").empty());
    EXPECT_EQ(study.undoStack()->count(), 0);
}

TEST_F(StudyModelTest, InvalidTextChangesNothing)
{
    const StudyState start = study.state();
    EXPECT_FALSE(study.setParameter(1, "parallelism.tensor_model_parallel_size", "eight").empty());
    EXPECT_FALSE(study.setParameter(1, "no.such_parameter", "1").empty());
    EXPECT_TRUE(study.state() == start);
    EXPECT_EQ(study.undoStack()->count(), 0);
}

TEST_F(StudyModelTest, ACalibrationThatIsNamedComesWithItsValues)
{
    QTemporaryDir folder;
    ClusterCalibration calibration;
    calibration.values.emplace_back("measured.compute_level", "1.1");
    const std::string file = folder.filePath(u"site.json"_s).toStdString();
    ASSERT_TRUE(writeFile(file, toJson(calibration)).empty());
    EXPECT_TRUE(study.setParameter(1, "measured.calibration", file).empty());
    EXPECT_EQ(study.entry(1)->scenario->measured.computeLevel, 1.1);
    study.undoStack()->undo();
    EXPECT_EQ(study.entry(1)->scenario->measured.computeLevel, 1.0);
    EXPECT_FALSE(study.setParameter(1, "measured.calibration", file + ".none").empty());
    EXPECT_FALSE(study.setParameterIn({1, 2}, "measured.calibration", "/dev/null").empty());
}

TEST_F(StudyModelTest, NamesStayUnique)
{
    study.duplicate(1);
    study.duplicate(1);
    QStringList names;
    for (const ScenarioEntry& e : study.state().entries)
        names << QString::fromStdString(e.scenario->name);
    EXPECT_EQ(names.removeDuplicates(), 0);
}

TEST_F(StudyModelTest, AReadOnlyStudyIgnoresChanges)
{
    const StudyState start = study.state();
    study.setReadOnly(true);
    study.rename(1, u"x"_s);
    EXPECT_EQ(study.duplicate(1), -1);
    study.setSlowNode(1, 0, 2);
    EXPECT_TRUE(study.state() == start);
}

TEST_F(StudyModelTest, TwoLimitsNeverCross)
{
    study.setLimit(3);
    study.setLimits(2, 3);
    EXPECT_EQ(study.state().lowerLimitSeconds, 2);
    study.setLimit(1.5); // below the lower one: stays
    study.setLimits(4, 3);
    EXPECT_EQ(study.state().limitSeconds, 3);
    EXPECT_EQ(study.state().lowerLimitSeconds, 2);
    study.setLimit(5);
    EXPECT_EQ(study.state().limitSeconds, 5);
    study.setLimits(0, 5);
    EXPECT_EQ(study.state().lowerLimitSeconds, 0);
    study.setLimit(1);
    EXPECT_EQ(study.state().limitSeconds, 1);
}

} // namespace prism::ui::test
