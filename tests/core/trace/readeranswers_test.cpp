// SPDX-License-Identifier: GPL-3.0-or-later
// Limits of the readers of stage tables, pipeline events and event streams; what makes a job of loose rows; schedules and histograms.
#include "core/trace/eventstream.h"
#include "core/trace/jobshape.h"
#include "core/trace/stagetable.h"
#include "core/trace/pools.h"
#include "core/trace/regularjob.h"
#include "core/trace/schedulename.h"
#include "handmade.h"
#include "tables.h"

#include <gtest/gtest.h>

#include <cmath>

namespace prism {
namespace {

using enum TraceOp;

/// A forward and a backward of one worker in one step, one micro-batch.
void addPair(std::vector<SteppedOperation>& rows, int step, int replica, int stage, double at = 0, int sequence = 0)
{
    for (const TraceOp type : {forwardCompute, backwardCompute}) {
        TraceOperation o = madeOperation(type, at + (type == forwardCompute ? 0 : 1), 0.5, stage, replica);
        o.sequence = sequence;
        rows.push_back({step, o});
    }
}

TEST(JobShapeAnswers, AStepOfWhichNineTenthsRepeatIsThereTwice)
{
    // Five micro-batches are ten operations; the first `again` of them come once more, a hundred seconds later.
    const auto kept = [](std::size_t again, double later) {
        std::vector<SteppedOperation> rows;
        for (int m = 0; m < 5; ++m)
            addPair(rows, 1, 0, 0, 2 * m, m);
        for (std::size_t k = 0; k < again; ++k) {
            rows.push_back(rows[k]);
            rows.back().operation.start += later;
        }
        const TraceJob job = jobFromOperations(rows, {}, {}).value();
        return job.steps[0].operations.size();
    };
    EXPECT_EQ(kept(8, 100), 18U) << "numbers that repeat are a table's way of counting";
    EXPECT_EQ(kept(9, 100), 10U) << "nine tenths";
    EXPECT_EQ(kept(10, 100), 10U);
    EXPECT_EQ(kept(8, 0), 10U) << "the same operation twice";
    EXPECT_EQ(kept(0, 100), 10U);
}

TEST(JobShapeAnswers, WorkersOfHalfOfTheStepsCount)
{
    const auto jobWith = [](int steps) {
        std::vector<SteppedOperation> rows;
        for (int step = 1; step <= 4; ++step) {
            addPair(rows, step, 0, 0);
            if (step <= steps)
                addPair(rows, step, 3, 0);
        }
        return jobFromOperations(rows, {}, {}).value();
    };
    EXPECT_EQ(std::pair(jobWith(2).replicas, jobWith(2).steps.size()), std::pair(2, std::size_t{2}));
    EXPECT_EQ(std::pair(jobWith(1).replicas, jobWith(1).steps.size()), std::pair(1, std::size_t{4}));
    EXPECT_EQ(jobWith(2).replicaNumbers, (std::vector{0, 3}));
    EXPECT_TRUE(mentions(jobWith(2).notes, "2 of 4 steps lack workers"));
    EXPECT_EQ(jobWith(2).steps[1].operations[3].replica, 1) << "numbered by its place";
}

TEST(JobShapeAnswers, SizesAreThoseStatedOrOneMoreThanTheLastNumbers)
{
    std::vector<SteppedOperation> rows;
    for (const int stage : {0, 1, 2})
        addPair(rows, 7, 0, stage, 10 - stage);
    addPair(rows, 7, 1, 2);
    rows[1].operation.chunk = 3;
    const TraceJob job = jobFromOperations(rows, {.chunks = 2}, {}).value();
    EXPECT_EQ(std::tuple(job.replicas, job.stages, job.chunks, job.replicasOfJob), std::tuple(1, 3, 4, 2));
    EXPECT_TRUE(mentions(job.notes, "1 of 2 replicas have all stages"));
    const TraceJob stated = jobFromOperations(rows, {.replicas = 5, .stages = 1, .chunks = 6}, {}).value();
    EXPECT_EQ(std::tuple(stated.replicas, stated.stages, stated.chunks, stated.replicasOfJob), std::tuple(1, 1, 6, 5));
    EXPECT_EQ(stated.steps[0].operations.size(), 2U) << "stages beyond those stated are not of the job";
    EXPECT_EQ(jobFromOperations(rows, {.replicas = 1}, {})->replicasOfJob, 2) << "two were seen";
    EXPECT_FALSE(jobFromOperations(rows, {.stages = 4}, {}).ok());
    // By replica, stage, start.
    EXPECT_EQ(job.steps[0].operations[0].start, 10);
    EXPECT_EQ(job.steps[0].operations[5].start, 9);
    EXPECT_DOUBLE_EQ(job.steps[0].begin(), 8);
    EXPECT_DOUBLE_EQ(job.steps[0].seconds(), 3.5);
    EXPECT_EQ(TraceStep{}.seconds(), 0);
    EXPECT_EQ(TraceStep{}.begin(), 0);
}

TEST(JobShapeAnswers, AStepHasAsManyForwardsAsBackwardsOnEveryWorker)
{
    std::vector<SteppedOperation> rows;
    for (const int step : {1, 2, 3, 4}) {
        addPair(rows, step, 0, 0);
        addPair(rows, step, 0, 1);
    }
    addPair(rows, 2, 0, 1, 5, 1);         // stage 1 has two micro-batches
    rows.erase(rows.begin() + 4 * 2 + 1); // step 3 lacks a backward of stage 0
    const TraceJob job = jobFromOperations(rows, {}, {}).value();
    std::vector<int> numbers;
    for (const TraceStep& step : job.steps)
        numbers.push_back(step.number);
    EXPECT_EQ(numbers, (std::vector{1, 4}));
    EXPECT_TRUE(mentions(job.notes, "2 of 4 steps lack"));
}

/// Rows of a table that can be used, after one whole step.
std::string notesOfRow(const std::string& row)
{
    const auto job = jobOfText("dp_rank,stage,step,optype,start_ts,duration,mc,seq_id\n0,0,1,forward-compute,0,1,0,0\n"
                               "0,0,1,backward-compute,1,1,0,0\n"
                                   + row + "\n",
                               {.stages = 1});
    std::string text;
    for (const Diagnostic& d : job.value().notes)
        text += d.message.find("cannot be read") != std::string::npos ? "unread" : "";
    return text;
}

TEST(StageTableAnswers, NumbersHaveLimits)
{
    EXPECT_EQ(notesOfRow("65535,65535,9,optimizer,1,1,65535,0"), "");
    EXPECT_EQ(notesOfRow("65536,0,9,optimizer,1,1,0,0"), "unread");
    EXPECT_EQ(notesOfRow("0,65536,9,optimizer,1,1,0,0"), "unread");
    EXPECT_EQ(notesOfRow("0,0,9,optimizer,1,1,65536,0"), "unread");
    EXPECT_EQ(notesOfRow("-1,0,9,optimizer,1,1,0,0"), "unread");
    EXPECT_EQ(notesOfRow("0,-1,9,optimizer,1,1,0,0"), "unread");
    EXPECT_EQ(notesOfRow("0,0,9,optimizer,1,1,-1,0"), "");
    EXPECT_EQ(notesOfRow("0,0,9,optimizer,1,1,-2,0"), "unread");
    EXPECT_EQ(notesOfRow("0,0,9,optimizer,9.9e9,9.9e9,0,0"), "");
    EXPECT_EQ(notesOfRow("0,0,9,optimizer,-9.9e9,1,0,0"), "");
    EXPECT_EQ(notesOfRow("0,0,9,optimizer,1e10,1,0,0"), "unread");
    EXPECT_EQ(notesOfRow("0,0,9,optimizer,-1.02e10,1,0,0"), "unread");
    EXPECT_EQ(notesOfRow("0,0,9,optimizer,1,1e10,0,0"), "unread");
    EXPECT_EQ(notesOfRow("0,0,9,optimizer,1,1.02e10,0,0"), "unread");
    EXPECT_EQ(notesOfRow("0,0,9,optimizer,1,1,0"), "unread") << "a cell is missing";
}

TEST(StageTableAnswers, UnitsDefaultsAndUnknownTypes)
{
    std::string text = "stage,dp_rank,step,optype,start_ts_ns,duration_us\n0,0,4,forward-compute,1500000000,250000\n"
                       "0,0,4,backward-compute,3000000000,500000\n";
    for (int k = 0; k < 60; ++k)
        text += "0,0,4,type" + std::to_string(k) + ",1,1\n";
    const TraceJob job = jobOfText(text).value();
    ASSERT_EQ(job.steps[0].operations.size(), 2U);
    const TraceOperation& o = job.steps[0].operations[0];
    EXPECT_DOUBLE_EQ(o.start, 1.5);
    EXPECT_DOUBLE_EQ(o.duration, 0.25);
    EXPECT_EQ(std::tuple(o.rank, o.sequence, o.chunk, o.microBatch), std::tuple(0, 0, -1, -1));
    std::size_t unknown = 0;
    for (const Diagnostic& d : job.notes)
        unknown += d.message.starts_with("1 of 62 rows are of an unknown type") ? 1U : 0U;
    EXPECT_EQ(unknown, 50U) << "as many types are named";
}

TEST(StageTableAnswers, StatedSizesHaveLimits)
{
    const auto lines = [](const std::string& size) {
        const TemporaryFile file("sizes.yaml", "dp_size: " + size + "\npp_size: 2\nvpp_size: 3\n");
        const auto meta = readStageTableMeta(file.path());
        return meta.ok() ? std::tuple(meta->replicas, meta->stages, meta->chunks) : std::tuple(-1, -1, -1);
    };
    EXPECT_EQ(lines("1"), std::tuple(1, 2, 3));
    EXPECT_EQ(lines("65536"), std::tuple(65'536, 2, 3));
    EXPECT_EQ(lines("0"), std::tuple(-1, -1, -1));
    EXPECT_EQ(lines("65537"), std::tuple(-1, -1, -1));
    const TemporaryFile file("sizes.json", R"({"dp_size": 65537, "pp_size": -4, "vpp_size": 2})");
    const StageTableMeta meta = readStageTableMeta(file.path()).value();
    EXPECT_EQ(std::tuple(meta.replicas, meta.stages, meta.chunks), std::tuple(65'536, 0, 2));
    for (const auto& [bytes, isOk] : {std::pair{std::size_t{1} << 20, true}, {(std::size_t{1} << 20) + 1, false}}) {
        const TemporaryFile large("large.yaml", "dp_size: 7\n" + std::string(bytes - 11, ' '));
        EXPECT_EQ(readStageTableMeta(large.path()).ok(), isOk);
    }
}

TEST(PipelineEventAnswers, RanksStepsAndTimesHaveLimits)
{
    const std::filesystem::path folder = std::filesystem::temp_directory_path() / ("prism-limits-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    const std::string whole = R"("fwd_start": [250], "fwd_end": [1000], "bwd_start": [1000, 7], "bwd_end": [1000, 8.5])";
    std::ofstream(folder / "config.json") << R"({"dp_size": 3, "pp_size": 2, "vp_size": 1})";
    for (const int rank : {0, 1, 2, 3})
        std::ofstream(folder / ("pp_rank_" + std::to_string(rank) + ".json"))
            << R"({"2000000000": {"fwd_start": [250, 1], "fwd_end": [1000, 2], "bwd_start": [1000, 7], "bwd_end": [1000, 8.5]}, )"
            << R"("2000000001": {)" << whole
            << R"(}, "-5": {"fwd_start": [0, 1e12], "fwd_end": [9.9e11, 1e12], "bwd_start": [-9.9e11, -1e12], )"
            << R"("bwd_end": [0, 0]}})";
    std::ofstream(folder / "pp_rank_65536.json") << "{}";
    std::ofstream(folder / "pp_rank_-1.json") << "{}";
    const auto job = readPipelineEvents(folder.string());
    std::filesystem::remove_all(folder);
    ASSERT_TRUE(job.ok());
    EXPECT_EQ(std::tuple(job->replicas, job->stages, job->replicasOfJob), std::tuple(2, 2, 3));
    ASSERT_EQ(job->steps.size(), 2U);
    EXPECT_EQ(job->steps[0].number, -5);
    EXPECT_EQ(job->steps[1].number, 2'000'000'000);
    const TraceOperation& last = job->steps[1].operations.back(); // of rank 3
    EXPECT_EQ(std::tuple(last.rank, last.replica, last.stage), std::tuple(3, 1, 1));
    EXPECT_DOUBLE_EQ(last.start, 1);
    EXPECT_EQ(last.duration, 0) << "it ends as it begins";
    EXPECT_EQ(last.sequence, 0);
    const TraceOperation& first = job->steps[1].operations.front();
    EXPECT_DOUBLE_EQ(first.start, 0.001);
    EXPECT_EQ(first.sequence, 1);
    EXPECT_DOUBLE_EQ(job->steps[1].operations[1].duration, 0.0015);
    EXPECT_DOUBLE_EQ(job->steps[0].seconds(), 1.98e9);
    // Of each rank: one step's number, and two events of the step -5.
    EXPECT_TRUE(mentions(job->notes, "12 events have no valid"));
}

struct StreamRead {
    std::vector<std::string> handed;
    EventStreamEnd end;
};

/// What is passed on where the user reads elements up to the first that holds "bad".
StreamRead streamOf(const std::string& text)
{
    const TemporaryFile file("stream.json", text);
    ByteSource source = std::move(ByteSource::open(file.path())).value();
    StreamRead read;
    read.end = readEventStream(source, [&](std::string_view array, std::size_t count) {
        const std::size_t bad = array.find("bad");
        if (bad == std::string_view::npos) {
            read.handed.emplace_back(array);
            return count;
        }
        return static_cast<std::size_t>(std::count(array.begin(), array.begin() + static_cast<std::ptrdiff_t>(bad), '}'));
    });
    return read;
}

TEST(EventStreamAnswers, QuotesBracesAndTheirSurroundings)
{
    StreamRead read = streamOf(R"({"a": 1, "traceEvents": [{"x":"\"}{"},{"y":"\\"},{"z":[{"q":"]"}]}], "b": 2})");
    EXPECT_EQ(read.handed, (std::vector<std::string>{R"([{"x":"\"}{"},{"y":"\\"},{"z":[{"q":"]"}]}])"}));
    EXPECT_EQ(read.end.header, R"({"a": 1, )");
    EXPECT_EQ(read.end.trailer, R"(, "b": 2})");
    EXPECT_EQ(std::tuple(read.end.broken, read.end.foundArray, read.end.closedArray), std::tuple(0U, true, true));
    read = streamOf("  \n\t[{\"x\":1}, {\"y\":2}");
    EXPECT_EQ(read.handed, (std::vector<std::string>{"[{\"x\":1}, {\"y\":2}]"}));
    EXPECT_EQ(std::tuple(read.end.broken, read.end.foundArray, read.end.closedArray), std::tuple(0U, true, false));
    read = streamOf(R"([{"x":1},{"bad":2},{"y":3},{"z":4}])");
    EXPECT_EQ(read.handed, (std::vector<std::string>{R"([{"y":3}])", R"([{"z":4}])"})) << "behind a broken one each goes alone";
    EXPECT_EQ(read.end.broken, 1U);
    EXPECT_TRUE(read.end.closedArray);
    read = streamOf(R"([{"bad":[{},{"x":1}]},{"y":2}])"); // the rest of a broken one is looked through for the next
    EXPECT_EQ(read.end.broken, 1U);
    EXPECT_EQ(read.handed, (std::vector<std::string>{R"([{"x":1}])"}));
    read = streamOf(R"([{"x":1},{"cut": 2)");
    EXPECT_EQ(read.end.broken, 1U);
    EXPECT_FALSE(streamOf(R"({"traceEvents": 7})").end.foundArray);
}

TEST(RegularJobAnswers, TheCommonestStructureAndItsSlots)
{
    const auto stepOf = [](bool hasOptimizer) {
        std::vector<TraceOperation> step;
        for (const int r : {0, 1}) {
            step.push_back(madeOperation(forwardCompute, 0, 1, 0, r, 1));
            step.push_back(madeOperation(forwardCompute, 1, 1, 0, r, 0));
            step.push_back(madeOperation(forwardCompute, 2, 1, 0, r, 1));
            step.push_back(madeOperation(backwardCompute, 3, 1, 0, r, 1));
            if (hasOptimizer)
                step.push_back(madeOperation(optimizer, 4, 1 + r, 0, r));
        }
        return step;
    };
    std::vector<TraceOperation> uneven = stepOf(true);
    uneven.pop_back();
    const TraceJob job = madeJob(2, 1, {stepOf(false), stepOf(true), uneven, stepOf(true), stepOf(false), stepOf(true)});
    const RegularJob regular = regularJob(job, {}).value();
    ASSERT_EQ(regular.steps.size(), 3U);
    EXPECT_EQ(regular.steps[2].step->number, 6);
    EXPECT_TRUE(mentions(regular.notes, "3 of 6 steps have other operations"));
    // Stage, type, how many of the type went before, chunk, how many of type and chunk went before.
    EXPECT_EQ(regular.slots, (std::vector<OperationSlot>{{0, forwardCompute, 0, 1, 0},
                                                         {0, forwardCompute, 1, 0, 0},
                                                         {0, forwardCompute, 2, 1, 1},
                                                         {0, backwardCompute, 0, 1, 0},
                                                         {0, optimizer, 0, 0, 0}}));
    EXPECT_EQ(regular.size(), 10U);
    EXPECT_EQ(regular.steps[0].seconds, (std::vector<double>{1, 1, 1, 1, 1, 1, 1, 1, 1, 2}));
    EXPECT_EQ(regular.steps[0].stepSeconds, 6);
}

TEST(ScheduleAnswers, ChunksAreNamedAndCountedEach)
{
    std::vector<TraceOperation> step;
    double at = 0;
    for (const int s : {0, 1})
        for (const auto& [type, chunk] : {std::pair{forwardCompute, 0},
                                          {forwardCompute, 1},
                                          {forwardCompute, 0},
                                          {backwardCompute, 1},
                                          {forwardCompute, 1},
                                          {backwardCompute, 0},
                                          {backwardCompute, 1},
                                          {backwardCompute, 0}})
            step.push_back(madeOperation(type, at++, 0.5, s, 0, chunk));
    TraceJob job = madeJob(1, 2, {step});
    job.chunks = 2;
    const RecoveredSchedule schedule = recoveredSchedule(job.steps[0], job);
    EXPECT_EQ(schedule.name, "interleaved");
    EXPECT_EQ(schedule.warmup, (std::vector{3, 3}));
    EXPECT_EQ(schedule.order[1], "F0.0 F0.1 F1.0 B0.1 F1.1 B0.0 B1.1 B1.0");
    job.chunks = 1; // four micro-batches of one chunk: stage 0 of two would start two
    EXPECT_EQ(recoveredSchedule(job.steps[0], job).name, "custom");
}

TEST(PoolHistogramAnswers, BinsOfUnevenValuesAndWhatAnExponentialExpects)
{
    // Quartiles 2.75 and 6.25 of eight values: width 3.5, a range of 9 in 2.57: three bins of 3.
    DurationPool pool{"p", {10, 1, 2, 3, 4, 5, 6, 7}, {}, {}};
    pool.fit.emplace();
    pool.fit->distribution = {Family::gamma, 1};
    pool.fit->mean = 4;
    const PoolHistogram h = poolHistogram(pool);
    EXPECT_DOUBLE_EQ(h.width, 3);
    ASSERT_EQ(h.shares.size(), 3U);
    EXPECT_DOUBLE_EQ(h.shares[0], 0.375);
    EXPECT_DOUBLE_EQ(h.shares[1], 0.375);
    EXPECT_DOUBLE_EQ(h.shares[2], 0.25);
    ASSERT_EQ(h.familyShares.size(), 3U);
    for (const std::size_t bin : {0U, 1U, 2U}) {
        const double from = (1 + 3.0 * static_cast<double>(bin)) / 4;
        EXPECT_NEAR(h.familyShares[bin], std::exp(-from) - std::exp(-from - 0.75), 1e-4) << bin;
    }
    // Twice as many bins as fit: the range over the width is 126.
    const PoolHistogram many = poolHistogram({"p", {1, 2, 3, 4, 5, 6, 7, 442}, {}, {}});
    EXPECT_EQ(many.shares.size(), 60U);
    EXPECT_DOUBLE_EQ(many.width, 441.0 / 60);
}

} // namespace
} // namespace prism
