// SPDX-License-Identifier: GPL-3.0-or-later
// What a recording does not say: files without a size, broken texts, launches without a description, one end of a collective, chunks with
// fewer micro-batches than others.
#include "core/trace/blockinggraph.h"
#include "core/trace/bytesource.h"
#include "core/trace/heldout.h"
#include "core/trace/kineto.h"
#include "core/trace/kinetoreport.h"
#include "core/trace/rankwindows.h"
#include "core/trace/stepmodel.h"
#include "handmade.h"
#include "tables.h"

#include "core/stats/distance.h"
#include "core/stats/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace prism {
namespace {

TEST(RecordingBytes, AFileWithoutASizeHasNoTotal)
{
    std::vector<std::uint64_t> totals;
    ByteSource bytes =
        std::move(ByteSource::open("/dev/zero", {.stop = {}, .progress = [&](auto, auto all) { totals.push_back(all); }})).value();
    std::string piece(std::size_t{4} << 20, ' ');
    for (int k = 0; k < 2; ++k)
        EXPECT_EQ(bytes.read(piece), piece.size());
    EXPECT_EQ(totals, std::vector<std::uint64_t>{0}) << "after the first four MiB";
}

TEST(RecordingEvents, ATextThatIsNoUtf8TakesItsOwnEventAlone)
{
    const auto kernel = [](const std::string& name, int at) {
        return R"({"ph": "X", "cat": "kernel", "name": ")" + name + R"(", "ts": )" + std::to_string(at) + R"(, "dur": 1})";
    };
    const TemporaryFile file("utf8.json", R"({"traceEvents": [)" + kernel("first", 1) + ", " + kernel("second", 2) + ", "
                                              + kernel("\xff\xfe", 3) + ", " + kernel("last", 4) + "]}");
    const auto ranks = readKineto(file.path());
    ASSERT_TRUE(ranks.ok());
    const KinetoRank& rank = ranks->front();
    EXPECT_EQ(rank.names, (std::vector<std::string>{"first", "second", "last"}));
    EXPECT_EQ(rank.kernels.size(), 3U);
    EXPECT_EQ(rank.events, 3U);
    EXPECT_TRUE(mentions(rank.notes, "1 events are broken and were omitted"));
}

TEST(RecordingCollectives, TheOwnIdOfAKernelIsTakenAlsoWhereItIsZero)
{
    const std::string comms = R"({"ph": "X", "cat": "cpu_op", "name": "record_param_comms", "ts": 1, "dur": 1, "args": {"External id": )";
    const TemporaryFile file(
        "zero.json",
        R"({"traceEvents": [)" + comms + R"(0, "Collective name": "own"}}, )" + comms + R"(4, "Collective name": "of the launch"}}, )"
            + R"({"ph": "X", "cat": "cuda_runtime", "name": "l", "ts": 5, "dur": 1, "args": {"correlation": 6, "External id": 4}}, )"
            + R"({"ph": "X", "cat": "kernel", "name": "k", "ts": 20, "dur": 1, "args": {"correlation": 6, "External id": 0}}]})");
    const KinetoRank rank = readKineto(file.path()).value().at(0);
    ASSERT_GE(rank.kernels.at(0).collective, 0);
    EXPECT_EQ(rank.collectives.at(static_cast<std::size_t>(rank.kernels[0].collective)).name, "own");
}

TEST(RecordingCollectives, ALaunchWithinTheRecordingIsNotNamedByRepetition)
{
    // A B A B A B, the first two without a description: what was launched at the recording's begin or later would have one.
    const auto named = [](double launch) {
        KinetoRank rank;
        rank.names = {"a", "b"};
        for (std::uint32_t i = 0; i < 6; ++i) {
            KinetoKernel k{.start = 1.0 * i, .duration = 1, .name = i % 2, .stream = 1, .isCollective = true};
            if (i >= 2) {
                k.collective = static_cast<std::int32_t>(rank.collectives.size());
                rank.collectives.push_back({.name = "allreduce", .groupSize = 2, .inElements = 1 + i % 2});
            }
            rank.kernels.push_back(k);
        }
        rank.kernels[0].launch = launch;
        const std::uint64_t count = describeByRepetition(rank);
        return std::tuple(count, rank.kernels[0].collective >= 0, rank.kernels[1].collective >= 0);
    };
    EXPECT_EQ(named(-1), std::tuple(2U, true, true));
    EXPECT_EQ(named(0), std::tuple(1U, false, true));
}

TEST(RecordingCollectives, OneEndOfEqualDurationsIsTakenWhole)
{
    // 8, 9 and 10 us of one of two ranks: less than twice as long, so that no wait can be distinguished from a transfer.
    KinetoRank rank{.rank = 0, .names = {"ncclDevKernel_AllReduce"}, .collectives = {{.name = "allreduce", .group = "0", .groupSize = 2}}};
    for (const double duration : {8.0, 10.0, 9.0})
        rank.kernels.push_back(
            {.start = 100 * static_cast<double>(rank.kernels.size()), .duration = duration, .collective = 0, .isCollective = true});
    const KinetoReport report = kinetoReport({rank});
    ASSERT_EQ(report.groups.size(), 1U);
    EXPECT_NEAR(report.groups[0].transferSeconds, 9e-6, 1e-15);
    EXPECT_NEAR(report.groups[0].medianSeconds, 9e-6, 1e-15);
    EXPECT_NEAR(report.groups[0].waitingSeconds, 0, 1e-15);
    EXPECT_TRUE(report.groups[0].split.starts_with("none"));
}

TEST(RecordingGraph, AForwardWaitsForTheGatherOfItsChunkAndForNoOtherOverlappedOperation)
{
    using enum TraceOp;
    // 0 F, 1 B, 2 reduction, 3 F, 4 garbage collection, 5 gather, 6 F, all of chunk 0; the reduction, the mark and the gather overlap.
    std::vector<TraceOperation> step;
    for (const TraceOp type :
         {forwardCompute, backwardCompute, gradsReduceScatter, forwardCompute, garbageCollection, paramsAllGather, forwardCompute})
        step.push_back(madeOperation(type, static_cast<double>(step.size()), 0.5, 0, 0, 0));
    const TraceJob job = madeJob(1, 1, {step});
    const OverlappedSlots overlapped = {{0, gradsReduceScatter, 0}, {0, garbageCollection, 0}, {0, paramsAllGather, 0}};
    const auto graph = blockingGraph(job.steps[0], job, stepLinks(job.steps[0], job), {}, overlapped);
    EXPECT_EQ(edgesOf(graph->graph), (std::vector<std::set<int>>{{}, {0}, {1}, {1}, {1}, {}, {3, 5}}));
}

TEST(RecordingModel, AChunkWithFewerMicroBatchesTakesItsOwnResiduals)
{
    using enum TraceOp;
    // One worker: chunk 0 computes two micro-batches, chunk 1 one; other durations in each of three steps, in sequence.
    std::vector<std::vector<TraceOperation>> steps;
    for (int t = 0; t < 3; ++t) {
        std::vector<TraceOperation> step;
        double at = 0;
        for (const auto& [type, chunk] : {std::pair{forwardCompute, 0},
                                          {forwardCompute, 0},
                                          {forwardCompute, 1},
                                          {backwardCompute, 1},
                                          {backwardCompute, 0},
                                          {backwardCompute, 0}}) {
            const double seconds = 1 + 0.125 * ((5 * t + 3 * static_cast<int>(step.size())) % 7);
            step.push_back(madeOperation(type, at, seconds, 0, 0, chunk));
            at += seconds;
        }
        steps.push_back(step);
    }
    TraceJob job = madeJob(1, 1, steps);
    job.chunks = 2;
    job.transfersRecorded = false;
    const RegularJob regular = regularJob(job, {}).value();
    const StepModel model = StepModel::make(regular).value();
    const ComputeFactors& f = model.factors();
    constexpr std::uint64_t kSeed = 29, kStep = 0x57e9, kRun = 0x4411; // the draws of stepmodel.cpp
    DrawnStep drawn;
    int beyond = 0; // micro-batches drawn that chunk 1 does not have
    for (std::uint64_t k = 0; k < 6; ++k) {
        model.draw(kSeed, k, drawn);
        const auto of = [&](StreamId s, std::uint64_t at, double n) { return static_cast<std::size_t>(uniform(kSeed, s, at) * n); };
        const std::size_t t = of(stream(kStep), k, 3);
        double end = 0;
        for (std::size_t l = 0; l < regular.slots.size(); ++l) {
            const OperationSlot& slot = regular.slots[l];
            const StreamId s = stream(kRun, 0, static_cast<std::uint64_t>(slot.microBatch));
            const std::size_t place = of(s, 3 * k + 2, 2);
            beyond += slot.chunk == 1 && place == 1 ? 1 : 0;
            const auto requested = slot.chunk == 1 ? 0 : static_cast<int>(place); // chunk 1 has its one micro-batch only
            const auto from = std::find_if(regular.slots.begin(), regular.slots.end(), [&](const OperationSlot& other) {
                return other.type == slot.type && other.chunk == slot.chunk && other.microBatch == requested;
            });
            end += f.mean[l] * f.step[t] * f.ofWorker(slot.type, 0)
                   * f.residual[of(s, 3 * k, 3)][static_cast<std::size_t>(from - regular.slots.begin())];
        }
        EXPECT_NEAR(drawn.phase[0], end, 1e-9) << k;
    }
    EXPECT_GT(beyond, 0) << "the case that this test is for";
}

TEST(RecordingModel, TheLargestDrawIsTheLastStep)
{
    using enum TraceOp;
    std::vector<std::vector<TraceOperation>> steps;
    for (const double seconds : {0.25, 0.5, 0.75})
        steps.push_back({madeOperation(forwardCompute, 0, 1), madeOperation(backwardCompute, 1, 2), madeOperation(optimizer, 3, seconds)});
    const TraceJob job = madeJob(1, 1, steps);
    const RegularJob regular = regularJob(job, {}).value();
    constexpr std::uint64_t kSeed = 6'830'513'419'179'170'398U; // its first draw of a step has 64 bits of 1
    ASSERT_GT(uniform(kSeed, stream(0x57e9), 0), 1 - 0x1.0p-52);
    DrawnStep drawn;
    StepModel::make(regular).value().draw(kSeed, 0, drawn);
    EXPECT_NEAR(drawn.seconds, 3.75, 1e-9);
}

TEST(RecordingParts, SeveralRandomPartsAreTheMeansOfEach)
{
    using enum TraceOp;
    std::vector<std::vector<TraceOperation>> steps;
    for (const double seconds : {2.0, 3.0, 5.0, 4.0, 6.5, 2.5, 3.5})
        steps.push_back({madeOperation(forwardCompute, 0, seconds / 3), madeOperation(backwardCompute, seconds / 3, seconds * 2 / 3)});
    const TraceJob job = madeJob(1, 1, steps);
    HeldOutOptions options{.train = "0.6", .seed = 5, .samples = 100};
    const RandomParts parts = randomParts(job, options, 3).value();
    EXPECT_EQ(std::tuple(parts.parts, parts.trainSteps, parts.heldOutSteps), std::tuple(3, 4, 3));
    const auto numbers = [](const auto& h) {
        std::vector<double> all = {h.ksFloor, h.meanFloor, h.p95Floor, h.replicaPhaseKs};
        for (const DistributionScore& s : {h.predicted, h.baseline})
            for (const double x : {std::abs(s.meanError), std::abs(s.p50Error), std::abs(s.p95Error), s.ks, s.wassersteinSeconds})
                all.push_back(x);
        return all;
    };
    std::vector<double> means(14, 0.0);
    for (; options.seed < 8; ++options.seed) {
        const HeldOut h = heldOutPrediction(job, options).value();
        EXPECT_EQ(h.ksCritical, ksCritical(3, 0, 0.05));
        const std::vector<double> own = numbers(h);
        for (std::size_t i = 0; i < means.size(); ++i)
            means[i] += own[i] / 3;
    }
    const std::vector<double> found = numbers(parts);
    for (std::size_t i = 0; i < means.size(); ++i) {
        EXPECT_GT(means[i], 0) << i;
        EXPECT_NEAR(found[i], means[i], 1e-12) << i;
    }
}

} // namespace
} // namespace prism
