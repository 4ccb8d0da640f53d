// SPDX-License-Identifier: GPL-3.0-or-later
// Long lines, progress and long elements of trace files; folders of pipeline events; collectives that repeat.
#include "core/trace/eventstream.h"
#include "core/trace/kinetoreport.h"
#include "core/trace/stagetable.h"
#include "core/trace/rankwindows.h"
#include "core/trace/tracelimits.h"
#include "tables.h"

#include <gtest/gtest.h>

namespace prism {
namespace {

TEST(LineSource, ALongLineIsCutOnceAndItsRestSkipped)
{
    const std::string longLine(3 * kMaxTraceLine, 'x'), fits(kMaxTraceLine, 'y');
    const TemporaryFile file("lines", "a\r\n" + longLine + "\nb\n" + fits + "\n\n" + longLine + "\nc");
    ByteSource bytes = std::move(ByteSource::open(file.path())).value();
    LineSource lines(bytes);
    std::vector<std::string> read;
    for (std::string_view line; lines.next(line);)
        read.emplace_back(line);
    ASSERT_EQ(read.size(), 7U);
    EXPECT_EQ(read[0], "a");
    EXPECT_GT(read[1].size(), kMaxTraceLine);
    EXPECT_EQ(read[2], "b");
    EXPECT_TRUE(read[3] == fits);
    EXPECT_EQ(read[4], "");
    EXPECT_EQ(read[6], "c");
    EXPECT_EQ(lines.cutLines(), 2U);
    EXPECT_EQ(bytes.end(), StreamEnd::complete);
}

/// Nine pieces of 1 MiB: after four and after eight.
TEST(ByteSource, ReportsProgressEveryFourMebibytes)
{
    const std::string content(std::size_t{9} << 20, 'x');
    const TemporaryFile file("progress", content);
    std::vector<std::pair<std::uint64_t, std::uint64_t>> reported;
    ByteSource bytes =
        std::move(ByteSource::open(file.path(), {.stop = {}, .progress = [&](auto done, auto all) { reported.emplace_back(done, all); }}))
            .value();
    std::string piece(std::size_t{1} << 20, ' ');
    std::size_t read = 0;
    while (const std::size_t got = bytes.read(piece))
        read += got;
    EXPECT_EQ(read, content.size());
    EXPECT_EQ(bytes.bytesRead(), content.size());
    ASSERT_EQ(reported.size(), 2U);
    EXPECT_EQ(reported[1].second, content.size());
    EXPECT_GE(reported[0].first, std::size_t{4} << 20);
    EXPECT_GE(reported[1].first, std::size_t{8} << 20);
}

/// An element whose end is not in a window of more than 4 MiB is skipped, and what follows its open quote.
TEST(EventStream, AnElementThatIsTooLongIsSkipped)
{
    const auto read = [](std::size_t bytes) {
        const TemporaryFile file("events", R"([{"a":1},{"b":")" + std::string(bytes, 'x') + R"("},{"c":2},{"d":3}])");
        ByteSource source = std::move(ByteSource::open(file.path())).value();
        std::string elements;
        const EventStreamEnd end = readEventStream(source, [&](std::string_view array, std::size_t count) {
            elements += array.size() < 100 ? std::string(array) : "long";
            return count;
        });
        EXPECT_TRUE(end.foundArray);
        return std::tuple(elements, end.broken, end.closedArray);
    };
    EXPECT_EQ(read(3 << 20), std::tuple(R"([{"a":1}]long)", 0U, true));
    EXPECT_EQ(read(12 << 20), std::tuple(R"([{"a":1}])", 1U, false));
}

/// Two ranks, 4 s of forward and 6 s of backward, in milliseconds: without config.json two stages of one replica.
TEST(PipelineEvents, RanksAreStagesUnlessTheJobStatesItsSizes)
{
    const std::filesystem::path folder = std::filesystem::temp_directory_path() / ("prism-stages-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    const auto read = [&](const char* config) {
        for (int rank = 0; rank < 4; ++rank) {
            const int at = 1000 * (rank % 2);
            std::ofstream(folder / ("pp_rank_" + std::to_string(rank) + ".json"))
                << R"({"7": {"fwd_start": [)" << at << R"(], "fwd_end": [)" << at + 1000 << R"(], "bwd_start": [)" << 8000 - at
                << R"(], "bwd_end": [)" << 9500 - at << "]}}";
        }
        std::filesystem::remove(folder / "config.json");
        if (*config != '\0')
            std::ofstream(folder / "config.json") << config;
        return readPipelineEvents(folder.string());
    };
    const auto sizes = [&](const char* config) {
        const auto job = read(config);
        return job.ok() ? std::pair(job->replicas, job->stages) : std::pair(-1, -1);
    };
    EXPECT_EQ(sizes(""), std::pair(1, 4));
    EXPECT_EQ(sizes(R"({"dp_size": 2, "pp_size": 2})"), std::pair(2, 2));
    EXPECT_EQ(sizes(R"({"dp_size": 2, "pp_size": 2, "vp_size": 1})"), std::pair(2, 2));
    EXPECT_EQ(sizes(R"({"dp_size": 2, "pp_size": 2, "vp_size": 2})"), std::pair(-1, -1)) << "no event names its chunk";
    const auto job = read(R"({"dp_size": 2, "pp_size": 2})");
    ASSERT_EQ(job->steps.size(), 1U);
    EXPECT_NEAR(job->steps[0].seconds(), 9.5, 1e-9);
    for (const TraceOperation& o : job->steps[0].operations)
        if (o.type == TraceOp::backwardCompute) {
            EXPECT_NEAR(o.duration, 1.5, 1e-12);
        }
    std::filesystem::remove_all(folder);
}

/// A A B A A B A A B, and two before it that were launched before the recording began: an A and a B, by their places in the period.
TEST(RepeatedCollectives, PlacesInAPeriodThatRepeatsInItself)
{
    const auto ranks = [](std::vector<std::uint32_t> names, std::size_t undescribed, int stream = 1) {
        KinetoRank rank;
        rank.names = {"a", "b"};
        for (std::size_t i = 0; i < names.size(); ++i) {
            KinetoKernel k{.start = 1.0 * static_cast<double>(i), .duration = 1, .name = names[i], .stream = stream, .isCollective = true};
            if (i >= undescribed) {
                k.collective = static_cast<std::int32_t>(rank.collectives.size());
                rank.collectives.push_back(
                    {.name = "allreduce", .group = std::to_string(names[i]), .groupSize = 2, .inElements = 1 + names[i]});
            }
            rank.kernels.push_back(k);
        }
        return rank;
    };
    KinetoRank rank = ranks({0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1}, 2);
    EXPECT_EQ(describeByRepetition(rank), 2U);
    EXPECT_EQ(rank.collectives[static_cast<std::size_t>(rank.kernels[0].collective)].group, "0");
    EXPECT_EQ(rank.collectives[static_cast<std::size_t>(rank.kernels[1].collective)].group, "1");
    KinetoRank other = ranks({1, 1, 0, 0, 1, 0, 0, 1}, 2); // B B before A A B: the first is not what the period has there
    EXPECT_EQ(describeByRepetition(other), 1U);
    EXPECT_EQ(other.kernels[0].collective, -1);
    KinetoRank once = ranks({0, 1, 0, 0, 1, 0, 0}, 2); // less than two periods
    EXPECT_EQ(describeByRepetition(once), 0U);
    KinetoRank whole = ranks({0, 0, 1, 0, 0, 1}, 0);
    EXPECT_EQ(describeByRepetition(whole), 0U);
}

TEST(KinetoReport, PoolsAreSecondsOfOneKernelAndOneLaunchShape)
{
    KinetoRank rank;
    rank.names = {"gemm"};
    rank.kernels = {{.start = 0, .duration = 20, .grid = 2, .block = 4}, {.start = 30, .duration = 40, .grid = 2, .block = 4}};
    const KinetoReport report = kinetoReport({rank});
    ASSERT_EQ(report.pools.size(), 1U);
    EXPECT_EQ(report.pools[0].seconds, std::vector<double>({1e-6 * 20, 1e-6 * 40}));
    EXPECT_TRUE(kinetoReport({}).notes.empty());
}

} // namespace
} // namespace prism
