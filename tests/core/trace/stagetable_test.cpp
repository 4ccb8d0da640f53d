// SPDX-License-Identifier: GPL-3.0-or-later
// Stage tables as they come: broken rows, repeated steps, missing workers, cut and hostile files.
#include "tables.h"

#include "core/stats/random.h"

#include <gtest/gtest.h>

namespace prism {
namespace {

/// Two replicas of two stages, one micro-batch.
std::string smallStep(int step, double begin = 0)
{
    std::string text;
    for (const int r : {0, 1}) {
        text += tableRow(r, 0, step, "forward-compute", begin, 1) + tableRow(r, 0, step, "forward-send", begin + 1, 0.5)
                + tableRow(r, 0, step, "backward-recv", begin + 1.5, 2) + tableRow(r, 0, step, "backward-compute", begin + 3.5, 1);
        text += tableRow(r, 1, step, "forward-recv", begin, 1.5) + tableRow(r, 1, step, "forward-compute", begin + 1.5, 1)
                + tableRow(r, 1, step, "backward-compute", begin + 2.5, 0.5) + tableRow(r, 1, step, "backward-send", begin + 3, 0.5);
    }
    return text;
}

TEST(StageTable, ReadsWorkersStepsAndOrder)
{
    const auto job = jobOfText(kTableHeader + smallStep(9, 100) + smallStep(3));
    ASSERT_TRUE(job.ok());
    EXPECT_TRUE(job->notes.empty());
    EXPECT_EQ(job->replicas, 2);
    EXPECT_EQ(job->stages, 2);
    ASSERT_EQ(job->steps.size(), 2U);
    EXPECT_EQ(job->steps[0].number, 3);
    EXPECT_DOUBLE_EQ(job->steps[1].seconds(), 4.5);
    EXPECT_EQ(job->steps[0].operations[0].type, TraceOp::forwardCompute);
}

/// The same table as other programs write it: columns in another order, only those that are needed, whole numbers as 3.0, quotes, tabs,
/// milliseconds, a byte-order mark and line ends of Windows.
TEST(StageTable, ReadsTheSameTableHoweverItIsWritten)
{
    const auto plain = jobOfText("stage,dp_rank,step,optype,start_ts,duration,seq_id\n"
                                 "0,0,3,forward-compute,1.5,0.25,0\n0,0,3,backward-compute,2,0.5,1\n");
    ASSERT_TRUE(plain.ok());
    ASSERT_EQ(plain->steps[0].operations.size(), 2U);
    const auto same = [&](const std::string& text) {
        const auto job = jobOfText(text);
        return job.ok() && job->notes.empty() && job->steps.size() == 1 && job->steps[0].operations == plain->steps[0].operations;
    };
    EXPECT_TRUE(same("\xEF\xBB\xBFseq_id,optype,duration,start_ts,step,stage,dp_rank\r\n"
                     "0.0,forward-compute,0.25,1.5,3,0,0\r\n1.0,backward-compute,0.5,2,3,0,0.0\r\n"));
    EXPECT_TRUE(same("stage\tdp_rank\tstep\toptype\tstart_ts_ms\tduration (ms)\tseq_id\n"
                     "0\t0\t3\tforward-compute\t1500\t250\t0\n0\t0\t3\tbackward-compute\t2000\t500\t1\n"));
    EXPECT_TRUE(same("\"stage\",\"dp_rank\",\"step\",\"optype\",\"start_ts\",\"duration_us\",\"seq_id\"\n"
                     "\"0\",\"0\",\"3\",\"forward-compute\",\"1.5\",\"250000\",\"0\"\n0,0,3,backward-compute,2,500000,1\n"));
    const auto half = jobOfText("stage,dp_rank,step,optype,start_ts,duration,seq_id\n0,0.5,3,forward-compute,1.5,0.25,0\n"
                                "0,0,3,forward-compute,1.5,0.25,0\n0,0,3,backward-compute,2,0.5,1\n");
    ASSERT_TRUE(half.ok());
    EXPECT_TRUE(mentions(half->notes, "1 of 3 rows cannot be read"));
}

/// Three micro-batches of a worker without seq_id, out of order and one of them twice: numbered by their start, none is lost.
TEST(StageTable, OperationsWithoutANumberAreNumberedByTheirStart)
{
    std::string text = "dp_rank,stage,step,optype,start_ts,duration\n";
    for (const char* start : {"2", "1", "3", "2"})
        text += "0,0,3,forward-compute," + std::string(start) + ",0.5\n";
    for (const char* start : {"6", "4", "5"})
        text += "0,0,3,backward-compute," + std::string(start) + ",0.5\n";
    const auto job = jobOfText(text);
    ASSERT_TRUE(job.ok());
    ASSERT_EQ(job->steps[0].operations.size(), 6U);
    std::vector<double> starts(3);
    for (const TraceOperation& o : job->steps[0].operations)
        if (o.type == TraceOp::forwardCompute)
            starts.at(static_cast<std::size_t>(o.sequence)) = o.start;
    EXPECT_EQ(starts, (std::vector<double>{1, 2, 3}));
    EXPECT_TRUE(mentions(job->notes, "has no seq_id"));
}

TEST(StageTable, AnArchiveIsNamed)
{
    const auto job = jobOfText("PK\x03\x04 and what follows");
    ASSERT_FALSE(job.ok());
    EXPECT_EQ(job.errors()[0].message, "the file is packed as zip");
}

TEST(StageTable, WhatCannotBeUsedIsCounted)
{
    const std::string bad = "1,2,three\n" + tableRow(0, 0, 3, "forward-compute", 0, -1, 5) + tableRow(0, 0, 3, "teatime", 0, 1)
                            + "0,0,0,3,forward-compute,0,nan,7,0,0,0\n";
    const auto job = jobOfText(kTableHeader + smallStep(3) + bad);
    ASSERT_TRUE(job.ok());
    EXPECT_EQ(job->steps[0].operations.size(), 16U);
    EXPECT_TRUE(mentions(job->notes, "2 of 20 rows cannot be read"));
    EXPECT_TRUE(mentions(job->notes, "1 of 20 rows have a negative duration"));
    EXPECT_TRUE(mentions(job->notes, "1 of 20 rows are of an unknown type"));
}

TEST(StageTable, RepeatedStepCountsOnce)
{
    const auto once = jobOfText(kTableHeader + smallStep(3));
    const auto twice = jobOfText(kTableHeader + smallStep(3) + smallStep(3));
    const auto restarted = jobOfText(kTableHeader + smallStep(3) + smallStep(3, 50));
    ASSERT_TRUE(twice.ok() && restarted.ok());
    EXPECT_EQ(twice->steps[0].operations, once->steps[0].operations);
    EXPECT_EQ(restarted->steps[0].operations, once->steps[0].operations);
    EXPECT_TRUE(mentions(twice->notes, "16 operations occur twice"));
}

TEST(StageTable, MissingRanksAndStepsAreOmittedAndReported)
{
    // Step 4 lacks replica 1; replica 2 has its first stage alone.
    std::string text = kTableHeader + smallStep(3) + smallStep(5);
    for (const int step : {3, 5})
        text += tableRow(2, 0, step, "forward-compute", 0, 1);
    text += tableRow(0, 0, 4, "forward-compute", 0, 1);
    const auto job = jobOfText(text, {.name = "t", .replicas = 3, .stages = 2, .chunks = 1});
    ASSERT_TRUE(job.ok());
    EXPECT_EQ(job->replicas, 2);
    EXPECT_EQ(job->steps.size(), 2U);
    EXPECT_TRUE(mentions(job->notes, "2 of 3 replicas have all stages"));
    EXPECT_TRUE(mentions(job->notes, "1 of 3 steps lack workers"));
}

TEST(StageTable, OneRankPerStageRepresentsAReplica)
{
    std::string text = kTableHeader;
    text += tableRow(4, 0, 1, "forward-compute", 0, 1) + tableRow(4, 0, 1, "backward-compute", 3, 1);
    text += tableRow(6, 1, 1, "forward-compute", 1, 1) + tableRow(6, 1, 1, "backward-compute", 2, 1);
    const auto job = jobOfText(text);
    ASSERT_TRUE(job.ok());
    EXPECT_EQ(job->replicas, 1);
    EXPECT_TRUE(mentions(job->notes, "workers of several replicas represent one"));
}

TEST(StageTable, CutFileGivesItsWholeSteps)
{
    std::string text = kTableHeader;
    for (int step = 0; step < 400; ++step)
        text += smallStep(step);
    const TemporaryFile whole("whole.csv.gz", text, true);
    std::ifstream in(whole.path(), std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    const TemporaryFile cut("cut.csv.gz", bytes.substr(0, bytes.size() / 2));
    const auto job = readStageTable(cut.path());
    ASSERT_TRUE(job.ok());
    EXPECT_GT(job->steps.size(), 50U);
    EXPECT_LT(job->steps.size(), 400U);
    EXPECT_TRUE(mentions(job->notes, "ends in the middle"));
    EXPECT_TRUE(mentions(job->notes, "lack workers"));
}

TEST(StageTable, BombIsNotUnpacked)
{
    const TemporaryFile bomb("bomb.csv.gz", kTableHeader + std::string(std::size_t{80} << 20, '\n'), true);
    auto source = ByteSource::open(bomb.path());
    ASSERT_TRUE(source.ok());
    std::vector<char> piece(1 << 20);
    std::uint64_t total = 0;
    while (const std::size_t got = source.value().read(piece))
        total += got;
    EXPECT_EQ(source.value().end(), StreamEnd::bomb);
    EXPECT_LT(total, std::uint64_t{70} << 20);
}

TEST(StageTable, CancelEndsTheRead)
{
    const TemporaryFile file("cancel.csv", kTableHeader + smallStep(1));
    std::stop_source stop;
    stop.request_stop();
    const auto job = readStageTable(file.path(), {}, {stop.get_token(), {}});
    EXPECT_FALSE(job.ok());
}

TEST(StageTable, ErrorsNameThePlace)
{
    const auto noColumn = jobOfText("dp_rank,stage,step,optype,start_ts\n");
    ASSERT_FALSE(noColumn.ok());
    EXPECT_EQ(noColumn.errors()[0].accepted, "duration");
    EXPECT_FALSE(jobOfText("").ok());
    EXPECT_FALSE(jobOfText(kTableHeader).ok());
    EXPECT_FALSE(readStageTable("/no/such/file.csv").ok());
    EXPECT_FALSE(readStageTable(std::filesystem::temp_directory_path().string()).ok());
}

TEST(StageTable, MutatedTablesNeverCrash)
{
    const std::string text = kTableHeader + smallStep(3) + smallStep(4);
    const std::string junk = ",\n-\0e9\"x";
    for (std::uint64_t round = 0; round < 2000; ++round) {
        std::string mutated = text;
        const auto draw = [&](std::uint64_t k, std::size_t n) {
            return static_cast<std::size_t>(uniform(7, stream(0x7ab1e, round), k) * static_cast<double>(n));
        };
        for (std::uint64_t k = 0; k < 1 + draw(99, 4); ++k) {
            const std::size_t at = draw(3 * k, mutated.size());
            switch (draw(3 * k + 1, 3)) {
            case 0:
                mutated[at] = junk[draw(3 * k + 2, junk.size())];
                break;
            case 1:
                mutated.erase(at, draw(3 * k + 2, 200));
                break;
            default:
                mutated.insert(at, mutated.substr(draw(3 * k + 2, mutated.size()), 60));
                break;
            }
            if (mutated.empty())
                break;
        }
        const auto job = jobOfText(mutated);
        if (job.ok()) {
            EXPECT_GT(job->workers(), 0);
            for (const TraceStep& step : job->steps)
                EXPECT_GE(step.seconds(), 0);
        }
    }
}

TEST(StageTableMeta, LinesAndJson)
{
    const TemporaryFile lines("meta.yaml", "trial_name: SE\ndp_size: 32\npp_size: 2\nvpp_size: 1\nother: x\n");
    const auto a = readStageTableMeta(lines.path());
    ASSERT_TRUE(a.ok());
    EXPECT_EQ(a->replicas, 32);
    EXPECT_EQ(a->name, "SE");
    const TemporaryFile json("meta.json", R"({"job_meta": {"dp_size": 4, "pp_size": 3}})");
    const auto b = readStageTableMeta(json.path());
    ASSERT_TRUE(b.ok());
    EXPECT_EQ(b->stages, 3);
    const TemporaryFile bad("bad.yaml", "dp_size: many\npp_size: -1\n");
    const auto c = readStageTableMeta(bad.path());
    ASSERT_FALSE(c.ok());
    EXPECT_EQ(c.errors().size(), 2U);
}

} // namespace
} // namespace prism
