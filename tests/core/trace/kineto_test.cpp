// SPDX-License-Identifier: GPL-3.0-or-later
// Profiler traces: every generation of collective kernels, several ranks, cut and broken files; report and export.
#include "core/trace/chrometrace.h"
#include "core/trace/kinetoreport.h"
#include "core/trace/rankwindows.h"
#include "core/trace/schedulename.h"
#include "core/trace/tracelimits.h"
#include "tables.h"

#include "core/stats/random.h"
#include "datafolder.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace prism {
namespace {

std::string kernelEvent(const std::string& name, double start, double duration, int stream = 7, const std::string& more = "")
{
    std::ostringstream text;
    text.precision(17);
    text << R"({"ph": "X", "cat": "kernel", "name": ")" << name << R"(", "pid": 0, "tid": )" << stream << R"(, "ts": )" << start
         << R"(, "dur": )" << duration << R"(, "args": {"device": 0, "stream": )" << stream << more << "}}";
    return text.str();
}

std::string traceOf(const std::string& events, int rank = 0, int world = 1)
{
    return R"({"schemaVersion": 1, "distributedInfo": {"rank": )" + std::to_string(rank) + R"(, "world_size": )" + std::to_string(world)
           + "},\n \"traceEvents\": [\n" + events + "\n], \"traceName\": \"t\"}";
}

Result<std::vector<KinetoRank>> ranksOfText(const std::string& text)
{
    const TemporaryFile file("kineto.json", text);
    return readKineto(file.path());
}

TEST(Kineto, ReadsKernelsStepsLaunchesAndCollectives)
{
    const std::string described =
        R"(, "correlation": 5, "External id": 9, "Collective name": "allreduce", "In msg nelems": 100, "Out msg nelems": 100,
        "Group size": 2, "dtype": "Float", "Process Group Name": "0", "Process Group Ranks": "[0, 1]")";
    const auto ranks = ranksOfText(traceOf(
        R"({"ph": "M", "name": "process_name", "pid": 0, "args": {"name": "odd \"}, {\" text"}}, )"
        R"({"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#4", "pid": 1, "tid": 1, "ts": 0, "dur": 100}, )"
        R"({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 3.5, "dur": 1, "args": {"correlation": 5}}, )"
            + kernelEvent("ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)", 20, 5, 9, described) + ", "
            + kernelEvent("gemm", 10.25, 4.5),
        1, 2));
    ASSERT_TRUE(ranks.ok());
    const KinetoRank& rank = ranks->front();
    EXPECT_EQ(rank.rank, 1);
    EXPECT_EQ(rank.worldSize, 2);
    EXPECT_EQ(rank.events, 5U);
    ASSERT_EQ(rank.kernels.size(), 2U);
    EXPECT_EQ(rank.names[rank.kernels[0].name], "gemm");
    EXPECT_EQ(rank.kernels[0].start, 10.25);
    EXPECT_TRUE(rank.kernels[1].isCollective);
    EXPECT_EQ(rank.kernels[1].launch, 3.5);
    ASSERT_GE(rank.kernels[1].collective, 0);
    EXPECT_EQ(rank.collectives[0].groupSize, 2);
    ASSERT_EQ(rank.steps.size(), 1U);
    EXPECT_TRUE(rank.notes.empty());
}

TEST(Kineto, HasTheNamesOfAllGenerations)
{
    for (const char* name :
         {"ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)", "ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclDevComm*)",
          "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(ncclDevComm*)", "ncclDevKernel_Generic(ncclDevKernelArgsStorage<4096ul>)",
          "ncclDevKernel_Generic_1(ncclDevComm*)", "ncclKern_AllGather", "rcclGenericKernel<1, false>",
          "ncclDevKernelDebug_Generic(ncclDevKernelArgsStorage<4096ul>)", "void ncclSymkDevKernel_AllGather_LL(ncclSymkDevWorkArgs const*)",
          "mscclKernel_Sum_half_Simple_false(ncclDevComm*, mscclAlgo*, mscclWork*)"})
        EXPECT_TRUE(isCollectiveKernel(name)) << name;
    EXPECT_FALSE(isCollectiveKernel("ampere_bf16_s16816gemm"));
}

/// Times as text, names before categories, runtime calls of other vendors.
TEST(Kineto, ReleasesWriteTheSameThingsDifferently)
{
    const auto ranks = ranksOfText(traceOf(
        R"({"ph": "X", "name": "hipExtModuleLaunchKernel", "cat": "hip_runtime", "ts": "8.5", "dur": "1", "args": {"correlation": "3"}}, )"
        R"({"name": "gemm", "ph": "X", "ts": "1700000000000010.25", "dur": "4.5", "cat": "Kernel", "pid": 0, "tid": "stream 7",
           "args": {"correlation": 3, "stream": 7, "device": 0}}, )"
        R"({"name": "fill", "ph": "X", "ts": 11, "dur": null, "cat": "kernel", "args": {"stream": 7, "device": 0}})"));
    ASSERT_TRUE(ranks.ok());
    const KinetoRank& rank = ranks->front();
    ASSERT_EQ(rank.kernels.size(), 1U);
    EXPECT_EQ(rank.kernels[0].start, 1700000000000010.25);
    EXPECT_EQ(rank.kernels[0].duration, 4.5);
    EXPECT_EQ(rank.kernels[0].launch, 8.5);
    EXPECT_TRUE(mentions(rank.notes, "1 GPU activities have no valid time"));
    EXPECT_FALSE(mentions(rank.notes, "events are broken"));
}

TEST(Kineto, RanksMergedIntoOneFileAreDistinguishedByTheirProcess)
{
    std::string events;
    for (const int process : {0, 1, 2})
        for (int k = 0; k < 4; ++k) {
            std::string event = kernelEvent(k % 2 == 0 ? "ncclDevKernel_AllReduce_Sum_f32_RING_LL" : "gemm", 100 * k + process, 50);
            event.replace(event.find(R"("pid": 0)"), 8, R"("pid": )" + std::to_string(process)); // each had device 0
            events += (events.empty() ? "" : ", ") + event;
        }
    const auto ranks = ranksOfText(traceOf(events));
    ASSERT_TRUE(ranks.ok());
    ASSERT_EQ(ranks->size(), 3U);
    for (int r = 0; r < 3; ++r) {
        EXPECT_EQ((*ranks)[static_cast<std::size_t>(r)].rank, r);
        EXPECT_EQ((*ranks)[static_cast<std::size_t>(r)].kernels.size(), 4U);
    }
    EXPECT_EQ(kinetoReport(*ranks).matchedKernels, 6U);
}

TEST(Kineto, BrokenEventsInTheMiddleAreSkippedAndCounted)
{
    std::string events = kernelEvent("a", 1, 1);
    events +=
        ", " + kernelEvent("b", 2, -1) + ", {\"ph\": \"X\", \"cat\": \"kernel\", \"name\": oops, \"ts\": 3}, " + kernelEvent("c", 4, 1);
    events += ", {\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"no end, \"ts\": 5, \"dur\": 1}, " + kernelEvent("d", 6, 1) + ", "
              + kernelEvent("e", 7, 1);
    const auto ranks = ranksOfText(traceOf(events));
    ASSERT_TRUE(ranks.ok());
    EXPECT_GE(ranks->front().kernels.size(), 3U); // a, c, e for certain; d where the lost quote lets it
    EXPECT_EQ(ranks->front().names[ranks->front().kernels.back().name], "e");
    EXPECT_TRUE(mentions(ranks->front().notes, "events are broken"));
    EXPECT_TRUE(mentions(ranks->front().notes, "1 GPU activities have no valid time"));
}

TEST(Kineto, CutFilesGiveWhatCameBefore)
{
    std::string events;
    for (int k = 0; k < 3000; ++k)
        events += (k == 0 ? "" : ",\n") + kernelEvent("kernel" + std::to_string(k % 7), k, 0.5);
    const std::string text = traceOf(events);
    const auto whole = ranksOfText(text), cut = ranksOfText(text.substr(0, text.size() / 2));
    ASSERT_TRUE(whole.ok() && cut.ok());
    EXPECT_EQ(whole->front().kernels.size(), 3000U);
    EXPECT_GT(cut->front().kernels.size(), 1000U);
    EXPECT_TRUE(mentions(cut->front().notes, "has no end"));
    EXPECT_FALSE(ranksOfText("{\"other\": 1}").ok());
    EXPECT_FALSE(ranksOfText("").ok());
    EXPECT_FALSE(ranksOfText(traceOf("")).ok());
}

TEST(Kineto, CutPackedFilesGiveWhatCameBeforeAndBombsAreNotUnpacked)
{
    std::string events;
    for (int k = 0; k < 20'000; ++k)
        events += (k == 0 ? "" : ",\n") + kernelEvent("kernel" + std::to_string(k * 7919 % 100'003), k, 0.5);
    const TemporaryFile packed("packed.json.gz", traceOf(events), true);
    std::ifstream in(packed.path(), std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    const TemporaryFile cut("cut.json.gz", bytes.substr(0, bytes.size() * 2 / 3));
    const auto ranks = readKineto(cut.path());
    ASSERT_TRUE(ranks.ok());
    EXPECT_GT(ranks->front().kernels.size(), 10'000U);
    EXPECT_LT(ranks->front().kernels.size(), 20'000U);
    EXPECT_TRUE(mentions(ranks->front().notes, "ends in the middle"));

    std::string bomb = traceOf(kernelEvent("a", 1, 1) + ", " + kernelEvent("b", 2, 1));
    bomb.insert(bomb.rfind("\n]"), std::string(std::size_t{68} << 20, ' '));
    const TemporaryFile tiny("bomb.json.gz", bomb, true);
    const auto blown = readKineto(tiny.path());
    ASSERT_TRUE(blown.ok());
    EXPECT_EQ(blown->front().kernels.size(), 2U);
    EXPECT_TRUE(mentions(blown->front().notes, "grows beyond 300 times"));
}

TEST(Kineto, AnArchiveOfTracesIsNamed)
{
    std::string header(512, '\0');
    header.replace(0, 9, "rank0.json").replace(257, 5, "ustar");
    for (const bool packed : {false, true}) {
        const TemporaryFile archive(packed ? "traces.tar.gz" : "traces.tar", header + traceOf(kernelEvent("a", 1, 1)), packed);
        const auto ranks = readKineto(archive.path());
        ASSERT_FALSE(ranks.ok());
        EXPECT_NE(ranks.errors()[0].message.find("tar"), std::string::npos);
    }
}

TEST(Kineto, MoreFilesThanTheLimitAreRefusedNotCut)
{
    namespace fs = std::filesystem;
    const TemporaryFile place("many", "");
    const fs::path folder = place.path() + ".folder";
    fs::create_directories(folder / "one");
    constexpr std::size_t kFiles = 256;
    for (std::size_t i = 0; i < kFiles; ++i)
        std::ofstream(folder / ("r" + std::to_string(i) + ".json"));
    const std::vector<std::string> often(kMaxTraceFiles / kFiles, folder.string());
    EXPECT_EQ(kinetoFiles(often)->size(), kMaxTraceFiles);
    std::ofstream(folder / "one" / "more.json");
    EXPECT_FALSE(kinetoFiles(often).ok());
    fs::remove_all(folder);
}

TEST(Kineto, MutatedTracesNeverCrash)
{
    const std::string text =
        traceOf(kernelEvent("a", 1, 1) + ", " + kernelEvent("ncclKernel_AllReduce", 2, 1) + ", " + kernelEvent("b", 3, 1));
    const std::string junk = "{}[]\",:\\0";
    for (std::uint64_t round = 0; round < 1500; ++round) {
        std::string mutated = text;
        const auto draw = [&](std::uint64_t k, std::size_t n) {
            return std::min(n - 1, static_cast<std::size_t>(uniform(11, stream(0x4b1e, round), k) * static_cast<double>(n)));
        };
        for (std::uint64_t k = 0; k < 1 + draw(99, 4) && !mutated.empty(); ++k) {
            const std::size_t at = draw(3 * k, mutated.size());
            if (draw(3 * k + 1, 2) == 0)
                mutated[at] = junk[draw(3 * k + 2, junk.size())];
            else
                mutated.erase(at, draw(3 * k + 2, 120));
        }
        const auto ranks = ranksOfText(mutated);
        if (ranks.ok()) {
            EXPECT_FALSE(kinetoReport(*ranks).ranks.empty());
        }
    }
}

/// A stream of collectives, three a step; the first `undescribed` were launched before the recording began.
std::vector<KinetoRank> repeatingRank(int steps, int undescribed, bool regular)
{
    std::string events;
    for (int k = 0; k < 3 * steps; ++k) {
        const std::string arguments = R"(, "Collective name": ")" + std::string(k % 3 == 0 ? "broadcast" : "allreduce")
                                      + R"(", "In msg nelems": )" + std::to_string(regular ? 100 * (k % 3 + 1) : 100 + k * k)
                                      + R"(, "Group size": 8, "dtype": "Float", "Process Group Name": "0")";
        events += (k == 0 ? "" : ", ")
                  + kernelEvent("ncclDevKernel_Generic(ncclDevKernelArgsStorage<4096ul>)", 10 * k, 5, 4, k < undescribed ? "" : arguments);
    }
    return ranksOfText(traceOf(events, 0, 8)).value();
}

TEST(Kineto, CollectivesLaunchedBeforeTheRecordingAreNamedByRepetition)
{
    const std::vector<KinetoRank> ranks = repeatingRank(5, 5, true);
    const KinetoReport report = kinetoReport(ranks);
    EXPECT_EQ(report.matchedKernels, 15U);
    EXPECT_TRUE(report.unmatched.empty());
    ASSERT_EQ(report.groups.size(), 3U);
    for (const CollectiveGroup& g : report.groups)
        EXPECT_EQ(g.calls, 5);
    EXPECT_TRUE(mentions(ranks.front().notes, "5 collectives were launched before the recording began"));
    EXPECT_EQ(kinetoReport(repeatingRank(5, 5, false)).unmatched.size(), 5U); // sizes that never come again name nothing
    EXPECT_EQ(kinetoReport(repeatingRank(2, 5, true)).unmatched.size(), 5U);  // one call does not make a period
}

TEST(KinetoReport, RecordingsThatBeginAtOtherCallsAreMatchedByTheirEnds)
{
    std::vector<KinetoRank> ranks;
    for (const int r : {0, 1}) {
        KinetoRank rank{.rank = r, .worldSize = 2, .names = {"ncclDevKernel_AllReduce"}};
        rank.collectives.push_back(
            {.name = "allreduce", .group = "0", .ranks = "[0, 1]", .dtype = "Float", .groupSize = 2, .inElements = 10});
        for (int k = r == 0 ? 0 : 3; k < 40; ++k) { // the second recording began three calls later, on a clock 5 s ahead
            const double end = 1000.0 * k + 300 * uniform(3, stream(9), static_cast<std::uint64_t>(k));
            rank.kernels.push_back({.start = end - 50 + 5e6 * r, .duration = 50, .collective = 0, .isCollective = true});
        }
        ranks.push_back(std::move(rank));
    }
    const KinetoReport report = kinetoReport(ranks);
    ASSERT_EQ(report.groups.size(), 1U);
    EXPECT_EQ(report.groups[0].matched, 74);
    EXPECT_EQ(report.collectiveKernels, 77U);
    EXPECT_NEAR(report.groups[0].transferSeconds, 50e-6, 1e-9);
    EXPECT_NEAR(report.ranks[1].clockOffsetSeconds - report.ranks[0].clockOffsetSeconds, 5, 1e-6);
}

/// A pipeline of two ranks: rank 0 sends to rank 1 what that one waits for, which sends something smaller back.
std::vector<KinetoRank> sendingRanks(bool namesPeers)
{
    std::vector<KinetoRank> ranks;
    for (const int r : {0, 1}) {
        std::string events;
        for (int k = 0; k < 10; ++k)
            for (const int from : {0, 1}) {
                const bool sends = from == r;
                const std::string peer =
                    namesPeers ? std::string(R"(, ")") + (sends ? "Dst" : "Src") + R"( Rank": )" + std::to_string(1 - r) : "";
                const double end = 1000 * k + 500 * from + 60, start = end - (sends ? 40 : 200); // the receiver is there early
                events += (events.empty() ? "" : ", ")
                          + kernelEvent("ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)", start + 300, end - start, 9,
                                        R"(, "Collective name": ")" + std::string(sends ? "send" : "recv") + R"(", "dtype": "BFloat16", )"
                                            + (sends ? R"("In msg nelems")" : R"("Out msg nelems")") + ": " + (from == 0 ? "1000" : "10")
                                            + R"(, "Group size": 2, "Process Group Name": "5", "Process Group Ranks": "[0, 1]")" + peer);
            }
        ranks.push_back(ranksOfText(traceOf(events, r, 2)).value().front());
    }
    return ranks;
}

TEST(KinetoReport, ASendAndItsReceiveAreOneCall)
{
    for (const bool namesPeers : {true, false}) {
        const KinetoReport report = kinetoReport(sendingRanks(namesPeers));
        ASSERT_EQ(report.groups.size(), 2U);
        EXPECT_EQ(report.matchedKernels, 40U);
        EXPECT_EQ(report.groups[0].name, "5 [0, 1], 0 -> 1");
        EXPECT_EQ(report.groups[0].operation, "send");
        EXPECT_EQ(report.groups[0].bytes, 2000);
        EXPECT_EQ(report.groups[1].name, "5 [0, 1], 1 -> 0");
        EXPECT_EQ(report.groups[1].bytes, 20);
        for (const CollectiveGroup& g : report.groups) {
            EXPECT_EQ(g.split, "from the last arriver");
            EXPECT_NEAR(g.transferSeconds, 40e-6, 1e-9); // not the 200 us that the receiver waited
        }
    }
    // One end alone, and ends that no file names, stay what they are.
    const KinetoReport one = kinetoReport({sendingRanks(true).front()});
    EXPECT_EQ(one.groups[0].ranksSeen, 1);
    std::vector<KinetoRank> unnamed = sendingRanks(true);
    for (KinetoRank& rank : unnamed)
        rank.isNamed = false;
    EXPECT_EQ(kinetoReport(unnamed).groups.size(), 4U);
}

/// Two recordings of each of two ranks, one hour later; in the second one rank 1's began a call later. Files in the order of their names.
std::vector<KinetoRank> twoRecordings()
{
    std::vector<KinetoRank> ranks;
    for (const int r : {0, 1})
        for (const int window : {0, 1}) {
            std::string events = R"({"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#)" + std::to_string(3 + 50 * window)
                                 + R"(", "pid": 1, "tid": 1, "ts": )" + std::to_string(window * 3'600'000'000LL) + R"(, "dur": 9000})";
            for (int k = window * r; k < 12; ++k) {
                const double end = 3.6e9 * window + 1000.0 * k + 70 * ((k * k) % 7) + 2e6 * r; // clocks differ by 2 s
                events += ", " + kernelEvent("ncclDevKernel_AllReduce_Sum_f32_RING_LL", end - 50, 50);
                events += ", " + kernelEvent("gemm" + std::to_string(window), end, 10);
            }
            ranks.push_back(ranksOfText(traceOf(events, r, 2)).value().front());
        }
    return ranks;
}

TEST(RankWindows, RecordingsOfOneRankAreOneRank)
{
    const std::vector<KinetoRank> ranks = joinedWindows(twoRecordings());
    ASSERT_EQ(ranks.size(), 2U);
    ASSERT_EQ(ranks[0].windows.size(), 2U);
    EXPECT_EQ(ranks[0].windows[1].first, 24U);
    EXPECT_EQ(ranks[0].windows[1].step, "ProfilerStep#53");
    EXPECT_EQ(ranks[0].steps.size(), 2U);
    EXPECT_EQ(ranks[0].names[ranks[0].kernels.back().name], "gemm1");
    const KinetoReport report = kinetoReport(ranks);
    EXPECT_EQ(report.collectiveKernels, 47U);
    EXPECT_EQ(report.matchedKernels, 46U); // all but rank 0's first of the second recording
    ASSERT_EQ(report.groups.size(), 1U);
    EXPECT_NEAR(report.groups[0].transferSeconds, 50e-6, 1e-9);
    EXPECT_NEAR(report.ranks[1].clockOffsetSeconds - report.ranks[0].clockOffsetSeconds, 2, 1e-6);
    EXPECT_LT(report.ranks[0].spanSeconds, 0.03); // the hour between the recordings belongs to neither
    EXPECT_LT(report.ranks[0].longestHostGapSeconds, 0.01);
}

TEST(RankWindows, ARecordingThatIsThereTwiceCountsOnceAndOthersStaySeparate)
{
    std::vector<KinetoRank> twice = twoRecordings();
    twice.push_back(twice[0]);
    const std::vector<KinetoRank> once = joinedWindows(std::move(twice));
    ASSERT_EQ(once.size(), 2U);
    EXPECT_EQ(once[0].kernels.size(), 48U);
    EXPECT_TRUE(mentions(once[0].notes, "is there twice"));
    // The same time, other kernels: two jobs in one folder, or a rank number that is wrong.
    std::vector<KinetoRank> other = twoRecordings();
    for (KinetoKernel& k : other[2].kernels)
        k.start -= 2e6 - 1;
    other[2].rank = 0;
    const std::vector<KinetoRank> separate = joinedWindows(std::move(other));
    ASSERT_EQ(separate.size(), 3U);
    EXPECT_TRUE(mentions(separate[1].notes, "of the same time") || mentions(separate[0].notes, "of the same time"));
    // Nothing names the rank of a file.
    std::vector<KinetoRank> unnamed = twoRecordings();
    for (KinetoRank& rank : unnamed)
        rank.isNamed = false;
    EXPECT_EQ(joinedWindows(std::move(unnamed)).size(), 4U);
}

/// Two ranks whose clocks differ by 1 s; rank 1 arrives late at every second call.
std::vector<KinetoRank> twoRanks()
{
    std::vector<KinetoRank> ranks;
    for (const int r : {0, 1}) {
        std::string events;
        for (int k = 0; k < 10; ++k) {
            const double late = k % 2 == 0 ? 0 : 300, arrival = 1000.0 * k + (r == 1 ? late : 0), end = 1000.0 * k + late + 50,
                         skew = 1e6 * r;
            events += (k == 0 ? "" : ", ") + kernelEvent("ncclDevKernel_AllReduce_Sum_f32_RING_LL", skew + arrival, end - arrival);
        }
        ranks.push_back(ranksOfText(traceOf(events, r, 2)).value().front());
    }
    return ranks;
}

TEST(KinetoReport, TransferCountsFromTheLastArriverAcrossClocks)
{
    const KinetoReport report = kinetoReport(twoRanks());
    EXPECT_EQ(report.collectiveKernels, 20U);
    EXPECT_EQ(report.matchedKernels, 20U);
    ASSERT_EQ(report.groups.size(), 1U);
    EXPECT_NEAR(report.groups[0].transferSeconds, 50e-6, 1e-9);
    EXPECT_NEAR(report.ranks[1].clockOffsetSeconds - report.ranks[0].clockOffsetSeconds, 1.0, 1e-9);
}

TEST(KinetoReport, OneEndAloneIsSplitByItsDurations)
{
    const KinetoReport report = kinetoReport({twoRanks().front()});
    ASSERT_EQ(report.groups.size(), 1U);
    EXPECT_NEAR(report.groups[0].transferSeconds, 50e-6, 1e-9);
    EXPECT_NE(report.groups[0].split.find("Otsu"), std::string::npos);
    EXPECT_EQ(report.matchedKernels, 0U); // no other rank to match with, and the trace names no group
    EXPECT_FALSE(otsuSplit({1, 1.1, 0.9, 1, 1.05, 0.95, 1, 1.02}).has_value());
}

TEST(ChromeTrace, HasTheSameKernelsAtTheSameTimes)
{
    const std::vector<KinetoRank> ranks = twoRanks();
    const auto again = ranksOfText(chromeTrace({ranks[1]}));
    ASSERT_TRUE(again.ok());
    ASSERT_EQ(again->front().kernels.size(), ranks[1].kernels.size());
    for (std::size_t k = 0; k < ranks[1].kernels.size(); ++k) {
        EXPECT_EQ(again->front().kernels[k].start, ranks[1].kernels[k].start);
        EXPECT_EQ(again->front().kernels[k].duration, ranks[1].kernels[k].duration);
    }
}

/// The activities of both, one by one: name, stream, device, begin and duration.
void expectSameActivities(const KinetoRank& a, const KinetoRank& b)
{
    ASSERT_EQ(a.kernels.size(), b.kernels.size());
    for (std::size_t k = 0; k < a.kernels.size(); ++k) {
        const KinetoKernel &x = a.kernels[k], &y = b.kernels[k];
        ASSERT_EQ(a.names[x.name], b.names[y.name]);
        ASSERT_EQ(std::pair(x.start, x.duration), std::pair(y.start, y.duration)) << a.names[x.name];
        ASSERT_EQ(std::tuple(x.stream, x.device, x.correlation, x.isCopy), std::tuple(y.stream, y.device, y.correlation, y.isCopy));
    }
}

TEST(ChromeTrace, RealTracesSurviveTheRoundTrip)
{
    if (dataFolder().empty())
        GTEST_SKIP() << "no PRISM_DATA";
    for (const char* name : {"hta_nccl_data_a100_rank0of2.json.gz", "tracelens_mi300x_resnet_rank0of8.json.gz",
                             "hta_df_index_resolver_v100_rank1of2.json.gz"}) {
        const auto ranks = readKineto(dataFolder() + "/traces/" + name);
        ASSERT_TRUE(ranks.ok()) << name;
        EXPECT_GE(ranks->front().steps.size(), 3U) << name;
        const auto again = ranksOfText(chromeTrace(*ranks));
        ASSERT_TRUE(again.ok()) << name;
        ASSERT_EQ(again->size(), ranks->size()) << name;
        for (std::size_t r = 0; r < ranks->size(); ++r)
            expectSameActivities((*ranks)[r], (*again)[r]);
    }
}

TEST(Schedule, OneForwardOneBackwardAndGpipeAreNamed)
{
    const auto jobWith = [](const std::vector<std::string>& orders) {
        std::string text = kTableHeader;
        for (std::size_t s = 0; s < orders.size(); ++s) {
            std::map<char, int> seen;
            for (std::size_t k = 0; k < orders[s].size(); ++k)
                text += tableRow(0, static_cast<int>(s), 1, orders[s][k] == 'F' ? "forward-compute" : "backward-compute",
                                 static_cast<double>(k), 0.5, seen[orders[s][k]]++);
        }
        return jobOfText(text);
    };
    const auto oneByOne = jobWith({"FFFBFBBB", "FFBFBFBB", "FBFBFBFB"});
    ASSERT_TRUE(oneByOne.ok());
    EXPECT_EQ(recoveredSchedule(oneByOne->steps[0], *oneByOne).name, "1f1b");
    const auto gpipe = jobWith({"FFFFFBBBBB", "FFFFFBBBBB"});
    EXPECT_EQ(recoveredSchedule(gpipe->steps[0], *gpipe).name, "gpipe");
    EXPECT_EQ(recoveredSchedule(oneByOne->steps[0], *oneByOne).order[2], "F0 B0 F1 B1 F2 B2 F3 B3");
}

} // namespace
} // namespace prism
