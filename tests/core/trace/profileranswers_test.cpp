// SPDX-License-Identifier: GPL-3.0-or-later
// Limits and known answers of profiler traces: numbers of events, calls of several ranks, windows, gaps of the host, exported threads.
#include "core/trace/chrometrace.h"
#include "core/trace/collectivecalls.h"
#include "core/trace/kineto.h"
#include "core/trace/kinetoreport.h"
#include "core/trace/rankwindows.h"
#include "handmade.h"
#include "tables.h"

#include <gtest/gtest.h>

namespace prism {
namespace {

Result<std::vector<KinetoRank>> kinetoOf(const std::string& events, const std::string& rest = "")
{
    const TemporaryFile file("answers.json", R"({"traceEvents": [)" + events + "]" + rest + "}");
    return readKineto(file.path());
}

std::string kernelWith(const std::string& fields, const std::string& arguments = "")
{
    return R"({"ph": "X", "cat": "kernel", "name": "k", )" + fields + R"(, "args": {)" + arguments + "}}";
}

/// The first kernel of a trace with one event.
KinetoKernel kernelOf(const std::string& arguments, const std::string& fields = R"("ts": 1, "dur": 2)")
{
    return kinetoOf(kernelWith(fields, arguments)).value().at(0).kernels.at(0);
}

TEST(KinetoNumbers, GridsAreProductsBelowFourBillion)
{
    EXPECT_EQ(kernelOf(R"("grid": [3, 5, 7], "block": [2, 11, 1])").grid, 105U);
    EXPECT_EQ(kernelOf(R"("grid": [3, 5, 7], "block": [2, 11, 1])").block, 22U);
    EXPECT_EQ(kernelOf(R"("grid": [3999999999])").grid, 3'999'999'999U);
    EXPECT_EQ(kernelOf(R"("grid": [4000000000])").grid, 0U);
    EXPECT_EQ(kernelOf(R"("grid": [4100000000])").grid, 0U);
    EXPECT_EQ(kernelOf(R"("grid": [2, -3])").grid, 0U);
    EXPECT_EQ(kernelOf(R"("grid": 9)").grid, 0U);
}

TEST(KinetoNumbers, WholeNumbersHaveLimits)
{
    EXPECT_EQ(kernelOf(R"("correlation": 17.9)").correlation, 17);
    EXPECT_EQ(kernelOf(R"("correlation": 8.9e18)").correlation, 8'900'000'000'000'000'000);
    EXPECT_EQ(kernelOf(R"("correlation": 9.1e18)").correlation, -1);
    EXPECT_EQ(kernelOf(R"("correlation": -8.9e18)").correlation, -8'900'000'000'000'000'000);
    EXPECT_EQ(kernelOf(R"("correlation": "x")").correlation, -1);
    EXPECT_EQ(kernelOf(R"("stream": 1048575)").stream, 1'048'575);
    EXPECT_EQ(kernelOf(R"("stream": 1048576)").stream, 1'048'576);
    EXPECT_EQ(kernelOf(R"("stream": 9000000)").stream, 1'048'576) << "up to what is counted";
    EXPECT_EQ(kernelOf(R"("device": 9000000)").device, 1'048'576);
    EXPECT_EQ(kernelOf(R"("stream": 0, "device": 0)", R"("pid": 5, "tid": 6, "ts": 1, "dur": 2)").stream, 0) << "0 is a number";
    EXPECT_EQ(kernelOf(R"("stream": 0, "device": 0)", R"("pid": 5, "tid": 6, "ts": 1, "dur": 2)").device, 0);
    const KinetoKernel k = kernelOf("", R"("pid": 5, "tid": 6, "ts": 1, "dur": 2)");
    EXPECT_EQ(std::tuple(k.stream, k.device, k.process), std::tuple(6, 5, 5));
    const KinetoKernel far = kernelOf("", R"("pid": 9000000, "tid": 9000000, "ts": 1, "dur": 2)");
    EXPECT_EQ(std::tuple(far.stream, far.device, far.process), std::tuple(1'048'576, 1'048'576, 1'048'576));
    const KinetoKernel none = kernelOf("", R"("pid": -9, "tid": -9, "ts": 1, "dur": 2)");
    EXPECT_EQ(std::tuple(none.stream, none.device, none.process), std::tuple(-1, -1, -1));
}

TEST(KinetoNumbers, TimesAreFiniteAndBelowThreeHundredYears)
{
    const auto kept = [](const std::string& start, const std::string& duration) {
        return kinetoOf(kernelWith(R"("ts": 1, "dur": 2)") + ", " + kernelWith(R"("ts": )" + start + R"(, "dur": )" + duration))
                   .value()[0]
                   .kernels.size()
               == 2;
    };
    EXPECT_TRUE(kept("9.9e15", "0"));
    EXPECT_TRUE(kept("-9.9e15", "9.9e15"));
    EXPECT_FALSE(kept("1e16", "1"));
    EXPECT_FALSE(kept("1.02e16", "1"));
    EXPECT_FALSE(kept("-1.02e16", "1"));
    EXPECT_FALSE(kept("1", "1e16"));
    EXPECT_FALSE(kept("1", "1.02e16"));
    EXPECT_FALSE(kept("1", "-0.5"));
    EXPECT_FALSE(kept("null", "1"));
}

TEST(KinetoNumbers, LaunchesCollectivesAndSteps)
{
    // Correlation 0 and external id 0 are numbers; a kernel's own id comes before that of its launch.
    const std::string comms = R"({"ph": "X", "cat": "cpu_op", "name": "record_param_comms", "ts": 1, "dur": 1, "args": {"External id": )";
    const auto ranks =
        kinetoOf(comms + R"(0, "Collective name": "a"}}, )" + comms + R"(4, "Collective name": "b"}}, )"
                 + R"({"ph": "X", "cat": "cuda_runtime", "name": "l", "ts": 3, "dur": 1, "args": {"correlation": 0, "External id": 0}}, )"
                 + R"({"ph": "X", "cat": "cuda_runtime", "name": "l", "ts": 5, "dur": 1, "args": {"correlation": 6, "External id": 0}}, )"
                 + kernelWith(R"("ts": 20, "dur": 1)", R"("correlation": 0)") + ", "
                 + kernelWith(R"("ts": 30, "dur": 1)", R"("correlation": 6, "External id": 4)") + ", "
                 + kernelWith(R"("ts": 40, "dur": 1)", R"("correlation": 7)")
                 + R"(, {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#2", "ts": 50, "dur": 7})"
                 + R"(, {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1", "ts": 0, "dur": 0})"
                 + R"(, {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#3", "ts": 60, "dur": -1})");
    ASSERT_TRUE(ranks.ok());
    const KinetoRank& rank = ranks->front();
    ASSERT_EQ(rank.kernels.size(), 3U);
    EXPECT_EQ(rank.kernels[0].launch, 3);
    EXPECT_EQ(rank.kernels[1].launch, 5);
    EXPECT_EQ(rank.kernels[2].launch, -1);
    const auto call = [&](std::size_t k) { return rank.collectives.at(static_cast<std::size_t>(rank.kernels[k].collective)).name; };
    EXPECT_EQ(call(0), "a");
    EXPECT_EQ(call(1), "b");
    EXPECT_EQ(rank.kernels[2].collective, -1);
    EXPECT_TRUE(rank.kernels[0].isCollective && rank.kernels[1].isCollective && !rank.kernels[2].isCollective);
    ASSERT_EQ(rank.steps.size(), 2U);
    EXPECT_EQ(std::tuple(rank.steps[0].name, rank.steps[0].duration, rank.steps[1].start), std::tuple("ProfilerStep#1", 0.0, 50.0));
}

TEST(KinetoNumbers, NamesStepsAndDevicesAreBounded)
{
    const auto stepsKept = [](int count) {
        std::string events = kernelWith(R"("ts": 1, "dur": 2)");
        for (int k = 0; k < count; ++k)
            events += R"(, {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1", "ts": 1, "dur": 1})";
        return kinetoOf(events).value()[0].steps.size();
    };
    EXPECT_EQ(stepsKept(10'000), 10'000U);
    EXPECT_EQ(stepsKept(10'001), 10'000U);
    const std::string name(5'000, 'n');
    const KinetoRank rank = kinetoOf(R"({"ph": "X", "cat": "kernel", "name": ")" + name + R"(", "ts": 1, "dur": 2}, )"
                                     + R"({"ph": "X", "cat": "user_annotation", "name": "ProfilerStep)" + name + R"(", "ts": 1, "dur": 1})")
                                .value()[0];
    EXPECT_EQ(rank.names.at(rank.kernels.at(0).name).size(), 4'096U);
    EXPECT_EQ(rank.steps.at(0).name.size(), 100U);
    EXPECT_TRUE(isCollectiveKernel(std::string(190, 'x') + "ncclKernel"));
    EXPECT_FALSE(isCollectiveKernel(std::string(191, 'x') + "ncclKernel")) << "in the first 200 characters";
    const auto ranksOf = [](int devices) {
        std::string events;
        for (int k = 0; k < devices; ++k)
            events += std::string(k == 0 ? "" : ", ") + R"({"ph": "X", "cat": "kernel", "name": "ncclKernel", "ts": 1, "dur": 2, )"
                      + R"("args": {"device": )" + std::to_string(k) + "}}";
        const auto ranks = kinetoOf(events);
        return ranks.ok() ? std::ssize(*ranks) : -1;
    };
    EXPECT_EQ(ranksOf(256), 256);
    EXPECT_EQ(ranksOf(257), -1);
}

TEST(KinetoNumbers, RankAndWorldSizeHaveLimits)
{
    const auto info = [](const std::string& rank, const std::string& world) {
        const KinetoRank r =
            kinetoOf(kernelWith(R"("ts": 1, "dur": 2)"), R"(, "distributedInfo": {"rank": )" + rank + R"(, "world_size": )" + world + "}")
                .value()[0];
        return std::pair(r.rank, r.worldSize);
    };
    EXPECT_EQ(info("16777215", "16777216"), std::pair(16'777'215, 16'777'216));
    EXPECT_EQ(info("16777217", "99999999"), std::pair(16'777'216, 16'777'216));
    EXPECT_EQ(info("-3", "2.5"), std::pair(0, 0));
}

/// One rank with collectives that end at the given times, 10 us long; `call` describes them.
KinetoRank rankOfCalls(int number, const std::vector<double>& ends, const KinetoCollective& call = {.name = "allreduce", .group = "0"})
{
    KinetoRank rank{.rank = number, .isNamed = true, .names = {"ncclDevKernel_AllReduce"}, .collectives = {call}};
    for (const double end : ends)
        rank.kernels.push_back({.start = end - 10, .duration = 10, .collective = 0, .isCollective = true});
    return rank;
}

/// In which call the first one of the shorter recording is.
int placeOfFirst(const std::vector<double>& a, const std::vector<double>& b)
{
    const std::vector<KinetoRank> ranks = {rankOfCalls(0, a), rankOfCalls(1, b)};
    const std::size_t shorter = a.size() < b.size() ? 0 : 1;
    const CollectiveCalls calls = collectiveCalls(ranks).begin()->second;
    for (std::size_t k = 0; k < calls.size(); ++k)
        for (const auto& [rank, kernel] : calls[k])
            if (rank == shorter && kernel == &ranks[shorter].kernels[0])
                return static_cast<int>(k);
    return -1;
}

TEST(CollectiveCallAnswers, RecordingsAreMovedWhereTheirEndsVaryClearlyLess)
{
    // Calls at 0, 100, 300, 600, 1000, ...: the second recording begins some calls later, on a clock 7 us ahead.
    const auto ends = [](int first, int count, double clock) {
        std::vector<double> out;
        for (int k = first; k < first + count; ++k)
            out.push_back(50.0 * k * (k + 1) + clock);
        return out;
    };
    EXPECT_EQ(placeOfFirst(ends(0, 80, 0), ends(4, 70, 7)), 4);
    EXPECT_EQ(placeOfFirst(ends(4, 70, 0), ends(0, 80, 7)), 4);
    EXPECT_EQ(placeOfFirst(ends(3, 80, 0), ends(0, 70, 7)), 0) << "three calls before the longer one begins";
    EXPECT_EQ(placeOfFirst(ends(0, 140, 0), ends(64, 76, 7)), 64) << "by 64 places at most";
    EXPECT_EQ(placeOfFirst(ends(0, 5, 0), ends(2, 3, 7)), 2) << "three calls are enough";
    EXPECT_EQ(placeOfFirst(ends(0, 5, 0), ends(3, 2, 7)), 0) << "two are not";
    EXPECT_EQ(placeOfFirst(ends(0, 8, 0), ends(4, 8, 7)), 4) << "half of them together are enough";
    EXPECT_EQ(placeOfFirst(ends(0, 8, 0), ends(5, 8, 7)), 4) << "of eight three are too few, four the best that there are";
}

TEST(CollectiveCallAnswers, HalfTheVariationIsClearlyLess)
{
    // The second recording begins one call later and each of its calls is late by v h, where the calls of the first follow each other after
    // 1000 + 100 h: unmoved the differences vary with (100 + v) h, moved with v h. Half of it is v = 100.
    const auto place = [](double v) {
        std::vector<double> first = {0}, second;
        for (int k = 1; k <= 60; ++k) {
            const double x = k * k * k % 61; // without a period
            first.push_back(first.back() + 1000 + 100 * x);
            second.push_back(first.back() + v * x);
        }
        return placeOfFirst(first, second);
    };
    EXPECT_EQ(place(98), 1);
    EXPECT_EQ(place(103), 0);
}

TEST(CollectiveCallAnswers, BytesSizesAndEndsOfSends)
{
    const auto keyOf = [](const KinetoCollective& call, int rank = 3) {
        const std::vector<KinetoRank> ranks = {rankOfCalls(rank, {10}, call)};
        return collectiveCalls(ranks).begin()->first;
    };
    KinetoCollective call{
        .name = "AllGather", .group = "g", .ranks = "[1, 3]", .dtype = "Float", .groupSize = 6, .inElements = 7, .outElements = 5};
    EXPECT_EQ(keyOf(call).bytes, 28);
    EXPECT_EQ(keyOf(call).size, 6);
    EXPECT_EQ(keyOf(call).group, "g [1, 3]");
    EXPECT_EQ(keyOf(call).operation, "allgather");
    EXPECT_EQ(keyOf(call).signature(), "allgather of 6 ranks, 28 bytes");
    call.inElements = (std::int64_t{1} << 50) - 1;
    EXPECT_EQ(keyOf(call).bytes, 4 * ((std::int64_t{1} << 50) - 1));
    call.inElements = std::int64_t{1} << 50;
    EXPECT_EQ(keyOf(call).bytes, 0);
    EXPECT_EQ(keyOf(call).signature(), "allgather of 6 ranks, ? bytes");
    call.groupSize = 0;
    EXPECT_EQ(keyOf(call).signature(), "allgather of ? ranks, ? bytes");
    call = {.name = "send", .group = "g", .ranks = "[1, 3]", .dtype = "Half", .groupSize = 6, .inElements = 4};
    EXPECT_EQ(keyOf(call).group, "g [1, 3], 3 -> 1") << "the other one of two";
    EXPECT_EQ(keyOf(call, 1).group, "g [1, 3], 1 -> 3");
    EXPECT_EQ(keyOf(call).size, 2);
    EXPECT_EQ(keyOf(call, 2).group, "g [1, 3]") << "a rank that is none of the two";
    call.peer = 0;
    EXPECT_EQ(keyOf(call).group, "g [1, 3], 3 -> 0") << "what the trace names comes first";
    EXPECT_EQ(keyOf(call, 0).group, "g [1, 3]") << "none sends to itself";
    call.name = "recv";
    EXPECT_EQ(keyOf(call).group, "g [1, 3], 0 -> 3");
    EXPECT_EQ(keyOf(call).operation, "send");
    call.peer = -1;
    call.ranks = "[1, 3, 4]";
    EXPECT_EQ(keyOf(call).group, "g [1, 3, 4]");
    EXPECT_EQ(keyOf(call).operation, "recv");
}

TEST(KinetoReportAnswers, HostGapsBusyTimeAndWindowsOfTwoRecordings)
{
    KinetoRank rank{.rank = 2, .worldSize = 5, .names = {"k"}};
    // 0 to 10; 12 to 20, launched exactly when the device ran dry; 23 to 24, launched before; 31 to 35, launched after; then an hour later.
    rank.kernels = {{.start = 0, .duration = 10},
                    {.start = 12, .duration = 8, .launch = 10},
                    {.start = 23, .duration = 1, .launch = 19.5},
                    {.start = 31, .duration = 4, .launch = 26},
                    {.start = 3.6e9, .duration = 6, .launch = 3.6e9 - 1},
                    {.start = 3.6e9 + 2, .duration = 1}};
    rank.windows = {{0, ""}, {4, ""}};
    const KinetoReport report = kinetoReport({rank});
    const RankReport& r = report.ranks[0];
    EXPECT_EQ(r.hostGaps, 2U);
    EXPECT_NEAR(r.hostGapSeconds, 9e-6, 1e-15); // 2 and 7
    EXPECT_NEAR(r.longestHostGapSeconds, 7e-6, 1e-15);
    EXPECT_NEAR(r.busySeconds, 29e-6, 1e-15); // 10 + 8 + 1 + 4 + 6
    EXPECT_NEAR(r.spanSeconds, 41e-6, 1e-15); // 35 and 6
    EXPECT_TRUE(mentions(report.notes, "traces of 1 of 5 ranks"));
    rank.worldSize = 1;
    EXPECT_TRUE(kinetoReport({rank}).notes.empty());
}

TEST(KinetoReportAnswers, CallsWithoutAPartnerCountOnceAndTransfersAreNeverNegative)
{
    // Three calls of rank 0, two of rank 1; the second of rank 1 ends before the other one starts, both clocks being right.
    const KinetoCollective call{.name = "allreduce", .group = "0", .groupSize = 2};
    KinetoRank a = rankOfCalls(0, {100, 200, 300}, call), b = rankOfCalls(1, {100, 180}, call);
    const KinetoReport report = kinetoReport({a, b});
    ASSERT_EQ(report.groups.size(), 1U);
    const CollectiveGroup& g = report.groups[0];
    EXPECT_EQ(std::tuple(g.calls, g.matched, g.ranksSeen), std::tuple(5, 4, 2));
    EXPECT_EQ(report.collectiveKernels, 5U);
    EXPECT_EQ(report.matchedKernels, 4U);
    EXPECT_EQ(report.unmatched, std::vector<std::string>{"rank 0: allreduce number 2 of group 0 at 290 us"});
    EXPECT_NEAR(g.transferSeconds, 10e-6, 1e-15); // of 10, 10, 10 and 0 us
    EXPECT_NEAR(g.medianSeconds, 10e-6, 1e-15);
    EXPECT_EQ(g.waitingSeconds, 0);
    EXPECT_EQ(report.pools[0].seconds.size(), 4U);
    EXPECT_EQ(std::count(report.pools[0].seconds.begin(), report.pools[0].seconds.end(), 0.0), 1);
    // A group whose size is not known counts as whole with two ranks; one rank alone is never.
    KinetoCollective unknown = call;
    unknown.groupSize = 0;
    EXPECT_EQ(kinetoReport({rankOfCalls(0, {100}, unknown), rankOfCalls(1, {100}, unknown)}).groups[0].split, "from the last arriver");
    EXPECT_NE(kinetoReport({rankOfCalls(0, {100}, unknown)}).groups[0].split, "from the last arriver");
    EXPECT_EQ(kinetoReport({rankOfCalls(0, {100}, unknown)}).groups[0].matched, 1) << "all that were seen are there";
}

TEST(KinetoReportAnswers, OtsuTakesTheSplitOfTheLogarithms)
{
    // Logarithms (base 4) 0 x 5, 1 x 2, 3: between-class sums a b d^2 after five, seven: 15 (5/3)^2 = 41.7; 7 (3 - 2/7)^2 = 51.6.
    EXPECT_EQ(otsuSplit({1, 1, 1, 1, 1, 4, 4, 64}), 4.0);
    // 0 x 5, 1 x 2, 2: 15 (4/3)^2 = 26.7; 7 (2 - 2/7)^2 = 20.6.
    EXPECT_EQ(otsuSplit({1, 1, 1, 1, 1, 4, 4, 16}), 1.0);
    EXPECT_EQ(otsuSplit({2, 1, 1, 1, 1, 1, 1, 2}), 1.0) << "twice exactly";
    EXPECT_FALSE(otsuSplit({2.05, 1, 1, 1, 1, 1, 1, 1.93})) << "a mean of 1.99";
}

TEST(RankWindowAnswers, KernelsNamesAndCallsOfALaterRecordingMoveBehindTheFirst)
{
    const auto part = [](double at, const std::string& name, const std::string& call, const std::string& step) {
        KinetoRank rank{
            .path = name, .rank = 7, .isNamed = true, .names = {"common", name}, .collectives = {{.name = "x"}, {.name = call}}};
        rank.kernels = {{.start = at, .duration = 5, .name = 1, .collective = 1}, {.start = at + 1, .duration = 9, .name = 0}};
        rank.steps = {{step, at, 10}};
        rank.events = at > 0 ? 4 : 3;
        return rank;
    };
    std::vector<KinetoRank> ranks =
        joinedWindows({part(10, "late", "second", "ProfilerStep#9"), part(0, "early", "first", "ProfilerStep#2")});
    ASSERT_EQ(ranks.size(), 1U);
    const KinetoRank& r = ranks[0];
    EXPECT_EQ(r.events, 7U);
    ASSERT_EQ(r.kernels.size(), 4U);
    EXPECT_EQ(r.names, (std::vector<std::string>{"common", "early", "late"}));
    EXPECT_EQ(r.names[r.kernels[2].name], "late");
    EXPECT_EQ(r.names[r.kernels[3].name], "common");
    EXPECT_EQ(r.collectives[static_cast<std::size_t>(r.kernels[2].collective)].name, "second");
    EXPECT_EQ(r.kernels[3].collective, -1);
    ASSERT_EQ(r.windows.size(), 2U);
    EXPECT_EQ(std::pair(r.windows[0].first, r.windows[1].first), std::pair(std::size_t{0}, std::size_t{2}));
    EXPECT_EQ(windowName(r, 1), "ProfilerStep#2");
    EXPECT_EQ(windowName(r, 2), "ProfilerStep#9");
    // Up to 10: a recording that begins when the other ends follows it, one that begins earlier is another.
    EXPECT_EQ(joinedWindows({part(0, "a", "", ""), part(9.5, "b", "", "")}).size(), 2U);
    EXPECT_EQ(joinedWindows({part(0, "a", "", ""), part(10, "b", "", ""), part(20, "c", "", "")}).at(0).windows.size(), 3U);
    // What runs at the same time as the first does not move its end: the third follows the first.
    EXPECT_EQ(joinedWindows({part(0, "a", "", ""), part(9.5, "b", "", ""), part(11, "c", "", "")}).size(), 2U);
    EXPECT_EQ(windowName(part(0, "a", "", "S"), 1), "S");
}

TEST(ChromeTraceAnswers, EveryStageHasTwoThreads)
{
    TraceJob job = madeJob(2, 3,
                           {{madeOperation(TraceOp::forwardCompute, 2, 1.5, 2, 1), madeOperation(TraceOp::backwardSend, 3, 0.25, 2, 1),
                             madeOperation(TraceOp::optimizer, 1, 0.5, 1, 0)}});
    job.replicaNumbers = {4, 6};
    const std::string text = chromeTrace(job.steps[0], job);
    const auto has = [&](const char* part) { return text.find(part) != std::string::npos; };
    EXPECT_TRUE(has(R"("name": "forward-compute", "pid": 1, "tid": 4, "ts": 1000000, "dur": 1500000)")) << text;
    EXPECT_TRUE(has(R"("name": "backward-send", "pid": 1, "tid": 5, "ts": 2000000, "dur": 250000)")) << text;
    EXPECT_TRUE(has(R"("name": "optimizer", "pid": 0, "tid": 2, "ts": 0, "dur": 500000)")) << text;
    EXPECT_TRUE(has(R"("pid": 1, "tid": 0, "args": {"name": "replica 6"})"));
    EXPECT_TRUE(has(R"("pid": 1, "tid": 4, "args": {"name": "stage 2"})"));
    EXPECT_TRUE(has(R"("pid": 1, "tid": 5, "args": {"name": "stage 2 communication"})"));
    job.replicaNumbers = {4}; // a drawn step has more replicas than were measured
    EXPECT_NE(chromeTrace(job.steps[0], job).find(R"("pid": 1, "tid": 0, "args": {"name": "replica 1"})"), std::string::npos);
    EXPECT_NE(chromeTrace(job.steps[0], job).find(R"("pid": 0, "tid": 0, "args": {"name": "replica 4"})"), std::string::npos);
}

} // namespace
} // namespace prism
