// SPDX-License-Identifier: GPL-3.0-or-later
// Three answers made a scenario, and ranges as people type them.
#include "ui/findings/newjob.h"

#include "core/scenario/parameters.h"
#include "core/scenario/presets.h"
#include "ui/findings/searchtext.h"

#include <gtest/gtest.h>

namespace prism::ui::test {

using namespace Qt::StringLiterals;

namespace {

NewJobAnswers answersFor(const QString& preset)
{
    NewJobAnswers a;
    a.preset = preset;
    a.gpus = u"256"_s;
    a.gpu = u"h200-sxm-141gb"_s;
    a.fabric = fabricFor(a.gpu);
    return a;
}

TEST(NewJob, TakesModelMachinesAndTheMeasuredSpreadOfTheGpu)
{
    const Result<NewJob> job = newJob(answersFor(u"llama3-70b"_s));
    ASSERT_TRUE(job.ok());
    const Scenario& s = job->scenario;
    EXPECT_EQ(s.model.numLayers, 80);
    EXPECT_EQ(s.cluster.numGpus, 256);
    EXPECT_EQ(s.cluster.gpu.preset, "h200-sxm-141gb");
    EXPECT_EQ(s.variability.preset, measuredSpreadOf("h200-sxm-141gb"));
    EXPECT_EQ(s.training.globalBatchSize * s.model.seqLength, 4 << 20) << "4 Mi tokens where no batch is named";
    EXPECT_FALSE(job->own);
}

TEST(NewJob, ReportsEveryErrorAtOnce)
{
    NewJobAnswers a = answersFor({});
    a.gpus = u"many"_s;
    const Result<NewJob> job = newJob(a);
    ASSERT_FALSE(job.ok());
    EXPECT_EQ(job.errors().size(), 2U);
}

TEST(NewJob, KeepsTheLayoutOfAScriptNextToTheProposal)
{
    NewJobAnswers a = answersFor({});
    a.source = NewJobAnswers::Source::megatron;
    a.fileName = u"launch.sh"_s;
    a.text = "--num-layers 32 --hidden-size 4096 --num-attention-heads 32 --seq-length 4096 --max-position-embeddings 4096 "
             "--tensor-model-parallel-size 4 --pipeline-model-parallel-size 2 --micro-batch-size 1 --global-batch-size 64";
    const Result<NewJob> job = newJob(a);
    ASSERT_TRUE(job.ok()) << job.errors().front().message;
    ASSERT_TRUE(job->own);
    EXPECT_EQ(job->own->parallelism.tensorModelParallelSize, 4);
    EXPECT_EQ(job->own->cluster.numGpus, 256) << "the answer counts";
    EXPECT_EQ(job->scenario.parallelism, ParallelismConfig());
    EXPECT_EQ(job->scenario.training.globalBatchSize, 64);
    EXPECT_EQ(job->scenario.name, "launch");
}

TEST(NewJob, TheFabricFollowsTheGpu)
{
    EXPECT_TRUE(fabricFor(u"h200-sxm-141gb"_s).contains(u"h200"_s));
    EXPECT_TRUE(fabricFor(u"gb200-nvl72"_s).contains(u"gb200"_s));
    EXPECT_EQ(usualGlobalBatch(8192), 512);
    EXPECT_EQ(usualGlobalBatch(4096), 1024);
    EXPECT_EQ(usualGlobalBatch(100'000'000), 1);
}

TEST(Ranges, AFieldTakesARangeOrAList)
{
    const Parameter& tp = *findParameter("parallelism.tensor_model_parallel_size");
    EXPECT_EQ(rangeOf(tp, u"2 … 16"_s), (QStringList{u"2"_s, u"4"_s, u"8"_s, u"16"_s}));
    EXPECT_EQ(rangeOf(tp, u"1 to 4"_s), (QStringList{u"1"_s, u"2"_s, u"4"_s}));
    EXPECT_EQ(rangeOf(tp, u"4, 1,8"_s), (QStringList{u"4"_s, u"1"_s, u"8"_s}));
    for (const QString& none : {u"8"_s, u"2 …"_s, u"a, b"_s, u"8..2"_s, u",,"_s, QString()})
        EXPECT_TRUE(rangeOf(tp, none).isEmpty()) << none.toStdString();
    const Parameter& schedule = *findParameter("parallelism.pipeline_schedule");
    EXPECT_TRUE(rangeOf(schedule, u"1f1b, gpipe"_s).isEmpty()) << "a choice is not a number";
}

TEST(Ranges, AnAxisTakesThePlaceOfTheSameParameter)
{
    const Parameter& tp = *findParameter("parallelism.tensor_model_parallel_size");
    const Parameter& batch = *findParameter("training.global_batch_size");
    QString text = withAxis(u"tp 4, 8; PP 2 … 16"_s, tp, {u"1"_s, u"2"_s});
    EXPECT_EQ(text, u"PP 2 … 16; TP 1, 2"_s);
    text = withAxis(text, batch, {u"256"_s, u"512"_s});
    const Result<SearchSpace> space = searchSpaceOf(text, Scenario());
    ASSERT_TRUE(space.ok()) << text.toStdString();
    ASSERT_EQ(space->axes.size(), 3U);
    EXPECT_EQ(space->axes[0].values.size(), 4U);
    EXPECT_EQ(space->axes[2].ids.front(), batch.id);
    EXPECT_EQ(withAxis(text, tp, {}), withAxis(u"PP 2 … 16"_s, batch, {u"256"_s, u"512"_s}));
}

} // namespace
} // namespace prism::ui::test
